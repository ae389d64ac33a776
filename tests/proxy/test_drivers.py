"""Unchanged drivers: psql, psycopg, asyncpg and pg8000 ask as they query."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import asyncpg
import pg8000.native  # type: ignore[import-untyped]
import psycopg
import pytest
from psycopg import pq
from psycopg.types.json import Jsonb
from servers.running_proxy import Proxy

from askwire.core.errors import AmbiguousQuestion, BeyondEngine
from askwire.proxy.asking.requests import AskRequest, Notice

ANSWER = "SELECT n, 'row ' || n AS text, now() AS at, n * 1.5 AS half FROM generate_series(1, 3) n"


@pytest.fixture
def proxy(proxy: Proxy) -> Proxy:
    """A proxy whose answers have columns of several types."""
    proxy.resolver.answer = ANSWER
    proxy.resolver.notices = (Notice("three rows", ANSWER),)
    proxy.resolver.fails("bad", BeyondEngine("cannot place 'bad'", hint="Ask otherwise."))
    proxy.resolver.fails("two", AmbiguousQuestion("two readings fit", detail="1 …\n2 …"))
    return proxy


async def threaded(work: Callable[[], None]) -> None:
    await asyncio.to_thread(work)


async def test_psycopg(proxy: Proxy) -> None:
    def work() -> None:
        with psycopg.connect(proxy.dsn()) as connection:
            told: list[str | None] = []
            connection.add_notice_handler(lambda notice: told.append(notice.message_primary))
            rows = connection.execute("ASK 'x'").fetchall()
            assert [row[:2] for row in rows] == [(1, "row 1"), (2, "row 2"), (3, "row 3")]
            assert told == ["askwire: three rows"]
            assert connection.info.transaction_status == pq.TransactionStatus.INTRANS
            with pytest.raises(psycopg.DatabaseError) as error, connection.transaction():
                connection.execute("ASK 'bad'")
            assert (error.value.sqlstate, error.value.diag.message_hint) == ("NL003", "Ask otherwise.")
            assert connection.execute("SELECT 1").fetchone() == (1,)
            connection.rollback()
            with connection.cursor(binary=True) as cursor:
                assert [row[0] for row in cursor.execute("ASK 'x'").fetchall()] == [1, 2, 3]
            assert len(connection.execute("ASK 'x'", prepare=True).fetchall()) == 3
            assert len(connection.execute("ASK 'x'", prepare=True).fetchall()) == 3

    await threaded(work)


async def test_psycopg_binds_questions(proxy: Proxy) -> None:
    async def one(_inquiry: AskRequest) -> str:
        return "SELECT 1.5 AS one"

    proxy.resolver.on("one", one)

    def work() -> None:
        with psycopg.connect(proxy.dsn(), autocommit=True) as connection:
            # more often than psycopg sends a statement before it prepares it, with changing columns
            for _ in range(7):
                assert len(connection.execute("ASK %s", ["x"]).fetchall()) == 3
                assert connection.execute("ASK %b", ["one"]).fetchall() == [(Decimal("1.5"),)]
            wrapped = "SELECT count(*), %s FROM (ASK %s) AS q WHERE n < %s"
            assert connection.execute(wrapped, ["a", "x", 3]).fetchall() == [(2, "a")]
            with pytest.raises(psycopg.DatabaseError) as error:
                connection.execute("ASK %s", ["bad"])
            assert error.value.sqlstate == "NL003"
            with pytest.raises(psycopg.DatabaseError) as error:
                connection.execute("ASK %s", [None])
            assert error.value.sqlstate == "42601"
            with connection.cursor(binary=True) as cursor:
                assert [row[0] for row in cursor.execute("ASK %s", ["x"]).fetchall()] == [1, 2, 3]
            with connection.transaction(), connection.pipeline():
                cursors = [connection.execute("ASK %s", [q]) for q in ("x", "one", "x")]
                assert [len(cursor.fetchall()) for cursor in cursors] == [3, 1, 3]

    await threaded(work)


async def test_psycopg_with_server_cursors(proxy: Proxy) -> None:
    def work() -> None:
        with psycopg.connect(proxy.dsn()) as connection:
            for query, values in (("ASK 'x'", None), ("ASK %s", ["x"])):
                with connection.cursor("named", scrollable=True) as cursor:
                    cursor.itersize = 2
                    cursor.execute(query, values)
                    assert [column.name for column in cursor.description or ()] == ["n", "text", "at", "half"]
                    assert [row[0] for row in cursor] == [1, 2, 3]
            assert connection.execute("SELECT count(*) FROM ask('x')").fetchone() == (3,)
            with connection.cursor() as plain, plain.copy("COPY (ASK 'x') TO STDOUT") as copy:
                assert [row[1] for row in copy.rows()] == ["row 1", "row 2", "row 3"]
            connection.execute("CREATE TEMP TABLE kept AS ASK 'x'")
            connection.execute("INSERT INTO kept ASK 'x'")
            assert connection.execute("SELECT count(*) FROM kept").fetchone() == (6,)

    await threaded(work)


def piped(connection: psycopg.Connection[Any], *statements: str) -> str | None:
    """Run statements under one Sync; the SQLSTATE of the error."""
    try:
        with connection.pipeline():
            for sql in statements:
                connection.execute(sql)
    except psycopg.DatabaseError as error:
        return error.sqlstate
    return ""


async def test_psycopg_in_pipeline_mode(proxy: Proxy) -> None:
    def work() -> None:
        with psycopg.connect(proxy.dsn()) as connection:
            with connection.pipeline():
                cursors = [connection.execute(sql) for sql in ("SELECT 1", "ASK 'x'", "SELECT 2", "ASK 'y'")]
                assert [len(cursor.fetchall()) for cursor in cursors] == [1, 3, 1, 3]
            connection.rollback()
            assert piped(connection, "SELECT 1", "ASK 'bad'", "SELECT 2") == "NL003"
            connection.rollback()
            connection.autocommit = True
            assert piped(connection, "CREATE TABLE made ()", "ASK 'x'") == "NL007"
            assert connection.execute("SELECT to_regclass('made')").fetchone() == (None,)
            with connection.cursor() as cursor:
                cursor.execute("CREATE TABLE t (a int, b jsonb)")
                with cursor.copy("COPY t FROM STDIN") as copy:
                    for n in range(1000):
                        copy.write_row((n, Jsonb({"ask": "ASK 'x'"})))
                assert cursor.execute("SELECT count(*) FROM t").fetchone() == (1000,)
                with cursor.copy("COPY t TO STDOUT") as copy:
                    assert sum(1 for _ in copy.rows()) == 1000
                assert len(cursor.execute("ASK 'x'").fetchall()) == 3

    await threaded(work)


async def test_psycopg_asynchronous_with_notifications(proxy: Proxy) -> None:
    async with await psycopg.AsyncConnection.connect(proxy.dsn(), autocommit=True) as connection:
        await connection.execute("LISTEN news")
        await connection.execute("NOTIFY news, 'hear'")
        async for notification in connection.notifies(timeout=20, stop_after=1):
            assert notification.payload == "hear"
        cursor = await connection.execute("ASK 'x'")
        assert len(await cursor.fetchall()) == 3


async def test_asyncpg(proxy: Proxy) -> None:
    host, port = proxy.address
    connection = await asyncpg.connect(
        host=host, port=port, user="postgres", database=proxy.database.name, ssl=False
    )
    try:
        told: list[Any] = []
        connection.add_log_listener(lambda _, message: told.append(message))
        rows = await connection.fetch("ASK 'x'")
        assert [row["text"] for row in rows] == ["row 1", "row 2", "row 3"]
        async with connection.transaction():
            assert len(await connection.fetch("ASK 'x'")) == 3
            with pytest.raises(asyncpg.PostgresError) as error:
                async with connection.transaction():
                    await connection.fetch("ASK 'two'")
            assert error.value.sqlstate == "NL001"
            assert await connection.fetchval("SELECT 3") == 3
            taken = [row["n"] async for row in connection.cursor("ASK 'x'", prefetch=1)]
            assert taken == [1, 2, 3]
        statement = await connection.prepare("ASK 'x'")
        assert [attribute.name for attribute in statement.get_attributes()] == ["n", "text", "at", "half"]
        assert [len(await statement.fetch()) for _ in range(3)] == [3, 3, 3]
        with pytest.raises(asyncpg.PostgresError) as error:
            await connection.fetch("ASK $1", "x")
        assert error.value.sqlstate == "NL007"
        # asyncpg describes a statement before it binds it
        assert "literal" in error.value.hint
        async with connection.transaction():
            cursor = await connection.cursor("SELECT * FROM ask('x') LIMIT $1", 2)
            assert [row["n"] for row in await cursor.fetch(5)] == [1, 2]
        proxy.resolver.sleeps("sleep")
        with pytest.raises(TimeoutError):
            await connection.fetch("ASK 'sleep'", timeout=0.3)
        assert await connection.fetchval("SELECT 4") == 4
        assert {message.message for message in told} == {"askwire: three rows"}
    finally:
        await connection.close()


async def test_pg8000(proxy: Proxy) -> None:
    def work() -> None:
        host, port = proxy.address
        connection = pg8000.native.Connection("postgres", host=host, port=port, database=proxy.database.name)
        try:
            assert [row[1] for row in connection.run("ASK 'x'")] == ["row 1", "row 2", "row 3"]
            assert [column["name"] for column in connection.columns] == ["n", "text", "at", "half"]
            with pytest.raises(pg8000.native.DatabaseError) as error:
                connection.run("ASK 'bad'")
            assert error.value.args[0]["C"] == "NL003"
            # pg8000 describes a statement before it binds it
            with pytest.raises(pg8000.native.DatabaseError) as error:
                connection.run("ASK :q", q="x")
            assert error.value.args[0]["C"] == "NL007"
            assert len(connection.run("SELECT * FROM (ASK 'x') AS q WHERE n > :n", n=1)) == 2
            connection.run("BEGIN")
            assert len(connection.prepare("ASK 'x'").run()) == 3
            connection.run("COMMIT")
        finally:
            connection.close()

    await threaded(work)


PSQL = shutil.which("psql")


@pytest.mark.skipif(PSQL is None, reason="psql is not installed")
async def test_psql(proxy: Proxy) -> None:
    assert PSQL
    script = r"""
