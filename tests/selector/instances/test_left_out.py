"""Rows that foreign keys want are left out only where no answer would be another one with them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import psycopg
import pytest
from doubles.tracing_session import session
from servers.databases import Database

from askwire.bench.separation.audit import Auditor
from askwire.selector.instances import separate

RAREST = (
    "SELECT dogs.name, visits.day FROM dogs JOIN visits ON visits.dog = dogs.id WHERE dogs.breed ="
    " (SELECT breed FROM dogs GROUP BY breed ORDER BY count(*) LIMIT 1)"
)
FIRST = (
    "SELECT dogs.name, visits.day FROM dogs JOIN visits ON visits.dog = dogs.id WHERE dogs.breed ="
    " (SELECT code FROM breeds ORDER BY code LIMIT 1) ORDER BY visits.day"
)
BREEDS = (
    "SELECT count(DISTINCT dogs.breed) FROM dogs JOIN visits ON visits.dog = dogs.id WHERE visits.id < 18"
)
VISITS = "SELECT count(*) FROM visits WHERE visits.id < 18"
CROSSED = "SELECT name, day FROM dogs CROSS JOIN visits WHERE dogs.id = visits.dog"


@pytest.fixture(scope="module")
def kennel(make_database: Callable[[], Database]) -> Database:
    database = make_database()
    with psycopg.connect(database.dsn(), autocommit=True) as conn:
        conn.execute(
            "CREATE TABLE breeds (code text PRIMARY KEY, name text);"
            "CREATE TABLE dogs (id int PRIMARY KEY, name text, breed text REFERENCES breeds);"
            "CREATE TABLE visits (id int PRIMARY KEY, dog int REFERENCES dogs, day date);"
            "INSERT INTO breeds VALUES ('BUL', 'Bulldog'), ('ESK', 'Eskimo'), ('HUS', 'Husky');"
            "INSERT INTO dogs SELECT n, 'dog ' || n, (ARRAY['ESK', 'BUL', 'HUS', 'HUS', 'BUL'])[n % 5 + 1]"
            " FROM generate_series(1, 15) n;"
            "INSERT INTO visits SELECT n, n % 15 + 1, date '2026-01-01' + n FROM generate_series(1, 20) n;"
        )
    return database


@pytest.mark.parametrize(
    ("first", "second"),
    [(RAREST, FIRST), (FIRST, CROSSED), (RAREST, CROSSED), (BREEDS, VISITS), (VISITS, BREEDS)],
)
async def test_the_answers_stay_with_what_foreign_keys_want(
    kennel: Database, first: str, second: str
) -> None:
    async with session(kennel.dsn()) as asker:
        found = await separate(first, second, asker.catalog, asker.executor)
    assert found.instance is not None
    with closing(Auditor(kennel.dsn(), "public")) as auditor:
        audit = auditor.audit(found)
    assert (audit.separates, audit.real, audit.kept) == (True, True, True)
    assert audit.minimal or not found.instance.minimal
