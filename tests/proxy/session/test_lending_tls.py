"""Sessions over TLS, on either side or both, are lent and taken back as those without."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from servers import openssl_files
from servers.openssl_files import Certificates
from servers.running_proxy import Proxy, StartProxy
from servers.tls_clients import NEEDS_OPENSSL, client_context
from servers.tls_database import TlsDatabase, in_front_of, with_tls
from servers.wire_client import COPY_DONE, WireClient, bind, copy_data, send_cancel, startup

from askwire.bench.faults.link import Plan, link
from askwire.proxy.connection.tls_transport import TlsTransport
from askwire.proxy.session.relay import lender
from askwire.proxy.session.session import Session
from askwire.proxy.wire import messages, passage

pytestmark = NEEDS_OPENSSL

PATIENCE = 20.0


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lend without waiting whether more that is unusual comes."""
    try:
        passage.open_ring().close()
    except OSError as error:
        pytest.skip(f"the system has no io_uring for us: {error}")
    monkeypatch.setattr(lender, "REST_SECONDS", 0)


@pytest.fixture(scope="module")
def certificates(module_folder: Path) -> Certificates:
    return openssl_files.make(module_folder / "certificates", "localhost")


@pytest.fixture
def shown(certificates: Certificates) -> dict[str, str]:
    return {"ssl_cert_file": str(certificates.certificate), "ssl_key_file": str(certificates.key)}


def lent(session: Session) -> bool:
    relay = session.relay
    return relay is not None and relay._passage is not None and relay._passage.lent


def only(proxy: Proxy) -> Session:
    (session,) = proxy.server._sessions
    return session


@dataclass(frozen=True)
class Place:
    """A way to start the proxy: with which settings, and how its clients use TLS, None for those that do not.

    `database` is the server behind it where that uses TLS; it may be reached at another `port`.
    """

    start_proxy: StartProxy
    settings: dict[str, str]
    context: ssl.SSLContext | None
    database: TlsDatabase | None

    def start(self, port: int = 0, /, **given: str) -> AbstractAsyncContextManager[Proxy]:
        if self.database is None:
            return self.start_proxy(**self.settings, **given)
        behind = f"host=127.0.0.1 sslmode=require port={port or self.database.port}"
        return in_front_of(self.database, behind, **self.settings, **given)

    async def login(self, proxy: Proxy) -> WireClient:
        return await WireClient.login(proxy.address, proxy.database.name, context=self.context)

    @asynccontextmanager
    async def one(self) -> AsyncIterator[tuple[Proxy, WireClient, Session]]:
        """A session that is lent."""
        async with self.start() as proxy:
            for shared in (proxy.server._client_tls, proxy.server._backend_tls if self.database else None):
                if shared and not shared.is_compiled:
                    pytest.skip("Python's OpenSSL cannot be shared")
            client = await self.login(proxy)
            await proxy.until(lambda: lent(only(proxy)))
            yield proxy, client, only(proxy)
            if client.writer.get_extra_info("socket") and not client.writer.is_closing():
                client.abort()


@pytest.fixture(scope="module")
def tls_database(module_folder: Path, certificates: Certificates) -> Iterator[TlsDatabase]:
    with with_tls(module_folder, certificates) as database:
        yield database


@pytest.fixture(params=["client", "backend", "both"])
def place(
    start_proxy: StartProxy,
    certificates: Certificates,
    shown: dict[str, str],
    request: pytest.FixtureRequest,
) -> Place:
    database = None if request.param == "client" else request.getfixturevalue("tls_database")
    if request.param == "backend":
        return Place(start_proxy, {}, None, database)
    return Place(start_proxy, shown, client_context(certificates), database)


async def test_it_passes_what_is_usual_and_counts_it_in_clear(place: Place) -> None:
    async with place.one() as (_, client, session):
        before = session.client.received
        for _ in range(10):
            assert (await client.query("SELECT 1")).rows == [("1",)]
            assert lent(session)
        assert session.client.received - before == 10 * len(messages.query(b"SELECT 1"))
        assert (await client.extended("SELECT 2")).rows == [("2",)]


