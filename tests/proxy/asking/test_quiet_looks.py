"""What the engine looks up of its own accord runs nothing of anybody's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress

import psycopg
import pytest
from doubles.asked import WHATEVER_SURE, AskedServer, asked_server, rows
from servers.running_proxy import OwnDatabase

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Relation
from askwire.sql.safety.probes import quiet

# a lock of the session stays behind whatever ran, though the transaction was read-only
TABLES = """
CREATE TABLE newts (id int PRIMARY KEY, name text, born_date text, notes jsonb);
INSERT INTO newts VALUES (1, 'Olm', '2020-01-01', '{"colour": "pale"}');
CREATE FUNCTION trap() RETURNS text LANGUAGE plpgsql VOLATILE AS
  $$ BEGIN PERFORM pg_advisory_lock(4711); RETURN 'caught'; END $$;
CREATE VIEW salamanders AS SELECT 1 AS id, trap() AS label;
CREATE MATERIALIZED VIEW axolotls AS SELECT 1 AS id, 'Gill' AS label;
CREATE TABLE frogs (id int PRIMARY KEY, name text, born_date text, notes jsonb);
INSERT INTO frogs VALUES (1, 'Ribbit', '2020-01-01', '{"colour": "green"}');
ALTER TABLE frogs ENABLE ROW LEVEL SECURITY;
CREATE POLICY trapped ON frogs USING (trap() IS NOT NULL);
CREATE SCHEMA pond;
CREATE VIEW pond.toads AS SELECT 1 AS id, public.trap() AS label;
CREATE ROLE newt_asker LOGIN;
GRANT USAGE ON SCHEMA pond TO newt_asker;
GRANT SELECT ON newts, salamanders, axolotls, frogs, pond.toads TO newt_asker;
ANALYZE newts, axolotls, frogs;
"""
GONE = """
DROP SCHEMA pond CASCADE; DROP VIEW salamanders; DROP TABLE newts, frogs; DROP MATERIALIZED VIEW axolotls;
DROP FUNCTION trap; DROP ROLE newt_asker
"""
CAUGHT = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711"


@pytest.fixture
async def asked(empty_database: OwnDatabase) -> AsyncIterator[AskedServer]:
    with empty_database.owner() as connection:
        connection.execute(TABLES)
        async with asked_server(empty_database, answer_confidence=WHATEVER_SURE) as running:
            running.experts = (EmbeddedEngine(),)
            yield running
        connection.execute(GONE)


@pytest.mark.parametrize(
    "question",
    [
        "how many newts are there?",
        "newts called Olm",
        "zzz yyy",
        "caught",
        "gill",
        "salamanders with the label caught",
        "frogs called Ribbit",
        "labels of salamanders",
    ],
)
@pytest.mark.parametrize("role", ["postgres", "newt_asker"])
async def test_no_question_runs_what_a_view_or_a_policy_runs(
    asked: AskedServer, question: str, role: str
) -> None:
    async with asked.connection(role) as connection:
        with suppress(psycopg.Error):
            await rows(connection, f"ASK '{question}'")
        assert await rows(connection, CAUGHT) == [(0,)]


async def test_other_values_are_still_found(asked: AskedServer) -> None:
    async with asked.connection("newt_asker") as connection:
        assert await rows(connection, "ASK 'how many newts are called Olm?'") == [(1,)]
        assert await rows(connection, "ASK 'how many axolotls have the label Gill?'") == [(1,)]
        assert await rows(connection, CAUGHT) == [(0,)]


@pytest.mark.parametrize(
    ("relation", "may"),
    [
        (Relation(1, "public", "t", "r", ()), True),
        (Relation(1, "public", "t", "v", (), runs=("pg_catalog.now",)), True),
        (Relation(1, "public", "t", "v", (), runs=("public.trap",)), False),
        (Relation(1, "public", "t", "v", (), runs=("pg_catalog.pg_sleep",)), False),
        (Relation(1, "public", "t", "r", (), runs=("pg_catalog.now", "public.trap")), False),
        (Relation(1, "public", "t", "f", ()), False),
        (Relation(1, "public", "t", "p", (), reaches_foreign=True), False),
    ],
)
def test_what_may_be_looked_at(relation: Relation, may: bool) -> None:
    assert quiet(relation) is may
