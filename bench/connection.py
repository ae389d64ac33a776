"""A database connection of the bench's own as the pipeline's `Executor`, and the catalog seen through it.

Owns: read-only batches that are always rolled back, raw text cells, caps, time-outs, and counting what was
sent. Nothing is gated here: anyone who measures the gate gives one.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.types.string import TextLoader

from askwire.core.clock import MonotonicClock
from askwire.core.errors import DatabaseFailed, TooCostly
from askwire.core.types import Cell, Plan, ResultColumn, ResultSet, Row, SessionState
from askwire.planner.catalogs import Catalogs
from askwire.sql.catalog import Catalog

_BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY NOT DEFERRABLE"
_SAVEPOINT = "SAVEPOINT askwire_statement"
_RESTORE = "ROLLBACK TO SAVEPOINT askwire_statement"
_FETCH_ROWS = 100

_STATE = (
    "SELECT pg_catalog.current_database(), current_user, session_user,"
    " pg_catalog.array_to_json(pg_catalog.current_schemas(true))::pg_catalog.text,"
    " pg_catalog.current_setting('server_version_num'), current_date::pg_catalog.text,"
    " pg_catalog.current_setting('row_security')"
)

Connection = psycopg.AsyncConnection[Any]


class DirectBatch:
    """One read-only transaction; see `core.protocols.Batch`."""

    def __init__(
        self,
        cursor: psycopg.AsyncRawCursor[Any],
        gate: Callable[[str], str],
        timeout_ms: int,
        max_cost: float,
        costs: dict[str, float],
    ):
        self._cursor = cursor
        self._max_cost = max_cost
        self._costs = costs
        self._gate = gate
        self._default_ms = timeout_ms
        self._timeout_ms = 0
        self.statements = 0
        self.longest_ms = 0.0
        self.spent_ms = 0.0

    async def read(
        self, sql: str, parameters: Sequence[Cell] = (), *, max_rows: int = 0, timeout_ms: int = 0
    ) -> ResultSet:
        """One statement of askwire's own."""
        self.statements += 1
        asked = time.perf_counter()
        with _backend_errors():
            wanted = timeout_ms or self._default_ms
            if wanted != self._timeout_ms:
                await self._cursor.execute(f"SET LOCAL statement_timeout = {wanted:d}")
                self._timeout_ms = wanted
            await self._cursor.execute(_SAVEPOINT)
            began = time.perf_counter()
            try:
                result = await self._fetch(sql, parameters, max_rows)
                if result.truncated:  # what was left unread is canceled, which is an error of the transaction
                    await self._cursor.execute(_RESTORE)
                return result
            except psycopg.Error:
                await self._cursor.execute(_RESTORE)
                raise
            finally:
                ended = time.perf_counter()
                self.longest_ms = max(self.longest_ms, (ended - began) * 1000)
                self.spent_ms += (ended - asked) * 1000

    async def run(
        self, sql: str, *, max_rows: int = 0, timeout_ms: int = 0, template: bool = False
    ) -> ResultSet:
        """One machine-written statement, gated, and planned first where there is a cap on its cost."""
        if self._max_cost and not template:
            if sql not in self._costs:
                await self.explain(sql)
            if self._costs[sql] > self._max_cost:
                raise TooCostly(self._costs[sql], self._max_cost)
        return await self.read(self._gate(sql), max_rows=max_rows, timeout_ms=timeout_ms)

    async def explain(self, sql: str) -> Plan:
        """The planner's estimate for one machine-written statement; nothing runs."""
        told = await self.read(f"EXPLAIN (FORMAT JSON) {self._gate(sql)}")
        top = json.loads(told.rows[0][0] or "[]")[0]["Plan"]
        self._costs[sql] = float(top["Total Cost"])
        return Plan(self._costs[sql], float(top["Plan Rows"]))

    async def _fetch(self, text: str, parameters: Sequence[Cell], max_rows: int) -> ResultSet:
        cursor = self._cursor
        if not max_rows:
            await cursor.execute(text.encode(), parameters)
            rows = await cursor.fetchall() if cursor.description else []
            return ResultSet(self._columns(), tuple(rows))
        kept: list[Row] = []
        # Leaving the stream early cancels what the server still sends.
        async for row in cursor.stream(text.encode(), parameters, size=min(_FETCH_ROWS, max_rows + 1)):
            if len(kept) == max_rows:
                return ResultSet(self._columns(), tuple(kept), truncated=True)
            kept.append(row)
        return ResultSet(self._columns(), tuple(kept))

    def _columns(self) -> tuple[ResultColumn, ...]:
        return tuple(ResultColumn(c.name, c.type_code) for c in self._cursor.description or ())


