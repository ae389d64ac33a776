"""A batch under a budget: every statement a search sends goes through here.

Owns: counting statements and time, and what a failed statement means.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from askwire.core.errors import DatabaseFailed, TooCostly
from askwire.core.protocols import Batch
from askwire.core.types import Cell, ResultSet
from askwire.selector.instances.types import Budget, Statistics

MAX_COMPARED_ROWS: Final = 50_000
"""Rows of an answer on all the data up to which it is read."""
QUERY_CANCELED = "57014"
INSUFFICIENT_PRIVILEGE = "42501"


class BudgetEnd(Exception):
    """The budget ended; `reason` is a phrase that says which part of it."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.reason = f"the budget of {what} is spent"


class SearchBatch:
    """One search's use of one read-only batch."""

    def __init__(self, batch: Batch, budget: Budget) -> None:
        self._batch = batch
        self._budget = budget
        self._began = time.monotonic()
        self._statements = 0
        self.rows_read = 0

    @property
    def statistics(self) -> Statistics:
        """What was spent so far."""
        return Statistics(self._statements, self._elapsed(), self.rows_read)

    @property
    def rows_left(self) -> int:
        """How many more rows may be read to search among."""
        return max(0, self._budget.rows - self.rows_read)

    def _elapsed(self) -> float:
        return (time.monotonic() - self._began) * 1000

    def _timeout(self, most: int = 0) -> int:
        """The next statement's time-out in milliseconds; raises Spent when nothing is left."""
        if self._statements >= self._budget.statements:
            raise BudgetEnd(f"{self._budget.statements} statements")
        left = self._budget.milliseconds - self._elapsed()
        if left < 1:
            raise BudgetEnd(f"{self._budget.milliseconds} ms")
        self._statements += 1
        return max(1, min(self._budget.statement_ms, most or self._budget.statement_ms, int(left)))

    async def read(self, sql: str, parameters: Sequence[Cell] = (), *, timeout_ms: int = 0) -> ResultSet:
        """One statement written by tracing; raises DatabaseFailed, or Spent before it is sent.

        `timeout_ms` is for one that has others after it that may tell as much.
        """
        return await self._batch.read(sql, parameters, timeout_ms=self._timeout(timeout_ms))

    async def plan(self, sql: str) -> None:
        """Plan what a user wrote and no one gated; raises RefusedByGate, DatabaseFailed or Spent."""
        self._timeout()
        await self._batch.explain(sql)

    async def run(self, sql: str) -> ResultSet | None:
        """A candidate itself, gated and capped; None when it takes longer, or costs more, than it may.

        An answer beyond `MAX_COMPARED_ROWS` rows is cut, and says so.
        """
        timeout = self._timeout()
        try:
            return await self._batch.run(sql, max_rows=MAX_COMPARED_ROWS, timeout_ms=timeout)
        except DatabaseFailed as error:
            if error.code == QUERY_CANCELED or isinstance(error, TooCostly):
                return None
            raise
