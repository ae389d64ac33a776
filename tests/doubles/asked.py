"""A running server over the whole pipeline, with a scripted expert and a store that a test can look into."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import psycopg
from doubles.scripted_expert import ScriptedExpert
from doubles.unhurried import unhurried
from servers.running_proxy import OwnDatabase

from askwire.core.protocols import Store
from askwire.core.records import HistoryEntry, Pin
from askwire.core.settings.table import load
from askwire.planner.expert import Expert
from askwire.proxy.resolver.panel import Panel
from askwire.proxy.resolver.resolver import AskResolver
from askwire.proxy.server import Server
from askwire.store import MemoryStore

Connection = psycopg.AsyncConnection[tuple[Any, ...]]


class Wall:
    """A time of day that goes on by a second whenever somebody looks."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


@dataclass
class AskedServer:
    """A running server; `expert` proposes what a test scripts, `store` is what the server remembers."""

    database: OwnDatabase
    server: Server
    resolver: AskResolver
    port: int
    expert: ScriptedExpert
    store: Store
    wall: Wall = field(default_factory=Wall)

    @asynccontextmanager
    async def connection(self, user: str = "postgres", options: str = "") -> AsyncIterator[Connection]:
        """A connection through the proxy."""
        connection = await psycopg.AsyncConnection.connect(
            f"host=127.0.0.1 port={self.port} dbname={self.database.name} user={user}",
            autocommit=True,
            options=options,
        )
        async with connection:
            yield connection

    @property
    def experts(self) -> Sequence[Expert]:
        """Who is asked; others can be put in their place."""
        return self.resolver.pipeline.panel._experts

    @experts.setter
    def experts(self, experts: Sequence[Expert]) -> None:
        self.resolver.pipeline.panel = Panel(experts, (), self.resolver.pipeline.clock)

    @property
    def questions(self) -> list[str]:
        """What the expert was asked, in order."""
        return [planning.question.text for planning in self.expert.plannings]

    async def pins(self) -> list[Pin]:
        """The pins in the store, latest first."""
        return list(await self.store.find(Pin, timeout=20))

    async def history(self) -> list[HistoryEntry]:
        """The history in the store, latest first."""
        return list(await self.store.find(HistoryEntry, timeout=20))


WHATEVER_SURE: Final = "0.25"
"""`answer_confidence` for tests of what the engine reads: so low that no fit of it decides one."""


@asynccontextmanager
async def asked_server(
    database: OwnDatabase, store: Store | None = None, expert: ScriptedExpert | None = None, **given: str
) -> AsyncIterator[AskedServer]:
    """Start one, and stop it afterwards."""
    settings = load({"backend": f"host=127.0.0.1 port={database.port}", "listen": "127.0.0.1:0", **given})
    expert = expert or ScriptedExpert()
    wall = Wall()
    resolver = AskResolver(settings, experts=(expert,), store=store or MemoryStore(), wall=wall)
    server = Server(settings, resolver)
    server.statement_collector = resolver.memories.statement_collector
    _, port = await server.start()
    try:
        with unhurried():
            yield AskedServer(database, server, resolver, port, expert, resolver.memories.store, wall)
    finally:
        await server.stop()


async def rows(
    connection: Connection, sql: str, parameters: tuple[object, ...] = ()
) -> list[tuple[Any, ...]]:
    """What a query returns."""
    return await (await connection.execute(sql, parameters or None)).fetchall()


def listen(connection: Connection) -> list[tuple[str, str, str]]:
    """A list that fills with the notices of a connection: message, detail, hint."""
    told: list[tuple[str, str, str]] = []
    connection.add_notice_handler(
        lambda d: told.append((d.message_primary or "", d.message_detail or "", d.message_hint or ""))
    )
    return told
