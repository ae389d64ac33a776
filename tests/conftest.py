"""Shared fixtures: one embedded PostgreSQL for the session, and a fresh database per test.

The server's roles are made for what they prove (`databases.PASSWORD_ROLES`).
"""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from databases import PASSWORD_ROLES, TRUSTED, Database
from psycopg import sql

from askwire.proxy.demo.embedded_postgres import EmbeddedPostgres


@pytest.fixture(scope="session")
def open_folder() -> Iterator[Path]:
    """A folder for servers' data: unlike pytest's own, others than its owner can reach what is inside."""
    folder = Path(tempfile.mkdtemp(prefix="askwire-tests-"))
    if os.geteuid() == 0:
        folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def postgres_server(open_folder: Path) -> Iterator[EmbeddedPostgres]:
    """A PostgreSQL server; `postgres` is a superuser here and comes in without a password."""
    hba = [f"host all {role} 127.0.0.1/32 {method}" for role, method in PASSWORD_ROLES.items()]
    server = EmbeddedPostgres(
        open_folder / "session",
        hba=[*hba, "host all all 127.0.0.1/32 trust"],
        parameters={"fsync": "off", "max_connections": "200"},
    )
    with server:
        with psycopg.connect(server.dsn, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE {TRUSTED} SUPERUSER LOGIN")
            for role, method in PASSWORD_ROLES.items():
                connection.execute(
                    sql.SQL("SET password_encryption = {}").format(
                        "md5" if method == "md5" else "scram-sha-256"
                    )
                )
                connection.execute(
                    sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(
                        sql.Identifier(role), f"secret of {role}"
                    )
                )
        yield server


@pytest.fixture(scope="session")
def make_database(postgres_server: EmbeddedPostgres) -> Iterator[Callable[[], Database]]:
    """Makes databases that are dropped when the session ends."""
    numbers = itertools.count(1)
    made: list[str] = []

    def make() -> Database:
        name = f"test_{next(numbers)}"
        with psycopg.connect(postgres_server.dsn, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} OWNER {TRUSTED} STRATEGY file_copy")
        made.append(name)
        return Database(name, postgres_server.port)

    yield make
    with psycopg.connect(postgres_server.dsn, autocommit=True) as connection:
        for name in made:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@pytest.fixture
def database(make_database: Callable[[], Database]) -> Database:
    """An empty database of the test's own."""
    return make_database()
