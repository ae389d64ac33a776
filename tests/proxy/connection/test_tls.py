"""TLS towards clients and towards the backend, in the modes of libpq's sslmode."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import socket
import ssl
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from doubles.scripted_resolver import ScriptedResolver
from servers.listening import listening_at
from servers.openssl_files import Certificates
from servers.running_proxy import Database, Proxy, StartProxy
from servers.tls_clients import NEEDS_OPENSSL, ROWS, ask, client_context
from servers.tls_database import TlsDatabase, in_front_of, with_tls
from servers.wire_client import PROTOCOL_3_0, PROTOCOL_3_2, ServerRefused, WireClient, send_cancel, startup

from askwire.bench.faults.link import RESET
from askwire.core.errors import ConfigurationError, DatabaseFailed
from askwire.core.settings.table import load
from askwire.proxy.checking.greeting import greet
from askwire.proxy.connection.tls_transport import MAX_UNREAD_ANSWER_BYTES, TlsTransport
from askwire.proxy.log import session_id
from askwire.proxy.server import Server
from askwire.proxy.session.statements.own_connection import connected, read_target
from askwire.proxy.wire import messages
from askwire.proxy.wire.messages import SSL_REQUEST

pytestmark = NEEDS_OPENSSL

COMPILED_OR_NOT = pytest.mark.parametrize("compiled", ["on", "off"], ids=["compiled", "python"])
SOURCE_LINE = re.compile(r" \(_ssl\.c:\d+\)$")
NOT_DECRYPTED = "a record was not decrypted"
SPOILED_RECORD = re.compile(
    r"\[SSL: (DECRYPTION_FAILED_OR_BAD_RECORD_MAC\] decryption failed or bad record mac"
    r"|RECORD_LAYER_FAILURE\] record layer failure)"  # of OpenSSL 3.5
)
"""Which Python's module adds."""


# -- towards clients -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "encrypted"), [("disable", False), ("prefer", True), ("require", True), ("verify-full", True)]
)
async def test_a_client_chooses(
    start_proxy: StartProxy, shown: dict[str, str], certificates: Certificates, mode: str, encrypted: bool
) -> None:
    async with start_proxy(**shown) as proxy:
        dsn = proxy.dsn().replace("host=", "host=localhost hostaddr=")
        dsn += f" sslmode={mode} sslrootcert={certificates.authority}"
        assert await asyncio.to_thread(ask, dsn) == (encrypted, ROWS)


async def test_a_client_that_wants_more_than_the_server_has_is_told_no(proxy: Proxy) -> None:
    with pytest.raises(psycopg.OperationalError, match="server does not support SSL"):
        await asyncio.to_thread(ask, proxy.dsn() + " sslmode=require")


async def test_a_client_that_does_not_trust_the_certificate_leaves_nothing(
    start_proxy: StartProxy, shown: dict[str, str], certificates: Certificates
) -> None:
    async with start_proxy(**shown) as proxy:
        dsn = proxy.dsn() + f" sslmode=verify-ca sslrootcert={certificates.other_authority}"
        with pytest.raises(psycopg.OperationalError, match="certificate verify failed"):
            await asyncio.to_thread(ask, dsn)
        await proxy.until(lambda: not proxy.server._sessions)


async def test_a_client_in_the_clear_is_refused_when_tls_is_required(
    start_proxy: StartProxy, shown: dict[str, str]
) -> None:
    async with start_proxy(ssl_required="on", **shown) as proxy:
        with pytest.raises(ServerRefused) as refused:
            await WireClient.login(proxy.address, proxy.database.name)
        assert refused.value.code == "28000"
        assert await asyncio.to_thread(ask, proxy.dsn() + " sslmode=prefer") == (True, ROWS)


async def test_bytes_in_the_clear_behind_the_request_are_refused(
    start_proxy: StartProxy, shown: dict[str, str]
) -> None:
    """They could have been injected by somebody in the middle, in front of what is encrypted."""
    async with start_proxy(**shown) as proxy:
        client = await WireClient.connect(*proxy.address)
        client.send(SSL_REQUEST + startup({"user": "postgres", "database": proxy.database.name}))
        assert await client.ended_with() == "08P01"
        client.writer.close()


async def test_a_handshake_that_fails_leaves_nothing(start_proxy: StartProxy, shown: dict[str, str]) -> None:
    async with start_proxy(**shown) as proxy:
        for garbage in (b"GET / HTTP/1.1\r\n\r\n" * 10, b""):
            client = await WireClient.connect(*proxy.address)
            client.send(SSL_REQUEST)
            assert await client.receive_exactly(1) == b"S"
            client.send(garbage)
            client.writer.close()
            await proxy.until(lambda: not proxy.server._sessions)


