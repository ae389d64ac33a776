"""An ASK through the whole composition: wire, session, planner, verifier, selector, gate and back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest
from doubles.scripted_expert import ScriptedExpert
from psycopg import errors
from servers.running_proxy import OwnDatabase

from askwire.core.settings.table import PROBE_MAX_ROWS, PROBE_TIMEOUT, TIMEOUT, load
from askwire.planner.expert import ExpertContext
from askwire.proxy.resolver.resolver import AskResolver
from askwire.proxy.server import Server

Connection = psycopg.AsyncConnection[tuple[Any, ...]]

TABLES = """
CREATE TABLE pets (id int PRIMARY KEY, name text, kind text);
INSERT INTO pets VALUES (1, 'Rex', 'dog'), (2, 'Tom', 'cat'), (3, 'Ada', 'dog');
CREATE ROLE nobody_special;
"""


class AskedProxy:
    """A running server with a scripted expert, and connections through it."""

    def __init__(self, database: OwnDatabase, server: Server, port: int, expert: ScriptedExpert) -> None:
        self.database = database
        self.server = server
        self.expert = expert
        self._port = port

    @asynccontextmanager
    async def connection(self, options: str = "") -> AsyncIterator[Connection]:
        """A connection through the proxy; `notices` of it are in its `told` list."""
        connection = await psycopg.AsyncConnection.connect(
            f"host=127.0.0.1 port={self._port} dbname={self.database.name} user=postgres",
            autocommit=True,
            options=options,
        )
        async with connection:
            yield connection


@asynccontextmanager
async def _asked(database: OwnDatabase, **given: str) -> AsyncIterator[AskedProxy]:
    settings = load({"backend": f"host=127.0.0.1 port={database.port}", "listen": "127.0.0.1:0", **given})
    expert = ScriptedExpert()
    server = Server(settings, AskResolver(settings, experts=(expert,)))
    _, port = await server.start()
    try:
        yield AskedProxy(database, server, port, expert)
    finally:
        await server.stop()


@pytest.fixture
def pets(empty_database: OwnDatabase) -> Iterator[OwnDatabase]:
    """A database with a table, and a role that may not read it."""
    with empty_database.owner() as connection:
        connection.execute(TABLES)
    yield empty_database
    with empty_database.owner() as connection:
        connection.execute("DROP OWNED BY nobody_special; DROP ROLE nobody_special")


@pytest.fixture
async def asked(pets: OwnDatabase) -> AsyncIterator[AskedProxy]:
    async with _asked(pets) as running:
        running.expert.answers("dogs", "SELECT name FROM pets WHERE kind = 'dog' ORDER BY name")
        yield running


def _listen(connection: Connection) -> list[tuple[str, str]]:
    told: list[tuple[str, str]] = []
    connection.add_notice_handler(lambda d: told.append((d.message_primary or "", d.message_detail or "")))
    return told


async def _rows(connection: Connection, sql: str) -> list[tuple[Any, ...]]:
    return await (await connection.execute(sql)).fetchall()


async def test_rows_come_with_a_notice_that_shows_the_sql(asked: AskedProxy) -> None:
    async with asked.connection() as connection:
        told = _listen(connection)
        assert await _rows(connection, "ASK 'dogs'") == [("Ada",), ("Rex",)]
    ((message, detail),) = told
    assert message == "askwire: High confidence (0.90): reading 1"
    assert detail.startswith("SELECT name FROM pets WHERE kind = 'dog' ORDER BY name\n")


@pytest.mark.parametrize("silence", ["SET client_min_messages = warning", "SET askwire.notices = off"])
async def test_a_session_that_wants_no_notices_gets_none(asked: AskedProxy, silence: str) -> None:
    async with asked.connection() as connection:
        told = _listen(connection)
        await connection.execute(silence)
        assert await _rows(connection, "ASK 'dogs'") == [("Ada",), ("Rex",)]
    assert told == []


async def test_the_planner_sees_the_asker_s_own_session(asked: AskedProxy) -> None:
    async with asked.connection() as connection:
        await connection.execute("CREATE SCHEMA other; SET search_path TO other, public")
        await connection.execute("CREATE TEMP TABLE mine (a int)")
        await _rows(connection, "ASK (EVIDENCE 'dogs bark') 'dogs'")
    (planning,) = asked.expert.plannings
    assert planning.question.evidence == "dogs bark"
    assert planning.session.current_user == "postgres"
    assert planning.session.search_path[-2:] == ("other", "public")
    assert {r.name for r in planning.catalog} == {"pets", "mine"}


async def test_a_role_sees_and_runs_only_what_it_may(asked: AskedProxy) -> None:
    async with asked.connection() as connection:
        await connection.execute("SET ROLE nobody_special")
        with pytest.raises(psycopg.DatabaseError) as failed:
            await _rows(connection, "ASK 'dogs'")
        assert failed.value.sqlstate == "NL006"
        await connection.execute("RESET ROLE")
        assert len(await _rows(connection, "ASK 'dogs'")) == 2
    assert [len(p.catalog.relations) for p in asked.expert.plannings] == [0, 1]


async def test_sql_and_why_return_what_they_say(asked: AskedProxy) -> None:
    async with asked.connection() as connection:
        ((sql,),) = await _rows(connection, "ASK (SQL) 'dogs'")
        assert sql == "SELECT name FROM pets WHERE kind = 'dog' ORDER BY name"
        steps = dict(await _rows(connection, "ASK (WHY) 'dogs'"))
        assert steps["sql"] == sql
        assert steps["reading"] == "reading 1"
        ((why,),) = await _rows(connection, "ASK (WHY, FORMAT JSON) 'dogs'")
        assert isinstance(why, dict)
        assert why["sql"] == sql
        assert why["trace"][0]["stage"] == "session"


async def test_why_reports_a_refusal_instead_of_failing(asked: AskedProxy) -> None:
    async with asked.connection() as connection:
        with pytest.raises(psycopg.DatabaseError) as failed:
            await _rows(connection, "ASK 'cats?'")
        assert (failed.value.sqlstate, failed.value.diag.message_hint) == ("NL003", "Write one.")
        ((why,),) = await _rows(connection, "ASK (WHY, FORMAT JSON) 'cats?'")
        assert isinstance(why, dict)
        assert why["sql"] is None
        assert why["error"]["code"] == "NL003"
        json.dumps(why)


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM pets",
        "SELECT 1; DELETE FROM pets",
        "COMMIT",
        "SELECT pg_sleep(10)",
        "WITH gone AS (DELETE FROM pets RETURNING *) SELECT * FROM gone",
        "SELECT rolname FROM pg_catalog.pg_roles",
    ],
)
async def test_what_the_gate_refuses_never_runs(asked: AskedProxy, sql: str) -> None:
    asked.expert.answers("hurt", sql)
    async with asked.connection() as connection:
        with pytest.raises(psycopg.DatabaseError) as failed:
            await _rows(connection, "ASK 'hurt'")
        assert failed.value.sqlstate == "NL006"
        assert await _rows(connection, "SELECT count(*) FROM pets") == [(3,)]


async def test_a_rival_that_fails_does_not_stop_the_answer(asked: AskedProxy) -> None:
    asked.expert.answers("both", "SELECT nothing FROM pets", "SELECT count(*) FROM pets")
    async with asked.connection() as connection:
        assert await _rows(connection, "ASK 'both'") == [(3,)]


async def test_a_deadline_ends_in_nl005_and_the_session_goes_on(asked: AskedProxy) -> None:
    async def slow(planning: ExpertContext) -> Sequence[str]:
        async with planning.executor.batch() as batch:
            await batch.read("SELECT pg_sleep(30)", timeout_ms=30_000)
        return ()

    asked.expert.on("slow", slow)
    async with asked.connection() as connection:
        with pytest.raises(psycopg.DatabaseError) as failed:
            await _rows(connection, "ASK (TIMEOUT '300ms') 'slow'")
        assert failed.value.sqlstate == "NL005"
        assert await _rows(connection, "ASK 'dogs'") == [("Ada",), ("Rex",)]


async def test_the_session_s_statement_timeout_bounds_an_ask(asked: AskedProxy) -> None:
    async def waits(_planning: ExpertContext) -> Sequence[str]:
        await asyncio.Event().wait()
        return ()

    asked.expert.on("waits", waits)
    async with asked.connection() as connection:
        await connection.execute("SET statement_timeout = '300ms'")
        with pytest.raises(psycopg.DatabaseError) as failed:
            await _rows(connection, "ASK 'waits'")
        assert failed.value.sqlstate == "NL005"


async def test_an_ask_ends_before_the_server_ends_the_session(asked: AskedProxy) -> None:
    async def waits(_planning: ExpertContext) -> Sequence[str]:
        await asyncio.Event().wait()
        return ()

    asked.expert.on("waits", waits)
    async with asked.connection() as connection:
        if connection.info.server_version < 170000:
            pytest.skip("this timer came with PostgreSQL 17")
        await connection.execute("SET transaction_timeout = '2s'")
        with pytest.raises(psycopg.DatabaseError) as failed:
            async with connection.transaction():
                await _rows(connection, "ASK 'waits'")
        assert failed.value.sqlstate == "NL005"


async def test_the_deadline_covers_a_cold_catalog(pets: OwnDatabase) -> None:
    async with _asked(pets) as running, running.connection() as connection:
        with pytest.raises(psycopg.DatabaseError) as failed:
            await _rows(connection, "ASK (TIMEOUT '1ms') 'dogs'")
        assert failed.value.sqlstate == "NL005"
        assert running.expert.plannings == []


async def test_the_verifier_knows_the_time_of_this_ask(asked: AskedProxy) -> None:
    async with asked.connection() as connection:
        await _rows(connection, "ASK (TIMEOUT '7s') 'dogs'")
    assert asked.expert.plannings[-1].settings[TIMEOUT] == 7000


async def test_what_is_told_is_what_runs(asked: AskedProxy) -> None:
    asked.expert.answers("lower", "SELECT lower(name) FROM pets WHERE id = 1")
    async with asked.connection() as connection:
        await connection.execute(
            "CREATE FUNCTION public.lower(varchar) RETURNS text LANGUAGE sql AS $$ SELECT 'shadow' $$"
        )
        told = _listen(connection)
        assert await _rows(connection, "ASK 'lower'") == [("rex",)]
        ((sql,),) = await _rows(connection, "ASK (SQL) 'lower'")
    assert "pg_catalog.lower" in sql
    assert "pg_catalog.lower" in told[0][1]


async def test_a_session_tightens_and_never_widens(asked: AskedProxy) -> None:
    async with asked.connection(options="-c askwire.timeout=5s -c askwire.probe_max_rows=7") as connection:
        await connection.execute("SET askwire.probe_timeout = '1h'")
        await _rows(connection, "ASK 'dogs'")
    settings = asked.expert.plannings[-1].settings
    assert (settings[TIMEOUT], settings[PROBE_MAX_ROWS], settings[PROBE_TIMEOUT]) == (5000, 7, 1000)


async def test_a_session_setting_that_cannot_be_read_is_named(asked: AskedProxy) -> None:
    async with asked.connection(options="-c askwire.timeout=soon") as connection:
        with pytest.raises(errors.InvalidParameterValue, match=r"askwire\.timeout"):
            await _rows(connection, "ASK 'dogs'")
        await connection.execute("SET askwire.timeout = '30s'")
        assert len(await _rows(connection, "ASK 'dogs'")) == 2


async def test_questions_of_any_length_get_an_answer_or_a_clear_error(asked: AskedProxy) -> None:
    async with asked.connection() as connection:
        with pytest.raises(errors.ProgramLimitExceeded, match="too long"):
            await _rows(connection, f"ASK '{'why ' * 25_000}'")
        with pytest.raises(errors.SyntaxError, match="must not be empty"):
            await _rows(connection, "ASK '  '")
        assert len(await _rows(connection, "ASK 'dogs'")) == 2


async def test_final_read_only_refuses_read_write_blocks_only(asked: AskedProxy) -> None:
    async with asked.connection() as connection:
        await connection.execute("SET askwire.final_read_only = on")
        assert len(await _rows(connection, "ASK 'dogs'")) == 2
        async with connection.transaction():
            await connection.execute("SET TRANSACTION READ ONLY")
            assert len(await _rows(connection, "ASK 'dogs'")) == 2
        with pytest.raises(psycopg.DatabaseError) as failed:
            async with connection.transaction():
                await _rows(connection, "ASK 'dogs'")
        assert failed.value.sqlstate == "NL007"


async def test_an_internal_error_has_a_number_that_the_log_carries(
    asked: AskedProxy, caplog: pytest.LogCaptureFixture
) -> None:
    async def breaks(_planning: ExpertContext) -> Sequence[str]:
        raise ZeroDivisionError("secret detail")

    asked.expert.on("breaks", breaks)
    async with asked.connection() as connection:
        with pytest.raises(errors.InternalError_) as failed:
            await _rows(connection, "ASK 'breaks'")
        assert "secret" not in str(failed.value)
        number = (failed.value.diag.message_detail or "").split()[-1].rstrip(".")
        assert number in caplog.text
        assert "ZeroDivisionError" in caplog.text
        assert len(await _rows(connection, "ASK 'dogs'")) == 2


async def test_ddl_between_two_asks_is_seen(asked: AskedProxy) -> None:
    async with asked.connection() as connection:
        await _rows(connection, "ASK 'dogs'")
        await connection.execute("ALTER TABLE pets ADD COLUMN age int")
        await _rows(connection, "ASK 'dogs'")
    before, after = (p.catalog.find("pets") for p in asked.expert.plannings)
    assert before is not None
    assert after is not None
    assert "age" not in before.by_name
    assert "age" in after.by_name


async def test_a_block_that_the_message_begins_is_read_write_too(asked: AskedProxy) -> None:
    async with asked.connection() as connection:
        await connection.execute("SET askwire.final_read_only = on")
        with pytest.raises(psycopg.DatabaseError) as failed:
            await _rows(connection, "BEGIN; ASK 'dogs'; COMMIT")
        assert failed.value.sqlstate == "NL007"
        cursor = await connection.execute("BEGIN READ ONLY; ASK 'dogs'; COMMIT")
        assert cursor.nextset()
        assert len(await cursor.fetchall()) == 2


async def test_a_role_set_in_the_same_message_is_the_one_that_asks(asked: AskedProxy) -> None:
    async with asked.connection() as connection:
        with pytest.raises(psycopg.DatabaseError) as failed:
            await connection.execute("SET ROLE nobody_special; ASK 'dogs'")
        assert failed.value.sqlstate == "NL006"
        assert await _rows(connection, "SELECT current_user") == [("postgres",)]
    assert [p.session.current_user for p in asked.expert.plannings] == ["nobody_special"]


async def test_a_bound_question_passes_the_whole_pipeline(asked: AskedProxy) -> None:
    async with asked.connection() as connection:
        told = _listen(connection)
        query = "SELECT name, %s FROM (ASK %s) AS dogs WHERE name < %s"
        rows = await (await connection.execute(query, [1, "dogs", "B"])).fetchall()
        assert rows == [("Ada", 1)]
        assert [message for message, _ in told] == ["askwire: High confidence (0.90): reading 1"]
        with pytest.raises(psycopg.DatabaseError) as failed:
            await connection.execute("ASK %s", ["cats?"])
        assert failed.value.sqlstate == "NL003"
        with pytest.raises(errors.ProgramLimitExceeded, match="too long"):
            await connection.execute("ASK %s", ["why " * 25_000])
        with pytest.raises(errors.InvalidTextRepresentation, match="has not been given its question"):
            await connection.execute("ASK %s", ["why " * 300_000])
        assert len(await (await connection.execute("ASK %s", ["dogs"])).fetchall()) == 2


async def test_an_answer_that_costs_too_much_is_shown_and_not_run(pets: OwnDatabase) -> None:
    """Anyone who wants a large scan says so by running it; a session can only allow less."""
    async with _asked(pets, final_max_cost="50") as asked, asked.connection() as connection:
        asked.expert.answers("all", "SELECT name FROM pets ORDER BY name, kind")
        asked.expert.answers("dogs", "SELECT name FROM pets WHERE kind = 'dog' ORDER BY name")
        for _ in range(2):
            with pytest.raises(errors.DatabaseError) as refused:
                await connection.execute("ASK 'all'")
            assert refused.value.sqlstate == "NL005"
            assert "ORDER BY name, kind" in (refused.value.diag.message_detail or "")
        shown = await (await connection.execute("ASK (SQL) 'all'")).fetchall()
        assert "ORDER BY name, kind" in shown[0][0]
        assert len(await (await connection.execute("ASK 'dogs'")).fetchall()) == 2
        await connection.execute("SET askwire.final_max_cost = '1'")
        with pytest.raises(errors.DatabaseError):
            await connection.execute("ASK 'dogs'")
        await connection.execute("SET askwire.final_max_cost = '0'")
        with pytest.raises(errors.DatabaseError):
            await connection.execute("ASK 'all'")
