"""Numbers that all processes of a server see at once: memory that they share, a slot for each worker.

Each worker writes only to its own slot, so that no number needs a lock: a bound over all workers is kept by
counting oneself first and looking at the sum then. Two that come at the same moment may both be refused, but
never both let in.

A process that takes over in an online restart gets the same memory, and slots of its own in it: bounds hold
for both. Each worker locks its slot (a record lock, which ends with the process), so that slots are found
whose worker has ended without a word.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from askwire.core.errors import ConfigurationError

SHARED: Final = "ASKWIRE_SHARED"
"""The variable in which a process finds the descriptor of its predecessor's memory."""

SLOTS: Final = 4096
"""Workers that can be there at once, former ones included; a generation takes the next of them, in turn."""
_HEADER_WORDS: Final = 4
"""Numbers before the slots: of the latest generation its number, first slot and size, and slots in use."""
_GENERATION, _FIRST, _SIZE, _USED = range(_HEADER_WORDS)
_WORD_BYTES: Final = 8
_COLUMN_BYTES: Final = SLOTS * _WORD_BYTES
BOUND_ROWS: Final = 256
"""Rows of four numbers, for bounds that have a name (`bounds`)."""
TABLE_LOCK: Final = SLOTS
"""The byte of the lock on these rows, behind those of the slots."""
_ENTERING_LOCK: Final = SLOTS + 1
"""The byte of the lock under which a worker decides whether one of its connections has to go."""
_TABLE_END: Final = _HEADER_WORDS * _WORD_BYTES + 3 * _COLUMN_BYTES + BOUND_ROWS * 4 * _WORD_BYTES
"""The size of the memory of versions that did not count connections before their log-in."""
_SHARED_BYTES: Final = _TABLE_END + _COLUMN_BYTES

NUMBERS_PER_GENERATION: Final = 1_000_000
"""Sessions of a generation are numbered from a multiple of it: no two sessions have the same number."""


