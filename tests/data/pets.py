"""A small database of pets with somebody who may read it, for tests of what is remembered and said."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from doubles.asked import AskedServer, asked_server
from servers.running_proxy import OwnDatabase

DOGS = "SELECT name FROM pets WHERE kind = 'dog' ORDER BY name"
CATS = "SELECT name FROM pets WHERE kind = 'cat' ORDER BY name"

PETS = """
CREATE TABLE pets (id int PRIMARY KEY, name text, kind text);
INSERT INTO pets VALUES (1, 'Rex', 'dog'), (2, 'Tom', 'cat'), (3, 'Ada', 'dog');
"""

TABLES = f"""{PETS}
CREATE ROLE reader LOGIN;
GRANT SELECT ON pets TO reader;
"""


@contextmanager
def filled(database: OwnDatabase, tables: str, *roles: str) -> Iterator[OwnDatabase]:
    """The database with `tables`, whose statements make `roles`."""
    with database.owner() as connection:
        connection.execute(tables.encode())
    yield database
    with database.owner() as connection:
        for role in roles:
            connection.execute(f"DROP OWNED BY {role}; DROP ROLE {role}".encode())


@asynccontextmanager
async def learning(pets: OwnDatabase) -> AsyncIterator[AskedServer]:
    """A server in front of it that learns from statements, and knows how many pets there are."""
    async with asked_server(pets, workload="on") as running:
        running.expert.answers("how many pets", "SELECT count(*) FROM pets")
        yield running
