"""Fixtures of the console: one that runs, on a port of its own, a client that is logged in, and a browser."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio
from servers import chromium

pytest.importorskip("aiohttp", reason="the console needs aiohttp")
pytest.importorskip("jinja2", reason="the console needs jinja2")

from servers.running_console import ConsoleServer, StartConsole, running_console

from askwire.store import MemoryStore

if TYPE_CHECKING:
    from playwright.async_api import Browser


@pytest.fixture
def start_console() -> StartConsole:
    """Starts a console with settings of the test's choice."""
    return running_console


@pytest.fixture
async def console() -> AsyncIterator[ConsoleServer]:
    """A console somebody is logged in to."""
    async with running_console() as running:
        await running.log_in()
        yield running


@pytest.fixture
def store(console: ConsoleServer) -> MemoryStore:
    assert isinstance(console.store, MemoryStore)
    return console.store


@pytest.fixture(scope="session")
def browser_path() -> str:
    """Where a Chromium is that Playwright can drive; skips where there is none."""
    pytest.importorskip("playwright.async_api", reason="Playwright is not installed")
    path = chromium.find()
    if not path:
        pytest.skip(
            "there is no Chromium: python tests/servers/chromium.py gets one, ASKWIRE_TEST_BROWSER names one"
        )
    if not chromium.drives():
        pytest.skip("Playwright's driver does not start here: python tests/servers/chromium.py tells more")
    return path


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def _chromium(browser_path: str) -> AsyncIterator[Browser]:
    """A Chromium without a window; starting one takes longer than most of its tests."""
    from playwright.async_api import async_playwright  # noqa: PLC0415 - only where there is a browser

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def browser(_chromium: Browser) -> AsyncIterator[Browser]:
    """A Chromium that shows nothing; its tests run on the loop of the session, which it lives on."""
    yield _chromium
    for context in _chromium.contexts:
        await context.close()
