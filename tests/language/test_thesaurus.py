"""The thesaurus that is shipped: what it holds, and what reading it costs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import tracemalloc

import pytest

from askwire.language import thesaurus


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("vessel", "ship"),
        ("wage", "salary"),
        ("earthquake", "quake"),
        ("dormitory", "dorm"),
        ("worker", "employee"),
    ],
)
def test_the_shipped_table_holds_what_people_say(word: str, other: str) -> None:
    assert other in {w for w, odds in thesaurus.shipped().likely(word) if odds > 0}


def test_words_of_the_table_are_known_apart_from_others() -> None:
    shipped = thesaurus.shipped()
    assert [shipped.holds(word) for word in ("vessel", "vessell", "", "zzzz", "aaaa")] == [True, *[False] * 4]


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("height", "width"),
        ("month", "year"),
        ("north", "south"),
        ("departure", "arrival"),
        ("male", "female"),
    ],
)
def test_words_of_one_kind_do_not_stand_for_each_other(word: str, other: str) -> None:
    assert other not in dict(thesaurus.shipped().likely(word))


def test_the_likeliest_come_first_and_unknown_words_have_nothing() -> None:
    odds = [odds for _, odds in thesaurus.shipped().likely("vessel")]
    assert odds == sorted(odds, reverse=True)
    assert thesaurus.shipped().likely("zzyzx") == ()
    assert thesaurus.shipped().likely("schön") == ()
    assert thesaurus.shipped().likely("") == ()


def test_the_table_is_small_and_quickly_read() -> None:
    thesaurus.shipped.cache_clear()
    tracemalloc.start()
    began = time.process_time()
    thesaurus.shipped()
    spent = time.process_time() - began
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert spent < 0.5
    assert size < 20 * 2**20


def test_a_table_made_by_hand_is_the_same_read_from_its_file() -> None:
    made = thesaurus.Thesaurus([b"a", b"b", b"c"], [0, 2, 2, 3], [1, 2, 0], [100, 0, 90])
    for held in (made, thesaurus.read(made.written())):
        assert held.likely("a") == (
            ("b", thesaurus.MIN_LOG_ODDS + 100 * thesaurus.LOG_ODDS_STEP),
            ("c", thesaurus.MIN_LOG_ODDS),
        )
        assert held.likely("b") == held.likely("d") == ()
        assert [w for w, _ in held.likely("c")] == ["a"]


def test_the_table_is_read_with_what_python_has() -> None:
    """What is installed for a server has no numpy."""
    read = "import sys; sys.modules['numpy'] = None; from askwire.language.thesaurus import shipped; "
    done = subprocess.run(
        [sys.executable, "-c", read + "print(len(shipped().likely('ship')) > 3)"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.stdout == "True\n"
