"""What an ASK leaves behind (nothing), who sees what, and that one session does not stall the others."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest
from doubles.scripted_expert import ScriptedExpert
from servers.running_proxy import OwnDatabase

from askwire.core.settings.table import load
from askwire.planner.expert import ExpertContext
from askwire.proxy.resolver.resolver import AskResolver
from askwire.proxy.server import Server

Connection = psycopg.AsyncConnection[tuple[Any, ...]]
ROLE = "sees_some"

TABLES = f"""
CREATE TABLE pets (id int PRIMARY KEY, name text, kind text, tenant text DEFAULT 'a');
INSERT INTO pets VALUES (1, 'Rex', 'dog', 'a'), (2, 'Tom', 'cat', 'b'), (3, 'Ada', 'dog', 'b');
CREATE TABLE salaries (person text, amount int);
INSERT INTO salaries VALUES ('Ann', 4711);
CREATE TABLE people (id int, name text, birthplace text);
CREATE ROLE {ROLE};
GRANT SELECT ON pets TO {ROLE};
GRANT SELECT (id, name) ON people TO {ROLE};
ALTER TABLE pets ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON pets USING (tenant = current_setting('app.tenant', true));
"""


@pytest.fixture
def pets(empty_database: OwnDatabase) -> Iterator[OwnDatabase]:
    with empty_database.owner() as connection:
        connection.execute(TABLES.encode())
        yield empty_database
        connection.execute(f"DROP OWNED BY {ROLE}; DROP ROLE {ROLE}".encode())


@asynccontextmanager
async def _proxy(
    database: OwnDatabase, expert: ScriptedExpert | None = None, **given: str
) -> AsyncIterator[str]:
    settings = load({"backend": f"host=127.0.0.1 port={database.port}", "listen": "127.0.0.1:0", **given})
    resolver = AskResolver(settings, experts=(expert,)) if expert else AskResolver(settings)
    server = Server(settings, resolver)
    _, port = await server.start()
    try:
        yield f"host=127.0.0.1 port={port} dbname={database.name} user=postgres"
    finally:
        await server.stop()


@asynccontextmanager
async def _connected(dsn: str) -> AsyncIterator[Connection]:
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
        yield connection


async def _rows(connection: Connection, sql: str) -> list[tuple[Any, ...]]:
    return await (await connection.execute(sql.encode())).fetchall()


_REMAINS = """
SELECT 'setting', name, setting FROM pg_settings
    WHERE name NOT IN ('transaction_isolation', 'transaction_deferrable')
UNION ALL SELECT 'statement', name, statement FROM pg_prepared_statements
UNION ALL SELECT 'cursor', name, statement FROM pg_cursors WHERE name <> ''
UNION ALL SELECT 'temporary', relname, '' FROM pg_class WHERE relpersistence = 't'
UNION ALL SELECT 'advisory', objid::text, mode FROM pg_locks
    WHERE locktype = 'advisory'
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
UNION ALL SELECT 'lock', relation::regclass::text, mode FROM pg_locks
    WHERE pid = pg_backend_pid() AND mode <> 'SIReadLock'
    AND relation = ANY (ARRAY['pets'::regclass, 'salaries'::regclass])
