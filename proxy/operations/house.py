"""A running server as operators see it: what the admin database shows and does.

Owns: gathering what the parts of a process know of themselves. Must not know: how any of it is shown.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from askwire.core.settings import Settings
from askwire.llm.sources import ExpertSource
from askwire.proxy.memory.live import Live, Seen
from askwire.proxy.operations.admin import Client, ExpertSeen
from askwire.proxy.operations.figures import Figures, Relaying

EMBEDDED = "embedded"


class Visible(Relaying, Protocol):
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


class ServerHouse:
    """`admin.House` over the sessions and the resolver of a server.

    `reload` reads the settings again and returns the names of those that changed.
    """

    def __init__(
        self,
        settings: Settings,
        figures: Figures,
        live: Live | None,
        sources: Sequence[ExpertSource],
        sessions: Callable[[], Collection[Visible]],
        reload: Callable[[], Sequence[str]],
    ) -> None:
        self.settings = settings
        self.figures = figures
        self._live = live
        self._sources = sources
        self._sessions = sessions
        self._reload = reload

    def clients(self) -> Sequence[Client]:
        """All connections of clients, the oldest first."""
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
            for session in sorted(self._sessions(), key=lambda session: session.number)
        ]

    def relayed(self) -> tuple[int, int]:
        """Bytes from clients and to clients since the start, of sessions that live and that have ended."""
        return self.figures.relayed(self._sessions())

    def experts(self) -> Sequence[ExpertSeen]:
        """The models, then the engine that needs none."""
        models = [
            ExpertSeen(
                source.name,
                source.config.model,
                source.config.endpoint,
                "left alone" if source.breaker.is_open else "asked",
            )
            for source in self._sources
        ]
        return [*models, ExpertSeen(EMBEDDED, "", "", "asked")]

    def under_way(self) -> Sequence[Seen]:
        """The ASKs that are worked on and kept in the history."""
        return self._live.under_way if self._live else []

    def reload(self) -> Sequence[str]:
        """Read the settings again; the names of those that changed."""
        return self._reload()

    def kill(self, number: int) -> bool:
        """End a client's session as the server's own pg_terminate_backend would."""
        for session in self._sessions():
            if session.number == number:
                session.refuse("57P01", "terminating connection due to administrator command")
                return True
        return False
