"""What the backend still owes: scenarios, and a model of the backend that the book is held against."""

from __future__ import annotations

from collections import deque
from copy import deepcopy
from dataclasses import dataclass, field

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from askwire.core.errors import ProtocolError
from askwire.proxy.wire.pipeline import Pipeline
from askwire.proxy.wire.walker import ANSWERS


def book(script: str) -> Pipeline:
    """Play a script: `>X` was sent, `<X` came back; `<Z` with its status, `<C` with its tag."""
    pipeline = Pipeline()
    for word in script.split():
        way, kind, rest = word[0], ord(word[1]), word[2:].strip("()")
        if way == ">":
            pipeline.sent(kind)
        else:
            payload = rest.replace("_", " ").encode() + (b"\0" if word[1] == "C" else b"")
            pipeline.received(kind, payload)
    return pipeline


IDLE = [
    "",
    ">Q <C(SELECT) <Z(I)",
    ">P >B >D >E >S <C(SELECT) <Z(I)",
    ">P >D >H",
    ">Q >Q <Z(I) <Z(T)",
    ">F <Z(I)",
    # COPY in, simple
    ">Q <G >d >c <C(COPY) <Z(I)",
    ">Q <G >d >f <E <Z(I)",
    ">Q <G >d >c <G >d >c <C(COPY) <Z(I)",
    ">Q >d >c >Q <G <C(COPY) <Z(I) <Z(I)",
    ">Q >d >c <E <Z(I)",
    ">Q >d >c >Q <E <Z(I) <Z(I)",
    ">Q <G >d <E >d >c <Z(I)",
    ">Q <G >d <E <Z(I) >d >c",
    # COPY in, extended: the Sync before the data is never answered
    ">P >B >E >S <G >d >c >S <C(COPY) <Z(I)",
    ">P >B >E >S <G >d >f >S <E <Z(I)",
    ">P >B >E >S >d >c >S <G <C(COPY) <Z(I)",
    ">P >B >E >S >d >c >S <E <Z(I) <Z(I)",
    ">P >B >E >S <G >d <E >d >c >S <Z(I)",
    ">P >B >E >H <G >d >c >S <C(COPY) <Z(I)",
    ">P >B >E >d >c >S <G <C(COPY) <Z(I)",
    ">P >B >E >d >c >S <E <Z(I)",
    ">P >B >E >S >P >B >E >d >c >S <Z(I) <G <C(COPY) <Z(I)",
    ">P >B >E >d >c <E",
    ">P >B >E >H <G >d <E >c",
    # behind an error of a group everything up to the next Sync is skipped
    ">P <E >Q",
    ">P >Q <E",
    ">P >F <E",
    ">P >Q >Q >P >F <E",
    ">P >Q <1 <E <Z(I)",
    ">P >Q >S <E <Z(I)",
    ">P >Q >S <1 <E <Z(I) <Z(I)",
    ">P >B >Q >S >Q <1 <E <Z(I) <Z(I)",
    ">P >B >D >E >Q <1 <2 <T <C(SELECT) <C(SELECT) <E <Z(I)",
    ">P >S >P >B >Q <1 <Z(I) <1 <E",
    ">P >Q >P >Q <1 <C(SELECT) <Z(I) <E",
    ">P <E >Q >Q >F >c >S <Z(I)",
    ">P >B >E >d >c >Q <1 <2 <G <E",
    ">P >B >E >d >c >Q <1 <2 <G <C(COPY) <C(SELECT) <Z(I)",
    ">P >B >E >S >d >c >Q <1 <2 <G <E",
    ">P >B >E >d >c >P >B >E >S >d >c <1 <2 <C(SELECT) <1 <2 <G <C(COPY)",
]


def test_answers_are_needed_while_an_end_of_copy_may_belong_to_none() -> None:
    assert book(">P >B >E >d >c >S").counts
    assert not book(">P >B >E >d >c >S <1 <2 <C(SELECT) <Z(I)").counts


@pytest.mark.parametrize("script", IDLE)
def test_everything_is_answered(script: str) -> None:
    assert book(script).answered


@pytest.mark.parametrize(
    "script",
    [
        ">Q",
        ">Q >Q <Z(I)",
        ">P >B >E >S <C(SELECT)",
        ">Q <G",
        ">Q <G >d >c",
        ">P >B >E >S <G",
        ">P >B >E >S <G >S",
        ">P >B >E >S <G >d >c >S <C(COPY)",
        ">P >B >E >d >c >S",
        ">P >B >E >d >c >S <E",
        ">P >B >E >S >d >c >S <E <Z(I)",
        ">Q <G >d >c <G",
        ">P >Q <1",
        ">P >Q <1 <E",
        ">P >B >E >Q <1 <2 <C(SELECT) <E",
        ">P >Q >S <E",
        ">P <E >S",
        ">P >Q >P >Q <1 <E",
    ],
)
def test_an_answer_is_owed(script: str) -> None:
    assert not book(script).answered


