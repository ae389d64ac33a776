"""What forms do: logging in and out, and saying what was meant, right or wrong.

Owns: these handlers. Every form was checked before (`guard`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, cast

from aiohttp import web

from askwire.core.settings.console import CONSOLE_ASK
from askwire.proxy.console.access import LOGIN_SECONDS
from askwire.proxy.console.attempts import Kind
from askwire.proxy.console.desk import Desk
from askwire.proxy.console.guard import VISITOR, is_encrypted, left
from askwire.proxy.memory.reviewing import Judgement

_JUDGEMENTS: Final = ("chosen", "right", "wrong")


@dataclass
class Actions:
    """The handlers; `leave` ends what else a visitor has begun here."""

    desk: Desk
    leave: Callable[[web.Request], Awaitable[None]]
    _forms: dict[str, str] = field(default_factory=dict, init=False)

    def routes(self) -> list[web.RouteDef]:
        """Where each form goes."""
        return [
            web.get("/login", self.login_page),
            web.post("/login", self.login),
            web.get("/enter/{link}", self.enter, allow_head=False),
            web.post("/logout", self.logout),
            web.post("/asks/{key:[0-9a-f]{16}}/judge", self.judge),
        ]

    async def login_page(self, request: web.Request) -> web.Response:
        """The form for the token."""
        if VISITOR in request:
            raise web.HTTPSeeOther("/")
        return await self._form("")

    async def _form(self, refused: str) -> web.Response:
        """The form is the same for everybody and made once: those who are not let in cost nothing.

        `refused` is what did not let somebody in, 'token' or 'link'.
        """
        opened = self.desk.sources.settings[CONSOLE_ASK] == "open"
        form = f"{refused} {opened}"
        if form not in self._forms:
            around = {"visitor": None, "path": "/login", "refused": refused, "open": opened}
            self._forms[form] = await self.desk.rendering.page("login.html", lambda: around)
        status = 403 if refused else 200
        return web.Response(status=status, text=self._forms[form], content_type="text/html")

    async def login(self, request: web.Request) -> web.Response:
        """Take the token."""
        form = await request.post()
        token = str(form.get("token", "")).strip()
        if await self._right("token", token, request, self._known):
            raise self._welcome(request)
        return await self._form("token")

    async def _right(
        self, kind: Kind, secret: str, request: web.Request, compare: Callable[[str], bool | None]
    ) -> bool | None:
        address = request.remote or ""
        return await self.desk.attempts.present(kind, secret, address, compare, left(request))

    def _known(self, token: str) -> bool | None:
        return self.desk.access.knows(token) or None

    async def enter(self, request: web.Request) -> web.Response:
        """The link of the start: it works once; later visitors are asked for the token."""
        if VISITOR in request:
            raise web.HTTPSeeOther("/")
        link = request.match_info["link"]
        if await self._right("link", link, request, self._followed):
            raise self._welcome(request)
        return await self._form("link")

    def _followed(self, link: str) -> bool | None:
        return self.desk.access.follow(link) or None

    def _welcome(self, request: web.Request) -> web.HTTPException:
        answer = web.HTTPSeeOther("/")
        answer.set_cookie(
            self.desk.cookie,
            self.desk.access.begin(),
            httponly=True,
            samesite="Strict",
            secure=is_encrypted(request),
            max_age=int(LOGIN_SECONDS),
            path="/",
        )
        return answer

    async def logout(self, request: web.Request) -> web.Response:
        """End the login."""
        self.desk.access.end(request.cookies.get(self.desk.cookie, ""))
        await self.leave(request)
        answer = web.HTTPSeeOther("/login")
        answer.del_cookie(self.desk.cookie, path="/")
        raise answer

    async def judge(self, request: web.Request) -> web.Response:
        """Say that a reading was meant, that the answer was right or wrong, or take that back.

        Or approve the SQL that its asker gave, or take the approval back.
        """
        key, form = request.match_info["key"], await request.post()
        said, number = str(form.get("said", "")), str(form.get("number", "0"))
        reviewing = self.desk.sources.reviewing
        if said == "nothing":
            await reviewing.take_back(key)
        elif said == "approved":
            await reviewing.approve(key, request[VISITOR].author)
        elif said == "unapproved":
            await reviewing.withdrawn(key)
        elif said in _JUDGEMENTS and number.isascii() and number.isdigit() and len(number) < 4:
            await reviewing.judge(key, cast("Judgement", said), int(number), request[VISITOR].author)
        else:
            raise web.HTTPBadRequest(text="the form has nothing to keep")
        raise web.HTTPSeeOther(f"/asks/{key}#feedback")
