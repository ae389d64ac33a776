"""Every page as axe-core judges it: light and dark, on a phone and on a desk, without one violation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pytest
from data.console_filling import fill
from data.console_records import FIRST, KEY, PLACE, asked, compared, trace
from servers.browsing import entered, violations
from servers.running_console import ConsoleServer, StartConsole, begun

from askwire.core.records import Feedback, HistoryEntry
from askwire.store import MemoryStore

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = pytest.mark.asyncio(loop_scope="session")
LOOKS = [("light", 360), ("dark", 1280)]


async def filled() -> MemoryStore:
    """A store with something on every page."""
    store = MemoryStore()
    fill(store, 10)
    given = Feedback(
        "f1", 1_699_999_500.0, "s", "ada", "ada", *PLACE, KEY, "names of dogs", "wrong", FIRST, "SELECT 1"
    )
    private = asked("00000000000000a2", private=True)
    store.put(asked(), trace(steps=[compared(), compared(masked=True)]), given, private)
    return store


async def paths(console: ConsoleServer) -> list[str]:
    """The addresses of all pages: of one ASK, one for each way to end."""
    found = await console.store.find(HistoryEntry)
    each = {(one.outcome, one.private): one.key for one in found}
    running = begun(console.live).id
    lists = ("", "history", "history?q=zebra", "pins", "glossary", "approvals", "experts", "settings")
    return [*lists, *(f"asks/{key}" for key in dict.fromkeys((KEY, running, *each.values()))), "nothing"]


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
async def test_no_page_breaks_a_rule(
    browser: Browser, start_console: StartConsole, scheme: Literal["light", "dark"], width: int
) -> None:
    how: dict[str, Any] = {
        "color_scheme": scheme,
        "viewport": {"width": width, "height": 800},
        "bypass_csp": True,
    }
    async with start_console(await filled()) as console:
        page, _ = await entered(browser, console, **how)
        broken = {}
        for path in await paths(console):
            await page.goto(console.door.url + path)
            broken[path] = await violations(page)
        stranger = await (await browser.new_context(**how)).new_page()
        await stranger.goto(console.door.url)
        broken["login"] = await violations(stranger)
        await stranger.keyboard.type("wrong")
        await stranger.keyboard.press("Enter")
        await stranger.get_by_role("alert").wait_for()
        broken["login, refused"] = await violations(stranger)
    assert {path: found for path, found in broken.items() if found} == {}


async def test_what_breaks_a_rule_is_found(browser: Browser) -> None:
    page = await (await browser.new_context()).new_page()
    await page.set_content("<img src='x'>")
    assert any(found.startswith("image-alt") for found in await violations(page))
