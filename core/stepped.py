"""The asker's connection as a step of `core.beside.stepwise` uses it: statements are sent on the event loop.

Owns: that seam. Outside a step it passes everything on as it is.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from askwire.core import ahead
from askwire.core.beside import on_loop
from askwire.core.protocols import Batch, Executor
from askwire.core.types import Cell, Plan, ResultSet


@dataclass(frozen=True, slots=True)
class SteppedExecutor:
    """`core.protocols.Executor` over another."""

    executor: Executor

    def batch(self) -> AbstractAsyncContextManager[Batch]:
        """Open a short read-only batch."""
        return _opened(self.executor)


@asynccontextmanager
async def _opened(executor: Executor) -> AsyncIterator[Batch]:
    opened = executor.batch()
    batch = await on_loop(opened.__aenter__())
    try:
        yield _SteppedBatch(batch)
    except BaseException as error:
        if not await on_loop(opened.__aexit__(type(error), error, error.__traceback__)):
            raise
    else:
        await on_loop(opened.__aexit__(None, None, None))


@dataclass(frozen=True, slots=True)
class _SteppedBatch:
    """`core.protocols.Batch` and `core.ahead.FarSighted` over another batch."""

    batch: Batch

    async def read(
        self, sql: str, parameters: Sequence[Cell] = (), *, max_rows: int = 0, timeout_ms: int = 0
    ) -> ResultSet:
        """Run one statement of askwire's own."""
        return await on_loop(self.batch.read(sql, parameters, max_rows=max_rows, timeout_ms=timeout_ms))

    async def run(
        self, sql: str, *, max_rows: int = 0, timeout_ms: int = 0, template: bool = False
    ) -> ResultSet:
        """Run one machine-written statement."""
        return await on_loop(self.batch.run(sql, max_rows=max_rows, timeout_ms=timeout_ms, template=template))

    async def explain(self, sql: str) -> Plan:
        """Plan one machine-written statement."""
        return await on_loop(self.batch.explain(sql))

    async def read_ahead(self, reads: Sequence[ahead.ReadStatement]) -> None:
        """Statements of askwire's own."""
        await on_loop(ahead.read_ahead(self.batch, reads))

    async def plan_ahead(self, texts: Sequence[str]) -> None:
        """Plan machine-written statements."""
        await on_loop(ahead.plan_ahead(self.batch, texts))

    async def run_ahead(self, texts: Sequence[str], *, max_rows: int = 0, template: bool = False) -> None:
        """Run machine-written statements."""
        await on_loop(ahead.run_ahead(self.batch, texts, max_rows=max_rows, template=template))
