"""Sequences of frontend messages get PostgreSQL's answers, and nothing stays of a client that vanishes.

The long run is `message_sequences` as a program, which prints seeds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from data.message_sequences import (
    STEPS,
    Database,
    Departure,
    Place,
    Step,
    compared,
    differs,
    place_in_front_of,
    vanished,
)
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from servers import openssl_files
from servers.openssl_files import Certificates
from servers.running_proxy import OwnDatabase
from servers.tls_database import with_tls

Play = Callable[[Sequence[Step], bool, Departure], str]

SEQUENCES = st.lists(st.sampled_from(STEPS), min_size=1, max_size=10)
LEAVINGS = st.builds(
    Departure,
    at=st.floats(0, 1) | st.just(1.0),
    reset=st.booleans(),
    answers=st.integers(0, 3),
    endless=st.booleans(),
)
AT_THE_END = Departure(at=1.0, reset=False, answers=0, endless=False)

SKIPPED: Sequence[Step] = [("parse", "no sql"), ("query", "row"), ("query", "ask")]
"""An error, and what is skipped behind it, without a Sync."""


@pytest.fixture(scope="module")
def certificates(module_folder: Path) -> Certificates | None:
    if openssl_files.OPENSSL is None:
        return None
    return openssl_files.make(module_folder / "certificates", "localhost")


@pytest.fixture(scope="module")
def play(make_database: Callable[[], OwnDatabase], certificates: Certificates | None) -> Iterator[Play]:
    """Plays a sequence in front of all servers; what is wrong with it, '' for nothing."""
    database = make_database()
    with playing(Database(database.port, database.name, "postgres"), certificates) as play:
        yield play


@pytest.fixture(scope="module")
def play_over_tls(module_folder: Path, certificates: Certificates | None) -> Iterator[Play]:
    """The same, in front of a PostgreSQL that speaks TLS."""
    if certificates is None:
        pytest.skip("the openssl program makes certificates")
    with with_tls(module_folder, certificates) as database:
        there = Database(database.port, database.name, "postgres", speaks_tls=True)
        with playing(there, certificates) as play:
            yield play


@contextmanager
def playing(database: Database, certificates: Certificates | None) -> Iterator[Play]:
    with asyncio.Runner() as runner:
        entered = place_in_front_of(database, certificates)
        place: Place = runner.run(entered.__aenter__())

        async def played(steps: Sequence[Step], apart: bool, leaving: Departure) -> str:
            return await compared(place, steps, apart=apart) or await vanished(place, steps, leaving)

        yield lambda steps, apart, leaving: runner.run(played(steps, apart, leaving))
        runner.run(entered.__aexit__(None, None, None))


@settings(
    max_examples=70,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
)
@given(steps=SEQUENCES, apart=st.booleans(), leaving=LEAVINGS)
@example(SKIPPED, False, AT_THE_END)
@example(SKIPPED, True, AT_THE_END)
@example([("run", "ask")], False, AT_THE_END)
@example([("run", "ask"), ("terminate", "")], False, AT_THE_END)
@example([("run", "insert"), ("query", "row"), ("query", "ask")], False, AT_THE_END)
@example([("run", "insert"), ("data", "good"), ("done", ""), ("query", "ask")], False, AT_THE_END)
def test_a_sequence_gets_the_answers_of_postgresql_and_leaves_nothing(
    play: Play, steps: Sequence[Step], apart: bool, leaving: Departure
) -> None:
    assert play(steps, apart, leaving) == ""


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
)
@given(steps=SEQUENCES, apart=st.booleans(), leaving=LEAVINGS)
@example(SKIPPED, True, AT_THE_END)
@example([("run", "insert"), ("data", "good"), ("done", ""), ("query", "ask")], False, AT_THE_END)
def test_a_sequence_over_tls_gets_the_answers_of_postgresql_and_leaves_nothing(
    play_over_tls: Play, steps: Sequence[Step], apart: bool, leaving: Departure
) -> None:
    assert play_over_tls(steps, apart, leaving) == ""


@pytest.mark.parametrize(
    ("theirs", "ours", "agree"),
    [
        ("1 C ZI", "1 C ZI", True),
        ("1 C ZI", "1 ZI", False),
        ("1 C ZI", "1 nothing_more", False),
        ("E_42703 ZI", "E_NL003 ZI", True),
        ("C ZI C ZI", "C ZI E_NL007 ZI", True),
        ("C ZI C ZI", "1 ZI E_NL007 ZI", False),
        ("1 closed", "closed", True),
        ("closed", "1 2 E_NL007 closed", True),
        ("1 closed", "1 C ZI", False),
    ],
)
def test_what_counts_as_agreement(theirs: str, ours: str, agree: bool) -> None:
    words = [[word.replace("_", " ") for word in said.split()] for said in (theirs, ours)]
    assert (not differs(*words)) is agree
