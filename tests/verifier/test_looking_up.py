"""What the statistics cannot tell of a text column that is ordered is looked up in the data."""

from __future__ import annotations

from collections.abc import AsyncIterator

import psycopg
import pytest
from doubles.postgres_executor import PostgresExecutor
from pglast import parse_sql
from servers.databases import Database

from askwire.core.types import Check, Question, ResultColumn, ResultSet
from askwire.sql.catalog import Catalog, Column, Relation
from askwire.verifier.looking_up import looked_up
from askwire.verifier.subject import Subject

COLUMNS = ("size", "day", "word", "code", "few")
PARTS = Relation(
    4712, "public", "parts", "r", tuple(Column(n, "text", 25, "S", i) for i, n in enumerate(COLUMNS, 1))
)
GONE = Relation(4713, "public", "gone", "r", PARTS.columns)
ANSWER = ResultSet((ResultColumn("a", 25),), (("1",),))
HELD = Check("text_order", True, "", 0.1)


@pytest.fixture
async def executor(database: Database) -> AsyncIterator[PostgresExecutor]:
    conn = await psycopg.AsyncConnection.connect(database.dsn(), autocommit=True)
    await conn.execute(
        "CREATE TABLE parts AS SELECT g::text AS size, to_char(date '2024-01-01' + g, 'MM/DD/YYYY') AS day,"
        " 'w' || g AS word, lpad(g::text, 4, '0') AS code, nullif(g, 5)::text AS few"
        " FROM generate_series(5, 30) g"
    )
    await conn.execute("UPDATE parts SET few = NULL WHERE few > '1'")
    yield PostgresExecutor(conn, lambda sql: sql)
    await conn.close()


async def found(executor: PostgresExecutor, sql: str, *, ran: bool = True) -> tuple[Check, ...]:
    statement = parse_sql(sql)[0].stmt
    assert statement is not None
    one = Subject(Question("q"), Catalog((PARTS, GONE)), sql, statement, ANSWER if ran else None)
    async with executor.batch() as batch:
        return await looked_up(batch, one, (HELD,))


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("SELECT size FROM parts ORDER BY size DESC LIMIT 1", "parts.size holds numbers"),
        ("SELECT max(p.size) FROM parts p", "parts.size holds numbers"),
        ("SELECT word FROM parts WHERE size > '20'", "parts.size holds numbers"),
        ("SELECT word FROM parts ORDER BY day LIMIT 1", "parts.day holds dates"),
        ("SELECT size FROM parts ORDER BY word", ""),
        ("SELECT size FROM parts ORDER BY code", ""),
        ("SELECT size FROM parts ORDER BY few", ""),
    ],
)
async def test_an_order_of_text_is_held_against_rows(executor: PostgresExecutor, sql: str, what: str) -> None:
    (check,) = await found(executor, sql)
    assert (check.rule, check.held) == ("text_order", not what)
    assert check.message.startswith(what)
    assert executor.statements == 1


@pytest.mark.parametrize(
    ("sql", "ran"),
    [
        ("SELECT size FROM parts ORDER BY size::int", True),
        ("SELECT size FROM parts ORDER BY size", False),
        ("SELECT size FROM parts WHERE size = '7'", True),
    ],
)
async def test_nothing_is_looked_up_where_nothing_is_ordered_or_it_did_not_run(
    executor: PostgresExecutor, sql: str, ran: bool
) -> None:
    assert await found(executor, sql, ran=ran) == (HELD,)
    assert executor.statements == 0


async def test_what_cannot_be_read_changes_nothing(executor: PostgresExecutor) -> None:
    assert await found(executor, "SELECT size FROM gone ORDER BY size") == (HELD,)


async def test_what_the_statistics_know_of_a_literal_is_told_once(executor: PostgresExecutor) -> None:
    """Another literal that is nowhere keeps its message."""
    sql = "SELECT size FROM parts WHERE word = 'x1' AND code = 'none'"
    statement = parse_sql(sql)[0].stmt
    assert statement is not None
    one = Subject(
        Question("q"), Catalog((PARTS,)), sql, statement, ResultSet((ResultColumn("size", 25),), ())
    )
    known = Check("literal_unknown", False, "'x1' does not occur in parts.word, which holds 'w5'", 0.05)
    async with executor.batch() as batch:
        checks = await looked_up(batch, one, (known,))
    told = [check.message for check in checks if not check.held]
    assert [message.split(" in ")[0] for message in told] == [
        "'x1' does not occur",
        "'none' does not occur",
    ]
