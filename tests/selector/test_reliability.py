"""Reliability from agreement: better experts are told from worse ones, and copies from independent ones."""

from __future__ import annotations

import random

import pytest

from askwire.selector.reliability import UNKNOWN_EXPERT_RATE, Ballot, Option, Reliability, estimate, shares

RATES = {"a": 0.9, "b": 0.85, "c": 0.8, "d": 0.6, "e": 0.5}
UNHEARD = -2.0
"""Log-odds of an answer before its votes."""


def ballots(count: int, copies: int = 0) -> list[Ballot]:
    """Independent experts; the last, with the worst rate, has `copies` that repeat it word for word."""
    drawn = random.Random(3)
    made: list[Ballot] = []
    for _ in range(count):
        answers: dict[int, list[str]] = {}
        for expert, rate in RATES.items():
            value = 0 if drawn.random() < rate else drawn.randint(1, 4)
            answers.setdefault(value, []).append(expert)
            if expert == "e":
                answers[value] += [f"e{n}" for n in range(copies)]
        made.append([Option(UNHEARD, dict.fromkeys(who, 1.0)) for who in answers.values()])
    return made


def test_experts_are_ordered_without_any_answer_being_known() -> None:
    rates = estimate(ballots(400)).rates
    assert sorted(rates, key=rates.__getitem__, reverse=True) == ["a", "b", "c", "d", "e"]
    assert rates["a"] - rates["e"] > 0.1


def test_known_outcomes_move_a_rate() -> None:
    told = estimate(ballots(50), {"e": (400, 0)}).rate("e")
    assert told > 0.9
    assert estimate([], {"x": (0, 60)}).rate("x") < 0.35


@pytest.mark.parametrize("outcomes", [{}, {"e": (2, 9)}])
def test_what_was_estimated_holds_where_its_ballots_are_gone(outcomes: dict[str, tuple[int, int]]) -> None:
    first = estimate(ballots(60), outcomes)
    again = estimate([], outcomes, {expert: (rate, 60) for expert, rate in first.rates.items()})
    assert again.rates == pytest.approx(first.rates)


@pytest.mark.parametrize(("times", "overrules"), [(1, False), (3, False), (20, True)])
def test_one_word_does_not_let_an_expert_overrule_two(times: int, overrules: bool) -> None:
    worth = estimate([], {"a": (0, times), "b": (0, times), "c": (times, 0)}).worth(["a", "b", "c"])
    assert worth["c"] > worth["a"]
    assert (worth["c"] > worth["a"] + worth["b"]) is overrules


def test_a_system_that_is_copied_weighs_less_than_one_that_is_not() -> None:
    learnt = estimate(ballots(400, copies=1))
    assert learnt.repeats["e", "e0"] > 0.9
    assert learnt.repeats["a", "b"] < 0.6
    same = Reliability(dict.fromkeys(learnt.rates, 0.8), learnt.repeats).worth([*RATES, "e0"])
    assert same["e"] < 0.9 * same["d"]
    blind = Reliability(dict.fromkeys(learnt.rates, 0.8)).worth([*RATES, "e0"])
    assert blind["e"] == pytest.approx(blind["d"])


def test_an_unknown_expert_has_the_usual_rate() -> None:
    assert Reliability().rate("new") == UNKNOWN_EXPERT_RATE


def test_an_expert_that_contradicts_sure_answers_soon_is_worth_nothing() -> None:
    """A calibrated expert is sure of the first answer; one voter gives it, another always a second one."""
    sure = [[Option(2.5, {"good": 1.0}), Option(-3.0, {"bad": 1.0})] for _ in range(10)]
    known = estimate(sure)
    assert known.rate("bad") < 0.6 < 0.9 < known.rate("good")
    assert estimate(sure * 10).worth(["bad"])["bad"] < 1


def test_what_the_shares_of_a_ballot_lack_to_one_is_that_none_is_right() -> None:
    weak = Reliability({"bad": 0.02})
    alone = shares([Option(-2.0, {"bad": 1.0})], weak)
    assert alone[0] < 0.1
    assert shares([], weak) == []
