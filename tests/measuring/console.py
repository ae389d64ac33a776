"""The figures of the console: times, sizes, first paint, accessibility.

    PYTHONPATH=.typing:tests python tests/measuring/console.py --asks 10000
    PYTHONPATH=.typing:tests python tests/measuring/console.py --browser --axe

Owns: the measurement and its command line. A browser is driven by Playwright where it is asked for. The last
line on standard output is one JSON object of figures.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Literal

from aiohttp import ClientSession, CookieJar
from data.console_filling import SHOWN, fill
from servers import chromium
from servers.running_console import StillServer

from askwire.core.settings.table import load
from askwire.proxy.console.console import Console, Door
from askwire.proxy.console.desk import Sources
from askwire.proxy.memory.expert_weights import ExpertWeights
from askwire.proxy.memory.live import Live
from askwire.proxy.memory.pins import Pins
from askwire.proxy.memory.reviewing import Reviews
from askwire.proxy.operations.changes import Changes
from askwire.store import SqliteStore
from askwire.store.retention import Retention

PAGES: Final = {
    "asks": "",
    "ask": f"asks/{SHOWN}",
    "history": "history",
    "search": "history?q=returns+2024",
    "search for nothing": "history?q=zebra",
    "pins": "pins",
    "glossary": "glossary",
    "experts": "experts",
    "settings": "settings",
}

_PAINT: Final = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
_LOOKS: Final[tuple[tuple[str, Literal["light", "dark"], int], ...]] = (
    ("light", "light", 1280),
    ("dark", "dark", 1280),
    ("phone", "light", 360),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print one JSON object of figures."""
    parser = argparse.ArgumentParser(description="Measure the console.")
    parser.add_argument("--asks", type=int, default=10_000, help="ASKs in the history (10000)")
    parser.add_argument("--times", type=int, default=9, help="how often each page is asked for (9)")
    parser.add_argument(
        "--browser",
        metavar="PATH",
        nargs="?",
        default="",
        const=chromium.find(),
        help="look with a Chromium, too: this one, or the one that tests use",
    )
    parser.add_argument("--axe", action="store_true", help="check accessibility there")
    parser.add_argument("--shots", type=Path, help="a folder for pictures")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(_measured(Path(folder) / "store.sqlite", chosen))
    sys.stdout.write(json.dumps(found) + "\n")
    return 0


async def _measured(path: Path, chosen: argparse.Namespace) -> dict[str, Any]:
    store = SqliteStore(path, retention=Retention(0, 0, 0), capacity=10 * chosen.asks)
    fill(store, chosen.asks)
    while store.status.waiting:  # noqa: ASYNC110 - another thread's doing
        await asyncio.sleep(0.05)
    settings = load({"console_listen": "127.0.0.1:0"})
    reviewing = Reviews(store, Pins(store, time.time), ExpertWeights(store, time.time), time.time)
    looked_at = Sources(Changes(StillServer(settings)), store, Live(time.time), reviewing, time.time)
    console = Console(looked_at, _reachable)
    door = await console.start()
    try:
        found: dict[str, Any] = {"asks": chosen.asks, "pages": await _pages(door, chosen.times)}
        if chosen.browser:
            found["browser"] = await asyncio.to_thread(_looked, door, chosen)
        return found
    finally:
        await console.stop()
        await store.close()


async def _reachable() -> str:
    return ""


async def _pages(door: Door, times: int) -> dict[str, Any]:
    """Per page: its size, its time on the clock, all processor time, and how long the loop was held up."""
    found: dict[str, Any] = {}
    jar = CookieJar(unsafe=True)
    async with ClientSession(headers={"Accept": "text/html"}, cookie_jar=jar) as client:
        await client.post(
            door.url + "login", data={"token": door.token}
        )  # anyone who logs in gets forms, too
        for name, path in PAGES.items():
            clock, cpu, held = [], [], []
            size = 0
            for _ in range(times):
                watch = _Watch()
                began, worked = time.perf_counter(), time.process_time()
                async with client.get(door.url + path) as got:
                    size = len(await got.read())
                    if got.status != 200:
                        raise RuntimeError(f"{name} answered {got.status}")
                clock.append(time.perf_counter() - began)
                cpu.append(time.process_time() - worked)
                held.append(await watch.stop())
            found[name] = {
                "bytes": size,
                "ms": round(1000 * statistics.median(clock), 1),
                "cpu_ms": round(1000 * statistics.median(cpu), 1),
                "loop_held_ms": round(1000 * statistics.median(held), 1),
            }
    return found


class _Watch:
    """How long the event loop let something else wait, at most."""

    def __init__(self) -> None:
        self._longest = 0.0
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(0.001)
            self._longest = max(self._longest, time.perf_counter() - began - 0.001)

    async def stop(self) -> float:
        """The longest wait, in seconds."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        return self._longest


def _looked(door: Door, chosen: argparse.Namespace) -> dict[str, Any]:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only where a browser is asked for

    if threading.current_thread() is threading.main_thread():
        raise RuntimeError("the console runs on this thread")
    paints: dict[str, list[float]] = {name: [] for name in PAGES}
    violations: list[str] = []
    overflowing: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chosen.browser, args=["--no-sandbox"])
        for look, scheme, width in _LOOKS:
            context = browser.new_context(
                color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True
            )
            page = context.new_page()
            page.goto(f"{door.url}login")
            page.fill("#token", door.token)
            page.keyboard.press("Enter")
            page.wait_for_url(door.url)
            for name, path in PAGES.items():
                page.goto(door.url + path)
                page.wait_for_function(f"{_PAINT} !== undefined")
                paints[name].append(page.evaluate(_PAINT))
                if page.evaluate(
                    "document.documentElement.scrollWidth > document.documentElement.clientWidth"
                ):
                    overflowing.append(f"{name}, {look}")
                page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
                if chosen.shots:
                    chosen.shots.mkdir(parents=True, exist_ok=True)
                    page.screenshot(path=chosen.shots / f"{name}-{look}.png", full_page=True)
                if chosen.axe:
                    page.evaluate(axe())
                    told = page.evaluate("axe.run().then(r => r.violations.map(v => v.id))")
                    violations += [f"{name}, {look}: {rule}" for rule in told]
            context.close()
        browser.close()
    return {
        "first_paint_ms": {name: round(statistics.median(found)) for name, found in paints.items()},
        "overflowing": overflowing,
        "axe_violations": violations if chosen.axe else None,
    }


def axe() -> str:
    """The script of axe-core."""
    from axe_playwright_python.base import AXE_SCRIPT  # noqa: PLC0415 - only where there is a browser

    return str(AXE_SCRIPT)


if __name__ == "__main__":
    sys.exit(main())
