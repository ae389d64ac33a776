"""What other processes change, seen within a second.

Owns: a connection that listens, and reading `change` after each NOTIFY, or twice a second where a pooler
keeps notifications from arriving. Whenever something may have been missed, anything may have changed.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from typing import Any, Final

import psycopg

from askwire.core.protocols import Change
from askwire.store.postgres.gateway import FAILURES, Connection, Gateway
from askwire.store.postgres.rows import kind_named
from askwire.store.postgres.schema import channel

log = logging.getLogger("askwire.store")

ANYTHING: Final = Change()
"""Something may have been missed."""

POLL_INTERVAL_SECONDS: Final = 0.5
"""Seconds between two looks where notifications do not arrive."""
_LOOK_INTERVAL_SECONDS: Final = 20.0
"""Seconds between two looks where they do."""
_PROBE_TIMEOUT_SECONDS: Final = 2.0
"""Seconds in which a notification of our own has to arrive."""
_LISTEN_RETRY_SECONDS: Final = 60.0
"""Seconds of polling, after which listening is tried again."""
KEPT_SECONDS: Final = 600.0
"""Seconds that changes can be read; who has not looked for half of it may have missed some."""


class Watcher:
    """Tells `seen` of what others changed; `origin` marks this process's own changes.

    `way` is 'listen', 'poll', or '' while neither is possible.
    """

    def __init__(self, gateway: Gateway, seen: Callable[[Sequence[Change]], None]) -> None:
        self._gateway = gateway
        self._seen = seen
        self.origin = secrets.token_hex(8)
        self.way = ""
        self._since = ""
        self._numbers: dict[int, int] = {}
        self._looked = float("-inf")
        self._warned = False

    async def run(self) -> None:
        """Watch for ever."""
        while True:
            await self._gateway.wait_usable(3600)
            try:
                connection = await self._gateway.connect()
            except FAILURES as error:
                if isinstance(error, psycopg.OperationalError) and self._gateway.is_open:
                    # there may be no connection left for listening: a pooled one can look now and then
                    await self._poll()
                else:
                    await asyncio.sleep(1.0)
                continue
            try:
                async with connection:
                    if await self._hears(connection):
                        await self._listen(connection)
                    else:
                        self._warn()
                        await connection.close()
                        await self._poll()
            except FAILURES as error:
                log.debug("listening to the store %s ended: %s", self._gateway.shown, error)
            self._lost()
            await asyncio.sleep(0.05)

    def _lost(self) -> None:
        """Changes may go by unseen from now on."""
        self.way = ""
        self._seen([ANYTHING])

    def _warn(self) -> None:
        if not self._warned:
            log.warning(
                "the store %s: notifications do not arrive, as behind a pooler in transaction mode; changes "
                "of other processes are looked for every %d ms",
                self._gateway.shown,
                POLL_INTERVAL_SECONDS * 1000,
            )
        self._warned = True

    async def _hears(self, connection: Connection) -> bool:
        """Whether a notification that is sent over another connection arrives at this one."""
        name = channel(self._gateway.schema)
        await connection.execute(f"LISTEN {name}".encode())
        if not self._gateway.pooled:
            return True
        async with self._gateway.connection() as other:
            await other.execute(b"SELECT pg_notify(%s, %s)", (name, self.origin))
        with suppress(TimeoutError):
            async with asyncio.timeout(_PROBE_TIMEOUT_SECONDS):
                async for heard in connection.notifies():
                    if heard.payload == self.origin:
                        return True
        return False

    async def _listen(self, connection: Connection) -> None:
        await self._look(connection, whole=True)
        self.way = "listen"
        while True:
            async for _ in _notified(connection):
                pass
            await self._look(connection)

    async def _poll(self) -> None:
        """Look now and then over the pool's connections, for a while."""
        began = time.monotonic()
        whole = True
        while time.monotonic() - began < _LISTEN_RETRY_SECONDS or self._gateway.pooled:
            async with self._gateway.connection() as connection:
                await self._look(connection, whole=whole)
            self.way, whole = "poll", False
            await asyncio.sleep(POLL_INTERVAL_SECONDS)

    async def _look(self, connection: Connection, *, whole: bool = False) -> None:
        """Read what is new, each change once; one may be committed later than another of a higher number."""
        now = time.monotonic()
        missed = whole or now - self._looked > KEPT_SECONDS / 2
        select = (
            "SELECT s.least::text, c.number, c.xid::text, c.origin, c.kind, c.key, c.gone, c.role, c.server, "
            'c."database" FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS least) AS s '
            f"LEFT JOIN {self._gateway.schema}.change AS c ON c.xid >= coalesce(%s::text::xid8, s.least)"
        )
        cursor = await connection.execute(select.encode(), (self._since or None,))
        rows = await cursor.fetchall()
        new = [row for row in rows if row[1] is not None and row[1] not in self._numbers]
        self._numbers |= {row[1]: int(row[2]) for row in new}
        self._since = rows[0][0]
        least = int(self._since)
        self._numbers = {number: xid for number, xid in self._numbers.items() if xid >= least}
        self._looked = now
        found = [_change(row) for row in new if row[3] != self.origin]
        if missed:
            self._seen([ANYTHING])
        elif found:
            self._seen(found)


async def _notified(connection: Connection) -> AsyncIterator[psycopg.Notify]:
    """Notifications that are there once one has come, or none within `_LOOK_INTERVAL_SECONDS`."""
    async for heard in connection.notifies(timeout=_LOOK_INTERVAL_SECONDS, stop_after=1):
        yield heard


def _change(row: tuple[Any, ...]) -> Change:
    _, _, _, _, kind, key, gone, role, server, database = row
    return Change(kind_named(kind), key, gone=gone, role=role, server=server, database=database)
