"""TLS over another transport: what is heard, in which order, and how it ends."""

from __future__ import annotations

import asyncio
import os
import shutil
import ssl
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Final, cast

import pytest
from servers import openssl_files
from servers.memory_transport import MemoryTransport
from servers.openssl_files import Certificates
from servers.tls_clients import NEEDS_OPENSSL, client_context

from askwire.core.settings.table import load
from askwire.proxy.connection import tls, tls_records, tls_transport
from askwire.proxy.connection.dsn import BackendAddress
from askwire.proxy.connection.tls_records import CHUNK_BYTES, BackendTls, PythonRecords, Records, ServerTls
from askwire.proxy.connection.tls_transport import TlsTransport

pytestmark = NEEDS_OPENSSL

MUCH: Final = bytes(range(256)) * 2048


class Lower(MemoryTransport):
    """What carries the records; `aborted` where it was not closed in peace."""

    def __init__(self) -> None:
        super().__init__()
        self.aborted = False
        self.protocol: asyncio.BaseProtocol | None = None

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self.protocol = protocol

    def abort(self) -> None:
        self.aborted = self.closed = True

    def take_back(self, unsent: bytes, unread: bytes, error: int | None, *, always: bool) -> None:
        self.write(unsent)

    def taken(self) -> bytes:
        data = bytes(self.written)
        self.written.clear()
        return data


class Heard(asyncio.Protocol):
    """Keeps what a transport says."""

    def __init__(self) -> None:
        self.data = b""
        self.calls: list[str] = []
        self.lost: Exception | None = None

    def data_received(self, data: bytes) -> None:
        self.data += data

    def eof_received(self) -> bool:
        self.calls.append("eof")
        return False

    def pause_writing(self) -> None:
        self.calls.append("pause")

    def resume_writing(self) -> None:
        self.calls.append("resume")

    def connection_lost(self, exc: Exception | None) -> None:
        self.calls.append("lost")
        self.lost = exc


class Pair:
    """A transport, a server's or a client's, and the other end without one."""

    def __init__(
        self, shown: dict[str, str], context: ssl.SSLContext, address: BackendAddress | None = None
    ) -> None:
        """`context` is the other end's; with an `address` ours is the client's."""
        compiled = shown["compiled_relay"] == "on"
        shared: ServerTls | BackendTls | None
        if address:
            shared = tls.backend_tls(address, compiled=compiled)
        else:
            shared = tls.client_tls(load({"backend": "host=localhost", **shown}))
        assert shared
        if compiled and not shared.is_compiled:
            pytest.skip("Python's OpenSSL cannot be shared, or there is no compiled part")
        self.lower = Lower()
        self.heard = Heard()
        self.records = shared.records()
        self.transport = TlsTransport(self.lower, self.heard, self.records)
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        if address:
            self.far = context.wrap_bio(self.incoming, self.outgoing, server_side=True)
        else:
            self.far = context.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost")

    async def shake(self, behind: bytes = b"") -> None:
        """The whole handshake; `behind` is sent with its last bytes."""
        waits = asyncio.ensure_future(self.transport.shake_hands())
        await asyncio.sleep(0)
        done = False
        try:
            while not waits.done() and not done:
                with suppress(ssl.SSLWantReadError):
                    self.far.do_handshake()
                    done = True
                    if behind:
                        self.far.write(behind)
                self.transport.data_received(self.outgoing.read())
                self.incoming.write(self.lower.taken())
        except ssl.SSLError:
            waits.cancel()
            with suppress(ssl.SSLError, asyncio.CancelledError):
                await waits
            raise
        await waits

    def sent(self) -> bytes:
        """What the client has been sent, in clear."""
        self.incoming.write(self.lower.taken())
        data = b""
        with suppress(ssl.SSLWantReadError):
            while more := self.far.read(65536):
                data += more
        return data

    def said(self, data: bytes) -> bytes:
        """The client's records."""
        self.far.write(data)
        return self.outgoing.read()

    def goodbye(self) -> bytes:
        """The client's close_notify."""
        with suppress(ssl.SSLError):
            self.far.unwrap()
        return self.outgoing.read()


@pytest.fixture(params=["on", "off"], ids=["compiled", "python"])
def shown(shown: dict[str, str], request: pytest.FixtureRequest) -> dict[str, str]:
    """Settings of either kind of records."""
    return {**shown, "compiled_relay": request.param}


