"""A pin counts for the experts and the way of working that it came from; a person's word for all of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
from data.pets import filled
from doubles.asked import AskedServer, asked_server, rows
from doubles.scripted_expert import Says, ScriptedExpert
from servers.running_proxy import OwnDatabase

from askwire.store import MemoryStore

TABLES = "CREATE TABLE pets (id int PRIMARY KEY, name text); INSERT INTO pets VALUES (1, 'Rex'), (2, 'Ada');"
QUESTION = "ASK 'names'"


@pytest.fixture
def pets(empty_database: OwnDatabase) -> Iterator[OwnDatabase]:
    with filled(empty_database, TABLES) as database:
        yield database


@pytest.fixture
async def asked(pets: OwnDatabase) -> AsyncIterator[AskedServer]:
    async with asked_server(pets) as running:
        running.expert.answers("names", "SELECT name FROM pets")
        running.experts = (running.expert, Says("other", "SELECT name FROM pets ORDER BY name DESC"))
        yield running


@pytest.mark.parametrize(
    "change",
    [
        "SET askwire.experts = 'scripted'",
        "SET askwire.effort = 'fast'",
        "SET askwire.candidates = 1",
        "SET askwire.answer_confidence = 0.8",
        "SET askwire.egress = 'none'",
        "SET askwire.model_strategy = 'pv-sql'",
    ],
)
async def test_another_way_of_working_is_asked_again(asked: AskedServer, change: str) -> None:
    async with asked.connection() as connection:
        await rows(connection, QUESTION)
        await rows(connection, QUESTION)
        assert len(asked.questions) == 1
        await connection.execute(change)
        await rows(connection, QUESTION)
        assert len(asked.questions) == 2


async def test_what_shows_an_answer_or_bounds_it_changes_no_pin(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await rows(connection, QUESTION)
        for change in ("notices = brief", "timeout = '20s'", "probe_timeout = '1s'", "history = off"):
            await connection.execute(f"SET askwire.{change}")
            await rows(connection, QUESTION)
        assert len(asked.questions) == 1


@pytest.mark.parametrize("settings", [{"experts": "scripted"}, {"effort": "fast"}, {"model_plan": "off"}])
async def test_the_operators_settings_count_like_the_sessions(
    pets: OwnDatabase, settings: dict[str, str]
) -> None:
    """Two servers on one store: the second one's experts work otherwise."""
    store, expert = MemoryStore(), ScriptedExpert()
    expert.answers("names", "SELECT name FROM pets")
    for given in ({}, settings):
        async with asked_server(pets, store, expert, **given) as running, running.connection() as connection:
            await rows(connection, QUESTION)
    assert len(expert.plannings) == 2


async def test_an_expert_that_joins_is_asked(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await rows(connection, QUESTION)
        asked.experts = (*asked.experts, Says("third", "SELECT name FROM pets"))
        await rows(connection, QUESTION)
        assert len(asked.questions) == 2


@pytest.mark.parametrize("word", ["ASK RIGHT", "ASK WRONG 'SELECT id FROM pets'", "ASK CHOOSE 1"])
async def test_what_a_person_said_holds_whoever_is_asked(asked: AskedServer, word: str) -> None:
    async with asked.connection() as connection:
        await rows(connection, QUESTION)
        taught = await rows(connection, word)
        expected = taught if "CHOOSE" in word else await rows(connection, QUESTION)
        await connection.execute("SET askwire.experts = 'other'")
        assert await rows(connection, QUESTION) == expected
