"""What is so now, in tables that keep what was: 'current salary' of rows that hold from one time to another.

Owns: the condition for today's rows.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from askwire.planner.embedded.linking.periods import period
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


def in_force(index: SchemaIndex, query: Query, tables: Collection[int]) -> Query | None:
    """The query of today's rows in all `tables` that keep periods; None where none does.

    Where rows are looked up in a query of its own, as of 'guests without a current booking', it is that
    query's rows that hold today.
    """
    if query.combine is not None:
        return None
    if any(isinstance(c, Member) for c in query.where):
        where = tuple(_looked_up_today(index, c) for c in query.where)
        return query.with_(where=where) if where != query.where else None
    found = [both for table in sorted(tables) if (both := period(index, table)) is not None]
    asked = {c for k in (*query.where, *query.having) for c in condition_columns(k)}
    added = [c for begin, end in found if end not in asked for c in _holds_today(index, begin, end)]
    return query.with_(where=(*query.where, *added)) if added else None


def _looked_up_today(index: SchemaIndex, condition: Condition) -> Condition:
    if not isinstance(condition, Member):
        return condition
    inner = condition.query
    tables = {index.columns[c].table for c in columns_of(inner)} | inner.tables
    of_today = in_force(index, inner, tables)
    return replace(condition, query=of_today) if of_today is not None else condition


def no_longer(
    index: SchemaIndex, graph: JoinGraph, query: Query, table: int, spoken: frozenset[str]
) -> Query | None:
    """The query of rows of a table that ended, or that none of today's rows of another belongs to any more.

    None where neither the table nor one other that refers to it keeps periods; of several it is the one that
    is spoken of. What more is asked of the rows is not read.
    """
    if query.combine is not None or query.group or query.where:
        return None
    own = period(index, table)
    if own is not None:
        return query.with_(where=(Compare(Term(own[1]), "<", _TODAY),))
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


def _holds_today(index: SchemaIndex, begin: int, end: int) -> tuple[Condition, Condition]:
    """It has begun, and its end is today or later, or there is none."""
    begun, later = Compare(Term(begin), "<=", _TODAY), Compare(Term(end), ">=", _TODAY)
    if not index.columns[end].column.may_be_empty:
        return begun, later
    return begun, AnyOf(((NullTest(end),), (later,)))
