"""What people's own queries say of a schema, put to use: joins that no key declares, columns in common use.

Owns: from habits to edges of the join graph, how much better a proposal stands that does what people do, and
what it then cites.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import log1p
from typing import Final

from askwire.language.text import singular
from askwire.planner.embedded.logical_form.ir import Query, Term, condition_columns
from askwire.planner.embedded.ranking.proposal import Proposal
from askwire.planner.embedded.ranking.query_log_filters import QueryLogFilters, expressions
from askwire.planner.embedded.schema.identifiers import pieces
from askwire.planner.embedded.schema.joins import Edge, JoinGraph
from askwire.planner.embedded.schema.query_log_measures import MeasureIndex
from askwire.planner.embedded.schema.schema_index import SchemaIndex
from askwire.sql.query_patterns.patterns import ColumnName, Expression, Join, QueryPatterns, columns_in, told

USAGE_WEIGHT: Final = 0.5
"""What a proposal gains in score whose every column is the one most used of all, in its place."""
_USUAL_JOIN_COST: Final = 1.2
"""Of a join that people write and no foreign key declares: a little above that of a key."""
_MAX_CITED: Final = 5
_KNOWN_MEASURE_GAIN: Final = 0.6
"""What a proposal gains that measures what people call so."""
_OTHER_AGGREGATE_COST: Final = 0.9
"""What it loses where it takes another aggregate of that, or rows of it."""
_OTHER_KEY_COST: Final = 1.5
"""What it loses that joins by a key that people do not use, where they use another."""
_MIN_JOINING_QUERIES: Final = 2
"""Queries that join two relations; fewer are no evidence against keys that they do not use."""
_KNOWN_TIME_GAIN: Final = 0.5
"""What it gains whose times are those that people hold beside its measure, or group by."""
_RARER_JOIN_COST: Final = 0.8
"""What a join between two relations costs more at most that people write more rarely than another."""


class QueryLogJoins:
    """The habits of one catalog, by the numbers of its schema index; `placed` are the measures with names."""

    def __init__(
        self, index: SchemaIndex, query_patterns: QueryPatterns, placed: MeasureIndex | None = None
    ) -> None:
        self._index = index
        self._query_patterns = query_patterns
        self._placed = placed
        self._named = {c: m.expression for c, m in placed.by_column.items()} if placed else {}
        self._number = {
            ColumnName(t.relation.schema, t.relation.name, index.columns[c].column.name): c
            for t in index.tables
            if t.role is None
            for c in t.columns
        }
        self._outputs = self._usual(query_patterns.outputs)
        self._groups = self._usual(query_patterns.groups)
        self._compared = self._usual(query_patterns.compared)
        timely = {n: k for n, k in query_patterns.groups.items() if self._is_time(n)}
        self._times = self._usual(Counter(timely))
        measured: Counter[ColumnName] = Counter()
        for measure, times in query_patterns.measures.items():
            for name in columns_in(measure):
                measured[name] += times
        self._measured = self._usual(measured)
        self._most: Counter[frozenset[tuple[str, str]]] = Counter()
        for join, times in query_patterns.joins.items():
            pair = _pair(join)
            self._most[pair] = max(self._most[pair], times)
        self._steps = {_step(join): join for join in query_patterns.joins}
        self._names = {frozenset(name for _, name in pair): times for pair, times in self._most.items()}
        self._beside: dict[Expression, Counter[ColumnName]] = defaultdict(Counter)
        for (measure, name), number in query_patterns.beside.items():
            if self._is_time(name):
                self._beside[measure][name] += number

    def filters(self, graph: JoinGraph) -> QueryLogFilters:
        """The filters that people use, for queries over a join graph."""
        return QueryLogFilters(self._index, graph, self._query_patterns, self._named)

    def _is_time(self, name: ColumnName) -> bool:
        return name in self._number and self._index.columns[self._number[name]].kind == "time"

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
        for join, times in self._query_patterns.joins.items():
            left, right = self._number.get(join.left), self._number.get(join.right)
            if left is not None and right is not None:
                if self._identifies(left) > self._identifies(right):
                    left, right = right, left
                pair = frozenset({self._index.columns[left].table, self._index.columns[right].table})
                most[pair] = max(most[pair], times)
                found.append((pair, left, right, times))
        for pair, left, right, times in found:
            tables = self._index.columns[left].table, self._index.columns[right].table
            cost = _USUAL_JOIN_COST + _RARER_JOIN_COST * (1 - times / most[pair])
            yield Edge(*tables, ((left, right),), cost, False)

    def _identifies(self, number: int) -> int:
        """How surely a column tells the rows of its relation apart."""
        column = self._index.columns[number]
        alone = len(self._index.tables[column.table].relation.primary_key) < 2
        return 2 if column.primary and alone else int(column.column.distinct == -1.0)

    def favoured(self, proposals: list[Proposal]) -> list[Proposal]:
        """The proposals in the order that usual columns give them; of equal ones the earlier stays first."""
        moved = [replace(p, score=p.score + self._gain(p)) for p in proposals]
        return sorted(moved, key=lambda p: -p.score)

    def _gain(self, proposal: Proposal) -> float:
        gain = USAGE_WEIGHT * self.agreement(proposal.query)
        gain -= _OTHER_KEY_COST * sum(self._unusual(step, proposal) for step in proposal.path)
        gain += _KNOWN_TIME_GAIN * self._timely(proposal.query)
        for term in self._measures(proposal.query):
            measure = self._index.measured[term.column or 0]
            gain += _KNOWN_MEASURE_GAIN * (self._placed.standing(term.column or 0) if self._placed else 0.0)
            gain -= 0.0 if term.aggregate == measure.aggregate else _OTHER_AGGREGATE_COST
        return gain

    def _unusual(self, path: str, proposal: Proposal) -> float:
        """How much less people use a key than another one between the same tables (0 to 1).

        0 where the question speaks of the key, or they join these tables hardly ever.
        """
        parts = path.replace('"', "").split(" AND ")
        sides = [part.split(" = ") for part in parts if " = " in part]
        if len(sides) != 1:
            return 0.0
        step = frozenset(sides[0])
        most = self._names.get(frozenset(side.rpartition(".")[0] for side in step), 0)
        join = self._steps.get(step)
        used = self._query_patterns.joins[join] if join else 0
        if most < _MIN_JOINING_QUERIES or used == most:
            return 0.0
        spoken = {t.lemma for t in proposal.encoded.tokens}
        words = {singular(w.lower()) for side in step for w in pieces(side.rpartition(".")[2])}
        return 0.0 if words & spoken else 1 - used / most

    def _timely(self, query: Query) -> float:
        """How usual the times are that a query groups by or restricts, for what it measures (0 to 1)."""
        times = {t.column for t in query.group if t.unit}
        times |= {
            c for k in query.where for c in condition_columns(k) if self._index.columns[c].kind == "time"
        }
        if not times:
            return 0.0
        beside: Counter[ColumnName] = Counter()
        for measure in expressions(self._index, query, self._named) & self._beside.keys():
            beside += self._beside[measure]
        usual = self._usual(beside) if beside else self._times
        return sum(usual.get(c, 0.0) for c in times if c is not None) / len(times)

    def _measures(self, query: Query) -> list[Term]:
        """The measures with names that a query shows or sorts by, each once."""
        terms = (*query.select, *(term for term, _ in query.order))
        return [t for t in dict.fromkeys(terms) if t.column in self._index.measured]

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

    def cited(self, proposal: Proposal) -> tuple[str, ...]:
        """What of the habits a proposal rests on, a phrase each: its measures and joins that people write."""
        cited: list[str] = []
        if self._placed:
            cited += [self._placed.by_column[t.column or 0].cited for t in self._measures(proposal.query)]
        for join, times in self._query_patterns.joins.most_common():
            if _is_on(join, proposal.path):
                cited.append(f"{_named(join)}, joined so in {_queries(times)}")
        measured = {t.column for t in proposal.query.select if t.aggregate}
        for measure, times in self._query_patterns.measures.most_common():
            read = [self._number.get(name) for name in columns_in(measure)]
            if len(read) == 1 and read[0] in measured:
                cited.append(f"{told(measure)}, in {_queries(times)}")
        return tuple(dict.fromkeys(cited))[:_MAX_CITED]


def _pair(join: Join) -> frozenset[tuple[str, str]]:
    return frozenset({join.left[:2], join.right[:2]})


def _step(join: Join) -> frozenset[str]:
    left, right = join
    return frozenset({f"{left.relation}.{left.column}", f"{right.relation}.{right.column}"})


def _is_on(join: Join, path: Sequence[str]) -> bool:
    """Whether a step of a path holds the two columns equal."""
    plain = (step.replace('"', "").split(" AND ") for step in path)
    return any(_step(join) == set(part.split(" = ")) for step in plain for part in step)


def _named(join: Join) -> str:
    return f"{join.left.relation}.{join.left.column} = {join.right.relation}.{join.right.column}"


def _queries(times: int) -> str:
    return "one query of people" if times == 1 else f"{times} queries of people"
