"""The pages on which people ask: signing in, questions with their answers, and their own history.

Who may come here is decided in `guard`; what somebody sees here is what `ask.history` shows their own session
at PostgreSQL. It is read from the store: a database may hold an `ask.history` of its owner's.

Owns: these handlers.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Mapping
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from typing import Final, cast
from urllib.parse import urlencode

from aiohttp import web

from askwire.core.errors import AskError, DatabaseFailed, NotPossibleHere
from askwire.core.records import AskedTrace, Feedback, HistoryEntry
from askwire.core.settings.console import (
    CONSOLE_ASK,
    CONSOLE_ASK_IDLE,
    CONSOLE_HOSTS,
    CONSOLE_LISTEN,
    CONSOLE_PROXIES,
)
from askwire.core.settings.relay import SSL_CLIENT_CERT
from askwire.core.types import Row
from askwire.proxy.connection.addresses import host_and_port, is_loopback
from askwire.proxy.connection.tls import demands_tls
from askwire.proxy.console import listing
from askwire.proxy.console.ask_page import ask_page
from askwire.proxy.console.attempts import SlowDown
from askwire.proxy.console.desk import Desk
from askwire.proxy.console.guard import VISITOR, is_encrypted, left
from askwire.proxy.console.questions.answers import Answer, kind
from askwire.proxy.console.questions.csv_text import header, lines
from askwire.proxy.console.questions.drawing import drawn
from askwire.proxy.console.questions.sign_ins import SignIns, WrongPassword
from askwire.proxy.console.questions.signed_in import MOST_ROWS, SignedIn
from askwire.proxy.memory.own_asks import OwnAsks
from askwire.proxy.memory.reviewing import Judgement
from askwire.proxy.session.statements.conversation import BackendGone

POLL_TIMEOUT_SECONDS: Final = 20.0
"""Seconds that a page waits for news of an answer."""
DOWNLOAD_TIMEOUT_SECONDS: Final = 600.0
_PER_PAGE: Final = 40
_JUDGEMENTS: Final = ("chosen", "right", "wrong")
_MAX_NAME_CHARACTERS: Final = 63
_STORE_TIMEOUT_SECONDS: Final = 2.0
_PROXY_HEADERS: Final = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")


@dataclass(frozen=True)
class Questions:
    """The handlers; `cookie` is the name under which a browser keeps who is signed in."""

    desk: Desk
    sign_ins: SignIns
    own: OwnAsks
    cookie: str
    _plain: list[str] = field(default_factory=list, init=False)

    def routes(self) -> list[web.RouteDef]:
        """Where each page is, and where its forms go."""
        one, past = "/ask/answers/{number:[0-9]{1,9}}", "/ask/history/{key:[0-9a-f]{16}}"
        return [
            web.get("/ask", self.page),
            web.post("/ask/sign-in", self.sign_in),
            web.post("/ask/sign-out", self.sign_out),
            web.post("/ask/questions", self.ask),
            web.get(one, self.answer),
            web.post(f"{one}/cancel", self.cancel),
            web.post(f"{one}/again", self.again),
            web.post(f"{one}/compare", self.compare),
            web.post(f"{one}/say", self.say),
            web.get(f"{one}/rows.csv", self.csv, allow_head=False),
            web.get("/ask/history", self.history),
            web.get(past, self.past),
            web.post(f"{past}/say", self.say_of_past),
        ]

    # -- signing in and out

    async def page(self, request: web.Request) -> web.Response:
        """The questions of who is signed in, the latest first; else the form to sign in."""
        session = self._session(request)
        if session is None:
            had = self.cookie in request.cookies
            given = {
                name: request.query.get(name, "")[:_MAX_NAME_CHARACTERS] for name in ("user", "database")
            }
            page = await self._form(request, given, "" if not had else "ended")
            if had:
                page.del_cookie(self.cookie, path="/")
            return page
        if "idle" not in request.query:
            self._use(request)
        return await self._page(request, session)

    async def _page(self, request: web.Request, session: SignedIn, asked: str = "") -> web.Response:
        idle = self.desk.sources.settings[CONSOLE_ASK_IDLE] // 1000

        # they change while pages are made of them
        answers = [copy(answer) for answer in reversed(session.answers)]

        def values() -> Mapping[str, object]:
            shown = [_shown(answer) for answer in answers]
            return {**self._around(session), "shown": shown, "idle": idle, "asked": asked}

        return await self.desk.page(request, "questions.html", values)

    async def _form(
        self, request: web.Request, given: Mapping[str, str], refused: str, said: str = "", status: int = 200
    ) -> web.Response:
        values = {
            "given": given,
            "refused": refused,
            "said": said,
            "barred": self._barred(request),
            "open": self.desk.sources.settings[CONSOLE_ASK] == "open",
            "asker": None,
        }
        plain = VISITOR not in request and not (refused or values["barred"] or any(given.values()))
        if plain and self._plain:
            # strangers may ask for it as often as they like
            return web.Response(text=self._plain[0], content_type="text/html")
        page = await self.desk.page(request, "sign_in.html", lambda: values)
        if plain:
            self._plain.append(page.text or "")
        page.set_status(status)
        return page

    def _barred(self, request: web.Request) -> str:
        """Return why this connection cannot sign in: the proxy's demands on clients hold here, too."""
        settings = self.desk.sources.settings
        if settings[SSL_CLIENT_CERT] == "require":
            return (
                "askwire asks clients for a certificate (ssl_client_cert), which a browser does not show here"
            )
        if demands_tls(settings) and not is_encrypted(request) and not _from_this_machine(request):
            return "askwire demands TLS (ssl_required), and this page came over a connection without it"
        return ""

    async def sign_in(self, request: web.Request) -> web.Response:
        """Log in to PostgreSQL."""
        form = await request.post()
        user = _name(form.get("user"))
        database = _name(form.get("database")) or user
        password = str(form.get("password", "")).replace("\0", "")
        given = {"user": user, "database": database}
        if self._barred(request):
            return await self._form(request, given, "barred", status=403)
        if not user:
            return await self._form(request, given, "empty", status=422)
        words = [""]

        async def attempt() -> str | None:
            try:
                return await self.sign_ins.sign_in(user, database, password, loopback=self._is_here(request))
            except WrongPassword as wrong:
                words[0] = _sentence(*map(str, wrong.args))
                return None

        try:
            cookie = await self.desk.attempts.carry_out(
                "sign-in",
                f"{user} {database} {password}",
                request.remote or "",
                attempt,
                left(request),
            )
        except SlowDown as slow:
            if not slow.compared:
                raise
            told = f"{words[0]} There have been too many attempts: try again in {slow.seconds} seconds."
            page = await self._form(request, given, "wrong", told, status=429)
            page.headers["Retry-After"] = str(slow.seconds)
            return page
        except AskError as error:
            status = 503 if isinstance(error, DatabaseFailed) else 409
            return await self._form(request, given, "failed", _sentence(error.message, error.hint), status)
        if cookie is None:
            return await self._form(request, given, "wrong", words[0], status=403)
        await self.sign_ins.end(request.cookies.get(self.cookie, ""))
        answer = web.HTTPSeeOther("/ask")
        # it ends with the browser, or before
        answer.set_cookie(
            self.cookie,
            cookie,
            httponly=True,
            samesite="Strict",
            secure=is_encrypted(request),
            path="/",
        )
        raise answer

    def _is_here(self, request: web.Request) -> bool:
        """Whether only people on this machine who were let in can be behind it: no proxy in between."""
        settings = self.desk.sources.settings
        return (
            settings[CONSOLE_ASK] != "open"
            and is_loopback(host_and_port(settings[CONSOLE_LISTEN])[0])
            and not settings[CONSOLE_HOSTS]
            and not settings[CONSOLE_PROXIES]
            and _from_this_machine(request)
            and not any(name in request.headers for name in _PROXY_HEADERS)
        )

    async def sign_out(self, request: web.Request) -> web.Response:
        """End the session at PostgreSQL, and forget what it showed."""
        session = self._session(request)
        await self.leave(request)
        again = urlencode({"user": session.user, "database": session.database}) if session else ""
        answer = web.HTTPSeeOther(f"/ask?{again}" if again else "/ask")
        answer.del_cookie(self.cookie, path="/")
        raise answer

    # -- questions

    async def ask(self, request: web.Request) -> web.Response:
        """Ask; the answer comes later."""
        session = self._needed(request)
        form = await request.post()
        question = str(form.get("question", ""))
        try:
            answer = session.ask(question)
        except NotPossibleHere as error:
            if "part" in form:
                raise
            return await self._page(request, session, _sentence(error.message, error.hint))
        return await self._told(request, session, answer, part="part" in form)

    async def answer(self, request: web.Request) -> web.Response:
        """One answer, once it is another than the one that was `seen`."""
        session, answer = self._named(request, used=False)
        seen = request.query.get("seen", "")
        if seen.isascii() and seen.isdigit():
            await session.follow(answer, int(seen[:9]), at_most=POLL_TIMEOUT_SECONDS)
        if self._session(request) is None:
            raise web.HTTPGone(text="you are signed out")
        return await self._part(request, session, answer)

    async def cancel(self, request: web.Request) -> web.Response:
        """Have a question stop."""
        session, answer = self._named(request)
        session.cancel(answer)
        return await self._told(request, session, answer, part="part" in await request.post())

    async def again(self, request: web.Request) -> web.Response:
        """Ask a question again."""
        session, answer = self._named(request)
        session.ask_again(answer)
        return await self._told(request, session, answer, part="part" in await request.post())

    async def compare(self, request: web.Request) -> web.Response:
        """Put the readings of a question side by side."""
        session, answer = self._named(request)
        session.compare(answer)
        return await self._told(request, session, answer, part="part" in await request.post())

    async def say(self, request: web.Request) -> web.Response:
        """Say that an answer was right or wrong, or which reading was meant."""
        session, answer = self._named(request)
        form = await request.post()
        said, number = _judgement(form)
        session.say(answer, said, number, str(form.get("sql", "")))
        return await self._told(request, session, answer, part="part" in form)

    async def csv(self, request: web.Request) -> web.StreamResponse:
        """All rows of an answer as a file."""
        session, answer = self._named(request)
        if not answer.sql or answer.busy:
            raise web.HTTPConflict(text="there are no rows to download")
        async with session.reading(answer) as reading:
            kinds = [kind(column) for column in reading.columns]
            batches = reading.batches()
            # an error before the first row is a page; a later one can only cut the transfer off
            first: list[Row] = await anext(batches, [])
            response = web.StreamResponse(
                headers={
                    "Content-Type": "text/csv; charset=utf-8; header=present",
                    "Content-Disposition": f'attachment; filename="answer-{answer.number}.csv"',
                }
            )
            try:
                async with asyncio.timeout(DOWNLOAD_TIMEOUT_SECONDS):
                    await response.prepare(request)
                    await response.write(header([column.name for column in reading.columns]))
                    await response.write(lines(first, kinds))
                    async for rows in batches:
                        await response.write(lines(rows, kinds))
                    await response.write_eof()
            except (DatabaseFailed, BackendGone, TimeoutError, ConnectionError):
                if request.transport is not None:
                    request.transport.abort()
        return response

    # -- the own history

    async def history(self, request: web.Request) -> web.Response:
        """What the role asked, in this session or another, page by page."""
        session = self._needed(request)
        page = request.query.get("page", "0")
        skipped = int(page) * _PER_PAGE if page.isascii() and page.isdigit() and len(page) < 4 else 0
        found = await self.own.latest(await session.onlooker(), skipped, _PER_PAGE + 1)

        def values() -> Mapping[str, object]:
            rows = [listing.of_asked(asked) for asked in found[:_PER_PAGE]]
            number = skipped // _PER_PAGE
            more = number + 1 if len(found) > _PER_PAGE else 0
            return {**self._around(session), "rows": rows, "number": number, "more": more}

        return await self.desk.page(request, "own_history.html", values)

    async def past(self, request: web.Request) -> web.Response:
        """One ASK of the role's own, as the console shows it."""
        session = self._needed(request)
        key = request.match_info["key"]
        found = await self._own(session, key)
        store = self.desk.sources.store
        traces = await store.find(AskedTrace, {"key": key}, limit=1, timeout=_STORE_TIMEOUT_SECONDS)
        said = await store.find(Feedback, {"key": key}, limit=1, timeout=_STORE_TIMEOUT_SECONDS)

        def values() -> Mapping[str, object]:
            page = ask_page(found, traces[0] if traces else None, said[0] if said else None)
            around = self._around(session)
            return {**around, "page": page, "asked": page.asked, "act": f"/ask/history/{key}/say"}

        return await self.desk.page(request, "ask.html", values)

    async def say_of_past(self, request: web.Request) -> web.Response:
        """Say of an ASK of the history what was right, also after its session has ended."""
        session = self._needed(request)
        key, form = request.match_info["key"], await request.post()
        await self._own(session, key)
        reviewing = self.desk.sources.reviewing
        if form.get("said") == "nothing":
            said_before = await self.desk.sources.store.find(
                Feedback, {"key": key}, timeout=_STORE_TIMEOUT_SECONDS
            )
            if any(feedback.role != session.user for feedback in said_before):
                raise NotPossibleHere("an operator gave this feedback, and only an operator can take it back")
            await reviewing.take_back(key)
        else:
            said, number = _judgement(form)
            await reviewing.judge(key, said, number, session.user, own=True)
        raise web.HTTPSeeOther(f"/ask/history/{key}#feedback")

    async def _own(self, session: SignedIn, key: str) -> HistoryEntry:
        """The ASK, which the session sees, and its role asked."""
        found = await self.own.one(await session.onlooker(), key)
        if found is None:
            raise web.HTTPNotFound(text=_NOT_YOURS)
        return found

    # -- what they share

    def form_key(self, request: web.Request) -> str:
        """Return the form key of the request's session, '' without one."""
        session = self._session(request)
        return session.form_key if session else ""

    async def leave(self, request: web.Request) -> None:
        """Sign out, if somebody is signed in."""
        await self.sign_ins.end(request.cookies.get(self.cookie, ""))

    def _session(self, request: web.Request) -> SignedIn | None:
        return self.sign_ins.find(request.cookies.get(self.cookie, ""))

    def _use(self, request: web.Request) -> None:
        self.sign_ins.use(request.cookies.get(self.cookie, ""))

    def _needed(self, request: web.Request) -> SignedIn:
        session = self._session(request)
        if session is None:
            if request.method == "GET" and "text/html" in request.headers.get("Accept", ""):
                raise web.HTTPSeeOther("/ask")
            raise web.HTTPGone(text="you are signed out")
        self._use(request)
        return session

    def _named(self, request: web.Request, *, used: bool = True) -> tuple[SignedIn, Answer]:
        session = self._needed(request) if used else self._session(request)
        if session is None:
            raise web.HTTPGone(text="you are signed out")
        answer = session.find(int(request.match_info["number"]))
        if answer is None:
            raise web.HTTPNotFound(text="this session has no such question, or not any more")
        return session, answer

    def _around(self, session: SignedIn) -> dict[str, object]:
        return {"asker": session, "most_rows": MOST_ROWS, "operator": False}

    async def _told(
        self, request: web.Request, session: SignedIn, answer: Answer, *, part: bool
    ) -> web.Response:
        """What a form is answered with: its answer alone for a page that puts it in place, else the page."""
        if part:
            return await self._part(request, session, answer)
        raise web.HTTPSeeOther(f"/ask#a{answer.number}")

    async def _part(self, request: web.Request, session: SignedIn, answer: Answer) -> web.Response:
        seen = copy(answer)

        def values() -> Mapping[str, object]:
            return {**self._around(session), **_shown(seen)}

        return await self.desk.page(request, "answer.html", values)


