"""The admin database from real clients: who gets in, what is shown, what is done."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import psycopg
import pytest
from doubles.asked import AskedServer, asked_server, rows
from servers.running_proxy import OwnDatabase

from askwire.proxy.demo.postgres_binaries import find_psql
from askwire.proxy.operations.server_status import RunningServer
from askwire.proxy.server import RESERVED_FOR_OPERATORS


@pytest.fixture
async def administered(empty_database: OwnDatabase) -> AsyncIterator[AskedServer]:
    async with asked_server(empty_database, admin_roles="postgres, by_scram") as running:
        server, resolver = running.server, running.resolver
        server.figures = resolver.figures
        server.status = RunningServer(
            server.settings,
            resolver.figures,
            resolver.memories.history.live,
            (),
            lambda: server.sessions,
            lambda: ["timeout"],
        )
        yield running


def dsn(running: AskedServer, user: str = "postgres", database: str = "askwire", password: str = "") -> str:
    secret = f" password='{password}'" if password else ""
    return f"host=127.0.0.1 port={running.port} dbname={database} user={user}{secret}"


async def admin(running: AskedServer, user: str = "postgres", password: str = "") -> psycopg.AsyncConnection:
    return await psycopg.AsyncConnection.connect(dsn(running, user, password=password), autocommit=True)


async def test_asks_and_clients_are_shown(administered: AskedServer) -> None:
    administered.expert.answers("one", "SELECT 1")
    async with administered.connection() as client, await admin(administered) as connection:
        await rows(client, "ASK 'one'")
        stats = dict(await rows(connection, "SHOW STATS"))
        assert (stats["asks"], stats["asks answered"], stats["sessions now"]) == (1, 1, 2)
        clients = await rows(connection, "SHOW CLIENTS")
        assert [(c[1], c[2], c[5]) for c in clients] == [
            ("postgres", administered.database.name, "relay"),
            ("postgres", "askwire", "admin"),
        ]
        assert clients[0][6] == client.info.backend_pid
        assert stats["bytes to clients"] > 100, "while the client is there"
    stats = dict(await rows_of(administered, "SHOW STATS"))
    assert stats["bytes to clients"] > 100


async def rows_of(running: AskedServer, statement: str) -> list[tuple[Any, ...]]:
    async with await admin(running) as connection:
        return await rows(connection, statement)


async def test_a_client_is_killed_as_by_the_server(administered: AskedServer) -> None:
    async with administered.connection() as client:
        number = (await rows_of(administered, "SHOW CLIENTS"))[0][0]
        assert await rows_of_command(administered, f"KILL {number}") == "KILL"
        with pytest.raises(psycopg.errors.AdminShutdown):
            await client.execute("SELECT 1")


async def rows_of_command(running: AskedServer, statement: str) -> str | None:
    async with await admin(running) as connection:
        return (await connection.execute(statement)).statusmessage


async def test_the_password_is_proved_to_postgresql(administered: AskedServer) -> None:
    async with await admin(administered, "by_scram", "secret of by_scram") as connection:
        assert (await rows(connection, "SHOW VERSION"))[0][0].startswith("askwire ")
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        await admin(administered, "by_scram", "wrong")


async def test_operators_get_in_when_clients_have_taken_all_room(empty_database: OwnDatabase) -> None:
    async with (
        asked_server(empty_database, admin_roles="postgres, by_scram", max_clients="2") as running,
        running.connection(),
        running.connection(),
    ):
        running.server.status = RunningServer(
            *(running.server.settings, running.resolver.figures, None, ()),
            sessions=lambda: running.server.sessions,
            reload=list,
        )
        for user, database in (("postgres", empty_database.name), ("by_md5", "askwire")):
            with pytest.raises(psycopg.OperationalError, match="too many clients"):
                await psycopg.AsyncConnection.connect(dsn(running, user, database, f"secret of {user}"))
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            await admin(running, "by_scram", "wrong")
        async with contextlib.AsyncExitStack() as opened:
            for _ in range(RESERVED_FOR_OPERATORS):
                connection = await admin(running, "by_scram", "secret of by_scram")
                await opened.enter_async_context(connection)
            assert len(await rows(connection, "SHOW CLIENTS")) == 2 + RESERVED_FOR_OPERATORS
            with pytest.raises(psycopg.OperationalError, match="too many clients"):
                await admin(running)


async def test_other_roles_stay_outside(administered: AskedServer) -> None:
    with pytest.raises(psycopg.OperationalError, match="permission denied for the admin database"):
        await admin(administered, "by_md5", "secret of by_md5")


async def test_without_admin_roles_the_name_is_postgresqls(empty_database: OwnDatabase) -> None:
    async with asked_server(empty_database) as running:
        with pytest.raises(psycopg.OperationalError, match='database "askwire" does not exist'):
            await admin(running)


async def test_it_leaves_no_connection_to_the_server(administered: AskedServer) -> None:
    async with await admin(administered) as connection:
        await rows(connection, "SHOW HELP")
        async with administered.connection() as client:
            async with asyncio.timeout(10):
                while True:
                    others = await rows(
                        client,
                        "SELECT 1 FROM pg_stat_activity"
                        " WHERE backend_type = 'client backend' AND datname = 'postgres'",
                    )
                    if not others:
                        break
        # and lives on without it
        assert await rows(connection, "SHOW EXPERTS")


async def test_a_driver_that_wants_binary_values(administered: AskedServer) -> None:
    connection = await asyncpg.connect(
        host="127.0.0.1", port=administered.port, user="postgres", database="askwire"
    )
    try:
        found = await connection.fetch("SHOW CLIENTS")
        assert (found[0]["role"], found[0]["client"]) == ("postgres", 1)
        with pytest.raises(asyncpg.FeatureNotSupportedError, match="takes no queries"):
            await connection.fetch("SELECT 1")
        assert len(await connection.fetch("SHOW CONFIG")) > 50
    finally:
        await connection.close()


async def test_psql(administered: AskedServer) -> None:
    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [
                find_psql(),
                "-X",
                "-A",
                "-t",
                "-d",
                dsn(administered),
                "-c",
                "SHOW VERSION",
                "-c",
                "RELOAD; SHOW ME",
            ],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PGCONNECT_TIMEOUT": "20"},
        )

    told = await asyncio.to_thread(run)
    assert told.stdout.splitlines()[0].startswith("askwire ")
    assert told.stdout.splitlines()[1] == "timeout"
    assert 'there is nothing to show of "me"' in told.stderr


async def test_a_transaction_of_a_driver_is_nothing_to_do(administered: AskedServer) -> None:
    async with await psycopg.AsyncConnection.connect(dsn(administered)) as connection:
        assert await rows(connection, "SHOW ASKS") == []
        await connection.commit()
