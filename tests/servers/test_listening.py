"""Servers of a test's own end what they hold."""

from __future__ import annotations

import asyncio
import gc
import socket

import pytest
from servers.listening import listening_at, relay_to


async def _mute(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()


async def test_a_connection_that_nobody_ends_ends_with_its_server() -> None:
    async with listening_at(_mute) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    assert await reader.read() == b""
    writer.close()


@pytest.mark.parametrize("turns", [0, 1, 2, 3, 4, 5, 7, 10, 20])
def test_a_relay_leaves_nothing_open_however_far_a_connection_is(turns: int) -> None:
    """What is left open is a warning where it is collected, and a warning is a failure."""

    async def run() -> None:
        async with listening_at(_mute) as target:

            async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                await relay_to(target, reader, writer)

            async with listening_at(serve) as port:
                client.connect(("127.0.0.1", port))
                for _ in range(turns):
                    await asyncio.sleep(0)

    with socket.socket() as client:
        asyncio.run(run())
    gc.collect()