class DirectExecutor:
    """`core.protocols.Executor` over a connection in autocommit mode.

    `statements` counts what was sent; `longest_ms` is the longest that one of them took, `spent_ms` what all
    took with what frames them, both until they are reset. `max_cost` is what the plan of a machine-written
    statement may cost (0: anything).
    """

    def __init__(
        self,
        connection: Connection,
        gate: Callable[[str], str] = str,
        *,
        timeout_ms: int = 10_000,
        max_cost: float = 0,
    ) -> None:
        self._max_cost = max_cost
        self._costs: dict[str, float] = {}
        self._connection = connection
        self._gate = gate
        self._timeout_ms = timeout_ms
        self.statements = 0
        self.longest_ms = 0.0
        self.spent_ms = 0.0

    def server_seconds(self) -> float:
        """Processor time of the session's process in the server; 0 unless that runs here, on Linux."""
        if self._connection.info.host not in ("127.0.0.1", "::1", "localhost"):
            return 0.0
        try:
            told = Path(f"/proc/{self._connection.info.backend_pid}/schedstat").read_text("ascii")
        except OSError:
            return 0.0
        return int(told.split()[0]) / 1e9

    @asynccontextmanager
    async def batch(self) -> AsyncIterator[DirectBatch]:
        """A read-only batch, rolled back when it is left."""
        cursor = psycopg.AsyncRawCursor(self._connection)
        batch = DirectBatch(cursor, self._gate, self._timeout_ms, self._max_cost, self._costs)
        with _backend_errors():
            await cursor.execute(_BEGIN)
        try:
            yield batch
        finally:
            self.statements += batch.statements
            self.longest_ms = max(self.longest_ms, batch.longest_ms)
            self.spent_ms += batch.spent_ms
            if not self._connection.closed:
                await self._connection.rollback()


@contextmanager
def _backend_errors() -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        diag = error.diag
        message = diag.message_primary or str(error).strip().partition("\n")[0]
        raise DatabaseFailed(message, code=error.sqlstate or "08006", hint=diag.message_hint or "") from None


@asynccontextmanager
async def connected(dsn: str, schema: str) -> AsyncIterator[Connection]:
    """A connection with `search_path` set to one schema, whose values all arrive as text."""
    connection = await psycopg.AsyncConnection.connect(dsn, autocommit=True, prepare_threshold=None)
    try:
        for known in connection.adapters.types:
            connection.adapters.register_loader(known.oid, TextLoader)
            connection.adapters.register_loader(known.array_oid, TextLoader)
        path = sql.SQL("SET search_path TO {}").format(sql.Identifier(schema))
        await connection.execute(path)
        yield connection
    finally:
        await connection.close()


async def read_catalog(executor: DirectExecutor) -> Catalog:
    """The catalog as this connection's role sees it."""
    async with executor.batch() as batch:
        cells = [cell or "" for cell in (await batch.read(_STATE)).rows[0]]
        session = SessionState(
            database=cells[0],
            current_user=cells[1],
            session_user=cells[2],
            search_path=tuple(json.loads(cells[3])),
            server_version=int(cells[4]),
            today=cells[5],
            row_security=cells[6] == "on",
        )
        return await Catalogs(MonotonicClock()).load(batch, session, "")
