"""What every request passes before a page is made: the right host, somebody who was let in, their own form.

Owns: the order of these checks, the headers of every answer, and that an error is a page with a sentence on
it.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web

from askwire.core.errors import AskError, StoreFailed
from askwire.core.settings.console import CONSOLE_ASK, CONSOLE_HOSTS, CONSOLE_PROXIES, CONSOLE_USER_HEADER
from askwire.core.settings.table import Settings
from askwire.proxy.console.access import Access, Visitor, genuine, same
from askwire.proxy.console.attempts import Attempts, SlowDown
from askwire.proxy.console.rendering import Busy, PageRenderer
from askwire.proxy.log import log_internal

log = logging.getLogger("askwire.console")

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

VISITOR: Final = web.RequestKey("visitor", Visitor)

HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # no-referrer would make browsers send forms with the origin null
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

ASK_PATH: Final = "/ask"
_SIGN_IN: Final = f"{ASK_PATH}/sign-in"
LOGIN_PATHS: Final = frozenset(("/login",))
_LOGIN_PREFIXES: Final = ("/enter/", "/static/")
_BUSY_REPLY_SECONDS: Final = 0.5
"""Seconds until somebody hears that the console is busy."""
_CHARSET: Final = "utf-8"
_FORM_TIMEOUT_SECONDS: Final = 10.0
_PROBE_PATHS: Final = frozenset(("/healthz", "/readyz"))
"""What load balancers ask for, by whatever name they know: it tells nothing but up or down."""


def _place(address: str) -> tuple[str, str]:
    """The host, and the host with its port, of an address; '' for what is none."""
    try:
        parts = urlsplit(address)
        return parts.hostname or "", parts.netloc
    except ValueError:
        return "", ""


def _sentence(error: web.HTTPException) -> str:
    """What went wrong; aiohttp's own texts begin with the status."""
    text = error.text or error.reason
    return text.partition(": ")[2] if text.startswith(f"{error.status}: ") else text


def is_encrypted(request: web.Request) -> bool:
    """Whether the browser's connection is, as far as a proxy in front tells."""
    return request.secure or request.headers.get("X-Forwarded-Proto") == "https"


def is_for_askers(request: web.Request) -> bool:
    """Whether it is for one of the pages on which people ask, who sign in to PostgreSQL there.

    The route decides, not how the path is spelled.
    """
    resource = request.match_info.route.resource
    canonical = resource.canonical if resource is not None else ""
    return canonical == ASK_PATH or canonical.startswith(f"{ASK_PATH}/")


def left(request: web.Request) -> Callable[[], bool]:
    """Says whether the client of a request has closed its connection."""
    return lambda: request.transport is None or request.transport.is_closing()


async def add_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Headers of every answer; what is not said otherwise must not be kept by anybody."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers.setdefault("Cache-Control", "no-store")
    response.headers["Server"] = "askwire"