async def test_what_is_unusual_takes_it_back_and_it_is_lent_again(place: Place) -> None:
    async with place.one() as (proxy, client, session):
        for _ in range(3):
            assert (await client.query("ASK 'x'")).rows == [("42",)]
            assert (await client.query("selec 1")).codes == ["42601"]
            await client.query("SET application_name = 'lent'")
            assert (
                len((await client.query("SELECT repeat('x', 1000) FROM generate_series(1, 5000)")).rows)
                == 5000
            )
            text = "x" * 100_000
            assert (await client.query(f"SELECT length('{text}')")).rows == [("100000",)]
            await proxy.until(lambda: lent(session))
        assert session.parameters["application_name"] == "lent"


async def test_a_cancel_and_an_idle_transaction(place: Place) -> None:
    async with place.one() as (proxy, client, session):
        await client.query("BEGIN")
        await proxy.until(lambda: not session.waits)
        assert session.in_transaction
        assert lent(session)
        client.send(messages.query(b"SELECT pg_sleep(60)"))
        await proxy.running("pg_sleep")
        await send_cancel(proxy.address, client.process_id, client.secret)
        assert (await client.answer()).codes == ["57014"]


@pytest.mark.parametrize("how", ["goodbye", "close_notify", "end", "reset"])
async def test_a_client_that_goes_leaves_nothing(place: Place, how: str) -> None:
    async with place.one() as (proxy, client, _):
        await client.query("BEGIN")
        if how == "goodbye":
            await client.close()
        elif how == "close_notify":
            client.writer.close()
        elif how == "end":
            sock = client.writer.get_extra_info("socket")
            with socket.socket(fileno=os.dup(sock.fileno())) as copied:
                copied.shutdown(socket.SHUT_WR)
        else:
            client.abort()
        await proxy.until(lambda: not proxy.server._sessions)
        await proxy.settles_at(0)


async def test_the_end_is_told(place: Place) -> None:
    async with place.one() as (proxy, client, _):
        await proxy.server.drain()
        assert await client.ended_with() == "57P01"
    async with place.one() as (_, client, _):
        client.send(messages.query(b"SELECT pg_terminate_backend(pg_backend_pid())"))
        assert await client.ended_with() == "57P01"


async def test_a_slow_reader_gets_all_of_it(place: Place) -> None:
    async with place.one() as (_, client, session):
        client.writer.transport.pause_reading()  # type: ignore[attr-defined]
        client.send(messages.query(b"SELECT i, repeat('x', 1000) FROM generate_series(1, 20000) i"))
        await asyncio.sleep(0.5)
        assert session.client.sent < 20_000_000
        client.writer.transport.resume_reading()  # type: ignore[attr-defined]
        rows = (await client.answer()).rows
        assert [int(row[0] or "") for row in rows] == list(range(1, 20001))


async def test_many_queries_at_once_keep_their_order(place: Place) -> None:
    async with place.one() as (proxy, client, session):
        for round_ in range(20):
            sent = [f"SELECT {number}" if number % 7 else "ASK 'x'" for number in range(1, round_ + 2)]
            for text in sent:
                client.send(messages.query(text.encode()))
            for text in sent:
                rows = (await client.answer()).rows
                assert rows == [(text[7:],)] if text.startswith("SELECT") else [("42",)]
            await proxy.until(lambda: lent(session))


async def test_long_rows_and_copies(place: Place) -> None:
    async with place.one() as (proxy, client, session):
        await client.query("CREATE TEMP TABLE copied (line text)")
        for _ in range(2):
            (row,) = (await client.query("SELECT repeat('x', 1000000)")).rows
            assert row == ("x" * 1_000_000,)
            await proxy.until(lambda: lent(session))
            client.send(messages.query(b"COPY copied FROM STDIN"))
            await client.until("G")
            for _ in range(500):
                client.send(copy_data(b"y" * 999 + b"\n"))
            client.send(COPY_DONE)
            assert (await client.answer()).tags == ["COPY 500"]
            await proxy.until(lambda: lent(session))
            client.send(messages.query(b"COPY copied TO STDOUT"))
            copied = b"".join((await client.answer()).of("d"))
            assert copied == (b"y" * 999 + b"\n") * 500
            await client.query("TRUNCATE copied")
            await proxy.until(lambda: lent(session))


ROWS = "SELECT i, repeat('x', 1000) FROM generate_series(1, 1000000) i"


