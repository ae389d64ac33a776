"""What is remembered is kept under a server's name, so that it outlasts another address."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from data.pets import DOGS
from doubles.asked import AskedServer, asked_server, rows
from servers.running_console import plain, running_console
from servers.running_proxy import OwnDatabase

from askwire.core.records import Pin
from askwire.store import MemoryStore

ADDRESSES = ("127.0.0.1", "localhost")


@asynccontextmanager
async def at(address: str, pets: OwnDatabase, store: MemoryStore, name: str) -> AsyncIterator[AskedServer]:
    """A process of its own in front of the same database, which it reaches under `address`."""
    backend = f"host={address} port={pets.port}"
    async with asked_server(pets, store, backend=backend, server_name=name) as running:
        running.expert.answers("every dog", DOGS)
        yield running


async def taught(running: AskedServer) -> None:
    async with running.connection() as connection:
        await rows(connection, "ASK LEARN 'good boy' AS 'dog'")
        await rows(connection, "ASK 'every dog'")
        await rows(connection, "ASK RIGHT")


async def known(running: AskedServer) -> tuple[int, ...]:
    async with running.connection() as connection:
        counts = [
            await rows(connection, f"SELECT count(*)::int FROM ask.{name}")
            for name in ("glossary", "pins", "history", "feedback")
        ]
    return tuple(int(found[0][0]) for found in counts)


async def test_under_one_name_a_server_at_another_address_is_the_same(pets: OwnDatabase) -> None:
    store = MemoryStore()
    async with at(ADDRESSES[0], pets, store, "the kennels") as before:
        await taught(before)
    async with at(ADDRESSES[1], pets, store, "the kennels") as after:
        assert await known(after) == (1, 1, 1, 1)
        async with after.connection() as connection:
            assert await rows(connection, "ASK 'every dog'") == [("Ada",), ("Rex",)]
            assert after.questions == [], "the pin was not used"
            await connection.execute("ASK (FRESH) 'every dog'")
            assert after.questions == ["every dog"]
            assert await rows(connection, "ASK FORGET 'good boy'") == [("good boy", "term")]
    assert {pin.server for pin in await store.find(Pin)} == {"the kennels"}
    async with running_console(store) as console:
        await console.log_in()
        for page in ("/pins", "/history?q=every"):
            assert "every dog" in plain((await console.get(page))[1]), page


@pytest.mark.parametrize("name", ["", "another"])
async def test_under_another_name_nothing_is_known(pets: OwnDatabase, name: str) -> None:
    store = MemoryStore()
    async with at(ADDRESSES[0], pets, store, "the kennels" if name else "") as before:
        await taught(before)
    async with at(ADDRESSES[1], pets, store, name) as after:
        assert await known(after) == (0, 0, 0, 0)


async def test_an_address_is_a_name_that_what_was_kept_before_is_found_under(pets: OwnDatabase) -> None:
    store = MemoryStore()
    async with at(ADDRESSES[0], pets, store, "") as before:
        await taught(before)
    async with at(ADDRESSES[1], pets, store, f"{ADDRESSES[0]}:{pets.port}") as after:
        assert await known(after) == (1, 1, 1, 1)
