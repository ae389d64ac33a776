"""One client's session on a standby, and an `Executor` that asks it as long as it answers.

A standby cancels what stands in the way of its recovery, and may be gone or silent at any moment: none of
that tells anything of the statement that met it. Such a statement is asked again on the client's own
connection, and so is everything behind it.

Owns: the connection, how it is made the asker's, and which errors are a standby's own.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import Final, TypeVar

from askwire.core import ahead
from askwire.core.errors import DatabaseFailed
from askwire.core.protocols import Batch
from askwire.core.types import Cell, Plan, ResultSet
from askwire.proxy.connection.dsn import BackendAddress
from askwire.proxy.session.conversation import BackendGone
from askwire.proxy.session.executor import SessionExecutor
from askwire.proxy.session.limits import Caps
from askwire.proxy.session.own_connection import OwnConnection, Target, opened
from askwire.sql.literals import quote_identifier, quote_literal

T = TypeVar("T")

_KEPT_SECONDS: Final = 60.0
"""How long a connection waits for the next ASK."""

_STANDBYS_OWN: Final = frozenset(
    # a conflict with recovery, a deadlock with it, its database is dropped; it shuts down or starts
    ("40001", "40P01", "57P01", "57P02", "57P03", "57P04", "57P05", "25P03")
)
"""Errors that are not the statement's (PostgreSQL, "Handling Query Conflicts")."""

_PATIENCE: Final = 1.0
"""Seconds that a standby gets to end what was canceled."""

_GRACE_SECONDS: Final = 2.0
"""How long it may be silent beyond the time-outs of what it runs."""


@dataclass(frozen=True, slots=True)
class StandbyAddress:
    """Where a standby is; without `user` every client logs in there as itself, with its own password."""

    address: BackendAddress
    user: str = ""
    password: str | None = None


@dataclass(frozen=True, slots=True)
class AskerState:
    """What makes a session on the standby the asker's: its role, and parameters with their values."""

    role: str
    settings: tuple[tuple[str, str], ...]


class StandbySession:
    """One client's connection to a standby, made when it is first wanted.

    `login` are the parameters of the client's start-up packet; `password` is what it sent when the backend
    asked for one in clear text, None where the backend has not.
    """

    def __init__(self, login: Mapping[str, str], password: str | None) -> None:
        self._login = login
        self._password = password
        self._connection: OwnConnection | None = None
        self._state: AskerState | None = None
        self._leaving: asyncio.TimerHandle | None = None
        self.refused = ""

    async def connect(self, standby: StandbyAddress, state: AskerState) -> None:
        """Log in where there is no connection, and make it the asker's.

        Raises DatabaseFailed where the standby cannot be reached or refuses, ConfigurationError where it
        asks for a password that is not known.
        """
        if self._leaving:
            self._leaving.cancel()
        try:
            if self._connection is None or not self._connection.is_open:
                self._state = None
                self._connection = await opened(self._target(standby), patience=_PATIENCE)
            if self._state != state:
                self._state = None
                await self._connection.simple(_becoming(state))
                self._state = state
        except BackendGone as gone:
            raise DatabaseFailed(str(gone), code="08006") from None

    def _target(self, standby: StandbyAddress) -> Target:
        user = self._login["user"]
        database = self._login.get("database") or user
        if standby.user:
            return Target(standby.address, standby.user, database, standby.password, may_prompt=False)
        return Target(standby.address, user, database, self._password, may_prompt=False)

    def executor(self, caps: Caps) -> SessionExecutor:
        """What runs statements there; `connect` comes first."""
        if self._connection is None:
            raise RuntimeError("there is no connection")
        return self._connection.executor(caps)

    @property
    def last_words(self) -> str:
        """With what the standby ended the session; '' where it has not, or was silent."""
        return self._connection.last_words.get("M", "") if self._connection else ""

    def abandon(self) -> None:
        """Give up a standby that does not answer."""
        if self._connection is not None:
            self._connection.abandon()

    def rest(self) -> None:
        """Let go of the connection unless it is wanted again soon."""
        self._leaving = asyncio.get_running_loop().call_later(_KEPT_SECONDS, self.leave)

    def leave(self) -> None:
        """End the session there, if there is one."""
        if self._leaving:
            self._leaving.cancel()
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.leave()


def _becoming(state: AskerState) -> str:
    """Statements that make a session the asker's, whatever it was before."""
    values = [
        f"SELECT pg_catalog.set_config({quote_literal(name)}, {quote_literal(value)}, false)"
        for name, value in state.settings
    ]
    return "; ".join(("RESET ALL", "RESET ROLE", f"SET ROLE {quote_identifier(state.role)}", *values))


