"""A backend that does not hear a cancel holds no ASK, and no client that left leaves SQL of an ASK running.

The backend's process is stopped (SIGSTOP): its socket stays open, and it is silent until it may go on.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

import pytest
from doubles.scripted_resolver import probe
from servers.running_proxy import Proxy, StartProxy
from servers.wire_client import WireClient, send_cancel

from askwire.core.errors import BudgetSpent
from askwire.proxy.asking.asking import AskInterception
from askwire.proxy.asking.requests import AskRequest
from askwire.proxy.session.statements.limits import Caps
from askwire.proxy.wire import messages

Stopped = Callable[[WireClient], None]


@contextmanager
def stopping() -> Iterator[Stopped]:
    """Stops backends, and lets them go on in the end: then they find out that no one is there."""
    stopped: list[int] = []

    def stop(client: WireClient) -> None:
        os.kill(client.process_id, signal.SIGSTOP)
        stopped.append(client.process_id)

    try:
        yield stop
    finally:
        for process_id in stopped:
            os.kill(process_id, signal.SIGCONT)


@asynccontextmanager
async def holding(proxy: Proxy, block: bool) -> AsyncIterator[WireClient]:
    """A client, in a block that has written something."""
    client = await WireClient.login(proxy.address, proxy.database.name)
    try:
        await client.query("CREATE TABLE IF NOT EXISTS written (i int)")
        if block:
            await client.query("BEGIN; INSERT INTO written VALUES (1)")
        yield client
    finally:
        client.writer.close()


async def ended(proxy: Proxy, client: WireClient) -> None:
    """The client is informed, and the proxy has no session any more, though the backend is still stopped."""
    assert await client.ended_with() == "08006"
    await proxy.until(lambda: not proxy.server._sessions)


async def nothing_written(proxy: Proxy) -> None:
    await proxy.settles_at(0)
    assert proxy.observer.execute("SELECT FROM written").fetchone() is None


@pytest.fixture
async def proxy(start_proxy: StartProxy) -> AsyncIterator[Proxy]:
    async with start_proxy(cancel_timeout="300ms") as running:
        yield running


BLOCK = pytest.mark.parametrize("block", [False, True])


@BLOCK
async def test_a_cancel_that_the_backend_does_not_hear(proxy: Proxy, block: bool) -> None:
    proxy.resolver.sleeps("sleep")
    async with holding(proxy, block) as client:
        with stopping() as stop:
            client.send(messages.query(b"ASK 'sleep'"))
            await proxy.running("pg_sleep")
            stop(client)
            await send_cancel(proxy.address, client.process_id, client.secret)
            await ended(proxy, client)
        await nothing_written(proxy)


@BLOCK
async def test_a_deadline_that_the_backend_does_not_hear_of(proxy: Proxy, block: bool) -> None:
    async def hasty(request: AskRequest) -> None:
        async with asyncio.timeout(0.5):
            await probe(request, "SELECT pg_sleep(25)")

    proxy.resolver.on("hasty", hasty)
    async with holding(proxy, block) as client:
        with stopping() as stop:
            client.send(messages.query(b"ASK 'hasty'"))
            await proxy.running("pg_sleep")
            stop(client)
            await ended(proxy, client)
        await nothing_written(proxy)


@BLOCK
@pytest.mark.parametrize("leave", ["abort", "close"])
async def test_a_client_that_left_a_backend_that_does_not_hear(proxy: Proxy, block: bool, leave: str) -> None:
    proxy.resolver.sleeps("sleep")
    async with holding(proxy, block) as client:
        with stopping() as stop:
            client.send(messages.query(b"ASK 'sleep'"))
            await proxy.running("pg_sleep")
            stop(client)
            client.abort() if leave == "abort" else client.writer.close()
            await proxy.until(lambda: not proxy.server._sessions)
        await nothing_written(proxy)


@BLOCK
async def test_an_error_that_the_backend_does_not_confirm(proxy: Proxy, block: bool) -> None:
    """An ASK without an answer ends with a message of the backend's."""

    async def fails(request: AskRequest) -> None:
        await probe(request)
        stop(client)
        raise BudgetSpent("no answer in time")

    proxy.resolver.on("fails", fails)
    async with holding(proxy, block) as client:
        with stopping() as stop:
            client.send(messages.query(b"ASK 'fails'"))
            await ended(proxy, client)
        await nothing_written(proxy)


