"""The console in a real browser: with and without scripts, by keyboard, live."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from typing import Any

import pytest
from console_records import KEY, asked, compared, trace
from running_console import Running, StartConsole, begun

from askwire.core.records import Feedback
from askwire.store import MemoryStore

api = pytest.importorskip("playwright.async_api", reason="Playwright is not installed")
CHROMIUM = (
    os.environ.get("ASKWIRE_TEST_BROWSER") or shutil.which("chromium") or shutil.which("chromium-browser")
)
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium (ASKWIRE_TEST_BROWSER)")


@pytest.fixture
async def browser() -> AsyncIterator[Any]:
    async with api.async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        await browser.close()


async def entered(browser: Any, console: Running, **how: Any) -> Any:
    """A page that is logged in, by the link of the start."""
    page = await (await browser.new_context(**how)).new_page()
    page.complaints = []
    page.on("console", lambda m: page.complaints.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    await page.goto(console.door.link)
    return page


async def test_asks_appear_while_they_are_worked_on(browser: Any, start_console: StartConsole) -> None:
    async with start_console() as console:
        page = await entered(browser, console)
        await page.get_by_text("Live", exact=True).wait_for()
        running = begun(console.live, "how many <b>dogs</b>?")
        await page.get_by_text("under way").wait_for()
        assert await page.get_by_role("link", name="how many <b>dogs</b>?").count() == 1
        console.live.ended(running, "00000")
        await page.get_by_text("answered").wait_for()
        assert await page.locator("#asks > li").count() == 1
        assert page.complaints == []


@pytest.mark.parametrize("scripts", [True, False])
async def test_an_answer_is_judged_by_click(browser: Any, start_console: StartConsole, scripts: bool) -> None:
    store = MemoryStore()
    store.put(asked(), trace(steps=[compared()]))
    async with start_console(store) as console:
        page = await entered(browser, console, java_script_enabled=scripts)
        await page.get_by_role("link", name="names of dogs").click()
        await page.get_by_role("button", name="Right", exact=True).click()
        await page.get_by_text("Said to be").wait_for()
        (feedback,) = await store.find(Feedback)
        assert feedback.said == "right"
        await page.get_by_role("button", name="Take it back").click()
        await page.get_by_role("button", name="Wrong").wait_for()
        assert page.complaints == []


async def test_the_keyboard_is_enough(browser: Any, start_console: StartConsole) -> None:
    store = MemoryStore()
    store.put(asked(), asked("00000000000000a2", question="other"), trace())
    async with start_console(store) as console:
        page = await (await browser.new_context()).new_page()
        await page.goto(console.door.url)
        await page.keyboard.type(console.door.token)
        await page.keyboard.press("Enter")
        await page.get_by_text("Live", exact=True).wait_for()
        await page.keyboard.press("Tab")
        assert await page.locator(":focus").inner_text() == "Skip to the content"
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/#content")
        await page.goto(console.door.url + "history")
        await page.keyboard.press("/")
        await page.keyboard.type("dogs")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/history?q=dogs*")
        assert await page.locator("li.ask").count() == 1


async def test_nothing_is_loaded_from_elsewhere_and_no_page_is_wider_than_a_phone(
    browser: Any, start_console: StartConsole
) -> None:
    store = MemoryStore()
    store.put(asked(question="x" * 300), trace(steps=[compared()]))
    async with start_console(store) as console:
        page = await entered(browser, console, viewport={"width": 360, "height": 700})
        asked_for: list[str] = []
        page.on("request", lambda request: asked_for.append(request.url))
        for path in ("", f"asks/{KEY}", "history", "pins", "glossary", "experts", "settings", "nothing"):
            await page.goto(console.door.url + path)
            wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert await page.evaluate(wide) == 0, path
        assert all(url.startswith(console.door.url) for url in asked_for)
