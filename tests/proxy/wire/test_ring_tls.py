"""The thread that relays through io_uring, with a client over TLS: test_ring.py's invariant holds in clear.

What arrives from the client passes to the backend or comes back with the line or its records, and what
arrives from the backend the client can decrypt: once, and in order.
"""

from __future__ import annotations

import ctypes
import random
import select
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from servers import openssl_files
from servers.openssl_files import Certificates
from servers.sockets_read import until_read
from servers.tls_clients import NEEDS_OPENSSL, client_context

from askwire.core.settings.table import load
from askwire.proxy.connection.tls import client_tls
from askwire.proxy.connection.tls_records import ServerTls
from askwire.proxy.wire import messages, passage

if TYPE_CHECKING:
    from askwire import _compiled
    from askwire._compiled import Ring, TlsContext, TlsRecords
else:
    _compiled = pytest.importorskip("askwire._compiled")

pytestmark = NEEDS_OPENSSL

SECONDS = 20.0
QUERY = messages.query(b"SELECT 1")
ANSWER = messages.frame(b"C", b"SELECT 1\0") + messages.frame(b"Z", b"I")
ASK = messages.query(b"ASK 'how many'")
RECORD = 16 * 1024


class NoTransport:
    """No one writes past the ring."""

    def get_write_buffer_size(self) -> int:
        return 0


class LentSession:
    """A session whose client encrypts: `client` and `backend` are the far ends of its two sockets."""

    def __init__(self, ring: Ring, server: ServerTls, context: ssl.SSLContext) -> None:
        self.ring = ring
        self.client, self.inner_client = socket.socketpair()
        self.backend, self.inner_backend = socket.socketpair()
        for each in (self.client, self.backend, self.inner_client, self.inner_backend):
            each.settimeout(SECONDS)
        records = server.records()
        if isinstance(records, _compiled.TlsRecords):
            self.records: TlsRecords = records
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.far = context.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost")
        self._shake_hands()
        words = passage.words(passage.words_of("ask"))
        self.passage = _compiled.Passage(words, 1 << 20, NoTransport(), -1, NoTransport(), 0)
        self.passage.start(0, False)
        self.lend()

    def _shake_hands(self) -> None:
        done = False
        while not done:
            try:
                self.far.do_handshake()
                done = True
            except ssl.SSLWantReadError:
                pass
            self.records.shake_hands(self.outgoing.read())
            self.incoming.write(self.records.outgoing())

    def lend(self) -> None:
        ends = self.inner_client.fileno(), self.inner_backend.fileno()
        self.ring.lend(self.passage, *ends, b"I", self, self.records)

    def close(self) -> None:
        if self.passage.lent:
            self.passage.take_back()
        for each in (self.client, self.backend, self.inner_client, self.inner_backend):
            each.close()

    def sealed(self, data: bytes) -> bytes:
        """The client's records."""
        self.far.write(data)
        return self.outgoing.read()

    def heard(self, size: int) -> bytes:
        """What the client receives, in clear."""
        data = b""
        while len(data) < size:
            try:
                data += self.far.read(size - len(data))
            except ssl.SSLWantReadError:
                more = self.client.recv(1 << 16)
                assert more, "the stream has ended"
                self.incoming.write(more)
        return data

    def query(self, text: bytes = QUERY, answer: bytes = ANSWER) -> None:
        self.client.sendall(self.sealed(text))
        assert received(self.backend, len(text)) == text
        self.backend.sendall(answer)
        assert self.heard(len(answer)) == answer

    def comes_back(self) -> None:
        """It does so by itself, in time."""
        assert select.select([self.ring], [], [], SECONDS)[0], "it has not come back"
        assert self.ring.came_back() == [self]


