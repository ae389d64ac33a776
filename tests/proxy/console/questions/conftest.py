"""Fixtures of asking in the console: tables, and somebody who is signed in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

pytest.importorskip("aiohttp", reason="the console needs aiohttp")
pytest.importorskip("jinja2", reason="the console needs jinja2")

from servers.asking_console import SECRET, AskingConsole, Person, pets_console
from servers.running_proxy import OwnDatabase

TABLES = """
CREATE TABLE pets (id int PRIMARY KEY, name text, kind text);
INSERT INTO pets VALUES (1, 'Rex', 'dog'), (2, 'Tom', 'cat'), (3, 'Ada', 'dog');
CREATE TABLE weights (day date, kilos numeric);
INSERT INTO weights VALUES ('2024-01-01', 3), ('2024-01-02', 5.5), ('2024-01-03', -1);
CREATE TABLE hostile (cell text, number int);
GRANT SELECT ON pets, weights, hostile TO by_scram;
"""


@pytest.fixture
def zoo(empty_database: OwnDatabase) -> Iterator[OwnDatabase]:
    """A database that the role `by_scram` may read."""
    with empty_database.owner() as connection:
        connection.execute(TABLES)
    yield empty_database
    with empty_database.owner() as connection:
        connection.execute("DROP OWNED BY by_scram")


@pytest.fixture
async def console(zoo: OwnDatabase) -> AsyncIterator[AskingConsole]:  # type: ignore[override]
    """A console where people ask."""
    async with pets_console(zoo) as running:
        yield running


@pytest.fixture
async def person(console: AskingConsole, zoo: OwnDatabase) -> AsyncIterator[Person]:
    """Somebody who has signed in as `by_scram`."""
    async with console.person() as person:
        assert await person.sign_in(zoo, "by_scram", SECRET) == 303
        yield person
