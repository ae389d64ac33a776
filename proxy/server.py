"""The listener: accepting clients, finding the session a CancelRequest means, and ending.

Owns: the process's sessions and what they share.
"""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import os
import signal
import socket
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from askwire.core.clock import MonotonicClock
from askwire.core.errors import ConfigurationError
from askwire.core.settings.console import CONSOLE_LISTEN
from askwire.core.settings.memory import HISTORY_DAYS, PIN_DAYS, WORKLOAD, WORKLOAD_STATEMENTS
from askwire.core.settings.operations import LOG_FORMAT
from askwire.core.settings.relay import (
    CLIENT_IDLE_TIMEOUT,
    COMPILED_RELAY,
    CONNECT_TIMEOUT,
    IO_URING,
    KEEPALIVES_IDLE,
    LISTEN,
    LOGIN_TIMEOUT,
    MAX_CLIENTS,
    MAX_LOGINS,
    PEERS,
    RESTART_TIMEOUT,
    SHUTDOWN_TIMEOUT,
    UNIX_SOCKET_PERMISSIONS,
)
from askwire.core.settings.table import BACKEND, LOG_LEVEL, TABLE, Settings
from askwire.llm.expert_table import ExpertConfig
from askwire.llm.sources import open_sources
from askwire.proxy.asking.interceptor import AskInterceptor
from askwire.proxy.asking.requests import Resolver
from askwire.proxy.connection.addresses import Place, places
from askwire.proxy.connection.canceling import EndListener, send_cancel
from askwire.proxy.connection.descriptors import raise_limit
from askwire.proxy.connection.dsn import BackendAddress, parse_dsn
from askwire.proxy.connection.listening import accept_on
from askwire.proxy.connection.peers import Peers
from askwire.proxy.connection.startup import CancelRequest
from askwire.proxy.connection.streams import Side
from askwire.proxy.connection.streams import connect as dial
from askwire.proxy.connection.tls import backend_tls, client_tls
from askwire.proxy.connection.tls_records import BackendTls, ServerTls
from askwire.proxy.coordination import WorkerParts, connect, reload, take_over_changes
from askwire.proxy.log import configure
from askwire.proxy.memory.place import store_of
from askwire.proxy.operations.admin import ServerStatus
from askwire.proxy.operations.admin_wire import AdminWire
from askwire.proxy.operations.changes import Changes
from askwire.proxy.operations.figures import Figures
from askwire.proxy.operations.server_status import RunningServer
from askwire.proxy.resolver.resolver import AskResolver
from askwire.proxy.session.logins import Logins
from askwire.proxy.session.relay.consent import Consent, StatementListener
from askwire.proxy.session.relay.interception import Interceptor
from askwire.proxy.session.relay.lender import Lender
from askwire.proxy.session.session import Session
from askwire.proxy.workers.bounds import Bounds
from askwire.proxy.workers.notify import notify, notify_reloading
from askwire.proxy.workers.sockets import (
    GivenSockets,
    ListeningSockets,
    PassedSockets,
    hold,
    own_files,
    remove_files,
)
from askwire.proxy.workers.worker import Colleagues
from askwire.proxy.workers.worker import Place as WorkerPlace
from askwire.store.retention import Retention

if TYPE_CHECKING:
    from askwire.proxy.console.console import Console, Door

log = logging.getLogger("askwire.server")

_TOO_MANY = ("53300", "sorry, too many clients already")
_SHUTDOWN = ("57P01", "terminating connection due to administrator command")
_LOOK_AGAIN, _LONGEST_SWEEP = 0.05, 10.0
"""Seconds between two looks at sessions that drain, and at sessions that may be idle."""

RESERVED_FOR_OPERATORS: Final = 3
"""Sessions of the admin database that are served beyond `max_clients`."""
_SHUTDOWN_GRACE_SECONDS = 5.0
"""Seconds sessions get to end once the server stops."""
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 15.0
"""Seconds between two looks whether PostgreSQL can be reached, which get longer."""
_TRANSIENT_ERRNOS: Final = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOMEM))
"""Why there may be no ring now, and one later."""

_NO_RESTART: Final = "SIGUSR2 is ignored: an online restart needs workers = 1 or more"
_BACKEND_TIMEOUT_SECONDS: Final = 2.0
"""Seconds in which PostgreSQL has to take a connection to count as reachable."""


