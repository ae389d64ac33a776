"""The thread that relays through io_uring, with a backend over TLS: alone, and with a client over TLS too.

The invariant is test_ring.py's, in clear: what arrives at one end passes to the other, or comes back with the
line or its records, once and in order.
"""

from __future__ import annotations

import ctypes
import random
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from servers import openssl_files
from servers.openssl_files import Certificates
from servers.sockets_read import until_read
from servers.tls_clients import NEEDS_OPENSSL, client_context

from askwire.core.settings.table import load
from askwire.proxy.connection.dsn import BackendAddress
from askwire.proxy.connection.tls import backend_tls, client_tls
from askwire.proxy.connection.tls_records import BackendTls, ServerTls
from askwire.proxy.wire import messages, passage

if TYPE_CHECKING:
    from askwire import _compiled
    from askwire._compiled import Ring, TlsRecords
else:
    _compiled = pytest.importorskip("askwire._compiled")

pytestmark = NEEDS_OPENSSL

SECONDS = 20.0
QUERY = messages.query(b"SELECT 1")
ANSWER = messages.frame(b"C", b"SELECT 1\0") + messages.frame(b"Z", b"I")
ERROR = messages.frame(b"E", b"SERROR\0C42601\0Mno\0\0") + messages.frame(b"Z", b"I")
RECORD = 16 * 1024
NOTHING = b"", b"", None


class NoTransport:
    """No one writes past the ring."""

    def get_write_buffer_size(self) -> int:
        return 0


class Far:
    """The far end of one of a session's two connections; `records` are of ours, None without TLS."""

    def __init__(self, shared: ServerTls | BackendTls | None, context: ssl.SSLContext) -> None:
        self.socket, self.inner = socket.socketpair()
        for end in (self.socket, self.inner):
            end.settimeout(SECONDS)
        self.records: TlsRecords | None = None
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        if shared is None:
            return
        records = shared.records()
        assert isinstance(records, _compiled.TlsRecords)
        self.records = records
        is_server = isinstance(shared, BackendTls)
        name = None if is_server else "localhost"
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_side=is_server, server_hostname=name)
        done = False
        while not (done and self.records.shake_hands(b"")):
            self.incoming.write(self.records.outgoing())
            with suppress(ssl.SSLWantReadError):
                self.tls.do_handshake()
                done = True
            self.records.shake_hands(self.outgoing.read())
        self.incoming.write(self.records.outgoing())

    def close(self) -> None:
        self.socket.close()
        self.inner.close()

    def sealed(self, data: bytes) -> bytes:
        """As this end sends it."""
        if self.records is None:
            return data
        self.tls.write(data)
        return self.outgoing.read()

    def send(self, data: bytes) -> None:
        self.socket.sendall(self.sealed(data))

    def heard(self, size: int) -> bytes:
        """What this end receives, in clear."""
        data = bytearray()
        while (left := size - len(data)) > 0:
            try:
                if self.records is None:
                    more = self.socket.recv(min(left, 1 << 16))
                    assert more, "the stream has ended"
                    data += more
                else:
                    data += self.tls.read(min(left, RECORD))
            except ssl.SSLWantReadError:
                more = self.socket.recv(1 << 16)
                assert more, "the stream has ended"
                self.incoming.write(more)
        return bytes(data)

    def renew_keys(self) -> bytes:
        """A KeyUpdate that asks for one (RFC 8446, 4.6.3), which Python offers no call for.

        The address of OpenSSL's connection comes second in the object.
        """
        within = object.__basicsize__ + ctypes.sizeof(ctypes.c_void_p)
        connection = ctypes.c_void_p.from_address(id(self.tls._sslobj) + within)  # type: ignore[attr-defined]
        assert ctypes.CDLL("libssl.so.3").SSL_key_update(connection, 1) == 1
        return self.sealed(ANSWER)

    def continued(self, left: tuple[bytes, bytes, int | None]) -> bytes:
        """Send what a thread has left unsent; what it has left unread, in clear."""
        unsent, unread, _ = left
        self.inner.sendall(unsent)
        if self.records is None:
            return unread
        unread += self.records.decrypt(b"")
        self.inner.sendall(self.records.outgoing())
        return unread

    def reply(self, data: bytes) -> None:
        """Send in the proxy's place."""
        self.inner.sendall(self.records.encrypt(data) if self.records else data)


class LentSession:
    """A session that is lent to the ring."""

    def __init__(self, ring: Ring, client: Far, backend: Far) -> None:
        self.ring, self.client, self.backend = ring, client, backend
        words = passage.words(passage.words_of("ask"))
        self.passage = _compiled.Passage(words, 1 << 20, NoTransport(), -1, NoTransport(), -1)
        self.passage.start(0, False)
        self.lend()

    def lend(self) -> None:
        ends = self.client.inner.fileno(), self.backend.inner.fileno()
        self.ring.lend(self.passage, *ends, b"I", self, self.client.records, self.backend.records)

    def close(self) -> None:
        if self.passage.lent:
            self.passage.take_back()
        self.client.close()
        self.backend.close()

    def query(self, text: bytes = QUERY, answer: bytes = ANSWER) -> None:
        self.client.send(text)
        assert self.backend.heard(len(text)) == text
        self.backend.send(answer)
        assert self.client.heard(len(answer)) == answer

    def comes_back(self) -> None:
        """It does so by itself, in time."""
        assert select.select([self.ring], [], [], SECONDS)[0], "it has not come back"
        assert self.ring.came_back() == [self]