async def test_a_handshake_that_stalls_meets_the_log_in_time_out(
    start_proxy: StartProxy, shown: dict[str, str]
) -> None:
    async with start_proxy(login_timeout="200ms", **shown) as proxy:
        client = await WireClient.connect(*proxy.address)
        client.send(SSL_REQUEST)
        assert await client.receive_exactly(1) == b"S"
        # no words without encryption in the middle of a handshake
        assert await client.ended() == []
        client.writer.close()


class HandshakeInHand:
    """A TLS client whose bytes the test sends when it likes."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost")

    def step(self) -> bool:
        """Go on with the handshake; whether it has ended."""
        try:
            self.tls.do_handshake()
        except ssl.SSLWantReadError:
            return False
        return True


async def test_a_start_up_packet_in_one_segment_with_the_end_of_the_handshake(
    start_proxy: StartProxy, shown: dict[str, str], certificates: Certificates
) -> None:
    """It arrives while the proxy is still busy with the handshake, and nothing else comes to wake it."""
    async with start_proxy(**shown) as proxy:
        reader, writer = await asyncio.open_connection(*proxy.address)
        writer.write(SSL_REQUEST)
        assert await reader.readexactly(1) == b"S"
        hand = HandshakeInHand(client_context(certificates))
        while not hand.step():
            writer.write(hand.outgoing.read())
            async with asyncio.timeout(10):
                hand.incoming.write(await reader.read(65536))
        hand.tls.write(startup({"user": "postgres", "database": proxy.database.name}))
        writer.write(hand.outgoing.read())
        said = b""
        while not said.endswith(messages.frame(b"Z", b"I")):
            async with asyncio.timeout(10):
                hand.incoming.write(await reader.read(65536))
            with suppress(ssl.SSLWantReadError):
                while True:
                    said += hand.tls.read()
        writer.close()
        await writer.wait_closed()


async def test_a_session_over_tls_does_everything(
    start_proxy: StartProxy, shown: dict[str, str], certificates: Certificates
) -> None:
    async with start_proxy(**shown) as proxy:
        client = await WireClient.login(
            proxy.address, proxy.database.name, context=client_context(certificates)
        )
        assert (await client.query("ASK 'x'")).rows == [("42",)]
        assert len((await client.query("SELECT repeat('x', 3000000)")).rows[0][0] or "") == 3_000_000
        gate = proxy.resolver.waits("think")
        client.send(messages.query(b"ASK 'think'"))
        await gate.reached()
        await send_cancel(proxy.address, client.process_id, client.secret)
        assert (await client.answer()).codes == ["57014"]
        await client.close()
        await proxy.until(lambda: not proxy.server._sessions)


async def test_a_final_message_reaches_a_client_over_tls(
    start_proxy: StartProxy, shown: dict[str, str], certificates: Certificates
) -> None:
    async with start_proxy(**shown) as proxy:
        client = await WireClient.login(
            proxy.address, proxy.database.name, context=client_context(certificates)
        )
        client.send(messages.query(b"SELECT pg_terminate_backend(pg_backend_pid())"))
        assert await client.ended_with() == "57P01"
        client.writer.close()


class Said(logging.Handler):
    """What is logged of sessions, with the session's number."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[tuple[str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append((session_id.get(), record.getMessage()))


@pytest.fixture
def said() -> Iterator[Said]:
    heard, logger = Said(), logging.getLogger("askwire.session")
    before = logger.level
    logger.setLevel(logging.INFO)
    logger.addHandler(heard)
    yield heard
    logger.removeHandler(heard)
    logger.setLevel(before)


@COMPILED_OR_NOT
@pytest.mark.parametrize("how", ["spoiled", "unread", "end"])
async def test_what_a_client_does_wrong_is_logged_once(
    start_proxy: StartProxy,
    certificates: Certificates,
    shown: dict[str, str],
    compiled: str,
    said: Said,
    how: str,
) -> None:
    """An end without a close_notify is no more than one without TLS."""
    async with start_proxy(**shown, compiled_relay=compiled) as proxy:
        context = client_context(certificates)
        client = await WireClient.login(proxy.address, proxy.database.name, context=context)
        (session,) = proxy.server.sessions
        transport = session.client.transport
        assert isinstance(transport, TlsTransport)
        if how == "unread":
            transport.pause_writing()
            transport._answer(bytes(MAX_UNREAD_ANSWER_BYTES + 1))
        else:
            with socket.socket(fileno=os.dup(client.writer.get_extra_info("socket").fileno())) as below:
                if how == "spoiled":
                    below.send(b"\x17\x03\x03\0\x20" + bytes(32))
                else:
                    below.shutdown(socket.SHUT_WR)
        await proxy.until(lambda: not proxy.server.sessions)
        client.writer.close()
    expected = {
        "spoiled": NOT_DECRYPTED,
        "unread": "the peer asks for more than it reads",
        "end": "",
    }[how]
    lines = [
        (number, SPOILED_RECORD.sub(NOT_DECRYPTED, SOURCE_LINE.sub("", line))) for number, line in said.lines
    ]
    closed = (str(session.number), f"session closed: TLS with the client failed: {expected}")
    assert lines == ([closed] if expected else [])


