"""Short looks at what tables hold: many small reads in a few statements, each of them bounded.

Owns: how many reads share a statement, how long one may take, and that one which fails costs its own reads
only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from askwire.core.errors import DatabaseFailed
from askwire.core.protocols import Batch, Executor
from askwire.core.types import Row
from askwire.sql.catalog import Column, Relation
from askwire.sql.literals import quote_identifier

SEARCHED_ROWS: Final = 5000
"""Rows of a table among which something is looked for: of more, the first ones."""
MAX_SHORT_BYTES: Final = 400
"""Bytes of a value, as it is stored, that is read where names and codes are looked for."""
_LOOKS_AT_ONCE: Final = 20
_TIMEOUT_MS: Final = 1000


@dataclass(frozen=True, slots=True)
class Look:
    """One read: a query without its brackets, and the relations (OIDs) that it is about."""

    sql: str
    about: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LookRows:
    """The rows of each look, in their order; None for one that could not be made."""

    rows: tuple[tuple[Row, ...] | None, ...]
    missed: frozenset[int]


async def look(executor: Executor, looks: Sequence[Look], *, max_rows: int) -> LookRows:
    """What each of `looks` shows, at most `max_rows` of it; all show as many columns, of type text."""
    if not looks:
        return LookRows((), frozenset())
    found: list[tuple[Row, ...] | None] = []
    try:
        async with executor.batch() as batch:
            for at in range(0, len(looks), _LOOKS_AT_ONCE):
                found += await _look(batch, looks[at : at + _LOOKS_AT_ONCE], max_rows)
    except DatabaseFailed:
        found += [None] * (len(looks) - len(found))
    missed = {oid for one, rows in zip(looks, found, strict=True) if rows is None for oid in one.about}
    return LookRows(tuple(found), frozenset(missed))


async def _look(batch: Batch, looks: Sequence[Look], max_rows: int) -> list[tuple[Row, ...] | None]:
    sql = " UNION ALL ".join(
        f"(SELECT {place}::pg_catalog.text AS place, seen.* FROM ({one.sql}) AS seen)"
        for place, one in enumerate(looks)
    )
    try:
        result = await batch.read(sql, (), max_rows=max_rows * len(looks), timeout_ms=_TIMEOUT_MS)
    except DatabaseFailed:
        return [None] * len(looks)
    rows: list[list[Row]] = [[] for _ in looks]
    for place, *cells in result.rows:
        rows[int(place or 0)].append(tuple(cells))
    return [tuple(r) for r in rows]


async def classify_columns(
    executor: Executor,
    columns: Sequence[tuple[Relation, Column]],
    read: Callable[[Relation, Column], Look],
    tell: Callable[[Iterable[str]], str],
    *,
    values: int,
) -> tuple[dict[tuple[int, str], str], frozenset[int]]:
    """Classify columns by some of their values: (OID, name) → what `tell` returns, '' left out.

    `read` makes the look at one column, of which at most `values` rows are taken. Also returns the OIDs of
    the relations that could not be read.
    """
    seen = await look(executor, [read(relation, column) for relation, column in columns], max_rows=values)
    found = {}
    for (relation, column), rows in zip(columns, seen.rows, strict=False):
        if told := tell(value for (value,) in rows or () if value is not None):
            found[relation.oid, column.name] = told
    return found, seen.missed


def table_of(relation: Relation) -> str:
    """The relation's name, with its schema, as SQL."""
    return f"{quote_identifier(relation.schema)}.{quote_identifier(relation.name)}"


def short_text(name: str) -> str:
    """SQL of a column's text; NULL where it is stored wide, which is not fetched then."""
    return (
        f"CASE WHEN pg_catalog.pg_column_size({name}) OPERATOR(pg_catalog.<) {MAX_SHORT_BYTES} "
        f"THEN {name}::pg_catalog.text END"
    )
