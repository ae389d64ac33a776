"""ASK WRONG: that SQL is not given again, and what comes in its place."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

import asyncpg
import psycopg
import pytest
from data.pets import CATS, DOGS
from doubles.asked import AskedServer, Connection, asked_server, listen, rows
from servers.running_proxy import OwnDatabase

from askwire.core.protocols import R
from askwire.core.records import Demonstration, Feedback
from askwire.core.types import Candidate
from askwire.planner.expert import ExpertContext
from askwire.proxy.asking.bound import VERDICT_SECONDS

NEITHER = "SELECT name FROM pets WHERE id = 0"
SAME_DOGS = "select p.name from pets p where p.kind in ('dog') order by p.name"


class RankedExpert:
    """An expert with several readings, each with a confidence of its own."""

    name = "ranked"

    def __init__(self, *readings: tuple[str, float]) -> None:
        self.readings = readings

    async def propose(self, planning: ExpertContext) -> Sequence[Candidate]:
        return [
            Candidate(sql, self.name, score=confidence, confidence=confidence, reading=f"reading {n}")
            for n, (sql, confidence) in enumerate(self.readings, 1)
        ]


@pytest.fixture
async def asked(pets: OwnDatabase) -> AsyncIterator[AskedServer]:
    async with asked_server(pets) as running:
        running.experts = (RankedExpert((DOGS, 0.8), (SAME_DOGS, 0.02), (CATS, 0.12)),)
        yield running


async def failing(connection: Connection, sql: str) -> psycopg.Error:
    with pytest.raises(psycopg.Error) as failed:
        await connection.execute(sql)
    return failed.value


async def test_the_next_reading_comes_and_says_so(asked: AskedServer) -> None:
    async with asked.connection("reader") as connection:
        assert await rows(connection, "ASK 'all pets'") == [("Ada",), ("Rex",)]
        told = listen(connection)
        await rows(connection, "ASK WRONG")
        assert told[0][0].endswith(
            "this SQL is no longer used for this question in sessions of the role reader"
        )
        why = [(step, what) for step, what in await rows(connection, "ASK (FRESH, WHY) 'all pets'")]
        assert ("left out after ASK WRONG", DOGS) in why
        # another text with the same rows is the same wrong answer
        assert await rows(connection, "ASK 'all pets'") == [("Tom",)]
        await rows(connection, "ASK (FRESH) 'all pets'")
        assert "left out after ASK WRONG: 2 readings" in told[-1][1]


@pytest.mark.parametrize(
    "again", ["ASK 'all pets'", "ASK (FRESH) 'all pets'", "ASK 'All  pets?'", "ASK (CANDIDATES 9) 'all pets'"]
)
async def test_it_is_not_given_again_in_any_session_of_the_role(asked: AskedServer, again: str) -> None:
    async with asked.connection("reader") as one, asked.connection("reader") as other:
        await other.execute("SET askwire.candidates = 11")
        for connection in (one, other):
            await rows(connection, "ASK 'all pets'")
        await rows(one, "ASK WRONG")
        for connection in (one, other):
            assert await rows(connection, again) == [("Tom",)]
        async with asked.connection("reader") as new:
            assert await rows(new, again) == [("Tom",)]
        async with asked.connection() as stranger:
            assert await rows(stranger, again) == [("Ada",), ("Rex",)]


async def test_a_process_that_starts_later_knows_it(asked: AskedServer, pets: OwnDatabase) -> None:
    async with asked.connection("reader") as connection:
        await rows(connection, "ASK 'all pets'")
        await rows(connection, "ASK WRONG")
    async with asked_server(pets, store=asked.store) as later:
        later.experts = asked.experts
        async with later.connection("reader") as connection:
            assert await rows(connection, "ASK 'ALL PETS'") == [("Tom",)]


def records_read(asked: AskedServer, of: type[R], monkeypatch: pytest.MonkeyPatch) -> list[R]:
    """The records of a kind that are read of the store from now on, as they are."""
    read: list[R] = []
    find = asked.store.find

    async def counted(kind: Any, *given: Any, **named: Any) -> Any:
        found = await find(kind, *given, **named)
        read.extend(one for one in found if isinstance(one, of))
        return found

    monkeypatch.setattr(asked.store, "find", counted)
    return read


async def test_an_ask_reads_no_more_feedback_where_there_is_more_on_other_questions(
    asked: AskedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = records_read(asked, Feedback, monkeypatch)
    async with asked.connection("reader") as connection:
        await rows(connection, "ASK 'all pets'")
        await rows(connection, "ASK WRONG")
        (said,) = await asked.store.find(Feedback)
        for most in (0, 300):
            others = (replace(said, key=str(n), question=f"pet number {n}") for n in range(most))
            asked.store.put(*others)
            read.clear()
            assert await rows(connection, "ASK (FRESH) 'all the  pets'") == [("Ada",), ("Rex",)]
            assert read == []
            assert await rows(connection, "ASK (FRESH) 'All pets?'") == [("Tom",)]
            assert set(read) == {said}


async def test_a_refusal_says_why(asked: AskedServer) -> None:
    async with asked.connection("reader") as connection:
        for _ in range(2):
            await rows(connection, "ASK 'all pets'")
            await rows(connection, "ASK WRONG")
        error = await failing(connection, "ASK 'all pets'")
        assert error.sqlstate == "NL003"
        assert error.diag.message_primary == "askwire: no other reading of this question was found"
        assert error.diag.message_detail is not None
        assert error.diag.message_detail.startswith("Rejected with ASK WRONG:")
        assert DOGS in error.diag.message_detail
        assert CATS in error.diag.message_detail
        # its answer can be given all the same
        assert await rows(connection, f"ASK WRONG $${NEITHER}$$") == [("all pets", NEITHER)]
        assert await rows(connection, "ASK 'all pets'") == []
        # and history tells of all of it
        told = await rows(connection, "SELECT outcome, said FROM ask.history ORDER BY at")
        assert told == [("00000", "wrong"), ("00000", "wrong"), ("NL003", "wrong"), ("00000", None)]


async def test_an_unlikely_reading_that_is_left_is_offered_and_can_be_chosen(asked: AskedServer) -> None:
    asked.experts = (RankedExpert((DOGS, 0.5), (CATS, 0.1)),)
    async with asked.connection("reader") as connection:
        await rows(connection, "ASK 'all pets'")
        await rows(connection, "ASK WRONG")
        error = await failing(connection, "ASK 'all pets'")
        assert (error.sqlstate, error.diag.message_hint or "") == (
            "NL003",
            "ASK CHOOSE 1 runs this reading and keeps it for this question. Name tables, "
            "columns and values as in the database, or ask for one thing at a time.",
        )
        assert (error.diag.message_detail or "").splitlines()[-4:] == [
            "1  reading 2  (Tom)",
            f"   {CATS}",
            "Rejected with ASK WRONG:",
            f"   {DOGS}",
        ]
        assert await rows(connection, "ASK CHOOSE 1") == [("Tom",)]
        assert await rows(connection, "ASK 'all pets'") == [("Tom",)]


async def test_what_is_said_last_of_a_text_holds(asked: AskedServer) -> None:
    async with asked.connection("reader") as connection:
        await rows(connection, "ASK 'all pets'")
        await rows(connection, "ASK WRONG")
        await rows(connection, "ASK CHOOSE 1")
        assert await rows(connection, "ASK 'all pets'") == [("Ada",), ("Rex",)]
        await rows(connection, "ASK WRONG")
        assert await rows(connection, "ASK 'all pets'") == [("Tom",)]
        await rows(connection, "ASK FORGET 'All pets?'")
        assert await rows(connection, "ASK 'all pets'") == [("Ada",), ("Rex",)]
    assert all(f.undone for f in await asked.store.find(Feedback))


async def test_what_was_confirmed_is_not_given_once_it_is_called_wrong(asked: AskedServer) -> None:
    async with asked.connection("reader") as connection:
        await rows(connection, "ASK 'all pets'")
        await rows(connection, "ASK RIGHT")
        await rows(connection, "ASK 'all pets'")
        await rows(connection, "ASK WRONG")
        assert await rows(connection, "ASK 'all pets'") == [("Tom",)]


async def test_a_session_s_own_pin_of_it_ends_too(asked: AskedServer) -> None:
    async with asked.connection("reader") as one, asked.connection("reader") as other:
        await other.execute("CREATE TEMP TABLE mine (a int)")
        await rows(other, "ASK 'all pets'")
        assert await rows(other, "SELECT this_session FROM ask.pins") == [(True,)]
        await rows(one, "ASK 'all pets'")
        await rows(one, "ASK WRONG")
        assert await rows(other, "ASK 'all pets'") == [("Tom",)]


async def test_a_prepared_ask_is_asked_again(asked: AskedServer) -> None:
    question = ("all pets",)
    async with asked.connection("reader") as connection, asked.connection("reader") as other:
        for _ in range(7):
            for each in (connection, other):
                assert await rows(each, "ASK %s", question) == [("Ada",), ("Rex",)]
                assert await rows(each, "ASK 'all pets'") == [("Ada",), ("Rex",)]
        await rows(connection, "ASK WRONG")
        assert await rows(connection, "ASK %s", question) == [("Tom",)]
        assert await rows(connection, "ASK 'all pets'") == [("Tom",)]
        # another session looks when its verdict is a second old
        await asyncio.sleep(VERDICT_SECONDS)
        assert await rows(other, "ASK %s", question) == [("Tom",)]
        assert await rows(other, "ASK 'all pets'") == [("Tom",)]


async def test_what_a_driver_prepares_on_its_own_is_carried_out_each_time(asked: AskedServer) -> None:
    async with asked.connection("reader") as connection:
        connection.prepare_threshold = 0
        for question in ("all pets", "each pet", "every pet"):
            await rows(connection, f"ASK '{question}'")
            assert await rows(connection, "ASK RIGHT") == [(question, DOGS)]
            assert await rows(connection, "ASK CHOOSE 1") == [("Ada",), ("Rex",)]
            assert await rows(connection, "ASK WRONG") == [(question, DOGS)]
            assert await rows(connection, f"ASK (FRESH) '{question}'") == [("Tom",)]
        await rows(connection, "ASK 'the pets'")
        assert await rows(connection, "ASK CHOOSE 2") == [("Tom",)]
        await connection.execute("DISCARD ALL", prepare=False)
        assert (await failing(connection, "ASK CHOOSE 2")).sqlstate in ("26000", "NL007")


async def test_a_prepared_choice_may_return_other_columns(asked: AskedServer) -> None:
    """asyncpg keeps each statement prepared, and asks for its columns once."""
    asked.experts = (RankedExpert((DOGS, 0.8), ("SELECT id, name FROM pets WHERE kind = 'cat'", 0.12)),)
    address = {"host": "127.0.0.1", "port": asked.port, "user": "reader", "database": asked.database.name}
    connection = await asyncpg.connect(**address)
    try:
        for question in ("all pets", "each pet"):
            await connection.fetch(f"ASK '{question}'")
            assert [*map(dict, await connection.fetch("ASK RIGHT"))] == [{"right": question, "sql": DOGS}]
        asked.experts = (RankedExpert((DOGS, 0.8), (NEITHER, 0.12)),)
        await connection.fetch("ASK 'the pets'")
        assert [row["name"] for row in await connection.fetch("ASK CHOOSE 1")] == ["Ada", "Rex"]
        asked.experts = (RankedExpert(("SELECT id, name FROM pets WHERE kind = 'cat'", 0.8)),)
        await connection.fetch("ASK 'my pets'")
        assert [row["name"] for row in await connection.fetch("ASK CHOOSE 1")] == ["Tom"]
    finally:
        await connection.close()


async def test_with_votes_alone_the_next_answer_comes_too(asked: AskedServer) -> None:
    class Voter:
        def __init__(self, name: str, sql: str) -> None:
            self.name, self.sql = name, sql

        async def propose(self, planning: ExpertContext) -> Sequence[Candidate]:
            return [Candidate(self.sql, self.name)]

    asked.experts = (Voter("a", DOGS), Voter("b", DOGS), Voter("c", CATS))
    async with asked.connection("reader") as connection:
        assert await rows(connection, "ASK 'all pets'") == [("Ada",), ("Rex",)]
        await rows(connection, "ASK WRONG")
        assert await rows(connection, "ASK 'all pets'") == [("Tom",)]


async def test_what_is_called_wrong_while_another_session_works_on_it_is_not_pinned(
    asked: AskedServer,
) -> None:
    asking, told_wrong = asyncio.Event(), asyncio.Event()
    ranked = RankedExpert((DOGS, 0.8), (CATS, 0.12))

    class Slow:
        name = "ranked"
        waits = False

        async def propose(self, planning: ExpertContext) -> Sequence[Candidate]:
            if self.waits:
                asking.set()
                await told_wrong.wait()
            return await ranked.propose(planning)

    slow = Slow()
    asked.experts = (slow,)
    async with asked.connection("reader") as one, asked.connection("reader") as other:
        await rows(one, "ASK 'all pets'")
        slow.waits = True
        under_way = asyncio.create_task(rows(other, "ASK (FRESH) 'all pets'"))
        await asking.wait()
        await rows(one, "ASK WRONG")
        slow.waits = False
        told_wrong.set()
        await under_way
        assert DOGS not in [pin.sql for pin in await asked.pins()]
        assert await rows(other, "ASK 'all pets'") == [("Tom",)]


@pytest.mark.parametrize(
    ("sql", "told", "kept"),
    [
        ("SELECT 42", "this SQL answers the question in sessions of the role reader from now on", 1),
        ("SELECT name FROM pets WHERE id < 20240", "this SQL answers the question in sessions of", 1),
        (
            "SELECT name FROM pets WHERE now() > '2024-05-06'",
            "this SQL answers the question today, in sessions",
            0,
        ),
    ],
)
async def test_a_day_that_the_question_does_not_name_holds_for_today(
    asked: AskedServer, sql: str, told: str, kept: int
) -> None:
    async with asked.connection("reader") as connection, asked.connection("reader") as other:
        await rows(connection, "ASK 'all pets'")
        said = listen(connection)
        await rows(connection, f"ASK WRONG $${sql}$$")
        assert told in said[0][0]
        assert await rows(other, "ASK 'All pets'") == await rows(other, sql)
    assert len(await asked.store.find(Demonstration)) == kept


async def test_in_a_failed_block_it_says_what_postgresql_says(asked: AskedServer) -> None:
    async with asked.connection("reader") as connection:
        await rows(connection, "ASK 'all pets'")
        await connection.execute("BEGIN")
        await failing(connection, "SELECT 1/0")
        assert (await failing(connection, "ASK WRONG")).sqlstate == "25P02"
        await connection.execute("ROLLBACK")
        assert await rows(connection, "ASK 'all pets'") == [("Ada",), ("Rex",)]


async def test_a_paraphrase_is_offered_and_not_taken(asked: AskedServer) -> None:
    async with asked.connection("reader") as connection:
        await rows(connection, "ASK 'pets of Rex'")
        await rows(connection, f"ASK WRONG $${CATS}$$")
        told = listen(connection)
        assert await rows(connection, "ASK 'show the pets of Rex'") == [("Ada",), ("Rex",)]
        offer = "Asked before as \"pets of Rex\", with a confirmed answer: ASK 'pets of Rex'."
        assert offer in told[0][1]
        asked.experts = (RankedExpert((NEITHER, 0.1)),)
        error = await failing(connection, "ASK 'list pets of Rex'")
        assert (error.diag.message_hint or "").startswith(offer)


async def test_an_ask_reads_no_more_confirmed_sql_where_there_is_more_of_other_questions(
    asked: AskedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asked.connection("reader") as connection:
        await rows(connection, "ASK 'pets of Rex'")
        await rows(connection, f"ASK WRONG $${CATS}$$")
        (shown,) = await asked.store.find(Demonstration)
        await connection.execute("SET askwire.pins = off")
        read = records_read(asked, Demonstration, monkeypatch)
        for most in (0, 300):
            others = (replace(shown, key=str(n), question=f"pet number {n}") for n in range(most))
            asked.store.put(*others)
            for question, known in (
                ("Pets of  Rex?", {shown}),
                ("show the pets of Rex", {shown}),
                ("all pets", set[Demonstration]()),
            ):
                read.clear()
                await rows(connection, f"ASK '{question}'")
                assert set(read) == known
