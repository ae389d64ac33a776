"""Texts are mended until they run; what ran is changed only where its result shows the need."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest
from doubles.postgres_executor import PostgresExecutor, session_state
from servers.databases import Database

from askwire.core.errors import RefusedByGate
from askwire.core.settings.table import load
from askwire.core.trace import Trace
from askwire.core.types import Candidate, Question
from askwire.planner.catalogs import Catalogs
from askwire.sql.catalog import Catalog
from askwire.sql.safety import Policy, check
from askwire.verifier import verify
from askwire.verifier.repair import ScriptedRepairer
from askwire.verifier.repair.mending import MendedText, mend

SCHEMA = """
CREATE TABLE owners (id int PRIMARY KEY, name text, city text);
CREATE TABLE dogs (id int PRIMARY KEY, owner_id int REFERENCES owners, name text, age text, weight numeric);
INSERT INTO owners VALUES (1, 'Ann', 'Rome'), (2, 'Bob', 'Oslo');
INSERT INTO dogs VALUES (1, 1, 'Rex', '9', 7.5), (2, 1, 'Ada', '10', NULL), (3, NULL, 'Max', '2', 3.0);
"""


class StoppedClock:
    """A clock that stands."""

    def monotonic(self) -> float:
        return 0.0


class Kennels:
    """The executor and the catalog of the tests' database; `gated` are the texts that came to the gate."""

    def __init__(self, connection: psycopg.AsyncConnection[Any], catalog: Catalog) -> None:
        self.catalog = catalog
        self.gated: list[str] = []
        self.executor = PostgresExecutor(connection, self._gate)

    def _gate(self, sql: str) -> str:
        self.gated.append(sql)
        return check(sql, self.catalog, Policy()).sql

    async def mend(self, sql: str) -> MendedText:
        async with self.executor.batch() as batch:
            return await mend(batch, sql, self.catalog, load({}))


@pytest.fixture
async def kennels(database: Database) -> AsyncIterator[Kennels]:
    connection = await psycopg.AsyncConnection.connect(database.dsn(), autocommit=True)
    await connection.execute(SCHEMA)
    session = await session_state(connection)
    async with PostgresExecutor(connection).batch() as batch:
        catalog = await Catalogs(StoppedClock()).load(batch, session, "")
    yield Kennels(connection, catalog)
    await connection.close()


@pytest.mark.parametrize(
    ("sql", "rows", "mends"),
    [
        ('SELECT Name FROM Owners WHERE city = "Rome"', (("Ann",),), ("quoted_literals",)),
        ("SELECT avg(age) > 6 FROM dogs", (("t",),), ("casts",)),
        (
            "SELECT `Name` FROM `Dogs` WHERE `Age` > 5 ORDER BY `Weight` LIMIT 1, 1",
            (("Rex",),),
            ("foreign_dialect", "identifier_case", "casts"),
        ),
        ("SELECT name, max(weight) FROM dogs", (("Rex", "7.5"),), ("group_by",)),
        (
            "SELECT name FROM dogs WHERE city = 'Rome' AND id = 1",
            (("Rex",),),
            ("unknown_columns", "ambiguous_columns"),
        ),
        ("SELECT count(*) FROM dogs WHERE owner_id = 'Ann'", (("2",),), ("linked_labels",)),
        ("SELECT name FROM dogs ORDER BY weight DESC LIMIT 1", (("Rex",),), ("nulls_last",)),
        (
            "SELECT name FROM owners WHERE id NOT IN (SELECT owner_id FROM dogs)",
            (("Bob",),),
            ("not_in_nulls",),
        ),
        ("SELECT name FROM owners WHERE city = 'ROME'", (("Ann",),), ("literal_case",)),
        ("SELECT count(*) FROM owners WHERE name LIKE 'a%'", (("1",),), ("ignore_case",)),
    ],
)
async def test_a_text_is_mended(
    kennels: Kennels, sql: str, rows: tuple[tuple[str, ...], ...], mends: tuple[str, ...]
) -> None:
    made = await kennels.mend(sql)
    assert made.outcome.result is not None, made
    assert made.outcome.result.rows == rows
    assert made.mends == mends
    assert made.sql in kennels.gated


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM dogs ORDER BY age DESC LIMIT 1",
        "SELECT name FROM dogs WHERE owner_id NOT IN (SELECT id FROM owners)",
        "SELECT name FROM owners WHERE city = 'Paris'",
        "SELECT count(*) FROM owners WHERE name LIKE 'z%'",
    ],
)
async def test_a_text_that_ran_stays_as_it_is_where_nothing_shows_a_need(kennels: Kennels, sql: str) -> None:
    made = await kennels.mend(sql)
    assert made.outcome.result is not None
    assert (made.sql, made.mends) == (sql, ())


