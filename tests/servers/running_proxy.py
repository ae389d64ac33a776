"""A proxy as tests see it: where it listens, what resolves its ASKs, and what it leaves on the database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import psycopg
from doubles.scripted_resolver import ScriptedResolver
from servers.wire_client import WireClient, logged_in

from askwire.proxy.server import Server

_BETWEEN_LOOKS = 0.002
"""Seconds until it is looked again; looking without a pause keeps what is waited for from going on."""


class Database(Protocol):
    """Where a database is."""

    @property
    def name(self) -> str:
        """The database's name."""

    @property
    def port(self) -> int:
        """The server's port on 127.0.0.1."""


class OwnDatabase(Database, Protocol):
    """A database of a test's own: what is needed of `databases.Database`."""

    def dsn(self, role: str = "postgres") -> str:
        """Where to reach it directly."""

    def owner(self) -> AbstractContextManager[psycopg.Connection[Any]]:
        """A connection of the superuser that commits each statement."""


@dataclass(frozen=True)
class Activity:
    """A row of pg_stat_activity."""

    state: str
    query: str
    wait_event: str | None


@dataclass
class Proxy:
    """A running server in front of a test's database; `observer` is a connection of its own to it."""

    server: Server
    resolver: ScriptedResolver
    address: tuple[str, int]
    database: Database
    observer: psycopg.Connection[tuple[str, str, str | None]]

    def client(self, user: str = "postgres", **options: object) -> AbstractAsyncContextManager[WireClient]:
        """A raw client, logged in through the proxy."""
        return logged_in(self.address, self.database.name, user, **options)

    def direct(self) -> AbstractAsyncContextManager[WireClient]:
        """A raw client of the database itself."""
        return logged_in(("127.0.0.1", self.database.port), self.database.name)

    def dsn(self, role: str = "postgres") -> str:
        """Where drivers find the database behind the proxy, without a password."""
        return f"host={self.address[0]} port={self.address[1]} dbname={self.database.name} user={role}"

    async def activity(self) -> list[Activity]:
        """What each connection to this database does."""
        return await asyncio.to_thread(self._observe)

    def _observe(self) -> list[Activity]:
        rows = self.observer.execute(
            "SELECT state, query, wait_event FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND backend_type = 'client backend'",
            prepare=True,
        )
        return [Activity(*row) for row in rows]

    async def settles_at(self, connections: int) -> None:
        """Wait until this many connections to the database are left, none of them in a transaction."""
        async with asyncio.timeout(20):
            while True:
                states = [activity.state for activity in await self.activity()]
                if len(states) == connections and all(state == "idle" for state in states):
                    return
                await asyncio.sleep(_BETWEEN_LOOKS)

    async def running(self, text: str, *, waiting_for: str = "") -> None:
        """Wait until a statement that holds this text runs on the database."""
        async with asyncio.timeout(20):
            while not any(  # noqa: ASYNC110 - the database has no event for it
                a.state == "active" and text in a.query and waiting_for in (a.wait_event or "")
                for a in await self.activity()
            ):
                await asyncio.sleep(_BETWEEN_LOOKS)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Let the event loop go on until a condition of the proxy's own holds."""
        async with asyncio.timeout(20):
            while not condition():  # noqa: ASYNC110 - what is waited for has no event of its own
                await asyncio.sleep(_BETWEEN_LOOKS)


StartProxy = Callable[..., AbstractAsyncContextManager[Proxy]]
"""Starts a proxy, with settings of the test's choice."""
