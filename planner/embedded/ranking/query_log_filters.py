"""The conditions that most queries of people over a relation carry, put into a proposal.

Owns: when a filter is a habit, when a question speaks of it itself, and the query with it.

    SELECT count(*) FROM users → SELECT count(*) FROM users WHERE deleted_at IS NULL
    (of 44 queries over users 41 say so; "how many users, including deleted ones" speaks of it)
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from askwire.language.lexicon import FUNCTION_WORDS
from askwire.language.text import Token, listed, singular, stem
from askwire.planner.embedded.logical_form.ir import (
    AnyOf,
    Compare,
    Condition,
    Member,
    NullTest,
    Query,
    StatedCondition,
    Term,
    condition_columns,
)
from askwire.planner.embedded.ranking.proposal import Proposal
from askwire.planner.embedded.rendering.render import CannotJoin, Renderer
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.schema_index import SchemaIndex
from askwire.sql.query_patterns.patterns import ColumnName, Expression, QueryPatterns, Sight, columns_in, told

MIN_FILTER_QUERIES: Final = 3
"""Queries that carry a filter, below which it is no habit."""
MIN_FILTER_SHARE: Final = 0.75
"""Of the queries over a relation, what part must carry a filter for it to be meant unsaid."""
OFFERED_FILTER_SHARE: Final = 0.4
"""The same for a reading with the filter to be offered behind the one without."""
_SAYS_NOTHING: Final = frozenset(
    listed("at on by is has was date time day status state flag type kind id not null")
)
_WIDENING: Final = frozenset(
    listed("including include includes incl regardless irrespective even ever whether")
)
"""'how many users including deleted ones': what is left out by habit is wanted."""
_STATES: Final = frozenset(
    listed(
        """
        deleted removed archived inactive former past previous closed cancelled canceled void voided expired
        ended dead gone disabled hidden draft test fake dropped purged suspended terminated discontinued
        historical obsolete
        """
    )
)
"""Words for rows that are usually left out: a question with one of them is not about the usual rows."""
_NULL_TESTS: Final[dict[tuple[str | ColumnName, ...], bool]] = {(" IS NULL",): False, (" IS NOT NULL",): True}
_MAX_TOKENS_BEHIND: Final = 4
_CONSTANT: Final = re.compile(r"'|\b\d")


@dataclass(frozen=True)
class FilteredProposal:
    """A proposal with the filters that people use; `likely` is how likely they are meant, unsaid.

    `cited` says so, a phrase each. `first`: it stands before the proposal without them. `against`: it has
    none, for it sorts or groups by what they want to be missing.
    """

    proposal: Proposal
    likely: float
    cited: tuple[str, ...]
    first: bool
    against: bool = False


@dataclass(frozen=True)
class _UsualFilter:
    condition: Expression
    carried: int
    read: int
    sure: bool

    @property
    def share(self) -> float:
        """The part of the queries that carry it, as if there had been one more of each kind."""
        return (self.carried + 1) / (self.read + 2)


class QueryLogFilters:
    """The filters of one catalog's habits."""

    def __init__(
        self,
        index: SchemaIndex,
        graph: JoinGraph,
        query_patterns: QueryPatterns,
        named: Mapping[int, Expression],
    ) -> None:
        """`named` are the measures that are columns of the index, by number."""
        self._index = index
        self._graph = graph
        self._named = named
        self._sights: dict[tuple[str, str], list[tuple[Sight, int]]] = defaultdict(list)
        for sight, times in query_patterns.sights.items():
            self._sights[sight.schema, sight.relation].append((sight, times))
        self._filtered = {key for key, seen in self._sights.items() if any(s.filters for s, _ in seen)}

    def applied(self, proposal: Proposal) -> FilteredProposal | None:
        """The proposal with the filters that are usual where it reads; None where there are none."""
        if not self._filtered or _widened(proposal):
            return None
        spoken = _QuestionParts(self._index, proposal)
        found: list[tuple[int, _UsualFilter]] = []
        for sure in (True, False):
            query = self._with(proposal.query, spoken, sure, found, int(proposal.features.get("variant", 0)))
            if any(self._empties(proposal.query, habit.condition, table) for table, habit in found):
                return FilteredProposal(proposal, 0.0, (), first=False, against=True) if sure else None
            if found:
                return self._made(proposal, query, found, first=sure)
        return None

    def _empties(self, query: Query, condition: Expression, table: int) -> bool:
        """Whether a condition leaves nothing of what a query sorts or groups by: `… IS NULL ORDER BY` it."""
        terms = (*(t for t, _ in query.order), *query.group)
        missing = {self._columns(table).get(c.column) for c in columns_in(condition)}
        return condition[1:] == (" IS NULL",) and any(
            not t.aggregate and not missing.isdisjoint(t.columns()) for t in terms
        )

    def _made(
        self, proposal: Proposal, query: Query, found: Sequence[tuple[int, _UsualFilter]], *, first: bool
    ) -> FilteredProposal | None:
        said = frozenset(t.lemma for t in proposal.encoded.tokens)
        renderer = Renderer(self._index, self._graph, int(proposal.features.get("variant", 0)), said)
        try:
            sql = renderer.sql(query)
        except CannotJoin:
            return None
        cited = dict.fromkeys(self._cited(table, habit) for table, habit in found)
        likely = min(habit.share for _, habit in found)
        filtered = replace(proposal, sql=sql, query=query, path=renderer.path)
        return FilteredProposal(filtered, likely, tuple(cited), first)

    def _cited(self, table: int, habit: _UsualFilter) -> str:
        relation = self._index.tables[table].relation.name
        return f"{told(habit.condition)}: {habit.carried} of {habit.read} statements on {relation} filter so"

    def _with(
        self,
        query: Query,
        spoken: _QuestionParts,
        sure: bool,
        found: list[tuple[int, _UsualFilter]],
        variant: int = 0,
    ) -> Query:
        """The query, and those within it, with the filters that are (or only may be) meant unsaid."""
        try:
            renderer = Renderer(self._index, self._graph, variant)
            renderer.sql(query)
        except CannotJoin:
            return query
        more: list[Condition] = []
        main = self._main(query, renderer.tables)
        for table in renderer.tables:
            for habit in self._usual(table, query, len(renderer.tables) > 1, table in main):
                if habit.sure == sure and not spoken.of(habit.condition):
                    more.append(self._condition(table, habit.condition))
                    found.append((table, habit))
        where = tuple(self._inside(c, spoken, sure, found) for c in query.where)
        combine = query.combine
        if combine is not None:
            combine = combine[0], self._with(combine[1], spoken, sure, found)
        return query.with_(where=(*where, *more), combine=combine)

    def _inside(
        self, condition: Condition, spoken: _QuestionParts, sure: bool, found: list[tuple[int, _UsualFilter]]
    ) -> Condition:
        if isinstance(condition, Member):
            return replace(condition, query=self._with(condition.query, spoken, sure, found))
        if isinstance(condition, Compare) and isinstance(condition.right, Query):
            return replace(condition, right=self._with(condition.right, spoken, sure, found))
        if isinstance(condition, AnyOf):
            parts = tuple(
                tuple(self._inside(c, spoken, sure, found) for c in part) for part in condition.parts
            )
            return AnyOf(parts)
        return condition

    def _main(self, query: Query, tables: Sequence[int]) -> set[int]:
        """The tables whose rows a query is about: those it measures or counts, else those it shows."""
        terms = (*query.select, *(term for term, _ in query.order))
        measured = {t.of if t.column is None else self._table(t) for t in terms if t.aggregate}
        shown = {self._table(t) for t in query.select if t.column is not None}
        if query.star is not None:
            shown.add(query.star)
        main = {t for t in measured or shown if t is not None}
        return main or set(tables[:1])

    def _table(self, term: Term) -> int | None:
        return None if term.column is None else self._index.columns[term.column].table

    def _usual(self, table: int, query: Query, joined: bool, main: bool) -> Iterator[_UsualFilter]:
        """The filters of a table that may be meant, by the queries most like this one."""
        relation = self._index.tables[table].relation
        key = (relation.schema, relation.name)
        if key not in self._filtered:
            return
        seen = self._sights[key]
        measures = expressions(self._index, query, self._named)
        alike = [s for s in seen if bool(s[0].measures & measures) or not (measures or s[0].measures)]
        enough = _times(alike) >= MIN_FILTER_QUERIES
        near = alike if enough else seen
        beside = [s for s in near if s[0].joined == joined]
        told_apart = _times(beside) >= MIN_FILTER_QUERIES
        near = beside if told_apart else near
        for condition in sorted({c for s, _ in near for c in s.filters}, key=told):
            carried = _carried(near, condition)
            read = carried + _times([s for s in near if not _speaks(s[0], condition)])
            if carried < max(MIN_FILTER_QUERIES, OFFERED_FILTER_SHARE * read) or not self._possible(
                table, condition
            ):
                continue
            sure = carried >= MIN_FILTER_SHARE * read and (main or (joined and told_apart and enough))
            sure = sure and not self._of_the_day(table, condition)
            yield _UsualFilter(
                condition, carried, read, sure and (enough or _general(seen, alike, condition))
            )

    def _possible(self, table: int, condition: Expression) -> bool:
        """Whether the condition can be put here: its columns are known, and may be what it asks for."""
        names = self._columns(table)
        known = all(c.column in names for c in columns_in(condition))
        if not known or condition[1:] != (" IS NULL",) or not isinstance(condition[0], ColumnName):
            return known
        return not self._index.columns[names[condition[0].column]].column.not_null

    def _of_the_day(self, table: int, condition: Expression) -> bool:
        """Whether a condition picks some rows by a constant: the last 30 days, one shop by its key."""
        names = self._columns(table)
        columns = [self._index.columns[names[c.column]] for c in columns_in(condition)]
        constant = any(_CONSTANT.search(part) for part in condition if isinstance(part, str))
        return constant and any(c.kind == "time" or c.key for c in columns)

    def _columns(self, table: int) -> dict[str, int]:
        return {self._index.columns[c].column.name: c for c in self._index.tables[table].columns}

    def _condition(self, table: int, condition: Expression) -> Condition:
        names = self._columns(table)
        if condition[1:] in _NULL_TESTS and isinstance(condition[0], ColumnName):
            return NullTest(names[condition[0].column], _NULL_TESTS[condition[1:]])
        parts = tuple(names[p.column] if isinstance(p, ColumnName) else p for p in condition)
        either = any(isinstance(p, str) and " OR " in p for p in parts)
        return StatedCondition(("(", *parts, ")") if either else parts)


