"""Where a NOTICE is not seen, an answer of less than high confidence is an error, unless it is accepted."""

from __future__ import annotations

from collections.abc import AsyncIterator

import psycopg
import pytest
from data.pets import CATS, DOGS
from doubles.asked import AskedServer, asked_server, rows
from doubles.scripted_expert import Says
from servers.running_proxy import OwnDatabase

from askwire.core.settings.setting import SettingValue

UNSEEN = [
    pytest.param("SELECT * FROM ask('every dog')", "ask() in FROM", id="the function"),
    pytest.param("SELECT * FROM (ASK 'every dog') d", "an ASK in FROM", id="an item of FROM"),
    pytest.param("SELECT 'Rex' IN (ASK 'every dog')", "an ASK in a subquery", id="a subquery"),
    pytest.param("WITH d AS (ASK 'every dog') SELECT * FROM d", "an ASK in WITH", id="a WITH query"),
    pytest.param("COPY (ASK 'every dog') TO STDOUT", "COPY", id="COPY"),
    pytest.param("CREATE VIEW v AS ASK 'every dog'", "CREATE VIEW", id="a view"),
    pytest.param("CREATE TABLE t AS ASK 'every dog'", "CREATE TABLE AS", id="a table"),
    pytest.param("INSERT INTO pets (name) ASK 'every dog'", "INSERT", id="INSERT"),
]


@pytest.fixture
async def asked(pets: OwnDatabase) -> AsyncIterator[AskedServer]:
    async with asked_server(pets) as running:
        yield running


@pytest.fixture
def doubtful(asked: AskedServer) -> AskedServer:
    """A server whose one expert is right in three of four cases."""
    asked.experts = [Says("scripted", DOGS, confidence=0.75)]
    return asked


@pytest.mark.parametrize(("statement", "place"), UNSEEN)
async def test_medium_confidence_is_an_error_where_no_notice_is_seen(
    doubtful: AskedServer, statement: str, place: str
) -> None:
    async with doubtful.connection() as connection:
        with pytest.raises(psycopg.Error, match="medium confidence") as caught:
            await connection.execute(statement.encode())
    told = caught.value.diag
    assert told.sqlstate == "NL003"
    assert f"and {place} requires high confidence" in (told.message_primary or "")
    assert DOGS in (told.message_detail or "")
    assert "accept medium" in (told.message_hint or "")


@pytest.mark.parametrize(
    "statement", ["ASK 'every dog'", "EXPLAIN ASK 'every dog'", "PREPARE p AS ASK 'every dog'"]
)
async def test_a_whole_statement_is_answered_with_medium_confidence(
    doubtful: AskedServer, statement: str
) -> None:
    async with doubtful.connection() as connection:
        await connection.execute(statement.encode())


@pytest.mark.parametrize(
    "report", ["ask('every dog', 'why')", "ask('every dog', 'sql')", "ask('every dog', 'choices')"]
)
async def test_a_report_of_a_doubtful_answer_is_no_answer(doubtful: AskedServer, report: str) -> None:
    async with doubtful.connection() as connection:
        assert await rows(connection, f"SELECT * FROM {report}")


@pytest.mark.parametrize(
    ("setting", "statement"),
    [
        pytest.param("", "SELECT * FROM ask('every dog', 'accept medium')", id="the call"),
        pytest.param("", "SELECT * FROM (ASK (ACCEPT low) 'every dog') d", id="the keyword"),
        pytest.param("SET askwire.accept = 'medium'", "SELECT * FROM ask('every dog')", id="the session"),
    ],
)
async def test_the_asker_may_accept_less(doubtful: AskedServer, setting: str, statement: str) -> None:
    async with doubtful.connection() as connection:
        if setting:
            await connection.execute(setting.encode())
        assert await rows(connection, statement)


async def test_a_call_may_ask_for_more_than_its_session(doubtful: AskedServer) -> None:
    async with doubtful.connection() as connection:
        await connection.execute("SET askwire.accept = 'medium'")
        with pytest.raises(psycopg.Error, match="requires high confidence"):
            await connection.execute("SELECT * FROM ask('every dog', 'accept high')")
        with pytest.raises(psycopg.Error, match="ACCEPT HIGH requires high confidence"):
            await connection.execute("ASK (ACCEPT high) 'every dog'")


async def test_the_operator_bounds_what_may_be_accepted(doubtful: AskedServer) -> None:
    resolver = doubtful.resolver
    resolver.settings = resolver.settings.giving({"accept_least": SettingValue("high", "a test")})
    async with doubtful.connection() as connection:
        await connection.execute("SET askwire.accept = 'low'")
        for statement in ("SELECT * FROM ask('every dog')", "SELECT * FROM ask('every dog', 'accept low')"):
            with pytest.raises(psycopg.Error, match="requires high confidence") as caught:
                await connection.execute(statement.encode())
            assert "accept_least" in (caught.value.diag.message_hint or "")


async def test_a_session_without_notices_gets_no_doubtful_answer(doubtful: AskedServer) -> None:
    for setting in ("SET client_min_messages = warning", "SET askwire.notices = off"):
        async with doubtful.connection() as connection:
            await connection.execute(setting.encode())
            with pytest.raises(psycopg.Error, match="a session without notices requires high"):
                await connection.execute("ASK 'every dog'")


async def test_a_pinned_answer_is_held_to_the_same_level_until_a_person_confirms_it(
    doubtful: AskedServer,
) -> None:
    async with doubtful.connection() as connection:
        await connection.execute("ASK 'every dog'")
        with pytest.raises(psycopg.Error, match="requires high confidence"):
            await connection.execute("SELECT * FROM ask('every dog')")
        await connection.execute("ASK 'every dog'")
        await connection.execute("ASK RIGHT")
        assert await rows(connection, "SELECT * FROM ask('every dog')")


async def test_of_two_readings_the_asker_can_choose(pets: OwnDatabase) -> None:
    async with asked_server(pets, answer_confidence="0", ambiguity_margin="0") as asked:
        asked.experts = [Says("one", DOGS, confidence=0.75), Says("two", CATS, confidence=0.2)]
        async with asked.connection() as connection:
            with pytest.raises(psycopg.Error, match="requires high confidence") as caught:
                await connection.execute("SELECT * FROM ask('every dog')")
            assert caught.value.diag.sqlstate == "NL001"
            await connection.execute("ASK CHOOSE 1")
            assert await rows(connection, "SELECT * FROM ask('every dog')")
