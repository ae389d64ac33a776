"""The compiled part of the relay and Python's: the same bytes, however they are split, lead to the same.

Invariant: a session with the compiled part passes the same bytes to the same side in the same order, and
knows the same of what is in flight, as one without it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from doubles.scripted_resolver import ScriptedResolver
from hypothesis import example, given, settings
from hypothesis import strategies as st
from servers.memory_transport import MemoryBackend

from askwire.core.errors import ProtocolError
from askwire.core.settings.table import load
from askwire.proxy.wire import building, messages, passage
from askwire.proxy.wire.walker import WATCHED, BackendWalker, Frame

pytestmark = pytest.mark.skipif(not passage.IS_COMPILED, reason="the compiled part was not built")

CUTS = st.lists(st.integers(min_value=0), max_size=12)
SESSIONS = min(400, int(os.environ.get("FUZZ_INPUTS", "400")))
"""Fewer under sanitizers, where each takes four times as long."""


def pieces(data: bytes, cuts: Sequence[int]) -> list[bytes]:
    at = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[a:b] for a, b in pairwise(at) if a < b]


# -- the walker ------------------------------------------------------------------------------------------

KINDS = st.sampled_from(sorted(WATCHED) + list(b"DTdNA123ns"))
FRAMES = st.lists(st.tuples(KINDS, st.binary(max_size=40)), max_size=12)


def walk(walker: BackendWalker, parts: Sequence[bytes]) -> list[tuple[list[Frame], bool]]:
    steps: list[tuple[list[Frame], bool]] = []
    for part in parts:
        try:
            steps.append((walker.feed(part), walker.at_boundary))
        except ProtocolError as error:
            steps.append(([(0, error.message.encode())], False))
            break
    return steps


def both_walk(parts: Sequence[bytes], skip: int = 0, partial: bytes = b"") -> None:
    walkers = (passage.backend_walker(), BackendWalker())
    assert type(walkers[0]) is not type(walkers[1])
    for answers in (False, True):
        for walker in walkers:
            walker.answers = answers
            walker.resume(skip, partial)
        assert walk(walkers[0], parts) == walk(walkers[1], parts)


@given(FRAMES, CUTS)
def test_walkers_agree_on_messages(frames: list[Frame], cuts: list[int]) -> None:
    both_walk(pieces(b"".join(messages.frame(bytes((k,)), p) for k, p in frames), cuts))


@given(st.binary(max_size=300), CUTS, st.integers(0, 40), st.sampled_from([b"", b"D", b"Z\0", b"E\0\0\0"]))
@example(b"E\0\2\0\0" + bytes(100), [], 0, b"")
def test_walkers_agree_on_any_bytes(data: bytes, cuts: list[int], skip: int, partial: bytes) -> None:
    both_walk(pieces(data, cuts), 0 if partial else skip, partial)


# -- the words -------------------------------------------------------------------------------------------

LETTERS = st.text("askASKq _$1(';\u00e4x", max_size=30).map(str.encode)


@given(LETTERS, st.sampled_from(["", "ask", "q", "ask_it", "sk", "aska"]))
@example(b"aska ask", "aska")
def test_words_are_found_by_the_same_rule(text: bytes, function: str) -> None:
    words = passage.words_of(function)
    compiled = passage.words(words)
    assert compiled.search(text) == bool(passage.pattern(words).search(text))


# -- sessions --------------------------------------------------------------------------------------------

QUERIES = st.sampled_from(
    [messages.query(b"SELECT 1"), messages.query(b"SELECT 'task' -- " + bytes(60)), messages.query(b"")]
)
FROM_CLIENT = st.one_of(
    QUERIES,
    st.sampled_from(
        [
            messages.parse(b"", b"SELECT 1"),
            messages.parse(b"s", b"SELECT $1"),
            messages.frame(b"B", b"\0s\0\0\0\0\0\0\0"),
            messages.frame(b"B", b"p\0\0\0\0\0\0\0\0"),
            messages.describe_portal(b""),
            messages.execute(b""),
            messages.execute(b"p"),
            messages.close_portal(b""),
            messages.SYNC,
            messages.FLUSH,
            messages.TERMINATE,
            messages.frame(b"F", bytes(10)),
            messages.frame(b"d", b"copied"),
            messages.frame(b"d", bytes(100)),
            messages.frame(b"c", b""),
            messages.frame(b"f", b"no\0"),
            messages.frame(b"?", b"unknown"),
            messages.query(b"SELECT 1 -- longer than what is looked at" + bytes(200)),
            b"Q\0\0\0\2",
        ]
    ),
)
FROM_BACKEND = st.sampled_from(
    [
        *(messages.frame(b"Z", status) for status in (b"I", b"T", b"E")),
        *(messages.frame(b"C", tag) for tag in (b"SELECT 1\0", b"BEGIN\0", b"COMMIT\0", bytes(70))),
        messages.frame(b"D", bytes(50)),
        messages.frame(b"T", b""),
        *(messages.frame(bytes((kind,)), b"") for kind in b"123ns"),
        messages.frame(b"I", b""),
        messages.frame(b"G", bytes(3)),
        messages.frame(b"W", bytes(3)),
        messages.frame(b"S", b"TimeZone\0UTC\0"),
        messages.frame(b"N", b"M\0\0"),
        messages.error_response({"S": "ERROR", "C": "42601", "M": "no"}),
        messages.frame(b"Z", b"?"),
        b"D\0\0\0\1",
    ]
)
TURNS = st.lists(
    st.tuples(
        st.booleans(),
        st.lists(FROM_CLIENT, max_size=6).map(b"".join),
        st.lists(FROM_BACKEND, max_size=6).map(b"".join),
        CUTS,
    ),
    max_size=8,
)
Turns = list[tuple[bool, bytes, bytes, list[int]]]
PLAIN = messages.frame(b"C", b"SELECT 1\0") + messages.frame(b"Z", b"I")


async def played(turns: Turns, *, compiled: str) -> dict[str, Any]:
    """What a session has passed and knows after some turns."""
    settings = load({"compiled_relay": compiled, "scan_limit": "200B"})
    backend = MemoryBackend(ScriptedResolver(settings), settings)
    backend.answering = False
    await backend.log_in()
    session, relay = backend.session, backend.relay
    assert (relay._passage is not None) is (compiled == "on")
    for client_first, from_client, from_backend, cuts in turns:
        both = [(backend.from_client, from_client), (backend.from_backend, from_backend)]
        for feed, data in both if client_first else reversed(both):
            for part in pieces(data, cuts):
                if not backend.ended:
                    feed(part)
    pipeline = relay.pipeline
    return {
        "client": bytes(backend.client.written),
        "backend": backend.received,
        "counted": (session.client.received, session.client.sent),
        "ended": backend.ended,
        "phase": session.phase,
        "skip": relay.stream.skip if not backend.ended else None,
        "boundary": relay.at_boundary or backend.ended,
        # as it is now: what still works is canceled when the loop ends, and writes in it
        "book": {k: list(v) if isinstance(v, deque) else v for k, v in vars(pipeline).items()}
        if not backend.ended
        else {},
        "parameters": session.parameters,
    }


@given(TURNS)
@example([(False, b"", messages.frame(b"C", b"BEGIN\0"), []), (True, messages.SYNC, PLAIN, [])])
@example(
    [
        (False, b"", messages.frame(b"E", b"SERROR\0C42601\0Mno\0\0"), []),
        (True, messages.frame(b"B", b"\0s" + bytes(7)), messages.frame(b"Z", b"I"), []),
    ]
)
@settings(max_examples=SESSIONS, deadline=None)
@example([(True, messages.query(b"SELECT 1"), PLAIN[:-3], []), (False, b"", PLAIN[-3:], [])])
@example([(True, messages.query(b"COPY t FROM STDIN"), messages.frame(b"G", bytes(3)), [])])
@example([(True, messages.parse(b"", b"x"), messages.frame(b"G", bytes(3)) + messages.frame(b"1", b""), [])])
@example(
    [(True, messages.parse(b"", b"x"), b"", []), (True, messages.query(b"x"), messages.frame(b"1", b""), [])]
)
@example([(True, messages.query(b"x") + messages.SYNC, PLAIN, [0, 1]), (True, messages.FLUSH, PLAIN, [])])
@pytest.mark.slow
def test_sessions_agree(turns: Turns) -> None:
    both = [asyncio.run(played(turns, compiled=compiled)) for compiled in ("on", "off")]
    assert both[0] == both[1]


async def test_what_is_usual_takes_no_python(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = MemoryBackend()
    backend.answering = False
    await backend.log_in()
    backend.from_client(messages.query(b"SELECT 1"))
    backend.from_backend(PLAIN)
    monkeypatch.setattr(type(backend.session), "side_received", None)
    extended = messages.parse(b"", b"SELECT 2") + messages.execute(b"") + messages.SYNC
    for _ in range(100):
        backend.from_client(messages.query(b"SELECT 1"))
        backend.from_backend(PLAIN[:3])
        backend.from_backend(PLAIN[3:-6])
        backend.from_backend(PLAIN[-6:])
        backend.from_client(extended)
        backend.from_backend(PLAIN)
    monkeypatch.undo()
    assert backend.relay.pipeline.answered
    assert backend.client.written == PLAIN * 201


async def test_an_ask_is_seen_behind_what_is_usual() -> None:
    backend = MemoryBackend()
    await backend.log_in()
    for _ in range(3):
        backend.from_client(messages.query(b"SELECT 1"))
        await backend.quiet()
    backend.from_client(messages.query(b"SELECT 1") + messages.query(b"ASK 'x'"))
    await backend.quiet()
    assert b"ASK" not in backend.received
    assert backend.session.phase.value == "asking"


# -- the build -------------------------------------------------------------------------------------------


def test_a_build_of_other_sources_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "askwire"
    folder.mkdir()
    (folder / "_compiled.py").write_text("INTERFACE = 0\n")
    check = "from askwire.proxy.wire import passage; print(passage.IS_COMPILED)"
    path = ":".join([str(tmp_path), *filter(None, sys.path)])
    said = subprocess.run(
        [sys.executable, "-P", "-c", check],
        env={"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout == "False\n"


def test_without_a_compiler_the_build_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", str(tmp_path / "no-compiler"))
    assert "there is no C compiler" in building.build(tmp_path / "askwire" / "_compiled.so")
    assert list((tmp_path / "askwire").iterdir()) == []


# -- where the system has less ---------------------------------------------------------------------------

ELSEWHERE = """
import errno
from askwire import _compiled
try:
    _compiled.Ring()
except OSError as error:
    print(_compiled.__file__, error.errno == errno.ENOSYS)
"""


@pytest.mark.parametrize(
    "without", ["#undef __linux__", "#define LINUX_IO_URING_H"], ids=["Linux", "io_uring's header"]
)
def test_it_compiles_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without: str) -> None:
    target = tmp_path / "askwire" / building.target().name
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc")
    # Python's own headers may need to know the system, as Debian's do
    header = tmp_path / "without.h"
    header.write_text(f"#define PY_SSIZE_T_CLEAN\n#include <Python.h>\n{without}\n")
    monkeypatch.setenv("CC", f"gcc -include {header}")
    assert building.build(target) == ""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    said = subprocess.run(
        [sys.executable, "-P", "-c", ELSEWHERE], env=environment, capture_output=True, text=True, check=True
    )
    assert said.stdout.split() == [str(target), "True"]
