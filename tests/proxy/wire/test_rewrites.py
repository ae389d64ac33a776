"""Which message an answer belongs to while a rewritten statement lives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwire.proxy.wire import messages
from askwire.proxy.wire.rewrites import (
    BIND,
    CLOSE,
    DESCRIBE,
    EXECUTE,
    PARSE,
    QUERY,
    SYNC,
    Rewrites,
    Statement,
)
from askwire.proxy.wire.walker import FrameFilter

ERROR = messages.error_response({"S": "ERROR", "C": "42703", "P": "50", "p": "7"})
MOVED = messages.error_response({"S": "ERROR", "C": "42703", "P": "5", "p": "7"})
READY = messages.frame(b"Z", b"I")


def shorter(position: int) -> int:
    return position // 10


def answers(kinds: str) -> bytes:
    """Messages of these types without content; Z ends a transaction."""
    return b"".join(READY if kind == "Z" else messages.frame(kind.encode(), b"") for kind in kinds)


def rewritten(name: bytes = b"s") -> Rewrites:
    """A book with one rewritten statement, prepared."""
    book = Rewrites()
    book.parse(name, Statement(shorter))
    book.sent(SYNC, b"")
    assert book.feed(answers("1Z")) == answers("1Z")
    return book


def test_nothing_is_recorded_before_there_is_something_rewritten() -> None:
    book = Rewrites()
    book.sent(PARSE, messages.parse_payload(b"s", b"SELECT 1"))
    assert not book.active


def test_a_query_s_errors_are_its_own() -> None:
    book = Rewrites()
    book.query(shorter)
    book.sent(QUERY, b"SELECT 1\0")
    assert book.feed(ERROR + READY + ERROR + READY) == MOVED + READY + ERROR + READY
    assert not book.active


def test_internal_positions_stay() -> None:
    assert b"p7\0" in MOVED


@pytest.mark.parametrize(
    ("sent", "before"),
    [
        ([(BIND, b"\0s\0")], ""),
        ([(BIND, b"p\0s\0"), (EXECUTE, b"p\0")], "2"),
        ([(BIND, b"p\0s\0"), (DESCRIBE, b"Pp\0")], "2"),
        ([(BIND, b"p\0s\0"), (EXECUTE, b"p\0"), (EXECUTE, b"p\0")], "2Ds"),
        ([(DESCRIBE, b"Ss\0")], "t"),
        ([(PARSE, messages.parse_payload(b"", b"SELECT 1")), (BIND, b"\0s\0")], "1"),
    ],
)
def test_errors_of_what_belongs_to_the_statement_move(sent: list[tuple[int, bytes]], before: str) -> None:
    book = rewritten()
    for kind, payload in [*sent, (SYNC, b"")]:
        book.sent(kind, payload)
    assert book.feed(answers(before) + ERROR + READY) == answers(before) + MOVED + READY
    book.sent(QUERY, b"SELECT 1\0")
    assert book.feed(ERROR + READY) == ERROR + READY


@pytest.mark.parametrize(
    ("sent", "before"),
    [
        ([(PARSE, messages.parse_payload(b"", b"SELECT 1"))], ""),
        ([(BIND, b"\0other\0")], ""),
        ([(BIND, b"\0s\0"), (EXECUTE, b"\0"), (BIND, b"\0other\0"), (EXECUTE, b"\0")], "2DC2"),
        ([(CLOSE, b"Ss\0"), (PARSE, messages.parse_payload(b"s", b"SELECT 1")), (BIND, b"\0s\0")], "31"),
        ([(EXECUTE, b"p\0")], ""),
    ],
)
def test_errors_of_anything_else_stay(sent: list[tuple[int, bytes]], before: str) -> None:
    book = rewritten()
    for kind, payload in [*sent, (SYNC, b"")]:
        book.sent(kind, payload)
    assert book.feed(answers(before) + ERROR + READY) == answers(before) + ERROR + READY


def test_what_the_backend_skips_has_no_answer() -> None:
    book = rewritten()
    for kind, payload in ((BIND, b"\0s\0"), (EXECUTE, b"\0")):
        book.sent(kind, payload)
    assert book.feed(ERROR) == MOVED
    # sent after the error, and skipped as well
    book.sent(CLOSE, b"Ss\0")
    book.sent(SYNC, b"")
    assert book.feed(READY) == READY
    book.sent(BIND, b"\0s\0")
    assert book.feed(ERROR) == MOVED


@pytest.mark.parametrize(
    ("end", "name"), [((CLOSE, b"Ss\0", "3"), b"s"), ((QUERY, b"SELECT 1\0", "CZ"), b"")]
)
def test_it_ends_with_the_last_rewritten_statement(end: tuple[int, bytes, str], name: bytes) -> None:
    book = rewritten(name)
    kind, payload, came = end
    book.sent(kind, payload)
    book.sent(SYNC, b"")
    book.feed(answers(came + "Z"))
    assert not book.active


def test_a_statement_waits_from_its_parse_on_and_no_longer_than_it_lives() -> None:
    book = Rewrites()
    book.parse(b"s", Statement(template="t"))
    assert book.waiting(b"s")
    book.sent(SYNC, b"")
    book.feed(answers("1Z"))
    assert book.waiting(b"s")
    assert not book.waiting(b"t")
    book.sent(CLOSE, b"Ss\0")
    book.feed(answers("3"))
    assert not book.waiting(b"s")
    book.parse(b"s", Statement(template="t"))
    book.feed(ERROR)
    assert not book.waiting(b"s")


FRAMES = st.lists(st.tuples(st.sampled_from("ENZDT1"), st.sampled_from([0, 1, 7, 40, 66_000])), max_size=6)


@given(frames=FRAMES, cuts=st.lists(st.integers(0, 300), max_size=12))
def test_a_filter_that_changes_nothing_passes_any_stream_however_it_is_split(
    frames: list[tuple[str, int]], cuts: list[int]
) -> None:
    stream = b"".join(messages.frame(kind.encode(), bytes(size)) for kind, size in frames)
    heard: list[int] = []
    filtered = FrameFilter(frozenset(b"ENZ"), frozenset(b"1"))

    def change(kind: int, payload: bytes) -> bytes:
        heard.append(kind)
        return payload

    passed = b""
    position = 0
    for cut in [*cuts, len(stream)]:
        passed += filtered.feed(stream[position : position + cut], change)
        position += cut
    passed += filtered.feed(stream[position:], change)
    assert passed == stream
    assert heard == [ord(kind) for kind, _ in frames if kind in "ENZ1"]
    assert not filtered.partial
