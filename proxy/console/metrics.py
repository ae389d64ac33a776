"""`/metrics`: the figures of the process, for monitoring.

Owns: that address's answer. Must not know: which figures there are.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from aiohttp import web

from askwire.core.protocols import StoreStatus
from askwire.proxy.operations.exposition import CONTENT_TYPE, Now, openmetrics
from askwire.proxy.operations.figures import Figures


def metrics(
    figures: Figures, sessions: Callable[[], Mapping[str, int]], store: Callable[[], StoreStatus]
) -> Callable[[web.Request], Awaitable[web.Response]]:
    """What answers a request for `/metrics`; `sessions` counts them by phase."""

    async def answer(_request: web.Request) -> web.Response:
        body = openmetrics(figures, Now(sessions(), store()))
        return web.Response(body=body, headers={"Content-Type": CONTENT_TYPE})

    return answer
