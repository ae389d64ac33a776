"""Asking in a real browser: by keyboard, on a phone, with hostile data, and as axe-core judges it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Literal

import pytest
import pytest_asyncio
from doubles.scripted_expert import Says
from servers.asking_console import SECRET, AskingConsole, asking_console, pets_console
from servers.browsing import violations
from servers.running_proxy import OwnDatabase

from askwire.planner.expert import ExpertContext

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

pytestmark = pytest.mark.asyncio(loop_scope="session")
LOOKS = [("light", 360), ("dark", 1280)]
WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
HELD = "document.activeElement && document.activeElement.id"
BARS = """Array.from(document.querySelectorAll('.barrow'), (row) => {
  const box = (name) => row.querySelector(name).getBoundingClientRect();
  const [label, line] = [box('.barlabel'), box('.barline')];
  return [Math.round(line.width), Math.round(line.top - label.top), Math.round(line.height)];
})"""
"""For each bar the width of its track, how far below the label's top it begins, and its height."""
EVIL = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>"


@pytest_asyncio.fixture(loop_scope="session")
async def console(zoo: OwnDatabase) -> AsyncIterator[AskingConsole]:
    """A console where people ask, on the loop of the browser."""
    async with pets_console(zoo) as running:
        yield running


@asynccontextmanager
async def signed_in(
    browser: Browser, console: AskingConsole, zoo: OwnDatabase, **how: Any
) -> AsyncIterator[tuple[Page, list[str]]]:
    """A page on which somebody has signed in by keyboard alone, and what its browser complains of."""
    context = await browser.new_context(**how)
    page = await context.new_page()
    complaints: list[str] = []
    page.on("console", lambda told: complaints.append(told.text) if told.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    # the link of the start lets in once: the token always does
    await page.goto(console.door.url + "login")
    await page.locator("#token:focus").wait_for()
    await page.keyboard.type(console.door.token)
    await page.keyboard.press("Enter")
    await page.wait_for_url(console.door.url)
    await page.goto(console.door.url + "ask")
    await page.locator("#user:focus").wait_for()
    for words in ("by_scram", zoo.name, SECRET):
        await page.keyboard.type(words)
        await page.keyboard.press("Tab" if words != SECRET else "Enter")
    await ready(page)
    yield page, complaints
    await context.close()


async def ready(page: Page) -> None:
    """The box has the focus, and its script runs: before that Enter only new line."""
    await page.locator("#question:focus").wait_for()
    await page.wait_for_load_state("domcontentloaded")


async def asked(page: Page, question: str, number: int, key: str = "Enter") -> str:
    """Ask by keyboard, and wait: the text of the answer."""
    await ready(page)
    await page.keyboard.type(question)
    await page.keyboard.press(key)
    answer = page.locator(f"#a{number}:not([data-busy])")
    await answer.wait_for()
    return await answer.inner_text()


async def test_the_keyboard_is_enough(browser: Browser, console: AskingConsole, zoo: OwnDatabase) -> None:
    gate = asyncio.Event()

    async def forever(_planning: ExpertContext) -> list[str]:
        gate.set()
        await asyncio.Event().wait()
        return []

    console.asked.expert.on("slow", forever)
    async with signed_in(browser, console, zoo) as (page, complaints):
        assert "Ada" in await asked(page, "dogs", 1)
        assert await page.evaluate(HELD) == "question", "the focus stays in the box"
        assert "Tom" in await asked(page, "cats", 2, "Control+Enter")
        assert await page.locator("#news").inner_text() == "Question 2: 1 row"
        await page.keyboard.press("ArrowUp")
        assert await page.locator("#question").input_value() == "cats"
        await page.locator("#question").fill("")
        await page.keyboard.type("slow")
        await page.keyboard.press("Enter")
        await page.locator("#a3[data-state=running]").wait_for()
        await gate.wait()
        await page.keyboard.press("Escape")
        await page.locator("#a3:not([data-busy])").wait_for()
        assert "57014" in await page.locator("#a3").inner_text()
        await page.get_by_role("button", name="Question 2: right").focus()
        await page.keyboard.press("Enter")
        await page.locator("#a2 >> text=You said: right").wait_for()
        await page.locator("body").click(position={"x": 1, "y": 1})
        await page.evaluate("document.activeElement.blur()")
        await page.keyboard.press("/")
        assert await page.evaluate(HELD) == "question"
        assert await page.locator("#question").input_value() == "", "the key itself is not typed"
        assert complaints == []


async def test_shift_enter_begins_a_line(browser: Browser, console: AskingConsole, zoo: OwnDatabase) -> None:
    console.asked.expert.answers("two\nlines", "SELECT count(*) AS n FROM pets")
    async with signed_in(browser, console, zoo) as (page, _):
        await page.keyboard.type("two")
        await page.keyboard.press("Shift+Enter")
        assert "3" in await asked(page, "lines", 1)


async def test_answers_come_in_the_order_of_questions(
    browser: Browser, console: AskingConsole, zoo: OwnDatabase
) -> None:
    async with signed_in(browser, console, zoo) as (page, complaints):
        for question in ("dogs", "cats", "dogs"):
            await page.keyboard.type(question)
            await page.keyboard.press("Enter")
        await page.locator("#a3:not([data-busy])").wait_for()
        shown = await page.locator("article h2").all_inner_texts()
        assert shown == ["dogs", "cats", "dogs"]
        assert await page.locator("article").evaluate_all("all => all.map(a => a.id)") == ["a3", "a2", "a1"]
        assert complaints == []


async def test_hostile_data_does_nothing(browser: Browser, console: AskingConsole, zoo: OwnDatabase) -> None:
    with zoo.owner() as connection:
        connection.execute("INSERT INTO hostile VALUES (%s, 1), (%s, 2)", (EVIL, EVIL + "2"))
    column = "<svg onload=alert(1)>"
    console.asked.expert.answers(EVIL, f'SELECT cell AS "{column}", number FROM hostile')
    async with signed_in(browser, console, zoo) as (page, complaints):
        text = await asked(page, EVIL, 1)
        assert text.count("onerror") >= 4, "in the question, the chart and the rows"
        assert column in text
        assert await page.title() != "taken"
        assert await page.locator("article img, article script, article svg[onload]").count() == 0
        await page.reload()
        assert await page.title() != "taken"
        assert complaints == []


async def test_a_refusal_is_resolved_by_click(
    browser: Browser, console: AskingConsole, zoo: OwnDatabase
) -> None:
    console.asked.experts = (
        Says("one", "SELECT name FROM pets WHERE kind = 'dog'"),
        Says("two", "SELECT name FROM pets WHERE kind = 'cat'"),
    )
    async with signed_in(browser, console, zoo) as (page, complaints):
        assert "NL001" in await asked(page, "animals", 1)
        await page.get_by_role("button", name="Compare readings of question 1").click()
        await page.get_by_text("SQL of reading 2").wait_for()
        await page.locator("#a1:not([data-busy])").wait_for()
        await page.get_by_role("button", name="Use this one: reading 2").click()
        await page.get_by_text("You said: this reading").wait_for()
        assert "NL001" not in await page.locator("#a1").inner_text()
        assert complaints == []


async def test_the_whole_history_is_judged_after_signing_out(
    browser: Browser, console: AskingConsole, zoo: OwnDatabase
) -> None:
    console.asked.expert.answers("each dog", "SELECT name FROM pets WHERE kind = 'dog'")
    async with signed_in(browser, console, zoo) as (page, complaints):
        await asked(page, "each dog", 1)
        await page.get_by_role("button", name="Sign out").click()
        await page.locator("#password:focus").wait_for()
        assert await page.locator("#user").input_value() == "by_scram"
        await page.keyboard.type(SECRET)
        await page.keyboard.press("Enter")
        await page.get_by_role("link", name="My questions").click()
        await page.get_by_role("link", name="each dog").click()
        await page.get_by_role("button", name="Right", exact=True).click()
        await page.get_by_text("Feedback:").wait_for()
        assert complaints == []


async def test_a_page_whose_session_has_ended_shows_no_rows(
    browser: Browser, console: AskingConsole, zoo: OwnDatabase
) -> None:
    async with signed_in(browser, console, zoo) as (page, _):
        await asked(page, "dogs", 1)
        console.patience.now += 3600
        await page.keyboard.type("cats")
        await page.keyboard.press("Enter")
        await page.get_by_text("You are signed out").wait_for()
        assert await page.locator("text=Ada").count() == 0


async def test_a_page_that_nobody_uses_finds_out_that_its_session_has_ended(
    browser: Browser, zoo: OwnDatabase
) -> None:
    async with asking_console(zoo, console_ask_idle="1s") as console:
        console.asked.expert.answers("dogs", "SELECT name FROM pets WHERE kind = 'dog'")
        async with signed_in(browser, console, zoo) as (page, complaints):
            assert "Ada" in await asked(page, "dogs", 1)
            console.patience.now += 2
            await page.get_by_text("You are signed out").wait_for()
            assert await page.locator("text=Ada").count() == 0
            assert complaints == []


async def test_without_scripts_people_ask_as_well(
    browser: Browser, console: AskingConsole, zoo: OwnDatabase
) -> None:
    async with signed_in(browser, console, zoo, java_script_enabled=True) as (page, _):
        state = await page.context.storage_state()
    plain = await (await browser.new_context(java_script_enabled=False, storage_state=state)).new_page()
    await plain.goto(console.door.url + "ask")
    await plain.locator("#question").fill("dogs")
    await plain.get_by_role("button", name="Ask", exact=True).click()
    await plain.get_by_text("Ada").wait_for()
    await plain.get_by_role("button", name="Question 1: wrong").click()
    await plain.get_by_text("You said: wrong").wait_for()


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
async def test_no_page_breaks_a_rule_or_is_wider_than_its_screen(
    browser: Browser,
    console: AskingConsole,
    zoo: OwnDatabase,
    scheme: Literal["light", "dark"],
    width: int,
) -> None:
    expert = console.asked.expert
    expert.answers("kilos", "SELECT day, kilos FROM weights")
    kinds = "SELECT kind, 10 ^ (6 * count(*)) AS much FROM pets GROUP BY kind"
    expert.answers("kinds", kinds, "SELECT name, id FROM pets")
    expert.answers("numbers", "SELECT id AS n, length(name) AS l FROM pets")
    expert.answers("wide", "SELECT " + ", ".join(f"'{'x' * 40}' AS c{n}" for n in range(12)) + " FROM pets")
    look: dict[str, Any] = {"color_scheme": scheme, "viewport": {"width": width, "height": 800}}
    async with signed_in(browser, console, zoo, bypass_csp=True, **look) as (page, _):
        asked_for: list[str] = []
        page.on("request", lambda request: asked_for.append(request.url))
        broken = {}
        for number, question in enumerate(("kilos", "kinds", "numbers", "wide", "x" * 200), 1):
            await asked(page, question, number)
        await page.get_by_role("button", name="Compare readings of question 2").click()
        await page.locator("#a2 .reading-card").first.wait_for()
        await page.locator("#a2:not([data-busy])").wait_for()
        broken["answers"] = await violations(page)
        assert await page.locator("figure.chart").count() >= 3
        tracks = await page.evaluate(BARS)
        assert len(tracks) >= 2
        assert len({width for width, _, _ in tracks}) == 1, "bars are compared by their length"
        assert all(0 <= below <= 30 and height >= 5 for _, below, height in tracks), "each at its label"
        for path in ("ask", "ask/history"):
            await page.goto(console.door.url + path)
            broken[path] = await violations(page)
            assert await page.evaluate(WIDE) == 0, path
        await page.get_by_role("link", name="kinds").first.click()
        await page.locator("#feedback").wait_for()
        broken["one"] = await violations(page)
        await page.goto(console.door.url + "ask")
        await page.get_by_role("button", name="Sign out").click()
        broken["sign in"] = await violations(page)
        await page.locator("#password").fill("wrong")
        await page.keyboard.press("Enter")
        await page.get_by_role("alert").wait_for()
        broken["refused"] = await violations(page)
        assert await page.evaluate(WIDE) == 0
    assert {path: found for path, found in broken.items() if found} == {}
    assert all(url.startswith(console.door.url) for url in asked_for), "nothing comes from elsewhere"
