"""A relay in front of a server that hands everything on a while later, as if the server were far away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from servers.listening import listening_at, relay_to


@asynccontextmanager
async def delaying_relay(host: str, port: int, seconds: float) -> AsyncIterator[int]:
    """The port of a relay to `host` and `port`; each way takes `seconds`, a round trip twice that."""

    async def hand_on(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        """Each piece is sent `seconds` after it came; pieces under way do not wait for each other."""
        loop = asyncio.get_running_loop()
        while data := await source.read(65536):
            loop.call_later(seconds, _write, target, data)
        await asyncio.sleep(seconds)
        target.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await relay_to(port, reader, writer, host=host, one_way=hand_on)

    async with listening_at(serve) as own:
        yield own


def _write(target: asyncio.StreamWriter, data: bytes) -> None:
    if not target.is_closing():
        target.write(data)
