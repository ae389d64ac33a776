"""A store that is full or cannot be: who teaches is shown that nothing was kept, and who asks is answered."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import psycopg
import pytest
from data.pets import CATS, DOGS
from data.store_records import every_kind
from doubles.asked import AskedServer, Connection, asked_server, rows
from servers.running_proxy import OwnDatabase

from askwire.core.records import Demonstration, Feedback, Record, Term
from askwire.core.types import Candidate
from askwire.planner.expert import ExpertContext
from askwire.store import SqliteStore
from askwire.store.tables import row, table

FULL = "database or disk is full"


class TwoMinds:
    """An expert that proposes two readings with equal confidence."""

    name = "undecided"

    async def propose(self, planning: ExpertContext) -> list[Candidate]:
        return [Candidate(sql, self.name, score=-n, confidence=0.45) for n, sql in enumerate((DOGS, CATS))]


def fill(connection: sqlite3.Connection, insert: str, made: Callable[[int], tuple[object, ...]]) -> None:
    """Insert rows until there is no room for a further one."""
    for number in itertools.count():
        try:
            connection.execute(insert, made(number))
        except sqlite3.OperationalError as full:
            if str(full) != FULL:
                raise
            return


def numbered(record: Record, number: int) -> tuple[object, ...]:
    """The row of another record like it."""
    return row(replace(record, key=f"{number:04}"))


@asynccontextmanager
async def full_store(pets: OwnDatabase, path: Path) -> AsyncIterator[AskedServer]:
    """A server whose store can be read, and takes nothing more."""
    store = SqliteStore(path)
    await store.find(Term, timeout=20)
    assert store._file is not None
    connection = store._file._connection
    connection.execute("CREATE TABLE filling (text TEXT)")
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    # the pages that there are have room, the first of each table above all
    fill(connection, "INSERT INTO filling VALUES (?)", lambda n: ("x" * 50,))
    for record in every_kind():
        fill(connection, table(type(record)).upsert, partial(numbered, record))
    async with asked_server(pets, store, operators="postgres") as asked:
        asked.expert.answers("every dog", DOGS)
        yield asked
    await store.close()


async def refused(connection: Connection, sql: str) -> psycopg.Error:
    with pytest.raises(psycopg.Error) as failed:
        await connection.execute(sql)
    return failed.value


@pytest.mark.parametrize(
    "statement", ["ASK LEARN 'dog' AS 'a pet that barks'", "ASK RIGHT", "ASK WRONG", f"ASK WRONG $${CATS}$$"]
)
async def test_who_teaches_a_full_store_is_told_that_nothing_was_kept(
    pets: OwnDatabase, tmp_path: Path, statement: str
) -> None:
    async with full_store(pets, tmp_path / "store.sqlite") as asked, asked.connection() as connection:
        assert await rows(connection, "ASK 'every dog'") == [("Ada",), ("Rex",)]
        error = await refused(connection, statement)
        assert error.sqlstate == "58030"
        assert error.diag.message_primary == f"askwire: the store cannot be written: {FULL}"
        assert (error.diag.message_hint or "").startswith("Nothing was kept.")
        # nothing was: neither in the file, nor in what the next ASK stands for
        assert await rows(connection, "ASK 'every dog'") == [("Ada",), ("Rex",)]
        assert asked.questions == ["every dog"]
        for kind in (Term, Feedback, Demonstration):
            place = {"database": pets.name}
            assert await asked.store.find(kind, place, timeout=20) == []


async def test_what_was_refused_is_kept_when_it_is_said_again(pets: OwnDatabase, tmp_path: Path) -> None:
    async with full_store(pets, tmp_path / "store.sqlite") as asked, asked.connection() as connection:
        await refused(connection, "ASK LEARN 'dog' AS 'a pet that barks'")
        store = asked.store
        assert isinstance(store, SqliteStore)
        assert store._file is not None
        store._file._connection.execute("PRAGMA max_page_count = 1000000")
        ((term, meaning, *_),) = await rows(connection, "ASK LEARN 'dog' AS 'a barking pet'")
        assert (term, meaning) == ("dog", "a barking pet")
        found = await store.find(Term, {"database": pets.name}, timeout=20)
        assert [t.meaning for t in found] == ["a barking pet"]


async def test_a_reading_that_is_chosen_runs_with_a_warning(pets: OwnDatabase, tmp_path: Path) -> None:
    async with full_store(pets, tmp_path / "store.sqlite") as asked:
        asked.experts = (TwoMinds(),)
        told: list[tuple[str | None, ...]] = []
        async with asked.connection() as connection, asked.connection() as other:
            connection.add_notice_handler(
                lambda d: told.append((d.severity, d.sqlstate, d.message_primary, d.message_detail))
            )
            assert (await refused(connection, "ASK 'dog or cat'")).sqlstate == "NL001"
            assert await rows(connection, "ASK CHOOSE 2") == [("Tom",)]
            sentence = "askwire: the reading is used, and kept for this session only"
            detail = f"the store cannot be written: {FULL}"
            assert [t for t in told if t[0] == "WARNING"] == [("WARNING", "58030", sentence, detail)]
            assert await rows(connection, "ASK 'dog or cat'") == [("Tom",)]
            # which is what was said: no other session
            assert (await refused(other, "ASK 'dog or cat'")).sqlstate == "NL001"


async def test_the_warning_comes_where_notices_are_off(pets: OwnDatabase, tmp_path: Path) -> None:
    async with full_store(pets, tmp_path / "store.sqlite") as asked:
        asked.experts = (TwoMinds(),)
        told: list[str | None] = []
        async with asked.connection() as connection:
            connection.add_notice_handler(lambda d: told.append(d.severity))
            await connection.execute("SET askwire.notices = off")
            await refused(connection, "ASK 'dog or cat'")
            await rows(connection, "ASK CHOOSE 2")
        assert told == ["WARNING"]


async def test_a_store_that_cannot_be_takes_no_ask_with_it_and_forgets_nothing_silently(
    pets: OwnDatabase, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("where a folder is wanted")
    store = SqliteStore(tmp_path / "file" / "store.sqlite")
    async with asked_server(pets, store) as asked, asked.connection() as connection:
        asked.expert.answers("every dog", DOGS)
        assert await rows(connection, "ASK 'every dog'") == [("Ada",), ("Rex",)]
        for statement in ("ASK LEARN 'dog' AS 'a barking pet'", "ASK FORGET 'dog'", "ASK RIGHT"):
            error = await refused(connection, statement)
            assert error.sqlstate == "58030", statement
            assert (error.diag.message_primary or "").endswith("File exists")
            assert str(tmp_path) not in str(error)
        assert await rows(connection, "ASK 'every dog'") == [("Ada",), ("Rex",)]
        assert asked.questions == ["every dog"]
    await store.close()
