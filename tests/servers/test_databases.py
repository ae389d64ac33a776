"""A database goes to the next test only as the template makes it."""

from __future__ import annotations

import psycopg
import pytest
from servers.databases import Database, Databases

MADE = {
    "a table": "CREATE TABLE pets (name text)",
    "a temporary table": "CREATE TEMPORARY TABLE pets (id serial)",
    "statistics": "ANALYZE",
    "another schema than public": "CREATE SCHEMA zoo; CREATE TABLE zoo.pets (); DROP SCHEMA public CASCADE",
    "an extension": "CREATE EXTENSION file_fdw",
}
CHANGED = {
    "an extension that is gone": "DROP EXTENSION plpgsql",
    "an extension in a catalog's schema": "DROP EXTENSION plpgsql; CREATE EXTENSION plpgsql",
    "rights on a catalog": "REVOKE SELECT ON pg_catalog.pg_tables FROM PUBLIC",
    "rights on a column of a catalog": "GRANT SELECT (proname) ON pg_proc TO by_scram",
    "rights on a function": "REVOKE EXECUTE ON FUNCTION pg_sleep FROM PUBLIC",
    "a function's cost": "ALTER FUNCTION pg_sleep COST 3",
    "default rights": "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC",
    "a large object": "SELECT lo_create(0)",
    "a publication": "CREATE PUBLICATION pets",
    "rights on the database": "GRANT CONNECT ON DATABASE {name} TO by_scram",
    "its settings": "ALTER DATABASE {name} SET work_mem = '1MB'",
    "its settings for a role": "ALTER ROLE by_scram IN DATABASE {name} SET work_mem = '1MB'",
}


def _next(databases: Databases, statements: str) -> Database:
    """The database after the one in which they ran: the same one only where they left nothing."""
    first = databases.make()
    with psycopg.connect(first.dsn(), autocommit=True) as connection:
        for statement in statements.format(name=first.name).split("; "):
            connection.execute(statement.encode())
    (before,) = _number(first)
    databases.leave(first)
    second = databases.make()
    assert second.name != first.name
    assert (_number(second) == (before,)) == (statements in MADE.values())
    return second


def _number(database: Database) -> tuple[int]:
    with psycopg.connect(database.dsn()) as connection:
        row = connection.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()
    assert row is not None
    return row


@pytest.mark.parametrize("statements", MADE.values(), ids=MADE)
def test_what_tests_make_is_gone_for_the_next(databases: Databases, statements: str) -> None:
    second = _next(databases, statements)
    with psycopg.connect(second.dsn(), autocommit=True) as connection:
        schemas = "SELECT nspname FROM pg_namespace WHERE oid >= 16384 OR nspname = 'public'"
        assert connection.execute(schemas.encode()).fetchall() == [("public",)]
        assert connection.execute("SELECT FROM pg_class WHERE oid >= 16384").fetchall() == []
    databases.leave(second)


@pytest.mark.parametrize("statements", CHANGED.values(), ids=CHANGED)
def test_what_else_was_changed_stays_with_who_changed_it(databases: Databases, statements: str) -> None:
    second = _next(databases, statements)
    databases.leave(second)


def test_a_database_that_is_gone_or_in_use_is_nobody_elses(databases: Databases) -> None:
    gone, used = databases.make(), databases.make()
    with psycopg.connect(used.dsn(), autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {gone.name}".encode())
        databases.leave(gone)
        connection.execute("BEGIN; CREATE TABLE pets (id int); LOCK pg_namespace")
        databases.leave(used)
        assert databases.make().name not in {gone.name, used.name}
