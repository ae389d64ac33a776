"""Readings that give the same rows today: which text runs, and what is shown about the other."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator

import pytest
from data.pets import DOGS, TABLES, filled
from doubles.asked import AskedServer, Connection, asked_server, listen, rows
from doubles.scripted_expert import Says
from servers.running_proxy import OwnDatabase

BY_CHANCE = "SELECT name FROM pets WHERE id <> 2 ORDER BY name"
DOGS_TOO = "SELECT p.name FROM pets AS p WHERE p.kind = 'dog' ORDER BY 1"
RESULT = [("Ada",), ("Rex",)]


@pytest.fixture
def pets(empty_database: OwnDatabase) -> Iterator[OwnDatabase]:
    with filled(empty_database, TABLES, "reader") as database:
        yield database


@pytest.fixture
async def asked(pets: OwnDatabase) -> AsyncIterator[AskedServer]:
    async with asked_server(pets) as running:
        running.experts = (Says("a", BY_CHANCE), Says("b", DOGS), Says("c", DOGS_TOO))
        yield running


@pytest.fixture
async def client(asked: AskedServer) -> AsyncIterator[Connection]:
    async with asked.connection("reader") as connection:
        yield connection


async def test_the_text_is_that_of_the_meaning_most_experts_share(
    pets: OwnDatabase, client: Connection
) -> None:
    """The first one's rows are the same, and the next row in the table would tell."""
    heard = listen(client)
    assert await rows(client, "ASK 'names of dogs'") == RESULT
    assert "All 3 experts agree" in str(heard)
    with pets.owner() as admin:
        admin.execute("INSERT INTO pets VALUES (4, 'Flo', 'fish')")
    assert await rows(client, "ASK 'names of dogs'") == RESULT


async def test_why_shows_the_reading_that_only_agrees_today(client: Connection) -> None:
    ((told,),) = await rows(client, "ASK (WHY, FORMAT JSON) 'names of dogs'")
    report = told if isinstance(told, dict) else json.loads(told)
    assert report["sql"] in (DOGS, DOGS_TOO)
    assert report["alike_today"] == [BY_CHANCE]
    said = dict(await rows(client, "ASK (WHY) 'names of dogs'"))
    assert BY_CHANCE in said["same rows today"]


async def test_choices_show_made_up_rows_that_tell_them_apart(client: Connection) -> None:
    (first, second) = await rows(client, "ASK (CHOICES) 'names of dogs'")
    assert first[4].split() in (DOGS.split(), DOGS_TOO.split())
    assert "id <> 2" in second[4]
    assert "the answer of reading 1 on all of your data;\non made-up rows another one:" in second[6]


async def test_choosing_it_makes_it_the_answer(client: Connection) -> None:
    await rows(client, "ASK (CHOICES) 'names of dogs'")
    assert await rows(client, "ASK CHOOSE 2") == RESULT
    ((sql,),) = await rows(client, "ASK (SQL) 'names of dogs'")
    assert "id <> 2" in sql
