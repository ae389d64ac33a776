"""What foreign keys say of an instance's rows: which refer to which, and whether all find what they name.

Owns: reading the keys from the system catalogs, and following them among rows. Shares nothing with the
search.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import psycopg
from psycopg import sql

from askwire.core.types import Cell
from askwire.selector.instances import Instance, InstanceTable

Place: TypeAlias = tuple[int, int]
"""A row of an instance: its table's number, and its own there."""

_KEYS: Final = """
SELECT k.conrelid::int8, k.confrelid::int8,
       (SELECT array_agg(a.attname::text ORDER BY n.i) FROM unnest(k.conkey) WITH ORDINALITY n(c, i)
        JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = n.c),
       (SELECT array_agg(a.attname::text ORDER BY n.i) FROM unnest(k.confkey) WITH ORDINALITY n(c, i)
        JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = n.c)
FROM pg_constraint k WHERE k.contype = 'f' AND k.conparentid = 0
"""


@dataclass(frozen=True, slots=True)
class _Key:
    table: int
    target: int
    columns: tuple[str, ...]
    target_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _KeyReference:
    """What a row names by one key: the number of a table of the instance, and what its columns hold."""

    number: int
    columns: tuple[str, ...]
    values: tuple[Cell, ...]


class ForeignKeys:
    """The foreign keys of one database, read when they are first asked for."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self._keys: list[_Key] | None = None

    def without(self, instance: Instance, rows: Sequence[Place], gone: Place) -> list[Place]:
        """The rows without one of them, and without those that name it, or one of those."""
        kept = [row for row in rows if row != gone]
        while True:
            fewer = [
                row
                for row in kept
                if all(
                    self._stands(instance, named, kept) or not self._stands(instance, named, rows)
                    for named in self._named(instance, row)
                )
            ]
            if len(fewer) == len(kept):
                return kept
            kept = fewer

    def added(self, instance: Instance) -> Iterator[str]:
        """Statements that put beside the rows of the temporary tables what these refer to in the database."""
        for key in self._all():
            source = next((t for t in instance.tables if t.oid == key.table), None)
            target = next((t for t in instance.tables if t.oid == key.target), None)
            if source is None or target is None:
                continue
            pairs = list(zip(key.columns, key.target_columns, strict=True))
            named = [sql.SQL("s.{} = r.{}").format(sql.Identifier(a), sql.Identifier(b)) for a, b in pairs]
            there = [sql.SQL("t.{0} = r.{0}").format(sql.Identifier(b)) for _, b in pairs]
            yield (
                sql.SQL(
                    "INSERT INTO {} SELECT r.* FROM {} r WHERE EXISTS (SELECT FROM {} s WHERE {})"
                    " AND NOT EXISTS (SELECT FROM {} t WHERE {});"
                )
                .format(
                    sql.Identifier("pg_temp", target.name),
                    sql.Identifier(target.schema, target.name),
                    sql.Identifier("pg_temp", source.name),
                    sql.SQL(" AND ").join(named),
                    sql.Identifier("pg_temp", target.name),
                    sql.SQL(" AND ").join(there),
                )
                .as_string(self._connection)
            )

    def kept(self, instance: Instance, rows: Sequence[Place]) -> bool:
        """Whether each row names rows of the instance; a real one also what the database does not have."""
        return all(
            self._stands(instance, named, rows)
            or (not instance.tables[row[0]].rows[row[1]].changed and not self._exists(instance, named))
            for row in rows
            for named in self._named(instance, row)
        )

    def _all(self) -> Sequence[_Key]:
        if self._keys is None:
            found = self._connection.execute(_KEYS).fetchall()
            self._keys = [_Key(a, b, tuple(c), tuple(d)) for a, b, c, d in found]
        return self._keys

    def _named(self, instance: Instance, row: Place) -> Iterator[_KeyReference]:
        table = instance.tables[row[0]]
        for key in self._all():
            targets = [n for n, other in enumerate(instance.tables) if other.oid == key.target]
            if key.table == table.oid and targets:
                values = tuple(table.cell(table.rows[row[1]], column) for column in key.columns)
                if None not in values:
                    yield _KeyReference(targets[0], key.target_columns, values)

    def _stands(self, instance: Instance, named: _KeyReference, rows: Sequence[Place]) -> bool:
        table = instance.tables[named.number]
        alike = {named.values, *self._real(table, named)}
        return any(
            tuple(table.cell(table.rows[row], column) for column in named.columns) in alike
            for number, row in rows
            if number == named.number
        )

    def _exists(self, instance: Instance, named: _KeyReference) -> bool:
        return bool(self._real(instance.tables[named.number], named))

    def _real(self, table: InstanceTable, named: _KeyReference) -> list[tuple[Cell, ...]]:
        """What the columns hold in the rows of the database that are named, as it is written there."""
        conditions = [
            sql.SQL("{} = {}").format(sql.Identifier(column), sql.Literal(value))
            for column, value in zip(named.columns, named.values, strict=True)
        ]
        query = sql.SQL("SELECT {} FROM {} WHERE {}").format(
            sql.SQL(", ").join(sql.SQL("format('%s', {})").format(sql.Identifier(c)) for c in named.columns),
            sql.Identifier(table.schema, table.name),
            sql.SQL(" AND ").join(conditions),
        )
        return [tuple(row) for row in self._connection.execute(query).fetchall()]
