"""Sessions are lent to the thread that relays through io_uring, and taken back when Python needs them."""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from servers.running_proxy import Proxy, StartProxy
from servers.wire_client import WireClient

from askwire.proxy.connection.socket_transport import SocketTransport
from askwire.proxy.session.relay import lender
from askwire.proxy.session.session import Session
from askwire.proxy.wire import messages, passage


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lend without waiting whether more that is unusual comes."""
    try:
        passage.open_ring().close()
    except OSError as error:
        pytest.skip(f"the system has no io_uring for us: {error}")
    monkeypatch.setattr(lender, "REST", 0)


def lent(session: Session) -> bool:
    relay = session.relay
    return relay is not None and relay._passage is not None and relay._passage.lent


def only(proxy: Proxy) -> Session:
    (session,) = proxy.server._sessions
    return session


@asynccontextmanager
async def one(start_proxy: StartProxy, **given: str) -> AsyncIterator[tuple[Proxy, WireClient, Session]]:
    """A session that is lent."""
    async with start_proxy(**given) as proxy:
        client = await WireClient.login(proxy.address, proxy.database.name)
        await proxy.until(lambda: lent(only(proxy)))
        yield proxy, client, only(proxy)
        client.abort()


async def test_it_passes_what_is_usual_and_counts_it(start_proxy: StartProxy) -> None:
    async with one(start_proxy) as (proxy, client, session):
        before = session.client.received
        for _ in range(10):
            assert (await client.query("SELECT 1")).rows == [("1",)]
            assert lent(session)
        assert session.client.received - before == 10 * len(messages.query(b"SELECT 1"))
        assert proxy.server.figures.relayed(proxy.server._sessions)[0] == session.client.received
        came = session.client.received
        assert session.relay is not None
        session.relay.stop()
        assert session.client.received == came


async def test_an_ask_takes_it_back_and_it_is_lent_again(start_proxy: StartProxy) -> None:
    async with one(start_proxy) as (proxy, client, session):
        proxy.resolver.answer = "SELECT 42"
        for _ in range(3):
            assert (await client.query("ASK 'x'")).rows == [("42",)]
            assert (await client.query("SELECT 1")).rows == [("1",)]
            await proxy.until(lambda: lent(session))


async def test_errors_parameters_and_copy_take_it_back(start_proxy: StartProxy) -> None:
    async with one(start_proxy) as (proxy, client, session):
        assert (await client.query("selec 1")).codes == ["42601"]
        await client.query("SET application_name = 'lent'")
        await proxy.until(lambda: lent(session))
        assert session.parameters["application_name"] == "lent"
        rows = (await client.query("SELECT repeat('x', 1000) FROM generate_series(1, 5000)")).rows
        assert len(rows) == 5000
        await proxy.until(lambda: lent(session))


async def test_who_looks_leaves_it_lent(start_proxy: StartProxy) -> None:
    async with one(start_proxy) as (proxy, client, session):
        assert (session.waits, session.in_transaction) == (False, False)
        await client.query("BEGIN")
        await proxy.until(lambda: not session.waits)
        assert session.in_transaction
        client.send(messages.query(b"SELECT pg_sleep(0.3)"))
        await proxy.running("pg_sleep")
        assert (session.waits, session.in_transaction) == (True, True)
        await client.answer()
        await client.query("COMMIT")
        client.send(messages.parse(b"", b"SELECT 1") + messages.FLUSH)
        assert (await client.receive())[0] == "1"
        await proxy.until(lambda: not session.waits)
        assert session.in_transaction
        assert lent(session)


async def test_it_is_idle_for_the_timeout(start_proxy: StartProxy) -> None:
    async with one(start_proxy, client_idle_timeout="600ms") as (_, client, session):
        for _ in range(5):
            await asyncio.sleep(0.2)
            await client.query("SELECT 1")
        assert lent(session)
        kind, payload = await client.receive()
        assert kind == "E"
        assert b"57P05" in payload


async def test_a_shutdown_tells_it(start_proxy: StartProxy) -> None:
    async with one(start_proxy) as (proxy, client, _):
        await proxy.server.drain()
        kind, payload = await client.receive()
        assert kind == "E"
        assert b"57P01" in payload


async def test_without_it_the_loop_keeps_the_sockets(start_proxy: StartProxy) -> None:
    async with start_proxy(io_uring="off") as proxy, proxy.client() as client:
        assert (await client.query("SELECT 1")).rows == [("1",)]
        assert proxy.server.lender is None
        assert not isinstance(only(proxy).client.transport, SocketTransport)


async def test_a_system_that_does_not_allow_it_costs_nothing(
    start_proxy: StartProxy, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse() -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(lender, "open_ring", refuse)
    caplog.set_level(logging.INFO)
    async with start_proxy() as proxy, proxy.client() as client:
        assert (await client.query("SELECT 1")).rows == [("1",)]
    assert "sessions are relayed without io_uring: Operation not permitted" in caplog.text


async def test_hundreds_come_and_go(start_proxy: StartProxy) -> None:
    async with start_proxy() as proxy:
        clients = [await WireClient.login(proxy.address, proxy.database.name) for _ in range(60)]
        await proxy.until(lambda: all(map(lent, proxy.server._sessions)))
        for client in clients[::2]:
            client.abort()
        await proxy.until(lambda: len(proxy.server._sessions) == 30)
        for client in clients[1::2]:
            assert (await client.query("SELECT 1")).rows == [("1",)]
            await client.close()
        await proxy.until(lambda: not proxy.server._sessions)