async def test_a_text_that_no_mend_makes_run_stays_what_it_was(kennels: Kennels) -> None:
    sql = 'SELECT nothing FROM dogs WHERE name = "x" AND ('
    made = await kennels.mend(sql)
    assert (made.sql, made.mends, made.outcome.sqlstate) == (sql, (), "NL006")
    made = await kennels.mend('SELECT zzz FROM dogs WHERE name = "x"')
    assert made.sql == 'SELECT zzz FROM dogs WHERE name = "x"'
    assert made.tried == ("quoted_literals",)
    assert made.outcome.sqlstate == "42703"


async def test_a_mended_text_passes_the_gate_like_any_other(kennels: Kennels) -> None:
    made = await kennels.mend("SELECT pg_read_file(`x`) FROM dogs")
    assert made.outcome.sqlstate == RefusedByGate.sqlstate
    assert made.outcome.result is None
    assert len(kennels.gated) > 1


async def test_the_verdict_tells_the_mended_text_and_the_trace_how_it_came_to_be(kennels: Kennels) -> None:
    trace = Trace(StoppedClock())
    candidate = Candidate('SELECT name FROM owners WHERE city = "Oslo"', "test")
    (verdict,) = await verify(
        Question("owners in Oslo"), [candidate], kennels.executor, load({}), trace, catalog=kennels.catalog
    )
    assert verdict.ran
    assert verdict.candidate is candidate
    assert verdict.sql == "SELECT name FROM owners WHERE city = 'Oslo'"
    assert verdict.mends == ("quoted_literals",)
    (event,) = [e for e in trace if e.name == "mended"]
    assert event.data["sql"] == candidate.sql
    assert event.data["mended"] == verdict.sql


async def test_what_mends_cannot_do_a_repairer_may_and_its_text_is_gated_and_mended_too(
    kennels: Kennels,
) -> None:
    repairer = ScriptedRepairer(["DROP TABLE dogs", 'SELECT name FROM owners WHERE city = "Oslo"'])
    (verdict,) = await verify(
        Question("owners in Oslo"),
        [Candidate("SELECT zzz FROM owners", "test")],
        kennels.executor,
        load({}),
        Trace(StoppedClock()),
        catalog=kennels.catalog,
        repairer=repairer,
    )
    assert verdict.sql == "SELECT name FROM owners WHERE city = 'Oslo'"
    assert verdict.result is not None
    assert [r.sql for r in repairer.requests] == ["SELECT zzz FROM owners"] * 2
    assert kennels.executor.batches == 3


async def test_without_repairs_a_failed_candidate_stays_in_the_vote(kennels: Kennels) -> None:
    repairer = ScriptedRepairer(["SELECT 1"])
    failed, fine = await verify(
        Question("owners"),
        [Candidate("SELECT zzz FROM owners", "test"), Candidate("SELECT name FROM owners", "test")],
        kennels.executor,
        load({"repairs": "0"}),
        Trace(StoppedClock()),
        catalog=kennels.catalog,
        repairer=repairer,
    )
    assert (failed.ran, failed.sqlstate, fine.ran) == (False, "42703", True)
    assert not repairer.requests
