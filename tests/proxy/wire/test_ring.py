"""The thread that relays through io_uring: what is usual passes, and nothing is lost of what is not.

Invariant: what arrives at either end has passed to the other, or comes back with the line, once and in order.
"""

from __future__ import annotations

import gc
import os
import random
import resource
import select
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, NamedTuple

import pytest

from askwire.proxy.wire import messages, passage
from askwire.proxy.wire.pipeline import Pipeline

if TYPE_CHECKING:
    from askwire import _compiled
    from askwire._compiled import Passage, Ring
else:
    _compiled = pytest.importorskip("askwire._compiled")

SECONDS = 20.0
QUERY = messages.query(b"SELECT 1")
ANSWER = messages.frame(b"C", b"SELECT 1\0") + messages.frame(b"Z", b"I")
ASK = messages.query(b"ASK 'how many'")
BUFFERS = 256
"""The ring's, of 16 kB each."""

NOTHING = (b"", b"", None)


class NoTransport:
    """No one writes past the ring."""

    def get_write_buffer_size(self) -> int:
        return 0


class LentSession(NamedTuple):
    """A session: `client` and `backend` are the far ends of its two sockets."""

    passage: Passage
    client: socket.socket
    backend: socket.socket
    inner: tuple[socket.socket, socket.socket]

    def close(self) -> None:
        if self.passage.lent:
            self.passage.take_back()
        for each in (self.client, self.backend, *self.inner):
            each.close()

    def query(self, text: bytes = QUERY, answer: bytes = ANSWER) -> None:
        self.client.sendall(text)
        assert received(self.backend, len(text)) == text
        self.backend.sendall(answer)
        assert received(self.client, len(answer)) == answer


Lend = Callable[[], LentSession]


@pytest.fixture
def ring() -> Iterator[Ring]:
    before, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, most), most))
    try:
        opened = passage.open_ring()
    except OSError as error:
        pytest.skip(f"the system has no io_uring for us: {error}")
    yield opened
    opened.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (before, most))


@pytest.fixture
def lend(ring: Ring) -> Iterator[Lend]:
    """Lends a new session to the ring; all end with the test."""
    yield from lend_to(ring)


def lend_to(ring: Ring) -> Generator[Lend, None, None]:
    made: list[LentSession] = []

    def lend() -> LentSession:
        client, inner_client = socket.socketpair()
        backend, inner_backend = socket.socketpair()
        for each in (client, backend):
            each.settimeout(SECONDS)
        inner = inner_client, inner_backend
        descriptors = inner_client.fileno(), inner_backend.fileno()
        words = passage.words(passage.words_of("ask"))
        passing = _compiled.Passage(
            words, 1 << 20, NoTransport(), descriptors[0], NoTransport(), descriptors[1]
        )
        passing.start(0, False)
        lent = LentSession(passing, client, backend, inner)
        made.append(lent)
        ring.lend(passing, *descriptors, b"I", lent)
        return lent

    yield lend
    for lent in made:
        lent.close()


