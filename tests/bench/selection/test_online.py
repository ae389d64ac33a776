"""Weighted majority with feedback: mistakes cost weight, and their number stays in its bounds."""

from __future__ import annotations

import math
import random

import pytest
from data.selection_cases import best, case_of, rank, said, vote

from askwire.bench.selection.online import best_epsilon, mistake_bound, randomized_bound, updated
from askwire.selector.weighted_majority import WeightedMajority

EXPERTS = "abcdefgh"
RATES = dict(zip(EXPERTS, (0.9, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5), strict=True))


def test_only_the_wrong_lose_weight_and_scaling_changes_no_vote() -> None:
    weights = updated({"a": 1.0, "b": 0.5}, "abc", {"a"}, 0.5)
    assert weights == {"a": 0.5, "b": 0.5, "c": 1.0}
    assert updated({}, "ab", {"a", "b"}, 0.5) == {"a": 1.0, "b": 1.0}


def test_no_weight_reaches_zero() -> None:
    weights: dict[str, float] = {}
    for _ in range(5000):
        weights = updated(weights, "ab", {"a"}, 0.5)
    assert weights["a"] > 0
    assert rank(WeightedMajority(weights), vote(1, 2))[0].support == pytest.approx(1)


@pytest.mark.parametrize("order", range(8))
@pytest.mark.parametrize("epsilon", [0.1, 0.3, 0.5])
@pytest.mark.slow
def test_mistakes_stay_within_the_bounds_in_every_order(order: int, epsilon: float) -> None:
    drawn = random.Random(order)
    rounds = [{e: drawn.random() < RATES[e] for e in EXPERTS} for _ in range(300)]
    weights: dict[str, float] = {}
    mistakes, expected = 0, 0.0
    for right in rounds:
        # all wrong experts agree: the worst case for a vote
        case = case_of([said(e, 1 if right[e] else 2) for e in EXPERTS])
        mistakes += best(WeightedMajority(weights), case) != "SELECT 1"
        total = sum(weights.get(e, 1.0) for e in EXPERTS)
        expected += sum(weights.get(e, 1.0) for e in EXPERTS if not right[e]) / total
        weights = updated(weights, EXPERTS, {e for e in EXPERTS if not right[e]}, epsilon)
    least = min(sum(not right[e] for right in rounds) for e in EXPERTS)
    assert mistakes <= mistake_bound(len(EXPERTS), least, epsilon)
    assert expected <= randomized_bound(len(EXPERTS), least, epsilon)


def test_the_best_step_makes_the_bound_smallest() -> None:
    epsilon = best_epsilon(8, 40)
    assert epsilon == pytest.approx(math.sqrt(math.log(8) / 40))
    assert mistake_bound(8, 40, epsilon) < min(mistake_bound(8, 40, e) for e in (epsilon / 2, epsilon * 2))
