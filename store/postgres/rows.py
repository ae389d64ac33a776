"""Records as rows of PostgreSQL's tables: the statements, and values both ways.

Owns: the SQL. Truth values are bool there and documents text, which TOAST compresses and people can read; a
table that is partitioned by time has `at` in its key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from askwire.core.protocols import About, R
from askwire.core.records import KINDS, AskedTrace, HistoryEntry, Record
from askwire.store.tables import digests, pattern, table

HISTORY: Final = (table(HistoryEntry).name, table(AskedTrace).name)
"""The tables that are partitioned by time."""


class Unkeepable(ValueError):
    """A record holds what no text of PostgreSQL can: a lone surrogate, or the character NUL."""


@dataclass(frozen=True, slots=True)
class Statements:
    """The statements on the tables of one schema, as bytes with `%s` for parameters."""

    schema: str

    def _place(self, kind: type[Record]) -> str:
        return f"{self.schema}.{table(kind).name}"

    def upsert(self, kind: type[Record]) -> bytes:
        """Insert one record, or replace the one of its key; parameters as `row` has them."""
        shape = table(kind)
        key = '"key", "at"' if shape.name in HISTORY else '"key"'
        replaced = ", ".join(f'"{c}" = excluded."{c}"' for c in shape.written if f'"{c}"' not in key)
        marks = ", ".join(["%s"] * len(shape.written))
        return (
            f"INSERT INTO {self._place(kind)} ({_listed(shape.written)}) VALUES ({marks}) "
            f"ON CONFLICT ({key}) DO UPDATE SET {replaced}"
        ).encode()

    def moved(self, kind: type[Record]) -> bytes:
        """Delete history of a key that has another moment now; parameters: keys and moments as arrays."""
        return (
            f"DELETE FROM {self._place(kind)} AS was USING unnest(%s::text[], %s::float8[]) AS n(k, a) "
            'WHERE was."key" = n.k AND was."at" <> n.a'
        ).encode()

    def delete(self, kind: type[Record]) -> bytes:
        """Delete the record of one key."""
        return f'DELETE FROM {self._place(kind)} WHERE "key" = %s'.encode()

    def select(
        self,
        kind: type[Record],
        equal: Sequence[str],
        *,
        about: About | None = None,
        words: int = 0,
        before: bool = False,
    ) -> bytes:
        """Read records, latest first; parameters as `store.tables.Table.select` has them.

        The values of `about` are one of them, a list with '' at its end.
        """
        shape = table(kind)
        conditions = _equal(kind, equal)
        holds = " OR ".join(f'"{c}" ILIKE %s' for c in shape.searched) or "FALSE"
        conditions += [f"({holds})"] * words
        if before:
            conditions.append('"at" <= %s AND ("at", "key") < (%s, %s)')
        place = self._place(kind)
        place = f"{shape.about(place, about, '= ANY (%s)')} OFFSET 0) AS found" if about else place
        return (
            f"SELECT {_listed(shape.columns)} FROM {place}{_where(conditions)} "
            'ORDER BY "at" DESC, "key" DESC LIMIT %s'
        ).encode()

    def count(self, kind: type[Record], equal: Sequence[str]) -> bytes:
        """Count records by the named columns, up to a limit; parameters: their values, and the limit."""
        found = f"SELECT 1 FROM {self._place(kind)}{_where(_equal(kind, equal))} LIMIT %s"
        return f"SELECT count(*) FROM ({found}) AS found".encode()

    def every(self, kind: type[Record]) -> bytes:
        """All records of a kind, oldest first."""
        columns = _listed(table(kind).columns)
        return f'SELECT {columns} FROM {self._place(kind)} ORDER BY "at", "key"'.encode()


def parameters(
    equal: Sequence[Any], shape_words: int, words: Sequence[str], before: tuple[float, str] | None, limit: int
) -> tuple[Any, ...]:
    """The parameters of `Statements.select`; each word is looked for in `shape_words` columns."""
    patterns = [pattern(word) for word in words for _ in range(shape_words)]
    return (*equal, *patterns, *((before[0], *before) if before else ()), limit)


def row(record: Record) -> tuple[Any, ...]:
    """A record's values in the order in which its table's columns are written; raises Unkeepable."""
    values = tuple(getattr(record, name) for name in table(type(record)).fields)
    for value in values:
        if isinstance(value, str):
            try:
                value.encode()
            except UnicodeEncodeError:
                raise Unkeepable("it is not UTF-8 text") from None
            if "\0" in value:
                raise Unkeepable("it holds the character NUL")
    return (*values, *digests(record))


def record(kind: type[R], values: Sequence[Any]) -> R:
    """The record of a row that `Statements.select` or `every` read."""
    return kind(*values)


def kind_named(name: str) -> type[Record] | None:
    """The kind of a table's name; None for one that this version does not know."""
    return KINDS.get(name)


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def _equal(kind: type[Record], equal: Sequence[str]) -> list[str]:
    unknown = set(equal) - set(table(kind).columns)
    if unknown:
        raise ValueError(f"{table(kind).name} has no {', '.join(sorted(unknown))}")
    return [f'"{column}" = %s' for column in equal]


def _where(conditions: Sequence[str]) -> str:
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""
