"""The listener: accepting clients, finding the session a CancelRequest means, and ending.

Owns: the process's sessions and what they share. Must not know: what travels in a session.
"""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import os
import signal
import ssl
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from contextvars import copy_context
from pathlib import Path
from typing import TYPE_CHECKING, Final

from askwire.core.clock import MonotonicClock
from askwire.core.console_settings import CONSOLE_LISTEN
from askwire.core.errors import ConfigurationError
from askwire.core.memory_settings import HISTORY_DAYS, PIN_DAYS, WORKLOAD, WORKLOAD_STATEMENTS
from askwire.core.operations_settings import LOG_FORMAT
from askwire.core.relay_settings import (
    CLIENT_IDLE_TIMEOUT,
    CONNECT_TIMEOUT,
    KEEPALIVES_IDLE,
    LISTEN,
    LOGIN_TIMEOUT,
    MAX_CLIENTS,
    MAX_LOGINS,
    SHUTDOWN_TIMEOUT,
    UNIX_SOCKET_PERMISSIONS,
)
from askwire.core.settings import BACKEND, LOG_LEVEL, TABLE, Settings
from askwire.llm.expert_table import ExpertConfig
from askwire.llm.sources import open_sources
from askwire.proxy.ask import AskResolver
from askwire.proxy.asking.inquiry import Inquiry, Lesson, Look, Resolution, Resolver
from askwire.proxy.connection.addresses import Place, places
from askwire.proxy.connection.canceling import Taken, send_cancel
from askwire.proxy.connection.dsn import parse_dsn
from askwire.proxy.connection.listening import listen
from askwire.proxy.connection.startup import CancelRequest
from askwire.proxy.connection.streams import Side, connect
from askwire.proxy.connection.tls import client_context
from askwire.proxy.log import configure
from askwire.proxy.memory.place import store_of
from askwire.proxy.operations.admin import House
from askwire.proxy.operations.changes import Changes
from askwire.proxy.operations.figures import Figures
from askwire.proxy.operations.house import ServerHouse
from askwire.proxy.session.consent import Consent, Hears
from askwire.proxy.session.limits import Caps
from askwire.proxy.session.logins import Logins
from askwire.proxy.session.session import Session
from askwire.store.retention import Retention

if TYPE_CHECKING:
    from askwire.proxy.console.console import Console, Door

log = logging.getLogger("askwire.server")

_TOO_MANY = ("53300", "sorry, too many clients already")
_SHUTDOWN = ("57P01", "terminating connection due to administrator command")
_LOOK_AGAIN, _LONGEST_SWEEP = 0.05, 10.0
"""Seconds between two looks at sessions that drain, and at sessions that may be idle."""

_GOODBYE = 5.0
"""Seconds sessions get to end once the server stops."""
_LOOK: Final = 2.0
"""Seconds in which PostgreSQL has to take a connection to count as reachable."""


