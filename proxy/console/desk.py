"""What the pages are made from: the store, the ASKs under way, the settings, and who may be let in.

Owns: holding these together for the handlers. Must not know: any page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from aiohttp import web

from askwire.core.protocols import Store
from askwire.core.settings import Settings
from askwire.proxy.console.access import Access
from askwire.proxy.console.attempts import Attempts
from askwire.proxy.console.guard import VISITOR
from askwire.proxy.console.rendering import Rendering
from askwire.proxy.memory.live import Live
from askwire.proxy.memory.reviewing import Reviewing
from askwire.proxy.operations.changes import Changes


@dataclass(frozen=True)
class Sources:
    """What the console looks at, of the server it belongs to; `wall` tells the time of day."""

    changes: Changes
    store: Store
    live: Live
    reviewing: Reviewing
    wall: Callable[[], float]

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.changes.settings


@dataclass(frozen=True)
class Desk:
    """What handlers share."""

    sources: Sources
    access: Access
    attempts: Attempts
    rendering: Rendering
    cookie: str

    async def page(
        self,
        request: web.Request,
        template: str,
        values: Callable[[], Mapping[str, object]],
    ) -> web.Response:
        """A page for the visitor of a request; `values` are made beside the event loop."""
        trouble = self.sources.store.status.trouble
        lost = self.sources.store.status.lost
        visitor = request.get(VISITOR)

        def all_values() -> Mapping[str, object]:
            around = {"visitor": visitor, "path": request.path, "trouble": trouble, "lost": lost}
            return {**around, "now": self.sources.wall(), **values()}

        text = await self.rendering.page(template, all_values)
        return web.Response(text=text, content_type="text/html")
