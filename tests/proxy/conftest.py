"""Fixtures of the proxy: a server in the test's own event loop, in front of the session's PostgreSQL.

Every test that uses one ends by looking whether anything was left behind: a session, a task, or a connection
to the database.
"""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from data.pets import TABLES, filled
from doubles.scripted_resolver import ScriptedResolver
from psycopg.sql import SQL, Identifier
from servers.databases import Database
from servers.running_proxy import OwnDatabase, Proxy, StartProxy
from servers.wire_client import PATIENCE

from askwire.core.settings.table import load
from askwire.proxy.server import Server

ON_BOTH = {
    "test_cancel",
    "test_direct_tls",
    "test_endings",
    "test_socket_transport",
    "test_stalled",
    "test_tls",
    "test_lending_tls",
    "test_tls_transport",
}

Observer = psycopg.Connection[Any]
LoopFactory = Callable[[], asyncio.AbstractEventLoop]


def pytest_asyncio_loop_factories(item: pytest.Item) -> Mapping[str, LoopFactory]:
    """The loop the product runs on, and the other one too for what depends on the loop most."""
    asyncios: Mapping[str, LoopFactory] = {"asyncio": asyncio.new_event_loop}
    if importlib.util.find_spec("uvloop") is None:
        return asyncios
    uvloop = importlib.import_module("uvloop")
    return {"uvloop": uvloop.new_event_loop, **(asyncios if item.path.stem in ON_BOTH else {})}


@pytest.fixture(scope="session")
def shared_database(make_database: Callable[[], Database]) -> Iterator[Database]:
    """One database for all tests of the proxy: making one takes longer than most of them."""
    made = make_database()
    with psycopg.connect(made.dsn(), autocommit=True, application_name="observer") as connection:
        # what makes tables is several statements, which cannot be prepared
        connection.prepare_threshold = sys.maxsize
        yield replace(made, kept=connection)


@pytest.fixture(scope="session")
def observer(shared_database: Database) -> Observer:
    """A connection to look at the shared database with, beside the proxy."""
    assert shared_database.kept is not None
    return shared_database.kept


@pytest.fixture
def empty_database(shared_database: Database, observer: Observer) -> Iterator[OwnDatabase]:
    """That database; whatever a test made in it is gone after the test."""
    yield shared_database
    schemas = "SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'"
    for (schema,) in observer.execute(schemas, prepare=True).fetchall():
        observer.execute(SQL("DROP SCHEMA {} CASCADE").format(Identifier(schema)))
    observer.execute("CREATE SCHEMA public")
    observer.execute("GRANT ALL ON SCHEMA public TO PUBLIC")


@pytest.fixture
def start_proxy(empty_database: OwnDatabase, observer: Observer) -> StartProxy:
    """Starts a proxy with settings of the test's choice in front of a database without tables."""
    database = empty_database

    @asynccontextmanager
    async def start(resolver: ScriptedResolver | None = None, **given: str) -> AsyncIterator[Proxy]:
        backend = f"host=127.0.0.1 port={database.port}"
        settings = load({"backend": backend, "listen": "127.0.0.1:0", **given})
        resolver = resolver or ScriptedResolver(settings)
        before = asyncio.all_tasks()
        server = Server(settings, resolver)
        proxy = Proxy(server, resolver, await server.start(), database, observer)
        try:
            yield proxy
        finally:
            await server.stop()
        assert not server._sessions, "sessions are left behind"
        left = asyncio.all_tasks() - before - {asyncio.current_task()}
        if left:
            async with asyncio.timeout(PATIENCE):
                await asyncio.wait(left)
        await proxy.settles_at(0)

    return start


@pytest.fixture
async def proxy(start_proxy: StartProxy) -> AsyncIterator[Proxy]:
    """A proxy with the default settings."""
    async with start_proxy() as running:
        yield running


@pytest.fixture
def pets(empty_database: OwnDatabase) -> Iterator[OwnDatabase]:
    """A database with pets, and a role that may read them."""
    with filled(empty_database, TABLES, "reader") as database:
        yield database
