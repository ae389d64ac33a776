"""A file of questions: what a line may be, and what is said of one that may not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from askwire.core.errors import ConfigurationError
from askwire.proxy.lock.questions import LockQuestion, asked_with, read_questions
from askwire.sql.ask import AskOptions

if TYPE_CHECKING:
    from pathlib import Path


def read(folder: Path, text: str) -> tuple[LockQuestion, ...]:
    (folder / "questions.txt").write_text(text, "utf-8")
    return read_questions(folder / "questions.txt")


def test_a_line_is_a_question(tmp_path: Path) -> None:
    asked = read(tmp_path, "# weekly\n\n how many orders?  \ntop 3 customers\n")
    assert [one.question for one in asked] == ["how many orders?", "top 3 customers"]


def test_a_line_can_be_a_statement_with_options(tmp_path: Path) -> None:
    (asked,) = read(tmp_path, "ask (evidence 'big: over 1000', candidates 3) 'how many big orders''?';")
    assert asked == LockQuestion("how many big orders'?", AskOptions(evidence="big: over 1000", candidates=3))
    assert asked_with(asked.question, asked.given) == asked


@pytest.mark.parametrize(
    "line",
    ["ask me which orders are late", "what did we ask 'Acme' for?", "asked orders", "ASKs by customer"],
)
def test_words_that_only_look_like_a_statement_are_a_question(tmp_path: Path, line: str) -> None:
    assert read(tmp_path, line) == (LockQuestion(line),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no question"),
        ("# nothing\n", "holds no question"),
        ("one\none\n", "line 2: the same question as in line 1"),
        ("ASK (SQL) 'one'", "line 1: ASK option SQL has no place in a lock"),
        ("ASK (colour 'red') 'one'", 'unrecognized ASK option "colour"'),
        ("ASK 'one' LIMIT 3", "an ASK that is not the whole line"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=r"questions\.txt") as failure:
        read(tmp_path, text)
    assert said in failure.value.message


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"cannot read .*nowhere\.txt"):
        read_questions(tmp_path / "nowhere.txt")


@pytest.mark.parametrize("given", [{"sql": True}, {"evidence": 3}, {"candidates": "3"}, {"budget": True}])
def test_options_that_a_lock_cannot_hold_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="option"):
        asked_with("one", given)