class Server:
    """All sessions of one listening address; `start` before use, `stop` after."""

    def __init__(self, settings: Settings, resolver: Resolver, *, figures: Figures | None = None) -> None:
        """Raises ConfigurationError for a DSN, an address or TLS files that cannot be used.

        `status` may be set before `start`: without one there is no admin database. So may
        `statement_collector`: without it no session's statements are learned from; `held`, the sockets
        to accept on instead of new ones; and `colleagues`, the other workers.
        """
        self.settings = settings
        self.figures = figures or Figures()
        self.status: ServerStatus | None = None
        self.statement_collector: StatementListener | None = None
        self.address = parse_dsn(settings[BACKEND])
        self._places = places(settings[LISTEN])
        self._client_tls = client_tls(settings)
        self._backend_tls = backend_tls(self.address, compiled=settings[COMPILED_RELAY])
        self._other_tls: BackendTls | None = None
        self.interceptor: Interceptor = AskInterceptor(resolver, lambda: self.settings)
        self.held: Sequence[ListeningSockets] | None = None
        self.colleagues: Colleagues | None = None
        self._held: Sequence[ListeningSockets] = ()
        self._lender: Lender | None = None
        self._may_lend = True
        self._peers = Peers(places(settings[PEERS]) if settings[PEERS] else ())
        self._sessions: set[Session] = set()
        self._by_key: dict[bytes, Session] = {}
        self._listeners: list[asyncio.Server] = []
        self._logins = Logins()
        self._loopback = {place for place in self._places if place.reaches_this_machine_only}
        self._sweeping: asyncio.Task[None] | None = None
        self.reread: Callable[[], Sequence[str]] | None = None
        self.attended = False
        self.ends = False
        self.adopt: Callable[[Settings], None] | None = None
        self._numbers = 0
        self._ended = asyncio.Event()
        self._context = copy_context()

    async def start(self) -> tuple[str, int]:
        """Listen; the address and port in use. Raises ConfigurationError when that is not possible."""
        self._warn()
        permissions = self.settings[UNIX_SOCKET_PERMISSIONS]
        colleagues = self.colleagues
        number, count = (colleagues.number, colleagues.count) if colleagues else (0, 1)
        try:
            self._held = self.held or hold(self._places, 1, permissions, PassedSockets())
            for held in self._held:
                sockets = held.of(number, count)
                self._listeners += await accept_on(sockets, held.place, self._accept)
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
        if self._listeners and self.colleagues is None:
            remove_files(own_files(self._held))
        self._listeners.clear()

    async def leave(self) -> None:
        """Stop accepting, and return when no session is left; after `restart_timeout` they are drained."""
        self._close_listeners()
        with suppress(TimeoutError):
            async with asyncio.timeout(self.settings[RESTART_TIMEOUT] / 1000 or None):
                while self._sessions:
                    self._ended.clear()
                    await self._ended.wait()
        await self.drain()

    async def drain(self) -> None:
        """Stop accepting; end each session once it is in the middle of nothing, until the time is up."""
        self.ends = True
        self._close_listeners()
        with suppress(TimeoutError):
            async with asyncio.timeout(self.settings[SHUTDOWN_TIMEOUT] / 1000):
                while True:
                    for session in list(self._sessions):
                        if session.is_at_rest():
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
                elif now - since >= timeout and session.is_at_rest(in_block=True):
                    session.refuse("57P05", "terminating connection due to idle-session timeout")
            await asyncio.sleep(min(timeout / 4, _LONGEST_SWEEP))

    async def stop(self) -> None:
        """Stop accepting, end every session as a server shutdown does, and wait until they are gone."""
        self.ends = True
        self._close_listeners()
        if self._sweeping:
            self._sweeping.cancel()
        self.hurry()
        with suppress(TimeoutError):
            async with asyncio.timeout(_SHUTDOWN_GRACE_SECONDS):
                while self._sessions:
                    self._ended.clear()
                    await self._ended.wait()
        if self._lender:
            self._lender.close()
            self._lender = None
            self._may_lend = False

    @property
    def lender(self) -> Lender | None:
        """What lends sessions to a thread, where that is wanted and possible."""
        if not (self.settings[COMPILED_RELAY] and self.settings[IO_URING]):
            return None
        if self._lender is None and self._may_lend:
            try:
                self._lender = Lender.open()
            except OSError as error:
                self._may_lend = error.errno in _TRANSIENT_ERRNOS
                log.info("sessions are relayed without io_uring: %s", error.strerror or error)
        return None if self._lender is None or self._lender.failed else self._lender

    def _accept(self, place: Place) -> asyncio.Protocol:
        number = self._next_number()
        session = Session(self, number, loopback=place in self._loopback, local=bool(place.path))
        return session.client

    async def take_in(self, sock: socket.socket, *, loopback: bool) -> Session:
        """Serve the other end of a connected pair of sockets of this process.

        `loopback`: it comes from this machine; else `allow_trust` decides, as for any address.
        """
        session = Session(self, self._next_number(), loopback=loopback, local=True)
        await asyncio.get_running_loop().connect_accepted_socket(lambda: session.client, sock)
        return session

    def _next_number(self) -> int:
        """Return the number of a new session; that of another process is never the same."""
        if self.colleagues is not None:
            return self.colleagues.next_number()
        self._numbers += 1
        return self._numbers

    @property
    def sessions(self) -> Collection[Session]:
        """All connections of clients."""
        return tuple(self._sessions)

    def reload(self) -> Sequence[str]:
        """Read the settings again; the names of those that changed and hold from now on.

        Raises ConfigurationError, and nothing changes then.
        """
        if self.reread is None:
            raise ConfigurationError("settings are read only at the start", hint="Restart askwire.")
        return self.reread()

    def take(self, found: Settings) -> Sequence[str]:
        """Let other settings hold; the names of those that changed. Raises ConfigurationError, likewise."""
        settings = found.keeping(self.settings, [s.name for s in TABLE.values() if not s.live])
        tls = client_tls(settings)
        changed = [name for name, s in TABLE.items() if settings[s] != self.settings[s]]
        fixed = [name for name, s in TABLE.items() if found[s] != settings[s]]
        if self.adopt:
            self.adopt(settings)
        self._client_tls, self.settings = tls, settings
        sweeps = self._sweeping is not None and not self._sweeping.done()
        if settings[CLIENT_IDLE_TIMEOUT] and not sweeps:
            self._sweeping = asyncio.get_running_loop().create_task(self._sweep())
        log.info("settings reloaded; changed: %s", ", ".join(changed) or "none")
        if fixed:
            log.warning("a change needs a restart: %s", ", ".join(fixed))
        return changed

    # -- what sessions ask -------------------------------------------------------------------------------

    def admin(self, write: Callable[[bytes], None], goodbye: Callable[[], None]) -> AdminWire | None:
        """The admin database for one client; None where there is none."""
        return AdminWire(self.status, write, goodbye) if self.status else None

    def client_tls(self) -> ServerTls | None:
        """What TLS with clients shares, if configured."""
        return self._client_tls

    def arrived(self, session: Session) -> None:
        """Note a new connection; where there are too many before their log-in, the oldest makes room."""
        settings = self.settings
        most = settings[MAX_LOGINS] or settings[MAX_CLIENTS]
        self._sessions.add(session)
        self._logins.begin(session, session.client.host, settings[LOGIN_TIMEOUT] / 1000)
        if most and self._must_make_room(most):
            self.make_room()
        else:
            self._show_logins()

    def _must_make_room(self, most: int) -> bool:
        """Whether a connection of this process has to end before its log-in, for a new one."""
        waiting = self._logins.waiting
        if self.colleagues is None:
            return waiting > most
        return self.colleagues.must_make_room(waiting, most)

    def make_room(self) -> bool:
        """End the oldest connection before its log-in, of the address with most; whether there was one."""
        found = self._logins.make_room()
        if found:
            self.figures.sessions_refused += 1
            self._show_logins()
        return found

    def _show_logins(self) -> None:
        if self.colleagues is not None:
            self.colleagues.enters(self._logins.waiting)

    def has_room(self, session: Session) -> bool:
        """Whether one session more may be logged in; it is refused else.

        An operator may come when there is room for no one else, to look, end a session, or raise the limit:
        as superusers may by PostgreSQL's superuser_reserved_connections.
        """
        limit = self.settings[MAX_CLIENTS]
        if limit and session.is_operator:
            limit += RESERVED_FOR_OPERATORS
        if limit and not self._fits(limit, counted=session.admitted):
            self.figures.sessions_refused += 1
            session.refuse(*_TOO_MANY)
            return False
        return True

    def _fits(self, limit: int, *, counted: bool) -> bool:
        """Whether one session more may be served; `counted`: it has logged in, and counts from now on."""
        if self.colleagues is None:
            return self.served < limit
        fits = self.colleagues.fits(self.served + 1, limit)
        if not counted:
            self.colleagues.serves(self.served)
        return fits

    @property
    def served(self) -> int:
        """How many sessions have logged in."""
        return len(self._sessions) - len(self._logins)

    def has_other_way(self, *, encrypted: bool) -> bool:
        """Whether a backend that refuses on a connection, encrypted or not, is asked the other way."""
        return self.address.other_way(encrypted=encrypted) is not None

    async def connect_backend(self, session: Session, *, other_way: bool = False) -> Side:
        """Open a connection to the backend, encrypted as `sslmode` says or the other way; raises OSError."""
        address, tls = self.address, self._backend_tls
        if other_way and (other := address.other_way(encrypted=address.sslmode == "prefer")):
            address, tls = other, self._tls_of(other)
        # a transport keeps the context it was made in: all share the server's
        connecting = asyncio.get_running_loop().create_task(
            dial(address, tls, session), context=self._context
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

    def _tls_of(self, other: BackendAddress) -> BackendTls | None:
        """What connections made the other way share."""
        if self._other_tls is None:
            self._other_tls = backend_tls(other, compiled=self.settings[COMPILED_RELAY])
        return self._other_tls

    def consent(self, session: Session) -> Consent | None:
        """Whether the session lets askwire learn from its statements; None: no one learns."""
        if self.statement_collector is None or not self.settings[WORKLOAD]:
            return None
        given = self.settings.given(WORKLOAD_STATEMENTS.name)
        if given and not self.settings[WORKLOAD_STATEMENTS]:
            return None
        return Consent(
            self.statement_collector,
            session.login,
            session.parameters,
            default=self.settings[WORKLOAD_STATEMENTS],
        )

    def logged_in(self, session: Session) -> None:
        """The session can be canceled from now on."""
        self._logins.end(session)
        if idle := self.settings[KEEPALIVES_IDLE]:
            session.client.keep_alive(idle // 1000)
        if self.colleagues is not None:
            self.colleagues.serves(self.served)
        self._show_logins()
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
        if self.colleagues is not None:
            self.colleagues.serves(self.served)
        self._show_logins()
        self._ended.set()

    async def cancel(self, request: CancelRequest) -> None:
        """Stop the ASK the request means, or pass the request on to the backend."""
        session = self._by_key.get(request.key)
        if session is not None:
            stopped = session.cancel()
        else:
            stopped = await self._cancel_elsewhere(request.key)
        if not stopped:
            await self.cancel_backend(request.key)

    async def _cancel_elsewhere(self, key: bytes) -> bool:
        """Whether another process of this server, or another host, has stopped the ASK of a key."""
        if self.colleagues is not None and await self.colleagues.cancel(key):
            return True
        return bool(self._peers) and await self._peers.cancel(key)

    async def cancel_for_peer(self, request: CancelRequest, host: str) -> bool:
        """Stop the ASK that a request from another askwire at `host` means; whether there was one."""
        if not await self._peers.include(host):
            log.warning("a cancel request of a peer comes from %s, which is not a peer's address", host)
            return False
        if (session := self._by_key.get(request.key)) is not None:
            return session.cancel()
        return self.colleagues is not None and await self.colleagues.cancel(request.key)

    def cancel_here(self, key: bytes) -> bool:
        """Stop the ASK of a session of this process; whether there was one."""
        session = self._by_key.get(key)
        return session is not None and session.cancel()

    async def cancel_backend(self, key: bytes) -> None:
        """Send a CancelRequest to the backend and wait until it has been taken (its end of file).

        Raises OSError where it could not be sent, and CancelUnanswered where it may still be carried out.
        """
        seconds = self.settings[CONNECT_TIMEOUT] / 1000
        await send_cancel(self.address, self._backend_tls, key, seconds)

    async def unreachable(self) -> str:
        """What keeps PostgreSQL from being reached, as one phrase; '' for nothing."""
        try:
            async with asyncio.timeout(_BACKEND_TIMEOUT_SECONDS):
                side = await dial(self.address, self._backend_tls, EndListener())
        except TimeoutError:
            return "PostgreSQL takes too long to answer"
        except OSError as error:
            return f"PostgreSQL cannot be reached: {error.strerror or error}"
        side.close()
        return ""

    async def await_backend(self) -> None:
        """Say when PostgreSQL cannot be reached at the start, go on trying, and say when it can."""
        wait, said = _FIRST_WAIT, ""
        while reason := await self.unreachable():
            if reason != said:
                log.warning("%s (%s); sessions are refused while it is tried again", reason, self.address)
                said = reason
            await asyncio.sleep(wait)
            wait = min(_LONGEST_WAIT, 2 * wait)
        if said:
            log.info("PostgreSQL at %s can be reached now", self.address)


async def run(
    settings: Settings,
    *,
    experts: Sequence[ExpertConfig] = (),
    ready: Callable[[str, int], None] | None = None,
    door: Callable[[Door], None] | None = None,
    reread: Callable[[], Settings] | None = None,
    attended: bool = False,
    place: WorkerPlace | None = None,
    given: GivenSockets | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM (or cancellation), then end every session and return.

    SIGTERM waits for sessions that are in the middle of something; SIGHUP has the settings read again by
    `reread`, and without one, or `attended` from a terminal, ends as SIGINT does. `ready` is shown where
    clients can connect, `door` before that where the console is. `place` is this process's among several
    workers; a process that has none shows a service manager how far it is, and takes the sockets that are
    `given`. Raises ConfigurationError when the server cannot start, or a console that was asked for.
    """
    shared = Bounds(place.counts, place.number) if place else None
    sources = open_sources(experts, os.environ, MonotonicClock(), shared=shared)
    retention = Retention(settings[HISTORY_DAYS], settings[PIN_DAYS])
    store = store_of(settings, retention)
    resolver = AskResolver(settings, store=store, sources=sources)
    preparing = asyncio.create_task(resolver.prepare())
    # what has been loaded by then stays: a full collection that looks at it all holds the loop up
    preparing.add_done_callback(lambda _: gc.freeze())
    colleagues = Colleagues(place) if place else None
    try:
        server = Server(settings, resolver, figures=resolver.figures)
        server.statement_collector = resolver.memories.statement_collector
        server.colleagues = colleagues
        server.status = status = RunningServer(
            *(settings, resolver.figures, resolver.memories.history.live, sources),
            sessions=lambda: server.sessions,
            reload=server.reload,
            elsewhere=colleagues,
            own_store=lambda: resolver.memories.store.status,
            ending=lambda: server.ends,
        )
        changes = Changes(server, reread)
        server.reread = changes.reread if reread else None
        server.attended = attended

        def adopt(adopted: Settings) -> None:
            resolver.settings = adopted
            status.settings = adopted
            if any(adopted[s] != server.settings[s] for s in (LOG_LEVEL, LOG_FORMAT)):
                configure(adopted[LOG_LEVEL], adopted[LOG_FORMAT])

        server.adopt = adopt
        if place is not None and colleagues is not None:
            server.held = place.held
            connect(colleagues, WorkerParts(server, status, changes, resolver.memories.history.live, sources))
        elif given is not None:
            server.held = given.held
        console = place.console if place else given.console if given else None
        serving = _ServerParts(server, status, resolver, changes, colleagues, place, console)
        await _serve(serving, ready, door)
    finally:
        preparing.cancel()
        await asyncio.gather(preparing, return_exceptions=True)
        await resolver.close()
        await store.close()


@dataclass(frozen=True, slots=True)
class _ServerParts:
    """The parts of a process that serves."""

    server: Server
    status: RunningServer
    resolver: AskResolver
    changes: Changes
    colleagues: Colleagues | None
    place: WorkerPlace | None
    console: ListeningSockets | None
    """Where the console listens, instead of at a new socket."""


def _console(serving: _ServerParts) -> Console | None:
    """The console, where one is configured and this process has it; raises ConfigurationError."""
    server, resolver, place = serving.server, serving.resolver, serving.place
    if not server.settings[CONSOLE_LISTEN] or (place is not None and place.console is None):
        return None
    try:
        from askwire.proxy.console.console import Console  # noqa: PLC0415 - aiohttp takes a while to import
        from askwire.proxy.console.desk import Sources  # noqa: PLC0415
        from askwire.proxy.console.metrics import metrics  # noqa: PLC0415
        from askwire.proxy.session.inner_door import Entrance  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("askwire"):
            raise
        raise ConfigurationError(
            f"the console needs a library that is not installed: {error.name}",
            hint="Install askwire[console], or leave console_listen empty.",
        ) from None
    looked_at = Sources(
        serving.changes,
        resolver.memories.store,
        resolver.memories.history.live,
        resolver.memories.reviewing,
        time.time,
        lambda loopback: Entrance(server, loopback=loopback),
        resolver.memories.own_asks,
    )
    shown = metrics(serving.status)
    return Console(
        looked_at,
        server.unreachable,
        {"/metrics": shown},
        wrong=resolver.figures.wrong_credentials,
        listening=serving.console.of(0, 1)[0] if serving.console else None,
        token=place.token if place else "",
        server=serving.status,
    )


async def _serve(
    serving: _ServerParts,
    ready: Callable[[str, int], None] | None,
    door: Callable[[Door], None] | None,
) -> None:
    server, colleagues = serving.server, serving.colleagues
    console = _console(serving)
    loop = asyncio.get_running_loop()
    stop: asyncio.Future[int] = loop.create_future()
    leaving: list[asyncio.Task[None]] = []

    def end(number: int) -> None:
        if not stop.done():
            stop.set_result(number)

    async def leave() -> None:
        if console is not None:
            await console.stop()
        await server.leave()
        end(signal.SIGTERM)

    if colleagues is not None:
        colleagues.on("leave", lambda _: leaving.append(loop.create_task(leave())))
        await colleagues.start(partial(end, signal.SIGTERM))
        if serving.place is not None and serving.place.reread:
            reload(server)
        await take_over_changes(colleagues, serving.changes)
    if too_few := raise_limit(server.settings[MAX_CLIENTS]):
        log.warning("%s", too_few)
    host, port = await server.start()
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    for number in signals:
        with suppress(NotImplementedError, ValueError, RuntimeError):
            loop.add_signal_handler(number, _signaled, number, server, stop)
    if colleagues is None:
        with suppress(NotImplementedError, ValueError, RuntimeError):
            loop.add_signal_handler(signal.SIGUSR2, log.warning, _NO_RESTART)
    where = f"{host}:{port}" if port else host
    log.info("listening on %s in front of %s", where, server.address)
    reaching = loop.create_task(server.await_backend())
    try:
        if console is not None:
            opened = await console.start()
            if door:
                door(opened)
        if ready:
            ready(host, port)
        if colleagues is not None:
            colleagues.tell("ready")
        else:
            notify("READY=1", f"MAINPID={os.getpid()}", "STATUS=serving")
        how, asked = await stop, time.monotonic()
        if colleagues is None:
            notify("STOPPING=1")
        if how == signal.SIGTERM:
            log.info("shutting down once sessions are in the middle of nothing")
            await server.drain()
            if console is not None and colleagues is not None:
                await _outlast(
                    colleagues, server.settings[SHUTDOWN_TIMEOUT] / 1000 - (time.monotonic() - asked)
                )
    finally:
        reaching.cancel()
        await asyncio.gather(reaching, return_exceptions=True)
        await server.stop()
        if console is not None:
            await console.stop()
        for task in leaving:
            task.cancel()
        await asyncio.gather(*leaving, return_exceptions=True)
        if colleagues is not None:
            await colleagues.stop()
        for number in (*signals, signal.SIGUSR2):
            with suppress(NotImplementedError, ValueError, RuntimeError):
                loop.remove_signal_handler(number)


async def _outlast(colleagues: Colleagues, seconds: float) -> None:
    """Let the console say that the server ends until the other workers have ended, or the time is up."""
    with suppress(TimeoutError):
        async with asyncio.timeout(max(0.0, seconds) + _SHUTDOWN_GRACE_SECONDS):
            await colleagues.until_last()


def _signaled(number: int, server: Server, stop: asyncio.Future[int]) -> None:
    if number == signal.SIGHUP and server.reread and not server.attended:
        alone = server.colleagues is None  # else the supervisor says how far all are
        if alone:
            notify_reloading()
        how = "" if reload(server) else "; the settings could not be read again"
        if alone:
            notify("READY=1", f"STATUS=serving{how}")
    elif not stop.done():
        stop.set_result(number)
    elif number != signal.SIGHUP:
        # anyone who asks twice does not want to wait
        asyncio.get_running_loop().call_soon(server.hurry)
