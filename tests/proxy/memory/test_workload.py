"""Workload: what views and statements say, read as the asker and for the asker alone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import psycopg
import pytest
from data.pets import filled, learning
from doubles.asked import AskedServer, asked_server, rows
from servers.running_proxy import OwnDatabase

from askwire.core.errors import AskCanceled
from askwire.core.protocols import Batch
from askwire.proxy.memory import workload
from askwire.sql.query_patterns.patterns import (
    MAX_COUNT_PER_QUERY,
    ColumnName,
    Filter,
    Join,
    NamedMeasure,
    QueryPatterns,
)

TABLES = """
CREATE TABLE pets (id int PRIMARY KEY, name text, kind text, gone_on date);
CREATE TABLE visits (pet int, paid numeric, day date);
CREATE VIEW living AS SELECT * FROM pets WHERE gone_on IS NULL AND kind = 'dog';
CREATE MATERIALIZED VIEW earned AS SELECT p.kind, sum(v.paid) AS paid
    FROM pets p JOIN visits v ON v.pet = p.id GROUP BY p.kind;
CREATE ROLE reader LOGIN;
GRANT SELECT ON pets, visits, living TO reader;
"""
PETS = ("public", "pets")
HERE = Filter(*PETS, (ColumnName(*PETS, "gone_on"), " IS NULL"))
DOGS = Filter(*PETS, (ColumnName(*PETS, "kind"), " = 'dog'"))
PAID = ("sum(", ColumnName("public", "visits", "paid"), ")")
JOIN = Join(ColumnName(*PETS, "id"), ColumnName("public", "visits", "pet"))


@pytest.fixture
def pets(empty_database: OwnDatabase) -> Iterator[OwnDatabase]:
    with filled(empty_database, TABLES, "reader") as database:
        yield database


@pytest.fixture
async def asked(pets: OwnDatabase) -> AsyncIterator[AskedServer]:
    async with learning(pets) as running:
        yield running


async def known(asked: AskedServer, user: str = "postgres", options: str = "") -> QueryPatterns | None:
    """What the experts are shown the second time somebody asks."""
    async with asked.connection(user, options) as connection:
        await rows(connection, "ASK (FRESH) 'how many pets'")
        await asked.resolver.memories.workload.settled()
        await rows(connection, "ASK (FRESH) 'how many pets'")
    return asked.expert.plannings[-1].query_patterns


async def test_views_tell_joins_filters_and_measures(asked: AskedServer) -> None:
    query_patterns = await known(asked)
    assert query_patterns is not None
    assert query_patterns.joins == {JOIN: 1}
    assert query_patterns.measures == {PAID: 1}
    assert query_patterns.named == {NamedMeasure("paid", PAID, "earned"): 1}
    assert HERE in query_patterns.filters
    assert DOGS in query_patterns.filters


async def test_what_the_asker_may_not_read_says_nothing(asked: AskedServer) -> None:
    query_patterns = await known(asked, "reader")
    assert query_patterns is not None
    assert not query_patterns.joins
    assert HERE in query_patterns.filters


async def test_a_session_can_do_without(asked: AskedServer) -> None:
    assert await known(asked, options="-c askwire.workload=off") is None


async def test_it_is_off_until_the_operator_wants_it(pets: OwnDatabase) -> None:
    async with asked_server(pets) as running:
        running.expert.answers("how many pets", "SELECT count(*) FROM pets")
        assert await known(running) is None
        assert await known(running, options="-c askwire.workload=on") is None


async def test_it_is_read_again_after_ddl_and_not_before(asked: AskedServer, pets: OwnDatabase) -> None:
    before = await known(asked)
    assert await known(asked) is before
    with pets.owner() as connection:
        connection.execute("CREATE VIEW named AS SELECT name FROM pets WHERE name IS NOT NULL")
    after = await known(asked)
    assert after is not None
    assert Filter(*PETS, (ColumnName(*PETS, "name"), " IS NOT NULL")) in after.filters


STATISTICS = """
CREATE SCHEMA statistics;
CREATE TABLE statistics.pg_stat_statements AS
    SELECT r.oid AS userid, d.oid AS dbid, v.query, v.calls
    FROM pg_roles r, pg_database d, (VALUES
        ('postgres', 'SELECT name FROM pets WHERE kind = $1 AND gone_on IS NULL', 7::bigint),
        ('postgres', 'DELETE FROM pets', 5),
        ('reader', 'SELECT paid FROM visits', 9)) AS v(role, query, calls)
    WHERE r.rolname = v.role AND d.datname = current_database();
"""


async def test_statements_count_as_often_as_they_ran_and_for_who_ran_them(
    asked: AskedServer, pets: OwnDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workload, "_STATISTICS", "SELECT 'statistics'")
    with pets.owner() as connection:
        connection.execute(STATISTICS)
        connection.execute("DROP VIEW living")
    query_patterns = await known(asked)
    assert query_patterns is not None
    assert query_patterns.filters == {HERE: MAX_COUNT_PER_QUERY}
    assert query_patterns.outputs[ColumnName(*PETS, "name")] == 7
    assert ColumnName("public", "visits", "paid") not in query_patterns.outputs


async def test_a_view_that_breaks_keeps_nobody_from_asking(
    asked: AskedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workload, "_VIEWS", "SELECT 1 / (0 * $1::pg_catalog.int4)")
    assert await known(asked) is None
    assert asked.questions == ["how many pets"] * 2


async def test_what_could_not_be_read_takes_nothing_away_and_is_read_soon(
    asked: AskedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A view that takes too long once: what was known stays, and is read again soon."""
    before = await known(asked)
    assert before is not None
    views = workload._VIEWS
    monkeypatch.setattr(workload, "_VIEWS", "SELECT 1 / (0 * $1::pg_catalog.int4)")
    monkeypatch.setattr(workload, "REREAD_SECONDS", 0.0)
    assert await known(asked) == before
    monkeypatch.setattr(workload, "REREAD_AFTER_FAILURE_SECONDS", 0.0)
    assert await known(asked) is None, "what fails again and again is not kept for ever"
    monkeypatch.setattr(workload, "_VIEWS", views)
    assert await known(asked) == before


async def test_a_read_that_is_canceled_is_made_again(
    asked: AskedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = workload._read

    async def canceled(batch: Batch, *, names: bool) -> workload._QueryBatch:
        raise AskCanceled("the ASK was canceled")

    monkeypatch.setattr(workload, "_read", canceled)
    async with asked.connection() as connection:
        with pytest.raises(psycopg.Error):
            await rows(connection, "ASK (FRESH) 'how many pets'")
    monkeypatch.setattr(workload, "_read", read)
    assert await known(asked) is not None