@pytest.fixture(params=[ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3], ids=["1.2", "1.3"])
def context(certificates: Certificates, request: pytest.FixtureRequest) -> ssl.SSLContext:
    made = client_context(certificates)
    made.maximum_version = request.param
    return made


@pytest.fixture(params=["server", "client"])
async def pair(
    shown: dict[str, str],
    context: ssl.SSLContext,
    certificates: Certificates,
    request: pytest.FixtureRequest,
) -> Pair:
    """After the handshake, in either role."""
    if request.param == "server":
        made = Pair(shown, context)
    else:
        theirs = server_context(certificates)
        theirs.maximum_version = context.maximum_version
        made = Pair(shown, theirs, backend("localhost", certificates))
    await made.shake()
    return made


def server_context(certificates: Certificates) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates.certificate, certificates.key)
    return context


def backend(host: str, certificates: Certificates, mode: str = "verify-full") -> BackendAddress:
    return BackendAddress(host, sslmode=mode, sslrootcert=str(certificates.authority))


async def test_bytes_go_both_ways_however_they_are_cut(pair: Pair) -> None:
    for step in (1, 7, 5000, 1 << 30):
        records = pair.said(MUCH[: 300 * step])
        for at in range(0, len(records), step):
            pair.transport.data_received(records[at : at + step])
        assert pair.heard.data == MUCH[: 300 * step]
        pair.heard.data = b""
    for data in (b"one", bytearray(b"two"), memoryview(b"three"), b"", MUCH):
        pair.transport.write(data)
        assert pair.sent() == bytes(data)


async def test_what_follows_the_handshake_at_once_is_heard(
    shown: dict[str, str], context: ssl.SSLContext
) -> None:
    pair = Pair(shown, context)
    await pair.shake(behind=MUCH[:100])
    assert pair.heard.data == MUCH[:100]


async def test_much_is_taken_in_pieces_so_that_little_memory_stays(pair: Pair) -> None:
    pieces: list[int] = []

    class CountingRecords:
        """The records, but one call is counted."""

        def __getattr__(self, name: str) -> object:
            return getattr(pair.records, name)

        def decrypt(self, data: bytes | memoryview, /) -> bytes:
            pieces.append(len(data))
            return pair.records.decrypt(data)

    pair.transport._records = cast("Records", CountingRecords())
    pair.transport.data_received(pair.said(MUCH))
    assert pair.heard.data == MUCH
    assert max(pieces) == CHUNK_BYTES
    assert len(pieces) > len(MUCH) // CHUNK_BYTES


async def test_the_peers_goodbye_is_heard_behind_its_words_and_answered(pair: Pair) -> None:
    pair.transport.data_received(pair.said(b"last words") + pair.goodbye() + b"what no one reads")
    assert (pair.heard.data, pair.heard.calls) == (b"last words", ["eof"])
    assert (pair.lower.closed, pair.lower.aborted) == (True, False)
    pair.transport.write(b"too late")
    with pytest.raises(ssl.SSLZeroReturnError):  # the answer, and nothing in front of it
        pair.sent()
    pair.transport.connection_lost(None)
    assert (pair.heard.calls, pair.heard.lost) == (["eof", "lost"], None)


async def test_an_end_without_a_goodbye_is_no_end_of_the_stream(pair: Pair) -> None:
    """Else who is in the middle could cut off the rest."""
    pair.transport.data_received(pair.said(b"INSERT ...")[:-1])
    pair.transport.eof_received()
    assert pair.lower.aborted
    pair.transport.connection_lost(None)
    assert (pair.heard.data, pair.heard.calls) == (b"", ["lost"])
    assert isinstance(pair.heard.lost, ssl.SSLEOFError)


@pytest.mark.parametrize("spoiled", [b"\x17\x03\x03\x00\x20" + bytes(32), b"GET / HTTP/1.1\r\n\r\n"])
async def test_what_is_no_record_ends_the_connection_behind_what_precedes_it(
    pair: Pair, spoiled: bytes
) -> None:
    right, more = pair.said(b"right"), pair.said(b"more")
    pair.transport.data_received(right + spoiled)
    pair.transport.data_received(more)
    assert pair.heard.data == b"right"
    assert (pair.lower.closed, pair.lower.aborted) == (True, False)
    with pytest.raises(ssl.SSLError, match="ALERT"):  # the alert
        pair.sent()
    pair.transport.data_received(more)
    pair.transport.connection_lost(None)
    assert (pair.heard.data, pair.heard.calls) == (b"right", ["lost"])
    assert isinstance(pair.heard.lost, ssl.SSLError)


