"""From which support on to answer, so that the error among answers stays below a stated rate.

Owns: the threshold, from recorded outcomes alone, after conformal risk control: the rate is held on average
over outcomes that come as the recorded ones did. Where too few are recorded a curve that comes with askwire
stands in; it was measured on other databases (`calibrated.json`, by `python -m
askwire.bench.selection.calibrated --ship`), and holds for those.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

MIN_OUTCOMES: Final = 200
"""Fewer say too little."""
_LEAST_DOUBT: Final = 1e-5
Curve = Sequence[tuple[float, float | None]]
"""By error rate the least probability, None where none is enough."""
NEVER: Final = math.inf
"""The threshold where no support is enough for the rate asked for."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One recorded answer: the probability it was given, and whether it was right."""

    support: float
    right: bool


@dataclass(frozen=True, slots=True)
class Calibration:
    """Answer from `threshold` on; `coverage` is the share of recorded questions that have as much support."""

    threshold: float
    coverage: float

    def answers(self, support: float) -> bool:
        """Whether to answer."""
        return support >= self.threshold


def calibrate(outcomes: Sequence[Outcome], max_error: float) -> Calibration | None:
    """The lowest threshold whose error stays at or below `max_error`; None with too few outcomes.

    One wrong answer more than was seen is assumed at every threshold, because the next answer is not among
    the recorded ones and may be wrong: (wrong + 1) / (answered + 1) ≤ max_error. Outcomes of equal support
    stand together. Raises ValueError for a rate outside 0 to 1.
    """
    if not 0 <= max_error <= 1:
        raise ValueError("an error rate is between 0 and 1")
    if len(outcomes) < MIN_OUTCOMES:
        return None
    if max_error == 1:
        return Calibration(0.0, 1.0)
    best = Calibration(NEVER, 0.0)
    wrong = 0
    ordered = sorted(outcomes, key=lambda outcome: outcome.support, reverse=True)
    for answered, outcome in enumerate(ordered, 1):
        wrong += not outcome.right
        last = answered == len(ordered) or ordered[answered].support < outcome.support
        if last and wrong + 1 <= max_error * (answered + 1):
            best = Calibration(outcome.support, answered / len(ordered))
    return best


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """What a stated rate asks of answers; `recorded` is what outcomes say, None while they are too few."""

    max_error: float = 1.0
    recorded: Calibration | None = None

    def least(self, curve: Curve | None = None) -> float:
        """The least probability to answer with; `curve` is the one that comes with askwire, unless given."""
        if self.max_error >= 1:
            return 0.0
        if self.recorded is not None:
            return self.recorded.threshold
        return shipped_threshold(self.max_error, curve)


def error_rate(max_error: float, outcomes: Sequence[Outcome]) -> ErrorRate:
    """The rate with the threshold that recorded outcomes give it, where they suffice."""
    if max_error >= 1:
        return ErrorRate(max_error)
    return ErrorRate(max_error, calibrate(outcomes, max_error))


def shipped_threshold(max_error: float, curve: Curve | None = None) -> float:
    """The least probability by a curve that comes with askwire: that of the next stricter rate on it."""
    found = shipped().curve if curve is None else curve
    return min((least for rate, least in found if rate <= max_error and least is not None), default=NEVER)


def with_votes(probability: float, models: int, beside: bool) -> float:
    """The share of recorded answers of this probability that were right, where so many models had voted.

    `beside`: the embedded engine proposed something too. Models err alike more often than their votes show,
    so sums of votes are too sure, for each number of models differently. The curves are logistic, and come
    with askwire (`calibrated.json`).
    """
    slope, shift = shipped().of_models(models, beside)
    bounded = max(_LEAST_DOUBT, min(1 - _LEAST_DOUBT, probability))
    odds = math.log(bounded / (1 - bounded))
    return 1 / (1 + math.exp(-(slope * odds + shift)))


@dataclass(frozen=True, slots=True)
class ShippedCurves:
    """What comes with askwire: by error rate the least probability, and logistic curves for votes.

    `votes` holds slope and shift by the number of models that voted, the last for so many and more: of models
    alone, and beside the embedded engine.
    """

    curve: Curve
    votes: Sequence[tuple[tuple[float, float], tuple[float, float]]]

    def of_models(self, models: int, beside: bool) -> tuple[float, float]:
        """Slope and shift of the curve where so many models voted, with the engine `beside` or alone."""
        return self.votes[max(1, min(models, len(self.votes))) - 1][beside]


@cache
def shipped() -> ShippedCurves:
    """The figures of `calibrated.json`."""
    told = json.loads(Path(__file__).with_name("calibrated.json").read_text("utf-8"))
    votes = [((*alone,), (*beside,)) for alone, beside in told["votes"]]
    return ShippedCurves(told["confidence"], votes)
