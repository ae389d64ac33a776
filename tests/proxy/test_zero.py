"""Zero is an answer where the data say why: the value is there and no row has it, or all values are known."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from doubles.asked import WHATEVER_SURE, AskedServer, asked_server, listen, rows
from servers.running_proxy import OwnDatabase

from askwire.planner.embedded.engine import EmbeddedEngine

FILMS = """
CREATE TABLE language (language_id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE film (film_id int PRIMARY KEY, title text NOT NULL, rating text NOT NULL,
    language_id int NOT NULL REFERENCES language);
INSERT INTO language VALUES (1, 'English'), (2, 'Japanese'), (3, 'French');
INSERT INTO film SELECT n, 'Film ' || n, (ARRAY['G', 'PG', 'R'])[1 + n % 3], 1 + 2 * (n % 2)
    FROM generate_series(1, 100) n;
ANALYZE language, film;
"""


@pytest.fixture
async def asked(empty_database: OwnDatabase) -> AsyncIterator[AskedServer]:
    with empty_database.owner() as owner:
        owner.execute(FILMS)
    async with asked_server(empty_database, answer_confidence=WHATEVER_SURE) as running:
        running.experts = (EmbeddedEngine(),)
        yield running


async def test_a_value_that_is_there_and_that_no_row_has_is_counted_zero(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        told = listen(connection)
        assert await rows(connection, "ASK 'how many films are in Japanese?'") == [(0,)]
        reason = "'Japanese' is a value of language.name, and no row has all that is asked for"
        assert reason in told[0][1]
        assert "single zero" not in told[0][1]


async def test_a_list_of_them_is_empty(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        told = listen(connection)
        assert await rows(connection, "ASK 'titles of films in Japanese'") == []
        assert "'Japanese' is a value of language.name" in told[0][1]
