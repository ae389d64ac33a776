"""`/metrics`: the figures of the process, for monitoring.

Owns: that address's answer. Must not know: which figures there are.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection

from aiohttp import web

from askwire.core.protocols import StoreStatus
from askwire.proxy.operations.exposition import CONTENT_TYPE, Now, openmetrics
from askwire.proxy.operations.figures import Figures, Relaying


def metrics(
    figures: Figures, sessions: Callable[[], Collection[Relaying]], store: Callable[[], StoreStatus]
) -> Callable[[web.Request], Awaitable[web.Response]]:
    """What answers a request for `/metrics`; `sessions` are those that live."""

    async def answer(_request: web.Request) -> web.Response:
        body = openmetrics(figures, Now(sessions(), store()))
        return web.Response(body=body, headers={"Content-Type": CONTENT_TYPE})

    return answer
