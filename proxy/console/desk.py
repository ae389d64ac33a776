"""What the pages are made from: the store, the ASKs under way, the settings, and who may be let in.

Owns: holding these together for the handlers.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from aiohttp import web

from askwire.core.protocols import Store, StoreStatus
from askwire.core.settings.console import CONSOLE_ASK
from askwire.core.settings.table import Settings
from askwire.proxy.console.access import Access
from askwire.proxy.console.attempts import Attempts
from askwire.proxy.console.guard import VISITOR
from askwire.proxy.console.rendering import PageRenderer
from askwire.proxy.memory.live import Live
from askwire.proxy.memory.own_asks import OwnAsks
from askwire.proxy.memory.reviewing import Reviews
from askwire.proxy.operations.changes import Changes
from askwire.proxy.session.session_memory import SessionMemory
from askwire.proxy.session.statements.own_connection import Way


class Entrance(Way, Protocol):
    """The way into askwire, and what the session at its other end remembers."""

    @property
    def memory(self) -> SessionMemory | None:
        """What it remembers of its own ASKs."""


@dataclass(frozen=True)
class Sources:
    """What the console looks at, of the server it belongs to; `wall` tells the time of day.

    `entrance` opens a way into askwire for somebody who signs in to ask, from this machine alone or not, and
    `own` finds their ASKs; without these there are no such pages.
    """

    changes: Changes
    store: Store
    live: Live
    reviewing: Reviews
    wall: Callable[[], float]
    entrance: Callable[[bool], Entrance] | None = None
    own: OwnAsks | None = None

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.changes.settings


@dataclass(frozen=True)
class Desk:
    """What handlers share; `store` tells how the stores of all processes of the server fare."""

    sources: Sources
    access: Access
    attempts: Attempts
    rendering: PageRenderer
    cookie: str
    store: Callable[[], Awaitable[StoreStatus]]

    @property
    def asking(self) -> bool:
        """Whether there are pages on which people ask."""
        sources = self.sources
        return (
            sources.entrance is not None
            and sources.own is not None
            and sources.settings[CONSOLE_ASK] != "off"
        )

    async def page(
        self,
        request: web.Request,
        template: str,
        values: Callable[[], Mapping[str, object]],
    ) -> web.Response:
        """A page for the visitor of a request; `values` are made beside the event loop."""
        store = await self.store()
        visitor = request.get(VISITOR)
        asking = self.asking

        def all_values() -> Mapping[str, object]:
            around = {"visitor": visitor, "path": request.path, "trouble": store.trouble, "lost": store.lost}
            return {**around, "asking": asking, "now": self.sources.wall(), **values()}

        text = await self.rendering.page(template, all_values)
        return web.Response(text=text, content_type="text/html")