async def test_what_a_backend_does_wrong_is_logged_once(said: Said, tls_database: TlsDatabase) -> None:
    async with in_front_of(tls_database, "host=127.0.0.1 sslmode=require") as proxy:
        client = await WireClient.login(proxy.address, "postgres")
        (session,) = proxy.server.sessions
        assert session._backend
        transport = session._backend.transport
        assert isinstance(transport, TlsTransport)
        assert session.relay
        session.relay.stop()
        transport.data_received(b"\x17\x03\x03\0\x20" + bytes(32))
        assert await client.ended_with() == ""
        await proxy.until(lambda: not proxy.server.sessions)
        client.writer.close()
    ((number, line),) = said.lines
    assert number == str(session.number)
    assert re.match("session closed: TLS with the backend failed: " + SPOILED_RECORD.pattern, line)


@pytest.mark.parametrize("compiled", ["on", "off"])
async def test_the_address_of_a_client_that_was_reset_is_still_known(
    start_proxy: StartProxy, compiled: str
) -> None:
    async with start_proxy(io_uring=compiled) as proxy:
        client = await WireClient.login(proxy.address, proxy.database.name)
        host, port = client.writer.get_extra_info("sockname")
        (session,) = proxy.server.sessions
        assert (session.peer, session.client.host) == (f"{host}:{port}", host)
        sock = client.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        client.abort()
        await proxy.until(lambda: not proxy.server.sessions)
        assert (session.peer, session.client.host) == (f"{host}:{port}", host)


def test_files_that_cannot_be_used_stop_the_start(certificates: Certificates, tmp_path: Path) -> None:
    nonsense = tmp_path / "nonsense.pem"
    nonsense.write_text("nonsense")
    for given in (
        {"ssl_cert_file": str(tmp_path / "missing.pem")},
        {"ssl_cert_file": str(nonsense)},
        {"ssl_cert_file": str(certificates.certificate), "ssl_key_file": str(nonsense)},
        {"ssl_cert_file": str(certificates.certificate), "ssl_key_file": str(certificates.other_key)},
        {"ssl_cert_file": str(certificates.certificate), "ssl_key_file": str(certificates.locked_key)},
        {"ssl_key_file": str(certificates.key)},
        {"ssl_required": "on"},
        {"ssl_cert_file": str(certificates.certificate), "ssl_key_file": str(certificates.key)}
        | {"ssl_ciphers": "no such cipher"},
        {"backend": f"host=a sslmode=verify-ca sslrootcert={nonsense}"},
        {"backend": f"host=a sslmode=verify-ca sslrootcert={tmp_path / 'missing.pem'}"},
    ):
        settings = load({"backend": "host=127.0.0.1", **given})
        with pytest.raises(ConfigurationError):
            Server(settings, ScriptedResolver(settings))


# -- towards the backend ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tls_database(module_folder: Path, certificates: Certificates) -> Iterator[TlsDatabase]:
    with with_tls(module_folder, certificates) as database:
        yield database


ENCRYPTED = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"


