"""One connection, several roles: what was asked, told or prepared as one of them is not another one's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import psycopg
import pytest
from data.pets import filled
from doubles.asked import AskedServer, asked_server, rows
from servers.running_proxy import OwnDatabase

TABLES = """
CREATE TABLE pets (id int PRIMARY KEY, name text);
INSERT INTO pets VALUES (1, 'Rex'), (2, 'Ada');
CREATE ROLE keeper;
CREATE ROLE guest;
GRANT SELECT ON pets TO keeper;
GRANT SELECT (id) ON pets TO guest;
"""
PREPARED = {
    "report": "ASK (WHY) 'names'",
    "text": "ASK (SQL) 'names'",
    "readings": "ASK (CHOICES) 'names'",
    "history": "SELECT question, sql FROM ask.history",
    "pins": "SELECT question, sql FROM ask.pins",
}


@pytest.fixture
def pets(empty_database: OwnDatabase) -> Iterator[OwnDatabase]:
    with filled(empty_database, TABLES, "keeper", "guest") as database:
        yield database


@pytest.fixture
async def asked(pets: OwnDatabase) -> AsyncIterator[AskedServer]:
    async with asked_server(pets) as running:
        running.expert.answers("names", "SELECT name FROM pets", "SELECT name FROM pets WHERE id > 1")
        yield running


@pytest.mark.parametrize("change", ["SET ROLE", "SET SESSION AUTHORIZATION"])
async def test_what_one_role_prepared_tells_another_nothing(asked: AskedServer, change: str) -> None:
    async with asked.connection() as connection:
        await connection.execute(f"{change} keeper")
        await rows(connection, "ASK 'names'")
        for name, sql in PREPARED.items():
            await connection.execute(f"PREPARE {name} AS {sql}")
            assert await rows(connection, f"EXECUTE {name}"), name
        await connection.execute(f"{change} guest")
        for name in PREPARED:
            assert await rows(connection, f"EXECUTE {name}") == [], name
        await connection.execute(f"{change} keeper")
        for name in PREPARED:
            assert await rows(connection, f"EXECUTE {name}"), name


@pytest.mark.parametrize("said", ["ASK RIGHT", "ASK WRONG", "ASK CHOOSE 1"])
async def test_what_another_role_asked_cannot_be_judged(asked: AskedServer, said: str) -> None:
    async with asked.connection() as connection:
        await connection.execute("SET ROLE keeper")
        await rows(connection, "ASK 'names'")
        await connection.execute("SET ROLE guest")
        with pytest.raises(psycopg.Error) as refused:
            await rows(connection, said)
        assert refused.value.sqlstate == "NL007"
        assert "pets" not in str(refused.value)
