"""What operators see of several processes: the parts of all, as one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from doubles.living_sessions import CountedClient

from askwire.core.clock import MonotonicClock
from askwire.core.protocols import StoreStatus
from askwire.core.settings.table import load
from askwire.core.trace import Trace
from askwire.proxy.operations.accounts import Account, Accounts, latest
from askwire.proxy.operations.figures import Figures
from askwire.proxy.operations.server_status import RunningServer


@dataclass
class ClientSession:
    """A session of a client, as operators see it."""

    number: int
    began: float
    state: str = "relay"
    client: CountedClient = field(default_factory=CountedClient)
    login: Mapping[str, str] = field(default_factory=lambda: {"user": "ada", "database": "shop"})
    process_id: int = 4711
    peer: str = "127.0.0.1:5000"
    ended: list[str] = field(default_factory=list)

    def refuse(self, sqlstate: str, _message: str) -> None:
        """Note that it was ended."""
        self.ended.append(sqlstate)


class Others:
    """The other processes; `told` is what was said to them, `accounts` what ended ones have done."""

    def __init__(self, *houses: RunningServer, key: Sequence[int] = (0, 0, 1000)) -> None:
        self._houses = houses
        self.key = key
        self.pictures: Sequence[Mapping[str, Any]] = ()
        self.accounts: Sequence[Account] = ()
        self.told: list[tuple[str, Any]] = []

    async def refresh(self, account: Account) -> None:
        """Ask them, over JSON as processes do."""
        self.accounts = [account, *self.accounts]
        self.pictures = [json.loads(json.dumps(status.picture())) for status in self._houses]

    def tell(self, kind: str, data: Any = None) -> None:
        """Note what was said."""
        self.told.append((kind, data))


NO_STORE = StoreStatus()


def status(
    sessions: Sequence[ClientSession],
    figures: Figures,
    others: Others | None = None,
    store: StoreStatus = NO_STORE,
) -> RunningServer:
    """A process with these sessions."""
    return RunningServer(
        *(load({}), figures, None, (), lambda: sessions, lambda: ["timeout"], others), own_store=lambda: store
    )


def worker(number: int, generation: int = 0) -> Others:
    """What another worker knows of its colleagues: only which one it is."""
    return Others(key=(generation, number, 1000 + number))


def worked() -> Figures:
    """What a process has done that answered one ASK."""
    figures = Figures(sessions_opened=1, bytes_from_clients=100)
    trace = Trace(MonotonicClock())
    trace.record("model", "called", expert="x", outcome="answered", prompt_tokens=3, cost=0.5)
    figures.asked(trace, "00000")
    return figures


async def test_all_processes_are_shown_as_one() -> None:
    first, second = ClientSession(2, began=20.0), ClientSession(5, began=10.0, state="asking")
    others = Others(status([second], worked(), worker(1)))
    shown = status([first], worked(), others)
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
    first, second = ClientSession(2, began=20.0), ClientSession(5, began=10.0)
    others = Others(status([second], Figures(), worker(1)))
    shown = status([first], Figures(), others)
    await shown.refresh()
    assert shown.kill(2)
    assert first.ended == ["57P01"]
    assert shown.kill(5)
    assert others.told == [("kill", 5)]
    assert not shown.kill(7)
    assert shown.reload() == ["timeout"]
    assert others.told[1:] == [("reload", None)]


async def test_counters_do_not_fall_when_a_process_ends_or_is_late() -> None:
    supervisor = Accounts(0)
    second = status([ClientSession(5, began=10.0)], worked(), worker(1))
    others = Others(second)
    shown = status([ClientSession(2, began=20.0)], worked(), others)
    await shown.refresh()
    supervisor.note(second.picture()["account"])
    before = shown.relayed(), shown.figures.asks["00000"]
    others.pictures, others.accounts = (), supervisor.all()
    assert [client.number for client in shown.clients()] == [2], "it is late"
    assert (shown.relayed(), shown.figures.asks["00000"]) == before
    supervisor.close(1)
    others.accounts = supervisor.all()
    assert (shown.relayed(), shown.figures.asks["00000"]) == before, "it has ended"
    supervisor.note(status([], worked(), worker(1)).account())
    others.accounts = supervisor.all()
    assert shown.figures.asks["00000"] == 3, "another one goes on"


def test_what_a_former_server_has_done_is_counted_once() -> None:
    former, supervisor = Accounts(0), Accounts(1)
    former.note(status([], worked(), worker(0)).account())
    former.close(0)
    former.note(status([], worked(), worker(1)).account())
    for account in former.all():
        supervisor.note(json.loads(json.dumps(account)))
    told = [*former.all(), *supervisor.all()]
    assert _asks(told) == 2
    supervisor.close_former()
    assert _asks(supervisor.all()) == 2


def _asks(accounts: Sequence[Account]) -> int:
    total = Figures()
    for account in latest(accounts):
        total.merge(account["figures"])
    return total.asks["00000"]


async def test_sessions_of_a_former_server_are_marked() -> None:
    others = Others(status([ClientSession(5, began=10.0)], worked(), worker(0)), key=(1, 0, 2000))
    shown = status([ClientSession(2, began=20.0)], worked(), others)
    await shown.refresh()
    assert [(client.number, client.former) for client in shown.clients()] == [(5, True), (2, False)]
    assert shown.kill(5)
    assert others.told == [("kill", 5)]


async def test_a_process_of_another_version_is_shown_as_far_as_it_is_known() -> None:
    others = Others(status([ClientSession(5, began=10.0)], worked(), worker(1)))
    shown = status([], Figures(), others)
    await shown.refresh()
    (picture,) = others.pictures
    picture["clients"][0]["shoe_size"] = 43
    del picture["account"]["figures"]["standby"]
    picture["account"]["figures"]["hats"] = 3
    assert [client.number for client in shown.clients()] == [5]
    assert shown.figures.asks["00000"] == 1


async def test_the_stores_of_all_processes_count() -> None:
    second = status([], Figures(), worker(1), StoreStatus(3, 20, 2, "disk full", 100, "poll"))
    others = Others(second)
    shown = status([], Figures(), others, StoreStatus(1, 10, 0, "", 100, "listen"))
    await shown.refresh()
    assert shown.store == StoreStatus(4, 30, 2, "disk full", 200, "poll")
    account = second.account()
    others.pictures, others.accounts = (), [account]
    assert shown.store == StoreStatus(1, 30, 2, "", 100, "listen"), "counters stay when it has ended"
