"""Pools that hand one connection to two tenants: PgBouncer in front of askwire and behind it, and others."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import asyncpg
import psycopg
import pytest
from data.pets import filled
from doubles.asked import AskedServer, asked_server, rows
from psycopg_pool import AsyncConnectionPool
from servers.databases import Database
from servers.running_proxy import OwnDatabase

from askwire.bench.performance.processes import free_port

BINARY = shutil.which("pgbouncer", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin")))
needs_pgbouncer = pytest.mark.skipif(BINARY is None, reason="there is no PgBouncer")

TABLES = """
CREATE TABLE pets (id int PRIMARY KEY, tenant text, name text);
INSERT INTO pets VALUES (1, 't1', 'Rex'), (2, 't2', 'Ada');
CREATE ROLE shared LOGIN;
GRANT SELECT ON pets TO shared;
ALTER TABLE pets ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON pets USING (tenant = current_setting('app.tenant', true));
"""
QUESTION = "ASK 'names of pets'"
SHOWN = (
    "SELECT question FROM ask.history",
    "SELECT question FROM ask.pins",
    "SELECT question FROM ask.feedback",
)
MINE = {"t1": "Rex", "t2": "Ada"}


@pytest.fixture
def pets(empty_database: OwnDatabase) -> Iterator[OwnDatabase]:
    with filled(empty_database, TABLES, "shared") as database:
        yield database


@pytest.fixture
async def asked(pets: OwnDatabase) -> AsyncIterator[AskedServer]:
    async with asked_server(pets) as running:
        running.expert.answers("names of pets", "SELECT name FROM pets")
        yield running


@contextmanager
def bouncer(port: int, database: str, folder: Path, mode: str, reset: str = "DISCARD ALL") -> Iterator[str]:
    """PgBouncer with one connection to what listens at `port`, for everybody; yields where to reach it."""
    own = free_port()
    folder = folder / f"pgbouncer-{own}"
    folder.mkdir()
    file = folder / "pgbouncer.ini"
    file.write_text(
        f"[databases]\n{database} = host=127.0.0.1 port={port} dbname={database} user=shared\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {own}\nunix_socket_dir =\nauth_type = any\n"
        f"pool_mode = {mode}\ndefault_pool_size = 1\nserver_reset_query = {reset}\n"
        "ignore_startup_parameters = extra_float_digits\nserver_tls_sslmode = disable\n"
    )
    as_user = []
    if os.geteuid() == 0:  # it does not run as root
        as_user = ["-u", "nobody"]
        folder.chmod(0o755)
        os.chown(file, pwd.getpwnam("nobody").pw_uid, -1)
    process = subprocess.Popen([str(BINARY), "-q", *as_user, str(file)], stderr=subprocess.DEVNULL)
    dsn = f"host=127.0.0.1 port={own} dbname={database} user=shared"
    try:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and process.poll() is None:
            with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", own)):
                break
        yield dsn
    finally:
        process.kill()  # from 1.23 on SIGTERM waits for its clients
        process.wait()


async def connect(dsn: str) -> psycopg.AsyncConnection[tuple[object, ...]]:
    return await psycopg.AsyncConnection.connect(dsn, autocommit=True, prepare_threshold=None)


@needs_pgbouncer
async def test_pgbouncer_in_front_with_a_session_for_each_client(
    asked: AskedServer, open_folder: Path
) -> None:
    with bouncer(asked.port, asked.database.name, open_folder, "session") as dsn:
        for tenant in ("t1", "t2", "t1"):
            async with await connect(dsn) as client:
                await client.execute(f"SET app.tenant = '{tenant}'")
                for shown in SHOWN:
                    assert await rows(client, shown) == [], (tenant, shown)
                with pytest.raises(psycopg.Error, match="no question was asked in this session"):
                    await client.execute("ASK RIGHT")
                assert await rows(client, QUESTION) == [(MINE[tenant],)]
                assert await rows(client, "ASK RIGHT")
                assert await rows(client, SHOWN[0])
    assert len(asked.questions) == 3


@needs_pgbouncer
async def test_pgbouncer_in_front_with_a_session_for_each_transaction(
    asked: AskedServer, open_folder: Path
) -> None:
    with bouncer(asked.port, asked.database.name, open_folder, "transaction", "") as dsn:
        async with await connect(dsn) as one, await connect(dsn) as two:
            for tenant, client in (("t1", one), ("t2", two), ("t1", one), ("t2", two)):
                async with client.transaction():
                    await client.execute(f"SET LOCAL app.tenant = '{tenant}'")
                    for shown in SHOWN:
                        assert await rows(client, shown) == [], (tenant, shown)
                    assert await rows(client, QUESTION) == [(MINE[tenant],)]
                with pytest.raises(psycopg.Error, match="no question was asked in this session"):
                    await client.execute("ASK RIGHT")
    assert len(asked.questions) == 4


@needs_pgbouncer
@pytest.mark.parametrize("mode", ["session", "transaction"])
async def test_pgbouncer_behind(pets: OwnDatabase, open_folder: Path, mode: str) -> None:
    with bouncer(pets.port, pets.name, open_folder, mode) as dsn:
        behind = Database(pets.name, int(str(psycopg.conninfo.conninfo_to_dict(dsn)["port"])))
        async with asked_server(behind) as asked:
            asked.expert.answers("names of pets", "SELECT name FROM pets")
            for tenant in ("t1", "t2", "t1"):
                async with asked.connection("shared") as client, client.transaction():
                    await client.execute(f"SET LOCAL app.tenant = '{tenant}'")
                    for shown in SHOWN:
                        assert await rows(client, shown) == [], (tenant, shown)
                    assert await rows(client, QUESTION) == [(MINE[tenant],)]


async def test_asyncpgs_pool(asked: AskedServer) -> None:
    where = {"host": "127.0.0.1", "port": asked.port, "database": asked.database.name, "user": "shared"}
    async with asyncpg.create_pool(**where, min_size=1, max_size=1, statement_cache_size=0) as pool:
        for tenant in ("t1", "t2", "t1"):
            async with pool.acquire() as client:
                await client.execute(f"SET app.tenant = '{tenant}'")
                for shown in SHOWN:
                    assert await client.fetch(shown) == [], (tenant, shown)
                assert [r["name"] for r in await client.fetch(QUESTION)] == [MINE[tenant]]
                assert await client.fetch(SHOWN[0])
    assert len(asked.questions) == 3


async def discarded(client: psycopg.AsyncConnection[tuple[object, ...]]) -> None:
    await client.execute("DISCARD ALL")


@pytest.mark.parametrize("reset", [None, discarded])
async def test_psycopgs_pool(asked: AskedServer, reset: Any) -> None:
    """It rolls back what is open when a connection comes back, and resets nothing unless it is told to."""
    dsn = f"host=127.0.0.1 port={asked.port} dbname={asked.database.name} user=shared"
    given = {"autocommit": True, "prepare_threshold": None}
    pool = AsyncConnectionPool(dsn, kwargs=given, min_size=1, max_size=1, reset=reset, open=False)
    async with pool:
        for tenant in ("t1", "t2", "t1"):
            async with pool.connection() as client:
                await client.execute(f"SET app.tenant = '{tenant}'")
                for shown in SHOWN:
                    assert await rows(client, shown) == [], (tenant, shown)
                assert await rows(client, QUESTION) == [(MINE[tenant],)]
                assert await rows(client, SHOWN[0])
    assert len(asked.questions) == 3


@pytest.mark.parametrize("between", ["DISCARD ALL", "ROLLBACK; RESET ALL", "ROLLBACK", ""])
async def test_what_other_pools_send_between_two_clients(asked: AskedServer, between: str) -> None:
    """HikariCP's reset, SQLAlchemy's rollback on return, and none at all."""
    async with asked.connection("shared") as pooled:
        for tenant in ("t1", "t2", "t1"):
            await pooled.execute("BEGIN")
            await pooled.execute("SELECT set_config('app.tenant', %s, true)", (tenant,))
            for shown in SHOWN:
                assert await rows(pooled, shown) == [], (tenant, shown)
            assert await rows(pooled, QUESTION) == [(MINE[tenant],)]
            await pooled.execute("COMMIT")
            if between:
                await pooled.execute(between)
    assert len(asked.questions) == 3
