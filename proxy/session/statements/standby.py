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
from dataclasses import dataclass, field
from typing import Final, TypeVar

from askwire.core import ahead
from askwire.core.errors import DatabaseFailed
from askwire.core.protocols import Batch
from askwire.core.types import Cell, Plan, ResultSet
from askwire.proxy.connection.dsn import BackendAddress
from askwire.proxy.session.statements.batch import PreludeFailed
from askwire.proxy.session.statements.conversation import BackendGone
from askwire.proxy.session.statements.executor import SessionExecutor
from askwire.proxy.session.statements.limits import Caps
from askwire.proxy.session.statements.own_connection import OwnConnection, Target, opened
from askwire.proxy.session.statements.prelude import Prelude
from askwire.sql.literals import quote_literal

T = TypeVar("T")

_KEPT_SECONDS: Final = 60.0
"""How long a connection waits for the next ASK."""

_STANDBY_SQLSTATES: Final = frozenset(
    # a conflict with recovery, a deadlock with it, its database is dropped; it shuts down or starts
    ("40001", "40P01", "57P01", "57P02", "57P03", "57P04", "57P05", "25P03")
)
"""Errors that end what a standby can say (PostgreSQL, "Handling Query Conflicts")."""

_STATEMENT_SQLSTATES: Final = ("21", "22", "42", "54", "57014")
"""Classes of errors and one more that a statement meets anywhere.

Any other may be the standby's: it has no unlogged tables, other files and libraries, and locks of its own.
"""

_CANCEL_TIMEOUT_SECONDS: Final = 1.0
"""Seconds that a standby gets to end what was canceled."""

_GRACE_SECONDS: Final = 3.0
"""How long it may be silent beyond the time-outs of what it runs."""

_LEAVING_SECONDS: Final = 2 * _CANCEL_TIMEOUT_SECONDS
_NO_ANSWER: Final = "it does not answer"


@dataclass(frozen=True, slots=True)
class StandbyAddress:
    """Where a standby is; without `user` every client logs in there as itself, with its own password."""

    address: BackendAddress
    user: str = ""
    password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class AskerState:
    """What makes a session on the standby the asker's: its role, and parameters with their values."""

    role: str
    settings: tuple[tuple[str, str], ...]


class StandbySession:
    """One client's connection to a standby, made when it is first wanted.

    `login` are the parameters of the client's start-up packet; `password` is what it sent when the backend
    asked for one in clear text, None where the backend has not. `refused` says why the client is not let in.
    """

    def __init__(self, login: Mapping[str, str], password: str | None) -> None:
        self._login = login
        self._password = password
        self._connection: OwnConnection | None = None
        self._leaving: asyncio.TimerHandle | None = None
        self.refused = ""

    @property
    def is_open(self) -> bool:
        """Whether there is a connection."""
        return self._connection is not None and self._connection.is_open

    async def connect(self, standby: StandbyAddress) -> None:
        """Log in where there is no connection.

        Raises DatabaseFailed where the standby cannot be reached or refuses, ConfigurationError where it
        asks for a password that is not known.
        """
        if self._leaving:
            self._leaving.cancel()
        if not self.is_open:
            self._connection = await opened(self._target(standby), patience=_CANCEL_TIMEOUT_SECONDS)

    def _target(self, standby: StandbyAddress) -> Target:
        user = self._login["user"]
        database = self._login.get("database") or user
        if standby.user:
            return Target(standby.address, standby.user, database, standby.password, may_prompt=False)
        return Target(standby.address, user, database, self._password, may_prompt=False)

    def executor(self, caps: Caps, state: AskerState) -> SessionExecutor:
        """What runs statements there as the asker; `connect` comes first.

        Each batch takes the asker's role and parameters for itself: a pooler may give each of them another
        session.
        """
        if self._connection is None:
            raise RuntimeError("there is no connection")
        return self._connection.executor(caps, Prelude((_becoming(state),)))

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
        if self._leaving:
            self._leaving.cancel()
        self._leaving = asyncio.get_running_loop().call_later(_KEPT_SECONDS, self.leave)

    def leave(self) -> None:
        """End the session there, if there is one."""
        if self._leaving:
            self._leaving.cancel()
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.leave()