def expressions(index: SchemaIndex, query: Query, named: Mapping[int, Expression]) -> frozenset[Expression]:
    """What a query measures, as habits have it; `named` are the measures that are columns, by number."""
    found: set[Expression] = set()
    terms = [*query.select, *(t for t, _ in query.order)]
    terms += [c.term for c in query.having if isinstance(c, Compare)]
    for term in terms:
        if term.column is None or not term.aggregate:
            continue
        if term.column in named:
            found.add(named[term.column])
            continue
        column = index.columns[term.column]
        relation = index.tables[column.table].relation
        name = ColumnName(relation.schema, relation.name, column.column.name)
        found.add((f"{term.aggregate}({'DISTINCT ' if term.distinct else ''}", name, ")"))
    return frozenset(found)


def _times(seen: Sequence[tuple[Sight, int]]) -> int:
    return sum(times for _, times in seen)


def _carried(seen: Sequence[tuple[Sight, int]], condition: Expression) -> int:
    return _times([s for s in seen if condition in s[0].filters])


def _speaks(sight: Sight, condition: Expression) -> bool:
    """Whether a query says itself what it wants of the columns of a condition, be it the condition."""
    return any(column.column in sight.held for column in columns_in(condition))


def _general(
    seen: Sequence[tuple[Sight, int]], alike: Sequence[tuple[Sight, int]], condition: Expression
) -> bool:
    """Whether a filter that hardly a query like this one can confirm is one of all queries.

    What is measured may bring its own: 'paid' belongs to revenue, and does not say which invoices there are.
    """
    kinds = {s.measures for s, _ in seen if condition in s.filters}
    confirmed = _carried(alike, condition) >= MIN_FILTER_SHARE * _times(alike)
    return confirmed and len(kinds) > 1 and (bool(alike) or frozenset() in kinds)


