"""What people's own queries say of a schema, put to use: joins that no key declares, columns in common use.

Owns: from habits to edges of the join graph, and how much better a proposal stands that does what people do.
Must not know: where habits come from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import log1p
from typing import Final

from askwire.core.trace import Json
from askwire.planner.embedded.ir import Query, Term, condition_columns
from askwire.planner.embedded.joins import Edge
from askwire.planner.embedded.proposal import Proposal
from askwire.planner.embedded.schema_index import SchemaIndex
from askwire.sql.habits import ColumnName, Habits, Join, columns_in, told

WEIGHT: Final = 0.5
"""What a proposal gains in score whose every column is the one most used of all, in its place."""
_USUAL_COST: Final = 1.2
"""Of a join that people write and no foreign key declares: a little above that of a key."""
_MOST_CITED: Final = 5
_RARER_COST: Final = 0.8
"""What a join between two relations costs more at most that people write more rarely than another."""


class Customs:
    """The habits of one catalog, by the numbers of its schema index."""

    def __init__(self, index: SchemaIndex, habits: Habits) -> None:
        self._index = index
        self._habits = habits
        self._number = {
            ColumnName(t.relation.schema, t.relation.name, index.columns[c].column.name): c
            for t in index.tables
            if t.role is None
            for c in t.columns
        }
        self._outputs = self._usual(habits.outputs)
        self._groups = self._usual(habits.groups)
        self._compared = self._usual(habits.compared)
        measured: Counter[ColumnName] = Counter()
        for measure, times in habits.measures.items():
            for name in columns_in(measure):
                measured[name] += times
        self._measured = self._usual(measured)

    def _usual(self, counted: Counter[ColumnName]) -> Mapping[int, float]:
        """How usual each column is (0 to 1)."""
        most = log1p(max(counted.values(), default=1))
        return {self._number[n]: log1p(k) / most for n, k in counted.items() if n in self._number}

    def edges(self) -> Iterator[Edge]:
        """The joins people write, each from the relation with the column to the one whose key it holds.

        Of several between two relations the rarer ones cost more.
        """
        most: Counter[frozenset[int]] = Counter()
        found = []
        for join, times in self._habits.joins.items():
            left, right = self._number.get(join.left), self._number.get(join.right)
            if left is not None and right is not None:
                if self._index.columns[left].primary and not self._index.columns[right].primary:
                    left, right = right, left
                pair = frozenset({self._index.columns[left].table, self._index.columns[right].table})
                most[pair] = max(most[pair], times)
                found.append((pair, left, right, times))
        for pair, left, right, times in found:
            tables = self._index.columns[left].table, self._index.columns[right].table
            cost = _USUAL_COST + _RARER_COST * (1 - times / most[pair])
            yield Edge(*tables, ((left, right),), cost, False)

    def favoured(self, proposals: list[Proposal]) -> list[Proposal]:
        """The proposals in the order that usual columns give them; of equal ones the earlier stays first."""
        moved = [replace(p, score=p.score + WEIGHT * self.agreement(p.query)) for p in proposals]
        return sorted(moved, key=lambda p: -p.score)

    def agreement(self, query: Query) -> float:
        """How far a query uses each column where people use it (0 to 1)."""
        found = [
            *(self._of_term(term) for term in query.select),
            *(self._groups.get(c, 0.0) for term in query.group for c in term.columns()),
            *(self._compared.get(c, 0.0) for condition in query.where for c in condition_columns(condition)),
        ]
        return sum(found) / len(found) if found else 0.0

    def _of_term(self, term: Term) -> float:
        if term.column is None:
            return 0.0
        return (self._measured if term.aggregate else self._outputs).get(term.column, 0.0)

    def cited(self, proposal: Proposal) -> list[Json]:
        """What of the habits a proposal rests on, a phrase each: its joins and measures that people write."""
        cited: list[Json] = []
        path = " ".join(proposal.path)
        for join, times in self._habits.joins.most_common():
            if f"{join.left.relation}.{join.left.column}" in path and join.right.column in path:
                cited.append(f"{_named(join)}, joined so in {_queries(times)}")
        measured = {t.column for t in proposal.query.select if t.aggregate}
        for measure, times in self._habits.measures.most_common():
            read = [self._number.get(name) for name in columns_in(measure)]
            if len(read) == 1 and read[0] in measured:
                cited.append(f"{told(measure)}, in {_queries(times)}")
        return cited[:_MOST_CITED]


def _named(join: Join) -> str:
    return f"{join.left.relation}.{join.left.column} = {join.right.relation}.{join.right.column}"


def _queries(times: int) -> str:
    return "one query of people" if times == 1 else f"{times} queries of people"
