"""Sessions are lent to the thread that relays through io_uring, and taken back when Python needs them."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from functools import partial

import psycopg
import pytest
from servers.running_proxy import Proxy, StartProxy
from servers.wire_client import WireClient

from askwire.core.settings.table import BACKEND, load
from askwire.proxy.connection.socket_transport import SocketTransport, Watch
from askwire.proxy.connection.streams import Side
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
    monkeypatch.setattr(lender, "REST_SECONDS", 0)


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


class NoListener:
    """All that travels is usual."""

    def side_received(self, side: Side, data: bytes) -> None:
        raise AssertionError("it was looked at in Python")

    def side_eof(self, side: Side) -> None:
        pass

    def side_lost(self, side: Side) -> None:
        pass

    def side_writable(self, side: Side, writable: bool) -> None:
        pass


async def test_what_the_thread_could_not_send_goes_in_front_of_what_comes_after_it() -> None:
    watch, ring = Watch(asyncio.get_running_loop()), passage.open_ring()
    client, backend = Side(NoListener()), Side(NoListener())
    ends = []
    for side in (client, backend):
        far, near = socket.socketpair()
        near.setblocking(False)
        far.setblocking(False)
        side.connection_made(SocketTransport(watch, near, side, 1 << 16))
        ends.append(far)
    far_client, far_backend = ends
    passing = passage.open_passage(client, backend, "ask", 1 << 20)
    assert passing is not None
    passing.start(0, False)

    def rows(numbers: range) -> bytes:
        return b"".join(messages.frame(b"D", number.to_bytes(4, "big") + bytes(9000)) for number in numbers)

    def read(size: int) -> bytes:
        """What has arrived, at most `size` bytes."""
        data = b""
        with suppress(BlockingIOError):
            while len(data) < size:
                data += far_client.recv(size - len(data))
        return data

    far_backend.send(rows(range(1)))
    got = b""
    async with asyncio.timeout(10):
        while len(got) < len(rows(range(1))):  # passes in C, without the thread
            await asyncio.sleep(0.001)
            got += read(1 << 20)

    got, left = b"", rows(range(1, 400))
    sent = left
    kept: list[tuple[bytes, bytes]] = []

    def take_back() -> None:
        from_client, from_backend = passing.take_back()
        kept.append((from_client[0], from_backend[1]))
        backend.take_back(*from_backend)
        client.take_back(*from_client)

    async with asyncio.timeout(20):
        while len(got) < len(sent):
            ends_now = client.lendable, backend.lendable
            if ends_now[0] and ends_now[1] and passing.lendable:
                lent = ends_now[0].lend(take_back), ends_now[1].lend(take_back)
                ring.lend(passing, *lent, b"I", client)
            # until the client's socket takes no more, and more has arrived
            while left and passing.lent and not ring.came_back():
                with suppress(BlockingIOError):
                    left = left[far_backend.send(left[:9009]) :]
                await asyncio.sleep(0.001)
            got += read(1 << 20)  # now it takes more
            if passing.lent:
                take_back()
            with suppress(BlockingIOError):
                left = left[far_backend.send(left[:9009]) :] if left else left
            await asyncio.sleep(0.001)
            got += read(1 << 20)
    assert any(unsent and unread for unsent, unread in kept)
    assert got == sent
    for side in (client, backend):
        side.abort()
    await asyncio.sleep(0.01)
    ring.close()
    watch.close()
    for far in ends:
        far.close()


async def test_a_drain_ends_no_session_between_a_statement_and_its_answer(start_proxy: StartProxy) -> None:
    def insert(dsn: str, number: int, ready: threading.Barrier) -> int:
        done = 0
        with suppress(psycopg.OperationalError), psycopg.connect(dsn, autocommit=True) as connection:
            ready.wait()
            while True:
                connection.execute("INSERT INTO drained VALUES (%s)", [number])
                done += 1
        return done

    def all_log_in(proxy: Proxy, ready: threading.Barrier) -> bool:
        return ready.n_waiting == 0 and len(proxy.server._sessions) == 12

    for _ in range(3):
        async with start_proxy() as proxy:
            proxy.observer.execute("CREATE TABLE IF NOT EXISTS drained (i int)")
            proxy.observer.execute("TRUNCATE drained")
            ready = threading.Barrier(12)
            with ThreadPoolExecutor(12) as threads:
                working = [threads.submit(insert, proxy.dsn(), number, ready) for number in range(12)]
                await proxy.until(partial(all_log_in, proxy, ready))
                await asyncio.sleep(0.2)
                await proxy.server.drain()
                done = await asyncio.gather(*map(asyncio.wrap_future, working))
            found = proxy.observer.execute("SELECT i, count(*) FROM drained GROUP BY 1").fetchall()
            # a session that came to no statement on a busy machine has no row
            assert {int(row[0]): int(row[1]) for row in found} == {n: d for n, d in enumerate(done) if d}
            assert found


async def test_a_session_for_which_no_descriptor_is_left_is_not_lent(
    start_proxy: StartProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: int) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    async with start_proxy() as proxy:
        monkeypatch.setattr(os, "dup", refuse)
        async with proxy.client() as client:
            assert (await client.query("SELECT 1")).rows == [("1",)]
            await asyncio.sleep(0.05)
            assert not lent(only(proxy))


async def test_it_is_switched_off_and_on(start_proxy: StartProxy) -> None:
    async with one(start_proxy) as (proxy, _, session):
        proxy.server.settings = load({"backend": proxy.server.settings[BACKEND], "io_uring": "off"})
        async with proxy.client() as other:
            assert (await other.query("SELECT 1")).rows == [("1",)]
            assert [lent(each) for each in proxy.server._sessions if each is not session] == [False]
        assert lent(session)


async def test_a_ring_that_has_ended_costs_nothing(
    start_proxy: StartProxy, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class EndedSession:
        def __init__(self) -> None:
            self._notice = os.eventfd(0)

        def fileno(self) -> int:
            return self._notice

        def lend(self, *_: object) -> None:
            raise OSError(errno.ESHUTDOWN, "Cannot send after transport endpoint shutdown")

        def close(self) -> None:
            os.close(self._notice)

    monkeypatch.setattr(lender, "open_ring", EndedSession)
    async with start_proxy() as proxy, proxy.client() as client:
        await proxy.until(lambda: proxy.server.lender is None)
        assert (await client.query("SELECT 1")).rows == [("1",)]
        async with proxy.client() as other:
            assert (await other.query("SELECT 1")).rows == [("1",)]
    assert "without io_uring from now on" in caplog.text


async def test_who_cannot_be_lent_is_seldom_tried_again() -> None:
    class Busy:
        tries = 0

        def lend(self, _: object) -> bool:
            self.tries += 1
            return False

        def take_back(self) -> None:
            raise AssertionError("it was never lent")

    lending, busy = lender.Lender.open(), Busy()
    lending.wants(busy)
    await asyncio.sleep(0.2)
    assert busy.tries == 1
    lending.wants(busy)
    await asyncio.sleep(0.05)
    assert busy.tries == 2
    lending.close()


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
