"""How often answers of each level are right: the figures of docs/evaluation.md.

Owns: these figures, and the error rates that come with askwire. An answer whose columns stand in another
order than the gold's counts as right; `right_in_order` leaves such out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any, Final

from askwire.bench.reliability.outcomes import Outcome
from askwire.core.settings.confidence_levels import HIGH, LEVELS, MEDIUM, MIN_CONFIDENCE, level_of
from askwire.selector.calibration import MIN_OUTCOMES, calibrate
from askwire.selector.calibration import Outcome as Supported

REQUIRED_PERCENT: Final = {HIGH: 95.0, MEDIUM: 80.0}
"""The least share of answers of a level that are right, in percent."""
ERROR_RATES: Final = (0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.125, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)

Judged = tuple[Outcome, float]
"""An outcome with its probability."""


def by_level(judged: Iterable[Judged]) -> dict[str, Any]:
    """By level: answers, how many are right, the share in percent, and the mean of what was stated."""
    taken = [(o, p) for o, p in judged if o.signals is not None]
    told = {}
    for level in LEVELS:
        of = [(o, p) for o, p in taken if level_of(p) == level]
        right = sum(_is_right(o) for o, _ in of)
        told[level] = {
            "answers": len(of),
            "right": right,
            "right_in_order": sum(o.right for o, _ in of),
            "percent": _percent(right, len(of)),
            "stated": _percent(sum(p for _, p in of), len(of)),
        }
    return told


def by_source(judged: Sequence[Judged]) -> dict[str, Any]:
    """The levels of each source, and of all together."""
    sources = dict.fromkeys(o.source for o, _ in judged)
    told = {s: by_level((o, p) for o, p in judged if o.source == s) for s in sources}
    return told | {"all": by_level(judged)}


def ended(judged: Sequence[Judged]) -> dict[str, Any]:
    """By source right, wrong and refused: as the questions were asked, and by these probabilities."""
    told = {}
    for source in dict.fromkeys(o.source for o, _ in judged):
        of = [(o, p) for o, p in judged if o.source == source]
        given = [o for o, p in of if o.signals is not None and p >= MIN_CONFIDENCE[MEDIUM]]
        told[source] = {
            "asked": _ended([o for o, _ in of if o.answered], len(of)),
            "now": _ended(given, len(of)),
        }
    return told


def holds(levels: dict[str, Any]) -> bool:
    """Whether levels are right as often as they have to be."""
    return all(levels[level]["percent"] >= least for level, least in REQUIRED_PERCENT.items())


def error_rates(judged: Iterable[Judged]) -> list[tuple[float, float | None]]:
    """By error rate the least probability that holds it; None where none does."""
    recorded = [Supported(p, _is_right(o)) for o, p in judged if o.signals is not None]
    if len(recorded) < MIN_OUTCOMES:
        return [(rate, None) for rate in ERROR_RATES]
    found = [(rate, calibrate(recorded, rate)) for rate in ERROR_RATES]
    return [(r, round(c.threshold, 4) if c and isfinite(c.threshold) else None) for r, c in found]


def _ended(answered: Sequence[Outcome], asked: int) -> dict[str, int]:
    right = sum(o.right for o in answered)
    return {"right": right, "wrong": len(answered) - right, "refused": asked - len(answered)}


def _is_right(outcome: Outcome) -> bool:
    return outcome.right or outcome.in_other_order


def _percent(part: float, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 100.0