class _QuestionParts:
    """What a question speaks of itself."""

    def __init__(self, index: SchemaIndex, proposal: Proposal) -> None:
        self._stems = {stem(t.lemma) for t in proposal.encoded.tokens if t.kind in {"word", "quoted"}}
        self._stems |= {stem(t.lower) for t in proposal.encoded.tokens if t.kind in {"word", "quoted"}}
        self._index = index
        mentions = proposal.encoded.mentions
        named = {
            o.index for m, o in proposal.assignment.mentions.items() if not o.table and mentions[m].start >= 0
        }
        columns = (index.columns[n] for n in (named | set(_held(proposal.query))))
        self._read = {(c.column.name, index.tables[c.table].relation.oid) for c in columns}

    def of(self, condition: Expression) -> bool:
        """Whether it speaks of a column of a condition, or of a value that the condition names."""
        oids = {(r.schema, r.name): r.oid for r in self._index.catalog}
        for column in columns_in(condition):
            if (column.column, oids.get(column[:2])) in self._read:
                return True
        table = {w for c in columns_in(condition) for w in _words(c.relation)}
        words = {w for c in columns_in(condition) for w in _words(c.column)} - table
        for part in condition:
            if isinstance(part, str):
                words.update(w for value in re.findall(r"'([^']*)'", part) for w in _words(value))
        said = {stem(w) for w in words if w not in _SAYS_NOTHING and w not in FUNCTION_WORDS}
        return bool(said & self._stems)


