"""Two askwires with one PostgreSQL store: what one is taught the other knows; an outage stops neither."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import psycopg
import pytest
from data.pets import CATS, DOGS, filled
from doubles.asked import AskedServer, asked_server, rows
from doubles.time_bounds import Stopwatch
from servers.running_proxy import OwnDatabase
from servers.store_servers import Relay, listening, relay, until

from askwire.core.settings.table import BACKEND, load
from askwire.proxy.console.operations import Alone, Readiness
from askwire.proxy.resolver.resolver import AskResolver
from askwire.store.postgres.schema import channel
from askwire.store.postgres.store import PostgresStore
from askwire.store.retention import Retention

TABLES = """
CREATE TABLE pets (id int PRIMARY KEY, name text, kind text);
INSERT INTO pets VALUES (1, 'Rex', 'dog'), (2, 'Tom', 'cat'), (3, 'Ada', 'dog');
CREATE ROLE reader LOGIN;
GRANT SELECT ON pets TO reader;
"""
DOG_ROWS = [("Ada",), ("Rex",)]
CAT_ROWS = [("Tom",)]


@pytest.fixture
def pets(empty_database: OwnDatabase) -> Iterator[OwnDatabase]:
    with filled(empty_database, TABLES, "reader") as database:
        yield database
        with psycopg.connect(database.dsn(), autocommit=True) as connection:
            connection.execute(b"DROP SCHEMA IF EXISTS askwire CASCADE")


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a store may take longer than an ASK waits for a pin."""
    monkeypatch.setattr("askwire.proxy.memory.pins.STORE_TIMEOUT_SECONDS", 2.0)


@dataclass
class Pair:
    """Two servers in front of one database, whose store it is too; `way` leads to it."""

    one: AskedServer
    two: AskedServer
    way: Relay

    async def settle(self) -> None:
        """Wait until what each wrote is written, and known to the other."""
        servers = (self.one, self.two)
        for server in servers:
            await server.resolver.memories.history.settled()
            await until(lambda server=server: not server.store.status.waiting)  # type: ignore[misc]
        last = _last_transaction(self.one.database)
        stores = [server.store for server in servers if isinstance(server.store, PostgresStore)]
        await until(lambda: all(int(store._watcher._since or 0) > last for store in stores))
        for server in servers:
            await server.resolver.memories.elsewhere.settled()


def _last_transaction(database: OwnDatabase) -> int:
    """The number of a transaction behind all that is written, which tells the watchers that there is news."""
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        row = connection.execute(
            b"SELECT pg_current_xact_id()::text, pg_notify(%s, '')", (channel("askwire"),)
        ).fetchone()
    assert row
    return int(row[0])


def _partitions(database: OwnDatabase) -> int:
    """How many partitions of the history are made: this moment's and the next."""
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        row = connection.execute(b"SELECT count(*) FROM askwire.history_part").fetchone()
    assert row
    return int(row[0])


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[PostgresStore]:
    store = PostgresStore(url, retention=Retention(0, 0, 0), retry_after=0.1, goodbye=0.5)
    try:
        yield store
    finally:
        await store.close()


@pytest.fixture
async def pair(pets: OwnDatabase) -> AsyncIterator[Pair]:
    async with relay(pets.port) as way:
        url = f"postgresql://postgres@127.0.0.1:{way.port}/{pets.name}"
        async with (
            opened(url) as first,
            opened(url) as second,
            asked_server(pets, first, operators="postgres") as one,
            asked_server(pets, second, operators="postgres") as two,
        ):
            two.wall.now += 10_000
            for server in (one, two):
                server.expert.answers("every dog", DOGS)
                server.expert.answers("every cat", DOGS, CATS)
            await listening(first)
            await listening(second)
            # a table that is made is another schema, and so another pin
            await until(lambda: _partitions(pets) == 2)
            yield Pair(one, two, way)


async def test_a_pin_of_one_serves_the_other(pair: Pair) -> None:
    async with pair.one.connection("reader") as connection, pair.two.connection("reader") as other:
        assert await rows(connection, "ASK 'every dog'") == DOG_ROWS
        await pair.settle()
        assert await rows(other, "ASK 'every dog'") == DOG_ROWS
    assert pair.two.questions == []


async def test_what_one_is_told_is_wrong_the_other_does_not_give_again(pair: Pair) -> None:
    async with pair.one.connection("reader") as connection, pair.two.connection("reader") as other:
        # both have it at hand
        assert await rows(connection, "ASK 'every dog'") == DOG_ROWS
        await pair.settle()
        assert await rows(other, "ASK 'every dog'") == DOG_ROWS
        taken = Stopwatch()
        await rows(connection, f"ASK WRONG $${CATS}$$")
        while await rows(other, "ASK 'every dog'") != CAT_ROWS:
            assert taken.within(1)
            await asyncio.sleep(0.02)
        # taken back in the other, it is gone in this one
        await rows(other, "ASK FORGET 'every dog'")
        await pair.settle()
        assert await rows(connection, "ASK 'every dog'") == DOG_ROWS