def received(end: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size and (more := end.recv(min(size - len(data), 1 << 16))):
        data += more
    return bytes(data)


def all_of(end: socket.socket) -> bytes:
    """What has arrived."""
    end.setblocking(False)
    data = b""
    while True:
        try:
            data += end.recv(1 << 16)
        except BlockingIOError:
            return data


def came_back(ring: Ring) -> list[object]:
    """Who comes back by itself, in time."""
    assert select.select([ring], [], [], SECONDS)[0], "no one has come back"
    os.read(ring.fileno(), 8)
    return ring.came_back()


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_what_is_usual_passes_and_is_counted(lend: Lend) -> None:
    lent = lend()
    for _ in range(20):
        lent.query()
    lent.query(
        messages.parse(b"", b"SELECT 2") + messages.execute(b"") + messages.SYNC,
        messages.frame(b"1", b"") + messages.frame(b"D", bytes(9000)) + ANSWER,
    )
    until(lambda: lent.passage.rest == b"I")
    assert lent.passage.take_back() == (NOTHING, NOTHING)
    pipeline = Pipeline()
    skip, _, partial, settled, journal, answers = lent.passage.stop()
    passage.replay(pipeline, settled, journal, answers)
    assert (skip, partial, pipeline.answered, pipeline.status) == (0, b"", True, "I")


def test_it_says_whether_the_session_is_at_rest(lend: Lend) -> None:
    lent = lend()
    assert lent.passage.rest == b"I"
    lent.query(answer=messages.frame(b"Z", b"T"))
    until(lambda: lent.passage.rest == b"T")
    lent.client.sendall(QUERY)
    until(lambda: lent.passage.rest == b"")
    lent.backend.sendall(ANSWER[:-2])
    assert received(lent.client, len(ANSWER) - 2) == ANSWER[:-2]
    assert lent.passage.rest == b""


def test_an_ask_comes_back_with_what_is_behind_it(lend: Lend, ring: Ring) -> None:
    lent = lend()
    lent.query()
    lent.client.sendall(ASK + QUERY)
    assert came_back(ring) == [lent]
    assert lent.passage.take_back() == ((b"", ASK + QUERY, None), NOTHING)
    lent.backend.setblocking(False)
    with pytest.raises(BlockingIOError):
        lent.backend.recv(1)


def test_an_error_of_the_backend_comes_back(lend: Lend, ring: Ring) -> None:
    lent = lend()
    error = messages.error_response({"S": "ERROR", "C": "42601", "M": "no"})
    lent.client.sendall(QUERY)
    assert received(lent.backend, len(QUERY)) == QUERY
    lent.backend.sendall(error)
    assert came_back(ring) == [lent]
    assert lent.passage.take_back() == (NOTHING, (b"", error, None))


@pytest.mark.parametrize("which", [0, 1], ids=["client", "backend"])
def test_an_end_comes_back(lend: Lend, ring: Ring, which: int) -> None:
    lent = lend()
    lent.query()
    (lent.client, lent.backend)[which].close()
    assert came_back(ring) == [lent]
    left = lent.passage.take_back()
    assert left[which] == (b"", b"", 0)
    assert left[1 - which] == NOTHING


def test_one_reset_is_said(lend: Lend, ring: Ring) -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(listening.getsockname())
    inner, _ = listening.accept()
    backend, inner_backend = socket.socketpair()
    words = passage.words(passage.words_of("ask"))
    ends = inner.fileno(), inner_backend.fileno()
    passing = _compiled.Passage(words, 100, NoTransport(), ends[0], NoTransport(), ends[1])
    passing.start(0, False)
    ring.lend(passing, *ends, b"I", "it")
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    client.close()
    assert came_back(ring) == ["it"]
    (unsent, unread, error), other = passing.take_back()
    assert (unsent, unread) == (b"", b"")
    assert error
    assert other == NOTHING
    for each in (listening, inner, backend, inner_backend):
        each.close()


def test_a_slow_reader_comes_back_with_what_it_has_not_taken(lend: Lend, ring: Ring) -> None:
    lent = lend()
    lent.client.sendall(QUERY)
    assert received(lent.backend, len(QUERY)) == QUERY
    rows = b"".join(messages.frame(b"D", os.urandom(5000)) for _ in range(2000))
    sending = threading.Thread(target=lent.backend.sendall, args=(rows,))
    sending.start()
    assert came_back(ring) == [lent]
    (unsent, _, _), (_, unread, _) = lent.passage.take_back()
    passed = all_of(lent.client)
    so_far = passed + unsent + unread
    assert rows.startswith(so_far)
    rest = received(lent.inner[1], len(rows) - len(so_far))
    sending.join()
    assert so_far + rest == rows


def test_more_than_a_query_at_once_comes_back(lend: Lend, ring: Ring) -> None:
    lent = lend()
    much = messages.frame(b"d", bytes(100_000))
    sending = threading.Thread(target=lent.client.sendall, args=(much,))
    sending.start()
    assert came_back(ring) == [lent]
    (_, unread, error), (unsent, _, _) = lent.passage.take_back()
    assert error is None
    so_far = all_of(lent.backend) + unsent + unread
    rest = received(lent.inner[0], len(much) - len(so_far))
    sending.join()
    assert so_far + rest == much


def test_a_line_is_taken_back_at_any_moment(lend: Lend, ring: Ring) -> None:
    chance = random.Random(7)
    lent = lend()
    sent = b"".join(messages.query(b"SELECT %d" % number) for number in range(20_000))
    came = bytearray()
    ended = threading.Event()

    def read() -> None:
        while len(came) < len(sent):
            came.extend(lent.backend.recv(1 << 16))
            time.sleep(chance.random() / 3000)
        ended.set()

    threading.Thread(target=lent.client.sendall, args=(sent,)).start()
    threading.Thread(target=read).start()
    client, backend = lent.inner
    while not ended.is_set():
        time.sleep(chance.random() / 1000)
        (_, unread, _), (unsent, _, _) = lent.passage.take_back()
        backend.setblocking(True)
        backend.sendall(unsent + unread)
        lent.passage.stop()
        lent.passage.start(0, False)  # where in a message it is makes it look wrongly, and lose nothing
        ring.lend(lent.passage, client.fileno(), backend.fileno(), b"I", lent)
    ended.wait(SECONDS)
    assert bytes(came) == sent


def test_those_that_read_nothing_leave_buffers_for_the_others(lend: Lend, ring: Ring) -> None:
    quick = lend()
    slow = [lend() for _ in range(BUFFERS + 40)]
    block = messages.frame(b"N", bytes(9_000))
    for lent in slow:
        lent.backend.setblocking(False)
    stalled: set[int] = set()
    end = time.monotonic() + SECONDS
    while len(stalled) < len(slow) and time.monotonic() < end:
        for lent in slow:
            if lent.passage.lent:
                try:
                    lent.backend.send(block)
                except BlockingIOError:
                    stalled.add(id(lent))
        for owner in ring.came_back():
            assert isinstance(owner, LentSession)
            owner.passage.take_back()
            stalled.add(id(owner))
        quick.query()
    assert len(stalled) == len(slow)
    quick.query()


def test_many_sessions_come_and_go(lend: Lend) -> None:
    many = [lend() for _ in range(200)]
    for lent in many:
        lent.query()
    for lent in many[::2]:
        lent.close()
    for lent in many[1::2]:
        lent.query()
    lend().query()


def test_a_kernel_that_keeps_no_table_of_files_for_us_does_as_well() -> None:
    before, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, before), most))
    try:
        opened = passage.open_ring()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (before, most))
    lending = lend_to(opened)
    lent = next(lending)()
    lent.query()
    lent.client.sendall(ASK)
    assert came_back(opened) == [lent]
    assert lent.passage.take_back() == ((b"", ASK, None), NOTHING)
    lending.close()
    lent.close()
    opened.close()


