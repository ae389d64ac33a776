"""The ASKs under way and the latest that ended, for whoever looks on.

Owns: that list, in memory only, and telling when it changes. Who turned the history off is not on it, and of
an ASK's steps only their stages and times are: what they hold is for `history` to keep or not. Must not
know: who looks, or how an ASK is answered.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from askwire.core.memory_settings import HISTORY
from askwire.core.trace import Trace
from askwire.proxy.occasion import Occasion

MOST_KEPT: Final = 50
"""ASKs that ended and stay on the list."""

Span = tuple[str, float]
"""A stage, and how many milliseconds after the ASK began it was left."""


@dataclass(frozen=True, slots=True)
class Seen:
    """An ASK as it looks from outside; `outcome` is '' while it is under way."""

    key: str
    at: float
    role: str
    database: str
    question: str
    spans: tuple[Span, ...]
    elapsed_ms: float
    outcome: str = ""
    message: str = ""


@dataclass(slots=True)
class _Watched:
    at: float
    occasion: Occasion
    trace: Trace


class Live:
    """All ASKs of a process that are under way, and the latest that ended; `wall` tells the time of day."""

    def __init__(self, wall: Callable[[], float]) -> None:
        self._wall = wall
        self._under_way: dict[str, _Watched] = {}
        self._ended: OrderedDict[str, Seen] = OrderedDict()
        self._revision = 0
        self._changed = asyncio.Event()

    def began(self, occasion: Occasion, trace: Trace) -> None:
        """An ASK whose asker is known is worked on."""
        if occasion.asker.settings[HISTORY]:
            self._under_way[trace.id] = _Watched(self._wall() - trace.elapsed, occasion, trace)
            self._tell()

    def ended(self, trace: Trace, outcome: str, message: str = "") -> None:
        """It came to an end: '00000' or the SQLSTATE. Nothing happens for one that is not on the list."""
        watched = self._under_way.pop(trace.id, None)
        if watched is None:
            return
        self._ended[trace.id] = _seen(watched, outcome, message)
        if len(self._ended) > MOST_KEPT:
            self._ended.popitem(last=False)
        self._tell()

    def lost(self, trace: Trace) -> None:
        """It ended in a way that the history does not tell of."""
        if self._under_way.pop(trace.id, None):
            self._tell()

    def _tell(self) -> None:
        self._revision += 1
        self._changed.set()
        self._changed = asyncio.Event()

    @property
    def revision(self) -> int:
        """A number that grows whenever an ASK begins or ends."""
        return self._revision

    async def change(self, since: int, *, at_most: float) -> int:
        """Wait until the revision is another than `since`, for so many seconds; the revision."""
        if self._revision == since:
            try:
                async with asyncio.timeout(at_most):
                    await self._changed.wait()
            except TimeoutError:
                pass
        return self._revision

    @property
    def under_way(self) -> list[Seen]:
        """Those that are worked on, the latest first."""
        return [_seen(watched) for watched in reversed(self._under_way.values())]

    @property
    def latest(self) -> list[Seen]:
        """Those that ended, the latest first."""
        return list(reversed(self._ended.values()))

    def find(self, key: str) -> Seen | None:
        """One that is under way."""
        watched = self._under_way.get(key)
        return _seen(watched) if watched else None


def _seen(watched: _Watched, outcome: str = "", message: str = "") -> Seen:
    occasion, trace = watched.occasion, watched.trace
    session = occasion.asker.session
    return Seen(
        key=trace.id,
        at=watched.at,
        role=session.session_user,
        database=session.database,
        question=occasion.question,
        spans=spans((event.stage, event.at * 1000) for event in trace),
        elapsed_ms=trace.elapsed * 1000,
        outcome=outcome,
        message=message,
    )


def spans(steps: Iterable[tuple[str, float]]) -> tuple[Span, ...]:
    """The stages of an ASK in order, from its steps and their moments: a step ends what led to it."""
    found: list[Span] = []
    for stage, at in steps:
        if found and found[-1][0] == stage:
            found[-1] = (stage, at)
        else:
            found.append((stage, at))
    return tuple(found)
