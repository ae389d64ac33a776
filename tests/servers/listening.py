"""Servers of a test's own that speak with what connects to them, and leave no connection behind.

A stream that is still open when its loop ends is an error in whatever test runs when it is collected.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

_TURNS: Final = 5
"""Turns of the loop after which what was accepted last is served."""

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[object]]


@asynccontextmanager
async def listening_at(serve: Serve, *, path: Path | None = None) -> AsyncIterator[int]:
    """The port at which `serve` speaks with each connection (0 where it is the Unix socket `path`).

    A connection ends with its `serve`, and at the latest with the block, however far it is.
    """
    under_way: set[asyncio.Task[None]] = set()

    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            await serve(reader, writer)
            writer.close()
            await writer.wait_closed()

    def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(hold(reader, writer))
        under_way.add(task)
        task.add_done_callback(under_way.discard)
        task.add_done_callback(lambda _: writer.transport.abort())  # also of one that never began

    if path is None:
        server = await asyncio.start_server(accepted, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
    else:
        server = await asyncio.start_unix_server(accepted, path)
        port = 0
    try:
        yield port
    finally:
        # asyncio leaves open what it has accepted and not begun to serve when its server closes
        for _ in range(_TURNS):
            await asyncio.sleep(0)
        server.close()
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        await asyncio.sleep(0)  # what is aborted is closed in the next turn


async def pass_on(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Hand on what comes, as it comes, and the end of it."""
    while data := await source.read(65536):
        target.write(data)
    target.close()


async def relay_to(
    port: int,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    *,
    host: str = "127.0.0.1",
    one_way: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]] = pass_on,
    first: bytes = b"",
) -> None:
    """Relay a connection to a port, `first` before all else, until both ways have ended."""
    there_reader, there_writer = await asyncio.open_connection(host, port)
    try:
        there_writer.write(first)
        await asyncio.gather(one_way(reader, there_writer), one_way(there_reader, writer))
    finally:
        there_writer.transport.abort()
