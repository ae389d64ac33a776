"""A client vanishes while askwire waits, wherever that is in a session's life: two seconds later all is gone.

Each case brings a session to one wait; the client then resets its connection, or closes it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from doubles.scripted_resolver import probe
from doubles.time_bounds import Stopwatch
from servers.listening import listening_at
from servers.running_proxy import Proxy, StartProxy
from servers.wire_client import PATIENCE, WireClient, bind, copy_data, startup

from askwire.proxy.asking.requests import AskRequest
from askwire.proxy.connection.streams import Side
from askwire.proxy.session.phase import Phase
from askwire.proxy.wire import messages

SECONDS = 2.0
COMPILED = pytest.mark.parametrize("compiled", ["on", "off"])
RESET = pytest.mark.parametrize("reset", [True, False], ids=["reset", "close"])

FAILS = messages.parse(b"", b"selec 1")
RUNS = messages.parse(b"", b"ASK 'x'") + bind() + messages.execute(b"")
ROW = messages.parse(b"", b"SELECT 1") + bind() + messages.execute(b"")
LOCKED = messages.query(b"SELECT count(*) FROM locked")

SENT = {
    "idle": b"",
    "in half a header": b"Q\0",
    "in half a message": messages.query(b"SELECT 1")[:-3],
    "in half a message that passes": copy_data(bytes(100))[:-3],
    "in half an ASK": messages.query(b"ASK 'x'")[:-3],
    "in a block": messages.query(b"BEGIN") + messages.query(b"ASK 'x'"),
    "in an open group": ROW,
    "behind an error of a group": FAILS,
    "behind what a group's error skips": FAILS + messages.query(b"SELECT 1"),
    "at an ASK that a group's error skips": FAILS + messages.query(b"SELECT 1") + messages.query(b"ASK 'x'"),
    "at an ASK behind an open group": ROW + messages.query(b"ASK 'x'"),
    "behind an ASK in an open group": RUNS,
    "behind an ASK in an open group that was flushed": RUNS + messages.FLUSH,
    "behind an ASK that fails in an open group": messages.parse(b"", b"ASK 'unknown'"),
    "in COPY": messages.query(b"COPY (SELECT 1) TO STDOUT; COPY copied FROM STDIN") + copy_data(b"1\n"),
    "in COPY of a group": messages.parse(b"", b"COPY copied FROM STDIN") + bind() + messages.execute(b""),
    "at an ASK behind an ended COPY": messages.query(b"COPY copied FROM STDIN")
    + messages.frame(b"c", b"")
    + messages.query(b"ASK 'x'"),
    "behind a function call": messages.frame(b"F", b"\0\0\6\x4a\0\0\0\0\0\0"),
    "while an ASK is thought about": messages.query(b"ASK 'think'"),
    "while an ASK of a group is thought about": messages.parse(b"", b"ASK 'think'"),
    "while an ASK with more behind it is thought about": messages.query(b"ASK 'think'")
    + messages.query(b"SELECT 1") * 20_000,
    "while a probe runs": messages.query(b"ASK 'sleep'"),
    "while a probe in a block runs": messages.query(b"BEGIN") + messages.query(b"ASK 'sleep'"),
    "while a probe waits for a lock": messages.query(b"ASK 'lock'"),
    "while a batch is open": messages.query(b"ASK 'batch'"),
    "while the chosen SQL runs": messages.query(b"ASK 'runs long'"),
    "while the chosen SQL of a group runs": messages.parse(b"", b"ASK 'runs long'")
    + bind()
    + messages.execute(b"")
    + messages.FLUSH,
}
"""Where a session is, by what its client has sent."""


@asynccontextmanager
async def proxied(start_proxy: StartProxy, compiled: str) -> AsyncIterator[Proxy]:
    async with start_proxy(compiled_relay=compiled) as proxy:
        proxy.observer.execute("CREATE TABLE copied (a int)")
        proxy.observer.execute("CREATE TABLE locked (a int)")
        proxy.resolver.waits("think")
        proxy.resolver.sleeps("sleep")

        async def lock(request: AskRequest) -> None:
            await probe(request, "SELECT count(*) FROM locked")

        async def batch(request: AskRequest) -> None:
            async with request.executor.batch() as open_batch:
                await open_batch.read("SELECT 1")
                await asyncio.Event().wait()

        async def unknown(request: AskRequest) -> str:
            return "SELECT no_such_column"

        async def runs_long(request: AskRequest) -> str:
            return "SELECT pg_sleep(60)"

        for name, script in (
            ("lock", lock),
            ("batch", batch),
            ("unknown", unknown),
            ("runs long", runs_long),
        ):
            proxy.resolver.on(name, script)
        yield proxy


async def leave(client: WireClient, *, reset: bool) -> None:
    if reset:
        client.abort()
    else:
        client.writer.close()


async def locked(proxy: Proxy) -> WireClient:
    """A session that holds a lock, past askwire."""
    client = await WireClient.login(("127.0.0.1", proxy.database.port), proxy.database.name)
    assert not (await client.query("BEGIN; LOCK TABLE locked")).codes
    return client


@asynccontextmanager
async def in_time() -> AsyncIterator[None]:
    """What the body waits for happens within `SECONDS`, or as much later as a busy machine is slower."""
    taken = Stopwatch()
    async with asyncio.timeout(PATIENCE):
        yield
    assert taken.within(SECONDS)


async def gone(proxy: Proxy, *, with_locks: bool = False) -> None:
    """No session, task or connection is left, in time."""
    async with in_time():
        await proxy.until(lambda: not proxy.server._sessions)
        while len(await proxy.activity()) > with_locks:
            pass


async def quiet(proxy: Proxy, client: WireClient) -> None:
    """Wait until what the client has sent has got as far as it gets."""
    await client.drain()
    before: tuple[object, ...] = ()
    same = 0
    async with asyncio.timeout(10):
        while same < 5:
            session = next(iter(proxy.server._sessions))
            now = (session.phase, session.client.received, session.client.sent, await proxy.activity())
            same = same + 1 if now == before else 0
            before = now


@COMPILED
@RESET
@pytest.mark.parametrize("where", SENT)
async def test_a_client_that_vanishes(
    start_proxy: StartProxy, compiled: str, reset: bool, where: str
) -> None:
    async with proxied(start_proxy, compiled) as proxy:
        locks = await locked(proxy) if "lock" in where else None
        client = await WireClient.login(proxy.address, proxy.database.name)
        client.send(SENT[where])
        await quiet(proxy, client)
        await leave(client, reset=reset)
        await gone(proxy, with_locks=locks is not None)
        if locks:
            await locks.close()


@COMPILED
@RESET
async def test_clients_that_vanished_keep_no_client_out(
    start_proxy: StartProxy, compiled: str, reset: bool
) -> None:
    """As many as may be served, each at an ASK that PostgreSQL skips."""
    async with start_proxy(compiled_relay=compiled, max_clients="10") as proxy:
        crowd = [await WireClient.login(proxy.address, proxy.database.name) for _ in range(10)]
        for client in crowd:
            client.send(SENT["at an ASK that a group's error skips"])
        for client in crowd:
            assert (await client.receive())[0] == "E"
            await leave(client, reset=reset)
        await gone(proxy)
        async with proxy.client() as client:
            assert (await client.query("SELECT 1")).rows == [("1",)]


@RESET
@pytest.mark.parametrize("where", ["waiting for rows", "reading no rows"])
async def test_a_client_that_vanishes_at_a_query_of_its_own(
    start_proxy: StartProxy, where: str, reset: bool
) -> None:
    """askwire keeps nothing of it; PostgreSQL goes on with a query as it does for a client of its own."""
    async with start_proxy() as proxy:
        client = await WireClient.login(proxy.address, proxy.database.name)
        if where == "waiting for rows":
            client.send(messages.query(b"SELECT pg_sleep(1)"), messages.query(b"ASK 'x'"))
        else:
            client.writer.transport.pause_reading()  # type: ignore[attr-defined]
            client.send(messages.query(b"SELECT repeat('x', 1000) FROM generate_series(1, 20000)"))
        await quiet(proxy, client)
        await leave(client, reset=reset)
        await gone(proxy)


PACKET = startup({"user": "by_md5", "database": "postgres"})
OPENINGS = {"nothing": b"", "half a packet": PACKET[:9], "TLS": messages.SSL_REQUEST, "no password": PACKET}


@RESET
@pytest.mark.parametrize("sent", OPENINGS)
async def test_a_client_that_vanishes_before_its_log_in(
    start_proxy: StartProxy, sent: str, reset: bool
) -> None:
    async with start_proxy() as proxy:
        client = await WireClient.connect(*proxy.address)
        client.send(OPENINGS[sent])
        await client.drain()
        await proxy.until(lambda: len(proxy.server._sessions) == 1)
        if sent == "no password":
            await proxy.until(lambda: next(iter(proxy.server._sessions)).phase is Phase.LOGIN)
        await leave(client, reset=reset)
        await gone(proxy)


@RESET
async def test_a_client_that_vanishes_while_the_backend_is_sought(
    start_proxy: StartProxy, reset: bool, open_folder: Path
) -> None:
    """A server that takes connections, of which it accepts none."""
    taken = asyncio.Event()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        taken.set()
        await reader.read(100)
        await reader.read()

    async with (
        listening_at(accept) as port,
        start_proxy(backend=f"host=127.0.0.1 port={port} sslmode=require") as proxy,
    ):
        client = await WireClient.connect(*proxy.address)
        client.send(startup({"user": "postgres", "database": "postgres"}))
        await client.drain()
        await taken.wait()
        client.abort()
        async with in_time():
            await proxy.until(lambda: not proxy.server._sessions)


async def test_a_peer_that_takes_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is closed with bytes in its buffer ends, whether the other end reads them or not."""
    monkeypatch.setattr("askwire.proxy.connection.streams.LINGER_SECONDS", 0.1)
    ended = asyncio.Event()

    class Listener:
        def side_received(self, side: Side, data: bytes) -> None:
            pass

        def side_eof(self, side: Side) -> None:
            pass

        def side_writable(self, side: Side, writable: bool) -> None:
            pass

        def side_lost(self, side: Side) -> None:
            ended.set()

    connected = asyncio.Event()
    side = Side(Listener(), connected.set)

    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: side, "127.0.0.1", 0)
    async with server:
        _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        await connected.wait()
        side.write(bytes(20_000_000))
        side.close()
        async with in_time():
            await ended.wait()
        writer.close()
