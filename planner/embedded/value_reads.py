"""Values as the asker's connection reads them, a few columns in one statement.

Owns: the statements, and a column that fails alone. Must not know: questions, spellings, grammar.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from askwire.core.ahead import Read, read_ahead
from askwire.core.errors import DatabaseFailed
from askwire.core.protocols import Batch
from askwire.planner.embedded import json_parts
from askwire.planner.embedded.schema_index import ColumnEntry, SchemaIndex
from askwire.sql.literals import array_text, quote_identifier

CHUNK: Final = 40
_ROW: Final = 160
"""Bytes that a value takes beside its text: the objects around it."""
_LOCKED: Final = "55P03"
_AT_ONCE: Final = 4
"""Statements whose answers are held before there is known to be room for them."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A span (tokens `start` to `end`, exclusive) that column `column` of the index holds as `stored`.

    `quality` is 1 for the value as written (case aside), less for another spelling or a part of the value.
    `others` are values of the column that are meant as well: codes for what is said.
    """

    start: int
    end: int
    column: int
    stored: str
    quality: float
    others: tuple[str, ...] = ()


@dataclass(slots=True)
class Room:
    """Bytes that the values of one question may still take; what goes beyond is not kept."""

    left: int = 4 * 2**20

    def take(self, rows: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
        """The rows that fit, in their order."""
        kept: list[tuple[int, str]] = []
        for number, value in rows:
            size = len(value.encode()) + _ROW
            if size > self.left:
                self.left = 0
                break
            self.left -= size
            kept.append((number, value))
        return kept


def _select(index: SchemaIndex, column: ColumnEntry, predicate: str) -> str:
    relation = index.tables[column.table].relation
    name = quote_identifier(column.column.name)
    table = f"{quote_identifier(relation.schema)}.{quote_identifier(relation.name)}"
    each = ""
    if column.column.within:
        name, each = json_parts.rows_of(column.column)
    elif column.kind == "array":
        name, each = "v", f"pg_catalog.unnest({name})"
    if each:
        table = f"(SELECT {each} AS v FROM {table}) AS u"
    return (
        f"(SELECT DISTINCT {column.index}::text AS c, {name}::text AS v FROM {table} "
        f"WHERE {predicate.format(name + '::text')} LIMIT 12)"
    )


# values are short: what is stored wide is passed over before it is fetched from where it lies
_SHORT: Final = "pg_catalog.pg_column_size({0}) OPERATOR(pg_catalog.<) 400 AND "
EXACT: Final = (
    _SHORT + "pg_catalog.lower(pg_catalog.btrim({0})) OPERATOR(pg_catalog.=) ANY ($1::pg_catalog.text[])"
)
WITHIN: Final = _SHORT + "pg_catalog.lower({0}) OPERATOR(pg_catalog.~~) ANY ($1::pg_catalog.text[])"
WORDS: Final = _SHORT + "pg_catalog.lower({0}) OPERATOR(pg_catalog.~) ANY ($1::pg_catalog.text[])"


def _read_of(
    index: SchemaIndex, columns: Sequence[ColumnEntry], predicate: str, wanted: Sequence[str]
) -> Read:
    sql = " UNION ALL ".join(_select(index, c, predicate) for c in columns)
    return Read(sql, (array_text(wanted),), max_rows=2000)


async def read_all(
    batch: Batch,
    index: SchemaIndex,
    columns: Sequence[ColumnEntry],
    predicate: str,
    wanted: Sequence[str],
    room: Room,
) -> list[tuple[int, str]]:
    """`read` of any number of columns, `CHUNK` of them in a statement, and a few statements at once."""
    found: list[tuple[int, str]] = []
    chunks = [columns[at : at + CHUNK] for at in range(0, len(columns), CHUNK)]
    for at, chunk in enumerate(chunks):
        if at % _AT_ONCE == 0 and room.left:
            coming = chunks[at : at + _AT_ONCE]
            await read_ahead(batch, [_read_of(index, one, predicate, wanted) for one in coming])
        found += await read(batch, index, chunk, predicate, wanted, room)
    return found


async def read(
    batch: Batch,
    index: SchemaIndex,
    columns: Sequence[ColumnEntry],
    predicate: str,
    wanted: Sequence[str],
    room: Room,
) -> list[tuple[int, str]]:
    """The values of `columns` that satisfy `predicate`, while there is `room`.

    A column that fails loses only itself. Raises DatabaseFailed where a lock is waited for.
    """
    if not columns or not room.left:
        return []
    try:
        result = await _read_of(index, columns, predicate, wanted).made(batch)
    except DatabaseFailed as error:
        if error.code == _LOCKED:
            raise  # what cannot be read now must not pass for what is not there
        if len(columns) == 1:
            return []
        middle = len(columns) // 2
        left = await read(batch, index, columns[:middle], predicate, wanted, room)
        return left + await read(batch, index, columns[middle:], predicate, wanted, room)
    return room.take((int(c), v) for c, v in result.rows if c is not None and v is not None)
