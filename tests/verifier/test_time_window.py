"""An answer that is empty because the data end before the time asked for: told, hardly held against it."""

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
from askwire.verifier.time_window import EMPTY_WINDOW_ODDS

COLUMNS = (Column("id", "integer", 23, "N", 1), Column("day", "date", 1082, "D", 2))
SALES = Relation(4712, "public", "sales", "r", COLUMNS)
EMPTY = ResultSet((ResultColumn("id", 23),), ())
FAILED = Check("not_empty", False, "it returns no rows", 0.283)


@pytest.fixture
async def executor(database: Database) -> AsyncIterator[PostgresExecutor]:
    conn = await psycopg.AsyncConnection.connect(database.dsn(), autocommit=True)
    await conn.execute(
        "CREATE TABLE sales AS SELECT g AS id, date '2024-01-01' + g AS day FROM generate_series(1, 9) g"
    )
    yield PostgresExecutor(conn, lambda sql: sql)
    await conn.close()


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (
            "day >= '2026-01-01' AND day < '2026-02-01'",
            "the data of sales.day end at 2024-01-10, before the time asked for",
        ),
        ("day < '2020-01-01'", "the data of sales.day begin at 2024-01-02, after the time asked for"),
        ("day >= '2024-01-05' AND id < 0", ""),
        ("id < 0", ""),
    ],
)
async def test_only_a_time_beyond_the_data_excuses_an_empty_answer(
    executor: PostgresExecutor, where: str, message: str
) -> None:
    sql = f"SELECT id FROM sales WHERE {where}"
    statement = parse_sql(sql)[0].stmt
    assert statement is not None
    subject = Subject(Question("q"), Catalog((SALES,)), sql, statement, EMPTY)
    async with executor.batch() as batch:
        (check,) = await looked_up(batch, subject, (FAILED,))
    assert check == (Check("not_empty", False, message, EMPTY_WINDOW_ODDS) if message else FAILED)
