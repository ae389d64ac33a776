"""The trace of one ASK: every step appends to it, everything shown about an ASK is a view of it.

A `TraceEvent` is plain data (JSON-ready), so that NOTICEs, reports, a console and metrics can read it
without knowing the stage that wrote it.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from askwire.core.protocols import Clock

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """One step of an ASK; `name` says what.

    `stage` is 'session', 'planner', 'verifier', 'selector', 'pin' (whether the kept SQL still serves),
    'egress' (what left for a model) or 'model' (what a call of one came to). `at` is seconds since the ASK
    began.
    """

    stage: str
    name: str
    at: float
    data: Mapping[str, Json]


class Trace:
    """The events of one ASK in order. Append-only; owned by the session that asks.

    `id` names the ASK everywhere: in the history, in the log, on a page.
    """

    def __init__(self, clock: Clock) -> None:
        self.id = secrets.token_hex(8)
        self._clock = clock
        self._began = clock.monotonic()
        self._events: list[TraceEvent] = []

    def record(self, stage: str, name: str, **data: Json) -> None:
        """Append one event, stamped with the seconds since the ASK began."""
        self._events.append(TraceEvent(stage, name, self._clock.monotonic() - self._began, data))

    def __iter__(self) -> Iterator[TraceEvent]:
        return iter(tuple(self._events))

    @property
    def steps(self) -> int:
        """How many events there are."""
        return len(self._events)

    @property
    def elapsed(self) -> float:
        """Seconds since the ASK began."""
        return self._clock.monotonic() - self._began

    def to_json(self) -> list[Json]:
        """The events as JSON-ready objects, times in milliseconds."""
        return [
            {"stage": e.stage, "name": e.name, "at_ms": round(e.at * 1000, 1), **e.data} for e in self._events
        ]
