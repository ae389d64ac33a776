"""Fixtures of the console: one that runs, on a port of its own, and a client that is logged in."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

pytest.importorskip("aiohttp", reason="the console needs aiohttp")
pytest.importorskip("jinja2", reason="the console needs jinja2")

from running_console import Running, StartConsole, running_console

from askwire.store import MemoryStore


@pytest.fixture
def start_console() -> StartConsole:
    """Starts a console with settings of the test's choice."""
    return running_console


@pytest.fixture
async def console() -> AsyncIterator[Running]:
    """A console somebody is logged in to."""
    async with running_console() as running:
        await running.log_in()
        yield running


@pytest.fixture
def store(console: Running) -> MemoryStore:
    assert isinstance(console.store, MemoryStore)
    return console.store
