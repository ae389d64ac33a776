"""A link between askwire and PostgreSQL that breaks on request.

Owns: forwarding bytes, and the ways not to.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

RESET = struct.pack("ii", 1, 0)
"""SO_LINGER for a close that is a reset."""


@dataclass
class Plan:
    """What happens to bytes, from now on.

    `delay` in seconds before each piece; `piece` bytes at a time; after `cut_after` more bytes of the backend
    the link ends, as `how` says: 'close', 'reset', 'half' (nothing more comes from the backend) or 'silence';
    `say` is put in front of the end. With `deaf`, a new connection is taken and nothing is forwarded.
    """

    delay: float = 0.0
    piece: int = 0
    cut_after: int | None = None
    how: str = "close"
    say: bytes = b""
    deaf: bool = False


class Link:
    """The forwarder; `plan` may be replaced at any time."""

    def __init__(self, host: str, port: int) -> None:
        self.plan = Plan()
        self.port = 0
        self._backend = (host, port)
        self._open: set[asyncio.StreamWriter] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of askwire's."""
        self._open.add(writer)
        try:
            if self.plan.deaf:
                await reader.read()
                return
            onward, back = await asyncio.open_connection(*self._backend)
            self._open.add(back)
            pumps = (self._pump(reader, back, ends=False), self._pump(onward, writer, ends=True))
            await asyncio.gather(*pumps, return_exceptions=True)
            back.close()
        except OSError:
            pass
        finally:
            writer.close()

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, ends: bool) -> None:
        while data := await source.read(65536):
            plan = self.plan
            if ends and plan.cut_after is not None:
                sink.write(data[: plan.cut_after])
                if len(data) < plan.cut_after:
                    plan.cut_after -= len(data)
                    continue
                sink.write(plan.say)
                await self._end(sink, plan.how)
                return
            step = plan.piece or len(data)
            for at in range(0, len(data), step):
                if plan.delay:
                    await asyncio.sleep(plan.delay)
                sink.write(data[at : at + step])
                await sink.drain()
                if plan.piece:
                    await asyncio.sleep(0)
        with suppress(OSError):
            sink.write_eof()

    async def _end(self, sink: asyncio.StreamWriter, how: str) -> None:
        if how == "silence":
            await asyncio.Event().wait()
        if how == "reset":
            sink.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            sink.transport.abort()
        elif how == "half":
            sink.write_eof()
            await asyncio.sleep(1)
        sink.close()


@asynccontextmanager
async def link(host: str, port: int) -> AsyncIterator[Link]:
    """A link to a backend that listens on a port of its own, whole to begin with."""
    made = Link(host, port)
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    async with server:
        # a piece at a time must leave as one
        for listener in server.sockets:
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield made
        server.close()
        for writer in made._open:  # noqa: SLF001 (they are the link's)
            writer.transport.abort()
