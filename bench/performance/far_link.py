"""A link to a server that is far away, and counts round trips.

Owns: handing bytes on a while later, in a thread with an event loop of its own.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

_READ_BYTES: Final = 65536


class FarLink:
    """A port whose bytes reach `host` and `port`, and come back, each half of `seconds` later.

    `trips` counts how often the near side spoke behind something that it had heard: anyone who sends two
    messages before an answer comes makes one round trip. A context manager.
    """

    def __init__(self, host: str, port: int, seconds: float) -> None:
        self.trips = 0
        self.port = 0
        self._far = (host, port)
        self._one_way = seconds / 2
        self._heard = True
        self._ways: set[asyncio.Task[None]] = set()
        self._ends: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._listening = threading.Event()
        self._over = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(),))

    def __enter__(self) -> Self:
        self._thread.start()
        self._listening.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()
        self._loop.close()

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._taken, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._listening.set()
        async with server:
            await self._over.wait()
        for way in self._ways:
            way.cancel()
        for end in self._ends:
            end.close()
        over = (end.wait_closed() for end in self._ends)
        await asyncio.gather(*self._ways, *over, return_exceptions=True)

    async def _taken(self, near: asyncio.StreamReader, to_near: asyncio.StreamWriter) -> None:
        far, to_far = await asyncio.open_connection(*self._far)
        self._ends |= {to_near, to_far}
        for source, sink, away in ((near, to_far, True), (far, to_near, False)):
            way = self._loop.create_task(self._hand_on(source, sink, away=away))
            self._ways.add(way)
            way.add_done_callback(self._ways.discard)

    async def _hand_on(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, away: bool) -> None:
        """Each piece is sent a while after it came; pieces under way do not wait for each other."""
        with suppress(ConnectionError):  # an end all the same
            while data := await source.read(_READ_BYTES):
                if away and self._heard:
                    self.trips += 1
                    self._heard = False
                self._loop.call_later(self._one_way, self._write, sink, data, away)
        self._loop.call_later(self._one_way, sink.close)

    def _write(self, sink: asyncio.StreamWriter, data: bytes, away: bool) -> None:
        if not away:
            self._heard = True
        if not sink.is_closing():
            sink.write(data)
