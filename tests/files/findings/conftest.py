"""A connection to a database of the test's own, and what is found in a schema made of statements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from servers.databases import Database

from askwire.files.findings import Findings, declare, find_structure

Connection = psycopg.Connection[Any]
Find = Callable[[str], Findings]


@pytest.fixture(scope="session")
def findings_database(make_database: Callable[[], Database]) -> Database:
    """One database for all tests of findings."""
    return make_database()


@pytest.fixture
def connection(findings_database: Database) -> Iterator[Connection]:
    """A connection to it; schemas that a test made are gone afterwards."""
    with psycopg.connect(findings_database.dsn(), autocommit=True) as connected:
        connected.execute("CREATE SCHEMA shop")
        connected.execute("SET search_path = shop")
        yield connected
        connected.execute("SET client_min_messages = warning")
        connected.execute("DROP SCHEMA IF EXISTS shop, askwire_files CASCADE")


@pytest.fixture
def find(connection: Connection) -> Find:
    """Runs statements in the schema `shop`, and looks through it."""

    def look(statements: str) -> Findings:
        connection.execute(statements.encode())
        return find_structure(connection, "shop")

    return look


@pytest.fixture
def declared(connection: Connection, find: Find) -> Find:
    """The same, with what is found declared."""
    return lambda statements: declare(connection, find(statements))
