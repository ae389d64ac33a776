"""The page of settings: what holds, where it comes from, and changing it until the process ends.

Owns: what the page says of each setting, and what its forms do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aiohttp import web

from askwire.core.errors import ConfigurationError
from askwire.core.settings.table import TABLE
from askwire.proxy.console.desk import Desk
from askwire.proxy.console.guard import VISITOR
from askwire.proxy.operations.changes import SOURCE, Changes, room
from askwire.proxy.operations.setting_values import shown, shown_text


@dataclass(frozen=True)
class SettingsPage:
    """The handlers."""

    desk: Desk

    def routes(self) -> list[web.RouteDef]:
        """Where the page is, and where its forms go."""
        return [
            web.get("/settings", self.page),
            web.post("/settings", self.change),
            web.post("/settings/reload", self.reload),
        ]

    async def page(self, request: web.Request) -> web.Response:
        """Every setting in force, where it comes from, and what a session or this page may do to it."""
        return await self._page(request, {})

    async def change(self, request: web.Request) -> web.Response:
        """Change one setting, or let the configuration hold again."""
        form = await request.post()
        name, value = str(form.get("name", "")), str(form.get("value", ""))
        changes, author = self.desk.sources.changes, request[VISITOR].author
        try:
            if "undo" in form:
                changes.take_back(name, author)
            else:
                changes.change(name, value, author)
        except ConfigurationError as error:
            refused = {"name": name, "value": value, "why": error.message, "hint": error.hint}
            return await self._page(request, refused, status=422)
        raise web.HTTPSeeOther(f"/settings#{name}" if name in TABLE else "/settings")

    async def reload(self, request: web.Request) -> web.Response:
        """Read the configuration again."""
        try:
            self.desk.sources.changes.reload(request[VISITOR].author)
        except ConfigurationError as error:
            refused = {"name": "", "value": "", "why": error.message, "hint": error.hint}
            return await self._page(request, refused, status=422)
        raise web.HTTPSeeOther("/settings")

    async def _page(
        self, request: web.Request, refused: Mapping[str, str], status: int = 200
    ) -> web.Response:
        changes = self.desk.sources.changes

        def values() -> Mapping[str, object]:
            return {"rows": _rows(changes), "refused": refused, "rereads": changes.rereads}

        page = await self.desk.page(request, "settings.html", values)
        page.set_status(status)
        return page


def _rows(changes: Changes) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for name, setting in TABLE.items():
        given, configured = changes.settings.given(name), changes.configured(name)
        changed = name in changes.made
        rows.append(
            {
                "name": name,
                "value": shown(changes.settings, name),
                "default": setting.default,
                "given": given is not None,
                "source": given.source if given else "",
                "scope": setting.scope,
                "help": setting.help,
                "room": room(name),
                "stricter": setting.strictness.stricter if setting.strictness else "",
                "changed": changed,
                "held": changed and not (given and given.source.startswith(SOURCE)),
                "configured": shown_text(name, configured.text if configured else setting.default),
            }
        )
    return rows
