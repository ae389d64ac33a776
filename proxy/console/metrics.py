"""`/metrics`: the figures of the process, for monitoring.

Owns: that address's answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from typing import Protocol

from aiohttp import web

from askwire.core.protocols import StoreStatus
from askwire.proxy.operations.exposition import CONTENT_TYPE, Now, openmetrics
from askwire.proxy.operations.figures import Figures, LiveSession


class ProcessFigures(Protocol):
    """What is counted: of all processes of a server, once they were asked."""

    async def refresh(self) -> None:
        """Bring what is known of other processes up to date."""

    @property
    def figures(self) -> Figures:
        """What was done since the start."""

    def sessions(self) -> Collection[LiveSession]:
        """The sessions that live."""

    @property
    def store(self) -> StoreStatus:
        """How the store fares."""


def metrics(counted: ProcessFigures) -> Callable[[web.Request], Awaitable[web.Response]]:
    """What answers a request for `/metrics`."""

    async def answer(_request: web.Request) -> web.Response:
        await counted.refresh()
        body = openmetrics(counted.figures, Now(counted.sessions(), counted.store))
        return web.Response(body=body, headers={"Content-Type": CONTENT_TYPE})

    return answer
