"""What operators see of several processes: the parts of all, as one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from doubles.living_sessions import Sided

from askwire.core.clock import MonotonicClock
from askwire.core.settings.table import load
from askwire.core.trace import Trace
from askwire.proxy.operations.figures import Figures
from askwire.proxy.operations.server_status import RunningServer


@dataclass
class Connected:
    """A session of a client, as operators see it."""

    number: int
    began: float
    state: str = "relay"
    client: Sided = field(default_factory=Sided)
    login: Mapping[str, str] = field(default_factory=lambda: {"user": "ada", "database": "shop"})
    process_id: int = 4711
    peer: str = "127.0.0.1:5000"
    ended: list[str] = field(default_factory=list)

    def refuse(self, sqlstate: str, _message: str) -> None:
        """Note that it was ended."""
        self.ended.append(sqlstate)


class Others:
    """The other processes; `told` is what was said to them."""

    count = 2

    def __init__(self, *houses: RunningServer) -> None:
        self._houses = houses
        self.pictures: Sequence[Mapping[str, Any]] = ()
        self.told: list[tuple[str, Any, int | None]] = []

    async def refresh(self) -> None:
        """Ask them, over JSON as processes do."""
        self.pictures = [json.loads(json.dumps(house.picture())) for house in self._houses]

    def tell(self, kind: str, data: Any = None, *, to: int | None = None) -> None:
        """Note what was said."""
        self.told.append((kind, data, to))


def house(sessions: Sequence[Connected], figures: Figures, others: Others | None = None) -> RunningServer:
    """A process with these sessions."""
    return RunningServer(load({}), figures, None, (), lambda: sessions, lambda: ["timeout"], others)


def worked() -> Figures:
    """What a process has done that answered one ASK."""
    figures = Figures(sessions_opened=1, bytes_from_clients=100)
    trace = Trace(MonotonicClock())
    trace.record("model", "called", expert="x", outcome="answered", prompt_tokens=3, cost=0.5)
    figures.asked(trace, "00000")
    return figures


async def test_all_processes_are_shown_as_one() -> None:
    first, second = Connected(2, began=20.0), Connected(5, began=10.0, state="asking")
    others = Others(house([second], worked()))
    shown = house([first], worked(), others)
    assert not shown.alone
    assert [client.number for client in shown.clients()] == [2], "before the others were asked"
    await shown.refresh()
    assert [client.number for client in shown.clients()] == [5, 2], "the oldest first"
    assert shown.relayed() == (210, 14)
    figures = shown.figures
    assert figures.sessions_opened == 2
    assert figures.asks["00000"] == 2
    assert figures.tokens["x", "prompt"] == 6
    assert figures.cost["x"] == 1.0
    assert figures.ask_seconds[False].count == 2
    assert figures.stage_seconds["model"].count == 2
    assert sorted(session.state for session in shown.sessions()) == ["asking", "relay"]
    assert figures.relayed(shown.sessions()) == shown.relayed()
    assert shown.figures.asks["00000"] == 2, "and not counted again each time"


async def test_a_client_of_another_process_is_ended_there() -> None:
    first, second = Connected(2, began=20.0), Connected(5, began=10.0)
    others = Others(house([second], Figures()))
    shown = house([first], Figures(), others)
    await shown.refresh()
    assert shown.kill(2)
    assert first.ended == ["57P01"]
    assert shown.kill(5)
    assert others.told == [("kill", 5, 1)]
    assert not shown.kill(7)
    assert shown.reload() == ["timeout"]
    assert others.told[1:] == [("reload", None, None)]
