"""A question that was answered keeps its SQL: for whom, how long, and until when."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from data.pets import DOGS, filled
from doubles.asked import AskedServer, asked_server, listen, rows
from doubles.scripted_expert import ScriptedExpert
from servers.running_proxy import OwnDatabase

from askwire.planner.expert import ExpertContext
from askwire.store import MemoryStore, SqliteStore
from askwire.store.retention import Retention

TABLES = """
CREATE TABLE pets (id int PRIMARY KEY, name text, kind text, born date);
INSERT INTO pets VALUES (1, 'Rex', 'dog', '2020-01-01'), (2, 'Tom', 'cat', '2021-01-01'),
    (3, 'Ada', 'dog', '2022-01-01');
CREATE ROLE reader LOGIN;
GRANT SELECT ON pets TO reader;
"""


@pytest.fixture
def pets(empty_database: OwnDatabase) -> Iterator[OwnDatabase]:
    with filled(empty_database, TABLES, "reader") as database:
        yield database


@pytest.fixture
async def asked(pets: OwnDatabase) -> AsyncIterator[AskedServer]:
    async with asked_server(pets) as running:
        running.expert.answers("every dog", DOGS)
        yield running


async def test_the_same_question_is_asked_once(asked: AskedServer) -> None:
    async with asked.connection() as one, asked.connection() as other:
        told = listen(other)
        assert await rows(one, "ASK 'every dog'") == [("Ada",), ("Rex",)]
        assert await rows(other, "ASK 'every dog'") == [("Ada",), ("Rex",)]
        assert await rows(other, "ASK (SQL) 'every dog'") == [(DOGS,)]
    assert asked.questions == ["every dog"]
    ((message, detail, _),) = told
    assert message == "askwire: High confidence (0.90): reading 1"
    assert "pinned since 2023-11-14 22:13:2" in detail
    assert [r.pinned for r in await asked.history()] == [True, True, False]


async def test_a_pinned_question_takes_one_batch(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await rows(connection, "ASK 'every dog'")
        await connection.execute("SELECT pg_stat_clear_snapshot()")
        ((why,),) = await rows(connection, "ASK (WHY, FORMAT JSON) 'every dog'")
    assert [(step["stage"], step["name"]) for step in why["trace"]] == [("session", "read"), ("pin", "used")]
    assert why["pinned"]["by"] == "asked"
    assert why["candidates"][0]["sql"] == DOGS


async def test_why_tells_of_a_pin_what_it_told_at_first(asked: AskedServer) -> None:
    asked.expert.answers("two ways", DOGS, "SELECT name FROM pets WHERE kind = 'cat'")
    async with asked.connection() as connection:
        first = await rows(connection, "ASK (WHY) 'two ways'")
        again = await rows(connection, "ASK (WHY) 'two ways'")
        ((key,), _) = await rows(connection, "SELECT key FROM ask.history ORDER BY at")
    of_now = ("pin", "worked out", "sent to models")
    assert [row for row in again if row[0] not in of_now] == [row for row in first if row[0] not in of_now]
    told = {step: what for step, what in again if step in of_now}
    assert told["pin"].startswith("pinned since")
    assert told["worked out"] == f"in the ASK {key}; ask.history tells of it"
    assert told["sent to models"] == "nothing now: the SQL is pinned"


async def test_why_of_a_chosen_answer_names_the_ask_it_was_chosen_from(asked: AskedServer) -> None:
    asked.expert.answers("two ways", DOGS, "SELECT name FROM pets WHERE kind = 'cat'")
    async with asked.connection() as connection:
        await rows(connection, "ASK 'two ways'")
        await rows(connection, "ASK CHOOSE 1")
        told = await rows(connection, "ASK (WHY) 'two ways'")
        ((key,), _) = await rows(connection, "SELECT key FROM ask.history ORDER BY at")
    assert ("worked out", f"in the ASK {key}; ask.history tells of it") in told


@pytest.mark.parametrize(
    ("between", "asked_again"),
    [
        ("SET search_path TO public, pg_catalog", True),
        ("SET row_security TO off", True),
        ("SET ROLE reader", True),
        ("SET askwire.candidates = 3", True),
        ("SET askwire.pins = off", True),
        ("SET askwire.notices = off", False),
        ("SET askwire.timeout = '20s'", False),
        ("SET datestyle TO german", False),
        ("CREATE TEMP TABLE mine (a int)", True),
        ("CREATE TABLE more (a int)", True),
        ("ALTER TABLE pets ADD COLUMN size int", True),
        ("COMMENT ON COLUMN pets.kind IS 'species'", True),
        ("CREATE INDEX ON pets (kind)", True),
        ("GRANT UPDATE ON pets TO reader", True),
        ("INSERT INTO pets VALUES (9, 'Zoe', 'dog')", False),
        ("ANALYZE pets", False),
        ("BEGIN", False),
        ("BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY", False),
    ],
)
async def test_what_makes_a_question_another_one(asked: AskedServer, between: str, asked_again: bool) -> None:
    async with asked.connection() as connection:
        await rows(connection, "ASK 'every dog'")
        await connection.execute(between)
        await rows(connection, "ASK 'every dog'")
    assert len(asked.questions) == 1 + asked_again


@pytest.mark.parametrize(
    ("other", "asked_again"),
    [
        ("ASK (TIMEOUT '20s') 'every dog'", False),
        ("ASK (WHY) 'every dog'", False),
        ("SELECT * FROM (ASK 'every dog') AS dogs LIMIT 0", False),
        ("SELECT count(*) FROM (ASK 'every dog') AS dogs", False),
        ("EXPLAIN ASK 'every dog'", False),
        ("ASK (CANDIDATES 2) 'every dog'", True),
        ("ASK (EVIDENCE 'barking') 'every dog'", True),
        ("ASK (FRESH) 'every dog'", True),
    ],
)
async def test_a_probe_and_the_query_agree(asked: AskedServer, other: str, asked_again: bool) -> None:
    async with asked.connection() as connection:
        await rows(connection, "ASK 'every dog'")
        await rows(connection, other)
    assert len(asked.questions) == 1 + asked_again


async def test_a_session_with_temporary_tables_keeps_its_pins_to_itself(asked: AskedServer) -> None:
    """Its search_path is no other's: a pin that outlived it would be found by no one."""
    async with asked.connection() as connection:
        await connection.execute("CREATE TEMP TABLE mine (id int)")
        for _ in range(2):
            await rows(connection, "ASK 'every dog'")
        assert asked.questions == ["every dog"]
        ((pins,),) = await rows(connection, "SELECT count(*) FROM ask.pins")
    assert pins == 1
    async with asked.connection() as other:
        assert await rows(other, "SELECT count(*) FROM ask.pins") == [(0,)]


