"""Questions about what JSON columns hold, and about amounts of type money, through the wire."""

from __future__ import annotations

from collections.abc import AsyncIterator

import psycopg
import pytest
from doubles.asked import WHATEVER_SURE, AskedServer, Connection, asked_server, rows
from servers.running_proxy import OwnDatabase

from askwire.planner.embedded.engine import EmbeddedEngine

TABLES = """
CREATE TABLE people (id int PRIMARY KEY, full_name text, salary money, profile jsonb, old json, labels jsonb);
ALTER TABLE people ADD COLUMN tools text[];
INSERT INTO people VALUES
  (1, 'Ana', 1200, '{"city": "Porto", "age": 41, "skills": ["welding"], "vip": true}',
   '{"shoe": {"size": 38}}',
   '["remote"]'),
  (2, 'Ben', 3400, '{"city": "Faro", "age": 29, "skills": ["welding", "driving"], "vip": false}', '[]', '[]'),
  (3, 'Cleo', 5600, '{"city": "Porto", "age": 35, "born": "1990-05-17"}', NULL, NULL),
  (4, 'Dov', NULL, NULL, '{"shoe": {"size": 44}}', '["remote", "night"]');
UPDATE people SET tools = CASE id WHEN 1 THEN '{saw}' WHEN 2 THEN '{}' WHEN 3 THEN '{saw,drill}' END::text[];
CREATE TABLE secrets (id int PRIMARY KEY, owner text, held jsonb);
INSERT INTO secrets VALUES (1, 'postgres', '{"metal": "gold"}'), (2, 'somebody', '{"metal": "zinc"}');
ALTER TABLE secrets ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON secrets USING (owner = current_user);
CREATE ROLE json_asker LOGIN;
GRANT SELECT ON people, secrets TO json_asker;
ANALYZE people, secrets;
"""

LATE = """
CREATE TABLE offers (id int PRIMARY KEY, held jsonb);
INSERT INTO offers SELECT i, '{"price": 7, "sold_out": false}' FROM generate_series(1, 300) AS i;
INSERT INTO offers VALUES (301, '{"price": "n/a", "sold_out": "?"}');
INSERT INTO offers VALUES (302, '{"price": 90, "sold_out": true}');
ANALYZE offers;
"""
PLANTED = """
CREATE SCHEMA planted;
CREATE TABLE planted.seen (what text);
CREATE FUNCTION planted.look(jsonb, text) RETURNS text LANGUAGE plpgsql AS
  $$ BEGIN INSERT INTO planted.seen VALUES ($1); RETURN $1 OPERATOR(pg_catalog.->>) $2; END $$;
CREATE OPERATOR planted.->> (LEFTARG = jsonb, RIGHTARG = text, FUNCTION = planted.look);
"""


@pytest.fixture
async def asked(empty_database: OwnDatabase) -> AsyncIterator[AskedServer]:
    with empty_database.owner() as connection:
        connection.execute(TABLES)
        async with asked_server(empty_database, answer_confidence=WHATEVER_SURE) as running:
            running.experts = (EmbeddedEngine(),)
            yield running
        connection.execute(
            "DROP SCHEMA IF EXISTS planted CASCADE; DROP TABLE people, secrets; DROP ROLE json_asker"
        )


async def answer(connection: Connection, question: str) -> list[tuple[object, ...]]:
    return sorted(await rows(connection, f"ASK '{question}'"), key=str)


@pytest.mark.parametrize(
    ("question", "answered"),
    [
        ("people in Porto", [("Ana",), ("Cleo",)]),
        ("how many people are in Faro?", [(1,)]),
        ("number of people per city", [(None, 1), ("Faro", 1), ("Porto", 2)]),
        ("people older than 30", [("Ana",), ("Cleo",)]),
        ("what is the average age of people?", [(35,)]),
        ("vip people", [("Ana",)]),
        ("people with the skill driving", [("Ben",)]),
        ("people with the label remote", [("Ana",), ("Dov",)]),
        ("people with a shoe size above 40", [("Dov",)]),
        ("people with more than one skill", [("Ben",)]),
        ("people without any labels", [("Ben",), ("Cleo",)]),
        ("people with at least 2 tools", [("Cleo",)]),
        ("people without tools", [("Ben",), ("Dov",)]),
        ("people with both a saw and a drill", [("Cleo",)]),
        ("people born after 1985", [("Cleo",)]),
        ("people with a salary over 3000", [("Ben",), ("Cleo",)]),
        ("average salary of people", [(3400,)]),
        ("total salary of people in Porto", [(6800,)]),
        ("who has the highest salary?", [("Cleo",)]),
    ],
)
async def test_answers(asked: AskedServer, question: str, answered: list[tuple[object, ...]]) -> None:
    async with asked.connection() as connection:
        found = await answer(connection, question)
    assert found == sorted(answered, key=str)


async def test_documents_that_hold_something_else_are_passed_over(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await connection.execute(LATE)
        assert await answer(connection, "how many offers have a price above 50?") == [(1,)]
        assert await answer(connection, "how many offers are sold out?") == [(1,)]
        assert await answer(connection, "highest price of offers") == [(90,)]
        await connection.execute("DROP TABLE offers")


async def test_outputs_are_called_as_their_keys(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        cursor = await connection.execute("ASK 'number of people per city'")
        assert [c.name for c in cursor.description or ()] == ["city", "number_of_people"]


async def test_a_key_that_appears_later_is_found_after_the_next_change_of_the_schema(
    asked: AskedServer,
) -> None:
    async with asked.connection() as connection:
        await connection.execute("SET askwire.answer_confidence = 0.65")
        with pytest.raises(psycopg.Error):
            await answer(connection, "people with the hobby chess")
        await connection.execute("RESET askwire.answer_confidence")
        await connection.execute(
            """UPDATE people SET profile = profile || '{"hobby": "chess"}' WHERE id = 2"""
        )
        await connection.execute("ALTER TABLE people ADD COLUMN note text")
        assert await answer(connection, "people with the hobby chess") == [("Ben",)]


async def test_rows_under_row_security_tell_nobody_what_their_documents_hold(asked: AskedServer) -> None:
    async with asked.connection("json_asker") as connection:
        with pytest.raises(psycopg.Error) as refused:
            await answer(connection, "secrets with the metal zinc")
    assert "metal'" not in str(refused.value.diag.message_detail)


async def test_operators_that_somebody_planted_are_not_used(asked: AskedServer) -> None:
    with asked.database.owner() as connection:
        connection.execute(PLANTED)
    async with asked.connection() as client:
        await client.execute("SET search_path = planted, pg_catalog, public")
        assert await answer(client, "people in Porto") == [("Ana",), ("Cleo",)]
        await client.execute("RESET search_path")
        assert await rows(client, "SELECT count(*) FROM planted.seen") == [(0,)]
