"""Functions and operators that somebody plants on the asker's search_path run for no statement of askwire's.

A trap takes an advisory lock of its session, which outlasts even the read-only transactions of probes: a
second connection sees which were sprung.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import psycopg
import pytest
from doubles.asked import asked_server
from doubles.scripted_expert import ScriptedExpert
from servers.running_proxy import OwnDatabase

from askwire.planner.embedded.engine import EmbeddedEngine

TABLES = """
CREATE TABLE owners (id int PRIMARY KEY, name text, city varchar(30), joined date);
CREATE TABLE pets (id int PRIMARY KEY, owner_id int REFERENCES owners, name text, kind varchar(20),
    weight numeric CHECK (weight > 0), born text, tags text[]);
CREATE TABLE visits (pet_id int, day date, cost numeric, PRIMARY KEY (pet_id, day));
INSERT INTO owners VALUES (1, 'Ann', 'Oslo', '2024-01-01'), (2, 'Bob', 'Rome', '2025-02-01');
INSERT INTO pets VALUES (1, 1, 'Rex', 'dog', 10, '2020-01-02', '{a}'),
    (2, 1, 'Tom', 'cat', 4, '2021-03-04', '{b}'), (3, 2, 'Ada', 'dog', 12, '2022-05-06', NULL);
INSERT INTO visits SELECT n % 3 + 1, '2025-01-01'::date + n, n FROM generate_series(1, 9) AS n;
CREATE VIEW dogs AS SELECT * FROM pets WHERE kind = 'dog' AND weight IS NOT NULL;
ANALYZE owners, pets, visits;
"""

PLANTED = """
CREATE SCHEMA planted;
CREATE TABLE planted.traps (key serial PRIMARY KEY, what text);
DO $do$
DECLARE
    one record; number int; left_type text; right_type text; operator text;
    types text[] := ARRAY['oid', 'regclass', 'regnamespace', 'regtype', 'regproc', 'name', 'text', 'varchar',
        'bpchar', '"char"', 'int2', 'int4', 'int8', 'float8', 'numeric', 'bool', 'date', 'timestamptz',
        'jsonb', 'tid', 'oid[]', 'int2[]', 'name[]', 'text[]', 'int2vector', 'oidvector'];
BEGIN
    -- what pg_catalog has as well, for who stands in front of it on the path
    FOR one IN SELECT proname AS name, pg_get_function_identity_arguments(oid) AS arguments,
            prorettype::regtype AS result
        FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f' AND NOT proretset
            AND provariadic = 0 AND proargmodes IS NULL
            AND NOT EXISTS (SELECT FROM unnest(proargtypes::oid[] || prorettype) AS t
                JOIN pg_type ON pg_type.oid = t WHERE typtype = 'p') LOOP
        INSERT INTO planted.traps (what) VALUES (one.name || '(' || one.arguments || ')')
            RETURNING key INTO number;
        EXECUTE format('CREATE FUNCTION planted.%I(%s) RETURNS %s LANGUAGE plpgsql AS '
            '$$ BEGIN PERFORM pg_catalog.pg_advisory_lock_shared(4711, %s); RETURN NULL; END $$',
            one.name, one.arguments, one.result, number);
    END LOOP;
    -- what fits pairs of types better than what pg_catalog has, for who stands behind it
    FOREACH left_type IN ARRAY types LOOP
        FOREACH right_type IN ARRAY types LOOP
            INSERT INTO planted.traps (what) VALUES (left_type || ' and ' || right_type)
                RETURNING key INTO number;
            EXECUTE format('CREATE FUNCTION planted.pair(%s, %s) RETURNS bool LANGUAGE plpgsql AS '
                '$$ BEGIN PERFORM pg_catalog.pg_advisory_lock_shared(4711, %s); RETURN true; END $$',
                left_type, right_type, number);
            FOREACH operator IN ARRAY
                ARRAY['=', '<>', '<', '>', '<=', '>=', '||', '!~*', '~*', '~~', '~'] LOOP
                EXECUTE format('CREATE OPERATOR planted.%s (leftarg = %s, rightarg = %s, '
                    'function = planted.pair)',
                    operator, left_type, right_type);
            END LOOP;
        END LOOP;
    END LOOP;
END $do$;
"""

SPRUNG = """
SELECT what FROM pg_catalog.pg_locks JOIN planted.traps ON key = objid::int
WHERE classid = 4711 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""

QUESTIONS = (
    "how many pets of kind dog are there",
    "how heavy are dogs",
    "owners in Oslo",
    "what visits cost",
)


@pytest.fixture(scope="module")
def planted(make_database: Callable[[], OwnDatabase]) -> OwnDatabase:
    """A database with thousands of traps."""
    database = make_database()
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute(TABLES)
        connection.execute(PLANTED)
    return database


@pytest.fixture
def observer(planted: OwnDatabase) -> Iterator[psycopg.Connection[Any]]:
    """A connection that sees what was sprung."""
    with psycopg.connect(planted.dsn(), autocommit=True) as connection:
        yield connection


def of_postgres(database: OwnDatabase, options: str, observer: psycopg.Connection[Any]) -> set[str]:
    """What PostgreSQL itself springs: pg_get_viewdef asks its catalogs with names as they are found."""
    with psycopg.connect(database.dsn(), autocommit=True, options=options) as connection:
        connection.execute("SELECT pg_catalog.pg_get_viewdef('public.dogs'::pg_catalog.regclass)")
        return {what for (what,) in observer.execute(SPRUNG)}


@pytest.mark.parametrize("path", ["public,planted", "planted,public,pg_catalog"])
async def test_no_trap_is_sprung(planted: OwnDatabase, observer: psycopg.Connection[Any], path: str) -> None:
    scripted = ScriptedExpert()
    dogs = ("SELECT weight FROM public.pets WHERE kind = 'dog'", "SELECT avg(weight) FROM public.pets")
    costs = (
        "SELECT sum(cost) FROM public.visits JOIN public.pets ON id = pet_id WHERE kind = 'dog'",
        "SELECT sum(cost) FROM public.visits WHERE pet_id IN (SELECT id FROM public.dogs UNION SELECT 7)",
    )
    scripted.answers("how heavy are dogs", *dogs)
    scripted.answers("what visits cost", *costs)
    options = f"-c search_path={path}"
    theirs = of_postgres(planted, options, observer)
    async with (
        asked_server(planted, workload="on", max_error="0.01") as server,
        server.connection(options=options) as connection,
    ):
        server.experts = (EmbeddedEngine(), scripted)
        for question in QUESTIONS:
            for asked in ("", "(WHY)", "(CHOICES)", "(SQL, FRESH)"):
                with suppress(psycopg.Error):
                    await connection.execute(f"ASK {asked} '{question}'".encode())
        for statement in (
            "ASK CHOOSE 1",
            "ASK RIGHT",
            "SELECT * FROM ask.history",
            "SELECT * FROM ask('pets')",
        ):
            with suppress(psycopg.Error):
                await connection.execute(statement.encode())
        assert len(scripted.plannings) >= len(QUESTIONS)
        assert {what for (what,) in observer.execute(SPRUNG)} - theirs == set()


async def test_a_trap_is_sprung_by_what_names_it(
    planted: OwnDatabase, observer: psycopg.Connection[Any]
) -> None:
    """The traps work."""
    with psycopg.connect(planted.dsn(), autocommit=True, options="-c search_path=public,planted") as other:
        other.execute("SELECT count(*) FROM public.pets WHERE kind = 'dog'")
        assert {what for (what,) in observer.execute(SPRUNG)} == {"varchar and varchar"}
