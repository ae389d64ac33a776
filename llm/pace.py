"""How many calls an expert makes at once, and per minute.

Owns: making calls wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, Protocol

from askwire.core.protocols import Clock

_RETRY_SECONDS: Final = 0.05
"""Seconds between two tries to take what another process has."""
_YIELD_SECONDS: Final = 1.5 * _RETRY_SECONDS
"""Seconds that a process leaves what it gives back to others that wait for it."""
_LOCK_RETRY_SECONDS: Final = 0.001
"""Seconds until the table of rates is free, which another process has just locked."""


class SharedBounds(Protocol):
    """What several processes count together, by a name; nothing here waits."""

    def take(self, name: str, token: int) -> bool:
        """Take a token that this process does not hold; whether no other process has it."""

    def give(self, name: str, token: int) -> None:
        """Give a token back."""

    def wait(self, name: str, seconds: float) -> None:
        """Show for some seconds that this process waits for a token."""

    def others_wait(self, name: str) -> bool:
        """Whether another process waits for a token."""

    def begin(self, name: str, interval: float, burst: float) -> float | None:
        """Return the seconds until the next call may begin, which is taken hereby; None: ask again."""

    def forgo(self, name: str, interval: float) -> None:
        """Give back a call that `begin` gave and that does not begin."""


class Pace:
    """At most `concurrency` calls under way, and `per_minute` begun in any minute's course (0: no limit).

    Calls are spread evenly once a minute's first burst is spent. With `shared`, both hold for all processes
    that share it, for calls of one `name`.
    """

    def __init__(
        self,
        concurrency: int,
        per_minute: int,
        clock: Clock,
        shared: SharedBounds | None = None,
        name: str = "",
    ) -> None:
        self._room = asyncio.Semaphore(concurrency)
        self._interval = 60.0 / per_minute if per_minute else 0.0
        self._burst = max(1, per_minute // 4) * self._interval
        self._clock = clock
        self._next = 0.0
        self._shared = shared
        self._name = name
        self._free = list(range(concurrency))
        self._given = float("-inf")

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """One call's turn; waits for it."""
        async with self._room, self._token():
            wait = await self._next_slot()
            if wait > 0:
                try:
                    await asyncio.sleep(wait)
                except asyncio.CancelledError:
                    self._forgo()
                    raise
            yield

    @asynccontextmanager
    async def _token(self) -> AsyncIterator[None]:
        """Hold one of the calls that all processes may make at once; waits for it."""
        if (shared := self._shared) is None:
            yield
            return
        token = await self._take(shared)
        try:
            yield
        finally:
            shared.give(self._name, token)
            self._free.append(token)
            self._given = self._clock.monotonic()

    async def _take(self, shared: SharedBounds) -> int:
        if self._clock.monotonic() - self._given < _RETRY_SECONDS and shared.others_wait(self._name):
            await asyncio.sleep(_YIELD_SECONDS)
        while True:
            for token in self._free:
                if shared.take(self._name, token):
                    self._free.remove(token)
                    return token
            shared.wait(self._name, 2 * _RETRY_SECONDS)
            await asyncio.sleep(_RETRY_SECONDS)

    async def _next_slot(self) -> float:
        if self._shared is None or not self._interval:
            return self._slot()
        while True:
            wait = self._shared.begin(self._name, self._interval, self._burst)
            if wait is not None:
                return wait
            await asyncio.sleep(_LOCK_RETRY_SECONDS)

    def _forgo(self) -> None:
        """Give back the call that was taken: who waited for it has gone."""
        if self._shared is None:
            self._next -= self._interval
        else:
            self._shared.forgo(self._name, self._interval)

    def _slot(self) -> float:
        """Seconds until the next call may begin, which is taken hereby."""
        if not self._interval:
            return 0.0
        now = self._clock.monotonic()
        self._next = max(self._next, now - self._burst) + self._interval
        return self._next - now - self._interval