Lend = Callable[[], LentSession]


@pytest.fixture
def ring() -> Iterator[Ring]:
    try:
        opened = passage.open_ring()
    except OSError as error:
        pytest.skip(f"the system has no io_uring for us: {error}")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def certificates(module_folder: Path) -> Certificates:
    return openssl_files.make(module_folder / "certificates", "localhost")


@pytest.fixture(params=[ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3], ids=["1.2", "1.3"])
def version(request: pytest.FixtureRequest) -> ssl.TLSVersion:
    found: ssl.TLSVersion = request.param
    return found


@pytest.fixture(params=["backend", "both"])
def lend(
    ring: Ring, certificates: Certificates, version: ssl.TLSVersion, request: pytest.FixtureRequest
) -> Iterator[Lend]:
    """Lends a new session to the ring; all end with the test."""
    files = {"ssl_cert_file": str(certificates.certificate), "ssl_key_file": str(certificates.key)}
    address = BackendAddress("localhost", sslmode="verify-full", sslrootcert=str(certificates.authority))
    behind = backend_tls(address, compiled=True)
    in_front = client_tls(load({"backend": "host=localhost", **files})) if request.param == "both" else None
    assert behind
    if not behind.is_compiled:
        pytest.skip("Python's OpenSSL cannot be shared")
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificates.certificate, certificates.key)
    client = client_context(certificates)
    client.maximum_version = server.maximum_version = version
    made: list[LentSession] = []

    def lend() -> LentSession:
        made.append(LentSession(ring, Far(in_front, client), Far(behind, server)))
        return made[-1]

    yield lend
    for lent in made:
        lent.close()


def test_what_is_usual_passes(lend: Lend) -> None:
    lent = lend()
    for size in (0, 1, 100, 9_000, 15_000):
        lent.query(
            QUERY + messages.query(b"SELECT 2" + b" " * size), messages.frame(b"D", bytes(size)) + ANSWER
        )
    assert lent.passage.take_back() == (NOTHING, NOTHING)
    assert lent.backend.records
    assert lent.backend.records.decrypt(b"") == b""
    lent.lend()
    lent.query()


@pytest.mark.parametrize("step", [1, 3, 20])
def test_a_record_that_arrives_in_parts_waits_for_the_rest(lend: Lend, step: int) -> None:
    lent = lend()
    lent.client.send(2 * QUERY)
    assert lent.backend.heard(2 * len(QUERY)) == 2 * QUERY
    records = lent.backend.sealed(ANSWER) + lent.backend.sealed(ANSWER)
    for at in range(0, len(records), step):
        lent.backend.socket.sendall(records[at : at + step])
        time.sleep(0.001)
    assert lent.client.heard(2 * len(ANSWER)) == 2 * ANSWER
    assert lent.passage.lent
    assert lent.ring.came_back() == []


def test_a_part_of_a_record_is_found_in_the_records(lend: Lend) -> None:
    lent = lend()
    record = lent.backend.sealed(ANSWER)
    lent.backend.socket.sendall(record[:12])
    until_read(lent.backend.inner)
    assert lent.passage.take_back() == (NOTHING, NOTHING)
    assert lent.backend.records
    assert lent.backend.records.decrypt(record[12:]) == ANSWER


def test_an_error_comes_back_in_clear_with_what_is_behind_it(lend: Lend) -> None:
    lent = lend()
    lent.query()
    lent.client.send(QUERY)
    assert lent.backend.heard(len(QUERY)) == QUERY
    lent.backend.send(ERROR + ANSWER)
    lent.comes_back()
    from_client, from_backend = lent.passage.take_back()
    assert (from_client, from_backend[0], from_backend[2]) == (NOTHING, b"", None)
    assert lent.backend.continued(from_backend) == ERROR + ANSWER


def test_a_goodbye_comes_back_behind_the_last_words(lend: Lend) -> None:
    lent = lend()
    lent.query()
    last = lent.backend.sealed(ERROR)
    with pytest.raises(ssl.SSLWantReadError):
        lent.backend.tls.unwrap()
    lent.backend.socket.sendall(last + lent.backend.outgoing.read())
    lent.backend.socket.shutdown(socket.SHUT_WR)
    lent.comes_back()
    assert lent.backend.continued(lent.passage.take_back()[1]) == ERROR
    assert lent.backend.records
    assert lent.backend.records.ended


def test_an_end_without_one_is_said_to_be_none(lend: Lend) -> None:
    lent = lend()
    lent.backend.socket.close()
    lent.comes_back()
    assert lent.passage.take_back() == (NOTHING, (b"", b"", 0))
    assert lent.backend.records
    assert not lent.backend.records.ended


