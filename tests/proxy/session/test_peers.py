"""Two hosts behind a balancer: a cancel request that came to the wrong one."""

from __future__ import annotations

import asyncio
import socket

import pytest
from servers.running_proxy import StartProxy
from servers.serving import free_port
from servers.wire_client import send_cancel

from askwire.proxy.connection.peers import STOPPED, UNKNOWN
from askwire.proxy.connection.startup import PEER_MARK
from askwire.proxy.wire import messages


async def test_it_reaches_the_session_through_the_other_host(start_proxy: StartProxy) -> None:
    ports = free_port(), free_port()
    here, there = (f"127.0.0.1:{port}" for port in ports)
    async with (
        start_proxy(listen=here, peers=there) as first,
        start_proxy(listen=there, peers=here) as second,
    ):
        gate = first.resolver.waits("think")
        async with first.client() as client:
            client.send(messages.query(b"ASK 'think'"))
            await gate.reached()
            await send_cancel(second.address, client.process_id, client.secret)
            assert (await client.answer()).codes == ["57014"]
            client.send(messages.query(b"SELECT pg_sleep(600)"))
            await first.running("pg_sleep")
            await send_cancel(second.address, client.process_id, client.secret)
            assert (await client.answer()).codes == ["57014"], "what PostgreSQL runs is canceled there"


async def test_a_host_that_is_down_delays_it_and_no_more(start_proxy: StartProxy) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        peers = f"127.0.0.1:{free_port()}, 127.0.0.1:{mute.getsockname()[1]}"
        async with start_proxy(peers=peers) as proxy, proxy.client() as client:
            client.send(messages.query(b"SELECT pg_sleep(600)"))
            await proxy.running("pg_sleep")
            await send_cancel(proxy.address, client.process_id, client.secret)
            assert (await client.answer()).codes == ["57014"]


@pytest.mark.parametrize("listed", [True, False])
async def test_a_peer_learns_whether_there_was_an_ask_and_others_nothing(
    start_proxy: StartProxy, listed: bool
) -> None:
    async with start_proxy(peers="127.0.0.1:1" if listed else "192.0.2.1:6432") as proxy:
        gate = proxy.resolver.waits("think")
        async with proxy.client() as client:
            key = messages.UINT32.pack(client.process_id) + client.secret
            for wrong in (b"\0" * 8, key):
                if wrong is key:
                    client.send(messages.query(b"ASK 'think'"))
                    await gate.reached()
                reader, writer = await asyncio.open_connection(*proxy.address)
                writer.write(messages.cancel_request(wrong + PEER_MARK))
                expected = STOPPED if listed and wrong is key else UNKNOWN
                assert await reader.read() == expected
                writer.close()
                await writer.wait_closed()
            if not listed:
                await send_cancel(proxy.address, client.process_id, client.secret)
            assert (await client.answer()).codes == ["57014"]


async def test_a_mark_alone_is_no_key(start_proxy: StartProxy) -> None:
    async with start_proxy(peers="127.0.0.1:1") as proxy:
        reader, writer = await asyncio.open_connection(*proxy.address)
        writer.write(messages.cancel_request(PEER_MARK))
        assert await reader.read() == UNKNOWN
        writer.close()
        await writer.wait_closed()