@dataclass(frozen=True)
class Guard:
    """The checks; `check` is what a middleware does.

    `current` returns the settings in force; `asker_key` the form key of a request's session, '' without one.
    """

    current: Callable[[], Settings]
    access: Access
    attempts: Attempts
    rendering: PageRenderer
    cookie: str
    asker_key: Callable[[web.Request], str]

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.current()

    async def check(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Let a request through to its handler, or answer it."""
        try:
            if request.path not in _PROBE_PATHS:
                self._check_host(request)
                if (turned := await self._let_in(request)) is not None:
                    return turned
                if is_for_askers(request) and self.settings[CONSOLE_ASK] == "off":
                    raise web.HTTPNotFound(text="asking at the console is off (see console_ask)")
                if request.method not in ("GET", "HEAD"):
                    await self._check_form(request)
                elif VISITOR in request and self.rendering.busy:
                    raise Busy
            return await handler(request)
        except (web.HTTPRedirection, ConnectionError):
            raise
        except web.HTTPException as error:
            return await self._page(request, error.status, _sentence(error))
        except SlowDown as slow:
            hint = f"Try again in {slow.seconds} seconds."
            if slow.compared:
                told = "this is not the token, and there have been too many wrong ones"
                answer = await self._page(request, 429, told, hint)
            else:
                # there may be any number of these: no page is made for them
                answer = self._plain(429, f"too many attempts to log in are under way. {hint}")
            answer.headers["Retry-After"] = str(slow.seconds)
            return answer
        except Busy:
            # anyone who asks again at once must not make it worse
            await asyncio.sleep(_BUSY_REPLY_SECONDS)
            return self._plain(503, "too many pages are asked for at once; try again in a moment")
        except StoreFailed as error:
            return await self._page(request, 503, error.message)
        except AskError as error:
            return await self._page(request, 409, error.message, error.hint)
        except Exception as error:  # noqa: BLE001 - the boundary: one page fails, the process goes on
            number = log_internal(log, error)
            return await self._page(request, 500, f"internal error {number}; the log has more under it")

    # -- hosts

    def _check_host(self, request: web.Request) -> None:
        """A name that somebody else's DNS points here must not work (DNS rebinding)."""
        host = _place(f"//{request.host}")[0]
        if host in self.settings[CONSOLE_HOSTS] or host == "localhost":
            return
        with suppress(ValueError):
            # a browser that was given an address went to that address: no name was resolved
            ipaddress.ip_address(host)
            return
        raise web.HTTPMisdirectedRequest(text=f"the console is not reached as {host!r} (see console_hosts)")

    # -- who it is

    async def _let_in(self, request: web.Request) -> web.StreamResponse | None:
        """Note who it is; an answer for those who are no one and may not see this."""
        visitor = await self._visitor(request)
        if visitor is not None:
            request[VISITOR] = visitor
            return None
        if request.path in LOGIN_PATHS or request.path.startswith(_LOGIN_PREFIXES):
            return None
        if is_for_askers(request) and self.settings[CONSOLE_ASK] == "open":
            return None
        if request.method in ("GET", "HEAD") and "text/html" in request.headers.get("Accept", ""):
            raise web.HTTPSeeOther("/login")
        given = request.headers.get("Authorization", "")
        told = "this is not the token" if given else "log in, or send Authorization: Bearer and the token"
        return web.Response(status=401, text=f"{told}\n", headers={"WWW-Authenticate": "Bearer"})

    async def _visitor(self, request: web.Request) -> Visitor | None:
        header = self.settings[CONSOLE_USER_HEADER]
        if header and self._from_proxy(request):
            named = self.access.named(request.headers.get(header, ""))
            if named is not None:
                return named
        address, gone = request.remote or "", left(request)
        if cookie := request.cookies.get(self.cookie, ""):
            visitor = await self.attempts.present("cookie", cookie, address, self.access.visitor, gone)
            if visitor is not None:
                return visitor
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        return await self.attempts.present("bearer", token.strip(), address, self.access.bearer, gone)

    def _from_proxy(self, request: web.Request) -> bool:
        with suppress(ValueError):
            address = ipaddress.ip_address((request.remote or "").partition("%")[0])
            mapped = getattr(address, "ipv4_mapped", None)
            return any((mapped or address) in network for network in self.settings[CONSOLE_PROXIES])
        return False

    # -- forms

    async def _check_form(self, request: web.Request) -> None:
        """Only our own pages send forms here."""
        if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
            raise web.HTTPForbidden(text="this form was sent from another site")
        origin = request.headers.get("Origin")
        if origin is not None and _place(origin)[1] != request.host:
            raise web.HTTPForbidden(text="this form was sent from another site")
        if request.content_type != "application/x-www-form-urlencoded":
            raise web.HTTPUnsupportedMediaType(text="forms are taken only")
        if (request.charset or _CHARSET).lower() != _CHARSET:
            # Python knows codecs that make half characters, or take long
            raise web.HTTPUnsupportedMediaType(text="forms are taken in UTF-8 only")
        if "Content-Encoding" in request.headers:
            raise web.HTTPUnsupportedMediaType(text="forms are taken as they are, not compressed")
        try:
            async with asyncio.timeout(_FORM_TIMEOUT_SECONDS):
                form = await request.post()
        except TimeoutError:
            raise web.HTTPRequestTimeout(text="the form did not arrive in time") from None
        except (web.RequestPayloadError, UnicodeDecodeError, LookupError):
            raise web.HTTPBadRequest(text="the form cannot be read") from None
        if request.path in LOGIN_PATHS:
            return
        visitor = request.get(VISITOR)
        if visitor is not None and not visitor.form_key:
            raise web.HTTPForbidden(text="a token in a header can only read; log in to change something")
        if request.path == _SIGN_IN:
            return
        if is_for_askers(request):
            key = self.asker_key(request)
            if not key:
                raise web.HTTPGone(text="you are signed out")
            if not same(key, str(form.get("form_key", ""))):
                raise web.HTTPForbidden(text="this form is of another session; load the page again")
            return
        if visitor is None or not genuine(visitor, str(form.get("form_key", ""))):
            raise web.HTTPForbidden(text="this form is too old; go back, reload the page and try again")

    # -- answers to what is not let through

    async def _page(self, request: web.Request, status: int, sentence: str, hint: str = "") -> web.Response:
        if "text/html" not in request.headers.get("Accept", ""):
            return self._plain(status, sentence)
        around = {"visitor": request.get(VISITOR), "path": request.path}
        values = {"status": status, "sentence": sentence, "hint": hint, **around}
        try:
            text = await self.rendering.page("error.html", lambda: values)
        except Busy:
            return self._plain(status, sentence)
        return web.Response(status=status, text=text, content_type="text/html")

    def _plain(self, status: int, sentence: str) -> web.Response:
        return web.Response(status=status, text=f"{sentence}\n")
