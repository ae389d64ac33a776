"""A stated error rate holds on outcomes not seen, and what cannot be promised is not."""

from __future__ import annotations

import random

import pytest

from askwire.selector.calibration import (
    MIN_OUTCOMES,
    NEVER,
    Outcome,
    calibrate,
    error_rate,
    shipped_threshold,
    with_votes,
)


def drawn(seed: int, count: int) -> list[Outcome]:
    """Support is right as often as it says, to the power of 1.5: overconfident."""
    lots = random.Random(seed)
    supports = [lots.random() for _ in range(count)]
    return [Outcome(s, lots.random() < s**1.5) for s in supports]


@pytest.mark.parametrize("max_error", [0.05, 0.1, 0.2, 0.3])
def test_the_error_among_answers_stays_below_what_was_stated(max_error: float) -> None:
    errors, coverage = [], []
    for seed in range(60):
        found = calibrate(drawn(seed, 400), max_error)
        assert found is not None
        fresh = [o for o in drawn(1000 + seed, 2000) if found.answers(o.support)]
        errors.append(sum(not o.right for o in fresh) / max(len(fresh), 1))
        coverage.append(len(fresh) / 2000)
    assert sum(errors) / len(errors) <= max_error + 0.01
    assert sum(coverage) / len(coverage) > max_error / 2


def test_a_lower_rate_answers_less() -> None:
    found = [calibrate(drawn(1, 500), rate) for rate in (0.05, 0.1, 0.2, 0.4)]
    thresholds = [f.threshold for f in found if f is not None]
    assert thresholds == sorted(thresholds, reverse=True)
    assert len(set(thresholds)) == 4


def test_few_outcomes_calibrate_nothing() -> None:
    assert calibrate(drawn(1, MIN_OUTCOMES - 1), 0.1) is None
    assert calibrate(drawn(1, MIN_OUTCOMES), 0.1) is not None


def test_what_cannot_be_held_is_never_answered_and_everything_may_be() -> None:
    wrong = [Outcome(0.9, False)] * 300
    never = calibrate(wrong, 0.1)
    assert never is not None
    assert (never.threshold, never.coverage, never.answers(1.0)) == (NEVER, 0.0, False)
    always = calibrate(wrong, 1)
    assert always is not None
    assert always.answers(0.0)
    assert calibrate([Outcome(0.9, True)] * 300, 0.0) == never


def test_equal_support_stands_together() -> None:
    mixed = [Outcome(0.9, True)] * 200 + [Outcome(0.5, True)] * 50 + [Outcome(0.5, False)] * 50
    found = calibrate(mixed, 0.1)
    assert found is not None
    assert found.threshold == 0.9
    assert found.coverage == pytest.approx(2 / 3)


def test_a_rate_outside_its_bounds_is_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        calibrate([], 1.5)


def test_too_few_outcomes_leave_the_threshold_that_comes_with_askwire() -> None:
    recorded = [Outcome(0.3 + n / 1000, right=True) for n in range(200)]
    assert error_rate(0.1, recorded).least() == 0.3
    assert error_rate(0.1, recorded[1:]).least() == shipped_threshold(0.1)
    assert error_rate(1.0, recorded).least() == 0.0


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("models", [0, 1, 2, 3, 4, 15])
def test_probabilities_with_votes_are_mapped_in_their_order_and_never_to_certainty(
    models: int, beside: bool
) -> None:
    told = [with_votes(n / 100, models, beside) for n in range(101)]
    assert told == sorted(told)
    assert 0 < told[0] < told[-1] < 0.995
