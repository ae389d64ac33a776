"""Records as rows of tables named after their kinds: the statements, and values both ways.

Owns: that a kind is a table and a field a column (text, real, integer; truth values as 0 and 1), and that
long documents are columns of compressed bytes.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, TypeAlias, get_type_hints

from askwire.core.protocols import R
from askwire.core.records import KINDS, Record

Value: TypeAlias = "str | float | int | bytes | None"

_PACKED: Final = frozenset(("document", "report", "why"))
"""Columns of documents, which repeat themselves: a tenth of them is left when they are compressed."""
_MIN_COMPRESSED_LENGTH: Final = 200
"""Characters up to which that is not worth it."""

_COLUMNS: Final = {"sent_to_models": "left_the_house"}
"""By fields that were renamed, what stored data calls them: columns, and the keys of an export."""

_SEARCHED: Final = frozenset(("question", "sql", "reading", "message", "term", "meaning", "role", "database"))


def pattern(word: str) -> str:
    """What LIKE needs to find a word anywhere in a text."""
    return "%" + "".join(f"\\{c}" if c in "%_\\" else c for c in word) + "%"


@dataclass(frozen=True, slots=True)
class Table:
    """One kind's table: its name, the fields of its records, and the columns of these in the same order.

    `booleans` and `documents` are the places of those that hold truth values, and documents.
    """

    name: str
    fields: tuple[str, ...]
    columns: tuple[str, ...]
    booleans: tuple[int, ...]
    documents: tuple[int, ...]

    @property
    def upsert(self) -> str:
        """Insert one record, or replace the one of its key; parameters in the order of `columns`."""
        marks = ", ".join("?" * len(self.columns))
        replaced = ", ".join(f"{column} = excluded.{column}" for column in self.columns if column != "key")
        return (
            f"INSERT INTO {self.name} ({', '.join(self.columns)}) VALUES ({marks}) "
            f"ON CONFLICT (key) DO UPDATE SET {replaced}"
        )

    @property
    def delete(self) -> str:
        """Delete the record of one key."""
        return f"DELETE FROM {self.name} WHERE key = ?"

    @property
    def searched(self) -> tuple[str, ...]:
        """The columns in which words are looked for."""
        return tuple(column for column in self.columns if column in _SEARCHED)

    def select(self, equal: Sequence[str], *, words: int = 0, before: bool = False) -> str:
        """Read records by the named columns, latest first.

        Parameters: the values of these columns, per word a pattern for each of `searched`, the moment and
        key of `before`, and the limit.
        """
        conditions = self._equal(equal)
        holds = " OR ".join(f"{column} LIKE ? ESCAPE '\\'" for column in self.searched) or "FALSE"
        conditions += [f"({holds})"] * words
        if before:
            # the first part alone is what an index on `at` can use
            conditions.append("at <= ? AND (at, key) < (?, ?)")
        columns = ", ".join(self.columns)
        return f"SELECT {columns} FROM {self.name}{_where(conditions)} ORDER BY at DESC, key DESC LIMIT ?"

    def count(self, equal: Sequence[str]) -> str:
        """Count records by the named columns, up to a limit; parameters: their values, and the limit."""
        return f"SELECT count(*) FROM (SELECT 1 FROM {self.name}{_where(self._equal(equal))} LIMIT ?)"

    def _equal(self, equal: Sequence[str]) -> list[str]:
        unknown = set(equal) - set(self.columns)
        if unknown:
            raise ValueError(f"{self.name} has no {', '.join(sorted(unknown))}")
        return [f"{column} = ?" for column in equal]


def _where(conditions: Sequence[str]) -> str:
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def _shape(name: str, kind: type[Record]) -> Table:
    hints = get_type_hints(kind)
    names = tuple(field.name for field in fields(kind))
    booleans = tuple(place for place, field in enumerate(names) if hints[field] is bool)
    documents = tuple(place for place, field in enumerate(names) if field in _PACKED)
    return Table(name, names, tuple(_COLUMNS.get(field, field) for field in names), booleans, documents)


_TABLES: Final = {kind.__name__: _shape(name, kind) for name, kind in KINDS.items()}


def table(kind: type[Record]) -> Table:
    """The table of a kind of record."""
    return _TABLES[kind.__name__]


def row(record: Record) -> tuple[Value, ...]:
    """A record's values in the order of its table's columns."""
    values = ((name, getattr(record, name)) for name in table(type(record)).fields)
    return tuple(packed(value) if name in _PACKED else value for name, value in values)


def packed(text: str) -> str | bytes:
    """A document as it is kept: compressed (zlib), a short one as it is."""
    return zlib.compress(text.encode()) if len(text) > _MIN_COMPRESSED_LENGTH else text


def record(kind: type[R], values: Sequence[Any]) -> R:
    """The record of a row that `Table.select` read; raises zlib.error for a document that is damaged."""
    shape = table(kind)
    given = list(values)
    for place in shape.documents:
        if isinstance(given[place], bytes):
            given[place] = zlib.decompress(given[place]).decode()
    for place in shape.booleans:
        given[place] = bool(given[place])
    return kind(*given)
