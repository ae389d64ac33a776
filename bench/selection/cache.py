"""What statements answered, kept on disk between runs of a bench.

Owns: an `Executor` that asks the server only for what no earlier run has asked it. For benches over data that
does not change; a pool's fifteen systems give each question to ten strategies.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from askwire.core.errors import DatabaseFailed
from askwire.core.protocols import Batch, Executor
from askwire.core.types import Cell, Plan, ResultColumn, ResultSet


class Cache:
    """Texts by key in one SQLite file; a context manager."""

    def __init__(self, path: Path | None) -> None:
        self._connection = sqlite3.connect(path or ":memory:", isolation_level=None)
        self._connection.execute("PRAGMA synchronous = off")
        self._connection.execute("CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, told TEXT)")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def get(self, *key: str) -> Any:
        """What is kept under a key, None when nothing is."""
        row = self._connection.execute("SELECT told FROM kept WHERE key = ?", (_digest(key),)).fetchone()
        return json.loads(row[0]) if row else None

    def put(self, told: Any, *key: str) -> None:
        """Keep something JSON can hold."""
        text = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
        self._connection.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (_digest(key), text))


def _digest(key: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(key).encode()).hexdigest()


class CachedExecutor:
    """`core.protocols.Executor` over another one; `place` says which data the statements are about."""

    def __init__(self, executor: Executor, cache: Cache, place: str) -> None:
        self._executor = executor
        self._cache = cache
        self._place = place

    @asynccontextmanager
    async def batch(self) -> AsyncIterator[CachedBatch]:
        """A batch that is opened on the server only when something is not kept yet."""
        async with AsyncExitStack() as stack:
            yield CachedBatch(self._executor, stack, self._cache, self._place)


class CachedBatch:
    """See `core.protocols.Batch`."""

    def __init__(self, executor: Executor, stack: AsyncExitStack, cache: Cache, place: str) -> None:
        self._executor = executor
        self._stack = stack
        self._cache = cache
        self._place = place
        self._opened: Batch | None = None

    async def read(
        self, sql: str, parameters: Sequence[Cell] = (), *, max_rows: int = 0, timeout_ms: int = 0
    ) -> ResultSet:
        """One statement of askwire's own; never kept."""
        batch = await self._batch()
        return await batch.read(sql, parameters, max_rows=max_rows, timeout_ms=timeout_ms)

    async def run(
        self, sql: str, *, max_rows: int = 0, timeout_ms: int = 0, template: bool = False
    ) -> ResultSet:
        """One machine-written statement."""

        async def fresh() -> Any:
            batch = await self._batch()
            found = await batch.run(sql, max_rows=max_rows, timeout_ms=timeout_ms, template=template)
            columns = [[column.name, column.type_oid] for column in found.columns]
            return [columns, found.rows, found.truncated]

        columns, rows, truncated = await self._kept(fresh, "run", str(max_rows), sql)
        return ResultSet(
            tuple(ResultColumn(name, oid) for name, oid in columns), tuple(map(tuple, rows)), truncated
        )

    async def explain(self, sql: str) -> Plan:
        """The plan of one machine-written statement."""

        async def fresh() -> Any:
            plan = await (await self._batch()).explain(sql)
            return [plan.total_cost, plan.rows]

        cost, rows = await self._kept(fresh, "explain", sql)
        return Plan(cost, rows)

    async def _batch(self) -> Batch:
        if self._opened is None:
            self._opened = await self._stack.enter_async_context(self._executor.batch())
        return self._opened

    async def _kept(self, fresh: Callable[[], Awaitable[Any]], *key: str) -> Any:
        told = self._cache.get(self._place, *key)
        if told is None:
            try:
                told = {"found": await fresh()}
            except DatabaseFailed as error:
                told = {"failed": [error.message, error.code]}
            self._cache.put(told, self._place, *key)
        if "failed" in told:
            message, code = told["failed"]
            raise DatabaseFailed(message, code=code)
        return told["found"]
