"""How long records are kept. Owns: the limits, which kinds they hold for, and whose records go first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

DAY = 86_400.0
"""Seconds."""


@dataclass(frozen=True, slots=True)
class Retention:
    """Days that history (with traces and what was spent) and unused pins are kept, and rows; 0: no limit.

    Where there are more than `most_rows` of a kind, those go who have the most (`fair_share`).
    What users taught (feedback, glossary, demonstrations, weights, outcomes) stays until it is taken back.
    """

    history_days: int = 90
    pin_days: int = 180
    most_rows: int = 100_000


def fair_share(counts: Iterable[int], most: int) -> int:
    """How many records each owner keeps at least, so that all have about `most` together; at least one.

    An owner with fewer keeps all: one owner's flood removes no record of another. For counts of 5, 3 and 900
    and 100 records in all it is 92.
    """
    left = most
    ordered = sorted(counts)
    for number, count in enumerate(ordered):
        share = left // (len(ordered) - number)
        if count > share:
            return max(1, share)
        left -= count
    return max(1, *ordered) if ordered else max(1, most)
