"""One client and its backend: relaying bytes, and stepping in where an ASK stands.

Owns: the life of a connection after its TCP accept: start-up, authentication passed through, the raw relay in
both directions, and the switch to a conversation of askwire's own and back.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from contextvars import copy_context
from functools import partial
from typing import cast

from askwire.core.errors import ProtocolError
from askwire.core.settings.operations import ADMIN_DATABASE, ADMIN_LOGIN_DATABASE, ADMIN_ROLES
from askwire.core.settings.relay import CANCEL_TIMEOUT
from askwire.core.settings.table import ALLOW_TRUST, PROBE_BACKEND
from askwire.proxy.connection import startup
from askwire.proxy.connection.streams import Side
from askwire.proxy.log import log_internal, session_id
from askwire.proxy.session.abandoned import cancel_abandoned
from askwire.proxy.session.liveness import knock
from askwire.proxy.session.login.logging_in import LoggedIn, LogIn, Refusal, warnings_at_start
from askwire.proxy.session.login.opening import SessionStart
from askwire.proxy.session.owner import AdminClient, Server
from askwire.proxy.session.parameters import Parameters, shared
from askwire.proxy.session.phase import Phase
from askwire.proxy.session.relay.interception import Forward, HeldMessage, Interception
from askwire.proxy.session.relay.relay import Relay
from askwire.proxy.session.session_memory import SessionMemory
from askwire.proxy.session.statements.conversation import (
    CONNECTION_FAILURE,
    BackendGone,
    BackendStalled,
    Conversation,
)
from askwire.proxy.session.statements.standby import StandbySession
from askwire.proxy.wire import messages

log = logging.getLogger("askwire.session")

MAX_BACKLOG_BYTES = 64 * 1024
"""Bytes a client may send ahead while its ASK is worked on; reading pauses beyond."""


class Session:
    """One client connection and its backend connection."""

    # a thousand of these may be idle: their size counts
    __slots__ = (
        "_admin", "_asking", "_backend", "_buffer", "_client_ended", "_conversation", "_crowded", "_log_in",
        "_may_trust", "_memory", "_opening", "_replication", "_server", "_settings", "_standby", "_task",
        "admitted", "began", "cancel_key", "client", "login", "number", "parameters", "phase", "relay",
    )  # fmt: skip

    def __init__(self, server: Server[Session], number: int, *, loopback: bool, local: bool = False) -> None:
        """`loopback`: no one connects from another machine; `local`: over a unix socket, where no TLS is."""
        self.number = number
        self.admitted = False
        self.began = time.monotonic()
        self.login: Mapping[str, str] = {}
        self._admin: AdminClient | None = None
        self._server = server
        self._settings = server.settings
        self._opening: SessionStart | None = SessionStart(self, server, local=local)
        self._may_trust = loopback or server.settings[ALLOW_TRUST]
        self.phase = Phase.STARTUP
        self.client = Side(self, partial(server.arrived, self))
        self._backend: Side | None = None
        self._buffer = self.cancel_key = b""
        self._replication = False
        self._log_in: LogIn | None = None
        self.relay: Relay | None = None
        self._memory: SessionMemory | None = None
        self._standby: StandbySession | None = None
        self.parameters = Parameters()
        self._client_ended = self._crowded = False
        self._conversation: Conversation | None = None
        self._task: asyncio.Task[None] | None = None
        self._asking: Interception | None = None

    # -- what the two sides tell -------------------------------------------------------------------------

    def side_received(self, side: Side, data: bytes) -> None:
        """Bytes from the client or from the backend."""
        if self.relay:
            self.relay.stop()
        self._received(side, data)
        if self.relay and self.phase is Phase.RELAY:
            self.relay.resume()

    def _received(self, side: Side, data: bytes) -> None:
        try:
            if side is not self.client:
                self._from_backend(data)
            elif self.phase is Phase.RELAY:
                self._from_client(data)
            elif self._admin:
                self._administered(data)
            elif self.phase is not Phase.CLOSED:
                self._buffer += data
                if self.phase is Phase.STARTUP:
                    self._start()
                elif self.phase is Phase.LOGIN:
                    self._answer_challenges()
                self._bound_backlog()
        except startup.NoPacket as error:
            self._log("session closed: %s", error.message)
            self.close()
        except ProtocolError as error:
            if side is not self.client and self._conversation:
                self._conversation.lost()
            self.refuse(error.sqlstate, error.message)

    def side_eof(self, side: Side) -> None:
        """One side will send no more."""
        if self.relay:
            self.relay.end()
        if side is not self.client:
            side.close()
            self.side_lost(side)
        elif self.phase in (Phase.RELAY, Phase.ASKING):
            # it may still wait for the answer
            self._client_ended = True
            self._pass_end_on(flush=True)
            self._knock()
        elif self.admitted and self.phase in (Phase.STARTUP, Phase.LOGIN):
            # it may have said all it has to say, and waits for the answer
            self._client_ended = True
            if self._log_in:
                self._log_in.client_ended()
        elif self.phase is not Phase.CANCELING:
            self.close()

    def side_lost(self, side: Side) -> None:
        """One side is gone."""
        if side.fault and self.phase is not Phase.CLOSED:
            whose = "the client" if side is self.client else "the backend"
            self._log("session closed: TLS with %s failed: %s", whose, side.fault)
        if side is not self.client and self._conversation:
            self._conversation.lost()
        # no one has to wait until a cancel request has been carried out; the admin database has no backend
        if self.phase is not Phase.CANCELING and not (self._admin and side is not self.client):
            self.close()

    def side_writable(self, side: Side, writable: bool) -> None:
        """Slow the other side down while this one cannot take more."""
        other = self._backend if side is self.client else self.client
        if other:
            other.block_reading("other side is slow", not writable)

    # -- start-up ----------------------------------------------------------------------------------------

    def _start(self) -> None:
        if self._opening and (self._task is None or self._task.done()):
            sent, self._buffer = self._buffer, b""
            self._buffer = self._opening.take(sent)

    def log_in(self, request: startup.Startup) -> None:
        """Log in as a start-up packet says, where there is room."""
        self.login = shared(request.parameters)
        if self._server.has_room(self):
            self.admitted = True
            self.spawn(partial(self._reach_backend, request))

    def encrypted(self) -> None:
        """Take up what the client sent right behind its handshake, while that task was still at it."""
        self._task = None
        if self._buffer:
            self.side_received(self.client, b"")

    def spawn(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do some work in a task of its own, within the session's bounds; one at a time."""
        context = copy_context()
        context.run(session_id.set, str(self.number))
        self._task = asyncio.get_running_loop().create_task(self._bounded(work), context=context)
        # a task that is canceled before its first step runs nothing of its own
        self._task.add_done_callback(self._work_ended)

    async def _bounded(self, work: Callable[[], Awaitable[None]]) -> None:
        """The session's boundary: whatever goes wrong ends it, and the client is informed."""
        try:
            await work()
        except ProtocolError as error:
            self.refuse(error.sqlstate, error.message)
        except Exception as error:  # noqa: BLE001 - the boundary: logged, and the client is informed
            number = log_internal(log, error)
            self.refuse("XX000", f"askwire met an internal error; the log has the details under {number}")

    def _work_ended(self, task: asyncio.Task[None]) -> None:
        if self._task not in (task, None):
            return  # closing has begun some work since, which has the backend still
        self._task = None
        if self.phase is Phase.CLOSED:
            self._phase_closed()

    async def _reach_backend(self, request: startup.Startup, refusal: bytes = b"") -> None:
        """Bring the start-up packet to the backend; after a `refusal`, with TLS or without, as it was not."""
        self._replication = request.replication
        try:
            backend = await self._server.connect_backend(self, other_way=bool(refusal))
        except OSError as error:
            if refusal:
                self.client.write(refusal)
                self.close()
                return
            reason = error.strerror or str(error) or type(error).__name__
            log.warning("cannot reach the backend: %s", reason)
            self.refuse(
                "08001", f"askwire could not connect to PostgreSQL at {self._server.address}: {reason}"
            )
            return
        if self.phase is Phase.CLOSED:
            backend.abort()
            return
        self._backend = backend
        self._log_in = LogIn(
            request,
            self.client,
            backend,
            self.parameters,
            may_trust=self._may_trust,
            begun_before=bool(refusal),
            other_way=not refusal and self._server.has_other_way(encrypted=backend.encrypted),
            keeps_password=self._may_use_standby,
        )
        self.phase = Phase.LOGIN
        backend.write(
            startup.at_database(request, self._settings[ADMIN_LOGIN_DATABASE])
            if self._administers
            else request.raw
        )
        self._answer_challenges()

    @property
    def _administers(self) -> bool:
        """Whether the session asked for the admin database, and there is one."""
        database = self.login.get("database", self.login.get("user"))
        return bool(self._settings[ADMIN_ROLES]) and database == self._settings[ADMIN_DATABASE]

    @property
    def is_operator(self) -> bool:
        """Whether it asked for the admin database as a role that may use it: the log-in has to prove it."""
        return self._administers and self.login.get("user") in self._settings[ADMIN_ROLES]

    @property
    def _may_use_standby(self) -> bool:
        """Whether a standby may run probes for it."""
        return bool(self._settings[PROBE_BACKEND]) and not self._replication and not self._administers

    def _administer(self) -> None:
        """Take up the admin database: who is here has proved to the backend who they are."""
        self._admin = self._server.admin(self.client.write, self.close) if self.is_operator else None
        if self._admin is None:
            self.refuse("42501", "permission denied for the admin database", hint="admin_roles says who may.")
            return
        self.phase = Phase.ADMIN
        self.client.write(messages.frame(b"Z", b"I"))
        if self._backend:
            self._backend.write(messages.TERMINATE)
            self._backend.close()
        backlog, self._buffer = self._buffer, b""
        if backlog:
            self.side_received(self.client, backlog)

    def _administered(self, data: bytes) -> None:
        """Take what a client sends to the admin database, once what other processes know is up to date."""
        admin = self._admin
        if admin is None:
            return
        if admin.alone:
            admin.feed(data)
            return
        self._buffer += data
        self._bound_backlog()
        if self._task is None or self._task.done():
            self.spawn(partial(self._administer_all, admin))

    async def _administer_all(self, admin: AdminClient) -> None:
        while self._buffer and self.phase is Phase.ADMIN:
            await admin.refresh()
            backlog, self._buffer = self._buffer, b""
            try:
                admin.feed(backlog)
            except ProtocolError as error:
                self.refuse(error.sqlstate, error.message)

    def _answer_challenges(self) -> None:
        if self._log_in:
            self._buffer = self._log_in.answer(self._buffer)

    def _from_login(self, data: bytes) -> None:
        """Pass authentication through, up to the first ReadyForQuery."""
        ended = self._log_in.from_backend(data) if self._log_in else None
        if ended is None:
            if self._client_ended and self._log_in:
                self._log_in.client_ended()
        elif isinstance(ended, Refusal):
            if self._backend:
                self._backend.leave()
            self._backend = self._log_in = None
            self.spawn(partial(self._reach_backend, ended.request, ended.error))
        elif isinstance(ended, LoggedIn):
            self._logged_in(ended)
        else:
            self.refuse(
                "28000",
                "the backend let this session in without a challenge, and askwire is on the network",
                hint="Ask for a password in pg_hba.conf for askwire's address, or set allow_trust.",
            )

    def _logged_in(self, done: LoggedIn) -> None:
        self._log_in = self._opening = None
        if not self._server.has_room(self):
            return
        self.cancel_key = done.cancel_key
        if self._may_use_standby:
            self._standby = StandbySession(self.login, done.password)
        if self._administers:
            self._server.logged_in(self)
            self._administer()
            return
        self.client.write(
            warnings_at_start(self.login, self._server.settings) + messages.frame(b"Z", done.ready)
        )
        self.parameters.share()
        ends = self.client, cast("Side", self._backend)
        opaque, consent = self._replication, self._server.consent(self)
        self.relay = Relay(
            *(*ends, self._settings, self.parameters, done.ready, self._server.interceptor),
            opaque=opaque,
            reset=self._forget,
            consent=consent,
            lender=self._server.lender,
        )
        self.phase = Phase.RELAY
        self._server.logged_in(self)
        if self._client_ended:
            self.relay.end()
        if done.rest:
            self._from_backend(done.rest)
        self._take_up_backlog()

    @property
    def waits(self) -> bool:
        """Whether somebody waits for an answer in it, or works on one."""
        return self.phase is not Phase.RELAY or self.relay is None or not self.relay.is_settled

    @property
    def in_transaction(self) -> bool:
        """Whether it is in the middle of something that ending it would undo."""
        return self.waits or self.relay is None or not self.relay.is_idle

    def is_at_rest(self, *, in_block: bool = False) -> bool:
        """Whether no one waits in it, and it is in no transaction (unless `in_block`): it may be ended.

        Nothing passes until the event loop goes on: no thread relays it then.
        """
        if self.waits if in_block else self.in_transaction:
            return False
        if self.relay:
            self.relay.stop()
        if not (self.waits if in_block else self.in_transaction):
            return True
        if self.relay and self.phase is Phase.RELAY:
            self.relay.resume()
        return False

    @property
    def state(self) -> str:
        """Where it is in its life, in a word."""
        return self.phase.value

    @property
    def peer(self) -> str:
        """Where its client is."""
        return self.client.peer

    @property
    def process_id(self) -> int:
        """The backend's, 0 before the log-in."""
        return int.from_bytes(self.cancel_key[:4], "big")

    # -- the relay ---------------------------------------------------------------------------------------

    def _from_backend(self, data: bytes) -> None:
        if self._conversation:
            self._conversation.feed(data)
        elif self.phase is Phase.LOGIN and not self._admin:
            self._from_login(data)
        elif self.relay:
            self.relay.from_backend(data)
            if self._client_ended:
                self._pass_end_on()

    def _from_client(self, data: bytes) -> None:
        """Pass client bytes on, up to a message that may concern us: it stops the relay."""
        if relay := self.relay:
            held, rest = relay.from_client(data)
            if held:
                self._begin_asking(relay, held, rest)

    # -- asking ------------------------------------------------------------------------------------------

    def _begin_asking(self, relay: Relay, held: HeldMessage, backlog: bytes) -> None:
        self.phase = Phase.ASKING
        self._buffer = backlog
        self._bound_backlog()
        self.spawn(partial(self._ask, relay, held))

    async def _ask(self, relay: Relay, held: HeldMessage) -> None:
        """Work on one message that may concern us, then relay again."""
        try:
            if await relay.settle():
                forward = await self._converse(relay, held)
            else:
                forward = Forward(held.kind, held.payload)
            if self.phase is Phase.ASKING:
                self._relay_again(forward)
        except BackendStalled:
            log.warning("the backend does not answer a cancel request; its connection is given up")
            self.refuse(
                CONNECTION_FAILURE,
                "PostgreSQL did not stop what it ran for an ASK, and askwire waits for it no longer",
                hint="What the transaction did is undone. cancel_timeout says how long is waited.",
            )
        except BackendGone as error:
            log.info("the backend went away during an ASK: %s", error)
            self.close()

    async def _converse(self, relay: Relay, held: HeldMessage) -> Forward | None:
        """What to forward in the message's place; None when it was answered with an error."""
        backend = self._backend
        if backend is None or not backend.is_open:
            raise BackendGone("the backend closed the connection")
        self._conversation = relay.conversation()
        self._memory = self._memory or SessionMemory(standby=self._standby)
        self._asking = held.interception(self._conversation, self.parameters, self._cancel_own, self._memory)
        try:
            return await self._asking.run()
        finally:
            self._asking = None
            if relay.consent and self._memory.consents is not None:
                relay.consent.known(given=self._memory.consents, in_block=relay.pipeline.status != "I")

    def _forget(self) -> None:
        if self._memory:
            self._memory.forget()

    @property
    def memory(self) -> SessionMemory | None:
        """What it remembers of its own ASKs; None before the first."""
        return self._memory

    def _is_there(self) -> bool:
        return bool(self._backend and self._backend.is_open)

    async def _cancel_own(self) -> None:
        await self._server.cancel_backend(self.cancel_key)

    def _relay_again(self, forward: Forward | None) -> None:
        """End the conversation, forward what stands in the message's place, and take up what came since."""
        rest = self._conversation.drain() if self._conversation else b""
        self._conversation = None
        self.phase = Phase.RELAY
        if forward is not None and self.relay:
            self.relay.forward(forward)
        if rest:
            self._from_backend(rest)
        self._take_up_backlog()

    def _take_up_backlog(self) -> None:
        backlog, self._buffer = self._buffer, b""
        self._crowded = False
        self.client.block_reading("backlog", False)
        if backlog:
            self.side_received(self.client, backlog)
        self._pass_end_on(flush=True)

    def _pass_end_on(self, *, flush: bool = False) -> None:
        """Tell the backend that a client which has stopped sending has; what runs for its ASK ends first.

        To know when, have the backend `flush` what it has answered.
        """
        if not (self._client_ended and self.phase is Phase.RELAY and self.relay and self._backend):
            return
        if not self._owes_answer:
            self._client_ended = False
            self._backend.write_eof()
        elif flush:
            self.relay.flush()

    @property
    def _owes_answer(self) -> bool:
        """Whether the backend works on the chosen SQL of an ASK, or will without another word."""
        return self.phase is Phase.RELAY and self.relay is not None and self.relay.rewrites.owed

    def _bound_backlog(self) -> None:
        """Stop reading from a client that is far ahead."""
        if len(self._buffer) > MAX_BACKLOG_BYTES and not self._crowded:
            self._crowded = True
            self.client.block_reading("backlog", True)
            self._knock()

    def _knock(self) -> None:
        """Find out, again and again, whether a client that we do not hear is still there."""
        knock(self.client.write, self.parameters, self._is_unheard, self._is_between_messages)

    def _is_unheard(self) -> bool:
        asking = self.phase is Phase.ASKING and (self._client_ended or self._crowded)
        return asking or (self._client_ended and self._owes_answer)

    def _is_between_messages(self) -> bool:
        return self._conversation is not None or (self.relay is not None and self.relay.at_boundary)

    def cancel(self) -> bool:
        """Carry out a CancelRequest here; False when there is no ASK to cancel and the backend must do it."""
        if self.phase is not Phase.ASKING:
            return False
        return self._asking.cancel() if self._asking else False

    # -- the end -----------------------------------------------------------------------------------------

    def refuse(self, sqlstate: str, message: str, *, hint: str = "") -> None:
        """Tell the client why, as a FATAL error, and end the session."""
        if self.phase is not Phase.CLOSED:
            self._log("session refused (%s): %s", sqlstate, message)
            if self.relay is None or self.relay.at_boundary:
                self.client.write(messages.fatal(sqlstate, message, hint=hint))
            self.close()

    def _log(self, text: str, *details: str) -> None:
        """Log how it ends, as this session: callbacks of the transports do not run in its context."""
        told = session_id.set(str(self.number))
        log.info(text, *details)
        session_id.reset(told)

    def expire_login(self) -> None:
        """End a session that has not logged in in time."""
        if self.phase in (Phase.STARTUP, Phase.LOGIN):
            self.refuse("57014", "the login took too long")

    def close(self) -> None:
        """End the session: nothing of it stays, neither on the backend nor here."""
        if self.phase is Phase.CLOSED:
            return
        if self.relay:
            self.relay.end()
        abandoned = self._owes_answer
        before, self.phase = self.phase, Phase.CLOSED
        self.client.close()
        if abandoned and self.relay and self._is_there():
            self.relay.flush()
            rewrites, seconds = self.relay.rewrites, self._settings[CANCEL_TIMEOUT] / 1000
            self.spawn(partial(cancel_abandoned, rewrites, self._is_there, self._cancel_own, seconds))
            return
        task = self._task
        running = task is not None and not task.done() and task is not asyncio.current_task()
        if task is not None and running:
            task.cancel()
        if before is not Phase.ASKING or not running:
            self._phase_closed()

    def _phase_closed(self) -> None:
        """The last step of closing: an ASK that was in flight has cleaned up behind itself."""
        stalled = self._conversation is not None and self._conversation.stalled
        self._conversation = None
        self.close()
        if self._standby:
            self._standby.leave()
        self._server.closed(self)
        if self._backend and stalled:
            self._backend.abort()
        elif self._backend:
            self._backend.close()