\set AUTOCOMMIT off
ASK 'x';
ASK 'bad';
ROLLBACK;
\set AUTOCOMMIT on
ASK 'x' \gdesc
SELECT 1; ASK 'after';
\set FETCH_COUNT 2
ASK 'fetched';
SELECT * FROM (ASK 'fetched') AS wrapped;
\unset FETCH_COUNT
\copy (ASK 'copied') to stdout with (format csv)
BEGIN; ASK 'begun'; COMMIT;
\set ON_ERROR_ROLLBACK on
BEGIN;
CREATE TEMP TABLE kept AS ASK 'x';
ASK 'bad';
SELECT 'rows kept: ' || count(*) FROM kept;
COMMIT;
PREPARE p AS ASK 'x';
EXECUTE p;
SELECT nothing FROM (ASK 'x') AS q;
"""
    done = await asyncio.to_thread(
        subprocess.run,
        [PSQL, "-X", "-A", "-t", "-v", "VERBOSITY=verbose", proxy.dsn()],
        input=script,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.count("|row 1|") == 6
    assert ",row 3," in done.stdout
    assert "rows kept: 3" in done.stdout
    assert "LINE 1: SELECT nothing FROM (ASK 'x') AS q;\n               ^" in done.stderr
    assert "half|numeric" in done.stdout
    assert done.stderr.count("NOTICE:  00000: askwire: three rows") >= 3
    assert "ERROR:  NL003: askwire: cannot place 'bad'" in done.stderr
    assert "HINT:  Ask otherwise." in done.stderr
