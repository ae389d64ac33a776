"""How many calls of a kind all processes of a server make at once and per minute, in memory that they share.

Owns: `llm.pace.SharedBounds` over `Counts`. What one process holds is a record lock on a byte, which ends
with the process: no bound is lost to a worker that crashes. Nothing here waits.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from zlib import crc32

from askwire.proxy.workers.counts import BOUND_ROWS, TABLE_LOCK, Counts

_TOKENS_OFFSET: Final = 1 << 32
"""Where the bytes of tokens begin, far behind the memory: a record lock needs no byte that exists."""
_TOKENS_PER_NAME: Final = 1 << 16
"""Tokens that a name may have."""

_MAX_LOCK_TRIES: Final = 100
"""Looks at a table that another process has locked, which it does for microseconds."""

_KEY, _NEXT, _WAITING, _WHO = range(4)
"""A name's row: what is known by it, when its next call may begin, until when who waits for a token."""


class Bounds:
    """The bounds of a server, as its worker in a slot keeps them."""

    def __init__(self, counts: Counts, slot: int) -> None:
        self._descriptor = counts.descriptor
        self._table = counts.table
        self._who = float(counts.place_of(slot))

    def take(self, name: str, token: int) -> bool:
        """Take a token that this process does not hold; whether no other process has it."""
        return self._lock(_token(name, token))

    def give(self, name: str, token: int) -> None:
        """Give a token back."""
        self._unlock(_token(name, token))

    def wait(self, name: str, seconds: float) -> None:
        """Show for some seconds that this process waits for a token."""
        with self._row(name) as row:
            if row is not None:
                self._table[row + _WAITING], self._table[row + _WHO] = time.monotonic() + seconds, self._who

    def others_wait(self, name: str) -> bool:
        """Whether another process waits for a token."""
        with self._row(name) as row:
            return (
                row is not None
                and self._table[row + _WAITING] > time.monotonic()
                and self._table[row + _WHO] != self._who
            )

    def begin(self, name: str, interval: float, burst: float) -> float | None:
        """Return the seconds until the next call may begin, which is taken hereby; None: ask again.

        Calls are `interval` seconds apart, except `burst` seconds' worth of them that were not made before.
        """
        now = time.monotonic()
        with self._row(name) as row:
            if row is None:
                return None
            following = max(self._table[row + _NEXT], now - burst) + interval
            self._table[row + _NEXT] = following
            return following - now - interval

    def forgo(self, name: str, interval: float) -> None:
        """Give back a call that `begin` gave and that does not begin."""
        for _ in range(_MAX_LOCK_TRIES):
            with self._row(name) as row:
                if row is not None:
                    self._table[row + _NEXT] -= interval
                    return

    @contextmanager
    def _row(self, name: str) -> Iterator[int | None]:
        """Find where a name's row begins, and lock the table; None where another process has locked it."""
        if not self._lock(TABLE_LOCK):
            yield None
            return
        try:
            key = float(crc32(name.encode()) + 1)
            rows = [(int(key) + n) % BOUND_ROWS * 4 for n in range(BOUND_ROWS)]
            row = next((row for row in rows if self._table[row + _KEY] in (key, 0.0)), rows[0])
            if self._table[row + _KEY] != key:
                self._table[row : row + 4] = memoryview(bytes(4 * 8)).cast("d")
                self._table[row + _KEY] = key
            yield row
        finally:
            self._unlock(TABLE_LOCK)

    def _lock(self, byte: int) -> bool:
        try:
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
        except OSError:
            return False
        return True

    def _unlock(self, byte: int) -> None:
        fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, byte)


def _token(name: str, token: int) -> int:
    return _TOKENS_OFFSET + crc32(name.encode()) * _TOKENS_PER_NAME + token % _TOKENS_PER_NAME
