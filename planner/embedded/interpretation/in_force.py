"""What is so now, in tables that keep what was: 'current salary' of rows that hold from one time to another.

Owns: the condition for today's rows.
"""

from __future__ import annotations

from collections.abc import Collection
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
)
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_TODAY: Final = Literal("current_date", "reckoned")


def in_force(index: SchemaIndex, query: Query, tables: Collection[int]) -> Query | None:
    """The query of today's rows in all `tables` that keep periods; None where none does."""
    found = [both for table in sorted(tables) if (both := period(index, table)) is not None]
    if not found or query.combine is not None:
        return None
    read = set(columns_of(query))
    added = [c for begin, end in found if end not in read for c in _holds_today(index, begin, end)]
    return query.with_(where=(*query.where, *added)) if added else query


def no_longer(index: SchemaIndex, graph: JoinGraph, query: Query, table: int) -> Query | None:
    """The query of rows of a table that ended, or that none of today's rows of another belongs to any more.

    None where neither the table nor one that refers to it keeps periods.
    """
    own = period(index, table)
    if query.combine is not None or query.group:
        return None
    if own is not None:
        return query.with_(where=(*query.where, Compare(Term(own[1]), "<", _TODAY)))
    found = [
        (index.tables[e.left].relation.estimated_rows, e.on[0], both)
        for e in graph.neighbours(table)
        if e.right == table and len(e.on) == 1 and (both := period(index, e.left)) is not None
    ]
    if not found:
        return None
    _, (key, referred), (begin, end) = max(found)
    of_today = Query((Term(key),), where=_holds_today(index, begin, end))
    return query.with_(where=(*query.where, Member(referred, of_today, negated=True)))


def _holds_today(index: SchemaIndex, begin: int, end: int) -> tuple[Condition, Condition]:
    """It has begun, and its end is today or later, or there is none."""
    begun, later = Compare(Term(begin), "<=", _TODAY), Compare(Term(end), ">=", _TODAY)
    if not index.columns[end].column.may_be_empty:
        return begun, later
    return begun, AnyOf(((NullTest(end),), (later,)))
