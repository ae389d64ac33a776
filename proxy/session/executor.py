"""The asker's own backend connection as the pipeline's `Executor`.

Everything is sent in the extended protocol under private names, so that the client's unnamed statement and
portals survive. Outside a block a batch is a READ ONLY transaction, inside one a READ ONLY subtransaction;
both are always rolled back. Opening, body and clean-up each have their own Sync: an error skips what is
queued behind it up to the next Sync.

Must not know: what is asked, or who wrote the statements; the gate is a function it is given.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import count

from askwire.core.errors import DatabaseFailed, RefusedByGate, TooCostly
from askwire.core.setting_values import parse_duration
from askwire.core.types import Cell, Plan, ResultColumn, ResultSet, Row
from askwire.proxy.session.conversation import (
    PREFIX,
    BackendGone,
    Conversation,
    database_error,
    delivered,
    to_its_end,
)
from askwire.proxy.session.plans import read_plan
from askwire.proxy.session.prelude import NOTHING, Prelude
from askwire.proxy.wire import messages
from askwire.proxy.wire.encodings import encode
from askwire.proxy.wire.walker import DATA_ROW, ERROR_RESPONSE, READY_FOR_QUERY
from askwire.sql.safety import LONG

_ROW_DESCRIPTION = ord("T")
_PORTAL_SUSPENDED = ord("s")

_BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY NOT DEFERRABLE"
_ENTRY = (
    "SELECT pg_catalog.current_setting('transaction_read_only'), "
    "pg_catalog.current_setting('statement_timeout'), "
    "pg_catalog.current_setting('idle_in_transaction_session_timeout'), "
    "pg_catalog.current_setting('idle_session_timeout', true), "
    "pg_catalog.current_setting('transaction_timeout', true), "
    "pg_catalog.date_part('epoch', "
    "pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-) pg_catalog.transaction_timestamp())"
)
_SAVEPOINT = "SAVEPOINT askwire_probe"
_RESTORE = ("ROLLBACK TO SAVEPOINT askwire_probe", "RELEASE SAVEPOINT askwire_probe")
_STATEMENT_SAVEPOINT = "SAVEPOINT askwire_statement"
_STATEMENT_RESTORE = "ROLLBACK TO SAVEPOINT askwire_statement"
_RESTORE_TRIES = 3
MOST_READ = 128 << 20
"""Bytes that a statement of askwire's own may return: more than any catalog comes to."""
_NO_SAVEPOINT = "3B001"
_LOCK_NOT_AVAILABLE = "55P03"


@dataclass(frozen=True, slots=True)
class Caps:
    """What one statement of ours may cost: milliseconds, rows and bytes (0: no cap).

    `longest_ms` bounds what a single statement may ask for beyond `timeout_ms`; `max_cost` is what the plan
    of a machine-written statement may cost, in the planner's units.
    """

    timeout_ms: int
    longest_ms: int
    lock_timeout_ms: int
    max_rows: int
    max_bytes: int
    max_cost: float = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """What the session said before a batch changed it: its mode, and the timers that run on.

    `statement_timeout` and `idle_timeout` (the one that applies: of a transaction in a block, else of a
    session) are PostgreSQL's text, '0' for none; `transaction_left_ms` is what a block may still last, None
    without a limit. Outside a block `read_only` tells of askwire's own transaction and is always true.
    """

    read_only: bool = True
    statement_timeout: str = "0"
    idle_timeout: str = "0"
    transaction_left_ms: int | None = None


def _read_entry(row: Row, *, in_block: bool) -> Entry:
    """Read the answer to `_ENTRY`; the last timers do not exist on older servers."""
    read_only, statement, idle_in_transaction, idle_session, transaction, age = row
    whole = parse_duration(transaction or "0") if in_block else 0
    return Entry(
        read_only == "on",
        statement or "0",
        (idle_in_transaction if in_block else idle_session) or "0",
        max(1, whole - round(float(age or 0) * 1000)) if whole else None,
    )


def _explained(error: DatabaseFailed) -> DatabaseFailed:
    """An error of a statement of ours, with the setting that is behind it."""
    if error.code != _LOCK_NOT_AVAILABLE:
        return error
    return DatabaseFailed(
        error.message,
        code=error.code,
        detail=error.detail or "Another session holds a lock on what the answer reads.",
        hint="Try again later. The setting probe_lock_timeout says how long askwire waits for a lock.",
        position=error.position,
    )


async def _over(task: asyncio.Task[None]) -> None:
    await asyncio.wait((task,))


