"""Databases of a test's own, and the roles of the server they live on.

Making a database takes several times as long as emptying one. So the one that a test leaves is the next
test's, under a new name, unless something is left in it after it was emptied.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import psycopg
from psycopg.sql import SQL, Identifier

TRUSTED = "postgres"
"""The superuser of tests; comes in without a password."""

PASSWORD_ROLES = {"by_password": "password", "by_md5": "md5", "by_scram": "scram-sha-256"}
"""Roles that come in with `secret of <role>`, by the authentication method of pg_hba.conf."""

ANALYZED: Final = """
DO $$
DECLARE
    made regclass;
BEGIN
    FOR made IN SELECT oid FROM pg_class WHERE relkind IN ('r', 'm', 'p') AND oid >= 16384 LOOP
        EXECUTE format('ANALYZE %s', made);
    END LOOP;
END
$$
"""
"""ANALYZE without the catalogs of PostgreSQL, which are most of a small database."""


@dataclass(frozen=True, slots=True)
class Database:
    """An empty database, reached directly or (with another port) through a proxy."""

    name: str
    port: int
    kept: psycopg.Connection[Any] | None = field(default=None, compare=False)
    """A connection of the superuser that stays open between tests: a new one takes five milliseconds."""

    def dsn(self, role: str = TRUSTED) -> str:
        """Where to reach it, as a role that exists on the session's server."""
        password = "" if role == TRUSTED else f":secret%20of%20{role}"
        return f"postgresql://{role}{password}@127.0.0.1:{self.port}/{self.name}"

    @contextmanager
    def owner(self) -> Iterator[psycopg.Connection[Any]]:
        """A connection of the superuser that commits each statement: the kept one, or a new one."""
        if self.kept is None:
            with psycopg.connect(self.dsn(), autocommit=True) as connection:
                yield connection
            return
        try:
            yield self.kept
        finally:
            self.kept.execute("RESET SESSION AUTHORIZATION; RESET ALL")


_EMPTY: Final = """
SET lock_timeout = '1s';
DO $$
DECLARE
    made record;
BEGIN
    FOR made IN SELECT nspname FROM pg_namespace WHERE oid >= 16384 OR nspname = 'public' LOOP
        EXECUTE format('DROP SCHEMA %I CASCADE', made.nspname);
    END LOOP;
END
$$;
CREATE SCHEMA public AUTHORIZATION pg_database_owner;
COMMENT ON SCHEMA public IS 'standard public schema';
GRANT USAGE ON SCHEMA public TO PUBLIC;
"""
"""Leaves `public` as initdb makes it."""

_CATALOGS: Final = (
    "SELECT relname FROM pg_class c WHERE relkind = 'r' AND relnamespace = 'pg_catalog'::regnamespace"
    " AND NOT relisshared AND (relname = 'pg_attribute' OR EXISTS"
    " (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'oid')) ORDER BY 1"
)

_OF_THE_WHOLE: Final = (
    "SELECT datacl IS NULL AND datconnlimit = -1 AND datallowconn AND NOT datistemplate"
    " AND datdba = %s::regrole"
    " AND NOT EXISTS (SELECT FROM pg_db_role_setting WHERE setdatabase = d.oid)"
    " AND NOT EXISTS (SELECT FROM pg_subscription WHERE subdbid = d.oid)"
    " FROM pg_database d WHERE datname = %s"
)
"""Whether nothing was changed of the database that is in no catalog of its own. All databases share these
catalogs: the session that makes databases has them loaded."""


class Databases:
    """Databases of one server, which go when it does."""

    def __init__(self, server: psycopg.Connection[Any], port: int) -> None:
        self._server = server
        self._port = port
        self._numbers = itertools.count(1)
        self._emptied: list[str] = []
        self._first = self._row("SELECT pg_snapshot_xmax(pg_current_snapshot())::text")[0]
        """The first transaction that is none of the template's."""
        self._rows: tuple[Any, ...] | None = None

    def make(self) -> Database:
        """An empty database with a name that none had before."""
        name = f"test_{next(self._numbers)}"
        while self._emptied:
            try:
                self._run("ALTER DATABASE {} RENAME TO {}", self._emptied.pop(), name)
                break
            except psycopg.errors.ObjectInUse:
                pass  # a test before has left a connection
        else:
            self._run("CREATE DATABASE {} OWNER {} STRATEGY file_copy", name, TRUSTED)
        return Database(name, self._port)

    def leave(self, database: Database) -> None:
        """Take a database that its test has done with, for the next one."""
        try:
            with closing(psycopg.connect(database.dsn(), autocommit=True)) as connection:
                connection.execute(_EMPTY)
                as_made = self._as_made(connection, database.name)
        except psycopg.Error:
            return  # dropped, or in use
        if as_made:
            self._emptied.append(database.name)

    def _as_made(self, connection: psycopg.Connection[Any], name: str) -> bool:
        """Whether all catalogs have the rows of the template, and no others."""
        if self._rows is None:
            names = [name for (name,) in self._server.execute(_CATALOGS)]
            own = [
                f"FROM {name}{' WHERE nspname <> $$public$$' * (name == 'pg_namespace')}" for name in names
            ]
            older = f"count(*) FILTER (WHERE xmin::text::int8 < {self._first})"
            self._count = f"SELECT {', '.join(f'(SELECT ROW({older}, count(*))::text {one})' for one in own)}"
            self._rows = self._row(self._count)
        if connection.execute(self._count.encode()).fetchone() != self._rows:
            return False
        return self._server.execute(_OF_THE_WHOLE, (TRUSTED, name)).fetchone() == (True,)

    def _row(self, query: str) -> tuple[Any, ...]:
        row: tuple[Any, ...] | None = self._server.execute(query.encode()).fetchone()
        assert row is not None
        return row

    def _run(self, statement: str, *names: str) -> None:
        self._server.execute(SQL(statement).format(*map(Identifier, names)))