def received(end: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size and (more := end.recv(min(size - len(data), 1 << 16))):
        data += more
    return bytes(data)


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
def context(certificates: Certificates, request: pytest.FixtureRequest) -> ssl.SSLContext:
    """The client's."""
    made = client_context(certificates)
    made.maximum_version = request.param
    return made


@pytest.fixture
def lend(
    ring: Ring, certificates: Certificates, context: ssl.SSLContext
) -> Iterator[Callable[[], LentSession]]:
    """Lends a new session to the ring; all end with the test."""
    files = {"ssl_cert_file": str(certificates.certificate), "ssl_key_file": str(certificates.key)}
    server = client_tls(load({"backend": "host=localhost", **files}))
    assert server
    if not server.is_compiled:
        pytest.skip("Python's OpenSSL cannot be shared")
    made: list[LentSession] = []

    def lend() -> LentSession:
        made.append(LentSession(ring, server, context))
        return made[-1]

    yield lend
    for lent in made:
        lent.close()


def test_what_is_usual_passes(lend: Callable[[], LentSession]) -> None:
    lent = lend()
    for size in (0, 1, 100, 9_000, 15_000):
        lent.query(answer=messages.frame(b"D", bytes(size)) + ANSWER)
    assert lent.passage.take_back() == ((b"", b"", None), (b"", b"", None))
    assert lent.records.decrypt(b"") == b""
    lent.lend()
    lent.query()


@pytest.mark.parametrize("step", [1, 3, 20])
def test_a_record_that_arrives_in_parts_waits_for_the_rest(
    lend: Callable[[], LentSession], step: int
) -> None:
    lent = lend()
    records = lent.sealed(QUERY) + lent.sealed(QUERY)
    for at in range(0, len(records), step):
        lent.client.sendall(records[at : at + step])
        time.sleep(0.001)
    assert received(lent.backend, 2 * len(QUERY)) == 2 * QUERY
    assert lent.passage.lent
    assert lent.ring.came_back() == []


def test_a_part_of_a_record_is_found_in_the_records(lend: Callable[[], LentSession]) -> None:
    lent = lend()
    record = lent.sealed(QUERY)
    lent.client.sendall(record[:12])
    until_read(lent.inner_client)
    assert lent.passage.take_back() == ((b"", b"", None), (b"", b"", None))
    assert lent.records.decrypt(record[12:]) == QUERY


def test_an_ask_comes_back_in_clear_with_what_is_behind_it(lend: Callable[[], LentSession]) -> None:
    lent = lend()
    lent.query()
    lent.client.sendall(lent.sealed(ASK + QUERY))
    lent.comes_back()
    (unsent, unread, error), other = lent.passage.take_back()
    assert (unsent, unread + lent.records.decrypt(b""), error) == (b"", ASK + QUERY, None)
    assert other == (b"", b"", None)


def test_a_goodbye_comes_back_behind_the_last_words(lend: Callable[[], LentSession]) -> None:
    lent = lend()
    lent.query()
    last = lent.sealed(messages.TERMINATE)
    with pytest.raises(ssl.SSLWantReadError):
        lent.far.unwrap()
    lent.client.sendall(last + lent.outgoing.read())
    lent.client.shutdown(socket.SHUT_WR)
    lent.comes_back()
    (_, unread, _), _ = lent.passage.take_back()
    unread += lent.records.decrypt(b"")
    lent.backend.setblocking(False)
    if not unread:
        unread = lent.backend.recv(100)
    assert (unread, lent.records.ended) == (messages.TERMINATE, True)


def test_an_end_without_one_is_said_to_be_none(lend: Callable[[], LentSession]) -> None:
    lent = lend()
    lent.client.close()
    lent.comes_back()
    assert lent.passage.take_back() == ((b"", b"", 0), (b"", b"", None))
    assert lent.records.decrypt(b"") == b""
    assert not lent.records.ended


def test_what_is_no_record_comes_back_as_an_error(lend: Callable[[], LentSession]) -> None:
    lent = lend()
    lent.query()
    changed = bytearray(lent.sealed(QUERY))
    changed[-1] ^= 1
    lent.client.sendall(changed)
    lent.comes_back()
    assert lent.passage.take_back()[0] == (b"", b"", None)
    for _ in range(2):
        with pytest.raises(ssl.SSLError):
            lent.records.decrypt(b"")
    with pytest.raises(ssl.SSLError):
        lent.records.encrypt(b"x")
    assert lent.records.outgoing()  # the alert
    lent.backend.setblocking(False)
    with pytest.raises(BlockingIOError):
        lent.backend.recv(1)


def test_lent_records_are_left_alone(lend: Callable[[], LentSession]) -> None:
    lent = lend()
    for use in (
        lambda: lent.records.decrypt(b""),
        lambda: lent.records.encrypt(b"x"),
        lambda: lent.records.shake_hands(b""),
        lent.records.outgoing,
        lent.records.end,
        lent.records.application_protocol,
        lent.lend,
    ):
        with pytest.raises(RuntimeError, match="lent"):
            use()
    lent.query()


def test_a_slow_reader_can_decrypt_all_of_it(lend: Callable[[], LentSession]) -> None:
    lent = lend()
    lent.client.sendall(lent.sealed(QUERY))
    assert received(lent.backend, len(QUERY)) == QUERY
    rows = b"".join(messages.frame(b"D", random.randbytes(5000)) for _ in range(1000))
    sending = threading.Thread(target=lent.backend.sendall, args=(rows,))
    sending.start()
    lent.comes_back()
    (unsent, _, _), (_, unread, _) = lent.passage.take_back()
    passed = b""
    lent.client.setblocking(False)
    while True:
        try:
            passed += lent.client.recv(1 << 16)
        except BlockingIOError:
            break
    lent.incoming.write(passed + unsent)
    so_far = b""
    try:
        while True:
            so_far += lent.far.read(RECORD)
    except ssl.SSLWantReadError:
        so_far += unread
    assert rows.startswith(so_far)
    assert so_far + received(lent.inner_backend, len(rows) - len(so_far)) == rows
    sending.join()


@pytest.mark.parametrize("slow", [False, True])
def test_a_client_that_wants_short_records_gets_all_of_them(
    lend: Callable[[], LentSession], context: ssl.SSLContext, slow: bool
) -> None:
    """What becomes too long for its buffer is found in the records, behind what could not be sent."""
    want_short_records(context)
    lent = lend()
    lent.query(answer=messages.frame(b"D", bytes(9000)) + ANSWER)
    if slow:
        lent.inner_client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
    lent.client.sendall(lent.sealed(QUERY))
    assert received(lent.backend, len(QUERY)) == QUERY
    pieces = [messages.frame(b"D", random.randbytes(size)) for size in (6000, 6000, 15_800)]
    for piece in pieces:
        lent.backend.sendall(piece)
        time.sleep(0.05)
    lent.comes_back()
    (unsent, _, error), (_, unread, _) = lent.passage.take_back()
    assert (bool(unsent), unread, error) == (slow, b"", None)
    behind = lent.records.outgoing()
    assert len(behind) > RECORD
    sending = threading.Thread(target=lent.inner_client.sendall, args=(unsent + behind,))
    sending.start()
    assert lent.heard(sum(map(len, pieces))) == b"".join(pieces)
    sending.join()


def want_short_records(context: ssl.SSLContext) -> None:
    """Have a client's context ask for records of 512 bytes (RFC 6066, 4), which Python offers no call for.

    The OpenSSL of Python is shared where this is needed, and the address of its context comes first in the
    object.
    """
    library = ctypes.CDLL("libssl.so.3")
    address = ctypes.c_void_p.from_address(id(context) + object.__basicsize__)
    assert library.SSL_CTX_set_tlsext_max_fragment_length(address, 1) == 1


def test_much_at_once_leaves_no_memory_behind(lend: Callable[[], LentSession]) -> None:
    lent = lend()
    lent.passage.take_back()
    data = random.randbytes(3_000_000)
    for cut in (0, 5):  # the last record is whole, or is not
        records = lent.sealed(data)
        at = len(records) - cut
        before = used_memory()
        clear = lent.records.decrypt(records[:at])
        size = len(clear)
        assert clear == data[:size]
        del clear
        assert used_memory() - before < 500_000
        assert lent.records.decrypt(records[at:] + lent.sealed(QUERY)) == data[size:] + QUERY
    lent.lend()
    lent.query()


def used_memory() -> int:
    """Bytes that were asked of glibc's malloc, in this process."""

    class Found(ctypes.Structure):
        _fields_ = [(name, ctypes.c_size_t) for name in "abcdefghij"]

    try:
        look = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        pytest.skip("this C library does not say")
    look.restype = Found
    found = look()
    return int(found.e + found.h)  # hblkhd and uordblks


def test_a_line_is_taken_back_at_any_moment(lend: Callable[[], LentSession]) -> None:
    chance = random.Random(7)
    lent = lend()
    sent = b"".join(messages.query(b"SELECT 1" + b" " * chance.randrange(900)) for _ in range(3000))
    back = b"".join(messages.frame(b"D", chance.randbytes(chance.randrange(900))) for _ in range(3000))
    came = bytearray()
    heard: list[bytes] = []

    def from_client() -> None:
        at = 0
        while at < len(sent):
            size = chance.choice((1, 50, 700, 5000, 20_000))
            records = lent.sealed(sent[at : at + size])
            cut = chance.randrange(len(records) + 1)
            lent.client.sendall(records[:cut])
            lent.client.sendall(records[cut:])
            at += size

    def at_backend() -> None:
        while len(came) < len(sent):
            came.extend(lent.backend.recv(1 << 16))

    def at_client() -> None:
        heard.append(lent.heard(len(back)))

    first, second = threading.Thread(target=from_client), threading.Thread(target=at_backend)
    for thread in (first, second):
        thread.start()
    relayed_until(lent, chance, lambda: not second.is_alive())
    first.join()
    assert bytes(came) == sent
    third = threading.Thread(target=lent.backend.sendall, args=(back,))
    fourth = threading.Thread(target=at_client)
    for thread in (third, fourth):
        thread.start()
    relayed_until(lent, chance, lambda: not fourth.is_alive())
    third.join()
    assert heard == [back]


def relayed_until(lent: LentSession, chance: random.Random, done: Callable[[], bool]) -> None:
    """Take the line back at any moment, do what Python would, and lend it again."""
    while not done():
        time.sleep(chance.random() / 1000)
        client, backend = lent.passage.take_back()
        lent.inner_client.sendall(client[0])
        lent.inner_backend.sendall(backend[0] + client[1] + lent.records.decrypt(b""))
        if backend[1]:
            lent.inner_client.sendall(lent.records.encrypt(backend[1]))
        lent.passage.stop()
        lent.passage.start(0, False)  # where in a message it is makes it look wrongly, and lose nothing
        lent.lend()


EXITING = """
import ctypes, sys
from askwire.core.settings.table import load
from askwire.proxy.connection.tls import client_tls
from askwire.proxy.wire import passage
ring = passage.open_ring()
libc = ctypes.CDLL(None)
assert libc.__cxa_atexit(libc.pause, None, None) == 0  # runs after what is registered later
files = {"ssl_cert_file": sys.argv[1], "ssl_key_file": sys.argv[2]}
server = client_tls(load({"backend": "host=localhost", **files}))
print(server.is_compiled, flush=True)
ctypes.pythonapi.Py_IncRef(ctypes.py_object(ring))
"""
"""A process that leaves a ring open, and stops where OpenSSL would free its memory."""


def test_at_the_exit_the_thread_ends_before_openssl(ring: Ring, certificates: Certificates) -> None:
    """What it uses of OpenSSL is freed then."""
    command = [sys.executable, "-c", EXITING, str(certificates.certificate), str(certificates.key)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            if process.stdout.readline() != "True\n":
                pytest.skip("Python's OpenSSL cannot be shared")
            threads = Path(f"/proc/{process.pid}/task")
            until = time.monotonic() + SECONDS
            while len(list(threads.iterdir())) > 1:
                assert time.monotonic() < until, "the thread has not ended"
                time.sleep(0.01)
            assert process.poll() is None
        finally:
            process.kill()


def test_a_context_says_why_it_cannot_be_made(certificates: Certificates) -> None:
    version, certificate, key = (
        ssl.OPENSSL_VERSION_NUMBER,
        str(certificates.certificate),
        str(certificates.key),
    )
    pythons = getattr(sys.modules["_ssl"], "__file__", None)

    def make(
        version: int,
        certificate: str,
        key: str,
        authorities: str | None = None,
        *,
        user: str | None = pythons,
    ) -> TlsContext:
        made = _compiled.TlsContext.__new__(_compiled.TlsContext)
        rest = 0, 0, 0, ssl.TLSVersion.TLSv1_2, "DEFAULT", "TLS_AES_256_GCM_SHA384", "postgresql", None, False
        made.__init__(version, user, certificate, key, authorities, *rest)  # type: ignore[misc]
        with pytest.raises(ValueError, match="already"):
            made.__init__(version, user, certificate, key, authorities, *rest)  # type: ignore[misc]
        return made

    try:
        make(version, certificate, key)
    except NotImplementedError:
        pytest.skip("Python's OpenSSL cannot be shared")
    with pytest.raises(ssl.SSLError):
        make(version, "/nowhere", key)
    with pytest.raises(ssl.SSLError):
        make(version, certificate, str(certificates.other_key))
    with pytest.raises(ssl.SSLError):
        make(version, certificate, str(certificates.locked_key))
    with pytest.raises(ssl.SSLError):
        make(version, certificate, key, "/nowhere")
    with pytest.raises(NotImplementedError):
        make(version + 1, certificate, key)
    for user in (None, "/nowhere", _compiled.__file__):  # a module that finds another OpenSSL, or none
        with pytest.raises(NotImplementedError):
            make(version, certificate, key, user=user)
    with pytest.raises(ValueError, match="null byte"):
        make(version, certificate, key + "\0")
    with pytest.raises(ValueError, match="not"):
        _compiled.TlsRecords(_compiled.TlsContext.__new__(_compiled.TlsContext))
    with pytest.raises(RuntimeError, match="not made"):
        _compiled.TlsRecords.__new__(_compiled.TlsRecords).decrypt(b"")