@pytest.mark.parametrize(
    ("script", "harmless"),
    [
        ("", True),
        (">P", True),
        (">P >D", True),
        (">P >B", False),
        (">P >B >E <C(INSERT)", False),
        (">P >B >E <C(BEGIN)", True),
        (">P >B >E <C(START_TRANSACTION)", True),
        (">P >B >E <C(INSERT) >P >B >E <C(BEGIN)", True),
        (">P >B >E <C(BEGIN) >P >B >E <C(INSERT)", True),
        (">P >B >E <C(BEGIN) >P >B >E <C(COMMIT)", True),
        (">P >B >E <C(BEGIN) >P >B >E <C(COMMIT) >P >B", False),
        (">P >B >E <C(BEGIN) >P >B >E <C(COMMIT) >P >B >E <C(INSERT)", False),
        (">P >B >E <I >P", True),
        (">P >B >E <I >P >B >E", False),
        (">P >B >E <I >P >B >E <C(INSERT)", False),
        (">Q <C(BEGIN) <Z(T) >P >B >E <C(INSERT)", True),
        (">Q <C(BEGIN) <Z(T) >P >B >E <C(COMMIT)", True),
        (">Q <C(BEGIN) <Z(T) >P >B >E >E <C(COMMIT)", False),
        (">Q <C(BEGIN) <Z(T) >P >B >E <C(ROLLBACK)", True),
        (">Q <Z(T) >P >B >E <C(ROLLBACK) >P >B >E <C(INSERT)", False),
        (">Q <Z(T) >P >B >E <C(ROLLBACK) >P >B >E <C(RELEASE) >P >B >E <C(INSERT)", True),
        (">Q <Z(T) >P >B >E <C(PREPARE) >P >B >E <C(INSERT)", True),
        (">Q <Z(T) >P >B >E <C(PREPARE_TRANSACTION) >P >B >E <C(INSERT)", False),
        (">Q <Z(E) >P", True),
        (">P >B >E <C(BEGIN) >S <Z(T) >P >B >E", True),
        # a Query in a group leaves the group's implicit transaction open
        (">P >B >E >Q <1 <2 <C(INSERT) <C(SELECT) <Z(T)", False),
        (">P >B >E >Q <1 <2 <C(INSERT) <C(SELECT) <Z(T) >Q <C(SELECT) <Z(T)", False),
        (">P >B >E >Q <1 <2 <C(INSERT) <C(BEGIN) <Z(T)", True),
        (">P >B >E >Q <1 <2 <C(INSERT) <C(SELECT) <Z(T) >S <Z(I)", True),
        (">P >B >E >Q >Q <1 <2 <C(INSERT) <C(SELECT) <Z(T) <C(SELECT) <Z(T)", False),
        (">P >Q <1 <C(SELECT) <Z(I)", True),
        (">P >B >E <C(BEGIN) >P >B >E <C(COMMIT) >S <Z(I) >P", True),
    ],
)
def test_an_extra_sync_is_harmless_in_a_block_or_before_anything_ran(script: str, harmless: bool) -> None:
    assert book(script).sync_is_harmless is harmless


@pytest.mark.parametrize(
    ("script", "failed"),
    [
        (">P <E", True),
        (">P <E >B >E", True),
        (">P <E >Q", True),
        (">P >Q <E >F", True),
        (">P >Q <1 <E", False),
        (">P <E >S <Z(I) >P", False),
        (">Q <E <Z(I) >P", False),
        (">P >S >P <E", False),
        (">P >S >P <E <Z(I)", False),
    ],
)
def test_an_open_group_that_met_an_error_is_skipped(script: str, failed: bool) -> None:
    assert book(script).skips is failed


@pytest.mark.parametrize("payload", [b"", b"X", b"II", b"\xff"])
def test_an_impossible_transaction_status_is_a_protocol_error(payload: bytes) -> None:
    with pytest.raises(ProtocolError):
        Pipeline().received(ord("Z"), payload)


# -- the model -------------------------------------------------------------------------------------------

# what a message does when the backend comes to it: select, fail, copy, copy that fails halfway
OUTCOMES = st.sampled_from("sfch")
ANSWER = {"P": "1", "B": "2", "D": "T", "C": "3"}