def _becoming(state: AskerState) -> str:
    """The statement that makes a transaction the asker's; the role comes last, as it may set less."""
    values = [*state.settings, ("role", state.role)]
    calls = (
        f"pg_catalog.set_config({quote_literal(name)}, {quote_literal(value)}, true)"
        for name, value in values
    )
    return f"SELECT {', '.join(calls)}"


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
            async with asyncio.timeout(_GRACE_SECONDS):
                await self._standby.end()
        except (TimeoutError, BackendGone) as error:
            self.abandon()
            self.lose(str(error) or _NO_ANSWER)
        raise_canceled()

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
        self._sent_ahead = 0

    async def enter(self) -> None:
        """Begin, on the standby."""
        self._batch = await self._context.__aenter__()

    async def leave(self, error: BaseException | None) -> None:
        """End it; a standby that is lost only now has answered all that it was asked."""
        context, self._context = self._context, nullcontext()
        leaving = context.__aexit__(type(error) if error else None, error, None)
        if not self._on_standby:
            await leaving
            return
        try:
            async with asyncio.timeout(_LEAVING_SECONDS):
                await leaving
        except (TimeoutError, BackendGone, DatabaseFailed) as failed:
            if failed is error:
                return
            if isinstance(failed, DatabaseFailed) and not _is_standbys_own(failed):
                raise
            self._executor.abandon()
            self._executor.lose(str(failed) or _NO_ANSWER)
        if error is None:
            raise_canceled()

    async def _asked(
        self, ask: Callable[[Batch], Awaitable[T]], timeout_ms: int = 0, statements: int = 1
    ) -> T:
        """An answer of the standby, or of the client's own connection where that cannot give one."""
        batch = self._batch
        if batch is None:
            raise RuntimeError("the batch has not begun")
        if not self._on_standby:
            return await ask(batch)
        # what was sent ahead may still run, and what runs is planned first
        longest = (2 * statements + self._sent_ahead) * self._caps.timeout(timeout_ms) / 1000
        silence = asyncio.timeout(longest + _GRACE_SECONDS if longest else None)
        try:
            async with silence:
                return await ask(batch)
        except (BackendGone, DatabaseFailed) as error:
            if _is_statements_own(error):
                raise
            await self.leave(error)
            if isinstance(error, BackendGone) or _is_standbys_own(error):
                self._executor.lose(str(error))
        except TimeoutError as error:
            if not silence.expired():
                raise
            self._executor.abandon()
            await self.leave(error)
            self._executor.lose(_NO_ANSWER)
        raise_canceled()
        self._on_standby = False
        context = self._executor.own.batch()
        self._batch = await context.__aenter__()
        self._context = context
        return await ask(self._batch)

    async def _asked_ahead(
        self, ask: Callable[[Batch], Awaitable[None]], statements: int, timeout_ms: int = 0
    ) -> None:
        self._sent_ahead += statements
        await self._asked(ask, timeout_ms, statements)

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
        await self._asked_ahead(lambda b: ahead.read_ahead(b, reads), len(reads), longest)

    async def plan_ahead(self, texts: Sequence[str]) -> None:
        """Plan machine-written statements."""
        await self._asked_ahead(lambda b: ahead.plan_ahead(b, texts), len(texts))

    async def run_ahead(self, texts: Sequence[str], *, max_rows: int = 0, template: bool = False) -> None:
        """Run machine-written statements."""
        await self._asked_ahead(
            lambda b: ahead.run_ahead(b, texts, max_rows=max_rows, template=template), len(texts)
        )


def _is_statements_own(error: BackendGone | DatabaseFailed) -> bool:
    """Whether a statement fails so anywhere; that its batch cannot become the asker's is not its fault."""
    if isinstance(error, BackendGone | PreludeFailed):
        return False
    return error.code.startswith(_STATEMENT_SQLSTATES)


def _is_standbys_own(error: DatabaseFailed) -> bool:
    """Whether an error means that the standby answers nothing more, or the next statement no better."""
    return error.code in _STANDBY_SQLSTATES or error.code.startswith("08")


def raise_canceled() -> None:
    """Raise a cancellation of this task that another exception has taken the place of."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
