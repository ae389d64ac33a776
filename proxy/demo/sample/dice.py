"""Seeded chance that gives the same sample on every Python.

Owns: the few draws the sample needs, all made from `Random.random()`, whose sequence for an integer seed the
standard library promises to keep.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """A source of repeatable draws."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311 (repeatable, not secret)

    def below(self, bound: int) -> int:
        """A whole number from 0 to `bound` (exclusive)."""
        return int(self._random.random() * bound)

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def pick(self, items: Sequence[T]) -> T:
        """One of the items, all equally likely."""
        return items[self.below(len(items))]

    def weighted(self, weights: Sequence[int]) -> int:
        """An index into `weights`, each as likely as its weight."""
        steps = list(accumulate(weights))
        return bisect_right(steps, self.below(steps[-1]))

    def percent(self, chance: int) -> bool:
        """Whether something with `chance` in 100 happens."""
        return self.below(100) < chance
