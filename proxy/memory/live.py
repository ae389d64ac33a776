"""The ASKs under way and the latest that ended, for observers.

Owns: that list, in memory only, and telling when it changes. Who turned the history off is not on it, and of
an ASK's steps only their stages and times are: what they hold is for `history` to keep or not.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from askwire.core.settings.memory import HISTORY
from askwire.core.trace import Trace
from askwire.proxy.asking.context import AskContext

MAX_ENDED_ASKS: Final = 50
"""ASKs that ended and stay on the list."""

Span = tuple[str, float]
"""A stage, and how many milliseconds after the ASK began it was left."""


@dataclass(frozen=True, slots=True)
class AskStatus:
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
class _RunningAsk:
    at: float
    context: AskContext
    trace: Trace


class Live:
    """All ASKs of a process that are under way, and the latest that ended; `wall` tells the time of day."""

    def __init__(self, wall: Callable[[], float]) -> None:
        self._wall = wall
        self._under_way: dict[str, _RunningAsk] = {}
        self._elsewhere: dict[int, list[AskStatus]] = {}
        self._ended: OrderedDict[str, AskStatus] = OrderedDict()
        self._fresh: list[AskStatus] = []
        self._watcher: Callable[[Sequence[AskStatus], Sequence[AskStatus]], None] | None = None
        self._revision = 0
        self._changed = asyncio.Event()

    def began(self, context: AskContext, trace: Trace) -> None:
        """An ASK whose asker is known is worked on."""
        if context.asker.settings[HISTORY]:
            self._under_way[trace.id] = _RunningAsk(self._wall() - trace.elapsed, context, trace)
            self._tell()

    def ended(self, trace: Trace, outcome: str, message: str = "") -> None:
        """It came to an end: '00000' or the SQLSTATE. Nothing happens for one that is not on the list."""
        watched = self._under_way.pop(trace.id, None)
        if watched is None:
            return
        seen = _seen(watched, outcome, message)
        self._end(seen)
        if self._watcher is not None:
            self._fresh.append(seen)
        self._tell()

    def lost(self, trace: Trace) -> None:
        """It ended in a way that the history does not tell of."""
        if self._under_way.pop(trace.id, None):
            self._tell()

    def adopt(self, process: int, under_way: Sequence[AskStatus], ended: Sequence[AskStatus]) -> None:
        """List what another process of this server works on, and what has just ended there."""
        self._elsewhere[process] = list(under_way)
        for seen in ended:
            self._end(seen)
        self._tell()

    def watch(self, changed: Callable[[Sequence[AskStatus], Sequence[AskStatus]], None]) -> None:
        """Have `changed` called with the ASKs under way and those that have ended since the last time."""
        self._watcher = changed

    def _end(self, seen: AskStatus) -> None:
        self._ended[seen.key] = seen
        if len(self._ended) > MAX_ENDED_ASKS:
            self._ended.popitem(last=False)

    def _tell(self) -> None:
        if self._watcher is not None:
            self._watcher([_seen(one) for one in self._under_way.values()], self._fresh)
            self._fresh = []
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
    def under_way(self) -> list[AskStatus]:
        """Those that are worked on, the latest first."""
        own = [_seen(watched) for watched in self._under_way.values()]
        now = self._wall()
        others = [
            replace(seen, elapsed_ms=max(seen.elapsed_ms, (now - seen.at) * 1000))
            for process in self._elsewhere.values()
            for seen in process
        ]
        return sorted([*own, *others], key=lambda seen: seen.at, reverse=True) if others else own[::-1]

    @property
    def own(self) -> list[AskStatus]:
        """Those that this process works on."""
        return [_seen(watched) for watched in self._under_way.values()]

    @property
    def latest(self) -> list[AskStatus]:
        """Those that ended, the latest first."""
        return list(reversed(self._ended.values()))

    def find(self, key: str) -> AskStatus | None:
        """One that is under way."""
        watched = self._under_way.get(key)
        if watched is not None:
            return _seen(watched)
        return next((seen for seen in self.under_way if seen.key == key), None) if self._elsewhere else None


def _seen(watched: _RunningAsk, outcome: str = "", message: str = "") -> AskStatus:
    context, trace = watched.context, watched.trace
    session = context.asker.session
    return AskStatus(
        key=trace.id,
        at=watched.at,
        role=session.session_user,
        database=session.database,
        question=context.question,
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