async def test_a_record_that_was_changed_is_not_heard(pair: Pair) -> None:
    records = bytearray(pair.said(b"1000 to Alice"))
    records[-1] ^= 1
    pair.transport.data_received(bytes(records))
    assert (pair.heard.data, pair.lower.closed) == (b"", True)


async def test_closing_says_so_behind_what_was_written(pair: Pair) -> None:
    pair.transport.write(b"last words")
    pair.transport.close()
    pair.transport.close()
    assert pair.transport.is_closing()
    assert pair.sent() == b"last words"
    assert pair.far.read(1) == b""  # the close_notify, without which this raises
    assert (pair.lower.closed, pair.lower.aborted) == (True, False)
    pair.transport.data_received(pair.goodbye())
    assert pair.heard.calls == []


async def test_records_that_a_thread_has_left_are_sent_at_once_behind_what_it_could_not_send(
    pair: Pair,
) -> None:
    """Even if no one wants to read: who does not may wait for the peer, and the peer for them."""
    pair.records.end()
    pair.transport.pause_reading()
    pair.transport.take_back(b"unsent", b"", None)
    sent = pair.lower.taken()
    assert sent.startswith(b"unsent")
    assert len(sent) > len(b"unsent")


async def test_aborting_says_nothing(pair: Pair) -> None:
    pair.transport.abort()
    pair.transport.write(b"x")
    assert (pair.lower.taken(), pair.lower.aborted) == (b"", True)


async def test_who_is_slow_is_told_and_reading_pauses(pair: Pair) -> None:
    pair.transport.pause_writing()
    pair.transport.resume_writing()
    assert pair.heard.calls == ["pause", "resume"]
    pair.transport.pause_reading()
    assert not pair.lower.reading
    pair.transport.resume_reading()
    assert pair.lower.reading
    assert not pair.transport.can_write_eof()
    with pytest.raises(NotImplementedError):
        pair.transport.write_eof()


