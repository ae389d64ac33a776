"""One end of a connection between two processes of a server, on an event loop.

Both sides may ask. A handler answers by its kind; what fails there is logged and answered with null.
"""

from __future__ import annotations

import asyncio
import inspect
import itertools
import logging
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

from askwire.proxy.workers.frames import ANSWER_TIMEOUT_SECONDS, BrokenChannel, FrameDecoder, packed

log = logging.getLogger("askwire.workers")

Handler = Callable[[Any], Awaitable[Any] | Any]
"""Takes the data of a question and returns its answer, or an awaitable of it; both are JSON."""


class Channel(asyncio.Protocol):
    """`await Channel.over(socket, handlers)`; `closed` is set once the other side is gone."""

    def __init__(self, handlers: dict[str, Handler]) -> None:
        self.closed = asyncio.Event()
        self._handlers = handlers
        self._unpacking = FrameDecoder()
        self._transport: asyncio.Transport | None = None
        self._numbers = itertools.count(1)
        self._asked: dict[int, asyncio.Future[Sequence[Any]]] = {}
        self._working: set[asyncio.Task[None]] = set()

    @classmethod
    async def over(cls, connected: socket.socket, handlers: dict[str, Handler]) -> Channel:
        """Take up a connected stream socket; the channel owns it from now on."""
        channel = cls(handlers)
        connected.setblocking(False)
        await asyncio.get_running_loop().create_unix_connection(lambda: channel, sock=connected)
        return channel

    async def ask(self, kind: str, data: Any = None, *, to: int | None = None) -> Sequence[Any]:
        """Ask the other side, and return the answers that came in time: none where no one is there."""
        number = next(self._numbers)
        self._asked[number] = asyncio.get_running_loop().create_future()
        try:
            self._send({"id": number, "kind": kind, "data": data, "to": to})
            # the supervisor waits as long for the slowest, and the answer has to travel
            async with asyncio.timeout(2 * ANSWER_TIMEOUT_SECONDS):
                return await self._asked[number]
        except TimeoutError:
            return ()
        finally:
            del self._asked[number]

    def tell(self, kind: str, data: Any = None, *, to: int | None = None) -> None:
        """Say something that needs no answer; it is lost where no one is there."""
        self._send({"kind": kind, "data": data, "to": to})

    def close(self) -> None:
        """End the connection."""
        if self._transport is not None:
            self._transport.close()

    # -- what the event loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The channel can be used."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Bytes of messages."""
        try:
            for message in self._unpacking.feed(data):
                self._take(message)
        except BrokenChannel as error:
            log.error("the connection to another process of this server is given up: %s", error)
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """The other side is gone: nothing that was asked is answered any more."""
        self._transport = None
        for asked in self._asked.values():
            if not asked.done():
                asked.set_result(())
        for task in self._working:
            task.cancel()
        self.closed.set()

    def _send(self, message: dict[str, Any]) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(packed(message))
        elif (asked := self._asked.get(message.get("id", 0))) is not None and not asked.done():
            asked.set_result(())

    def _take(self, message: dict[str, Any]) -> None:
        number = message.get("id", 0)
        if "replies" in message:
            asked = self._asked.get(number)
            if asked is not None and not asked.done():
                asked.set_result(message["replies"])
            return
        task = asyncio.get_running_loop().create_task(self._answer(number, message))
        self._working.add(task)
        task.add_done_callback(self._working.discard)

    async def _answer(self, number: int, message: dict[str, Any]) -> None:
        kind, answer = message.get("kind", ""), None
        try:
            handler = self._handlers.get(kind)
            if handler is not None:
                found = handler(message.get("data"))
                answer = await found if inspect.isawaitable(found) else found
        except Exception as error:  # noqa: BLE001 - one process's fault must not end another's channel
            log.error("%s asked by another process failed: %s", kind, type(error).__name__)
        if number:
            self._send({"id": number, "replies": [answer]})
