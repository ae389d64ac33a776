"""One read-only (sub)transaction on a client's backend connection: what is sent in it, and in what order.

Outside a block it is a READ ONLY transaction, inside one a READ ONLY subtransaction. Nothing is sent before
the first statement, and that does not wait for the opening's answer: each statement stands behind a savepoint
of its own under one Sync, which fails outside a transaction and in one that has failed. So whatever becomes
of the opening, no statement runs that it does not protect.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from askwire.core.ahead import ReadStatement
from askwire.core.beside import beside
from askwire.core.errors import DatabaseFailed, RefusedByGate, TooCostly
from askwire.core.types import Cell, Plan, ResultSet
from askwire.proxy.session.statements.exchange import Exchange, FramedStatement, Group
from askwire.proxy.session.statements.limits import READ_ENTRY, Caps, Entry, read_entry
from askwire.proxy.session.statements.plans import read_plan
from askwire.proxy.session.statements.prelude import Prelude

_BEGIN: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY NOT DEFERRABLE"
_SAVEPOINT: Final = "SAVEPOINT askwire_probe"
_RESTORE: Final = ("ROLLBACK TO SAVEPOINT askwire_probe", "RELEASE SAVEPOINT askwire_probe")
_STATEMENT_SAVEPOINT: Final = "SAVEPOINT askwire_statement"
_STATEMENT_RESTORE: Final = "ROLLBACK TO SAVEPOINT askwire_statement"
_UNKNOWN_TIMEOUT: Final = -1
_STATEMENTS_BEFORE_SAVEPOINT: Final = 1
"""Statements of an opening in a block that stand in front of the savepoint."""
_LOCK_NOT_AVAILABLE: Final = "55P03"
_WAITED_SQLSTATES: Final = frozenset((_LOCK_NOT_AVAILABLE, "57014"))
"""What failed so took its time: anyone who wanted more may want no more of it."""

MOST_READ = 128 << 20
"""Bytes that a statement of askwire's own may return: more than any catalog comes to."""


class PreludeFailed(DatabaseFailed):
    """A statement of the client's own that stands in front of the ASK fails."""


@dataclass(frozen=True, slots=True)
class Gate:
    """Who judges machine-written statements, beside the event loop."""

    judge: Callable[[str], str]

    async def passed(self, sql: str) -> str:
        """The text as it may run; raises RefusedByGate."""
        return await beside(self.judge, sql)


@dataclass(frozen=True, slots=True)
class _StatementCall:
    """One statement and its caps; bytes and rows of 0 are none, for askwire's own."""

    sql: str
    parameters: tuple[Cell, ...] = ()
    max_rows: int = 0
    max_bytes: int = 0
    timeout_ms: int = 0