class Counts:
    """The slots of `size` workers; made before they are forked.

    `descriptor` is a predecessor's memory. One that has none (`follows`) is of a version without it.
    """

    def __init__(self, size: int, descriptor: int | None = None, *, follows: bool = False) -> None:
        """Raises ConfigurationError for a descriptor that is not one of such memory."""
        self.size = size
        self.descriptor = _memory() if descriptor is None else descriptor
        try:
            if os.fstat(self.descriptor).st_size == _TABLE_END:
                os.ftruncate(self.descriptor, _SHARED_BYTES)
            shared = memoryview(mmap.mmap(self.descriptor, _SHARED_BYTES))
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"{SHARED} holds no memory of a server: {error}") from None
        start = _HEADER_WORDS * _WORD_BYTES
        self._header = shared[:start].cast("q")
        self._served = shared[start : start + _COLUMN_BYTES].cast("q")
        """Sessions that are served, by slot."""
        self._turned = shared[start + _COLUMN_BYTES : start + 2 * _COLUMN_BYTES].cast("d")
        """The moment (CLOCK_MONOTONIC) the worker's event loop last turned."""
        self._numbered = shared[start + 2 * _COLUMN_BYTES : start + 3 * _COLUMN_BYTES].cast("q")
        """The highest number that a session has got."""
        self.table = shared[start + 3 * _COLUMN_BYTES : _TABLE_END].cast("d")
        self._entering = shared[_TABLE_END:].cast("q")
        """Connections that have not logged in yet, by slot."""
        self.generation = int(follows)
        self.first_number = self.generation * NUMBERS_PER_GENERATION
        self._first = 0
        if descriptor is not None:
            self._follow()
        self._header[_GENERATION], self._header[_FIRST] = self.generation, self._first
        self._header[_SIZE] = size
        self._header[_USED] = max(self._header[_USED], self._first + size)

    def _follow(self) -> None:
        """Take slots of a generation of our own, and leave the others as they are."""
        self.generation = self._header[_GENERATION] + 1
        first = self._header[_FIRST] + self._header[_SIZE]
        self._first = first if first + self.size <= SLOTS else 0
        highest = max(self._numbered[: self._header[_USED]], default=0)
        self.first_number = (highest // NUMBERS_PER_GENERATION + 1) * NUMBERS_PER_GENERATION
        for slot in range(self._first, self._first + self.size):
            self._served[slot], self._turned[slot], self._numbered[slot] = 0, 0.0, 0
            self._entering[slot] = 0

    def inherited(self) -> tuple[int, Mapping[str, str]]:
        """Return what a successor has to inherit, and the variable that tells it so."""
        return self.descriptor, {SHARED: str(self.descriptor)}

    def hold(self, slot: int) -> None:
        """Show, as long as this process lives, that a slot is its own."""
        fcntl.lockf(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, self._first + slot)

    def place_of(self, slot: int) -> int:
        """Return the number of a worker among those of all generations."""
        return self._first + slot

    def served(self) -> int:
        """Return how many sessions all workers serve, those of former generations included."""
        return sum(self._served[: self._header[_USED]])

    def fits(self, slot: int, served: int, limit: int) -> bool:
        """Count `served` sessions of a worker, one of them new, unless all would be more than `limit`."""
        before = self._served[self._first + slot]
        self.count(slot, served)
        if self.served() <= limit:
            return True
        self._forget_ended()
        if self.served() <= limit:
            return True
        self.count(slot, before)
        return False

    def _forget_ended(self) -> None:
        """Clear slots of former generations that no process holds; their supervisor clears them as well."""
        for slot in range(self._header[_USED]):
            if (
                self._served[slot] or self._entering[slot]
            ) and not self._first <= slot < self._first + self.size:
                try:
                    fcntl.lockf(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, slot)
                except OSError:
                    continue
                self._served[slot] = self._entering[slot] = 0
                fcntl.lockf(self.descriptor, fcntl.LOCK_UN, 1, slot)

    def count(self, slot: int, served: int) -> None:
        """Note how many sessions a worker serves."""
        self._served[self._first + slot] = served

    def enter(self, slot: int, waiting: int) -> None:
        """Note how many connections of a worker have not logged in yet."""
        self._entering[self._first + slot] = waiting

    def entering(self) -> int:
        """Return how many connections of all workers have not logged in yet."""
        return sum(self._entering[: self._header[_USED]])

    def crowded(self, slot: int, waiting: int, limit: int) -> int | None:
        """Count `waiting` connections of a worker before their log-in, the last of them new.

        Where all are more than `limit`: the worker of this generation that has most others, which has to end
        one; None where there are none. One of this worker does not count any more.
        """
        with self._deciding():
            self.enter(slot, waiting)
            if self.entering() > limit:
                self._forget_ended()
            if self.entering() <= limit:
                return None
            others = {n: self._entering[self._first + n] - (n == slot) for n in range(self.size)}
            fullest = max(others, key=others.__getitem__)
            if fullest == slot and others[slot] > 0:
                self.enter(slot, waiting - 1)
            return fullest if others[fullest] > 0 else None

    def must_end_one(self, slot: int, limit: int) -> bool:
        """Whether a worker has to end a connection before its log-in; that one does not count any more.

        It has where it has one and all workers have more than `limit`. Of two that look at the same moment
        the second sees what the first has decided.
        """
        at = self._first + slot
        with self._deciding():
            ends = self.entering() > limit and self._entering[at] > 0
            self._entering[at] -= ends
        return ends

    @contextmanager
    def _deciding(self) -> Iterator[None]:
        """Keep other workers from deciding at the same moment; it is for microseconds."""
        fcntl.lockf(self.descriptor, fcntl.LOCK_EX, 1, _ENTERING_LOCK)
        try:
            yield
        finally:
            fcntl.lockf(self.descriptor, fcntl.LOCK_UN, 1, _ENTERING_LOCK)

    def fullest(self, but: int) -> int | None:
        """Return the other worker of this generation with most connections before their log-in."""
        others = {n: self._entering[self._first + n] for n in range(self.size) if n != but}
        most = max(others, key=others.__getitem__, default=None)
        return most if most is not None and others[most] > 0 else None

    def next_number(self, slot: int) -> int:
        """Return the number of a worker's next session, also where the worker replaces another one."""
        at = self._first + slot
        last = self._numbered[at] or self.first_number + slot
        self._numbered[at] = last + self.size
        return self._numbered[at]

    def turned(self, slot: int) -> None:
        """Note that a worker's event loop turns."""
        self._turned[self._first + slot] = time.monotonic()

    def silent(self, slot: int) -> float:
        """Return for how many seconds a worker's event loop has not turned; 0 where it has not begun."""
        last = self._turned[self._first + slot]
        return time.monotonic() - last if last else 0.0

    def clear(self, slot: int) -> None:
        """Forget what a worker serves that has ended."""
        at = self._first + slot
        self._served[at], self._entering[at], self._turned[at] = 0, 0, 0.0


def _memory() -> int:
    """Return the descriptor of memory that other processes can map, too."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("askwire")
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    os.ftruncate(descriptor, _SHARED_BYTES)
    return descriptor
