"""An `Executor` over a psycopg connection: what the pipeline sees of a database, without a proxy.

Owns: the read-only batch that is always rolled back, a savepoint around each statement, raw text cells, row
and byte caps, and the mapping of psycopg's errors to `core.errors`. Used by tests and by the bench.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from typing import Any

import psycopg
from psycopg.abc import PQGen
from psycopg.errors import error_from_result
from psycopg.generators import fetch, send
from psycopg.pq import ExecStatus, TransactionStatus
from psycopg.pq.abc import PGconn, PGresult

from askwire.core.errors import DatabaseFailed, TooCostly
from askwire.core.settings.table import TABLE
from askwire.core.types import Cell, Plan, ResultColumn, ResultSet, Row, SessionState

Connection = psycopg.AsyncConnection[Any]

_OPEN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY NOT DEFERRABLE"
_OPEN_INSIDE = "SAVEPOINT askwire_batch; SET TRANSACTION READ ONLY"
_CLOSE_INSIDE = "ROLLBACK TO SAVEPOINT askwire_batch; RELEASE SAVEPOINT askwire_batch"
_CLOSE_STATEMENT = "ROLLBACK TO SAVEPOINT askwire_statement; RELEASE SAVEPOINT askwire_statement"


@contextmanager
def _backend_errors() -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        diag = error.diag
        raise DatabaseFailed(
            diag.message_primary or str(error).strip().partition("\n")[0],
            code=error.sqlstate or "08006",
            detail=diag.message_detail or "",
            hint=diag.message_hint or "",
            position=int(diag.statement_position or 0),
        ) from error


class PostgresBatch:
    """One read-only (sub)transaction; see `core.protocols.Batch`."""

    def __init__(
        self, conn: Connection, gate: Callable[[str], str], timeout_ms: int, max_rows: int, max_bytes: int
    ) -> None:
        self._conn = conn
        self._gate = gate
        self._timeout_ms = timeout_ms
        self._max_rows = max_rows
        self._max_bytes = max_bytes
        self.max_cost = 0.0
        self._costs: dict[str, float] = {}
        self.statements = 0

    async def read(
        self, sql: str, parameters: Sequence[Cell] = (), *, max_rows: int = 0, timeout_ms: int = 0
    ) -> ResultSet:
        """One statement of askwire's own; 0: no row cap, the batch's time-out."""
        return await self._execute(sql, parameters, max_rows, 0, timeout_ms)

    async def run(
        self, sql: str, *, max_rows: int = 0, timeout_ms: int = 0, template: bool = False
    ) -> ResultSet:
        """One machine-written statement, gated and capped."""
        if self.max_cost and not template:
            if sql not in self._costs:
                await self.explain(sql)
            if self._costs[sql] > self.max_cost:
                raise TooCostly(self._costs[sql], self.max_cost)
        return await self._execute(
            self._gate(sql), (), max_rows or self._max_rows, self._max_bytes, timeout_ms
        )

    async def explain(self, sql: str) -> Plan:
        """The planner's estimate for one machine-written statement; nothing runs."""
        told = await self._execute("EXPLAIN " + self._gate(sql), (), 1, 0, 0)
        # 'Seq Scan on t  (cost=0.00..35.50 rows=2550 width=4)'
        estimate = (told.rows[0][0] or "").rpartition("(cost=")[2]
        costs, rows = estimate.split()[:2]
        self._costs[sql] = float(costs.rpartition("..")[2])
        return Plan(total_cost=self._costs[sql], rows=float(rows.removeprefix("rows=")))

    async def _execute(
        self, sql: str, parameters: Sequence[Cell], max_rows: int, max_bytes: int, timeout_ms: int
    ) -> ResultSet:
        self.statements += 1
        timeout = timeout_ms or self._timeout_ms
        with _backend_errors():
            await _command(
                self._conn, f"SAVEPOINT askwire_statement; SET LOCAL statement_timeout = {timeout:d}"
            )
            try:
                return await self._fetch(sql, parameters, max_rows, max_bytes)
            finally:
                # a lost connection has nothing left to roll back; the first error is the one to tell
                with suppress(psycopg.OperationalError):
                    await _command(self._conn, _CLOSE_STATEMENT)

    async def _fetch(self, sql: str, parameters: Sequence[Cell], max_rows: int, max_bytes: int) -> ResultSet:
        conn = self._conn
        answer = _Answer(max_rows, max_bytes)
        async with conn.lock:
            await conn.wait(_send(conn.pgconn, sql, parameters, one_by_one=bool(max_rows or max_bytes)))
            try:
                while (result := await conn.wait(fetch(conn.pgconn))) is not None:
                    answer.add(result)
                    if answer.truncated:
                        break
            finally:
                if conn.pgconn.transaction_status == TransactionStatus.ACTIVE:
                    await conn.cancel_safe(timeout=20)
                    while await conn.wait(fetch(conn.pgconn)) is not None:
                        pass
        return answer.result_set()


