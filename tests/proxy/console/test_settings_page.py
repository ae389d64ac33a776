"""The page of settings: changing them, and what it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from servers.browsing import entered
from servers.running_console import ConsoleServer, StartConsole, plain

from askwire.core.settings.table import TIMEOUT

if TYPE_CHECKING:
    from playwright.async_api import Browser


async def send(console: ConsoleServer, **form: str) -> tuple[int, str]:
    got = await console.post("/settings", {"form_key": await console.form_key(), **form})
    return got.status, plain(await got.text())


async def test_a_change_holds_at_once_and_is_shown(console: ConsoleServer) -> None:
    status, _ = await send(console, name="timeout", value="7s")
    assert status == 303
    assert console.changes.settings[TIMEOUT] == 7000
    _, text = await console.get("/settings")
    assert "7s changed here until restart, by (console)" in plain(text)
    assert "configured 30s" in plain(text)
    await send(console, name="timeout", undo="1")
    assert console.changes.settings[TIMEOUT] == 30_000


async def test_what_cannot_be_read_is_told_beside_the_setting(console: ConsoleServer) -> None:
    status, text = await send(console, name="timeout", value="<b>soon</b>")
    assert status == 422
    assert "Setting 'timeout' cannot be '<b>soon</b>'" in text.replace("&lt;", "<").replace("&gt;", ">")
    assert console.changes.made == {}


async def test_what_only_the_configuration_may_say_is_refused(console: ConsoleServer) -> None:
    for name, value in (
        ("operators", "mallory"),
        ("egress", "rows"),
        ("console_proxies", "0.0.0.0/0"),
        ("x", "1"),
    ):
        status, _ = await send(console, name=name, value=value)
        assert status == 422
    assert console.changes.made == {}


async def test_without_the_pages_own_form_nothing_changes(console: ConsoleServer) -> None:
    got = await console.post("/settings", {"form_key": "0" * 64, "name": "timeout", "value": "1s"})
    assert got.status == 403
    got = await console.post(
        "/settings",
        {"form_key": await console.form_key(), "name": "timeout", "value": "1s"},
        headers={"Origin": "http://evil.example"},
    )
    assert got.status == 403
    assert console.changes.made == {}


async def test_who_reads_with_the_token_changes_nothing(console: ConsoleServer) -> None:
    bearer = {"Authorization": f"Bearer {console.door.token}"}
    console.client.cookie_jar.clear()
    status, text = await console.get("/settings", headers=bearer)
    assert (status, "<form" in text.partition("<main")[2]) == (200, False)
    got = await console.post("/settings", {"name": "timeout", "value": "1s"}, headers=bearer)
    assert got.status == 403


async def test_the_configuration_is_read_again(start_console: StartConsole) -> None:
    async with start_console(reread={"timeout": "9s"}) as console:
        await console.log_in()
        got = await console.post("/settings/reload", {"form_key": await console.form_key()})
        assert (got.status, console.changes.settings[TIMEOUT]) == (303, 9000)
    async with start_console(reread={"nonsense": "9s"}) as console:
        await console.log_in()
        got = await console.post("/settings/reload", {"form_key": await console.form_key()})
        assert got.status == 422
        assert "Nothing was changed: unknown setting 'nonsense'" in plain(await got.text()).replace(
            "&#39;", "'"
        )


@pytest.mark.asyncio(loop_scope="session")
async def test_a_setting_is_changed_by_keyboard(browser: Browser, start_console: StartConsole) -> None:
    async with start_console() as console:
        page, complaints = await entered(browser, console)
        await page.goto(console.door.url + "settings#notices")
        await page.locator("#notices summary").focus()
        await page.keyboard.press("Enter")
        await page.keyboard.press("Tab")
        await page.keyboard.press("ControlOrMeta+a")
        await page.keyboard.type("off")
        await page.keyboard.press("Enter")
        await page.get_by_text("changed here until restart, by (console)").wait_for()
        assert set(console.changes.made) == {"notices"}
        assert complaints == []