@pytest.mark.parametrize(
    ("backend", "encrypted"),
    [
        ("host=127.0.0.1 sslmode=disable", "f"),
        ("host=127.0.0.1 sslmode=allow", "f"),
        ("host=127.0.0.1", "t"),
        ("host=127.0.0.1 sslmode=prefer", "t"),
        ("host=127.0.0.1 sslmode=require", "t"),
        ("host=127.0.0.1 sslmode=verify-ca sslrootcert={right}", "t"),
        ("host=localhost sslmode=verify-full sslrootcert={right}", "t"),
        ("host=127.0.0.1 sslmode=verify-full sslrootcert={right}", ""),
        ("host=localhost hostaddr=127.0.0.1 sslmode=verify-full sslrootcert={right}", "t"),
        ("host=no.such.name hostaddr=127.0.0.1 sslmode=verify-ca sslrootcert={right}", "t"),
        ("host=no.such.name hostaddr=127.0.0.1 sslmode=verify-full sslrootcert={right}", ""),
        ("host=127.0.0.1 sslmode=verify-ca sslrootcert={wrong}", ""),
        ("host=127.0.0.1 sslmode=require sslrootcert={wrong}", ""),
        ("host=127.0.0.1 sslmode=verify-ca", ""),
        ("host=localhost sslmode=verify-full sslrootcert=system", ""),
    ],
)
@COMPILED_OR_NOT
async def test_the_mode_towards_the_backend(
    tls_database: TlsDatabase, certificates: Certificates, backend: str, encrypted: str, compiled: str
) -> None:
    backend = backend.format(right=certificates.authority, wrong=certificates.other_authority)
    async with in_front_of(tls_database, backend, compiled_relay=compiled) as proxy:
        if encrypted:
            async with proxy.client() as client:
                assert (await client.query(ENCRYPTED)).rows == [(encrypted,)]
                assert (await client.query("ASK 'x'")).rows == [("42",)]
        else:
            with pytest.raises(ServerRefused) as refused:
                await WireClient.login(proxy.address, "postgres")
            assert refused.value.code == "08001"


@pytest.mark.parametrize(
    ("backend", "reason"),
    [
        ("host=127.0.0.1 sslmode=verify-full sslrootcert={right}", "IP address mismatch, certificate"),
        (
            "host=no.such.name sslmode=verify-full sslrootcert={right}",
            "Hostname mismatch, certificate is not",
        ),
        ("host=localhost sslmode=verify-full sslrootcert={wrong}", "unable to get local issuer certificate"),
    ],
)
async def test_a_certificate_is_refused_in_the_same_words(
    tls_database: TlsDatabase, certificates: Certificates, backend: str, reason: str
) -> None:
    backend = backend.format(right=certificates.authority, wrong=certificates.other_authority)
    said = []
    for compiled in ("on", "off"):
        async with in_front_of(
            tls_database, f"{backend} hostaddr=127.0.0.1", compiled_relay=compiled
        ) as proxy:
            with pytest.raises(ServerRefused) as refused:
                await WireClient.login(proxy.address, "postgres")
            assert refused.value.code == "08001"
            said.append(SOURCE_LINE.sub("", refused.value.fields["M"]))
    assert said[0] == said[1]
    assert f"[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: {reason}" in said[0]


REFUSED = "28000"


@pytest.mark.parametrize(
    ("mode", "role", "encrypted"),
    [
        ("allow", "over_tls", "t"),
        ("allow", "in_the_clear", "f"),
        ("allow", "nowhere", REFUSED),
        ("prefer", "over_tls", "t"),
        ("prefer", "in_the_clear", "f"),
        ("prefer", "nowhere", REFUSED),
        ("require", "in_the_clear", REFUSED),
        ("disable", "over_tls", REFUSED),
    ],
)
@COMPILED_OR_NOT
async def test_a_backend_that_refuses_is_asked_the_other_way(
    tls_database: TlsDatabase, mode: str, role: str, encrypted: str, compiled: str
) -> None:
    """What libpq would do at the proxy's place."""
    backend = f"host=127.0.0.1 sslmode={mode}"
    libpq = f"{backend} port={tls_database.port} user={role} dbname=postgres"
    if encrypted != REFUSED:
        with psycopg.connect(libpq) as direct:
            assert direct.pgconn.ssl_in_use is (encrypted == "t")
    async with in_front_of(tls_database, backend, compiled_relay=compiled) as proxy:
        if encrypted == REFUSED:
            with pytest.raises(ServerRefused) as refused:
                await WireClient.login(proxy.address, "postgres", role)
            assert refused.value.code == REFUSED
            return
        for protocol in (PROTOCOL_3_0, PROTOCOL_3_2):
            async with proxy.client(role, protocol=protocol) as client:
                assert (await client.query(ENCRYPTED)).rows == [(encrypted,)]
                client.send(messages.query(b"SELECT pg_sleep(60)"))
                await proxy.running("pg_sleep")
                await send_cancel(proxy.address, client.process_id, client.secret)
                assert (await client.answer()).codes == ["57014"]


