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
    NullTest,
    Query,
    Term,
    columns_of,
)
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


def _holds_today(index: SchemaIndex, begin: int, end: int) -> tuple[Condition, Condition]:
    """It has begun, and its end is today or later, or there is none."""
    begun, later = Compare(Term(begin), "<=", _TODAY), Compare(Term(end), ">=", _TODAY)
    if not index.columns[end].column.may_be_empty:
        return begun, later
    return begun, AnyOf(((NullTest(end),), (later,)))