@dataclass(frozen=True, slots=True)
class _Gate:
    """Who judges machine-written statements; a long one is judged beside the event loop."""

    judge: Callable[[str], str]
    is_long: Callable[[str], bool]

    async def passed(self, sql: str) -> str:
        return await asyncio.to_thread(self.judge, sql) if self.is_long(sql) else self.judge(sql)


def _refuse(sql: str) -> str:
    raise RefusedByGate("no machine-written statement may run before the catalog is known")


def _is_long(sql: str) -> bool:
    return len(sql) > LONG


class PreludeFailed(DatabaseFailed):
    """A statement of the client's own that stands in front of the ASK fails."""


class SessionExecutor:
    """`core.protocols.Executor` over one client's backend connection; `end` it after use.

    `cancel` sends a CancelRequest for this backend and returns when the server has taken it. Until `admit`
    has been called no machine-written statement passes. Between batches a server timer for idle sessions is
    kept from ending this one.
    """

    def __init__(
        self,
        conversation: Conversation,
        caps: Caps,
        cancel: Callable[[], Awaitable[None]],
        prelude: Prelude = NOTHING,
    ) -> None:
        self._conversation = conversation
        self._prelude = prelude
        self._alive: asyncio.Task[None] | None = None
        self._ended = False
        self.caps = caps
        self._gate = _Gate(_refuse, _is_long)
        self._cancel = cancel
        self.statements = 0
        self.entry = Entry()
        # the plans of one ASK: what has been explained is not explained again to be run
        self._costs: dict[str, float] = {}

    def admit(self, gate: Callable[[str], str], is_long: Callable[[str], bool] = _is_long) -> None:
        """Set the gate: it turns machine-written SQL into the text that may run, or raises RefusedByGate.

        `is_long` tells which texts it may take so long for that it works in a thread.
        """
        self._gate = _Gate(gate, is_long)

    async def passed(self, sql: str) -> str:
        """The text of a machine-written statement as it may run; raises RefusedByGate."""
        return await self._gate.passed(sql)

    @asynccontextmanager
    async def batch(self) -> AsyncIterator[SessionBatch]:
        """Open a read-only batch; on leaving, the session is as it was, whatever happened inside."""
        try:
            async with self._conversation.turn:
                with self._conversation.quiet_parameters():
                    async with self._batch() as batch:
                        yield batch
        finally:
            self._keep_alive()

    def _keep_alive(self) -> None:
        timer = parse_duration(self.entry.idle_timeout)
        if timer and self._alive is None and not self._ended:
            work = self._conversation.stay_awake(timer / 3000)
            self._alive = asyncio.get_running_loop().create_task(work)

    async def end(self) -> None:
        """Nothing more is asked: what keeps the session from being idle ends."""
        self._ended = True
        if self._alive is not None:
            self._alive.cancel()
            # its last Sync may still be unanswered
            await to_its_end(_over(self._alive))
            self._conversation.raise_stalled()

    @asynccontextmanager
    async def _batch(self) -> AsyncIterator[SessionBatch]:
        batch = SessionBatch(self._conversation, self.caps, self._gate, self._prelude, self._costs)
        entry = self._conversation.pipeline.status
        opening = pressed = False
        try:
            opening = True
            await batch.open(entry)
            opening = False
            yield batch
        except asyncio.CancelledError:
            pressed = True
            raise
        finally:
            self.statements += batch.statements
            self.entry = batch.entry
            # a client that cancels twice, or vanishes after it has canceled, must not interrupt this
            leaving = self._leave(batch, entry, opening=opening)
            await self._conversation.finish(leaving, pressed=pressed)

    async def _leave(self, batch: SessionBatch, entry: str, *, opening: bool) -> None:
        await self._restore(batch, entry, opening=opening)
        if not self._conversation.gone:
            await batch.close_names()

    async def _restore(self, batch: SessionBatch, entry: str, *, opening: bool) -> None:
        """Bring the transaction status back to `entry`; the session ends when that cannot be done."""
        conversation = self._conversation
        if conversation.gone:
            return
        if batch.running:
            if not opening:
                # before the savepoint is acknowledged a cancel would hit the client's own transaction
                await delivered(self._cancel)  # where it is not, its statement_timeout ends it as well
            await batch.drain()
            if not opening:
                # a cancel that arrives late meets this statement, not one of the client's
                await batch.absorb_cancel()
        elif not batch.opened:
            return
        for _ in range(_RESTORE_TRIES):
            status = conversation.pipeline.status
            if entry == "I":
                if status == "I":
                    return
                await batch.command("ROLLBACK")
            else:
                error = await batch.commands(_RESTORE)
                if error is None and conversation.pipeline.status == entry:
                    return
                if opening and error is not None and error.code == _NO_SAVEPOINT:
                    # the block failed before the savepoint, as it would have by any statement of the client's
                    return
        if conversation.pipeline.status != entry:
            raise BackendGone("the session's transaction could not be restored")


