"""A running server as operators see it: what the admin database shows and does.

Owns: gathering what the parts of a process know of themselves.
"""

from __future__ import annotations

import dataclasses
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from askwire.core.settings.table import Settings
from askwire.llm.sources import ExpertSource
from askwire.proxy.memory.live import AskStatus, Live
from askwire.proxy.operations.admin import Client, ExpertStatus
from askwire.proxy.operations.figures import Figures, LiveSession

EMBEDDED = "embedded"


class Visible(LiveSession, Protocol):
    """A session, as far as operators see it; `began` is of `time.monotonic`."""

    number: int
    login: Mapping[str, str]
    began: float

    @property
    def process_id(self) -> int:
        """Of its backend, 0 where there is none yet."""

    @property
    def peer(self) -> str:
        """Where its client is."""

    def refuse(self, sqlstate: str, message: str) -> None:
        """End it with a FATAL error."""


class Elsewhere(Protocol):
    """The other processes of the server; `pictures` are what their `ServerHouse.picture` gave last."""

    @property
    def count(self) -> int:
        """How many processes there are; the remainder of a session's number by it is its process."""

    @property
    def pictures(self) -> Sequence[Mapping[str, Any]]:
        """What they said last."""

    async def refresh(self) -> None:
        """Ask them."""

    def tell(self, kind: str, data: Any = None, *, to: int | None = None) -> None:
        """Say something to all of them, or to one."""


class RunningServer:
    """`admin.ServerStatus` over the sessions and the resolver of a server.

    `reload` reads the settings again and returns the names of those that changed. `elsewhere` are the other
    processes of the server, if there are any: what is shown is of all of them.
    """

    def __init__(
        self,
        settings: Settings,
        figures: Figures,
        live: Live | None,
        sources: Sequence[ExpertSource],
        sessions: Callable[[], Collection[Visible]],
        reload: Callable[[], Sequence[str]],
        elsewhere: Elsewhere | None = None,
    ) -> None:
        self.settings = settings
        self._figures = figures
        self._elsewhere = elsewhere
        self._live = live
        self._sources = sources
        self._sessions = sessions
        self._reload = reload

    @property
    def alone(self) -> bool:
        """Whether there is no other process whose part would have to be brought up to date."""
        return self._elsewhere is None

    async def refresh(self) -> None:
        """Bring what is known of the other processes up to date."""
        if self._elsewhere is not None:
            await self._elsewhere.refresh()

    def picture(self) -> Mapping[str, Any]:
        """Return this process's part, as JSON for the others."""
        sessions = self._sessions()
        return {
            "clients": [dataclasses.astuple(client) for client in self._own_clients()],
            "states": dict(Counter(session.state for session in sessions)),
            "relayed": self._figures.relayed(sessions),
            "figures": self._figures.as_json(),
            "asks": [dataclasses.asdict(seen) for seen in self._live.own] if self._live else [],
            "left_alone": [source.name for source in self._sources if source.breaker.is_open],
        }

    @property
    def figures(self) -> Figures:
        """What all processes have done."""
        if not self._pictures:
            return self._figures
        total = Figures()
        total.merge(self._figures.as_json())
        for picture in self._pictures:
            total.merge(picture["figures"])
        return total

    @property
    def _pictures(self) -> Sequence[Mapping[str, Any]]:
        return self._elsewhere.pictures if self._elsewhere is not None else ()

    def clients(self) -> Sequence[Client]:
        """All connections of clients, the oldest first."""
        others = [Client(*told) for picture in self._pictures for told in picture["clients"]]
        return sorted([*self._own_clients(), *others], key=lambda client: -client.seconds)

    def sessions(self) -> Sequence[LiveSession]:
        """All connections of clients, as far as figures count them."""
        return [*self._sessions(), *(one for picture in self._pictures for one in _summed(picture))]

    def _own_clients(self) -> list[Client]:
        now = time.monotonic()
        return [
            Client(
                number=session.number,
                role=session.login.get("user", ""),
                database=session.login.get("database", session.login.get("user", "")),
                application=session.login.get("application_name", ""),
                address=session.peer,
                phase=session.state,
                process_id=session.process_id,
                seconds=now - session.began,
            )
            for session in self._sessions()
        ]

    def relayed(self) -> tuple[int, int]:
        """Bytes from clients and to clients since the start, of sessions that live and that have ended."""
        came, went = self._figures.relayed(self._sessions())
        for picture in self._pictures:
            came, went = came + picture["relayed"][0], went + picture["relayed"][1]
        return came, went

    def experts(self) -> Sequence[ExpertStatus]:
        """The models, then the engine that needs none."""
        elsewhere = {name for picture in self._pictures for name in picture["left_alone"]}
        models = [
            ExpertStatus(
                source.name,
                source.config.model,
                source.config.endpoint,
                "left alone" if source.breaker.is_open or source.name in elsewhere else "asked",
            )
            for source in self._sources
        ]
        return [*models, ExpertStatus(EMBEDDED, "", "", "asked")]

    def under_way(self) -> Sequence[AskStatus]:
        """The ASKs that are worked on and kept in the history."""
        own = self._live.own if self._live else []
        others = [AskStatus(**told) for picture in self._pictures for told in picture["asks"]]
        return sorted([*own, *others], key=lambda seen: seen.at, reverse=True)

    def reload(self) -> Sequence[str]:
        """Read the settings again, in all processes; the names of those that changed."""
        changed = self._reload()
        if self._elsewhere is not None:
            self._elsewhere.tell("reload")
        return changed

    def kill(self, number: int) -> bool:
        """End a client's session as the server's own pg_terminate_backend would."""
        for session in self._sessions():
            if session.number == number:
                session.refuse("57P01", "terminating connection due to administrator command")
                return True
        if self._elsewhere is not None and any(client.number == number for client in self.clients()):
            # a session's number tells which process it is in
            self._elsewhere.tell("kill", number, to=number % self._elsewhere.count)
            return True
        return False


@dataclass(frozen=True, slots=True)
class _End:
    received: int = 0
    sent: int = 0


@dataclass(frozen=True, slots=True)
class _Other:
    """A session of another process; the first one stands for the bytes of all."""

    state: str
    client: _End


def _summed(picture: Mapping[str, Any]) -> list[_Other]:
    """Return the sessions of another process; bytes of those that have ended are in its figures."""
    figures = picture["figures"]
    came = picture["relayed"][0] - figures["bytes_from_clients"]
    went = picture["relayed"][1] - figures["bytes_to_clients"]
    found = [_Other(state, _End()) for state, number in picture["states"].items() for _ in range(number)]
    return [_Other(found[0].state, _End(came, went)), *found[1:]] if found else []
