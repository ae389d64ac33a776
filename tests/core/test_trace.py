"""The trace: append-only, stamped, plain data."""

from __future__ import annotations

import json

from askwire.core.trace import Trace


class TickingClock:
    """A clock that advances a second each time it is read."""

    def __init__(self) -> None:
        self._now = 100.0

    def monotonic(self) -> float:
        self._now += 1
        return self._now


def test_events_come_in_order_with_the_seconds_since_the_ask_began() -> None:
    trace = Trace(TickingClock())
    trace.record("planner", "proposed", candidates=2)
    trace.record("selector", "chose", sql="SELECT 1")
    assert [(e.stage, e.name, e.at) for e in trace] == [
        ("planner", "proposed", 1.0),
        ("selector", "chose", 2.0),
    ]
    assert json.loads(json.dumps(trace.to_json()))[1] == {
        "stage": "selector",
        "name": "chose",
        "at_ms": 2000.0,
        "sql": "SELECT 1",
    }


def test_a_trace_without_events_is_still_a_trace() -> None:
    assert Trace(TickingClock())
