"""How long somebody who asks in the console waits: for the page, for a sign of work, and for rows.

    PYTHONPATH=.typing:tests python tests/measuring/questions.py --dsn postgresql://ada@127.0.0.1/northwind \
        "number of products per category" "orders per month in 1997"

Owns: that measurement, with a whole askwire and its embedded engine in one process and a Chromium beside it.
Times are milliseconds of the page's own clock, from the key Enter to the frame that shows it. Each question
is asked `--times` times, in sessions of their own: it is worked out the first time, and pinned from then on.
The last line on standard output is one JSON object of figures.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from servers import chromium
from servers.running_console import StillServer

from askwire.core.settings.table import load
from askwire.proxy.console.console import Console, Door
from askwire.proxy.console.desk import Sources
from askwire.proxy.operations.changes import Changes
from askwire.proxy.resolver.resolver import AskResolver
from askwire.proxy.server import Server
from askwire.proxy.session.inner_door import Entrance
from askwire.proxy.session.statements.own_connection import Target, read_target

if TYPE_CHECKING:
    from playwright.async_api import Page

_PAINT: Final = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
_WATCH: Final = """
window.shown = {};
const note = (name) => requestAnimationFrame(() => { window.shown[name] ??= performance.now(); });
new MutationObserver(() => {
  const answer = document.querySelector('#answers article');
  if (answer && Number(answer.dataset.number) === window.awaited) {
    note('work');
    if (!answer.hasAttribute('data-busy')) note('rows');
  }
}).observe(document.getElementById('answers'), { childList: true, subtree: true });
document.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') window.shown.enter ??= performance.now();
}, true);
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print one JSON object of figures."""
    parser = argparse.ArgumentParser(description="Measure asking in the console.")
    parser.add_argument("--dsn", required=True, help="the database, and who asks")
    parser.add_argument("--times", type=int, default=5, help="how often each question is asked (5)")
    parser.add_argument("questions", nargs="+")
    chosen = parser.parse_args(arguments)
    if not chromium.find() or not chromium.drives():
        sys.stderr.write("there is no Chromium: python tests/servers/chromium.py gets one\n")
        return 1
    found = asyncio.run(measure(read_target(chosen.dsn, {}), chosen.questions, chosen.times))
    sys.stdout.write(json.dumps(found) + "\n")
    return 0


async def measure(target: Target, questions: Sequence[str], times: int) -> dict[str, Any]:
    """Figures of all questions; medians in milliseconds."""
    settings = load(
        {
            "backend": f"host={target.address.host} port={target.address.port} sslmode=disable",
            "listen": "127.0.0.1:0",
            "console_listen": "127.0.0.1:0",
        }
    )
    resolver = AskResolver(settings)
    await resolver.prepare()
    server = Server(settings, resolver)
    await server.start()
    sources = Sources(
        Changes(StillServer(settings)),
        resolver.memories.store,
        resolver.memories.history.live,
        resolver.memories.reviewing,
        time.time,
        lambda loopback: Entrance(server, loopback=loopback),
        resolver.memories.own_asks,
    )
    console = Console(sources, _reachable)
    door = await console.start()
    try:
        return await _looked(door, target, questions, times)
    finally:
        await console.stop()
        await server.stop()
        await resolver.close()


async def _reachable() -> str:
    return ""


async def _looked(door: Door, target: Target, questions: Sequence[str], times: int) -> dict[str, Any]:
    from playwright.async_api import async_playwright  # noqa: PLC0415 - only where there is a browser

    paints: list[float] = []
    first: dict[str, list[dict[str, float]]] = {question: [] for question in questions}
    pinned: dict[str, list[dict[str, float]]] = {question: [] for question in questions}
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium.find(), args=["--no-sandbox"])
        for turn in range(times):
            page = await (await browser.new_context()).new_page()
            await _sign_in(page, door, target)
            await page.goto(f"{door.url}ask")
            await page.wait_for_function(f"() => {_PAINT} !== undefined")
            paints.append(await page.evaluate(_PAINT))
            await page.evaluate(_WATCH)
            for number, question in enumerate(questions, 1):
                (pinned if turn else first)[question].append(await _asked(page, question, number))
            await page.context.close()
        await browser.close()
    return {
        "first_paint_ms": round(statistics.median(paints)),
        "worked_out": {question: found[0] for question, found in first.items()},
        "pinned": {question: _median(found) for question, found in pinned.items() if found},
    }


def _median(found: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: round(statistics.median(one[name] for one in found)) for name in found[0]}


async def _sign_in(page: Page, door: Door, target: Target) -> None:
    await page.goto(f"{door.url}login")
    await page.fill("#token", door.token)
    await page.keyboard.press("Enter")
    await page.wait_for_url(door.url)
    await page.goto(f"{door.url}ask")
    await page.fill("#user", target.user)
    await page.fill("#database", target.database)
    await page.fill("#password", target.password or "")
    await page.keyboard.press("Enter")
    await page.locator("#question").wait_for()
    # before the page's script runs, Enter only new line
    await page.wait_for_load_state("domcontentloaded")


async def _asked(page: Page, question: str, number: int) -> dict[str, float]:
    """When work and rows showed, in milliseconds after Enter."""
    await page.evaluate(f"window.shown = {{}}; window.awaited = {number}")
    await page.fill("#question", question)
    await page.keyboard.press("Enter")
    await page.wait_for_function("() => window.shown.rows !== undefined", timeout=120_000)
    shown = await page.evaluate("window.shown")
    return {name: round(shown[name] - shown["enter"]) for name in ("work", "rows")}


if __name__ == "__main__":
    sys.exit(main())
