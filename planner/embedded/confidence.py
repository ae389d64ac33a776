"""How likely the best proposals are right.

Owns: the confidence of ranked proposals from margin, uncovered words and link strength. Must not know: how
they were made.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol


class Ranked(Protocol):
    """What confidence reads of a proposal."""

    @property
    def score(self) -> float:
        """The ranking score."""

    @property
    def uncovered(self) -> tuple[str, ...]:
        """Content words without a counterpart."""


def confidences(ranked: Sequence[Ranked]) -> list[float]:
    """One confidence in 0..1 per proposal, in the order given (best first)."""
    if not ranked:
        return []
    top = ranked[0].score
    weights = [math.exp(max(-30.0, r.score - top)) for r in ranked]
    total = sum(weights)
    found = []
    for r, weight in zip(ranked, weights, strict=True):
        sure = weight / total * 0.9**0 * math.exp(-0.35 * len(r.uncovered))
        found.append(round(min(0.99, max(0.0, sure)), 4))
    return found
