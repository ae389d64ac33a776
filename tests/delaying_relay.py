"""A relay in front of a server that hands everything on a while later, as if the server were far away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def delaying_relay(host: str, port: int, seconds: float) -> AsyncIterator[int]:
    """The port of a relay to `host` and `port`; each way takes `seconds`, a round trip twice that."""
    ways: list[asyncio.Task[None]] = []
    writers: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_connection(host, port)
        for source, target in ((reader, there_writer), (there_reader, writer)):
            writers.append(target)
            ways.append(asyncio.create_task(_hand_on(source, target, seconds)))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for way in ways:
            way.cancel()
        for writer in writers:
            writer.close()
        await asyncio.gather(*ways, *(w.wait_closed() for w in writers), return_exceptions=True)


async def _hand_on(source: asyncio.StreamReader, target: asyncio.StreamWriter, seconds: float) -> None:
    """Each piece is sent `seconds` after it came; pieces under way do not wait for each other."""
    loop = asyncio.get_running_loop()
    while data := await source.read(65536):
        loop.call_later(seconds, _write, target, data)
    loop.call_later(seconds, target.close)


def _write(target: asyncio.StreamWriter, data: bytes) -> None:
    if not target.is_closing():
        target.write(data)