def test_a_lent_passage_is_left_alone(lend: Lend, ring: Ring) -> None:
    lent = lend()
    for use in (
        lent.passage.stop,
        lambda: lent.passage.start(0, False),
        lambda: ring.lend(lent.passage, 0, 0, b"I", None),
    ):
        with pytest.raises(RuntimeError, match="lent"):
            use()
    lent.passage.take_back()
    with pytest.raises(RuntimeError, match="not lent"):
        lent.passage.take_back()


def test_it_is_lent_between_any_two_messages(lend: Lend, ring: Ring) -> None:
    lent = lend()
    descriptors = lent.inner[0].fileno(), lent.inner[1].fileno()
    lent.client.sendall(QUERY)
    assert received(lent.backend, len(QUERY)) == QUERY
    lent.passage.take_back()
    assert lent.passage.lendable
    ring.lend(lent.passage, *descriptors, b"I", lent)
    assert (lent.passage.lendable, lent.passage.rest) == (False, b"")
    lent.backend.sendall(ANSWER[:-3])
    assert received(lent.client, len(ANSWER) - 3) == ANSWER[:-3]
    lent.passage.take_back()
    assert not lent.passage.lendable
    with pytest.raises(RuntimeError, match="not between two messages"):
        ring.lend(lent.passage, *descriptors, b"I", lent)


def test_closing_gives_everything_back(lend: Lend, ring: Ring) -> None:
    lines = [lend() for _ in range(5)]
    lines[0].query()
    ring.close()
    for lent in lines:
        assert lent.passage.take_back() == (NOTHING, NOTHING)
    with pytest.raises(ValueError, match="closed"):
        ring.came_back()


def test_a_line_that_nobody_holds_is_taken_back(ring: Ring) -> None:
    ends = [*socket.socketpair(), *socket.socketpair()]
    words = passage.words(passage.words_of("ask"))
    passing = _compiled.Passage(words, 100, NoTransport(), 0, NoTransport(), 0)
    passing.start(0, False)
    owner = [passing]
    ring.lend(passing, ends[0].fileno(), ends[2].fileno(), b"I", owner)
    del passing, owner
    gc.collect()
    ends[1].sendall(QUERY)
    ends[3].setblocking(False)
    time.sleep(0.05)
    with pytest.raises(BlockingIOError):
        ends[3].recv(1)
    for end in ends:
        end.close()


def test_without_the_compiled_part_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passage, "IS_COMPILED", False)
    with pytest.raises(OSError, match="not built"):
        passage.open_ring()
