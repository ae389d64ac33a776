"""What the workers of one server tell each other, beyond what `workers` does for any of them.

cancel    stop the ASK of a cancel key
picture   what operators see of a process
account   what a process has done, for the supervisor
reload    read the settings again
reread    the same, asked by the supervisor, which learns whether it was possible
kill      end a session
change    a setting was changed at the console, or changed back
changes   what was changed there so far, for a worker that starts
live      the ASKs under way, for the console's list
gone      a worker has ended
crowded   end the oldest connection that has not logged in
breaker   an endpoint fails, or answers again
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from askwire.core.errors import ConfigurationError
from askwire.llm.sources import ExpertSource
from askwire.proxy.memory.live import AskStatus, Live
from askwire.proxy.operations.changes import Changes
from askwire.proxy.operations.server_status import RunningServer
from askwire.proxy.workers.worker import CONSOLE_WORKER, Colleagues

log = logging.getLogger("askwire.workers")


class WorkerServer(Protocol):
    """A worker's server."""

    def cancel_here(self, key: bytes) -> bool:
        """Stop the ASK of a session of this process; whether there was one."""

    def make_room(self) -> bool:
        """End a connection that has not logged in yet; whether there is one."""

    def reload(self) -> Sequence[str]:
        """Read the settings again. Raises ConfigurationError."""


@dataclass(frozen=True, slots=True)
class WorkerParts:
    """The parts of a worker that its colleagues ask, and that tell them something."""

    server: WorkerServer
    status: RunningServer
    changes: Changes
    live: Live
    sources: Sequence[ExpertSource]


def _make_room(colleagues: Colleagues, server: WorkerServer, limit: int) -> None:
    """Make room for a connection of another worker; two may ask each other for one place at the same moment.

    Where the connections that it counted here have ended meanwhile, another worker is asked.
    """
    if colleagues.must_end_one(limit):
        server.make_room()
    elif colleagues.are_crowded(limit):
        colleagues.ask_for_room(limit)


def connect(colleagues: Colleagues, parts: WorkerParts) -> None:
    """Let a worker answer its colleagues, and tell them what they have to know."""
    server, changes, live = parts.server, parts.changes, parts.live
    colleagues.on("cancel", lambda key: server.cancel_here(bytes.fromhex(key)))
    colleagues.on("crowded", lambda limit: _make_room(colleagues, server, limit))
    colleagues.on("picture", lambda _: parts.status.picture())
    colleagues.keep(parts.status.account)
    colleagues.on("reload", lambda _: reload(server))
    colleagues.on("reread", lambda number: colleagues.tell("reread", [number, reload(server)]))
    colleagues.on("kill", parts.status.kill_here)
    colleagues.on("change", partial(_change, changes))
    colleagues.on("changes", lambda _: {name: _as_told(changes, name) for name in changes.made} or None)
    changes.watch(lambda told: colleagues.tell("change", told))

    breakers = {source.config.endpoint: source.breaker for source in parts.sources}
    for endpoint, breaker in breakers.items():
        breaker.watch(lambda *state, endpoint=endpoint: colleagues.tell("breaker", [endpoint, *state]))

    def adopt(told: Sequence[Any]) -> None:
        if (breaker := breakers.get(told[0])) is not None:
            breaker.adopt(*told[1:])

    colleagues.on("breaker", adopt)
    if colleagues.number == CONSOLE_WORKER:
        colleagues.on("live", partial(_list, live))
        colleagues.on("gone", lambda number: live.adopt(number, [], []))
    else:
        live.watch(partial(_tell_live, colleagues))


async def take_over_changes(colleagues: Colleagues, changes: Changes) -> None:
    """Let what was changed at the console hold in a worker that starts later, too."""
    for told in (await colleagues.first("changes") or {}).values():
        _change(changes, told)


def _as_told(changes: Changes, name: str) -> Mapping[str, str]:
    return {"name": name, "text": changes.made[name].text, "author": "the operator who changed it"}


def _change(changes: Changes, told: Mapping[str, str]) -> None:
    try:
        if told.get("text") is None:
            changes.take_back(told["name"], told["author"], tell=False)
        else:
            changes.change(told["name"], told["text"], told["author"], tell=False)
    except ConfigurationError as error:
        log.warning("a change made at the console does not hold in this worker: %s", error.message)


def reload(server: WorkerServer) -> bool:
    """Read the settings again; whether that was possible. Else they stay, and the log has the reason."""
    try:
        server.reload()
    except ConfigurationError as error:
        log.error("the settings stay as they are: %s", error.message)
        return False
    return True


def _tell_live(colleagues: Colleagues, under_way: Sequence[AskStatus], ended: Sequence[AskStatus]) -> None:
    told = {
        "from": colleagues.number,
        "under_way": [dataclasses.asdict(seen) for seen in under_way],
        "ended": [dataclasses.asdict(seen) for seen in ended],
    }
    colleagues.tell("live", told, to=CONSOLE_WORKER)


def _list(live: Live, told: Mapping[str, Any]) -> None:
    under_way, ended = ([AskStatus(**one) for one in told[name]] for name in ("under_way", "ended"))
    live.adopt(told["from"], list(under_way), list(ended))
