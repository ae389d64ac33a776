"""The console in a real browser: with and without scripts, by keyboard, live."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from data.console_records import KEY, SECOND, asked, compared, trace
from servers.browsing import entered
from servers.running_console import StartConsole, begun

from askwire.core.records import Feedback
from askwire.store import MemoryStore

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_asks_appear_while_they_are_worked_on(browser: Browser, start_console: StartConsole) -> None:
    async with start_console() as console:
        page, complaints = await entered(browser, console)
        await page.get_by_text("Live", exact=True).wait_for()
        running = begun(console.live, "how many <b>dogs</b>?")
        await page.get_by_text("under way").wait_for()
        assert await page.get_by_role("link", name="how many <b>dogs</b>?").count() == 1
        console.live.ended(running, "00000")
        await page.get_by_text("answered").wait_for()
        assert await page.locator("#asks > li").count() == 1
        assert complaints == []


@pytest.mark.parametrize("scripts", [True, False])
async def test_an_answer_is_judged_by_click(
    browser: Browser, start_console: StartConsole, scripts: bool
) -> None:
    store = MemoryStore()
    store.put(asked(), trace(steps=[compared()]))
    async with start_console(store) as console:
        page, complaints = await entered(browser, console, java_script_enabled=scripts)
        await page.get_by_role("link", name="names of dogs").click()
        await page.get_by_role("button", name="Right", exact=True).click()
        await page.get_by_text("Feedback:").wait_for()
        (feedback,) = await store.find(Feedback)
        assert feedback.said == "right"
        await page.get_by_role("button", name="Take it back").click()
        await page.get_by_role("button", name="Wrong").wait_for()
        assert complaints == []


async def test_an_answer_is_judged_and_chosen_by_keyboard(
    browser: Browser, start_console: StartConsole
) -> None:
    store = MemoryStore()
    store.put(asked(), trace(steps=[compared()]))
    async with start_console(store) as console:
        page, complaints = await entered(browser, console)

        async def press(name: str) -> None:
            """Go on with Tab until the button has the focus, and press it."""
            button = page.get_by_role("button", name=name, exact=True)
            await button.wait_for()
            for _ in range(60):
                await page.keyboard.press("Tab")
                if await button.evaluate("e => e === document.activeElement && e.matches(':focus-visible')"):
                    break
            else:
                pytest.fail(f"Tab does not lead to {name!r}")
            await page.keyboard.press("Enter")

        await page.goto(f"{console.door.url}asks/{KEY}")
        await press("Use this one")
        await page.get_by_text("Feedback:").wait_for()
        (feedback,) = await store.find(Feedback)
        assert (feedback.said, feedback.sql) == ("chosen", SECOND)
        await press("Take it back")
        await press("Wrong")
        await page.get_by_text("Feedback:").wait_for()
        (feedback, *_) = await store.find(Feedback)
        assert (feedback.said, complaints) == ("wrong", [])


async def test_the_keyboard_is_enough(browser: Browser, start_console: StartConsole) -> None:
    store = MemoryStore()
    store.put(asked(), asked("00000000000000a2", question="other"), trace())
    async with start_console(store) as console:
        page = await (await browser.new_context()).new_page()
        await page.goto(console.door.url)
        await page.locator("#token:focus").wait_for()
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
    browser: Browser, start_console: StartConsole
) -> None:
    store = MemoryStore()
    store.put(asked(question="x" * 300), trace(steps=[compared()]))
    async with start_console(store) as console:
        page, complaints = await entered(browser, console, viewport={"width": 360, "height": 700})
        asked_for: list[str] = []
        page.on("request", lambda request: asked_for.append(request.url))
        for path in ("", f"asks/{KEY}", "history", "pins", "glossary", "experts", "settings", "nothing"):
            await page.goto(console.door.url + path)
            wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert await page.evaluate(wide) == 0, path
        assert all(url.startswith(console.door.url) for url in asked_for)
        assert len(complaints) == 1, "only the page that is not there"
