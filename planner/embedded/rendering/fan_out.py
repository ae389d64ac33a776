"""What joins count more than once: rows of a table that several rows of another belong to.

Owns: counts by different keys and sums set right by how often each row stands in the join, or the refusal of
a number that cannot be set right.

    ferries ⋈ trips ⋈ reviews: count(trips) → count(DISTINCT trips.id);
    sum(trips.fare) per ferry → sum(trips.fare) / count(DISTINCT reviews.id)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from askwire.planner.embedded.interpretation.namesakes import unique
from askwire.planner.embedded.interpretation.resolve import measure
from askwire.planner.embedded.logical_form.ir import (
    Compare,
    Condition,
    Member,
    Query,
    Term,
    condition_columns,
)
from askwire.planner.embedded.schema.joins import Edge, JoinGraph, Tree
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_EXPLAINING: Final = 3
_SUMMED: Final = frozenset({"sum", "avg", "median"})


class CountedTwice(Exception):
    """A number of a query counts rows more than once, and cannot be set right."""


def once(index: SchemaIndex, query: Query, tree: Tree) -> Query:
    """The query with what it counts and sums over the joins of `tree` taken once each.

    Where it reads other tables, it may have to be set right again over their joins. Raises CountedTwice
    where that is not certain.
    """
    if not tree.edges or not _aggregates(query):
        return query
    shared = [t for t in query.select if t.aggregate == "share" and t.of is not None]
    if len(query.select) == 1 and shared and (many := _FanOut(index, query, tree).of(shared[0].of or 0)):
        return _share(index, query, shared[0], frozenset(t for b in many.values() for t in b))
    joined = _FanOut(index, query, tree)
    if (apart := joined.conditions_apart()) is not None:
        return apart
    mend = joined.mended
    return query.with_(
        select=tuple(map(mend, query.select)),
        having=tuple(replace(c, term=mend(c.term)) if isinstance(c, Compare) else c for c in query.having),
        order=tuple((mend(t), d) for t, d in query.order),
    )


def astray(index: SchemaIndex, graph: JoinGraph, query: Query, tree: Tree) -> int | None:
    """A counted table that is joined to its groups by what both belong to, though it has a key to them."""
    joined = _FanOut(index, query, tree)
    for term in _aggregates(query) if len(tree.edges) > 1 else ():
        for table in {term.of} if term.column is None else {index.columns[c].table for c in term.columns()}:
            if table is None:
                continue
            near = {e.right for e in graph.neighbours(table) if e.left == table and not e.guessed}
            for (fork, _), behind in joined.of(table).items():
                if fork != table and behind & near & joined.groups:
                    return table
    return None


def _aggregates(query: Query) -> list[Term]:
    having = [c.term for c in query.having if isinstance(c, Compare)]
    return [t for t in (*query.select, *having, *(t for t, _ in query.order)) if t.aggregate]


def _share(index: SchemaIndex, query: Query, share: Term, many: frozenset[int]) -> Query:
    """'what percentage of customers ordered in 2025': of all customers, those of whose orders one did."""
    key = _key(index, share.of or 0)
    if key is None or query.group or query.order:
        raise CountedTwice
    far = tuple(c for c in query.where if _tables(index, (c,)) & many)
    whole = Query((Term(key),), where=far, tables=frozenset({share.of or 0}))
    rest = tuple(c for c in query.where if c not in far)
    where = (*rest, Member(key, whole, negated=False)) if far else rest
    tables = query.tables - many
    if far and not (_tables(index, share.part) | query.tables - _tables(index, far)) & many:
        return query.with_(where=where, tables=tables)
    such = Query((Term(key),), where=share.part, tables=(tables if far else query.tables) | {share.of or 0})
    part = replace(share, part=(Member(key, such, negated=False),))
    return query.with_(select=(part,), where=where, tables=tables)


def _tables(index: SchemaIndex, conditions: tuple[Condition, ...]) -> set[int]:
    return {index.columns[c].table for c in _read(conditions)}


def _read(conditions: tuple[Condition, ...]) -> Iterator[int]:
    for condition in conditions:
        yield from condition_columns(condition)


def _key(index: SchemaIndex, table: int) -> int | None:
    keys = [c for c in index.tables[table].columns if index.columns[c].primary]
    return keys[0] if len(keys) == 1 else None


class _FanOut:
    """How often rows stand in one tree of joins."""

    def __init__(self, index: SchemaIndex, query: Query, tree: Tree) -> None:
        self._index = index
        self._query = query
        self._tree = tree
        self.groups = {index.columns[c].table for t in query.group for c in t.columns()}
        self._keyed = {
            index.columns[t.column].table
            for t in query.group
            if t.column is not None and not t.unit and _key(index, index.columns[t.column].table) == t.column
        }

    def _steps(self, table: int) -> Iterator[tuple[int, Edge]]:
        for edge in self._tree.edges:
            if table in (edge.left, edge.right):
                yield edge.other(table), edge

    def _fans_out(self, table: int, edge: Edge) -> bool:
        """Whether several rows of the other end may belong to one of a table."""
        alone = len(edge.on) == 1 and unique(self._index, edge.on[0][0])
        return edge.right == table and not alone

    def of(self, table: int) -> Mapping[tuple[int, int], set[int]]:
        """(table, first table behind it) → the tables that a row of `table` stands in several times for."""
        found: dict[tuple[int, int], set[int]] = {}
        ahead: list[tuple[int, tuple[int, int] | None]] = [(table, None)]
        seen = {table}
        while ahead:
            here, branch = ahead.pop()
            for other, edge in self._steps(here):
                if other in seen:
                    continue
                seen.add(other)
                into = branch or ((here, other) if self._fans_out(here, edge) else None)
                if into is not None:
                    found.setdefault(into, set()).add(other)
                ahead.append((other, into))
        return found

    def _to_one(self, source: int, target: int) -> bool:
        return all(target not in tables for tables in self.of(source).values())

    def mended(self, term: Term) -> Term:
        """A term that takes each row once."""
        if term.aggregate == "count" and term.column is None and term.of is not None:
            return self._counted(term, term.of)
        if term.aggregate in {"share", "ratio", "difference"} and term.of is not None and self.of(term.of):
            raise CountedTwice
        if (
            term.aggregate in {"share", "ratio", "difference"}
            and term.column is not None
            and term.factor is None
        ):
            bare = replace(term, aggregate="sum", part=(), against=())
            table = self._table_of(bare)
            if table is None or self.of(table):
                raise CountedTwice
            return term
        if term.aggregate in _SUMMED and term.column is not None:
            return self._summed(term)
        return term

    def _counted(self, term: Term, table: int) -> Term:
        acting = self._index.tables[table].role is not None and (self._query.group or self._query.order)
        if not self.of(table) or acting:
            return term  # who assists most assists most goals
        if self._said(table) or any(self._to_one(group, table) for group in self._keyed):
            # one in each group: what is counted are the rows that belong to it
            if all(self.of(t) for t in self._tree.tables):
                raise CountedTwice
            return term
        key = _key(self._index, table)
        return term if key is None else replace(term, column=key, distinct=True, of=None)

    def _said(self, table: int) -> bool:
        """Whether a table that does no more than explain codes is there for one of them: 'nuclear plants'."""
        return len(self._index.tables[table].columns) <= _EXPLAINING and any(
            isinstance(c, Compare) and c.operator == "=" and table in self._tables(c)
            for c in self._query.where
        )

    def _table_of(self, term: Term) -> int | None:
        """The table whose rows a term sums up."""
        measured = self._index.measured.get(term.column or 0)
        read = measured.columns() if measured is not None else term.columns()
        own = {self._index.columns[c].table for c in read}
        return next((t for t in sorted(own) if all(self._to_one(t, o) for o in own)), None)

    def conditions_apart(self) -> Query | None:
        """The query whose conditions on rows behind a fork say which rows there are, no more.

        'total price of ferries with cancelled trips by port': each ferry once, however many trips it had.
        """
        query = self._query
        summed = [t for t in _aggregates(query) if t.aggregate in _SUMMED and t.column is not None]
        for term in summed:
            table = self._table_of(term)
            for (fork, _), behind in self.of(table).items() if table is not None else ():
                if behind & self.groups or self._counts_alongside(term, behind):
                    continue
                if behind.isdisjoint(query.tables) and not any(self._tables(c) & behind for c in query.where):
                    raise CountedTwice  # a role brings in whose it is, however often it is taken away
                moved = tuple(c for c in query.where if self._tables(c) & behind)
                key = _key(self._index, fork)
                if key is None or any(self._tables(c) - behind - {fork} for c in moved):
                    raise CountedTwice
                such = Query((Term(key),), where=moved, tables=frozenset(behind | {fork}))
                where = (*(c for c in query.where if c not in moved), Member(key, such, negated=False))
                return query.with_(where=where, tables=query.tables - behind)
        return None

    def _tables(self, condition: Condition) -> set[int]:
        return {self._index.columns[c].table for c in condition_columns(condition)}

    def _summed(self, term: Term) -> Term:
        measured = self._index.measured.get(term.column or 0)
        table = self._table_of(term)
        if table is None:
            return term
        leaves = []
        for (fork, first), behind in self.of(table).items():
            if (
                behind & self.groups - {first}
                and term.aggregate == "sum"
                and measure(self._index, first) is not None
            ):
                raise CountedTwice  # of the totals of invoices, those of genres are no parts: lines are
            if behind & self.groups or not self._counts_alongside(term, behind):
                continue
            if not any(self._to_one(group, fork) for group in self._keyed):
                raise CountedTwice
            leaves.append(behind)
        # of all that stand there equally often the average stays the same
        if not leaves or term.aggregate != "sum" or term.operator == "/":
            return term
        last = [t for t in leaves[0] if all(self._to_one(t, o) for o in leaves[0])]
        key = _key(self._index, last[0]) if len(last) == 1 else None
        if len(leaves) > 1 or key is None or term.per is not None or measured is not None:
            raise CountedTwice
        return replace(term, per=key)

    def _counts_alongside(self, term: Term, behind: set[int]) -> bool:
        """Whether rows behind a fork are there for a number of their own, or for groups' conditions."""
        for other in _aggregates(self._query):
            tables = {self._index.columns[c].table for c in other.columns()}
            if other != term and behind & (tables | ({other.of} if other.of is not None else set())):
                return True
        return False
