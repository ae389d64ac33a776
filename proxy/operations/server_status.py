"""A running server as operators see it: what the admin database shows and does.

Owns: gathering what the parts of a process know of themselves.
"""

from __future__ import annotations

import dataclasses
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from askwire.core.protocols import StoreStatus
from askwire.core.settings.table import Settings
from askwire.llm.sources import ExpertSource
from askwire.proxy.memory.live import AskStatus, Live
from askwire.proxy.operations.accounts import Account, latest
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


class StoreChanges(Protocol):
    """The other processes of the server; `pictures` are what their `RunningServer.picture` gave last."""

    @property
    def key(self) -> Sequence[int]:
        """Which process this one is: its generation, which an online restart ends, its worker and its pid."""

    @property
    def pictures(self) -> Sequence[Mapping[str, Any]]:
        """What they said last."""

    @property
    def accounts(self) -> Sequence[Account]:
        """What those have done that did not answer, or have ended."""

    async def refresh(self, account: Account) -> None:
        """Ask them, and let them know what this process has done."""

    def tell(self, kind: str, data: Any = None) -> None:
        """Say something to all of them."""


class RunningServer:
    """`admin.ServerStatus` over the sessions and the resolver of a server.

    `reload` reads the settings again and returns the names of those that changed. `elsewhere` are the other
    processes of the server, if there are any: what is shown is of all of them. `own_store` tells how the
    store of this process fares, `ending` whether the server ends.
    """

    def __init__(
        self,
        settings: Settings,
        figures: Figures,
        live: Live | None,
        sources: Sequence[ExpertSource],
        sessions: Callable[[], Collection[Visible]],
        reload: Callable[[], Sequence[str]],
        elsewhere: StoreChanges | None = None,
        own_store: Callable[[], StoreStatus] = StoreStatus,
        ending: Callable[[], bool] = lambda: False,
    ) -> None:
        self.settings = settings
        self._figures = figures
        self._elsewhere = elsewhere
        self._live = live
        self._sources = sources
        self._sessions = sessions
        self._reload = reload
        self._own_store = own_store
        self._ending = ending

    @property
    def ends(self) -> bool:
        """Whether the server ends, and takes no connection any more."""
        return self._ending()

    @property
    def alone(self) -> bool:
        """Whether there is no other process whose part would have to be brought up to date."""
        return self._elsewhere is None

    async def refresh(self) -> None:
        """Bring what is known of the other processes up to date."""
        if self._elsewhere is not None:
            await self._elsewhere.refresh(self.account())

    def account(self) -> Account:
        """Return what this process has done, the bytes of living sessions included."""
        came, went = self._figures.relayed(self._sessions())
        store = self._own_store()
        figures = self._figures.as_json() | {
            "bytes_from_clients": came,
            "bytes_to_clients": went,
            "store_written": store.written,
            "store_lost": store.lost,
        }
        key = list(self._elsewhere.key) if self._elsewhere is not None else []
        return {"key": key, "at": time.monotonic(), "figures": figures}

    def picture(self) -> Mapping[str, Any]:
        """Return this process's part, as JSON for the others."""
        return {
            "account": self.account(),
            "clients": [dataclasses.asdict(client) for client in self._own_clients()],
            "states": dict(Counter(session.state for session in self._sessions())),
            "store": dataclasses.asdict(self._own_store()),
            "asks": [dataclasses.asdict(seen) for seen in self._live.own] if self._live else [],
            "left_alone": [source.name for source in self._sources if source.breaker.is_open],
        }

    @property
    def figures(self) -> Figures:
        """What all processes have done, those included that have ended."""
        if self._elsewhere is None:
            return self._figures
        total = Figures()
        total.merge(self._figures.as_json())
        told = [*(picture["account"] for picture in self._pictures), *self._elsewhere.accounts]
        for account in latest(told, but=self._elsewhere.key):
            total.merge(account["figures"])
        return total

    @property
    def store(self) -> StoreStatus:
        """How the stores of all processes fare: what they count together, and the worst state."""
        own = self._own_store()
        stores = [own, *(_made(StoreStatus, picture["store"]) for picture in self._pictures)]
        counted = self.figures
        return StoreStatus(
            waiting=sum(store.waiting for store in stores),
            written=own.written + counted.store_written,
            lost=own.lost + counted.store_lost,
            trouble=next((store.trouble for store in stores if store.trouble), ""),
            room=sum(store.room for store in stores),
            news=next((store.news for store in stores if store.news != "listen"), own.news),
        )

    @property
    def _pictures(self) -> Sequence[Mapping[str, Any]]:
        return self._elsewhere.pictures if self._elsewhere is not None else ()

    def clients(self) -> Sequence[Client]:
        """All connections of clients, the oldest first."""
        others = [
            dataclasses.replace(_made(Client, told), former=self._is_former(picture))
            for picture in self._pictures
            for told in picture["clients"]
        ]
        return sorted([*self._own_clients(), *others], key=lambda client: -client.seconds)

    def _is_former(self, picture: Mapping[str, Any]) -> bool:
        """Whether a process was there before an online restart, and serves the sessions that it had."""
        ours = self._elsewhere.key if self._elsewhere is not None else ()
        return list(picture["account"]["key"][:1]) != list(ours[:1])

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
        return self.figures.relayed(self._sessions())

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
        others = [_made(AskStatus, told) for picture in self._pictures for told in picture["asks"]]
        return sorted([*own, *others], key=lambda seen: seen.at, reverse=True)

    def reload(self) -> Sequence[str]:
        """Read the settings again, in all processes; the names of those that changed."""
        changed = self._reload()
        if self._elsewhere is not None:
            self._elsewhere.tell("reload")
        return changed

    def kill(self, number: int) -> bool:
        """End a client's session as the server's own pg_terminate_backend would."""
        if self.kill_here(number):
            return True
        if self._elsewhere is not None and any(client.number == number for client in self.clients()):
            self._elsewhere.tell("kill", number)
            return True
        return False

    def kill_here(self, number: int) -> bool:
        """End a session of this process; False when there is none of this number."""
        for session in self._sessions():
            if session.number == number:
                session.refuse("57P01", "terminating connection due to administrator command")
                return True
        return False


@dataclass(frozen=True, slots=True)
class _End:
    received: int = 0
    sent: int = 0


@dataclass(frozen=True, slots=True)
class _Other:
    """A session of another process, whose figures have its bytes."""

    state: str
    client: _End


def _summed(picture: Mapping[str, Any]) -> list[_Other]:
    """Return the sessions of another process."""
    return [_Other(state, _End()) for state, number in picture["states"].items() for _ in range(number)]


_Value = TypeVar("_Value", Client, AskStatus, StoreStatus)


def _made(value: type[_Value], told: Mapping[str, Any]) -> _Value:
    """Return what another process told, which may be of a version that has more to tell."""
    known = {field.name for field in dataclasses.fields(value)}
    return value(**{name: one for name, one in told.items() if name in known})
