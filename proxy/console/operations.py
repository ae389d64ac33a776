"""What machines ask of the console's HTTP server: whether the process lives, and whether it can serve.

`ROUTES` is where such addresses are mounted; `/metrics` belongs here. Owns: their answers, a line of text
each.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Protocol

from aiohttp import web

from askwire.core.protocols import Store, StoreStatus

log = logging.getLogger("askwire.console")

_CACHE_SECONDS: Final = 2.0
"""Seconds for which what was found of the backend, and of other processes, holds: many ask for it."""


class ServerState(Protocol):
    """How the server fares, with all of its processes."""

    @property
    def ends(self) -> bool:
        """Whether it ends, and takes no connection any more."""

    @property
    def store(self) -> StoreStatus:
        """How the store fares."""

    async def refresh(self) -> None:
        """Bring what is known of other processes up to date."""


class Alone:
    """A `ServerState` of one process over a store."""

    ends = False

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def store(self) -> StoreStatus:
        """How the store fares."""
        return self._store.status

    async def refresh(self) -> None:
        """Return at once: there is no other process."""


class Readiness:
    """Whether the server can serve; `backend` tells what keeps PostgreSQL from being reached, or ''."""

    def __init__(self, server: ServerState, backend: Callable[[], Awaitable[str]]) -> None:
        self._server = server
        self._backend = backend
        self._found = ""
        self._until = self._seen_until = 0.0

    async def store(self) -> StoreStatus:
        """How the stores of all processes fare: the worst of them, and what they count together."""
        if time.monotonic() >= self._seen_until:
            self._seen_until = time.monotonic() + _CACHE_SECONDS
            await self._server.refresh()
        return self._server.store

    async def health(self, _request: web.Request) -> web.Response:
        """`/healthz`: the process answers."""
        return web.Response(text="ok\n")

    async def ready(self, _request: web.Request) -> web.Response:
        """`/readyz`: the server takes connections, and PostgreSQL can be reached.

        A store that is down is reported and stops no ASK.
        """
        if self._server.ends:
            return web.Response(status=503, text="not ready: the server ends\n")
        if time.monotonic() >= self._until:
            self._until = time.monotonic() + _CACHE_SECONDS
            found = await self._backend()
            if found and found != self._found:
                log.warning("not ready: %s", found)
            self._found = found
        store = _told(await self.store())
        if self._found:
            # anybody may ask: what comes behind the colon names addresses, and is for the log
            told = self._found.partition(":")[0]
            return web.Response(status=503, text=f"not ready: {told}\nstore: {store}\n")
        return web.Response(text=f"ready\nstore: {store}\n")


def _told(status: StoreStatus) -> str:
    """How the store fares, without its trouble, which is for the log: anybody may ask."""
    told = ["down" if status.trouble else "ok"]
    if status.room and (status.waiting or status.lost):
        told += [f"{status.waiting} of {status.room} changes wait", f"{status.lost} lost"]
    if status.news == "poll":
        told.append("changes of other processes are looked for")
    return ", ".join(told)


def routes(
    readiness: Readiness, more: Mapping[str, Callable[[web.Request], Awaitable[web.Response]]]
) -> list[web.RouteDef]:
    """The addresses for machines; `more` are such as `/metrics`, which need a login or the token."""
    ours = {"/healthz": readiness.health, "/readyz": readiness.ready}
    return [web.get(path, handler) for path, handler in {**more, **ours}.items()]