UNION ALL SELECT 'listening', pg_listening_channels(), ''
ORDER BY 1, 2, 3
"""

_STATES = {
    "outside a block": (),
    "in a block": ("BEGIN",),
    "in a read-only block": ("BEGIN READ ONLY",),
    "in a repeatable read block": ("BEGIN ISOLATION LEVEL REPEATABLE READ",),
    "in a serializable block": ("BEGIN ISOLATION LEVEL SERIALIZABLE",),
    "in a block that has written": ("BEGIN", "INSERT INTO salaries VALUES ('Bob', 1)"),
    "under a savepoint": ("BEGIN", "SAVEPOINT mine"),
    "with things of its own": (
        "CREATE TEMP TABLE own_table (a int)",
        "PREPARE own_statement AS SELECT 1",
        "SELECT pg_advisory_lock(42)",
        "SET work_mem = '9MB'",
        "SET max_parallel_workers_per_gather = 3",
        "SET statement_timeout = '50s'",
        "LISTEN own_channel",
        "BEGIN",
        "DECLARE own_cursor CURSOR FOR SELECT 1",
    ),
}


@pytest.mark.parametrize("before", _STATES.values(), ids=_STATES)
@pytest.mark.parametrize("outcome", ["an answer", "a refusal", "a failure"])
async def test_nothing_remains_of_an_ask(pets: OwnDatabase, before: Sequence[str], outcome: str) -> None:
    """But the predicate locks of a serializable block. WHY runs no final query."""
    expert = ScriptedExpert()
    expert.answers("an answer", "SELECT name FROM pets", "SELECT count(*) FROM pets")
    expert.answers("a refusal", "SELECT pg_advisory_lock(7)", "CREATE TEMP TABLE t AS SELECT 1")
    expert.answers("a failure", "SELECT 1 / (id - id) FROM pets", "SELECT nothing FROM pets")
    notices: list[str] = []
    async with _proxy(pets, expert) as dsn, _connected(dsn) as connection:
        for statement in before:
            await connection.execute(statement.encode())
        kept = await _rows(connection, _REMAINS)
        in_block = connection.info.transaction_status
        connection.add_notice_handler(lambda d: notices.append(d.message_primary or ""))
        for _ in range(2):
            await _rows(connection, f"ASK (WHY) '{outcome}'")
        assert connection.info.transaction_status == in_block
        assert await _rows(connection, _REMAINS) == kept
        if before:
            await connection.execute("ROLLBACK")
    assert not [n for n in notices if not n.startswith("askwire:")]


async def test_probes_keep_to_one_process_and_to_the_session_s_memory(pets: OwnDatabase) -> None:
    seen: list[tuple[str | None, ...]] = []

    async def look(planning: ExpertContext) -> Sequence[str]:
        async with planning.executor.batch() as batch:
            told = await batch.read(
                "SELECT pg_catalog.current_setting('max_parallel_workers_per_gather'),"
                " pg_catalog.current_setting('work_mem'), pg_catalog.current_setting('search_path'),"
                " pg_catalog.current_setting('transaction_read_only')"
            )
            seen.append(told.rows[0])
        return ["SELECT 1"]

    expert = ScriptedExpert()
    expert.on("look", look)
    async with _proxy(pets, expert) as dsn, _connected(dsn) as connection:
        await connection.execute("SET max_parallel_workers_per_gather = 4")
        await connection.execute("SET work_mem = '3MB'")
        await connection.execute("SET search_path = pg_temp, public")
        await _rows(connection, "ASK 'look'")
        assert await _rows(connection, "SHOW max_parallel_workers_per_gather") == [("4",)]
    assert seen == [("0", "3MB", "pg_temp, public", "on")]


async def test_a_tenant_never_gets_another_one_s_rows(pets: OwnDatabase) -> None:
    expert = ScriptedExpert()
    expert.answers("dogs", "SELECT name FROM pets WHERE kind = 'dog' ORDER BY name")
    async with _proxy(pets, expert) as dsn, _connected(dsn) as one, _connected(dsn) as other:
        for connection, tenant in ((one, "a"), (other, "b")):
            await connection.execute(f"SET ROLE {ROLE}".encode())
            await connection.execute(f"SET app.tenant = '{tenant}'".encode())
        for _ in range(2):
            assert await _rows(one, "ASK 'dogs'") == [("Rex",)]
            assert await _rows(other, "ASK 'dogs'") == [("Ada",)]
        await one.execute("SET app.tenant = 'b'")
        assert await _rows(one, "ASK 'dogs'") == [("Ada",)]
    for planning in expert.plannings:
        (relation,) = [r for r in planning.catalog if r.name == "pets"]
        assert relation.row_security
        assert not any(column.common_values for column in relation.columns)


@pytest.mark.parametrize(
    ("question", "names"),
    [("what are the salaries", '"salaries"'), ("birthplace", '"people.birthplace"')],
)
async def test_what_may_not_be_read_is_told_apart_from_what_is_not_there(
    pets: OwnDatabase, question: str, names: str
) -> None:
    async with _proxy(pets) as dsn, _connected(dsn) as connection:
        await connection.execute(f"SET ROLE {ROLE}".encode())
        with pytest.raises(psycopg.DatabaseError) as failed:
            await _rows(connection, f"ASK '{question}'")
        assert failed.value.sqlstate == "NL002"
        assert names in (failed.value.diag.message_detail or "")
        assert "4711" not in str(failed.value)
        await connection.execute("SET askwire.tell_unreadable = off")
        with pytest.raises(psycopg.DatabaseError) as failed:
            await _rows(connection, f"ASK '{question}'")
        assert names not in (failed.value.diag.message_detail or "")


async def test_a_table_that_was_revoked_is_not_answered_from_another(pets: OwnDatabase) -> None:
    """Whatever an expert would make of it; at once, for the session that has asked about it before too."""
    expert = ScriptedExpert()
    expert.answers("total of salaries", "SELECT count(*) FROM pets")
    async with _proxy(pets, expert) as dsn, _connected(dsn) as connection:
        assert await _rows(connection, "ASK 'total of salaries'")
        await connection.execute(f"SET ROLE {ROLE}".encode())
        for told in ("on", "off"):
            await connection.execute(f"SET askwire.tell_unreadable = {told}".encode())
            with pytest.raises(psycopg.DatabaseError) as failed:
                await _rows(connection, "ASK 'total of salaries'")
            assert failed.value.sqlstate == "NL002"
            assert ("salaries" in (failed.value.diag.message_detail or "")) is (told == "on")


async def test_a_long_candidate_does_not_stall_other_sessions(pets: OwnDatabase) -> None:
    """The longest pause of the event loop stays far below the time that judging takes."""
    long = "SELECT " + ", ".join(f"name || 'x{n}' AS c{n}" for n in range(800)) + " FROM pets"
    expert = ScriptedExpert()
    expert.answers("warm", "SELECT 1")
    expert.answers("long", *(f"{long} WHERE id = {n}" for n in range(3)))
    pauses: list[float] = []

    async def watch() -> None:
        while True:
            began = time.thread_time()  # neither other processes nor other threads change it
            await asyncio.sleep(0)
            pauses.append(time.thread_time() - began)

    async with _proxy(pets, expert) as dsn, _connected(dsn) as connection:
        await _rows(connection, "ASK 'warm'")
        watching = asyncio.create_task(watch())
        began = time.process_time()
        await _rows(connection, "ASK (WHY) 'long'")
        worked = time.process_time() - began
        watching.cancel()
    assert worked > 0.1
    assert sorted(pauses)[-2] < worked / 10, (sorted(pauses)[-5:], worked)


@pytest.mark.parametrize(
    "sql",
    ["SELECT " + "1+" * 90_000 + "1 -- recursive", "SELECT 1" + "::int" * 39_000, "SELECT " + "(" * 90_000],
    ids=["sums", "casts", "parentheses"],
)
async def test_a_candidate_that_would_take_the_parser_with_it_is_refused(pets: OwnDatabase, sql: str) -> None:
    """Whatever looks at a candidate looks at its size first, reviews and repairs too."""
    expert = ScriptedExpert()
    expert.answers("bomb", "SELECT name FROM pets", sql)
    expert.answers("nothing else", sql)
    async with _proxy(pets, expert) as dsn, _connected(dsn) as connection:
        assert await _rows(connection, "ASK 'bomb'") == [("Rex",), ("Tom",), ("Ada",)]
        with pytest.raises(psycopg.Error) as refused:
            await _rows(connection, "ASK 'nothing else'")
        assert refused.value.sqlstate == "NL006"