async def test_a_prepared_ask_of_the_other_is_asked_again_after_wrong(pair: Pair) -> None:
    async with pair.one.connection("reader") as connection, pair.two.connection("reader") as other:
        await other.set_autocommit(True)
        cursor = await other.execute("ASK 'every cat'", prepare=True)
        assert await cursor.fetchall() == DOG_ROWS
        await pair.settle()
        assert await rows(connection, "ASK 'every cat'") == DOG_ROWS
        await rows(connection, "ASK WRONG")
        await pair.settle()
        await asyncio.sleep(1.0)  # a prepared ASK is looked at again once a second
        cursor = await other.execute("ASK 'every cat'", prepare=True)
        assert await cursor.fetchall() == CAT_ROWS


async def test_a_word_that_one_is_taught_the_other_understands(pair: Pair) -> None:
    async with pair.one.connection("reader") as connection, pair.two.connection("reader") as other:
        await rows(other, "ASK 'every dog'")
        await rows(connection, "ASK LEARN 'dog' AS 'a pet that barks'")
        await pair.settle()
        await rows(other, "ASK 'every dog'")
        assert pair.two.questions == ["every dog", "every dog"], "the word ended the pin"
        assert "barks" in pair.two.expert.plannings[-1].question.evidence
        assert await rows(other, "SELECT term FROM ask.glossary") == [("dog",)]


async def test_an_outage_of_the_store_takes_no_ask_with_it(pair: Pair) -> None:
    async with pair.one.connection("reader") as connection, pair.two.connection("reader") as other:
        assert await rows(connection, "ASK 'every dog'") == DOG_ROWS
        await pair.settle()
        assert await rows(other, "ASK 'every dog'") == DOG_ROWS
        pair.way.down = True
        pair.way.cut()
        await until(lambda: bool(pair.one.store.status.trouble and pair.two.store.status.trouble))
        # the last known copy of a pin; what is not at hand is worked out
        assert await rows(other, "ASK 'every dog'") == DOG_ROWS
        assert pair.two.questions == []
        taken = Stopwatch()
        assert await rows(other, "ASK 'every cat'") == DOG_ROWS
        assert taken.within(3)
        with pytest.raises(psycopg.Error, match="the store cannot be written") as failed:
            await connection.execute("ASK LEARN 'dog' AS 'a pet that barks'")
        assert failed.value.sqlstate == "58030"
        answer = await Readiness(Alone(pair.two.store), _reachable).ready(None)  # type: ignore[arg-type]
        assert (answer.status, (answer.text or "").partition(",")[0]) == (200, "ready\nstore: down")
        assert "of 5000 changes wait, 0 lost" in (answer.text or "")
        pair.way.down = False
        await pair.settle()
        await until(lambda: not pair.two.store.status.trouble and not pair.two.store.status.waiting)
        asked = await pair.one.history()
        assert len(asked) == 4, "nothing of it was lost"
        await rows(connection, "ASK LEARN 'dog' AS 'a pet that barks'")


async def _reachable() -> str:
    return ""


async def test_a_store_in_the_database_that_is_asked_stays_out_of_the_asker_s_sight(pair: Pair) -> None:
    async with pair.one.connection("reader") as connection:
        assert await rows(connection, "ASK 'every dog'") == DOG_ROWS
        for relation in ("asked", "pin", "own_history", "operator_history"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                await connection.execute(f"SELECT * FROM askwire.{relation}".encode())
        catalog = pair.one.expert.plannings[-1].catalog
        assert {relation.schema for relation in catalog} == {"public"}
        assert await rows(connection, "SELECT question FROM ask.history") == [("every dog",)]


async def test_nobody_is_shown_the_password_of_the_store(pets: OwnDatabase) -> None:
    url = f"postgresql://by_scram:hush@127.0.0.1:{pets.port}/{pets.name}"
    async with asked_server(pets, operators="postgres") as server, server.connection() as connection:
        given = {"backend": server.resolver.settings[BACKEND], "operators": "postgres", "store": url}
        server.resolver.settings = load(given)
        shown = [str(row) for row in await rows(connection, "SELECT * FROM ask.settings")]
        shown += [str(row) for row in await rows(connection, "SHOW askwire.store")]
        assert any("by_scram@127.0.0.1" in row for row in shown)
        assert not any("hush" in row for row in shown)


async def test_what_askwire_keeps_there_is_no_data_for_whom_it_would_let_in(pair: Pair) -> None:
    url = f"postgresql://postgres@127.0.0.1:{pair.way.port}/x"
    configured = load({"backend": pair.one.resolver.settings[BACKEND], "store": url})
    pair.one.resolver._reader._catalogs = AskResolver(configured)._reader._catalogs
    async with pair.one.connection() as connection, pair.two.connection() as other:
        assert await rows(connection, "ASK 'every dog'") == DOG_ROWS
        assert {r.schema for r in pair.one.expert.plannings[-1].catalog} == {"public"}
        # a superuser's pin serves all its sessions, though the store's views are over secured tables
        await pair.settle()
        assert [pin.session for pin in await pair.one.pins()] == [""]
        await other.execute("CREATE TABLE more (a int)")
        assert await rows(connection, "ASK 'every dog'") == DOG_ROWS
        assert {r.name for r in pair.one.expert.plannings[-1].catalog} == {"pets", "more"}