class ProbingExecutor:
    """`core.protocols.Executor` over a session on a standby, and over the client's own once that is lost.

    `lost` is called once, with what the standby said; `abandon` gives up the connection to it.
    """

    def __init__(
        self,
        standby: SessionExecutor,
        own: SessionExecutor,
        lost: Callable[[str], None],
        abandon: Callable[[], None],
    ) -> None:
        self._standby = standby
        self.own = own
        self.abandon = abandon
        self._lost = lost
        self.is_lost = False
        standby.admit(own.judged)

    async def end(self) -> None:
        """Nothing more is asked of the standby."""
        try:
            await self._standby.end()
        except BackendGone as gone:
            self.lose(str(gone))

    def lose(self, said: str) -> None:
        """Ask the client's own connection from now on."""
        if not self.is_lost:
            self.is_lost = True
            self._lost(said)

    @asynccontextmanager
    async def batch(self) -> AsyncIterator[Batch]:
        """Open a short read-only batch."""
        if self.is_lost:
            async with self.own.batch() as own:
                yield own
            return
        batch = _ProbingBatch(self, self._standby)
        await batch.enter()
        try:
            yield batch
        except BaseException as error:
            await batch.leave(error)
            raise
        else:
            await batch.leave(None)


class _ProbingBatch:
    """`core.protocols.Batch` and `core.ahead.Lookahead` on the standby, then on the client's connection.

    What was read before the standby was lost is of another snapshot than what is read behind it.
    """

    def __init__(self, executor: ProbingExecutor, standby: SessionExecutor) -> None:
        self._executor = executor
        self._caps = standby.caps
        self._context: AbstractAsyncContextManager[Batch | None] = standby.batch()
        self._batch: Batch | None = None
        self._on_standby = True

    async def enter(self) -> None:
        """Begin, on the standby."""
        self._batch = await self._context.__aenter__()

    async def leave(self, error: BaseException | None) -> None:
        """End it; a standby that is lost only now has answered all that it was asked."""
        context, self._context = self._context, nullcontext()
        try:
            await context.__aexit__(type(error) if error else None, error, None)
        except (BackendGone, DatabaseFailed) as failed:
            if failed is error:
                return
            if not self._on_standby or not _is_standbys_own(failed):
                raise
            self._executor.lose(str(failed))

    async def _asked(
        self, ask: Callable[[Batch], Awaitable[T]], timeout_ms: int = 0, statements: int = 1
    ) -> T:
        """An answer of the standby, or of the client's own connection where that cannot give one."""
        batch = self._batch
        if batch is None:
            raise RuntimeError("the batch has not begun")
        if not self._on_standby:
            return await ask(batch)
        longest = statements * self._caps.timeout(timeout_ms) / 1000
        silence = asyncio.timeout(longest + _GRACE_SECONDS if longest else None)
        try:
            async with silence:
                return await ask(batch)
        except (BackendGone, DatabaseFailed) as error:
            if not _is_standbys_own(error):
                raise
            await self.leave(error)
            self._executor.lose(str(error))
        except TimeoutError as error:
            if not silence.expired():
                raise
            self._executor.abandon()
            await self.leave(error)
            self._executor.lose("it does not answer")
        self._on_standby = False
        context = self._executor.own.batch()
        self._batch = await context.__aenter__()
        self._context = context
        return await ask(self._batch)

    async def read(
        self, sql: str, parameters: Sequence[Cell] = (), *, max_rows: int = 0, timeout_ms: int = 0
    ) -> ResultSet:
        """Run one statement of askwire's own."""
        return await self._asked(
            lambda b: b.read(sql, parameters, max_rows=max_rows, timeout_ms=timeout_ms), timeout_ms
        )

    async def run(
        self, sql: str, *, max_rows: int = 0, timeout_ms: int = 0, template: bool = False
    ) -> ResultSet:
        """Run one machine-written statement."""
        return await self._asked(
            lambda b: b.run(sql, max_rows=max_rows, timeout_ms=timeout_ms, template=template), timeout_ms
        )

    async def explain(self, sql: str) -> Plan:
        """Plan one machine-written statement."""
        return await self._asked(lambda b: b.explain(sql))

    async def read_ahead(self, reads: Sequence[ahead.ReadStatement]) -> None:
        """Statements of askwire's own."""
        longest = max((read.timeout_ms for read in reads), default=0)
        await self._asked(lambda b: ahead.read_ahead(b, reads), longest, len(reads))

    async def plan_ahead(self, texts: Sequence[str]) -> None:
        """Plan machine-written statements."""
        await self._asked(lambda b: ahead.plan_ahead(b, texts), statements=len(texts))

    async def run_ahead(self, texts: Sequence[str], *, max_rows: int = 0, template: bool = False) -> None:
        """Run machine-written statements."""
        await self._asked(
            lambda b: ahead.run_ahead(b, texts, max_rows=max_rows, template=template), statements=len(texts)
        )


def _is_standbys_own(error: BackendGone | DatabaseFailed) -> bool:
    """Whether an error is of the standby, and of no statement."""
    return isinstance(error, BackendGone) or error.code in _STANDBYS_OWN or error.code.startswith("08")
