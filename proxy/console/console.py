"""The console's HTTP server: put together, started and stopped.

Owns: the listening socket, how many connections there may be, and that nothing here can hold up the proxy on
the same event loop: pages are made in a thread (`rendering`), everything that is read has a bound, and a
connection that is silent is closed.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from aiohttp import web

from askwire.core.clock import MonotonicClock
from askwire.core.errors import ConfigurationError
from askwire.core.protocols import Clock
from askwire.core.settings.console import (
    CONSOLE_LISTEN,
    CONSOLE_PROXIES,
    CONSOLE_TOKEN_FILE,
    CONSOLE_USER_HEADER,
)
from askwire.core.settings.table import Settings
from askwire.proxy.connection.addresses import host_and_port, is_loopback
from askwire.proxy.console.access import Access, read_token
from askwire.proxy.console.actions import Actions
from askwire.proxy.console.attempts import Attempts
from askwire.proxy.console.desk import Desk, Sources
from askwire.proxy.console.guard import Guard, Handler, add_headers
from askwire.proxy.console.operations import Alone, Readiness, ServerState, routes
from askwire.proxy.console.pages import Pages
from askwire.proxy.console.questions.handlers import Questions
from askwire.proxy.console.questions.sign_ins import SignIns
from askwire.proxy.console.rendering import STATIC, STATIC_DIGEST, PageRenderer
from askwire.proxy.console.settings_page import SettingsPage
from askwire.proxy.console.stream import Stream

log = logging.getLogger("askwire.console")

_http_log = logging.getLogger("askwire.console.http")
# what the library says of broken requests quotes them
_http_log.addFilter(lambda _record: log.isEnabledFor(logging.DEBUG))

MOST_CONNECTIONS: Final = 128
_FIRST_REQUEST_TIMEOUT_SECONDS: Final = 10.0
_SHUTDOWN_TIMEOUT_SECONDS: Final = 2.0
_MAX_FORM_BYTES: Final = 16 * 1024

Answer = Callable[[web.Request], Awaitable[web.Response]]


@dataclass(frozen=True, slots=True)
class Door:
    """Where the console is, and what lets in: `token` is '' where it stands in a file; `link` works once."""

    url: str
    token: str
    link: str


class Console:
    """The HTTP server of one process; `start` before use, `stop` after.

    `backend` tells what keeps PostgreSQL from being reached, '' for nothing, and `server` how all of its
    processes fare. `machines` are further addresses
    that programs ask for, such as `/metrics`; they need a login or the token. `wrong` counts wrong tokens,
    links and cookies by kind. `listening` is a socket to accept on instead of a new one, and `token` a token
    instead of a new one. `clock` and `pause` time what they are slowed down by.
    """

    def __init__(
        self,
        sources: Sources,
        backend: Callable[[], Awaitable[str]],
        machines: Mapping[str, Answer] | None = None,
        *,
        wrong: Counter[str] | None = None,
        listening: socket.socket | None = None,
        token: str = "",
        clock: Clock | None = None,
        pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
        server: ServerState | None = None,
    ) -> None:
        """Raises ConfigurationError for settings or a token file that cannot be used."""
        settings = sources.settings
        self._host, self._port = host_and_port(settings[CONSOLE_LISTEN])
        _check(settings)
        token = (
            token if token and not settings[CONSOLE_TOKEN_FILE] else read_token(settings[CONSOLE_TOKEN_FILE])
        )
        self._listening = listening
        self._shown_token = "" if settings[CONSOLE_TOKEN_FILE] else token
        clock = clock or MonotonicClock()
        self._access = Access(token, clock.monotonic)
        self._attempts = Attempts(clock, wrong, pause)
        self._rendering = PageRenderer()
        self._sources = sources
        self._readiness = Readiness(server or Alone(sources.store), backend)
        self._machines = machines or {}
        self._silent: dict[asyncio.BaseProtocol, asyncio.TimerHandle] = {}
        self._runner: web.AppRunner | None = None
        self._listener: asyncio.Server | None = None
        self._stream: Stream | None = None
        self._clock = clock
        self._sign_ins: SignIns | None = None

    async def start(self) -> Door:
        """Listen. Raises ConfigurationError when that is not possible."""
        loop = asyncio.get_running_loop()
        try:
            if self._listening is not None:
                self._listening.setblocking(False)
                self._listener = await loop.create_server(self._accept, sock=self._listening, backlog=64)
            else:
                self._listener = await loop.create_server(self._accept, self._host, self._port, backlog=64)
        except OSError as error:
            self._rendering.close()
            hint = "Choose another port with console_listen, or leave it empty for no console."
            raise ConfigurationError(
                f"cannot listen on {self._host}:{self._port} for the console: {error.strerror or error}",
                hint=hint if error.errno == errno.EADDRINUSE else "",
            ) from None
        host, port = self._listener.sockets[0].getsockname()[:2]
        self._runner = web.AppRunner(
            self._application(port),
            access_log=None,
            logger=_http_log,
            handle_signals=False,
            auto_decompress=False,  # a few kB could hold up the event loop by as many MB
            keepalive_timeout=30,
            shutdown_timeout=_SHUTDOWN_TIMEOUT_SECONDS,
        )
        await self._runner.setup()
        if not is_loopback(host):
            log.warning(
                "the console on %s:%s is not encrypted: put a proxy with TLS in front of it", host, port
            )
        shown = f"[{host}]" if ":" in host else host
        url = f"http://{shown}:{port}/"
        log.info("the console is at %s", url)
        return Door(url, self._shown_token, f"{url}enter/{self._access.link}")

    async def stop(self) -> None:
        """Stop listening and end every request."""
        if self._listener is not None:
            self._listener.close()
        for timer in self._silent.values():
            timer.cancel()
        if self._stream is not None:
            await self._stream.close()
        if self._sign_ins is not None:
            await self._sign_ins.close()
        if self._runner is not None:
            await self._runner.cleanup()
        self._rendering.close()

    def _application(self, port: int) -> web.Application:
        # cookies are not told apart by port: two consoles on one machine must not log each other out
        cookie = f"askwire_console_{port}"
        sources = self._sources
        desk = Desk(sources, self._access, self._attempts, self._rendering, cookie, self._readiness.store)
        questions: Questions | None = None
        if sources.entrance is not None and sources.own is not None:
            self._sign_ins = SignIns(sources.entrance, lambda: sources.settings, self._clock)
            questions = Questions(desk, self._sign_ins, sources.own, f"askwire_ask_{port}")
        guard = Guard(
            lambda: sources.settings,
            self._access,
            self._attempts,
            self._rendering,
            cookie,
            questions.form_key if questions else _no_key,
        )

        @web.middleware
        async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
            if (timer := self._silent.pop(request.protocol, None)) is not None:
                timer.cancel()
            return await guard.check(request, handler)

        self._stream = Stream(desk)
        application = web.Application(middlewares=[guarded], client_max_size=_MAX_FORM_BYTES)
        application.on_response_prepare.append(add_headers)
        application.add_routes(Pages(desk).routes())
        application.add_routes(SettingsPage(desk).routes())
        application.add_routes(Actions(desk, questions.leave if questions else _nothing).routes())
        if questions:
            application.add_routes(questions.routes())
        application.add_routes(self._stream.routes())
        application.add_routes(routes(self._readiness, self._machines))
        application.router.add_get("/static/{edition}/{name}", _static)
        return application

    def _accept(self) -> asyncio.Protocol:
        """A new connection: served, if there are not too many."""
        server = self._runner.server if self._runner is not None else None
        if server is None or len(server.connections) >= MOST_CONNECTIONS:
            return _ClosedConnection()
        protocol = server()
        timer = asyncio.get_running_loop().call_later(
            _FIRST_REQUEST_TIMEOUT_SECONDS, self._close_silent, protocol
        )
        self._silent[protocol] = timer
        return protocol

    def _close_silent(self, protocol: web.RequestHandler) -> None:
        """End a connection that has not brought a whole request in time."""
        self._silent.pop(protocol, None)
        if protocol.transport is not None:
            protocol.transport.close()


def _no_key(_request: web.Request) -> str:
    """Return the form key of a console without pages to ask on."""
    return ""


async def _nothing(_request: web.Request) -> None:
    """There is nothing to leave."""


class _ClosedConnection(asyncio.Protocol):
    """A connection that is closed at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()


async def _static(request: web.Request) -> web.Response:
    """Style, script and icon: from a list, so that no path leads anywhere else."""
    found = STATIC.get(request.match_info["name"])
    if found is None or request.match_info["edition"] != STATIC_DIGEST:
        raise web.HTTPNotFound(text="there is nothing at this address")
    content_type, content = found
    return web.Response(
        body=content,
        content_type=content_type,
        charset="utf-8",
        headers={"Cache-Control": "public, max-age=31536000, immutable"},
    )


def _check(settings: Settings) -> None:
    if bool(settings[CONSOLE_USER_HEADER]) != bool(settings[CONSOLE_PROXIES]):
        raise ConfigurationError(
            "console_user_header and console_proxies need each other",
            hint="The header is believed from these addresses only.",
        )
