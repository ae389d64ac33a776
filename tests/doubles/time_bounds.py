"""Bounds on time that hold on a machine of any speed, however busy it is.

Seconds in tests are those of a machine that adds up a million numbers in `REFERENCE` seconds. Where more is
taken, this machine is timed at once, and the bound is stretched by as much as it is slower.
"""

from __future__ import annotations

import time
from collections.abc import Callable

REFERENCE = 0.05


class Stopwatch:
    """Seconds by the clock since it was made."""

    clock: Callable[[], float] = staticmethod(time.monotonic)

    def __init__(self) -> None:
        self._began = self.clock()

    @property
    def seconds(self) -> float:
        return self.clock() - self._began

    def within(self, seconds: float) -> bool:
        """Whether at most so much has passed, for use in an assertion."""
        taken = self.seconds
        return taken < seconds or taken < seconds * slower(self.clock)


class ProcessorTime(Stopwatch):
    """Seconds of processor time that this process has taken since it was made."""

    clock = staticmethod(time.process_time)


def slower(clock: Callable[[], float] = time.process_time) -> float:
    """How many times the time of the reference this machine needs now, at least 1."""
    longest = 0.0
    for _ in range(3):
        began, total = clock(), 0
        for number in range(1_000_000):
            total += number
        longest = max(longest, clock() - began)
    return max(1.0, longest / REFERENCE)
