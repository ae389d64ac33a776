"""Messages and questions made to exhaust askwire: bounded processor time, and the session lives on.

Times are of the processor, server and client together, with room for a slow machine.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import psycopg
import pytest
from doubles.asked import AskedServer, asked_server
from doubles.time_bounds import ProcessorTime
from servers.running_proxy import OwnDatabase

from askwire.planner.embedded.engine import EmbeddedEngine

SECONDS = 6.0
MESSAGES = {
    "a question of a megabyte": ("ASK '" + "how many pets " * 70_000 + "'", "54000"),
    "parentheses": ("SELECT " + "(" * 20_000 + "ASK 'pets'" + ")" * 20_000, "42601"),
    "unclosed parentheses": ("SELECT " + "(" * 50_000 + "ASK 'pets'", "42601"),
    "the word alone": ("SELECT " + "ask " * 100_000, "42601"),
    "constants": ("SELECT " + "ask 'x', " * 20_000 + "1", "42704"),
    "calls": ("SELECT " + "ask('x'), " * 20_000 + "1", "42883"),
    "too many ASKs": ("; ".join(["ASK 'pets'"] * 100), "42601"),
    "nested comments": ("ASK " + "/* " * 100_000 + "'q'", "42601"),
    "dollar quotes": ("ASK $" + "a" * 500_000 + "$ q", "42601"),
    "options": ("ASK (" + ", ".join(["SQL"] * 30_000) + ") 'q'", "42601"),
    "a body": ("DO $$ BEGIN " + "PERFORM (ask 'q'); " * 10_000 + " END $$", "42601"),
    "state, over and over": ("SELECT * FROM " + ", ".join(f"ask.history h{n}" for n in range(3000)), "NL007"),
    "a chain in front of state": ("SELECT " + "1+" * 100_000 + "1 FROM ask.history", "42P01"),
    "a chain behind a setting": ("SET askwire.notices = off; SELECT " + "1+" * 100_000 + "1", "54001"),
    "a chain that is taught": ("ASK WRONG 'SELECT " + "1+" * 100_000 + "1 -- recursive'", "NL006"),
    "statements in front": ("SELECT 1;" * 20_000 + " ASK 'pets'", "NL007"),
    "taught sql": ("ASK WRONG 'SELECT " + "(" * 20_000 + "1" + ")" * 20_000 + "'", "NL006"),
}
QUESTIONS = {
    "one letter": "a " * 3900,
    "one word": "pets " * 1500,
    "a long word": "p" * 7900,
    "joined": "pets of kind dog and " * 370,
    "numbers": "12 " * 2600,
    "dates": "2024-01-01 " * 700,
    "quotes": '"x" ' * 1900,
    "negations": "not " * 1900 + "pets",
    "groups": "per pet " * 900,
    "comparisons": "more than 3 pets and " * 370,
    "superlatives": "top 5 pets by " * 500,
    "dots": "a." * 3900,
    "hyphens": "-" * 7900,
    "parentheses": "(" * 3900 + ")" * 3900,
    "marks": "e\u0301" * 2600,
    "wide": "\U0001f600" * 1900,
}


@pytest.fixture
async def asked(empty_database: OwnDatabase) -> AsyncIterator[AskedServer]:
    with empty_database.owner() as connection:
        connection.execute("CREATE TABLE pets (id int PRIMARY KEY, name text, kind text, born date)")
    async with asked_server(empty_database) as running:
        running.experts = [EmbeddedEngine()]
        yield running


async def test_messages(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await connection.execute("ASK 'how many pets are there'")
        for name, (text, code) in MESSAGES.items():
            taken = ProcessorTime()
            with pytest.raises(psycopg.Error) as failed:
                await connection.execute(text.encode())
            assert (name, failed.value.sqlstate) == (name, code)
            assert (name, taken.within(SECONDS)) == (name, True)
        cursor = await connection.execute("SELECT 1")
        assert await cursor.fetchone() == (1,)


async def test_questions(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        for name, question in QUESTIONS.items():
            taken = ProcessorTime()
            with pytest.raises(psycopg.Error) as failed:
                await connection.execute("ASK %s", (question,))
            assert (failed.value.sqlstate or "").startswith(("NL00", "54000")), name
            assert (name, taken.within(SECONDS)) == (name, True)
        cursor = await connection.execute("ASK 'how many pets are there'")
        assert await cursor.fetchone() == (0,)
