"""A batch that is asked the same of the data once: many candidates compare the same literals.

Owns: the answers of one batch's reads, errors too.
"""

from __future__ import annotations

from collections.abc import Sequence

from askwire.core.ahead import ReadStatement, plan_ahead, read_ahead, run_ahead
from askwire.core.errors import DatabaseFailed
from askwire.core.protocols import Batch
from askwire.core.types import Cell, Plan, ResultSet


class BatchMemory:
    """A `Batch`, and `core.ahead.FarSighted`, over another; only `read` is remembered."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
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
        """As the batch does."""
        return await self._batch.run(sql, max_rows=max_rows, timeout_ms=timeout_ms, template=template)

    async def explain(self, sql: str) -> Plan:
        """As the batch does."""
        return await self._batch.explain(sql)

    async def read_ahead(self, reads: Sequence[ReadStatement]) -> None:
        """As the batch does, of what is not known."""
        await read_ahead(self._batch, [read for read in reads if read not in self._found])

    async def plan_ahead(self, texts: Sequence[str]) -> None:
        """As the batch does."""
        await plan_ahead(self._batch, texts)

    async def run_ahead(self, texts: Sequence[str], *, max_rows: int = 0, template: bool = False) -> None:
        """As the batch does."""
        await run_ahead(self._batch, texts, max_rows=max_rows, template=template)
