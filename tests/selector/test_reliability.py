"""Reliability from agreement: better experts are told from worse ones, and copies from independent ones."""

from __future__ import annotations

import random

import pytest

from askwire.selector.reliability import UNKNOWN, Ballot, Reliability, estimate

RATES = {"a": 0.9, "b": 0.85, "c": 0.8, "d": 0.6, "e": 0.5}


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
        made.append(list(answers.values()))
    return made


def test_experts_are_ordered_without_any_answer_being_known() -> None:
    rates = estimate(ballots(400)).rates
    assert sorted(rates, key=rates.__getitem__, reverse=True) == ["a", "b", "c", "d", "e"]
    assert rates["a"] - rates["e"] > 0.1


def test_known_outcomes_move_a_rate() -> None:
    told = estimate(ballots(50), {"e": (400, 0)}).rate("e")
    assert told > 0.9
    assert estimate([], {"x": (0, 30)}).rate("x") < 0.4


@pytest.mark.parametrize(("times", "overrules"), [(1, False), (2, False), (5, True)])
def test_one_word_does_not_let_an_expert_overrule_two(times: int, overrules: bool) -> None:
    weights = estimate([], {"a": (0, times), "b": (0, times), "c": (times, 0)}).weights(["a", "b", "c"])
    assert weights["c"] > weights["a"]
    assert (weights["c"] > weights["a"] + weights["b"]) is overrules


def test_a_system_that_is_copied_weighs_less_than_one_that_is_not() -> None:
    learnt = estimate(ballots(400, copies=1))
    assert learnt.repeats["e", "e0"] > 0.9
    assert learnt.repeats["a", "b"] < 0.6
    weights = learnt.weights(["a", "b", "c", "d", "e", "e0"])
    assert weights["e"] < 0.85 * weights["d"]
    blind = Reliability(learnt.rates).weights(["a", "b", "c", "d", "e", "e0"])
    assert blind["e"] == pytest.approx(blind["d"])


def test_an_unknown_expert_has_the_usual_rate_and_weights_sum_to_one() -> None:
    assert Reliability().rate("new") == UNKNOWN
    assert sum(Reliability().weights(["x", "y", "z"]).values()) == pytest.approx(1)
