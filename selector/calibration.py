"""From which support on to answer, so that the error among answers stays below a stated rate.

Owns: the threshold, from recorded outcomes alone, after conformal risk control: the rate is held on average
over outcomes that come as the recorded ones did. Where too few are recorded a curve that comes with askwire
stands in; it was measured on other databases (`calibrated.json`, by `python -m
askwire.bench.selection.calibrated --ship`), and holds for those. Must not know: where outcomes are kept, or
what support is made of; only that more of it means more often right.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

LEAST_OUTCOMES: Final = 200
"""Fewer say too little."""
NEVER: Final = math.inf
"""The threshold where no support is enough for the rate asked for."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One recorded answer: the support it had, and whether it was right.

    `confident`: the support is made of calibrated confidences. That is another scale than shares of votes:
    what one threshold asks of both keeps to no rate for either.
    """

    support: float
    right: bool
    confident: bool = False


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
    if len(outcomes) < LEAST_OUTCOMES:
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
    """What a stated rate asks of answers.

    `votes` and `confidences` are what recorded outcomes of either kind of support say, None while they are
    too few.
    """

    max_error: float = 1.0
    votes: Calibration | None = None
    confidences: Calibration | None = None

    def recorded(self, *, confident: bool) -> Calibration | None:
        """What holds for one kind of support."""
        return self.confidences if confident else self.votes

    def least(self, *, confident: bool) -> float:
        """The least support to answer with; `confident`: it is made of calibrated confidences."""
        if self.max_error >= 1:
            return 0.0
        if (recorded := self.recorded(confident=confident)) is not None:
            return recorded.threshold
        return shipped_threshold(self.max_error, confident=confident)


def error_rate(max_error: float, outcomes: Sequence[Outcome]) -> ErrorRate:
    """The rate with the thresholds that recorded outcomes of each kind give it, where they suffice."""
    if max_error >= 1:
        return ErrorRate(max_error)
    votes, confidences = ([o for o in outcomes if o.confident is kind] for kind in (False, True))
    return ErrorRate(max_error, calibrate(votes, max_error), calibrate(confidences, max_error))


def shipped_threshold(max_error: float, *, confident: bool) -> float:
    """The least support by the curve that comes with askwire: that of the next stricter rate on it."""
    curve = _curves()["confidence" if confident else "votes"]
    return min((least for rate, least in curve if rate <= max_error and least is not None), default=NEVER)


@cache
def _curves() -> Mapping[str, Sequence[tuple[float, float | None]]]:
    told: dict[str, list[tuple[float, float | None]]] = json.loads(
        Path(__file__).with_name("calibrated.json").read_text("utf-8")
    )
    return told
