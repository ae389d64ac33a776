"""Values as the asker's connection reads them, a few columns in one statement.

Owns: the statements, and a column that fails alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from askwire.core.ahead import ReadStatement, read_ahead
from askwire.core.errors import QUERY_CANCELED, DatabaseFailed
from askwire.core.protocols import Batch
from askwire.planner.embedded.schema import json_parts
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex
from askwire.sql.literals import array_text, quote_identifier, quote_literal

CHUNK_COLUMNS: Final = 40
_BYTES_BESIDE_TEXT: Final = 160
"""Bytes that a value takes beside its text: the objects around it."""
_LOCKED: Final = "55P03"
_ALONE_MS: Final = 250
"""What a column may take by itself, where it took too long with others."""
_STATEMENTS_AT_ONCE: Final = 4
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
    """Bytes that the values of one question may still take; what goes beyond is not kept.

    `slow` are columns that took too long to be looked through.
    """

    left: int = 4 * 2**20
    slow: set[int] = field(default_factory=set)

    def take(self, rows: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
        """The rows that fit, in their order."""
        kept: list[tuple[int, str]] = []
        for number, value in rows:
            size = len(value.encode()) + _BYTES_BESIDE_TEXT
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
    elif column.between:
        between = quote_literal(column.between)
        name, each = "v", f"pg_catalog.unnest(pg_catalog.string_to_array({name}, {between}))"
    elif column.kind == "array":
        name, each = "v", f"pg_catalog.unnest({name})"
    if each:
        table = f"(SELECT {each} AS v FROM {table}) AS u"
    return (
        f"(SELECT DISTINCT {column.index}::pg_catalog.text AS c, {name}::pg_catalog.text AS v FROM {table} "
        f"WHERE {predicate.format(name + '::pg_catalog.text')} LIMIT 12)"
    )


# values are short: what is stored wide is passed over before it is fetched from where it lies
_SHORT: Final = "pg_catalog.pg_column_size({0}) OPERATOR(pg_catalog.<) 400 AND "
EXACT: Final = (
    _SHORT + "pg_catalog.lower(pg_catalog.btrim({0})) OPERATOR(pg_catalog.=) ANY ($1::pg_catalog.text[])"
)
EQUAL: Final = "{0} OPERATOR(pg_catalog.=) ANY ($1::pg_catalog.text[])"
"""Letter by letter, so that an index is used."""
EQUAL_SHORT: Final = _SHORT + EQUAL
WITHIN: Final = _SHORT + "pg_catalog.lower({0}) OPERATOR(pg_catalog.~~) ANY ($1::pg_catalog.text[])"
WORDS: Final = _SHORT + "pg_catalog.lower({0}) OPERATOR(pg_catalog.~) ANY ($1::pg_catalog.text[])"


@dataclass(slots=True)
class ValueReader:
    """Reads values of columns for one question, in one batch, while there is `room`."""

    batch: Batch
    index: SchemaIndex
    room: Room

    async def values(
        self, columns: Sequence[ColumnEntry], predicate: str, wanted: Sequence[str]
    ) -> list[tuple[int, str]]:
        """(column, value) of what satisfies `predicate`, by `CHUNK_COLUMNS` columns in a statement.

        A column that fails loses only itself; one that takes too long is read no more for this question.
        Raises DatabaseFailed where a lock is waited for.
        """
        found: list[tuple[int, str]] = []
        quick = [c for c in columns if c.index not in self.room.slow]
        chunks = [quick[at : at + CHUNK_COLUMNS] for at in range(0, len(quick), CHUNK_COLUMNS)]
        for at, chunk in enumerate(chunks):
            if at % _STATEMENTS_AT_ONCE == 0 and self.room.left:
                coming = chunks[at : at + _STATEMENTS_AT_ONCE]
                await read_ahead(self.batch, [self._read_of(one, predicate, wanted) for one in coming])
            found += await self._read(chunk, predicate, wanted)
        return found

    def _read_of(
        self, columns: Sequence[ColumnEntry], predicate: str, wanted: Sequence[str], timeout_ms: int = 0
    ) -> ReadStatement:
        sql = " UNION ALL ".join(_select(self.index, c, predicate) for c in columns)
        return ReadStatement(sql, (array_text(wanted),), max_rows=2000, timeout_ms=timeout_ms)

    async def _read(
        self, columns: Sequence[ColumnEntry], predicate: str, wanted: Sequence[str], alone_ms: int = 0
    ) -> list[tuple[int, str]]:
        if not columns or not self.room.left:
            return []
        try:
            result = await self._read_of(columns, predicate, wanted, alone_ms).made(self.batch)
        except DatabaseFailed as error:
            if error.code == _LOCKED:
                raise  # what cannot be read now must not pass for what is not there
            if len(columns) == 1:
                self.room.slow.update(c.index for c in columns if error.code == QUERY_CANCELED)
                return []
            if error.code == QUERY_CANCELED:
                # halves would wait as long again, each of them that holds the slow one
                parts, patience = [[c] for c in columns], _ALONE_MS
            else:
                middle = len(columns) // 2
                parts, patience = [list(columns[:middle]), list(columns[middle:])], alone_ms
            return [row for part in parts for row in await self._read(part, predicate, wanted, patience)]
        return self.room.take((int(c), v) for c, v in result.rows if c is not None and v is not None)
