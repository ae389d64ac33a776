"""Literals behind an empty result are looked up in the data; what is claimed names the real values."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import psycopg
import pytest
from doubles.postgres_executor import PostgresExecutor
from pglast import parse_sql
from servers.databases import Database

from askwire.core.settings.table import load
from askwire.core.trace import Trace
from askwire.core.types import Candidate, Question, ResultColumn, ResultSet
from askwire.sql.catalog import Catalog, Column, Relation
from askwire.verifier import verify
from askwire.verifier.live_facts import read_effects
from askwire.verifier.value_probes import ComparedLiteral, compared_literals, is_empty, literal_check, probe

CITIES = Relation(
    4711,
    "public",
    "cities",
    "r",
    (
        Column("name", "text", 25, "S", 1),
        Column("Country", "text", 25, "S", 2),
        Column("people", "integer", 23, "N", 3),
    ),
)
CATALOG = Catalog((CITIES,))


@pytest.fixture
async def executor(database: Database) -> AsyncIterator[PostgresExecutor]:
    conn = await psycopg.AsyncConnection.connect(database.dsn(), autocommit=True)
    await conn.execute(
        'CREATE TABLE cities (name, "Country", people) AS VALUES'
        " ('Rome', 'Italy', 3), (' OSLO ', 'Norway', 1), ('Lisbon', 'Portugal', NULL)"
    )
    yield PostgresExecutor(conn, lambda sql: sql)
    await conn.close()


def literals(sql: str) -> list[tuple[str, str]]:
    effects = read_effects(parse_sql(sql)[0].stmt, CATALOG)
    assert effects is not None
    return [(x.column.name, x.value) for x in compared_literals(effects)]


def test_only_live_text_literals_that_are_asked_to_be_equal_are_looked_up() -> None:
    assert literals("SELECT 1 FROM cities WHERE name = 'Rome' AND people = 3") == [("name", "Rome")]
    assert literals("SELECT 1 FROM cities AS c WHERE 'Rome' = c.name OR c.name IN ('a', 'b')") == [
        ("name", "Rome"),
        ("name", "a"),
        ("name", "b"),
    ]
    assert literals("SELECT 1 FROM cities WHERE name <> 'Rome' AND NOT name = 'a'") == []
    unread = "WITH unread AS (SELECT 1 FROM cities WHERE name = 'x') SELECT people FROM cities"
    assert literals(unread) == []


async def check(executor: PostgresExecutor, condition: str) -> tuple[bool, str]:
    effects = read_effects(parse_sql(f"SELECT people FROM cities WHERE {condition}")[0].stmt, CATALOG)
    assert effects is not None
    async with executor.batch() as batch:
        found = await literal_check(batch, effects, ResultSet((ResultColumn("people", 23),), ()))
    assert found is not None
    return found.held, found.message


async def test_a_literal_that_does_not_occur_is_told_with_what_comes_nearest(
    executor: PostgresExecutor,
) -> None:
    assert await check(executor, "name = 'Rome'") == (True, "")
    assert await check(executor, "name = 'Oslo'") == (False, "'Oslo' is spelled ' OSLO ' in cities.name")
    assert await check(executor, "name = 'Lisboa'") == (
        False,
        "'Lisboa' does not occur in cities.name; the nearest values are 'Lisbon'",
    )
    assert await check(executor, "\"Country\" = 'Peru''s'") == (
        False,
        "'Peru's' does not occur in cities.Country",
    )


async def test_a_label_of_an_enum_is_none_that_could_be_missing(executor: PostgresExecutor) -> None:
    labelled = replace(CITIES.columns[0], name="name", category="E", enum_labels=("Atlantis",))
    cities = replace(CITIES, columns=(labelled,))
    for name, occurs in (("Atlantis", True), ("Lisboa", False)):
        literal = ComparedLiteral(cities, labelled, name)
        async with executor.batch() as batch:
            assert [p.occurs for p in await probe(batch, (literal,))] == [occurs]


async def test_the_data_is_left_alone_where_the_result_says_something(executor: PostgresExecutor) -> None:
    column = (ResultColumn("n", 20),)
    assert is_empty(ResultSet(column, ()))
    assert is_empty(ResultSet(column, ((None,), (None,))))
    assert is_empty(ResultSet(column, (("0",),)))
    assert is_empty(ResultSet(column, (("0.00",),)))
    assert not is_empty(ResultSet(column, (("0",), ("0",))))
    assert not is_empty(ResultSet(column, (("",),)))
    assert not is_empty(ResultSet(column, (("1",),)))


async def test_what_cannot_be_read_is_left_out(executor: PostgresExecutor) -> None:
    elsewhere = Relation(1, "public", "nowhere", "r", CITIES.columns)
    effects = read_effects(parse_sql("SELECT 1 FROM nowhere WHERE name = 'x'")[0].stmt, Catalog((elsewhere,)))
    assert effects is not None
    async with executor.batch() as batch:
        assert await probe(batch, compared_literals(effects)) == ()


class StoppedClock:
    """A clock that stands."""

    def monotonic(self) -> float:
        return 0.0


async def test_a_verdict_says_why_nothing_was_found(executor: PostgresExecutor) -> None:
    verdicts = await verify(
        Question("people of Lisboa"),
        [
            Candidate(f"SELECT people FROM cities WHERE name = '{name}'", "test")
            for name in ("Lisboa", "Rome")
        ],
        executor,
        load({}),
        Trace(StoppedClock()),
        catalog=CATALOG,
    )
    told = [{c.rule: c.held for c in v.checks if c.rule == "literal_occurs"} for v in verdicts]
    assert told == [{"literal_occurs": False}, {}]


@pytest.mark.parametrize(
    ("literal", "rule"), [("oslo", "literal_spelled"), ("Lisboa", "literal_occurs"), ("Rome", None)]
)
async def test_another_spelling_is_told_apart_from_what_is_not_there(
    executor: PostgresExecutor, literal: str, rule: str | None
) -> None:
    statement = parse_sql(f"SELECT people FROM cities WHERE name = '{literal}'")[0].stmt
    effects = read_effects(statement, CATALOG)
    assert effects is not None
    async with executor.batch() as batch:
        check = await literal_check(batch, effects, ResultSet((ResultColumn("n", 20),), ()))
    assert check is not None
    assert (check.rule if not check.held else None) == rule