class SessionBatch:
    """`core.protocols.Batch` and `core.ahead.FarSighted` over one client's backend connection.

    `entry_status` is the transaction status that it begins in; `before` is what was sent to leave another
    batch and may not have been answered, `costs` what plans are known to cost. `opening` is what was sent to
    open it, None so far, and `broken` the error that it met: nothing can be sent then.
    """

    def __init__(
        self,
        exchange: Exchange,
        entry_status: str,
        caps: Caps,
        gate: Gate,
        prelude: Prelude,
        costs: dict[str, float],
        before: Group | None = None,
    ) -> None:
        self._exchange = exchange
        self._in_block = entry_status != "I"
        self._caps = caps
        self._gate = gate
        self._prelude = prelude
        self._costs = costs
        self._before = before
        self._sent_before = exchange.statements
        self._playing: list[Group] = []
        self._begun = self._failed = False
        self.broken: DatabaseFailed | None = None
        self._timeout_ms = caps.timeout_ms
        self._ahead: dict[_StatementCall, ResultSet | DatabaseFailed] = {}
        self._coming: Sequence[_StatementCall] = ()
        self.opening: Group | None = None
        self.entry = Entry()

    @property
    def statements(self) -> int:
        """How many were sent in it so far."""
        return self._exchange.statements - self._sent_before

    @property
    def has_savepoint(self) -> bool:
        """Whether a savepoint of ours stands in the client's block, as far as answers have come.

        Only then may it be gone back to: the client may have one of that name.
        """
        made = self.opening is not None and self.opening.completed > _STATEMENTS_BEFORE_SAVEPOINT
        return made or (self._before is not None and self._before.completed < len(_RESTORE))

    def undo(self) -> Group:
        """Send what undoes it; its answer is still to come."""
        return self._exchange.commands(*(_RESTORE if self._in_block else ("ROLLBACK",)))

    # -- the opening

    def _open(self) -> None:
        """Send what starts the read-only (sub)transaction, unless that has been done."""
        if self.opening is not None:
            return
        # in a SERIALIZABLE block the first snapshot must be taken read-write, else the whole transaction
        # counts as read-only and write skew commits: READ_ENTRY stands before the savepoint. In either case
        # it stands before the prelude: no setting can make the transaction read-write behind a snapshot
        if self._in_block:
            steps: tuple[str, ...] = (READ_ENTRY, _SAVEPOINT, "SET TRANSACTION READ ONLY")
        else:
            steps = (_BEGIN, READ_ENTRY)
        # a statement that fails before its own savepoint is undone to this one, not to one of the client's
        last = (*self._caps.commands, _STATEMENT_SAVEPOINT)
        if not self._prelude.settings:
            self.opening = self._exchange.commands(*steps, *last)
            return
        self.opening = self._exchange.commands(*steps)
        # outside a transaction a SET would last: each stands behind a savepoint, as our own statements do
        self._playing = [self._exchange.commands(_STATEMENT_SAVEPOINT, sql) for sql in self._prelude.settings]
        self._playing.append(self._exchange.commands(READ_ENTRY, *last))

    async def _opened(self, opening: Group) -> None:
        """Wait for the opening; raises DatabaseFailed when the backend will not, PreludeFailed."""
        if self._begun:
            return
        await self._exchange.answer(opening)
        self.broken = (self._before.error if self._before else None) or opening.error
        if self.broken is not None:
            raise self.broken
        self.entry = read_entry(opening.rows[0], in_block=self._in_block)
        for group in self._playing:
            error = (await self._exchange.answer(group)).error
            if error is not None and group is not self._playing[-1]:
                error = PreludeFailed(error.message, code=error.code, detail=error.detail, hint=error.hint)
            if error is not None:
                self.broken = error
                raise error
        if self._playing:
            played = read_entry(self._playing[-1].rows[0], in_block=self._in_block)
            self.entry = replace(played, read_only=self.entry.read_only)
        if self._prelude.begins_block and not self._in_block:
            self.entry = replace(self.entry, read_only=self._prelude.read_only)
        self._begun = True

    # -- one statement

    async def read(
        self, sql: str, parameters: Sequence[Cell] = (), *, max_rows: int = 0, timeout_ms: int = 0
    ) -> ResultSet:
        """Run one statement of askwire's own."""
        return await self._query(_StatementCall(sql, tuple(parameters), max_rows, 0, timeout_ms))

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
        return await self._query(self._run(passed, max_rows, timeout_ms))

    def _run(self, passed: str, max_rows: int, timeout_ms: int = 0) -> _StatementCall:
        return _StatementCall(passed, (), self._caps.rows(max_rows), self._caps.max_bytes, timeout_ms)

    async def explain(self, sql: str) -> Plan:
        """Plan one machine-written statement; gated."""
        return await self._plan(await self._gate.passed(sql))

    async def _plan(self, passed: str) -> Plan:
        plan = read_plan(await self._query(_explaining(passed)))
        self._costs[passed] = plan.total_cost
        return plan

    # -- several at once

    async def read_ahead(self, reads: Sequence[ReadStatement]) -> None:
        """Send statements of askwire's own in one go; `read` then has the answers at hand."""
        await self._look_ahead(
            [_StatementCall(r.sql, r.parameters, r.max_rows, 0, r.timeout_ms) for r in reads]
        )

    async def plan_ahead(self, texts: Sequence[str]) -> None:
        """Plan machine-written statements in one go; `explain` then has the answers at hand."""
        wanted = {passed: _explaining(passed) for passed in await self._all_passed(texts)}
        await self._look_ahead(list(wanted.values()))
        for passed, explaining in wanted.items():
            if isinstance(found := self._ahead.get(explaining), ResultSet):
                with suppress(DatabaseFailed):  # `explain` tells it
                    self._costs[passed] = read_plan(found).total_cost

    async def run_ahead(self, texts: Sequence[str], *, max_rows: int = 0, template: bool = False) -> None:
        """Run machine-written statements that are known not to cost too much; `run` then has the answers."""
        most = self._caps.max_cost
        passed = [
            text
            for text in await self._all_passed(texts)
            if template or (text in self._costs and not (most and self._costs[text] > most))
        ]
        await self._look_ahead([self._run(text, max_rows) for text in passed])

    async def _all_passed(self, texts: Sequence[str]) -> list[str]:
        """The texts that may run, each once; the others are refused again when somebody asks for them."""
        passed: dict[str, None] = {}
        for text in texts:
            try:
                passed[await self._gate.passed(text)] = None
            except RefusedByGate:
                continue
        return list(passed)

    async def _look_ahead(self, wanted: Sequence[_StatementCall]) -> None:
        coming = [one for one in dict.fromkeys(wanted) if one not in self._ahead]
        waited = False
        while coming and not waited:
            found = await self._up_to_an_error(coming)
            self._ahead.update(zip(coming, found, strict=False))
            coming = coming[len(found) :]
            waited = isinstance(found[-1], DatabaseFailed) and found[-1].code in _WAITED_SQLSTATES
        # sent with the first of them that is asked for
        self._coming = coming

    # -- on the wire

    async def _query(self, wanted: _StatementCall) -> ResultSet:
        if wanted in self._coming:
            await self._look_ahead(self._coming[self._coming.index(wanted) :])
        found = self._ahead.pop(wanted, None)
        if found is None:
            (found,) = await self._up_to_an_error((wanted,))
        if isinstance(found, DatabaseFailed):
            raise found
        return found

    async def _up_to_an_error(self, wanted: Sequence[_StatementCall]) -> list[ResultSet | DatabaseFailed]:
        """Send statements in one go: the answers up to the first error, and that.

        What stands behind an error is refused by the backend unseen. So a cancel request ends all that is
        under way, and the rest can be sent again.
        """
        if self.broken is not None:
            raise self.broken
        groups: list[Group] = []
        unsendable: DatabaseFailed | None = None
        for one in wanted:
            try:
                groups.append(self._send(one))
            except DatabaseFailed as error:
                unsendable = error
                break
        if self.opening is not None:
            await self._opened(self.opening)
        found: list[ResultSet | DatabaseFailed] = []
        failed = False
        for one, group in zip(wanted, groups, strict=False):
            await self._exchange.answer(group)
            if failed:
                continue
            found.append(_result(group, one))
            failed = group.error is not None
        if failed:
            # undone with the next statement; a time-out may have been set in what was refused
            self._failed, self._timeout_ms = True, _UNKNOWN_TIMEOUT
        elif unsendable is not None:
            found.append(unsendable)
        return found

    def _send(self, wanted: _StatementCall) -> Group:
        """Send one statement behind what undoes a failed one, its time-out, and its savepoint."""
        fetch = wanted.max_rows + 1 if wanted.max_rows else 0
        body = self._exchange.framed(wanted.sql, wanted.parameters, fetch, describe=True)
        self._open()
        timeout = self._caps.timeout(wanted.timeout_ms)
        steps: list[FramedStatement] = []
        if self._failed:
            steps.append(self._exchange.framed(_STATEMENT_RESTORE))
        if timeout != self._timeout_ms:
            steps.append(self._exchange.framed(f"SET LOCAL statement_timeout = {timeout}"))
        steps.append(self._exchange.framed(_STATEMENT_SAVEPOINT))
        self._failed, self._timeout_ms = False, timeout
        return self._exchange.send([*steps, body], wanted.max_rows, wanted.max_bytes or MOST_READ)


def _explaining(passed: str) -> _StatementCall:
    return _StatementCall(f"EXPLAIN (FORMAT JSON) {passed}")


def _result(group: Group, wanted: _StatementCall) -> ResultSet | DatabaseFailed:
    """What a statement came to."""
    if group.error is not None:
        return _explained(group.error)
    if group.truncated and not wanted.max_bytes and not wanted.max_rows:
        # half a catalog would let the gate pass what it must refuse
        return DatabaseFailed(f"the result exceeds {MOST_READ} bytes", code="54000")
    return ResultSet(group.columns, tuple(group.rows), group.truncated)


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