class _Answer:
    """A result growing row by row until a cap is met."""

    def __init__(self, max_rows: int, max_bytes: int) -> None:
        self._max_rows = max_rows
        self._bytes_left = max_bytes
        self._capped = bool(max_bytes)
        self._columns: tuple[ResultColumn, ...] = ()
        self._rows: list[Row] = []
        self._error: psycopg.Error | None = None
        self.truncated = False

    def add(self, result: PGresult) -> None:
        """Take one piece of the backend's answer."""
        if result.status == ExecStatus.FATAL_ERROR:
            self._error = error_from_result(result)
            return
        if not self._columns:
            self._columns = tuple(
                ResultColumn((result.fname(i) or b"").decode(), result.ftype(i))
                for i in range(result.nfields)
            )
        for r in range(result.ntuples):
            cells = tuple(result.get_value(r, c) for c in range(result.nfields))
            self._bytes_left -= sum(len(cell) for cell in cells if cell is not None)
            if (self._max_rows and len(self._rows) >= self._max_rows) or (
                self._capped and self._bytes_left < 0
            ):
                self.truncated = True
                return
            self._rows.append(tuple(None if cell is None else cell.decode() for cell in cells))

    def result_set(self) -> ResultSet:
        """The answer; raises the backend's error where it sent one."""
        if self._error is not None:
            raise self._error
        return ResultSet(self._columns, tuple(self._rows), self.truncated)


def _send(pgconn: PGconn, sql: str, parameters: Sequence[Cell], *, one_by_one: bool) -> PQGen[None]:
    """Send one statement in the extended protocol: untyped text parameters, text results."""
    pgconn.send_query_params(sql.encode(), [None if p is None else p.encode() for p in parameters])
    if one_by_one:
        pgconn.set_single_row_mode()
    yield from send(pgconn)


class PostgresExecutor:
    """A psycopg connection as the pipeline's `Executor`.

    `gate` is applied to every machine-written statement and returns what is sent instead; it raises
    `core.errors.RefusedByGate`. The connection must use UTF-8 and be in autocommit mode, or inside a
    transaction block that the batch must leave as it was.
    """

    def __init__(
        self,
        conn: Connection,
        gate: Callable[[str], str] = str,
        *,
        timeout_ms: int = 10_000,
        max_rows: int = 1000,
        max_bytes: int = 4 * 1024 * 1024,
    ) -> None:
        self._conn = conn
        self._gate = gate
        self._caps = timeout_ms, max_rows, max_bytes
        self.batches = 0
        self.statements = 0
        self.max_cost = 0.0

    def batch(self) -> AbstractAsyncContextManager[PostgresBatch]:
        """A short read-only batch on the connection, rolled back when it is left."""
        return self._batch()

    @asynccontextmanager
    async def _batch(self) -> AsyncIterator[PostgresBatch]:
        inside = self._conn.info.transaction_status == TransactionStatus.INTRANS
        self.batches += 1
        batch = PostgresBatch(self._conn, self._gate, *self._caps)
        batch.max_cost = self.max_cost
        with _backend_errors():
            await _command(self._conn, _OPEN_INSIDE if inside else _OPEN)
        try:
            yield batch
        finally:
            self.statements += batch.statements
            if not self._conn.closed:
                with _backend_errors():
                    await _command(self._conn, _CLOSE_INSIDE if inside else "ROLLBACK")


async def _command(conn: Connection, sql: str) -> None:
    """Statements of the double's own: as they are, without psycopg opening a transaction of its own."""
    async with conn.lock:
        conn.pgconn.send_query(sql.encode())
        await conn.wait(send(conn.pgconn))
        error: psycopg.Error | None = None
        while (result := await conn.wait(fetch(conn.pgconn))) is not None:
            if result.status == ExecStatus.FATAL_ERROR:
                error = error_from_result(result)
        if error is not None:
            raise error


async def session_state(conn: Connection) -> SessionState:
    """What the proxy reads once per ASK, for a psycopg connection."""
    names = [name for name, setting in TABLE.items() if setting.tighten]
    # an untyped read in a batch of its own, so that no transaction stays open on the connection
    async with PostgresExecutor(conn).batch() as batch:
        told = await batch.read(
            "SELECT pg_catalog.current_database(), current_user, session_user,"
            " pg_catalog.array_to_json(pg_catalog.current_schemas(true))::pg_catalog.text,"
            " pg_catalog.current_setting('server_version_num'), current_date::pg_catalog.text,"
            " pg_catalog.current_setting('row_security'),"
            " (SELECT pg_catalog.json_object_agg(n, pg_catalog.current_setting('askwire.' || n, true))"
            " FROM pg_catalog.unnest($1::pg_catalog.text[]) n)::pg_catalog.text",
            ["{" + ",".join(names) + "}"],
        )
    cells = [cell or "" for cell in told.rows[0]]
    settings = {name: value for name, value in json.loads(cells[7]).items() if value}
    return SessionState(
        database=cells[0],
        current_user=cells[1],
        session_user=cells[2],
        search_path=tuple(json.loads(cells[3])),
        server_version=int(cells[4]),
        today=cells[5],
        row_security=cells[6] == "on",
        settings=settings,
    )
