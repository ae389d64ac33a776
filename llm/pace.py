"""How many calls an expert makes at once, and per minute.

Owns: making calls wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from askwire.core.protocols import Clock


class Pace:
    """At most `concurrency` calls under way, and `per_minute` begun in any minute's course (0: no limit).

    Calls are spread evenly once a minute's first burst is spent.
    """

    def __init__(self, concurrency: int, per_minute: int, clock: Clock) -> None:
        self._room = asyncio.Semaphore(concurrency)
        self._interval = 60.0 / per_minute if per_minute else 0.0
        self._burst = max(1, per_minute // 4) * self._interval
        self._clock = clock
        self._next = 0.0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """One call's turn; waits for it."""
        async with self._room:
            wait = self._slot()
            if wait > 0:
                await asyncio.sleep(wait)
            yield

    def _slot(self) -> float:
        """Seconds until the next call may begin, which is taken hereby."""
        if not self._interval:
            return 0.0
        now = self._clock.monotonic()
        self._next = max(self._next, now - self._burst) + self._interval
        return self._next - now - self._interval