@dataclass
class Backend:
    """PostgreSQL's message loop, as far as the book depends on it."""

    inbox: deque[tuple[str, str]] = field(default_factory=deque)
    owed: int = 0
    skipping: bool = False
    copying: str = ""
    copy_fails: bool = False

    def foreseen(self) -> list[tuple[str, bytes]]:
        """What will be said about the messages that have arrived."""
        ahead = deepcopy(self)
        return [said for _ in self.inbox for said in ahead.step()]

    def step(self) -> list[tuple[str, bytes]]:
        """Work on one message; what is said."""
        kind, outcome = self.inbox.popleft()
        if self.copying:
            return self._copy(kind)
        if kind == "S":
            self.skipping = False
            return [("Z", b"I")]
        if self.skipping or kind in "dcfH":
            return []
        if kind == "F":
            return [("E", b"") if outcome == "f" else ("V", b""), ("Z", b"I")]
        if kind == "Q":
            return self._run(kind, outcome) + ([] if self.copying else [("Z", b"I")])
        if kind == "E":
            return self._run(kind, outcome)
        self.skipping = outcome == "f"
        return [("E", b"") if self.skipping else (ANSWER[kind], b"")]

    def _run(self, kind: str, outcome: str) -> list[tuple[str, bytes]]:
        if outcome == "s":
            return [("C", b"SELECT 1\0")]
        if outcome == "f":
            self.skipping = kind == "E"
            return [("E", b"")]
        self.copying, self.copy_fails = kind, outcome == "h"
        return [("G", b"")]

    def _copy(self, kind: str) -> list[tuple[str, bytes]]:
        origin = self.copying
        done = [("Z", b"I")] if origin == "Q" else []
        if kind == "f" or (kind == "d" and self.copy_fails):
            self.copying = ""
            self.skipping = origin == "E"
            return [("E", b""), *done]
        if kind == "c":
            self.copying = ""
            return [("C", b"COPY 1\0"), *done]
        return []


ENDS = st.sampled_from(["c", "f"])


@st.composite
def sessions(draw: st.DrawFn) -> list[tuple[str, str]]:
    """Messages of a client that pipelines as it likes: (type, outcome)."""
    sent: list[tuple[str, str]] = []
    for _ in range(draw(st.integers(1, 5))):
        outcome = draw(OUTCOMES)
        copies = outcome in "ch" or draw(st.booleans())
        data = [("d", "")] * draw(st.integers(1, 2)) + [(draw(ENDS), "")]
        if draw(st.booleans()):
            sent += [("Q", outcome), *(data if copies else [])]
            continue
        sent += [("P", ""), ("B", ""), ("E", outcome)]
        if copies:
            early = draw(st.booleans())
            sent += [*([("S", "")] if early else []), *data]
        elif draw(st.booleans()):
            sent += [("P", ""), ("B", ""), ("E", draw(st.sampled_from("sf")))]
        if draw(st.integers(0, 2)):
            sent.append(("S", ""))
    return sent


ANY = st.tuples(st.sampled_from("QFSPBDCE"), st.sampled_from("ssf"))
"""Messages in any order, some of which fail; without COPY, in which most of them end the connection."""


@settings(max_examples=300)
@example(
    sent=[(kind, "c" if kind == "E" else "") for kind in "PBESdcPBEdc"],
    order=[],
)
@example(
    sent=[(kind, "") if kind != "E" else (kind, "s") for kind in "PBEPBEdc"]
    + [(kind, "c" if kind == "E" else "") for kind in "PBESdcPBEdc"],
    order=[],
)
@example(
    sent=[(kind, "") if kind != "E" else (kind, "s") for kind in "PBEPBEdc"]
    + [(kind, "c" if kind == "E" else "") for kind in "PBESdcPBEdfS"],
    order=[],
)
@given(sessions() | st.lists(ANY, max_size=12), st.lists(st.booleans(), max_size=80))
def test_the_book_agrees_with_the_backend(sent: list[tuple[str, str]], order: list[bool]) -> None:
    """Whatever order messages cross in, nothing counts as answered too early, and all does at last."""
    pipeline, backend = Pipeline(), Backend()
    to_send, said = deque(sent), deque[tuple[str, bytes]]()
    turns = iter(order)

    def turn() -> bool:
        return next(turns, True)

    while to_send or backend.inbox or said:
        if to_send and turn():
            kind, outcome = to_send.popleft()
            pipeline.sent(ord(kind))
            backend.inbox.append((kind, outcome))
        elif backend.inbox and turn():
            said += backend.step()
        elif said:
            kind, payload = said.popleft()
            if kind != "V" and (pipeline.counts or ord(kind) not in ANSWERS):
                pipeline.received(ord(kind), payload)
        on_its_way = [kind for kind, _ in (*said, *backend.foreseen())]
        assert not (pipeline.answered and "Z" in on_its_way), "called idle while an answer was on its way"
    assert pipeline.answered


@pytest.mark.parametrize(
    ("script", "uncertain"),
    [
        (">P >B >E >S <G <E <Z(I)", True),
        (">P >B >E <G >S <E <Z(I)", True),
        (">P >B >E >S <G >d <E >d >c >S <Z(I)", True),
        (">P >B >E >S <G >d >c >S <C(COPY) <Z(I) >Q <E <Z(I)", False),
        (">P >B >E <G >d <E >d >c >S <Z(I)", False),
        (">Q <G >d <E <Z(I)", False),
    ],
)
def test_whether_a_sync_ahead_of_the_data_of_a_failed_copy_counts_is_not_known(
    script: str, uncertain: bool
) -> None:
    assert book(script).uncertain is uncertain
