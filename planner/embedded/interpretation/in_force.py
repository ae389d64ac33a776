"""What is so now, in tables that keep what was: 'current salary' of rows that hold from one time to another.

Owns: the condition for today's rows.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from askwire.planner.embedded.linking.periods import end_of_period
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
    ends = [end for table in sorted(tables) if (end := end_of_period(index, table)) is not None]
    read = set(columns_of(query))
    added = [_not_over(index, end) for end in ends if end not in read]
    if not ends or query.combine is not None:
        return None
    return query.with_(where=(*query.where, *added)) if added else query


def _not_over(index: SchemaIndex, end: int) -> Condition:
    """The end is today or later, or there is none."""
    later = Compare(Term(end), ">=", _TODAY)
    if not index.columns[end].column.may_be_empty:
        return later
    return AnyOf(((NullTest(end),), (later,)))