class SessionBatch:
    """`core.protocols.Batch` over one client's backend connection."""

    _names = count(1)

    def __init__(
        self,
        conversation: Conversation,
        caps: Caps,
        gate: _Gate,
        prelude: Prelude,
        costs: dict[str, float],
    ) -> None:
        self._costs = costs
        self._conversation = conversation
        self._prelude = prelude
        self._caps = caps
        self._gate = gate
        self._owed = 0
        # names used under the Sync being written, under each Sync sent, and under those that failed
        self._named: list[bytes] = []
        self._sent: deque[list[bytes]] = deque()
        self._unclosed: list[bytes] = []
        self._timeout_ms = 0
        self.opened = False
        self.statements = 0
        self.entry = Entry()

    @property
    def running(self) -> bool:
        """Whether an answer of the backend is still to come."""
        return self._owed > 0

    def _send(self, data: bytes) -> None:
        self._owed += 1
        self._sent.append(self._named)
        self._named = []
        self._conversation.send(data + messages.SYNC)

    async def _ready(self) -> DatabaseFailed | None:
        return (await self._collect())[2]

    async def _collect(
        self, max_rows: int = 0, max_bytes: int = 0
    ) -> tuple[tuple[ResultColumn, ...], list[Row], DatabaseFailed | None, bool]:
        """Read up to ReadyForQuery: columns, rows under the caps, the first error, whether rows were cut."""
        columns: tuple[ResultColumn, ...] = ()
        rows: list[Row] = []
        truncated = False
        size = 0
        error: DatabaseFailed | None = None
        while True:
            kind, payload = await self._conversation.receive()
            if kind == DATA_ROW:
                size += len(payload)
                if not payload or (max_bytes and size > max_bytes) or (max_rows and len(rows) >= max_rows):
                    truncated = True
                else:
                    rows.append(messages.read_data_row(payload, self._conversation.codec))
            elif kind == _ROW_DESCRIPTION:
                columns = messages.read_row_description(payload, self._conversation.codec)
            elif kind == _PORTAL_SUSPENDED:
                truncated = True
            elif kind == ERROR_RESPONSE:
                error = error or database_error(messages.read_fields(payload, self._conversation.codec))
            elif kind == READY_FOR_QUERY:
                self._owed -= 1
                names = self._sent.popleft()
                if error is not None:
                    self._unclosed += names
                return columns, rows, error, truncated

    async def close_names(self) -> None:
        """Close what an error left behind: it skips the Close of its own statement and all that follow."""
        if self._unclosed:
            names, self._unclosed = self._unclosed, []
            self._send(b"".join(messages.close_portal(n) + messages.close_statement(n) for n in names))
            await self._ready()

    async def drain(self) -> None:
        """Read every answer that is still owed."""
        while self._owed:
            await self._ready()

    def _steps(
        self, sql: str, parameters: Sequence[Cell] = (), max_rows: int = 0, describe: bool = False
    ) -> bytes:
        """Parse, Bind, [Describe], Execute and Close of one statement under a private name."""
        self.statements += 1
        name = PREFIX + str(next(self._names)).encode()
        self._named.append(name)
        return (
            messages.parse(name, self._encode(sql))
            + messages.bind(name, name, [None if p is None else self._encode(p) for p in parameters])
            + (messages.describe_portal(name) if describe else b"")
            + messages.execute(name, max_rows)
            + messages.close_portal(name)
            + messages.close_statement(name)
        )

    def _encode(self, text: str) -> bytes:
        if "\x00" in text:
            raise DatabaseFailed("a statement holds a NUL character", code="22021")
        try:
            return encode(text, self._conversation.codec)
        except UnicodeEncodeError:
            raise DatabaseFailed(
                "a statement holds a character that the client encoding cannot express", code="22P05"
            ) from None

    async def commands(self, statements: Sequence[str]) -> DatabaseFailed | None:
        """Run statements that return nothing under one Sync; the first error, if any."""
        self._send(b"".join(self._steps(sql) for sql in statements))
        return await self._ready()

    async def command(self, sql: str) -> DatabaseFailed | None:
        """Run one statement that returns nothing; its error, if any."""
        return await self.commands((sql,))

    async def absorb_cancel(self) -> None:
        """Run a statement that may be canceled without loss."""
        await self.command("SELECT")

    async def open(self, entry: str) -> None:
        """Start the read-only (sub)transaction; raises DatabaseFailed when the backend will not."""
        self._timeout_ms = self._caps.timeout_ms
        self.opened = True
        # in a SERIALIZABLE block the first snapshot must be taken read-write, else the whole transaction
        # counts as read-only and write skew commits: _ENTRY stands before the savepoint. In either case it
        # stands before the prelude: no setting can make the transaction read-write behind a snapshot
        steps = (_BEGIN, _ENTRY) if entry == "I" else (_ENTRY, _SAVEPOINT, "SET TRANSACTION READ ONLY")
        self._send(b"".join(self._steps(sql) for sql in steps))
        _, rows, error, _ = await self._collect()
        if error is not None:
            raise error
        in_block = entry != "I"
        self.entry = _read_entry(rows[0], in_block=in_block)
        if self._prelude.settings:
            await self._play_prelude(in_block)
        if self._prelude.begins_block and not in_block:
            self.entry = replace(self.entry, read_only=self._prelude.read_only)
        caps = (
            f"SET LOCAL statement_timeout = {self._caps.timeout_ms}",
            f"SET LOCAL lock_timeout = {self._caps.lock_timeout_ms}",
            # a probe keeps to one process: its caps hold for each, and workers belong to the whole server
            "SET LOCAL max_parallel_workers_per_gather = 0",
        )
        if error := await self.commands(caps):
            raise error

    async def _play_prelude(self, in_block: bool) -> None:
        for sql in self._prelude.settings:
            if error := await self.command(sql):
                raise PreludeFailed(error.message, code=error.code, detail=error.detail, hint=error.hint)
        self._send(self._steps(_ENTRY))
        _, rows, error, _ = await self._collect()
        if error is not None:
            raise error
        read_only = self.entry.read_only
        self.entry = replace(_read_entry(rows[0], in_block=in_block), read_only=read_only)

    async def read(
        self, sql: str, parameters: Sequence[Cell] = (), *, max_rows: int = 0, timeout_ms: int = 0
    ) -> ResultSet:
        """Run one statement of askwire's own."""
        return await self._query(sql, parameters, max_rows, 0, timeout_ms)

    async def run(
        self, sql: str, *, max_rows: int = 0, timeout_ms: int = 0, template: bool = False
    ) -> ResultSet:
        """Run one machine-written statement: gated, then capped in plan cost, rows, bytes and time."""
        caps = self._caps
        passed = await self._gate.passed(sql)
        if caps.max_cost and not template:
            cost = self._costs.get(passed)
            if cost is None:
                cost = (await self._plan(passed)).total_cost
            if cost > caps.max_cost:
                raise TooCostly(cost, caps.max_cost)
        rows = min(max_rows, caps.max_rows) if max_rows and caps.max_rows else max_rows or caps.max_rows
        return await self._query(passed, (), rows, caps.max_bytes, timeout_ms)

    async def explain(self, sql: str) -> Plan:
        """Plan one machine-written statement; gated."""
        return await self._plan(await self._gate.passed(sql))

    async def _plan(self, passed: str) -> Plan:
        plan = read_plan(await self._query(f"EXPLAIN (FORMAT JSON) {passed}", (), 0, 0, 0))
        self._costs[passed] = plan.total_cost
        return plan

    async def _query(
        self, sql: str, parameters: Sequence[Cell], max_rows: int, max_bytes: int, timeout_ms: int
    ) -> ResultSet:
        before = [_STATEMENT_SAVEPOINT]
        timeout = timeout_ms or self._caps.timeout_ms
        if self._caps.longest_ms:
            timeout = min(timeout, self._caps.longest_ms)
        if timeout != self._timeout_ms:
            self._timeout_ms = timeout
            before.insert(0, f"SET LOCAL statement_timeout = {timeout}")
        fetch = max_rows + 1 if max_rows else 0
        body = self._steps(sql, parameters, fetch, describe=True)
        most = max_bytes or MOST_READ
        self._conversation.cap_rows(most)
        self._send(b"".join(self._steps(step) for step in before) + body)
        columns, rows, error, truncated = await self._collect(max_rows, most)
        if truncated and not max_bytes and not max_rows:
            # half a catalog would let the gate pass what it must refuse
            error = error or DatabaseFailed(
                f"what was read comes to more than {MOST_READ} bytes", code="54000"
            )
        if error is not None:
            undone = await self.command(_STATEMENT_RESTORE)
            raise undone or _explained(error)
        return ResultSet(columns, tuple(rows), truncated)
