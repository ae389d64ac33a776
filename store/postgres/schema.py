"""The schema of the store: made and moved forward under a lock, and who may use it.

Owns: the numbered steps in `migrations/`, their record in `schema_version`, and grants. A newer schema is
used as long as it says that this version may.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, TypeAlias

import psycopg
from psycopg import sql

from askwire.core.records import KINDS
from askwire.store.postgres.rows import Statements, record
from askwire.store.postgres.trouble import StoreUnusable
from askwire.store.tables import digests, table

Connection: TypeAlias = "psycopg.AsyncConnection[tuple[Any, ...]]"

_LOCK_CLASS: Final = 0x61736B77
"""The class of the advisory lock; its number is the schema's name's."""
_LOCK_WAIT: Final = b"SET LOCAL lock_timeout = '20s'"

OLDEST_READER: Final = 1
"""The number of the earliest schema whose askwire can use the present one."""


@dataclass(frozen=True, slots=True)
class Grants:
    """Roles that get rights: `logins` (role, server; '' for all) for askwire, and readers of the views."""

    logins: Sequence[tuple[str, str]] = ()
    askers: Sequence[str] = ()
    operators: Sequence[str] = ()


@cache
def steps() -> tuple[str, ...]:
    """The numbered scripts in order."""
    folder = files("askwire.store.postgres.migrations")
    scripts = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    return tuple(script.read_text(encoding="utf-8") for script in scripts)


def channel(schema: str) -> str:
    """The channel on which changes are announced."""
    return f"askwire_{schema}"


async def prepare(connection: Connection, schema: str) -> bool:
    """Make the schema what this version needs; whether anything had to be done.

    Raises StoreUnusable for a schema that is too new, or that this role may not make, read or move forward,
    and psycopg.Error. The connection is in autocommit mode.
    """
    version = await _version(connection, schema)
    if version >= len(steps()):
        return False
    try:
        return await migrate(connection, schema)
    except psycopg.errors.InsufficientPrivilege:
        what = f"the schema {schema} is number {version}" if version else f"there is no schema {schema}"
        raise StoreUnusable(
            f"{what}, this askwire needs number {len(steps())}, and its role may not change that",
            hint="Run askwire store migrate as the schema's owner.",
        ) from None


async def migrate(connection: Connection, schema: str) -> bool:
    """Take the steps that are missing, in one transaction; whether there were any.

    Processes that start at once take turns. Raises what `prepare` does, psycopg.errors.InsufficientPrivilege
    too.
    """
    async with connection.transaction():
        await connection.execute(_LOCK_WAIT)
        await connection.execute(b"SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (_LOCK_CLASS, schema))
        version = await _version(connection, schema)
        if version >= len(steps()):
            return False
        if not version:
            await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}".encode())
            await connection.execute(
                f"CREATE TABLE {schema}.schema_version (version int4 NOT NULL, needs int4 NOT NULL, "
                "at timestamptz NOT NULL DEFAULT now())".encode()
            )
            await connection.execute(f"INSERT INTO {schema}.schema_version VALUES (0, 0)".encode())
        for script in steps()[version:]:
            text = script.replace("{schema}", schema).replace("{channel}", channel(schema))
            await connection.execute(text.encode())
        if version:
            await _fill_digests(connection, schema)
        await connection.execute(
            f"UPDATE {schema}.schema_version SET version = %s, needs = %s, at = now()".encode(),
            (len(steps()), OLDEST_READER),
        )
        await _grant_again(connection, schema)
    return True


async def _fill_digests(connection: Connection, schema: str) -> None:
    """Compute what earlier versions left empty; other processes have nothing to hear of that."""
    for kind in KINDS.values():
        shape = table(kind)
        columns = ", ".join(f"{column} = %s" for column in shape.written[len(shape.columns) :])
        if not columns:
            continue
        found = await connection.execute(Statements(schema).every(kind))
        records = [record(kind, values) for values in await found.fetchall()]
        if records:
            place = f"{schema}.{shape.name}"
            await connection.execute(f"ALTER TABLE {place} DISABLE TRIGGER USER".encode())
            await connection.cursor().executemany(
                f'UPDATE {place} SET {columns} WHERE "key" = %s'.encode(),
                [(*digests(one), one.key) for one in records],
            )
            await connection.execute(f"ALTER TABLE {place} ENABLE TRIGGER USER".encode())


async def grant(connection: Connection, schema: str, grants: Grants) -> None:
    """Give roles their rights, no more than they need; raises psycopg.Error."""
    async with connection.transaction():
        for role, server in grants.logins:
            await connection.execute(
                f"INSERT INTO {schema}.login VALUES (%s, %s) ON CONFLICT DO NOTHING".encode(), (role, server)
            )
        await _grant_again(connection, schema)
        for view, roles in (("own_history", grants.askers), ("operator_history", grants.operators)):
            for role in roles:
                await connection.execute(_use(schema, role))
                await connection.execute(
                    sql.SQL("GRANT SELECT ON {} TO {}").format(
                        sql.Identifier(schema, view), sql.Identifier(role)
                    )
                )


async def keep_history(connection: Connection, schema: str, days: int) -> None:
    """Store the days before which a login of one server drops no history, 0: none at all."""
    await connection.execute(
        f"INSERT INTO {schema}.retention (history_days) VALUES (%s) "
        "ON CONFLICT (one) DO UPDATE SET history_days = excluded.history_days".encode(),
        (days,),
    )


async def _grant_again(connection: Connection, schema: str) -> None:
    """Give the roles that askwire logs in as what they need on all that is there now."""
    found = await connection.execute(f"SELECT DISTINCT role::text FROM {schema}.login".encode())
    tables = sql.SQL(", ").join(sql.Identifier(schema, name) for name in (*KINDS, "change"))
    read = sql.SQL(", ").join(
        sql.Identifier(schema, name) for name in ("schema_version", "history_part", "login")
    )
    calls = sql.SQL(", ").join(
        sql.SQL("{}({})").format(sql.Identifier(schema, name), sql.SQL(arguments))
        for name, arguments in (("add_history", "float8, float8"), ("drop_history", "float8"))
    )
    for (role,) in await found.fetchall():
        to = sql.Identifier(role)
        await connection.execute(_use(schema, role))
        await connection.execute(
            sql.SQL("GRANT SELECT, INSERT, UPDATE, DELETE ON {} TO {}").format(tables, to)
        )
        await connection.execute(sql.SQL("GRANT SELECT ON {} TO {}").format(read, to))
        await connection.execute(sql.SQL("GRANT EXECUTE ON FUNCTION {} TO {}").format(calls, to))


def _use(schema: str, role: str) -> sql.Composed:
    return sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(sql.Identifier(schema), sql.Identifier(role))


async def _version(connection: Connection, schema: str) -> int:
    """The number of the schema, 0 where there is none; raises StoreUnusable for one that cannot be used."""
    there = await connection.execute(
        b"SELECT has_schema_privilege(n.oid, 'USAGE'), c.oid IS NOT NULL FROM pg_namespace AS n "
        b"LEFT JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname = 'schema_version' "
        b"WHERE n.nspname = %s",
        (schema,),
    )
    found = await there.fetchone()
    if found is None:
        return 0
    usable, made = found
    if not usable:
        raise StoreUnusable(
            f"its role may not use the schema {schema}",
            hint="Run askwire store migrate --login ROLE as the schema's owner.",
        )
    if not made:
        return 0
    read = await connection.execute(f"SELECT version, needs FROM {schema}.schema_version".encode())
    row = await read.fetchone()
    version, needs = row if row else (0, 0)
    if version > len(steps()) and needs > len(steps()):
        raise StoreUnusable(
            f"its schema is number {version}, this version knows {len(steps())}",
            hint="Start the askwire that made it, or a later one.",
        )
    return int(version)