def test_what_is_no_record_comes_back_as_an_error(lend: Lend) -> None:
    lent = lend()
    lent.query()
    changed = bytearray(lent.backend.sealed(ANSWER))
    changed[-1] ^= 1
    lent.backend.socket.sendall(changed)
    lent.comes_back()
    assert lent.passage.take_back() == (NOTHING, NOTHING)
    records = lent.backend.records
    assert records
    with pytest.raises(ssl.SSLError):
        records.decrypt(b"")
    with pytest.raises(ssl.SSLError):
        records.encrypt(b"x")
    assert records.outgoing()  # the alert


def test_keys_that_the_backend_renews_are_renewed_here(lend: Lend, version: ssl.TLSVersion) -> None:
    if version < ssl.TLSVersion.TLSv1_3:
        pytest.skip("TLS 1.2 has no such message")
    lent = lend()
    for _ in range(5):
        for _ in range(3):
            lent.client.send(QUERY)
            assert lent.backend.heard(len(QUERY)) == QUERY
            lent.backend.socket.sendall(lent.backend.renew_keys())
            assert lent.client.heard(len(ANSWER)) == ANSWER
        lent.query()
        assert lent.passage.take_back() == (NOTHING, NOTHING)
        lent.lend()


def test_lent_records_are_left_alone(lend: Lend) -> None:
    lent = lend()
    for far in (lent.client, lent.backend):
        if far.records:
            for use in (far.records.outgoing, far.records.end, lambda: far.records.decrypt(b"")):  # noqa: B023
                with pytest.raises(RuntimeError, match="lent"):
                    use()
    with pytest.raises(RuntimeError, match="lent"):
        lent.lend()
    lent.query()
    lent.passage.take_back()
    ends = lent.client.inner.fileno(), lent.backend.inner.fileno()
    records = lent.backend.records
    assert records
    with pytest.raises(ValueError, match="one connection"):
        lent.ring.lend(lent.passage, *ends, b"I", lent, records, records)
    with pytest.raises(TypeError, match="TlsRecords"):
        lent.ring.lend(lent.passage, *ends, b"I", lent, None, b"x")  # type: ignore[arg-type]
    lent.lend()
    lent.query()


def test_a_slow_reader_can_have_all_of_it(lend: Lend) -> None:
    lent = lend()
    lent.client.send(QUERY)
    assert lent.backend.heard(len(QUERY)) == QUERY
    rows = b"".join(messages.frame(b"D", random.randbytes(5000)) for _ in range(1000))
    sending = threading.Thread(target=lent.backend.send, args=(rows,))
    sending.start()
    lent.comes_back()
    from_client, from_backend = lent.passage.take_back()
    client, backend = lent.client, lent.backend
    hearing: list[bytes] = []
    reading = threading.Thread(target=lambda: hearing.append(client.heard(len(rows))))
    reading.start()
    client.inner.sendall(from_client[0])
    if client.records:
        client.inner.sendall(client.records.outgoing())
    client.reply(backend.continued(from_backend))
    assert backend.records
    while reading.is_alive():  # the sender may have sent all and not ended yet
        ready = select.select([backend.inner], [], [], 0.01)[0]
        if ready and (clear := backend.records.decrypt(backend.inner.recv(1 << 16))):
            client.reply(clear)
    assert hearing == [rows]
    sending.join()


def test_a_line_is_taken_back_at_any_moment(lend: Lend) -> None:
    chance = random.Random(7)
    lent = lend()
    sent = b"".join(messages.query(b"SELECT 1" + b" " * chance.randrange(900)) for _ in range(2000))
    back = b"".join(messages.frame(b"D", chance.randbytes(chance.randrange(900))) for _ in range(2000))
    for sender, hearer, data in ((lent.client, lent.backend, sent), (lent.backend, lent.client, back)):
        heard: list[bytes] = []
        sending = threading.Thread(target=sent_in_pieces, args=(sender, data, random.Random(8)))
        hearing = threading.Thread(target=lambda: heard.append(hearer.heard(len(data))))  # noqa: B023
        sending.start()
        hearing.start()
        while hearing.is_alive():
            time.sleep(chance.random() / 1000)
            from_client, from_backend = lent.passage.take_back()
            client, backend = lent.client.continued(from_client), lent.backend.continued(from_backend)
            if client:
                lent.backend.reply(client)
            if backend:
                lent.client.reply(backend)
            lent.passage.stop()
            lent.passage.start(0, False)  # where in a message it is makes it look wrongly, and lose nothing
            lent.lend()
        sending.join()
        assert heard == [data]


def sent_in_pieces(sender: Far, data: bytes, chance: random.Random) -> None:
    at = 0
    while at < len(data):
        size = chance.choice((1, 50, 700, 5000, 20_000))
        records = sender.sealed(data[at : at + size])
        cut = chance.randrange(len(records) + 1)
        sender.socket.sendall(records[:cut])
        sender.socket.sendall(records[cut:])
        at += size