def _words(name: str) -> set[str]:
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)
    return {form for p in parts for form in (p.lower(), singular(p.lower()))}


def _widened(proposal: Proposal) -> bool:
    """Whether a question asks for more than the usual rows, or for others: 'including test users'."""
    tokens = proposal.encoded.tokens
    placed = _placed(proposal)
    for at, token in enumerate(tokens):
        if token.lower in _WIDENING:
            behind = [
                n for n in range(at + 1, min(at + 1 + _MAX_TOKENS_BEHIND, len(tokens))) if _content(tokens[n])
            ]
            # 'revenue including tax' is about a column
            if not behind or not placed >= set(behind[:1]):
                return True
    plain = {tokens[at].lower for at in proposal.encoded.plain}
    return bool(plain & _STATES)


def _content(token: Token) -> bool:
    return token.kind == "word" and token.lower not in FUNCTION_WORDS and token.lower not in {"ones", "those"}


def _placed(proposal: Proposal) -> set[int]:
    """The tokens that became columns of the query or values."""
    encoded, chosen = proposal.encoded, proposal.assignment
    parts = [encoded.mentions[m] for m, o in chosen.mentions.items() if not o.table]
    spans = [(p.start, p.end) for p in parts]
    spans += [(encoded.values[v].start, encoded.values[v].end) for v in chosen.values]
    return {at for start, end in spans if start >= 0 for at in range(start, end)}


def _held(query: Query) -> Iterator[int]:
    """Every column that the conditions of a query and of those within it are about."""
    for condition in (*query.where, *query.having):
        yield from _of_condition(condition)
    if query.combine is not None:
        yield from _held(query.combine[1])


def _of_condition(condition: Condition) -> Iterator[int]:
    yield from condition_columns(condition)
    if isinstance(condition, Member):
        yield from _held(condition.query)
    elif isinstance(condition, Compare) and isinstance(condition.right, Query):
        yield from _held(condition.right)
    elif isinstance(condition, AnyOf):
        for part in condition.parts:
            for inner in part:
                yield from _of_condition(inner)
