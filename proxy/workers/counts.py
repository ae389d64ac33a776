"""Numbers that all workers of a server see at once: memory that they share, a slot for each of them.

Each worker writes only to its own slot, so nothing is locked: a bound over all workers is kept by counting
oneself first and looking at the sum then. Two that come at the same moment may both be refused, but never
both let in.
"""

from __future__ import annotations

import mmap
import time
from struct import Struct
from typing import Final

_SLOT: Final = Struct("=qd")
"""Sessions that are served, and the moment (CLOCK_MONOTONIC) the worker's event loop last turned."""


class Counts:
    """The slots of `size` workers; made before they are forked."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._memory = mmap.mmap(-1, max(1, size * _SLOT.size))

    def served(self) -> int:
        """Return how many sessions all workers serve."""
        return sum(self._read(slot)[0] for slot in range(self.size))

    def fits(self, slot: int, served: int, limit: int) -> bool:
        """Count `served` sessions of a worker, one of them new, unless all would be more than `limit`."""
        before = self._read(slot)[0]
        self.count(slot, served)
        if self.served() <= limit:
            return True
        self.count(slot, before)
        return False

    def count(self, slot: int, served: int) -> None:
        """Note how many sessions a worker serves."""
        self._write(slot, served, self._read(slot)[1])

    def turned(self, slot: int) -> None:
        """Note that a worker's event loop turns."""
        self._write(slot, self._read(slot)[0], time.monotonic())

    def silent(self, slot: int) -> float:
        """Return for how many seconds a worker's event loop has not turned; 0 where it has not begun."""
        last = self._read(slot)[1]
        return time.monotonic() - last if last else 0.0

    def clear(self, slot: int) -> None:
        """Forget a worker that has ended."""
        self._write(slot, 0, 0.0)

    def _read(self, slot: int) -> tuple[int, float]:
        served, turned = _SLOT.unpack_from(self._memory, slot * _SLOT.size)
        return served, turned

    def _write(self, slot: int, served: int, turned: float) -> None:
        _SLOT.pack_into(self._memory, slot * _SLOT.size, served, turned)
