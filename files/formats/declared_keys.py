"""The keys that a SQLite or DuckDB file declares, read there and declared in PostgreSQL.

Owns: the catalogs of both, and the sentence on a key that does not hold.

SQLite enforces references only when asked to and lets most primary keys be NULL, so a declared key may not
hold. PostgreSQL proves each one; what it refuses costs nothing but the key, and is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from askwire.files.formats.relation import DeclaredKey, KeyKind, Relation, quoted
from askwire.files.names import unique_names

if TYPE_CHECKING:
    import sqlite3

    from duckdb import DuckDBPyConnection
    from psycopg import Connection

_ORDER: Final = (KeyKind.PRIMARY, KeyKind.UNIQUE, KeyKind.FOREIGN)


def sqlite_keys(connection: sqlite3.Connection, tables: Sequence[str]) -> dict[str, tuple[DeclaredKey, ...]]:
    """The keys of each table of an SQLite file, whose names have no case. Raises sqlite3.Error."""
    columns = {}
    primary = {}
    for table in tables:
        described = connection.execute(f"PRAGMA table_info({quoted(table)})").fetchall()
        columns[table] = {str(name).lower(): str(name) for _, name, *_ in described}
        ranked = sorted((place, str(name)) for _, name, _, _, _, place in described if place)
        primary[table] = tuple(name for _, name in ranked)
    called = {table.lower(): table for table in tables}
    return {
        table: (
            *([DeclaredKey(KeyKind.PRIMARY, primary[table])] if primary[table] else []),
            *_sqlite_unique(connection, table),
            *_sqlite_references(connection, table, called, columns, primary),
        )
        for table in tables
    }


def _sqlite_unique(connection: sqlite3.Connection, table: str) -> Iterator[DeclaredKey]:
    for _, index, unique, origin, partial in connection.execute(
        f"PRAGMA index_list({quoted(table)})"
    ).fetchall():
        if unique and not partial and origin != "pk":
            parts = connection.execute(f"PRAGMA index_info({quoted(index)})").fetchall()
            if all(number >= 0 for _, number, _ in parts):  # else the index is on an expression
                yield DeclaredKey(KeyKind.UNIQUE, tuple(str(name) for *_, name in parts))


def _sqlite_references(
    connection: sqlite3.Connection,
    table: str,
    called: Mapping[str, str],
    columns: Mapping[str, Mapping[str, str]],
    primary: Mapping[str, tuple[str, ...]],
) -> Iterator[DeclaredKey]:
    rows = connection.execute(f"PRAGMA foreign_key_list({quoted(table)})").fetchall()
    for _, group in groupby(sorted(rows, key=lambda row: (-row[0], row[1])), key=lambda row: row[0]):
        parts = list(group)
        target = called.get(str(parts[0][2]).lower())
        if target is None:
            continue  # a table that is not there: SQLite allows it
        ours = tuple(columns[table].get(str(row[3]).lower(), "") for row in parts)
        # Without columns, the reference is to the primary key.
        named = tuple(columns[target].get(str(row[4]).lower(), "") for row in parts if row[4] is not None)
        theirs = named or primary[target]
        if all(ours) and all(theirs) and len(ours) == len(theirs):
            yield DeclaredKey(KeyKind.FOREIGN, ours, target, theirs)


def duckdb_keys(connection: DuckDBPyConnection) -> dict[tuple[str, str], tuple[DeclaredKey, ...]]:
    """The keys of the tables of the DuckDB file attached as `source`, by schema and table.

    A target is the name of a table in the same schema: DuckDB has no references to another. Raises
    duckdb.Error.
    """
    rows = connection.execute(
        "SELECT schema_name, table_name, constraint_type, constraint_column_names, referenced_table, "
        "referenced_column_names FROM duckdb_constraints() WHERE database_name = 'source' "
        "AND constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY') ORDER BY ALL"
    ).fetchall()
    found: dict[tuple[str, str], tuple[DeclaredKey, ...]] = {}
    for schema, table, kind, columns, target, theirs in rows:
        key = DeclaredKey(KeyKind(kind), tuple(columns), target or "", tuple(theirs or ()))
        if key not in found.get((schema, table), ()):
            found[schema, table] = (*found.get((schema, table), ()), key)
    return found


def declare_keys(
    connection: Connection[Any], schema: str, relations: Sequence[Relation], names: Mapping[str, str]
) -> dict[str, list[str]]:
    """Declare the keys of the relations of a file, whose tables lie in `schema` under `names`.

    Returns, by the relation's name, a sentence on each key that does not hold in its rows. Runs inside the
    caller's transaction; raises psycopg.Error when that cannot go on.
    """
    import psycopg  # noqa: PLC0415 - an extra

    columns = {one.original: _columns(one) for one in relations}
    keys = [(one.original, key) for one in relations for key in one.keys]
    notes: dict[str, list[str]] = {}
    for original, declared in sorted(keys, key=lambda each: _ORDER.index(each[1].kind)):
        key = declared
        if key.target:
            if key.target not in columns:
                continue
            theirs = tuple(columns[key.target].get(name, "") for name in key.target_columns)
            key = replace(key, target=names[key.target], target_columns=theirs)
        key = replace(key, columns=tuple(columns[original].get(name, "") for name in key.columns))
        if not all((*key.columns, *key.target_columns)):
            continue  # a column of structs, which became several
        try:
            with connection.transaction():
                table = f"{quoted(schema)}.{quoted(names[original])}"
                connection.execute(f"ALTER TABLE {table} ADD {_definition(schema, key)}".encode())
        except (
            psycopg.IntegrityError,
            psycopg.ProgrammingError,
            psycopg.NotSupportedError,
            psycopg.errors.ProgramLimitExceeded,
        ) as error:
            why = error.diag.message_detail or error.diag.message_primary or str(error)
            notes.setdefault(original, []).append(f"{_told(key)} that the file declares does not hold: {why}")
    return notes


def _columns(relation: Relation) -> dict[str, str]:
    """The columns of a relation's table, by their names in the file."""
    originals = [field.original for field in relation.fields]
    return dict(zip(originals, unique_names(originals, fallback="column"), strict=True))


def _definition(schema: str, key: DeclaredKey) -> str:
    definition = f"{key.kind.value} ({', '.join(map(quoted, key.columns))})"
    if key.kind is KeyKind.FOREIGN:
        theirs = ", ".join(map(quoted, key.target_columns))
        definition += f" REFERENCES {quoted(schema)}.{quoted(key.target)} ({theirs})"
    return definition


def _told(key: DeclaredKey) -> str:
    columns = ", ".join(key.columns)
    if key.kind is KeyKind.FOREIGN:
        return f"the reference ({columns}) to {key.target} ({', '.join(key.target_columns)})"
    return f"the {'primary' if key.kind is KeyKind.PRIMARY else 'unique'} key ({columns})"
