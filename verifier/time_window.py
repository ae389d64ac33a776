"""Whether an empty answer is empty because the time asked for lies beyond the data.

Owns: the bounds that a statement sets to a column of dates or times, and where that column's data begin and
end.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from pglast import ast

from askwire.core.errors import DatabaseFailed
from askwire.core.protocols import Batch
from askwire.sql.catalog import Column, Relation
from askwire.sql.literals import quote_identifier
from askwire.verifier.attempt import SESSION_LOST
from askwire.verifier.effects import Effects

TIMEOUT_MS: Final = 300
"""A column whose ends are not found in this time has no index, and is silent."""
EMPTY_WINDOW_ODDS: Final = 0.8
"""An answer that is empty for this reason is hardly less likely right."""
_LOWER_BOUND_OPERATORS: Final = frozenset({">=", ">", "="})
_UPPER_BOUND_OPERATORS: Final = frozenset({"<", "<=", "="})


@dataclass(frozen=True, slots=True)
class _TimeBound:
    relation: Relation
    column: Column
    operator: str
    day: dt.date


async def beyond_data(batch: Batch, effects: Effects) -> str:
    """One phrase on where the data end (or begin), when a bound of the statement lies beyond; else ''.

    One short read per bounded column. Raises whatever ends a batch.
    """
    for bound in _bounds(effects):
        try:
            ends = await _ends(batch, bound)
        except DatabaseFailed as error:
            if error.code.startswith(SESSION_LOST):
                raise
            continue
        if ends is None:
            continue
        first, last = ends
        name = f"{bound.relation.name}.{bound.column.name}"
        if bound.operator in _LOWER_BOUND_OPERATORS and last < bound.day:
            return f"the data of {name} end at {last}, before the time asked for"
        if bound.operator in _UPPER_BOUND_OPERATORS and first > bound.day:
            return f"the data of {name} begin at {first}, after the time asked for"
    return ""


def _bounds(effects: Effects) -> Iterator[_TimeBound]:
    for comparison in effects.comparisons:
        if comparison.negated or not isinstance(comparison.left, ast.ColumnRef):
            continue
        source = effects.source(comparison.left)
        day = _day(comparison.right)
        if source is None or day is None or source[1].category != "D" or source[0].oid == 0:
            continue
        if comparison.operator in _LOWER_BOUND_OPERATORS | _UPPER_BOUND_OPERATORS and source[0].kind in "rpm":
            yield _TimeBound(*source, comparison.operator, day)


def _day(node: Any) -> dt.date | None:
    constant = node.arg if isinstance(node, ast.TypeCast) else node
    if not (isinstance(constant, ast.A_Const) and isinstance(constant.val, ast.String)):
        return None
    try:
        return dt.date.fromisoformat((constant.val.sval or "")[:10])
    except ValueError:
        return None


async def _ends(batch: Batch, bound: _TimeBound) -> tuple[dt.date, dt.date] | None:
    table = f"{quote_identifier(bound.relation.schema)}.{quote_identifier(bound.relation.name)}"
    column = quote_identifier(bound.column.name)
    ends = f"pg_catalog.min({column})::date::text, pg_catalog.max({column})::date::text"
    result = await batch.read(f"SELECT {ends} FROM {table}", timeout_ms=TIMEOUT_MS)
    first, last = result.rows[0] if result.rows else (None, None)
    try:
        return (dt.date.fromisoformat(first), dt.date.fromisoformat(last)) if first and last else None
    except ValueError:  # a time before the common era, or none at all ('infinity')
        return None