_NOT_YOURS: Final = "your history does not hold this ASK, or does not any more"


def _shown(answer: Answer) -> dict[str, object]:
    chart = None
    if answer.state != "running" or answer.again:
        chart = drawn(answer.columns, answer.kinds, answer.rows, more=answer.more)
    return {"answer": answer, "chart": chart}


def _judgement(form: Mapping[str, object]) -> tuple[Judgement, int]:
    said, number = str(form.get("said", "")), str(form.get("number", "0"))
    if said not in _JUDGEMENTS or not (number.isascii() and number.isdigit() and len(number) < 4):
        raise web.HTTPBadRequest(text="the form holds no judgement")
    return cast("Judgement", said), int(number)


def _name(given: object) -> str:
    """A name as somebody typed it: one line, as long as names are."""
    text = "".join(c for c in str(given or "") if c.isprintable())
    return text.strip()[:_MAX_NAME_CHARACTERS]


def _sentence(message: str, hint: str = "") -> str:
    return " ".join(filter(None, (f"{message[:1].upper()}{message[1:]}.", hint)))


def _from_this_machine(request: web.Request) -> bool:
    if request.headers.get("X-Forwarded-Proto", "https") != "https":
        return False
    with suppress(ValueError):
        address = ipaddress.ip_address((request.remote or "").partition("%")[0])
        return (getattr(address, "ipv4_mapped", None) or address).is_loopback
    return False