async def test_a_backend_that_is_ended_in_the_middle_of_rows(place: Place) -> None:
    async with place.one() as (proxy, client, _):
        client.send(messages.query(ROWS.encode()))
        await client.until("D")
        proxy.observer.execute(f"SELECT pg_terminate_backend({client.process_id})".encode())
        # while it waits for its client to read, PostgreSQL cannot say why
        assert await client.ended_with() in {"57P01", ""}
        await proxy.until(lambda: not proxy.server._sessions)


@pytest.mark.parametrize("how", ["close", "reset", "half"])
@pytest.mark.parametrize("busy", [False, True])
async def test_a_backend_that_vanishes_leaves_nothing(place: Place, how: str, busy: bool) -> None:
    if place.database is None:
        pytest.skip("that of a backend without TLS is shown elsewhere")
    async with link("127.0.0.1", place.database.port) as between, place.start(between.port) as proxy:
        client = await place.login(proxy)
        await proxy.until(lambda: lent(only(proxy)))
        between.plan = Plan(cut_after=100_000 if busy else 0, how=how)
        client.send(messages.query(ROWS.encode() if busy else b"SELECT 1"))
        assert await client.ended_with() == ""
        await proxy.until(lambda: not proxy.server._sessions)
        client.writer.close()


class Program:
    """`openssl s_client`, which can do what Python's library offers no call for."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._said = b""

    def send(self, data: bytes) -> None:
        assert self._process.stdin
        self._process.stdin.write(data)

    async def until(self, what: bytes) -> bytes:
        """What it says up to that."""
        assert self._process.stdout
        async with asyncio.timeout(PATIENCE):
            while what not in self._said:
                more = await self._process.stdout.read(65536)
                assert more, self._said
                self._said += more
        before, _, self._said = self._said.partition(what)
        return before


@asynccontextmanager
async def program(proxy: Proxy, *options: str) -> AsyncIterator[Program]:
    """Logged in."""
    host, port = proxy.address
    process = await asyncio.create_subprocess_exec(
        *("openssl", "s_client", "-starttls", "postgres", "-connect", f"{host}:{port}", *options),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        client = Program(process)
        client.send(startup({"user": "postgres", "database": proxy.database.name}))
        await client.until(b"Z\0\0\0\5I")
        yield client
    finally:
        process.kill()
        await process.wait()
    await proxy.until(lambda: not proxy.server._sessions)


async def test_a_client_renews_the_keys(
    start_proxy: StartProxy, certificates: Certificates, shown: dict[str, str]
) -> None:
    """TLS 1.3's KeyUpdate, which is answered: the program does so for a line with a K."""
    async with start_proxy(**shown) as proxy, program(proxy, "-tls1_3") as client:
        for number in range(6):
            text = f"SELECT 'answer {number}'".encode()
            client.send(messages.parse(b"", text) + bind() + messages.execute(b"") + messages.SYNC)
            await client.until(f"answer {number}".encode())
            await client.until(b"Z\0\0\0\5I")
            if number % 2:
                await proxy.until(lambda: lent(only(proxy)))
            client.send(b"K\n")
            await client.until(b"KEYUPDATE")


@pytest.mark.parametrize("version", ["-tls1_2", "-tls1_3"])
async def test_a_client_wants_short_records(
    start_proxy: StartProxy, certificates: Certificates, shown: dict[str, str], version: str
) -> None:
    """What it is sent may need more room than the thread has."""
    short = "-quiet", "-maxfraglen", "512", version
    async with start_proxy(**shown) as proxy, program(proxy, *short) as client:
        for size in (1000, 15_790, 15_000, 15_790):
            await proxy.until(lambda: lent(only(proxy)))
            client.send(messages.query(f"SELECT repeat('x', {size})".encode()))
            assert (await client.until(b"Z\0\0\0\5I")).count(b"x") == size


async def test_without_the_ring_or_the_compiled_part(place: Place) -> None:
    for without in ("io_uring", "compiled_relay"):
        async with place.start(**{without: "off"}) as proxy:
            client = await place.login(proxy)
            session = only(proxy)
            assert session._backend
            for side, over_tls in ((session.client, place.context), (session._backend, place.database)):
                transport = side.transport
                assert isinstance(transport, TlsTransport) is (over_tls is not None)
                if isinstance(transport, TlsTransport):
                    assert (transport.records is None) is (without == "compiled_relay")
            assert (await client.query("SELECT 1")).rows == [("1",)]
            assert (await client.query("ASK 'x'")).rows == [("42",)]
            assert not lent(only(proxy))
            await client.close()
