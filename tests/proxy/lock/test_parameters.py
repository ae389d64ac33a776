"""Types and sources of the constants of a query, as PostgreSQL and the question tell them."""

from __future__ import annotations

import psycopg
import pytest
from doubles.tracing_session import session
from servers.databases import Database

from askwire.proxy.lock.parameters import Parameter, parameters

SCHEMA = """
CREATE TYPE mood AS ENUM ('calm', 'busy');
CREATE TABLE shops (id bigint, name varchar(20), opened timestamptz, share numeric, feels mood, ok boolean);
"""


@pytest.fixture
def shops(database: Database) -> Database:
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute(SCHEMA)
    return database


@pytest.mark.parametrize(
    ("question", "condition", "told"),
    [
        ("shop 7", "id = 7", [("7", "bigint", "the question")]),
        ("calm shops", "feels = 'calm'", [("calm", "mood", "the question")]),
        ("the Corner shop", "name = 'Corner'", [("Corner", "text", "the question")]),
        ("shops in 2024", "opened >= '2024-01-01' AND opened < '2025-01-01'", [
            ("2024-01-01", "timestamp with time zone", "the question"),
            ("2025-01-01", "timestamp with time zone", "the question"),
        ]),
        ("shops of last year", "opened >= date '2025-01-01'", [("2025-01-01", "date", "the day")]),
        ("a share below 0.5", "share < 0.5", [("0.5", "numeric", "the question")]),
        ("the usual one", "name = 'O''Hara' AND share > -3", [
            ("O'Hara", "text", "the data"), ("3", "integer", "the data"),
        ]),
        ("calm shops, calm ones", "feels = 'calm' OR feels = 'calm'", [("calm", "mood", "the question")]),
        ("shops", "ok", []),
    ],
)  # fmt: skip
async def test_of_which_type_and_from_where(
    shops: Database, question: str, condition: str, told: list[tuple[str, str, str]]
) -> None:
    async with session(shops.dsn()) as asker:
        sql = f"SELECT name FROM shops WHERE {condition}"
        assert await parameters(sql, question, asker.executor) == tuple(Parameter(*one) for one in told)
        # nothing is left behind in the session, so that it can be asked again
        assert len(await parameters(sql, question, asker.executor)) == len(told)


async def test_how_is_no_parameter(shops: Database) -> None:
    month = "date_trunc('month', opened)"
    sql = f"SELECT {month}, count(*) FROM shops GROUP BY {month} LIMIT 1"
    async with session(shops.dsn()) as asker:
        assert await parameters(sql, "the best month", asker.executor) == ()


async def test_equal_constants_are_one_so_that_groups_stay_groups(shops: Database) -> None:
    sql = "SELECT coalesce(name, 'none'), count(*) FROM shops GROUP BY coalesce(name, 'none')"
    async with session(shops.dsn()) as asker:
        (one,) = await parameters(sql, "shops by name, none where unknown", asker.executor)
    assert one.source == "the question"


async def test_what_postgresql_does_not_take_has_the_type_of_its_own(shops: Database) -> None:
    sql = "SELECT name FROM nowhere WHERE id = 7 AND name = 'seven'"
    async with session(shops.dsn()) as asker:
        told = await parameters(sql, "seven", asker.executor)
    assert told == (Parameter("7", "integer", "the question"), Parameter("seven", "text", "the question"))