async def test_fresh_replaces_what_was_pinned(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await rows(connection, "ASK 'every dog'")
        asked.expert.answers("every dog", "SELECT upper(name) FROM pets WHERE kind = 'dog' ORDER BY 1")
        assert await rows(connection, "ASK 'every dog'") == [("Ada",), ("Rex",)]
        assert await rows(connection, "ASK (FRESH) 'every dog'") == [("ADA",), ("REX",)]
        assert await rows(connection, "ASK 'every dog'") == [("ADA",), ("REX",)]
    assert len(await asked.pins()) == 1


async def test_roles_and_databases_have_pins_of_their_own(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await rows(connection, "ASK 'every dog'")
    async with asked.connection("reader") as connection:
        await rows(connection, "ASK 'every dog'")
    assert len(asked.questions) == 2
    assert {(pin.role, pin.acting_as) for pin in await asked.pins()} == {
        ("postgres", "postgres"),
        ("reader", "reader"),
    }


async def test_equal_questions_of_a_moment_are_worked_on_once(asked: AskedServer) -> None:
    answers = iter([DOGS, "SELECT 'another'"])
    together = asyncio.Event()

    async def slowly(_planning: ExpertContext) -> Sequence[str]:
        await together.wait()
        return (next(answers),)

    asked.expert.on("every dog, slowly", slowly)
    async with asked.connection() as one, asked.connection() as other:
        asking = [asyncio.create_task(rows(c, "ASK 'every dog, slowly'")) for c in (one, other)]
        async with asyncio.timeout(20):
            turns = asked.resolver.memories.pins._turns
            while not turns or next(iter(turns.values()))[1] < 2:  # noqa: ASYNC110 - nothing says so
                await asyncio.sleep(0)
        together.set()
        first, second = await asyncio.gather(*asking)
    assert first == second == [("Ada",), ("Rex",)]
    assert len(asked.questions) == 1
    assert not asked.resolver.memories.pins._turns


async def test_one_who_gives_up_leaves_the_question_to_the_next(asked: AskedServer) -> None:
    thinking, never = asyncio.Event(), asyncio.Event()

    async def forever(_planning: ExpertContext) -> Sequence[str]:
        thinking.set()
        await never.wait()
        return ()

    asked.expert.on("every dog", forever)
    async with asked.connection() as one, asked.connection() as other:
        first = asyncio.create_task(rows(one, "ASK 'every dog'"))
        async with asyncio.timeout(20):
            await thinking.wait()
        asked.expert.answers("every dog", DOGS)
        second = asyncio.create_task(rows(other, "ASK 'every dog'"))
        await one.cancel_safe()
        with pytest.raises(psycopg.errors.QueryCanceled):
            await first
        assert await second == [("Ada",), ("Rex",)]
    assert [r.outcome for r in await asked.history()] == ["00000", "57014"]


async def test_several_of_one_message_agree(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        sql = "SELECT (SELECT count(*) FROM (ASK 'every dog') a), (SELECT count(*) FROM (ASK 'every dog') b)"
        assert await rows(connection, sql) == [(2, 2)]
    assert len(asked.questions) == 1


async def test_a_date_that_was_worked_out_holds_for_its_day(asked: AskedServer) -> None:
    asked.expert.answers("born last year", "SELECT name FROM pets WHERE born >= '2021-01-01'")
    async with asked.connection() as connection:
        await rows(connection, "ASK 'born last year'")
        await rows(connection, "ASK 'born last year'")
        assert len(asked.questions) == 1
        (pin,) = await asked.pins()
        assert len(pin.day) == 10
        asked.resolver.memories.pins._at_hand[pin.key] = replace(pin, day="2001-01-01")
        asked.expert.answers("born last year", "SELECT name FROM pets WHERE born >= '2022-01-01'")
        assert await rows(connection, "ASK 'born last year'") == [("Ada",)]
    assert len(asked.questions) == 2


async def test_dates_that_the_question_names_hold_on_every_day_and_can_be_judged_by_an_operator(
    asked: AskedServer,
) -> None:
    """They could be judged in their own session only, and were worked out again every day."""
    question = "born in 2021"
    sql = "SELECT name FROM pets WHERE born >= '2021-01-01' AND born < '2022-01-01'"
    asked.expert.answers(question, sql)
    async with asked.connection() as connection:
        found = await rows(connection, f"ASK '{question}'")
        assert [pin.day for pin in await asked.pins()] == [""]
        (kept,) = await asked.history()
        await asked.resolver.memories.reviewing.judge(kept.key, "right", 1, "(console)")
        # the confirmed answer needs no expert
        assert await rows(connection, f"ASK '{question}'") == found
    assert len(asked.questions) == 1


async def test_a_relative_time_in_the_sql_holds_on_every_day(asked: AskedServer) -> None:
    asked.expert.answers("born before today", "SELECT name FROM pets WHERE born < current_date")
    async with asked.connection() as connection:
        await rows(connection, "ASK 'born before today'")
    assert [pin.day for pin in await asked.pins()] == [""]


async def test_a_constant_from_the_data_stays_in_its_session(asked: AskedServer) -> None:
    asked.expert.answers("barking ones", DOGS)
    async with asked.connection() as one, asked.connection() as other:
        for _ in range(2):
            await rows(one, "ASK 'barking ones'")
        assert len(asked.questions) == 1
        await rows(other, "ASK 'barking ones'")
        assert len(asked.questions) == 2
    assert await asked.pins() == []


@pytest.mark.parametrize("secure", ["ALTER TABLE pets ENABLE ROW LEVEL SECURITY", "CREATE VIEW"])
async def test_with_row_level_security_it_lives_for_one_ask(asked: AskedServer, secure: str) -> None:
    table = "pets"
    async with await psycopg.AsyncConnection.connect(asked.database.dsn(), autocommit=True) as owner:
        if secure == "CREATE VIEW":
            table = "seen"
            await owner.execute("CREATE VIEW seen AS SELECT * FROM pets; GRANT SELECT ON seen TO reader")
        else:
            await owner.execute(secure)
            await owner.execute(
                "CREATE POLICY tenants ON pets USING (name <> current_setting('app.t', true))"
            )
    asked.expert.answers("barking ones", f"SELECT name FROM {table} WHERE kind = 'dog' ORDER BY name")
    asked.expert.answers("every dog", f"SELECT name FROM {table} WHERE kind = 'dog' ORDER BY name")
    async with asked.connection("reader") as connection:
        for tenant in ("Rex", "Ada"):
            await connection.execute(f"SET app.t = '{tenant}'")
            await rows(connection, "ASK 'barking ones'")
        assert asked.questions == ["barking ones", "barking ones"]
        # what the question says itself is no secret of this session, and tells another what is there
        for _ in range(2):
            await rows(connection, "ASK 'every dog'")
        assert asked.questions[2:] == ["every dog"]
    async with asked.connection("reader") as other:
        await other.execute("SET app.t = 'Ada'")
        await rows(other, "ASK 'every dog'")
        assert asked.questions[2:] == ["every dog", "every dog"]
    hidden = [r for r in await asked.history() if r.question == "barking ones"]
    assert all(r.private and "'dog'" not in r.sql and "'…'" in r.sql for r in hidden)
    assert await asked.pins() == []


async def test_sql_that_does_not_compile_any_more_is_asked_again(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await rows(connection, "ASK 'every dog'")
        (pin,) = await asked.pins()
        broken = replace(pin, sql="SELECT name, nothing FROM pets WHERE kind = 'dog'")
        asked.resolver.memories.pins._at_hand[pin.key] = broken
        assert await rows(connection, "ASK 'every dog'") == [("Ada",), ("Rex",)]
        assert len(asked.questions) == 2
        # and nothing that the gate refuses is run because it was pinned
        asked.resolver.memories.pins._at_hand[pin.key] = replace(pin, sql="DELETE FROM pets RETURNING name")
        assert await rows(connection, "ASK 'every dog'") == [("Ada",), ("Rex",)]
        assert len(asked.questions) == 3


async def test_a_lock_speaks_against_no_pin(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await rows(connection, "ASK 'every dog'")
        async with await psycopg.AsyncConnection.connect(asked.database.dsn()) as other:
            await other.execute("LOCK TABLE pets IN ACCESS EXCLUSIVE MODE")
            assert await rows(connection, "ASK (SQL) 'every dog'") == [(DOGS,)]
    assert len(asked.questions) == 1


async def test_an_error_is_not_pinned(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        for _ in range(2):
            with pytest.raises(psycopg.DatabaseError):
                await rows(connection, "ASK 'cats?'")
    assert asked.questions == ["cats?", "cats?"]
    assert [(r.outcome, r.sql) for r in await asked.history()] == [("NL003", ""), ("NL003", "")]


async def test_pins_survive_a_restart(pets: OwnDatabase, tmp_path: Path) -> None:
    for times in (1, 0):
        store = SqliteStore(tmp_path / "store.sqlite", retention=Retention(0, 0, 0))
        expert = ScriptedExpert()
        expert.answers("every dog", DOGS)
        async with asked_server(pets, store, expert) as running, running.connection() as connection:
            assert await rows(connection, "ASK 'every dog'") == [("Ada",), ("Rex",)]
        await store.close()
        assert len(running.questions) == times


async def test_a_store_that_is_down_takes_no_ask_with_it(pets: OwnDatabase) -> None:
    store = MemoryStore()
    store.trouble = "disk on fire"
    async with asked_server(pets, store) as running, running.connection() as connection:
        running.expert.answers("every dog", DOGS)
        for _ in range(2):
            assert await rows(connection, "ASK 'every dog'") == [("Ada",), ("Rex",)]
        # what the process knows it needs no store for
        assert len(running.questions) == 1
    assert store.status.lost > 0


async def test_history_can_be_switched_off(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await connection.execute("SET askwire.history = off")
        await rows(connection, "ASK 'every dog'")
    assert await asked.history() == []


async def test_a_pinned_answer_is_told_as_it_was_at_first(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        told = listen(connection)
        await rows(connection, "ASK 'every dog'")
        await rows(connection, "ASK 'every dog'")
    first, again = told
    assert again[0] == first[0]
    assert again[1].startswith(first[1])
