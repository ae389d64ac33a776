"""A store that is away when a role first asks, and comes back: what was learnt before counts again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from data.pets import CATS, DOGS, PETS, filled
from doubles.asked import AskedServer, Connection, asked_server, rows
from doubles.scripted_expert import Says
from servers.running_proxy import OwnDatabase
from servers.store_servers import relay, until

from askwire.core.errors import StoreFailed
from askwire.core.protocols import Store
from askwire.core.records import Demonstration, ExpertStanding, ExpertWeight, Feedback, Pin
from askwire.store import SqliteStore
from askwire.store.postgres.store import PostgresStore
from askwire.store.retention import Retention

DOG_ROWS, CAT_ROWS = [("Ada",), ("Rex",)], [("Tom",)]
FOREVER = Retention(0, 0, 0)
GIVEN = {"operators": "postgres", "on_ambiguity": "best", "answer_confidence": "0"}


@pytest.fixture
def pets(empty_database: OwnDatabase) -> Iterator[OwnDatabase]:
    with filled(empty_database, f"{PETS} CREATE ROLE reader LOGIN; GRANT SELECT ON pets TO reader", "reader"):
        yield empty_database


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a store may take longer than an ASK waits for it."""
    monkeypatch.setattr("askwire.proxy.memory.pins.STORE_TIMEOUT_SECONDS", 5.0)
    monkeypatch.setattr("askwire.proxy.memory.expert_weights._STORE_TIMEOUT_SECONDS", 5.0)


@dataclass
class Place:
    """Where a store lies, `away` while it cannot be reached; each `store` is a further process's."""

    store: Callable[[], Store]
    go: Callable[[bool], None]

    def away(self) -> None:
        self.go(True)

    def back(self) -> None:
        self.go(False)


@pytest.fixture(params=["sqlite", "postgres"])
async def place(request: pytest.FixtureRequest, pets: OwnDatabase, tmp_path: Path) -> AsyncIterator[Place]:
    if request.param == "sqlite":
        folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
        folder.mkdir()

        def move(away: bool) -> None:
            if away:
                folder.rename(elsewhere)
                folder.write_text("where the folder was")
            else:
                folder.unlink()
                elsewhere.rename(folder)

        yield Place(lambda: SqliteStore(folder / "store.sqlite", retention=FOREVER, retry_after=0.05), move)
        return
    async with relay(pets.port) as way:

        def cut(away: bool) -> None:
            way.down = away
            way.cut()

        # not the database that is asked: each partition that the store makes there would be another schema
        url = f"postgresql://postgres@127.0.0.1:{way.port}/postgres"
        yield Place(lambda: PostgresStore(url, retention=FOREVER, retry_after=0.05, goodbye=0.5), cut)
    direct = f"postgresql://postgres@127.0.0.1:{pets.port}/postgres"
    with psycopg.connect(direct, autocommit=True) as connection:
        connection.execute(b"DROP SCHEMA IF EXISTS askwire CASCADE")


@asynccontextmanager
async def process(pets: OwnDatabase, place: Place, **given: str) -> AsyncIterator[AskedServer]:
    """A server with a store of its own at the place."""
    store = place.store()
    async with AsyncExitStack() as stack:
        stack.push_async_callback(store.close)
        asked = await stack.enter_async_context(asked_server(pets, store, None, **GIVEN, **given))
        yield asked
        await written(asked)


async def written(asked: AskedServer) -> None:
    """Wait until all is in the store."""
    await asked.resolver.memories.history.settled()
    await until(lambda: not asked.store.status.waiting)


async def readable(asked: AskedServer) -> None:
    """Wait until the store answers."""
    async with asyncio.timeout(20):
        while True:
            with suppress(StoreFailed):
                await asked.store.find(Pin, limit=1, timeout=20)
                return
            await asyncio.sleep(0.02)


async def standing(asked: AskedServer) -> dict[str, tuple[int, int]]:
    found = await asked.store.find(ExpertStanding, timeout=20)
    return {one.expert: (one.answered, one.failed) for one in found}


async def ask(connection: Connection, question: str) -> list[tuple[object, ...]]:
    return await rows(connection, f"ASK '{question}'")


async def test_how_experts_fared_counts_again(pets: OwnDatabase, place: Place) -> None:
    """A process whose first ASK fell into the outage neither starts at nothing nor replaces what is kept."""
    experts = (Says("dogs", DOGS), Says("broken", "SELECT nothing"))
    async with process(pets, place, pins="off") as asked, asked.connection("reader") as reader:
        asked.experts = experts
        for n in range(8):
            await ask(reader, f"question {n}")
        await written(asked)
        before = await standing(asked)
    assert before["broken"][1] >= 6
    place.away()
    async with process(pets, place, pins="off") as asked, asked.connection("reader") as reader:
        asked.experts = experts
        assert await ask(reader, "question 8") == DOG_ROWS
        place.back()
        await readable(asked)
        for n in range(9, 12):
            await ask(reader, f"question {n}")
        await written(asked)
        after = await standing(asked)
    # those of the outage count as well
    assert after["broken"][1] >= before["broken"][1] + 3
    assert after["dogs"][0] >= before["dogs"][0] + 3


