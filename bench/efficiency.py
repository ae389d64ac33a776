"""How fast right predictions are beside gold: the valid-efficiency score.

Owns: the score. Must not know: predictions, how a query is timed.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt


def valid_efficiency(timed: Iterable[tuple[bool, float | None, float | None]]) -> float | None:
    """The mean over predictions of √(time of gold / its own time), 0 for wrong ones, as a percentage.

    Each is (right, gold's time, the prediction's time); a right one whose times are not known counts 1. 100
    is gold's own speed at full accuracy; a score near EX means that right predictions are as fast as gold.
    None for none.
    """
    scores = [
        0.0 if not right else sqrt(gold / own) if gold is not None and own else 1.0
        for right, gold, own in timed
    ]
    return round(100 * sum(scores) / len(scores), 2) if scores else None
