"""Sessions whose clients use TLS are lent, and taken back when Python needs them: as those without."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from servers import openssl_files
from servers.openssl_files import Certificates
from servers.running_proxy import Proxy, StartProxy
from servers.tls_clients import NEEDS_OPENSSL, client_context
from servers.wire_client import WireClient, bind, send_cancel, startup

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
    monkeypatch.setattr(lender, "REST", 0)


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


@asynccontextmanager
async def one(
    start_proxy: StartProxy, certificates: Certificates, **given: str
) -> AsyncIterator[tuple[Proxy, WireClient, Session]]:
    """A session that is lent."""
    async with start_proxy(**given) as proxy:
        if not (proxy.server._client_tls and proxy.server._client_tls.is_compiled):
            pytest.skip("Python's OpenSSL cannot be shared")
        context = client_context(certificates)
        client = await WireClient.login(proxy.address, proxy.database.name, context=context)
        await proxy.until(lambda: lent(only(proxy)))
        yield proxy, client, only(proxy)
        if client.writer.get_extra_info("socket") and not client.writer.is_closing():
            client.abort()


async def test_it_passes_what_is_usual_and_counts_it_in_clear(
    start_proxy: StartProxy, certificates: Certificates, shown: dict[str, str]
) -> None:
    async with one(start_proxy, certificates, **shown) as (_, client, session):
        before = session.client.received
        for _ in range(10):
            assert (await client.query("SELECT 1")).rows == [("1",)]
            assert lent(session)
        assert session.client.received - before == 10 * len(messages.query(b"SELECT 1"))
        assert (await client.extended("SELECT 2")).rows == [("2",)]


async def test_what_is_unusual_takes_it_back_and_it_is_lent_again(
    start_proxy: StartProxy, certificates: Certificates, shown: dict[str, str]
) -> None:
    async with one(start_proxy, certificates, **shown) as (proxy, client, session):
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


async def test_a_cancel_and_an_idle_transaction(
    start_proxy: StartProxy, certificates: Certificates, shown: dict[str, str]
) -> None:
    async with one(start_proxy, certificates, **shown) as (proxy, client, session):
        await client.query("BEGIN")
        await proxy.until(lambda: not session.waits)
        assert session.in_transaction
        assert lent(session)
        client.send(messages.query(b"SELECT pg_sleep(60)"))
        await proxy.running("pg_sleep")
        await send_cancel(proxy.address, client.process_id, client.secret)
        assert (await client.answer()).codes == ["57014"]


@pytest.mark.parametrize("how", ["goodbye", "close_notify", "end", "reset"])
async def test_a_client_that_goes_leaves_nothing(
    start_proxy: StartProxy, certificates: Certificates, shown: dict[str, str], how: str
) -> None:
    async with one(start_proxy, certificates, **shown) as (proxy, client, _):
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


async def test_the_end_is_told(
    start_proxy: StartProxy, certificates: Certificates, shown: dict[str, str]
) -> None:
    async with one(start_proxy, certificates, **shown) as (proxy, client, _):
        await proxy.server.drain()
        assert await client.ended_with() == "57P01"
    async with one(start_proxy, certificates, **shown) as (_, client, _):
        client.send(messages.query(b"SELECT pg_terminate_backend(pg_backend_pid())"))
        assert await client.ended_with() == "57P01"


async def test_a_slow_reader_gets_all_of_it(
    start_proxy: StartProxy, certificates: Certificates, shown: dict[str, str]
) -> None:
    async with one(start_proxy, certificates, **shown) as (_, client, session):
        client.writer.transport.pause_reading()  # type: ignore[attr-defined]
        client.send(messages.query(b"SELECT i, repeat('x', 1000) FROM generate_series(1, 20000) i"))
        await asyncio.sleep(0.5)
        assert session.client.sent < 20_000_000
        client.writer.transport.resume_reading()  # type: ignore[attr-defined]
        rows = (await client.answer()).rows
        assert [int(row[0] or "") for row in rows] == list(range(1, 20001))


async def test_many_queries_at_once_keep_their_order(
    start_proxy: StartProxy, certificates: Certificates, shown: dict[str, str]
) -> None:
    async with one(start_proxy, certificates, **shown) as (proxy, client, session):
        for round_ in range(20):
            sent = [f"SELECT {number}" if number % 7 else "ASK 'x'" for number in range(1, round_ + 2)]
            for text in sent:
                client.send(messages.query(text.encode()))
            for text in sent:
                rows = (await client.answer()).rows
                assert rows == [(text[7:],)] if text.startswith("SELECT") else [("42",)]
            await proxy.until(lambda: lent(session))


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


async def test_without_the_ring_or_the_compiled_part(
    start_proxy: StartProxy, certificates: Certificates, shown: dict[str, str]
) -> None:
    context = client_context(certificates)
    for without in ("io_uring", "compiled_relay"):
        async with start_proxy(**shown, **{without: "off"}) as proxy:
            client = await WireClient.login(proxy.address, proxy.database.name, context=context)
            transport = only(proxy).client.transport
            assert isinstance(transport, TlsTransport)
            assert (transport.records is None) is (without == "compiled_relay")
            assert (await client.query("SELECT 1")).rows == [("1",)]
            assert (await client.query("ASK 'x'")).rows == [("42",)]
            assert not lent(only(proxy))
            await client.close()