@pytest.mark.parametrize("reads", [True, False])
async def test_who_asks_for_answers_and_reads_none_is_ended(pair: Pair, reads: bool) -> None:
    """Else a peer could have as much kept as it sends, by asking for new keys."""
    most = tls_transport.MAX_UNREAD_ANSWER_BYTES
    answer = bytes(most // 64)

    class AnsweringRecords:
        """The records, but each piece is answered."""

        def __getattr__(self, name: str) -> object:
            return getattr(pair.records, name)

        def outgoing(self) -> bytes:
            return answer

    pair.transport._records = cast("Records", AnsweringRecords())
    pair.transport.data_received(b"")
    for _ in range(3):
        pair.transport.pause_writing()
        for _ in range(most // len(answer)):
            pair.transport.data_received(b"")
        if not reads:
            break
        pair.transport.resume_writing()
    assert not pair.lower.aborted
    pair.transport.data_received(b"")
    assert pair.lower.aborted is not reads
    pair.transport.data_received(pair.said(b"too late" if not reads else b"in time"))
    assert pair.heard.data == (b"in time" if reads else b"")
    if not reads:
        pair.transport.connection_lost(None)
        assert isinstance(pair.heard.lost, ConnectionAbortedError)


async def test_a_handshake_that_fails_tells_the_client_why(
    shown: dict[str, str], context: ssl.SSLContext
) -> None:
    pair = Pair(shown, context)
    waits = asyncio.ensure_future(pair.transport.shake_hands(b"\x16\x03\x01\x00\x04nope"))
    with pytest.raises(ssl.SSLError):
        await waits
    assert pair.lower.taken()[:1] == b"\x15"  # an alert
    assert pair.lower.closed
    pair.transport.connection_lost(None)
    assert pair.heard.calls == []


async def test_why_a_certificate_is_refused_is_said(
    shown: dict[str, str], context: ssl.SSLContext, certificates: Certificates
) -> None:
    context.load_cert_chain(certificates.certificate, certificates.key)
    authority = str(certificates.other_authority)
    pair = Pair({**shown, "ssl_client_cert": "require", "ssl_ca_file": authority}, context)
    waits = asyncio.ensure_future(pair.transport.shake_hands())
    await asyncio.sleep(0)
    while not waits.done():
        with suppress(ssl.SSLError):
            pair.far.do_handshake()
        pair.transport.data_received(pair.outgoing.read())
        pair.incoming.write(pair.lower.taken())
        await asyncio.sleep(0)
    with pytest.raises(ssl.SSLError, match=r"certificate verify failed: self.signed certificate in"):
        await waits


@pytest.mark.parametrize("how", ["eof", "lost", "late", "canceled"])
async def test_a_handshake_that_does_not_end(
    shown: dict[str, str], context: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    if how == "late":
        monkeypatch.setattr(tls_transport, "HANDSHAKE_SECONDS", 0.01)
    pair = Pair(shown, context)
    waits = asyncio.ensure_future(pair.transport.shake_hands())
    await asyncio.sleep(0)
    if how == "eof":
        pair.transport.eof_received()
    elif how == "lost":
        pair.transport.connection_lost(None)
    elif how == "canceled":
        waits.cancel()
    with pytest.raises((OSError, asyncio.CancelledError)) as raised:
        await waits
    assert isinstance(raised.value, asyncio.CancelledError) is (how == "canceled")
    assert pair.lower.closed
    pair.transport.data_received(b"\x16")
    pair.transport.write(b"x")
    assert (pair.heard.calls, pair.lower.taken()) == ([], b"")


async def test_a_goodbye_that_no_one_takes_is_given_up(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tls_transport, "GOODBYE_SECONDS", 0.01)
    monkeypatch.setattr(pair.lower, "get_write_buffer_size", lambda: 1)
    pair.transport.close()
    assert not pair.lower.aborted
    async with asyncio.timeout(10):
        while not pair.lower.aborted:  # noqa: ASYNC110 - it has no event of its own
            await asyncio.sleep(0.01)


async def agreed(pair: Pair) -> str:
    """The cipher that both ends agree on; '' where they do not."""
    try:
        await pair.shake()
    except ssl.SSLError:
        return ""
    found = pair.far.cipher()
    assert found
    return found[0]


def limited(context: ssl.SSLContext, version: ssl.TLSVersion, ciphers: str) -> ssl.SSLContext:
    """A context that takes one version, and some ciphers; '' leaves them as they are."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = context.maximum_version = version
    if ciphers:
        context.set_ciphers(ciphers)
    return context


@pytest.fixture(scope="module")
def with_rsa(module_folder: Path) -> dict[int, Certificates]:
    """Certificates with keys of so many bits."""
    return {
        bits: openssl_files.make(module_folder / f"rsa {bits}", "localhost", rsa=bits)
        for bits in (1024, 2048)
    }


ECDSA, RSA = 0, 2048
VERSIONS: Final = {
    "1.1": ssl.TLSVersion.TLSv1_1,
    "1.2": ssl.TLSVersion.TLSv1_2,
    "1.3": ssl.TLSVersion.TLSv1_3,
}


@pytest.mark.parametrize(
    ("key", "version", "offered", "chosen"),
    [
        (ECDSA, "1.3", "", "TLS_AES_256_GCM_SHA384"),
        (ECDSA, "1.2", "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"),
        (RSA, "1.2", "ECDHE-RSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305"),
        (RSA, "1.2", "ECDHE-RSA-AES256-SHA384", "ECDHE-RSA-AES256-SHA384"),
        # AEAD first, whatever the client prefers
        (
            ECDSA,
            "1.2",
            "ECDHE-ECDSA-AES256-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256",
            "ECDHE-ECDSA-AES128-GCM-SHA256",
        ),
        (ECDSA, "1.2", "ECDHE-ECDSA-AES256-SHA", ""),  # its digest is SHA-1
        (ECDSA, "1.2", "ECDHE-ECDSA-AES128-CCM8", ""),
        (ECDSA, "1.2", "ECDHE-ECDSA-CAMELLIA128-SHA256", ""),
        (RSA, "1.2", "AES256-GCM-SHA384", ""),  # without forward secrecy
        (RSA, "1.2", "DHE-RSA-AES256-GCM-SHA384", ""),
        (ECDSA, "1.2", "AECDH-AES256-SHA:@SECLEVEL=0", ""),
        (ECDSA, "1.1", "ALL:@SECLEVEL=0", ""),
    ],
)
async def test_what_clients_may_use(
    shown: dict[str, str],
    certificates: Certificates,
    with_rsa: dict[int, Certificates],
    key: int,
    version: str,
    offered: str,
    chosen: str,
) -> None:
    if key:
        certificates = with_rsa[key]
        shown |= {"ssl_cert_file": str(certificates.certificate), "ssl_key_file": str(certificates.key)}
    context = limited(client_context(certificates), VERSIONS[version], offered)
    assert await agreed(Pair(shown, context)) == chosen


@pytest.mark.parametrize(
    ("given", "version", "offered", "chosen"),
    [
        ({"ssl_min_protocol_version": "TLSv1.3"}, "1.2", "", ""),
        ({"ssl_min_protocol_version": "TLSv1.3"}, "1.3", "", "TLS_AES_256_GCM_SHA384"),
        ({"ssl_ciphers": "ECDHE-ECDSA-AES128-GCM-SHA256"}, "1.2", "ECDHE+AES256", ""),
        ({"ssl_ciphers": "HIGH:!aNULL"}, "1.2", "ECDHE-ECDSA-AES256-SHA", "ECDHE-ECDSA-AES256-SHA"),
    ],
)
async def test_what_clients_may_use_is_a_setting(
    shown: dict[str, str],
    certificates: Certificates,
    given: dict[str, str],
    version: str,
    offered: str,
    chosen: str,
) -> None:
    context = limited(client_context(certificates), VERSIONS[version], offered)
    assert await agreed(Pair({**shown, **given}, context)) == chosen


@pytest.mark.parametrize(
    ("key", "version", "spoken", "chosen"),
    [
        (ECDSA, "1.3", "", "TLS_AES_256_GCM_SHA384"),
        (ECDSA, "1.2", "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"),
        # an old server's
        (RSA, "1.2", "ECDHE-RSA-AES256-SHA", "ECDHE-RSA-AES256-SHA"),
        (RSA, "1.2", "AES256-SHA", "AES256-SHA"),
        (RSA, "1.2", "AES128-GCM-SHA256", "AES128-GCM-SHA256"),
        (ECDSA, "1.2", "AECDH-AES256-SHA:@SECLEVEL=0", ""),
        (RSA, "1.2", "AES128-SHA:NULL-SHA256:!AES:@SECLEVEL=0", ""),
        (ECDSA, "1.1", "ALL:@SECLEVEL=0", ""),
        (1024, "1.2", "AES256-SHA:@SECLEVEL=0", ""),  # its key is too short for OpenSSL's level 2
    ],
)
async def test_what_a_backend_may_use(
    shown: dict[str, str],
    certificates: Certificates,
    with_rsa: dict[int, Certificates],
    key: int,
    version: str,
    spoken: str,
    chosen: str,
) -> None:
    if key:
        certificates = with_rsa[key]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    limited(context, VERSIONS[version], spoken)
    context.load_cert_chain(certificates.certificate, certificates.key)
    assert await agreed(Pair(shown, context, backend("localhost", certificates))) == chosen


NAMES: Final = {
    "localhost": "DNS:localhost",
    "*.example.com": "DNS:*.example.com",
    "f*.example.com": "DNS:f*.example.com",
    "127.0.0.1": "DNS:127.0.0.1",
    "::1": "IP:::1",
    "db": "email:a@example.com",
    "xn--bcher-kva.example": "DNS:xn--bcher-kva.example",
}
"""By common name of a certificate, its alternative names."""


@pytest.fixture(scope="module")
def named(module_folder: Path) -> dict[str, Certificates]:
    return {
        host: openssl_files.make(module_folder / f"named {number}", host, names)
        for number, (host, names) in enumerate(NAMES.items())
    }


@pytest.mark.parametrize(
    ("name", "host", "fits"),
    [
        ("localhost", "localhost", True),
        ("localhost", "LocalHost", True),
        ("localhost", "localhost.", False),
        ("localhost", "other", False),
        ("localhost", "127.0.0.1", False),
        ("*.example.com", "db.example.com", True),
        ("*.example.com", "example.com", False),
        ("*.example.com", "a.db.example.com", False),
        ("f*.example.com", "foo.example.com", False),
        ("127.0.0.1", "127.0.0.1", False),
        ("::1", "::1", True),
        ("::1", "0:0:0:0:0:0:0:1", True),
        ("::1", "127.0.0.1", False),
        ("db", "db", True),
        ("xn--bcher-kva.example", "b\u00fccher.example", True),
    ],
)
async def test_both_kinds_of_records_accept_certificates_of_the_same_hosts(
    shown: dict[str, str], named: dict[str, Certificates], name: str, host: str, fits: bool
) -> None:
    told: list[str | None] = []
    context = server_context(named[name])
    context.sni_callback = lambda _, given, __: told.append(given)
    for mode in ("verify-full", "verify-ca"):
        pair = Pair(shown, context, backend(host, named[name], mode))
        if fits or mode == "verify-ca":
            await pair.shake()
            pair.transport.data_received(pair.said(b"words"))
            assert pair.heard.data == b"words"
        else:
            waits = asyncio.ensure_future(pair.transport.shake_hands())
            await asyncio.sleep(0)
            while not waits.done():
                pair.incoming.write(pair.lower.taken())
                with suppress(ssl.SSLError):
                    pair.far.do_handshake()
                pair.transport.data_received(pair.outgoing.read())
                await asyncio.sleep(0)
            kind = "IP address" if host[0] in "0123456789:" else "Hostname"
            with pytest.raises(ssl.SSLError, match=f"{kind} mismatch, certificate is not valid for '{host}'"):
                await waits
    is_address = host[0] in "0123456789:"
    assert told == [None if is_address else host.encode("idna").decode()] * 2


@pytest.mark.parametrize("missing", ["part", "version", "file"])
def test_why_python_encrypts_is_said(
    shown: dict[str, str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, missing: str
) -> None:
    if missing == "part":
        monkeypatch.setattr(tls_records, "compiled_tls", lambda: None)
    elif missing == "version":
        monkeypatch.setattr(ssl, "OPENSSL_VERSION_NUMBER", 0x30000000)
    else:
        monkeypatch.delattr("_ssl.__file__", raising=False)
    with caplog.at_level("INFO", "askwire.server"):
        server = tls.client_tls(load({"backend": "host=localhost", **shown}))
    assert server
    assert not server.is_compiled
    assert isinstance(server.records(), PythonRecords)
    wanted = shown["compiled_relay"] == "on"
    assert ["is left to Python's library" in text for text in caplog.messages] == [True] * wanted
    caplog.clear()
    with caplog.at_level("INFO", "askwire.server"):
        towards = tls.backend_tls(BackendAddress("localhost", sslmode="require"), compiled=wanted)
    assert towards
    assert not towards.is_compiled
    assert isinstance(towards.records(), PythonRecords)
    assert ["the backend is left to Python's library" in text for text in caplog.messages] == [True] * wanted


async def test_the_names_of_files_are_any_bytes(
    shown: dict[str, str], context: ssl.SSLContext, certificates: Certificates, tmp_path: Path
) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("here they have to be UTF-8")
    files = {
        "ssl_cert_file": certificates.certificate,
        "ssl_key_file": certificates.key,
        "ssl_ca_file": certificates.authority,
    }
    names = {name: shutil.copy(file, folder) for name, file in files.items()}
    pair = Pair(
        {**shown, **{name: str(file) for name, file in names.items()}, "ssl_client_cert": "allow"}, context
    )
    await pair.shake()


async def test_no_session_is_taken_up_again_without_python(
    shown: dict[str, str], context: ssl.SSLContext
) -> None:
    """A key that opens all sessions would lie in memory for as long as the server runs."""
    if shown["compiled_relay"] == "off":
        pytest.skip("Python's library does as it likes")
    pair = Pair(shown, context)
    await pair.shake()
    pair.sent()
    session = pair.far.session
    assert session is None or not session.has_ticket
    again = Pair(shown, context)
    again.far = context.wrap_bio(again.incoming, again.outgoing, server_hostname="localhost", session=session)
    await again.shake()
    assert not again.far.session_reused


async def test_records_that_cannot_be_used(shown: dict[str, str], context: ssl.SSLContext) -> None:
    pair = Pair(shown, context)
    for call in (lambda: pair.records.encrypt(b"x"), lambda: pair.records.decrypt(b"GET / HTTP/1.1\r\n\r\n")):
        with pytest.raises((ssl.SSLError, ssl.SSLWantReadError)):
            call()
    pair.records.end()
    assert pair.records.application_protocol() is None