async def test_what_processes_count_of_experts_adds_up(pets: OwnDatabase, place: Place) -> None:
    """Each counts what it sees itself, and none takes the place of what another kept meanwhile."""
    async with (
        process(pets, place, pins="off") as one,
        process(pets, place, pins="off") as two,
        one.connection("reader") as first,
        two.connection("reader") as second,
    ):
        for asked in (one, two):
            asked.experts = (Says("dogs", DOGS), Says("broken", "SELECT nothing"))
        # what was there before is read by the first ASK of each
        for start, count in ((0, 1), (10, 12), (30, 12)):
            for asked, connection in ((one, first), (two, second)):
                for n in range(start, start + count):
                    await ask(connection, f"question {n}")
                await written(asked)
        answered, failed = (await standing(one))["broken"]
    assert answered == 0
    # the latest ones of each are not kept yet
    assert 50 - 2 * 11 <= failed <= 50


def both(one: str, two: str) -> tuple[Says, ...]:
    """Always the same two experts: a pin counts for those that it came from."""
    return Says("one", one), Says("two", two)


async def test_a_pin_from_before_counts_again(pets: OwnDatabase, place: Place) -> None:
    """What is answered during the outage does not take its place, also where a person chose it."""
    async with process(pets, place) as asked, asked.connection("reader") as reader:
        asked.experts = both(DOGS, CATS)
        assert await ask(reader, "a dog or cat") == DOG_ROWS
        await ask(reader, "this dog or cat")
        await rows(reader, "ASK CHOOSE 2")
        assert await ask(reader, "this dog or cat") == CAT_ROWS
    place.away()
    async with process(pets, place) as asked, asked.connection("reader") as reader:
        asked.experts = both(CATS, CATS)
        assert await ask(reader, "a dog or cat") == CAT_ROWS
        assert await ask(reader, "a new dog or cat") == CAT_ROWS
        asked.experts = both(DOGS, DOGS)
        assert await ask(reader, "this dog or cat") == DOG_ROWS
        # it keeps its answer while the store is away
        assert await ask(reader, "a dog or cat") == CAT_ROWS
        place.back()
        await readable(asked)
        assert await ask(reader, "a dog or cat") == DOG_ROWS
        assert await ask(reader, "this dog or cat") == CAT_ROWS
        # and what was first asked during the outage is kept from now on
        assert await ask(reader, "a new dog or cat") == CAT_ROWS
    async with process(pets, place) as asked, asked.connection("reader") as reader:
        asked.experts = both(DOGS, DOGS)
        assert await ask(reader, "a new dog or cat") == CAT_ROWS
        assert asked.questions == []
        assert {pin.question: pin.origin for pin in await asked.pins()} == {
            "a dog or cat": "asked",
            "this dog or cat": "chosen",
            "a new dog or cat": "asked",
        }


async def test_what_was_confirmed_goes_with_feedback_though_a_read_of_it_fails(
    pets: OwnDatabase, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be shown to models, and answer the question, on and on."""
    async with process(pets, place) as asked, asked.connection("reader") as reader:
        asked.experts = both(DOGS, CATS)
        await ask(reader, "a dog or cat")
        await rows(reader, "ASK RIGHT")
        assert [d.sql for d in await asked.store.find(Demonstration, timeout=20)] == [DOGS]
        find, failures = asked.store.find, 2

        async def failing(kind: type, *given: object, **more: object) -> object:
            nonlocal failures
            if kind is Demonstration and failures:
                failures -= 1
                raise StoreFailed("away")
            return await find(kind, *given, **more)  # type: ignore[arg-type]

        monkeypatch.setattr(asked.store, "find", failing)
        with pytest.raises(psycopg.Error, match="askwire: away") as refused:
            await rows(reader, "ASK WRONG")
        assert refused.value.sqlstate == "58030"
        assert [f.said for f in await find(Feedback, timeout=20)] == ["right"], "nothing was kept"
        failures = 1
        await rows(reader, "ASK WRONG")
        assert await find(Demonstration, timeout=20) == []
        assert [f.said for f in await find(Feedback, timeout=20)] == ["wrong"]


async def test_feedback_weighs_once_the_store_can_be_read(
    pets: OwnDatabase, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store went away behind the feedback, before weights were worked out from it."""
    async with process(pets, place, pins="off") as asked, asked.connection("reader") as reader:
        asked.experts = (Says("dogs", DOGS), Says("cats", CATS))
        for n in range(6):
            await rows(reader, f"ASK (EXPERTS 'dogs') 'question {n}'")
            await rows(reader, "ASK WRONG")
        await rows(reader, "ASK (EXPERTS 'dogs') 'question 6'")
        find = asked.store.find

        async def failing(kind: type, *given: object, **more: object) -> object:
            if kind is Feedback and asyncio.current_task() in weighing:
                raise StoreFailed("away")
            return await find(kind, *given, **more)  # type: ignore[arg-type]

        weighing: set[object] = set()
        weigh = asked.resolver.memories.expert_weights.weigh

        async def noted(server: str, database: str) -> None:
            weighing.add(asyncio.current_task())
            await weigh(server, database)

        monkeypatch.setattr(asked.store, "find", failing)
        monkeypatch.setattr(asked.resolver.memories.expert_weights, "weigh", noted)
        await rows(reader, "ASK WRONG")
        monkeypatch.undo()
        await written(asked)
        kept = await find(ExpertWeight, timeout=20)
        assert [w.wrong for w in kept if w.expert == "dogs"] == [6]
        assert await ask(reader, "some pets") == CAT_ROWS
        await written(asked)
        kept = await find(ExpertWeight, timeout=20)
        assert [w.wrong for w in kept if w.expert == "dogs"] == [7]