class Server:
    """All sessions of one listening address; `start` before use, `stop` after."""

    def __init__(self, settings: Settings, resolver: Resolver, *, figures: Figures | None = None) -> None:
        """Raises ConfigurationError for a DSN, an address or TLS files that cannot be used.

        `house` may be set before `start`: without one there is no admin database. So may `overheard`: without
        it no session's statements are learned from.
        """
        self.settings = settings
        self.figures = figures or Figures()
        self.house: House | None = None
        self.overheard: Hears | None = None
        self.address = parse_dsn(settings[BACKEND])
        self._places = places(settings[LISTEN])
        self._client_tls = client_context(settings)
        self._backend_tls = self.address.tls_context()
        self._resolver = resolver
        self._sessions: set[Session] = set()
        self._by_key: dict[bytes, Session] = {}
        self._listeners: list[asyncio.Server] = []
        self._logins = Logins()
        self._loopback = {place for place in self._places if place.reaches_this_machine_only}
        self._sweeping: asyncio.Task[None] | None = None
        self.reread: Callable[[], Sequence[str]] | None = None
        self.attended = False
        self.adopt: Callable[[Settings], None] | None = None
        self._numbers = 0
        self._ended = asyncio.Event()
        self._context = copy_context()

    async def start(self) -> tuple[str, int]:
        """Listen; the address and port in use. Raises ConfigurationError when that is not possible."""
        self._warn()
        permissions = self.settings[UNIX_SOCKET_PERMISSIONS]
        try:
            for place in self._places:
                self._listeners.append(await listen(place, self._accept, permissions))
        except ConfigurationError:
            self._close_listeners()
            raise
        if self.settings[CLIENT_IDLE_TIMEOUT]:
            self._sweeping = asyncio.get_running_loop().create_task(self._sweep())
        first = self._places[0]
        if first.path:
            return first.path, 0
        name = self._listeners[0].sockets[0].getsockname()
        return name[0], name[1]

    def _warn(self) -> None:
        """Say at the start what will surprise people later."""
        if self._client_tls and self._backend_tls:
            log.warning(
                "TLS ends here on both sides: clients that bind channels (libpq's default with SCRAM) cannot "
                "log in. Use channel_binding=disable there, sslmode=disable towards the backend, or the "
                "backend's own certificate and key here."
            )

    def _close_listeners(self) -> None:
        for listener in self._listeners:
            listener.close()
        for place in self._places[: len(self._listeners)]:
            if place.path:
                Path(place.path).unlink(missing_ok=True)
        self._listeners.clear()

    async def drain(self) -> None:
        """Stop accepting; end each session once it is in the middle of nothing, until the time is up."""
        self._close_listeners()
        with suppress(TimeoutError):
            async with asyncio.timeout(self.settings[SHUTDOWN_TIMEOUT] / 1000):
                while True:
                    for session in list(self._sessions):
                        if not session.in_transaction:
                            session.refuse(*_SHUTDOWN)
                    if not self._sessions:
                        return
                    await asyncio.sleep(_LOOK_AGAIN)

    def hurry(self) -> None:
        """End every session now."""
        for session in list(self._sessions):
            session.refuse(*_SHUTDOWN)

    async def _sweep(self) -> None:
        """End sessions in which nothing travels for too long."""
        seen: dict[Session, tuple[int, float]] = {}
        while timeout := self.settings[CLIENT_IDLE_TIMEOUT] / 1000:
            now = time.monotonic()
            seen = {session: seen.get(session, (-1, now)) for session in self._sessions}
            for session, (bytes_before, since) in list(seen.items()):
                travelled = session.client.received + session.client.sent
                if travelled != bytes_before or session.waits:
                    seen[session] = (travelled, now)
                elif now - since >= timeout:
                    session.refuse("57P05", "terminating connection due to idle-session timeout")
            await asyncio.sleep(min(timeout / 4, _LONGEST_SWEEP))

    async def stop(self) -> None:
        """Stop accepting, end every session as a server shutdown does, and wait until they are gone."""
        self._close_listeners()
        if self._sweeping:
            self._sweeping.cancel()
        self.hurry()
        with suppress(TimeoutError):
            async with asyncio.timeout(_GOODBYE):
                while self._sessions:
                    self._ended.clear()
                    await self._ended.wait()

    def _accept(self, place: Place) -> asyncio.Protocol:
        self._numbers += 1
        session = Session(self, self._numbers, loopback=place in self._loopback, local=bool(place.path))
        return session.client

    @property
    def sessions(self) -> Collection[Session]:
        """All connections of clients."""
        return tuple(self._sessions)

    def reload(self) -> Sequence[str]:
        """Read the settings again; the names of those that changed and hold from now on.

        Raises ConfigurationError, and nothing changes then.
        """
        if self.reread is None:
            raise ConfigurationError("settings are read at the start only", hint="Start askwire anew.")
        return self.reread()

    def take(self, found: Settings) -> Sequence[str]:
        """Let other settings hold; the names of those that changed. Raises ConfigurationError, likewise."""
        settings = found.keeping(self.settings, [s.name for s in TABLE.values() if not s.live])
        tls = client_context(settings)
        changed = [name for name, s in TABLE.items() if settings[s] != self.settings[s]]
        fixed = [name for name, s in TABLE.items() if found[s] != settings[s]]
        if self.adopt:
            self.adopt(settings)
        self._client_tls, self.settings = tls, settings
        sweeps = self._sweeping is not None and not self._sweeping.done()
        if settings[CLIENT_IDLE_TIMEOUT] and not sweeps:
            self._sweeping = asyncio.get_running_loop().create_task(self._sweep())
        log.info("settings taken anew; changed: %s", ", ".join(changed) or "none")
        if fixed:
            log.warning("a change needs a restart: %s", ", ".join(fixed))
        return changed

    # -- what sessions ask -------------------------------------------------------------------------------

    def client_tls(self) -> ssl.SSLContext | None:
        """The context for TLS towards clients, if configured."""
        return self._client_tls

    def arrived(self, session: Session) -> None:
        """Note a new connection; where there are too many before their log-in, the oldest makes room."""
        settings = self.settings
        most = settings[MAX_LOGINS] or settings[MAX_CLIENTS]
        self._sessions.add(session)
        if self._logins.begin(session, session.client.host, settings[LOGIN_TIMEOUT] / 1000, most):
            self.figures.sessions_refused += 1

    def has_room(self, session: Session) -> bool:
        """Whether one session more may be logged in; it is refused else."""
        limit = self.settings[MAX_CLIENTS]
        if limit and self.served >= limit:
            self.figures.sessions_refused += 1
            session.refuse(*_TOO_MANY)
            return False
        return True

    @property
    def served(self) -> int:
        """How many sessions have logged in."""
        return len(self._sessions) - len(self._logins)

    def has_other_way(self, *, encrypted: bool) -> bool:
        """Whether a backend that refuses on a connection, encrypted or not, is asked the other way."""
        return self.address.other_way(encrypted=encrypted) is not None

    async def connect_backend(self, session: Session, *, other_way: bool = False) -> Side:
        """Open a connection to the backend, encrypted as `sslmode` says or the other way; raises OSError."""
        address, context = self.address, self._backend_tls
        if other_way and (other := address.other_way(encrypted=address.sslmode == "prefer")):
            address, context = other, other.tls_context()
        # a transport keeps the context it was made in: all share the server's
        connecting = asyncio.get_running_loop().create_task(
            connect(address, context, session), context=self._context
        )
        try:
            async with asyncio.timeout(self.settings[CONNECT_TIMEOUT] / 1000 or None):
                side = await connecting
        except asyncio.CancelledError:
            if connecting.done() and not connecting.cancelled() and not connecting.exception():
                connecting.result().abort()
            raise
        except TimeoutError:
            raise OSError(errno.ETIMEDOUT, "timeout expired") from None
        side.keep_alive(self.settings[KEEPALIVES_IDLE] // 1000)
        return side

    def consent(self, session: Session) -> Consent | None:
        """Whether the session lets askwire learn from its statements; None: nobody learns."""
        if self.overheard is None or not self.settings[WORKLOAD]:
            return None
        given = self.settings.given(WORKLOAD_STATEMENTS.name)
        if given and not self.settings[WORKLOAD_STATEMENTS]:
            return None
        return Consent(
            self.overheard, session.login, session.parameters, default=self.settings[WORKLOAD_STATEMENTS]
        )

    def logged_in(self, session: Session) -> None:
        """The session can be canceled from now on."""
        self._logins.end(session)
        if idle := self.settings[KEEPALIVES_IDLE]:
            session.client.keep_alive(idle // 1000)
        self.figures.sessions_opened += 1
        self._by_key[session.cancel_key] = session

    def closed(self, session: Session) -> None:
        """The session has ended."""
        if session in self._sessions:
            self.figures.bytes_from_clients += session.client.received
            self.figures.bytes_to_clients += session.client.sent
        self._logins.end(session)
        self._sessions.discard(session)
        self._by_key.pop(session.cancel_key, None)
        self._ended.set()

    async def cancel(self, request: CancelRequest) -> None:
        """Stop the ASK the request means, or pass the request on to the backend."""
        session = self._by_key.get(request.key)
        if session is None or not session.cancel():
            await self.cancel_backend(request.key)

    async def cancel_backend(self, key: bytes) -> None:
        """Send a CancelRequest to the backend and wait until it has been taken (its end of file).

        Raises OSError where it could not be sent, and CancelUnanswered where it may still be carried out.
        """
        seconds = self.settings[CONNECT_TIMEOUT] / 1000
        await send_cancel(self.address, self._backend_tls, key, seconds)

    async def unreachable(self) -> str:
        """What keeps PostgreSQL from being reached, as one phrase; '' for nothing."""
        try:
            async with asyncio.timeout(_LOOK):
                side = await connect(self.address, self._backend_tls, Taken())
        except TimeoutError:
            return "PostgreSQL takes too long to answer"
        except OSError as error:
            return f"PostgreSQL cannot be reached: {error.strerror or error}"
        side.close()
        return ""

    @property
    def initial_caps(self) -> Caps:
        """The caps under which a session is looked at before its own settings are known."""
        return self._resolver.initial_caps

    async def resolve(self, inquiry: Inquiry) -> Resolution:
        """SQL for one ASK."""
        return await self._resolver.resolve(inquiry)

    async def teach(self, lesson: Lesson) -> Resolution:
        """Carry out a statement that teaches."""
        return await self._resolver.teach(lesson)

    async def state(self, look: Look) -> Mapping[str, str]:
        """Queries that hold the rows of askwire's own state."""
        return await self._resolver.state(look)


async def run(
    settings: Settings,
    *,
    experts: Sequence[ExpertConfig] = (),
    ready: Callable[[str, int], None] | None = None,
    door: Callable[[Door], None] | None = None,
    reread: Callable[[], Settings] | None = None,
    attended: bool = False,
) -> None:
    """Serve until SIGINT or SIGTERM (or cancellation), then end every session and return.

    SIGTERM waits for sessions that are in the middle of something; SIGHUP has the settings read again by
    `reread`, and without one, or `attended` from a terminal, ends as SIGINT does. `ready` is told where
    clients can connect, `door` before that where the console is. Raises ConfigurationError when the server
    cannot start, or a console that was asked for.
    """
    sources = open_sources(experts, os.environ, MonotonicClock())
    retention = Retention(settings[HISTORY_DAYS], settings[PIN_DAYS])
    store = store_of(settings, retention)
    resolver = AskResolver(settings, store=store, sources=sources)
    preparing = asyncio.create_task(resolver.prepare())
    # what has been loaded by then stays: a full collection that looks at it all holds the loop up
    preparing.add_done_callback(lambda _: gc.freeze())
    try:
        server = Server(settings, resolver, figures=resolver.figures)
        server.overheard = resolver.overheard
        server.house = ServerHouse(
            settings, resolver.figures, resolver.live, sources, lambda: server.sessions, server.reload
        )
        changes = Changes(server, reread)
        server.reread = changes.reread if reread else None
        server.attended = attended

        def adopt(adopted: Settings) -> None:
            resolver.settings = adopted
            if isinstance(server.house, ServerHouse):
                server.house.settings = adopted
            if any(adopted[s] != server.settings[s] for s in (LOG_LEVEL, LOG_FORMAT)):
                configure(adopted[LOG_LEVEL], adopted[LOG_FORMAT])

        server.adopt = adopt
        await _serve(server, resolver, changes, ready, door)
    finally:
        preparing.cancel()
        await asyncio.gather(preparing, return_exceptions=True)
        await resolver.close()
        await store.close()


def _console(server: Server, resolver: AskResolver, changes: Changes) -> Console | None:
    """The console, where one is configured; raises ConfigurationError."""
    if not server.settings[CONSOLE_LISTEN]:
        return None
    try:
        from askwire.proxy.console.console import Console  # noqa: PLC0415 - aiohttp takes a while to import
        from askwire.proxy.console.desk import Sources  # noqa: PLC0415
        from askwire.proxy.console.metrics import metrics  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("askwire"):
            raise
        raise ConfigurationError(
            f"the console needs a library that is not installed: {error.name}",
            hint="Install askwire[console], or leave console_listen empty.",
        ) from None
    looked_at = Sources(changes, resolver.store, resolver.live, resolver.reviewing, time.time)
    shown = metrics(resolver.figures, lambda: server.sessions, lambda: resolver.store.status)
    return Console(
        looked_at, server.unreachable, {"/metrics": shown}, wrong=resolver.figures.wrong_credentials
    )


async def _serve(
    server: Server,
    resolver: AskResolver,
    changes: Changes,
    ready: Callable[[str, int], None] | None,
    door: Callable[[Door], None] | None,
) -> None:
    console = _console(server, resolver, changes)
    host, port = await server.start()
    loop = asyncio.get_running_loop()
    stop: asyncio.Future[int] = loop.create_future()
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    for number in signals:
        with suppress(NotImplementedError, ValueError, RuntimeError):
            loop.add_signal_handler(number, _signaled, number, server, stop)
    where = f"{host}:{port}" if port else host
    log.info("listening on %s in front of %s", where, server.address)
    try:
        if console is not None:
            opened = await console.start()
            if door:
                door(opened)
        if ready:
            ready(host, port)
        if await stop == signal.SIGTERM:
            log.info("shutting down once sessions are in the middle of nothing")
            await server.drain()
    finally:
        if console is not None:
            await console.stop()
        await server.stop()
        for number in signals:
            with suppress(NotImplementedError, ValueError, RuntimeError):
                loop.remove_signal_handler(number)


def _signaled(number: int, server: Server, stop: asyncio.Future[int]) -> None:
    if number == signal.SIGHUP and server.reread and not server.attended:
        try:
            server.reload()
        except ConfigurationError as error:
            log.warning("the settings stay as they are: %s", error.message)
    elif not stop.done():
        stop.set_result(number)
    elif number != signal.SIGHUP:
        # whoever asks twice does not want to wait
        asyncio.get_running_loop().call_soon(server.hurry)
