"""Any bytes, whole or split anywhere, yield the same messages or ProtocolError, never another exception."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwire.core.errors import ProtocolError
from askwire.proxy.wire import messages
from askwire.proxy.wire.walker import DATA_ROW, WATCHED, BackendWalker, Frame, FrameReader

KINDS = st.sampled_from(sorted(WATCHED) + list(b"DTdNA123ns"))
FRAMES = st.lists(st.tuples(KINDS, st.binary(max_size=40)), max_size=12)


def joined(frames: Sequence[Frame]) -> bytes:
    return b"".join(messages.frame(bytes((kind,)), payload) for kind, payload in frames)


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    at = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[a:b] for a, b in pairwise(at)]


def walk(parts: Sequence[bytes]) -> tuple[list[Frame], str, bool]:
    walker = BackendWalker()
    found: list[Frame] = []
    try:
        for part in parts:
            found += walker.feed(part)
    except ProtocolError as error:
        return [], error.message, False
    return found, "", walker.at_boundary


def read(parts: Sequence[bytes], max_row: int) -> tuple[list[Frame], str, bytes]:
    reader = FrameReader(max_row)
    found: list[Frame] = []
    try:
        for part in parts:
            found += reader.feed(part)
    except ProtocolError as error:
        return [], error.message, b""
    return found, "", reader.rest()


@given(FRAMES, st.lists(st.integers(min_value=0), max_size=20))
def test_the_walker_reports_the_watched_messages_however_they_are_split(
    frames: list[Frame], cuts: list[int]
) -> None:
    found, error, at_boundary = walk(pieces(joined(frames), cuts))
    assert found == [frame for frame in frames if frame[0] in WATCHED]
    assert (error, at_boundary) == ("", True)


@given(st.binary(max_size=200), st.lists(st.integers(min_value=0), max_size=20))
def test_the_walker_takes_any_bytes(data: bytes, cuts: list[int]) -> None:
    assert walk(pieces(data, cuts)) == walk([data])


@given(FRAMES, st.lists(st.integers(min_value=0), max_size=20), st.integers(0, 44))
def test_the_reader_yields_every_message_however_they_are_split(
    frames: list[Frame], cuts: list[int], max_row: int
) -> None:
    expected = [
        (kind, b"" if kind == DATA_ROW and len(payload) + 4 > max_row else payload)
        for kind, payload in frames
    ]
    assert read(pieces(joined(frames), cuts), max_row) == (expected, "", b"")


@given(st.binary(max_size=200), st.lists(st.integers(min_value=0), max_size=20), st.integers(0, 200))
def test_the_reader_takes_any_bytes(data: bytes, cuts: list[int], max_row: int) -> None:
    assert read(pieces(data, cuts), max_row) == read([data], max_row)


@given(FRAMES, st.integers(min_value=0))
def test_the_walker_is_at_a_boundary_only_between_messages(frames: list[Frame], cut: int) -> None:
    data = joined(frames)
    cut %= len(data) + 1
    ends = {0}
    for frame in frames:
        ends.add(max(ends) + len(joined([frame])))
    assert walk([data[:cut]])[2] == (cut in ends)


def test_a_giant_error_is_reported_and_not_kept_in_memory() -> None:
    walker = BackendWalker()
    raw = messages.error_response({"S": "ERROR", "M": "x" * 300_000})
    found = [frame for at in range(0, len(raw), 1000) for frame in walker.feed(raw[at : at + 1000])]
    assert found == [(ord("E"), b"")]
    assert walker.at_boundary
    assert not walker._partial


@pytest.mark.parametrize("length", [0, 1, 2, 3])
def test_a_length_below_four_is_no_message(length: int) -> None:
    raw = b"Z" + messages.UINT32.pack(length)
    with pytest.raises(ProtocolError):
        BackendWalker().feed(raw)
    with pytest.raises(ProtocolError):
        list(FrameReader(1).feed(raw))
