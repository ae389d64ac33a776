"""A batch that is asked the same of the data once: many candidates compare the same literals.

Owns: the answers of one batch's reads, errors too; and which texts are not run because others took too long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from askwire.core.ahead import ReadStatement, plan_ahead, read_ahead, run_ahead
from askwire.core.errors import QUERY_CANCELED, DatabaseFailed
from askwire.core.protocols import Batch
from askwire.core.types import Cell, Plan, ResultSet

_MAX_TIMEOUTS: Final = 2
"""Texts that may run into the timeout before those that are planned to cost as much are given up."""


class BatchMemory:
    """A `Batch`, and `core.ahead.Lookahead`, over another.

    What `read` found is remembered, and the planned costs of texts that took too long: after two of them a
    text that costs as much as the cheapest of these fails as they did, without being run.
    """

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._costs: dict[str, float] = {}
        self._slow: list[float] = []
        self._found: dict[ReadStatement, ResultSet | DatabaseFailed] = {}

    async def read(
        self, sql: str, parameters: Sequence[Cell] = (), *, max_rows: int = 0, timeout_ms: int = 0
    ) -> ResultSet:
        """As the batch does, once."""
        wanted = ReadStatement(sql, tuple(parameters), max_rows, timeout_ms)
        if wanted not in self._found:
            try:
                self._found[wanted] = await wanted.made(self._batch)
            except DatabaseFailed as error:
                self._found[wanted] = error
        found = self._found[wanted]
        if isinstance(found, DatabaseFailed):
            raise found
        return found

    async def run(
        self, sql: str, *, max_rows: int = 0, timeout_ms: int = 0, template: bool = False
    ) -> ResultSet:
        """As the batch does, but for what would take too long."""
        cost = self._costs.get(sql)
        if cost is not None and len(self._slow) >= _MAX_TIMEOUTS and cost >= min(self._slow):
            raise DatabaseFailed("not run: others that cost as much took too long", code=QUERY_CANCELED)
        try:
            return await self._batch.run(sql, max_rows=max_rows, timeout_ms=timeout_ms, template=template)
        except DatabaseFailed as error:
            if cost is not None and error.code == QUERY_CANCELED:
                self._slow.append(cost)
            raise

    async def explain(self, sql: str) -> Plan:
        """As the batch does."""
        plan = await self._batch.explain(sql)
        self._costs[sql] = plan.total_cost
        return plan

    async def read_ahead(self, reads: Sequence[ReadStatement]) -> None:
        """As the batch does, of what is not known."""
        await read_ahead(self._batch, [read for read in reads if read not in self._found])

    async def plan_ahead(self, texts: Sequence[str]) -> None:
        """As the batch does."""
        await plan_ahead(self._batch, texts)

    async def run_ahead(self, texts: Sequence[str], *, max_rows: int = 0, template: bool = False) -> None:
        """As the batch does."""
        await run_ahead(self._batch, texts, max_rows=max_rows, template=template)