@pytest.mark.parametrize(
    ("mode", "role", "encrypted"),
    [("allow", "over_tls", True), ("prefer", "in_the_clear", False), ("prefer", "nowhere", False)],
)
async def test_a_connection_of_our_own_is_made_the_other_way(
    tls_database: TlsDatabase, mode: str, role: str, encrypted: bool
) -> None:
    target = read_target(f"host=127.0.0.1 port={tls_database.port} sslmode={mode} user={role}", {})
    target = replace(target, database="postgres")
    greeting = await greet(target)
    assert (greeting.encrypted, bool(greeting.refusal)) == (
        encrypted and role != "nowhere",
        role == "nowhere",
    )
    if role == "nowhere":
        with pytest.raises(DatabaseFailed, match="rejects connection"):
            async with connected(target):
                pass
    else:
        async with connected(target) as connection:
            assert await connection.simple(ENCRYPTED)


async def test_the_first_refusal_is_told_where_there_is_no_other_way(start_proxy: StartProxy) -> None:
    """`allow` in front of a server without TLS: what it said without encryption is what the client hears."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = await reader.readexactly(8)
        writer.write(b"N" if first == SSL_REQUEST else messages.fatal("53300", "no room"))
        asked.append(first == SSL_REQUEST)

    asked: list[bool] = []
    async with (
        listening_at(refuse) as port,
        start_proxy(backend=f"host=127.0.0.1 port={port} sslmode=allow") as proxy,
    ):
        with pytest.raises(ServerRefused) as refused:
            await WireClient.login(proxy.address, proxy.database.name)
        assert (refused.value.code, asked) == ("53300", [False, True])


async def test_a_backend_without_tls(start_proxy: StartProxy, empty_database: Database) -> None:
    backend = f"host=127.0.0.1 port={empty_database.port}"
    async with start_proxy(backend=f"{backend} sslmode=prefer") as proxy, proxy.client() as client:
        assert (await client.query(ENCRYPTED)).rows == [("f",)]
    async with start_proxy(backend=f"{backend} sslmode=require") as proxy:
        with pytest.raises(ServerRefused) as refused:
            await WireClient.login(proxy.address, proxy.database.name)
        assert refused.value.code == "08001"


@COMPILED_OR_NOT
async def test_a_cancel_reaches_a_backend_over_tls(tls_database: TlsDatabase, compiled: str) -> None:
    async with (
        in_front_of(tls_database, "host=127.0.0.1 sslmode=require", compiled_relay=compiled) as proxy,
        proxy.client() as client,
    ):
        proxy.resolver.sleeps("sleep")
        for sql in (b"SELECT pg_sleep(60)", b"ASK 'sleep'"):
            client.send(messages.query(sql))
            await proxy.running("pg_sleep")
            await send_cancel(proxy.address, client.process_id, client.secret)
            assert (await client.answer()).codes == ["57014"]


@COMPILED_OR_NOT
async def test_a_password_is_proved_through_one_leg_of_tls(tls_database: TlsDatabase, compiled: str) -> None:
    """The backend offers channel binding then; a client without encryption would take that for an attack."""
    async with in_front_of(tls_database, "host=127.0.0.1 sslmode=require", compiled_relay=compiled) as proxy:
        dsn = proxy.dsn("by_scram") + " password=secret sslmode=disable"
        assert await asyncio.to_thread(ask, dsn) == (False, ROWS)
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            await asyncio.to_thread(ask, proxy.dsn("by_scram") + " password=wrong sslmode=disable")


async def test_a_password_is_proved_through_the_other_leg_of_tls(
    tls_database: TlsDatabase, shown: dict[str, str]
) -> None:
    async with in_front_of(tls_database, "host=127.0.0.1 sslmode=disable", **shown) as proxy:
        dsn = proxy.dsn("by_scram") + " password=secret sslmode=require"
        assert await asyncio.to_thread(ask, dsn) == (True, ROWS)


@COMPILED_OR_NOT
async def test_a_password_is_proved_through_both_legs_of_tls_without_channel_binding(
    tls_database: TlsDatabase, shown: dict[str, str], compiled: str
) -> None:
    async with in_front_of(
        tls_database, "host=127.0.0.1 sslmode=require", compiled_relay=compiled, **shown
    ) as proxy:
        dsn = proxy.dsn("by_scram") + " password=secret sslmode=require channel_binding=disable"
        assert await asyncio.to_thread(ask, dsn) == (True, ROWS)


@COMPILED_OR_NOT
async def test_channel_binding_holds_where_both_ends_show_one_certificate(
    tls_database: TlsDatabase, shown: dict[str, str], compiled: str
) -> None:
    async with in_front_of(
        tls_database, "host=127.0.0.1 sslmode=require", compiled_relay=compiled, **shown
    ) as proxy:
        dsn = proxy.dsn("by_scram") + " password=secret sslmode=require channel_binding=require"
        assert await asyncio.to_thread(ask, dsn) == (True, ROWS)
