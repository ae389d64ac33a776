"""Judging and choosing without a model: what fits the question, and nothing where it does not suffice."""

from __future__ import annotations

import asyncio

import pytest
from selection_cases import TEXT, answer, said

from askwire.core.types import Check, Question, Verdict
from askwire.selector.instances import Instance
from askwire.selector.judge import Ruling
from askwire.selector.posterior import CAP
from askwire.selector.row_rules import ROW_RULES
from askwire.selector.rule_judge import LEAST, RELIABILITY, RuleChooser, RuleJudge

NUMBER, NAMES = answer(("7",)), answer(("Ada",), ("Bo",), oids=(TEXT,))
COUNT = said("a", NUMBER, "SELECT count(*) FROM singer")
LIST = said("b", NAMES, "SELECT name FROM singer")
BROKEN = said("c", NUMBER, "SELECT count(*) FROM singer", None, Check("top_k", False, odds=0.05))
HOW_MANY, WHICH = "How many singers do we have?", "What are the names of all singers?"
ROWS = Instance((), ())


def ruled(judge: RuleJudge, question: str, first: Verdict, second: Verdict) -> Ruling:
    return asyncio.run(judge.rule(Question(question), first, second, None))


def chosen(question: str, *verdicts: Verdict) -> int | None:
    return asyncio.run(RuleChooser().choose(Question(question), verdicts))


@pytest.mark.parametrize(("question", "fits", "other"), [(HOW_MANY, COUNT, LIST), (WHICH, LIST, COUNT)])
def test_what_fits_the_wording_is_chosen_and_wins_a_duel_in_either_place(
    question: str, fits: Verdict, other: Verdict
) -> None:
    assert chosen(question, fits, other) == 0
    assert chosen(question, other, fits) == 1
    assert ruled(RuleJudge(), question, fits, other) is Ruling.FIRST
    assert ruled(RuleJudge(), question, other, fits) is Ruling.SECOND


def test_votes_are_not_counted_and_places_say_nothing() -> None:
    assert chosen(HOW_MANY, LIST, LIST, LIST, COUNT) == 3


def test_a_failed_check_speaks_against_what_is_otherwise_equal() -> None:
    assert chosen(HOW_MANY, BROKEN, COUNT) == 1
    assert ruled(RuleJudge(), HOW_MANY, BROKEN, COUNT) is Ruling.SECOND


def test_between_equals_nothing_is_chosen_and_a_duel_is_a_draw() -> None:
    assert chosen(HOW_MANY, COUNT, COUNT) is None
    assert ruled(RuleJudge(), HOW_MANY, COUNT, COUNT) is Ruling.DRAW


def test_what_does_not_suffice_is_a_draw() -> None:
    odds = abs(RuleJudge().log_odds(Question(HOW_MANY), BROKEN, COUNT, None))
    assert ruled(RuleJudge(suffices=odds + 0.1), HOW_MANY, BROKEN, COUNT) is Ruling.DRAW
    assert ruled(RuleJudge(suffices=odds - 0.1), HOW_MANY, BROKEN, COUNT) is Ruling.SECOND


def test_only_rules_on_rows_that_were_right_often_enough_speak(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = {"value rows": lambda question, instance: 1, "empty rows": lambda question, instance: 1}
    monkeypatch.setattr("askwire.selector.rule_judge.ROW_RULES", rule)

    def said_on_rows(reliability: float) -> float:
        judge = RuleJudge({"value rows": reliability})
        return judge.log_odds(Question(HOW_MANY), COUNT, COUNT, ROWS)

    assert said_on_rows(0.9) > said_on_rows(LEAST) > 0
    assert said_on_rows(LEAST - 0.01) == 0
    assert said_on_rows(1 - 1e-9) == CAP
    assert (RuleJudge().log_odds(Question(HOW_MANY), COUNT, COUNT, ROWS) == 0) is (
        RELIABILITY["value rows"] < LEAST
    )


def test_what_is_measured_are_rules_that_there_are() -> None:
    assert RELIABILITY.keys() <= ROW_RULES.keys()
