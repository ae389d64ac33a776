"""How long records are kept. Owns: the limits, which kinds they hold for, and whose records go first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

DAY_SECONDS = 86_400.0
MAX_RULINGS: Final = 1000
"""Rulings of a judge on one role's questions that are kept, the latest."""

LIMITED: Final = (
    ("pin", "used_at", "pins", ("server", "role", "acting_as"), 0),
    ("spent", "at", "history", ("server", "role"), 0),
    ("statement", "at", "history", ("server", "role"), 0),
    ("ruling", "at", "history", ("server", "database", "role", "acting_as", "judge"), MAX_RULINGS),
)
"""Kinds that every store sweeps: their table, the moment that counts, whose days, who owns a record, and how
many one owner keeps at most (0: no limit)."""


@dataclass(frozen=True, slots=True)
class Retention:
    """Days that history (with what was spent and ruled) and unused pins are kept, and rows; 0: no limit.

    Where there are more than `most_rows` of a kind, those go who have the most (`fair_share`).
    What users taught (feedback, glossary, demonstrations, weights, outcomes) stays until it is taken back.
    """

    history_days: int = 90
    pin_days: int = 180
    most_rows: int = 100_000


def most_of_one(counts: Iterable[int], most: int, each: int) -> int:
    """How many records one owner keeps, of `counts`: a fair share of `most`, and `each` at most (0: all)."""
    counts = [*counts]
    limits = (fair_share(counts, most) if most else 0, each)
    return min((limit for limit in limits if limit), default=max(counts, default=0))


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
