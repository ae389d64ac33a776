"""The asker's own backend connection as the pipeline's `Executor`.

Outside a block a batch is a READ ONLY transaction, inside one a READ ONLY subtransaction; both are always
rolled back. Opening, body and clean-up each have their own Sync: an error skips what is queued behind it up
to the next Sync. None of them waits for the one before where nothing can have gone wrong: far from the
backend each answer that is waited for takes its time.

Owns: how a batch is left, whatever happened in it, and the session that stays awake in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final

from askwire.core.errors import RefusedByGate
from askwire.core.settings.parsing import parse_duration
from askwire.proxy.session.statements.batch import Gate, SessionBatch
from askwire.proxy.session.statements.conversation import (
    CANCEL_AFTER_SECONDS,
    BackendGone,
    Conversation,
    delivered,
    to_its_end,
)
from askwire.proxy.session.statements.exchange import Exchange, Group
from askwire.proxy.session.statements.limits import Caps, Entry
from askwire.proxy.session.statements.prelude import NOTHING, Prelude

_RESTORE_TRIES: Final = 3
_ACKNOWLEDGE_TIMEOUT_SECONDS: Final = 1.0
"""Seconds in which an opening of which no one wants more is answered, unless it waits for something."""


async def _over(task: asyncio.Task[None]) -> None:
    await asyncio.wait((task,))


def _refuse(sql: str) -> str:
    raise RefusedByGate("no machine-written statement may run before the catalog is known")


@dataclass(frozen=True, slots=True)
class _PastBatch:
    """A batch that is left: what was sent to undo it, and the status that it leads to."""

    batch: SessionBatch
    undoing: Group
    entry: str


class SessionExecutor:
    """`core.protocols.Executor` over one client's backend connection; `end` it after use.

    `cancel` sends a CancelRequest for this backend and returns when the server has taken it. Until `admit`
    has been called no machine-written statement passes. Between batches a server timer for idle sessions is
    kept from ending this one.

    With `ends` it is certain that `end` is called before anybody else talks to the backend: what undoes a
    batch is then sent when that is left, and its answer is read with that of the next one's opening, by
    `settle` or by `end`.
    """

    def __init__(
        self,
        conversation: Conversation,
        caps: Caps,
        cancel: Callable[[], Awaitable[None]],
        prelude: Prelude = NOTHING,
        *,
        ends: bool = False,
    ) -> None:
        self._conversation = conversation
        self._exchange = Exchange(conversation)
        self._prelude = prelude
        self._alive: asyncio.Task[None] | None = None
        self._ended = False
        self._ends = ends
        self._left: _PastBatch | None = None
        self.caps = caps
        self._gate = Gate(_refuse)
        self._cancel = cancel
        self.entry = Entry()
        # the plans of one ASK: what has been explained is not explained again to be run
        self._costs: dict[str, float] = {}

    @property
    def statements(self) -> int:
        """How many have been sent."""
        return self._exchange.statements

    def admit(self, gate: Callable[[str], str]) -> None:
        """Set the gate: it turns machine-written SQL into the text that may run, or raises RefusedByGate.

        It runs beside the event loop.
        """
        self._gate = Gate(gate)

    async def passed(self, sql: str) -> str:
        """The text of a machine-written statement as it may run; raises RefusedByGate."""
        return await self._gate.passed(sql)

    def judged(self, sql: str) -> str:
        """The same, by the gate that is set at this moment."""
        return self._gate.judge(sql)

    @property
    def stands_alone(self) -> bool:
        """Whether statements of ours are in a transaction of their own, with nothing replayed before them."""
        entry = self._left.entry if self._left else self._conversation.pipeline.status
        return entry == "I" and not self._prelude.settings and not self._prelude.begins_block

    @asynccontextmanager
    async def batch(self) -> AsyncIterator[SessionBatch]:
        """Open a read-only batch; on leaving, the session is as it was, or will be behind what was sent."""
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
            work = self._conversation.stay_awake(timer / 3000, self._undone)
            self._alive = asyncio.get_running_loop().create_task(work)

    async def settle(self) -> None:
        """Wait until the session is as it was before the last batch."""
        async with self._conversation.turn:
            await self._conversation.finish(self._undone())

    async def end(self) -> None:
        """Nothing more is asked: what keeps the session from being idle ends, and it is as it was."""
        self._ended = True
        if self._alive is not None:
            self._alive.cancel()
            # its last Sync may still be unanswered
            await to_its_end(_over(self._alive))
            self._conversation.raise_stalled()
        if self._left is not None and not self._conversation.gone:
            # no one's deadline counts any more
            await self._conversation.finish(self._undone(), pressed=True)

    async def _undone(self) -> None:
        """Read what is still to come of the batch that was left last."""
        left = self._left
        if left is None or self._conversation.gone:
            return
        await self._exchange.drain()
        await self._restore(left.batch, left.entry, left.undoing)
        # until then it is left: anyone who comes next is shown that it cannot be undone
        self._left = None
        await self._closed()

    @asynccontextmanager
    async def _batch(self) -> AsyncIterator[SessionBatch]:
        before = self._left
        entry = before.entry if before else self._conversation.pipeline.status
        undoing = before.undoing if before else None
        batch = SessionBatch(
            self._exchange, entry, self.caps, self._gate, self._prelude, self._costs, undoing
        )
        pressed = smooth = False
        try:
            yield batch
            if batch.broken is not None:
                raise batch.broken
            smooth = self._ends and not self._prelude.settings
        except asyncio.CancelledError:
            pressed = True
            raise
        finally:
            if batch.opening is not None:
                self.entry = batch.entry
                self._left = None
                if smooth and not self._exchange.owed and not self._conversation.gone:
                    self._left = _PastBatch(batch, batch.undo(), entry)
                    self._exchange.close_names()
                else:
                    # a client that cancels twice, or vanishes after it has canceled, must not interrupt this
                    await self._conversation.finish(self._leave(batch, entry), pressed=pressed)

    async def _leave(self, batch: SessionBatch, entry: str) -> None:
        opening, exchange = batch.opening, self._exchange
        if self._conversation.gone or opening is None:
            return
        if exchange.owed:
            # before the savepoint is acknowledged a cancel would hit the client's own transaction; but a
            # DEFERRABLE block waits for its snapshot, which only a cancel ends, and it fails with the ASK
            with suppress(TimeoutError):
                async with asyncio.timeout(_ACKNOWLEDGE_TIMEOUT_SECONDS):
                    await exchange.answer(opening)
        if opening.error is not None:
            await exchange.drain()  # all of it is refused
        if exchange.owed:
            await self._hurried(exchange.drain())
            # a cancel that arrives late meets this statement, not one of the client's
            await exchange.answer(exchange.commands("SELECT"))
        if entry == "I" or batch.has_savepoint:
            await self._restore(batch, entry)
        # else the block failed before the savepoint, as it would have by any statement of the client's
        await self._closed()

    async def _closed(self) -> None:
        """Close the names that errors left behind."""
        if (closing := self._exchange.close_names()) is not None:
            await self._exchange.answer(closing)

    async def _hurried(self, draining: Coroutine[None, None, None]) -> None:
        """Have the backend cancel what is under way; where that is impossible, time-outs end it as well.

        All of it fails with the statement that is canceled. A backend that happens to be between two of them
        takes no notice, and is shown again.
        """
        task = asyncio.get_running_loop().create_task(draining)
        wait = CANCEL_AFTER_SECONDS
        try:
            while not task.done():
                await delivered(self._cancel)
                await asyncio.wait((task,), timeout=wait)
                wait *= 2
        finally:
            task.cancel()
            await asyncio.wait((task,))
        await task

    async def _restore(self, batch: SessionBatch, entry: str, undoing: Group | None = None) -> None:
        """Bring the transaction status back to `entry`; the session ends when that cannot be done.

        `undoing` is what has been sent for it already.
        """
        pipeline = self._conversation.pipeline
        for _ in range(_RESTORE_TRIES):
            if entry == "I" and pipeline.status == "I":
                return
            error = (await self._exchange.answer(undoing or batch.undo())).error
            undoing = None
            if entry == "I":
                continue
            if error is None and pipeline.status == entry:
                return
        if pipeline.status != entry:
            raise BackendGone("the session's transaction could not be restored")
