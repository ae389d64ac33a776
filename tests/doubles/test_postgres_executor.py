"""The executor double keeps the promises of `core.protocols.Batch`, so that what is tested with it holds."""

from __future__ import annotations

from collections.abc import AsyncIterator

import psycopg
import pytest
from doubles.postgres_executor import Connection, PostgresExecutor, session_state
from servers.databases import Database

from askwire.core.errors import DatabaseFailed, RefusedByGate
from askwire.core.types import ResultColumn, ResultSet


@pytest.fixture
async def conn(database: Database) -> AsyncIterator[Connection]:
    opened = await psycopg.AsyncConnection.connect(database.dsn(), autocommit=True)
    await opened.execute("CREATE TABLE t AS SELECT g AS a, 'row ' || g AS b FROM generate_series(1, 20) g")
    yield opened
    await opened.close()


async def test_cells_are_postgresqls_own_text(conn: Connection) -> None:
    async with PostgresExecutor(conn).batch() as batch:
        made = await batch.read(
            "SELECT 1.50 AS n, NULL AS o, true AS t, '2024-02-29'::date AS d, '{1,2}'::int[] AS a"
        )
    assert made.rows == (("1.50", None, "t", "2024-02-29", "{1,2}"),)
    assert made.columns[0] == ResultColumn("n", 1700)


async def test_parameters_are_untyped_text(conn: Connection) -> None:
    async with PostgresExecutor(conn).batch() as batch:
        made = await batch.read("SELECT $1::int + 1, $2::text IS NULL, $3 || '%s'", ["3", None, "it's"])
    assert made.rows == (("4", "t", "it's%s"),)


async def test_an_empty_result_has_its_columns(conn: Connection) -> None:
    async with PostgresExecutor(conn).batch() as batch:
        assert await batch.run("SELECT a FROM t WHERE false") == ResultSet((ResultColumn("a", 23),), ())


async def test_rows_and_bytes_are_capped(conn: Connection) -> None:
    executor = PostgresExecutor(conn, max_rows=5, max_bytes=16)
    async with executor.batch() as batch:
        assert (await batch.run("SELECT a FROM t")).rows == tuple((str(n),) for n in range(1, 6))
        wide = await batch.run("SELECT b FROM t")
        assert (wide.rows, wide.truncated) == ((("row 1",), ("row 2",), ("row 3",)), True)
        endless = await batch.run("SELECT generate_series(1, 1000000000000)", max_rows=2)
        assert (len(endless.rows), endless.truncated) == (2, True)
        whole = await batch.read("SELECT a FROM t")
        assert (len(whole.rows), whole.truncated) == (20, False)
        assert not (await batch.read("SELECT a FROM t", max_rows=20)).truncated


async def test_a_failing_statement_leaves_the_batch_usable(conn: Connection) -> None:
    async with PostgresExecutor(conn).batch() as batch:
        with pytest.raises(DatabaseFailed) as failed:
            await batch.read("SELECT nope FROM t")
        assert (failed.value.code, failed.value.position) == ("42703", 8)
        with pytest.raises(DatabaseFailed) as failed:
            await batch.read("SELECT pg_sleep(30)", timeout_ms=20)
        assert failed.value.code == "57014"
        assert (await batch.read("SELECT 1")).rows == (("1",),)


async def test_nothing_can_be_written_and_nothing_remains(conn: Connection) -> None:
    async with PostgresExecutor(conn).batch() as batch:
        with pytest.raises(DatabaseFailed) as failed:
            await batch.read("DELETE FROM t")
        assert failed.value.code == "25006"
    assert conn.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
    timeout = await (await conn.execute("SHOW statement_timeout")).fetchone()
    assert timeout == ("0",)


async def test_inside_a_block_the_block_goes_on_read_write(conn: Connection) -> None:
    async with conn.transaction():
        await conn.execute("INSERT INTO t VALUES (21)")
        async with PostgresExecutor(conn).batch() as batch:
            assert (await batch.read("SELECT max(a) FROM t")).rows == (("21",),)
            with pytest.raises(DatabaseFailed):
                await batch.read("DELETE FROM t")
        await conn.execute("INSERT INTO t VALUES (22)")
    assert await (await conn.execute("SELECT max(a) FROM t")).fetchone() == (22,)


async def test_one_batch_is_one_snapshot(conn: Connection, database: Database) -> None:
    async with (
        PostgresExecutor(conn).batch() as batch,
        await psycopg.AsyncConnection.connect(database.dsn(), autocommit=True) as other,
    ):
        before = await batch.read("SELECT count(*) FROM t")
        await other.execute("DELETE FROM t")
        assert await batch.read("SELECT count(*) FROM t") == before


async def test_machine_written_statements_pass_the_gate_and_ours_do_not(conn: Connection) -> None:
    def gate(sql: str) -> str:
        if "secret" in sql:
            raise RefusedByGate("no secrets")
        return sql.replace("1", "2")

    async with PostgresExecutor(conn, gate).batch() as batch:
        assert (await batch.run("SELECT 1")).rows == (("2",),)
        assert (await batch.read("SELECT 1, 'secret'")).rows == (("1", "secret"),)
        for method in (batch.run, batch.explain):
            with pytest.raises(RefusedByGate):
                await method("SELECT 'secret'")


async def test_explain_tells_cost_and_rows(conn: Connection) -> None:
    await conn.execute("ANALYZE t")
    async with PostgresExecutor(conn).batch() as batch:
        plan = await batch.explain("SELECT * FROM t")
    assert plan.rows == 20
    assert 0 < plan.total_cost < 10


async def test_the_session_is_described(conn: Connection, database: Database) -> None:
    await conn.execute("SET askwire.timeout = '5s'; SET row_security = off; SET search_path = public")
    session = await session_state(conn)
    assert (session.database, session.current_user) == (database.name, "postgres")
    assert (session.search_path, session.row_security) == (("pg_catalog", "public"), False)
    assert session.settings == {"timeout": "5s"}
    assert session.server_version >= 130000
    assert conn.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
