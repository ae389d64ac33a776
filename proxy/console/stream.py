"""The live list as server-sent events: a row whenever an ASK begins, gets further or ends.

Owns: the stream, how many there may be, and that one that no one reads ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from aiohttp import web

from askwire.proxy.console.desk import Desk
from askwire.proxy.console.listing import Row, of_seen
from askwire.proxy.memory.live import AskStatus

MOST_STREAMS: Final = 8
_STREAM_TIMEOUT_SECONDS: Final = 600.0
"""Seconds; browsers come again by themselves, and show then that they are still logged in."""
_LOOK_INTERVAL_SECONDS: Final = 0.5
"""Seconds between two looks while something is under way."""
_KEEPALIVE_SECONDS: Final = 15.0
"""Seconds after which an empty line tells that the stream lives."""
_WRITE_TIMEOUT_SECONDS: Final = 10.0
"""Seconds a reader may take for one message."""


_MAX_MISSED_ASKS: Final = 8
"""ASKs that may have ended between a page and its stream."""

Mark = tuple[str, int, int]


def _mark(seen: AskStatus) -> Mark:
    """What a row has to be shown again for."""
    return (seen.outcome, 0, 0) if seen.outcome else ("", len(seen.spans), int(seen.elapsed_ms // 1000))


@dataclass
class Stream:
    """The handler; all streams of a console."""

    desk: Desk
    _open: set[asyncio.Task[object] | None] = field(default_factory=set, init=False)

    def routes(self) -> list[web.RouteDef]:
        """Where the stream is."""
        return [web.get("/events", self.events, allow_head=False)]

    async def events(self, request: web.Request) -> web.StreamResponse:
        """Send rows until the reader is gone, or for so long."""
        if len(self._open) >= MOST_STREAMS:
            raise web.HTTPServiceUnavailable(text="too many pages are live at once")
        response = web.StreamResponse(
            headers={"Content-Type": "text/event-stream", "X-Accel-Buffering": "no"}
        )
        task = asyncio.current_task()
        self._open.add(task)
        try:
            with suppress(TimeoutError, ConnectionError):
                async with asyncio.timeout(_STREAM_TIMEOUT_SECONDS):
                    await response.prepare(request)
                    await self._send(response, "retry: 2000\n\n")
                    await self._follow(response)
        finally:
            self._open.discard(task)
        return response

    async def close(self) -> None:
        """End all streams."""
        for task in self._open:
            if task is not None:
                task.cancel()

    async def _follow(self, response: web.StreamResponse) -> None:
        live = self.desk.sources.live
        # what the page shows already is not told again, except what may have ended since it was made
        told: dict[str, Mark] = {seen.key: _mark(seen) for seen in live.latest[_MAX_MISSED_ASKS:]}
        while True:
            revision, fresh = live.revision, []
            for seen in [*reversed(live.latest), *reversed(live.under_way)]:
                if told.get(seen.key) != _mark(seen):
                    told[seen.key] = _mark(seen)
                    fresh.append(of_seen(seen))
            if fresh:
                await self._send(response, await self._messages(fresh))
            if len(told) > 1000:
                told = {
                    seen.key: told[seen.key] for seen in [*live.latest, *live.under_way] if seen.key in told
                }
            at_most = _LOOK_INTERVAL_SECONDS if live.under_way else _KEEPALIVE_SECONDS
            if await live.change(revision, at_most=at_most) == revision and not live.under_way:
                await self._send(response, ": still here\n\n")

    async def _messages(self, rows: Sequence[Row]) -> str:
        def made() -> str:
            texts = []
            for row in rows:
                lines = self.desk.rendering.text("row.html", {"row": row, "live": True}).splitlines()
                data = "".join(f"data: {line}\n" for line in lines if line.strip())
                texts.append(f"event: ask\nid: {row.key}\n{data}\n")
            return "".join(texts)

        return await self.desk.rendering.beside(made)

    async def _send(self, response: web.StreamResponse, text: str) -> None:
        async with asyncio.timeout(_WRITE_TIMEOUT_SECONDS):
            await response.write(text.encode())
