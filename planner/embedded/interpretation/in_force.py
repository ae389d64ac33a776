"""What is so now, in tables that keep what was: 'current salary' of rows that hold from one time to another.

Owns: the condition for today's rows.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from askwire.planner.embedded.linking.periods import end_alone, period
from askwire.planner.embedded.logical_form.ir import (
    AnyOf,
    Compare,
    Condition,
    Literal,
    Member,
    NullTest,
    Query,
    Term,
    columns_of,
    condition_columns,
)
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_TODAY: Final = Literal("current_date", "reckoned")
_NOW: Final = Literal("current_timestamp", "reckoned")
_NOW_HERE: Final = Literal("localtimestamp", "reckoned")


def in_force(index: SchemaIndex, query: Query, tables: Collection[int]) -> Query | None:
    """The query of today's rows in all `tables` that keep periods; None where none does.

    Where rows are looked up in a query of its own, as of 'guests without a current booking', it is that
    query's rows that hold today; what rows are compared with, as an average, is of today's too.
    """
    if query.combine is not None:
        return None
    if any(isinstance(c, Member) for c in query.where):
        return _looked_up_today(index, query)
    found = [both for table in sorted(tables) if (both := period(index, table)) is not None]
    asked = {c for k in (*query.where, *query.having) for c in condition_columns(k)}
    added = [c for begin, end in found if end not in asked for c in _holds_today(index, begin, end)]
    if query.outer is not None and added:
        return counted_where(index, query, added)
    where = [_compared_today(index, c) for c in query.where]
    having = tuple(_compared_today(index, c) for c in query.having)
    return query.with_(where=(*where, *added), having=having) if added else None


def counted_where(index: SchemaIndex, query: Query, added: Sequence[Condition]) -> Query:
    """The query that counts such rows for each row of its outer table, also where there are none."""
    own = [c for c in added if {index.columns[n].table for n in condition_columns(c)} == {query.outer}]
    part = tuple(c for c in added if c not in own)

    def counted(term: Term) -> Term:
        return replace(term, part=(*term.part, *part)) if term.aggregate else term

    return query.with_(
        select=tuple(map(counted, query.select)),
        where=(*query.where, *own),
        order=tuple((counted(term), down) for term, down in query.order),
    )


def no_longer(
    index: SchemaIndex, graph: JoinGraph, query: Query, table: int, spoken: frozenset[str]
) -> Query | None:
    """The query of rows of a table that ended, or that none of today's rows of another belongs to any more.

    None where neither the table nor one other that refers to it tells; of several it is the one that is
    spoken of. What more is asked of the rows is not read, but for 'no longer have a desk': none today.
    """
    if query.combine is not None:
        return None
    if any(isinstance(c, Member) and c.negated for c in query.where):
        return _looked_up_today(index, query)
    columns = columns_of(query)
    if query.group or query.where or {index.columns[c].table for c in columns} | query.tables != {table}:
        return None
    own = period(index, table)
    end = end_alone(index, table) if own is None else own[1]
    if end is not None:
        return query.with_(where=(Compare(Term(end), "<", today(index, end)),))
    found = [
        (e.left, e.on[0], both)
        for e in graph.neighbours(table)
        if e.right == table and len(e.on) == 1 and (both := period(index, e.left)) is not None
    ]
    if len(found) > 1:
        found = [one for one in found if spoken & set(index.tables[one[0]].words)]
    if len(found) != 1:
        return None
    _, (key, referred), (begin, end) = found[0]
    of_today = Query((Term(key),), where=_holds_today(index, begin, end))
    return query.with_(where=(Member(referred, of_today, negated=True),))


def _looked_up_today(index: SchemaIndex, query: Query) -> Query | None:
    """The query whose rows are looked up among today's; None where nothing tells which they are."""
    where = tuple(
        replace(c, query=_of_today(index, c.query)) if isinstance(c, Member) else c for c in query.where
    )
    return query.with_(where=where) if where != query.where else None


def _compared_today(index: SchemaIndex, condition: Condition) -> Condition:
    if isinstance(condition, Compare) and isinstance(condition.right, Query):
        return replace(condition, right=_of_today(index, condition.right))
    return condition


def _of_today(index: SchemaIndex, query: Query) -> Query:
    tables = {index.columns[c].table for c in columns_of(query)} | query.tables
    return in_force(index, query, tables) or query


def _holds_today(index: SchemaIndex, begin: int, end: int) -> tuple[Condition, Condition]:
    """It has begun, and its end is today or later, or there is none."""
    begun = Compare(Term(begin), "<=", today(index, begin))
    later = Compare(Term(end), ">=", today(index, end))
    if not index.columns[end].column.may_be_empty:
        return begun, later
    return begun, AnyOf(((NullTest(end),), (later,)))


def today(index: SchemaIndex, column: int) -> Literal:
    """Today, or now for columns that hold times of day."""
    name = index.columns[column].column.type_name
    if name.startswith("timestamp"):
        return _NOW if name.endswith("with time zone") else _NOW_HERE
    return _TODAY