async def test_what_keeps_a_session_awake_is_not_waited_for_either(proxy: Proxy) -> None:
    async def thinks(request: AskRequest) -> None:
        await probe(request)
        stop(client)
        async with asyncio.timeout(1):  # by then a Sync is under way
            await asyncio.Event().wait()

    proxy.resolver.on("think", thinks)
    async with holding(proxy, False) as client:
        await client.query("SET idle_session_timeout = '600ms'")
        with stopping() as stop:
            client.send(messages.query(b"ASK 'think'"))
            await ended(proxy, client)
        await proxy.settles_at(0)


async def test_a_look_that_gets_no_answer(start_proxy: StartProxy) -> None:
    """What is asked of the database before a question is, is under the limit of an ASK as well."""
    async with start_proxy(cancel_timeout="300ms") as proxy, holding(proxy, True) as client:
        proxy.resolver.initial_caps = Caps(
            timeout_ms=30_000, longest_ms=300, lock_timeout_ms=1000, max_rows=100, max_bytes=1 << 20
        )
        with stopping() as stop:
            stop(client)
            client.send(messages.query(b"SELECT * FROM ask('x')"))
            await ended(proxy, client)
        await nothing_written(proxy)


async def test_a_backend_that_goes_on_in_time_is_kept(start_proxy: StartProxy) -> None:
    async with start_proxy(cancel_timeout="15s") as proxy:
        proxy.resolver.sleeps("sleep")
        async with proxy.client() as client:
            with stopping() as stop:
                client.send(messages.query(b"ASK 'sleep'"))
                await proxy.running("pg_sleep")
                stop(client)
                await send_cancel(proxy.address, client.process_id, client.secret)
                (session,) = proxy.server._sessions
                asking = session._asking
                assert isinstance(asking, AskInterception)
                await proxy.until(lambda: asking._canceled)
            assert (await client.answer()).codes == ["57014"]
            assert (await client.query("ASK 'again'")).rows == [("42",)]


# -- the chosen SQL ----------------------------------------------------------------------------------------

LONG = "SELECT 42 AS answer FROM pg_sleep(60)"
SIMPLE = messages.query(b"ASK 'x'")
BOUND = (
    messages.parse(b"", b"ASK $1") + messages.bind(b"", b"", [b"x"]) + messages.execute(b"") + messages.SYNC
)
COPY = messages.query(b"COPY (ASK 'x') TO STDOUT")


@pytest.mark.parametrize("sent", [SIMPLE, BOUND, COPY], ids=["simple", "bound", "copy"])
@pytest.mark.parametrize("leave", ["abort", "close", "terminate"])
async def test_a_client_leaves_the_chosen_sql_behind(
    start_proxy: StartProxy, sent: bytes, leave: str
) -> None:
    async with start_proxy() as proxy:
        proxy.resolver.answer = LONG
        client = await WireClient.login(proxy.address, proxy.database.name)
        client.send(sent)
        await proxy.running("SELECT 42 AS answer")
        if leave == "abort":
            client.abort()
        elif leave == "close":
            client.writer.close()
        else:
            await client.close()
        await proxy.settles_at(0)
        await proxy.until(lambda: not proxy.server._sessions)


async def test_the_proxy_ends_while_chosen_sql_runs(start_proxy: StartProxy) -> None:
    async with start_proxy() as proxy:
        proxy.resolver.answer = LONG
        client = await WireClient.login(proxy.address, proxy.database.name)
        client.send(SIMPLE)
        await proxy.running("SELECT 42 AS answer")
        await proxy.server.stop()
        await proxy.settles_at(0)
        client.writer.close()


async def test_a_client_that_only_stops_sending_gets_the_rows_of_a_long_query(proxy: Proxy) -> None:
    proxy.resolver.answer = "SELECT 42 AS answer FROM pg_sleep(0.5)"
    client = await WireClient.login(proxy.address, proxy.database.name)
    client.send(SIMPLE)
    await proxy.running("SELECT 42 AS answer")
    client.writer.write_eof()
    frames = await client.ended()
    assert [kind for kind, _ in frames if kind not in "S"] == list("TDCZ")
    client.writer.close()


async def test_a_query_of_the_client_s_own_is_not_canceled_when_it_leaves(proxy: Proxy) -> None:
    """PostgreSQL carries out what a client sent before it left, and so it does behind askwire."""
    async with holding(proxy, False) as client:
        assert (await client.query("ASK 'x'")).rows == [("42",)]
        client.send(messages.query(b"INSERT INTO written SELECT 1 FROM pg_sleep(0.5)"))
        await proxy.running("INSERT INTO written")
        client.abort()
        await proxy.settles_at(0)
    assert len(proxy.observer.execute("SELECT FROM written").fetchall()) == 1
