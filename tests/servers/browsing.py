"""A browser at a console: a page that is logged in, and what axe-core finds on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from servers.running_console import ConsoleServer

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page


_VIOLATIONS = """
axe.run({resultTypes: ['violations']}).then(r => r.violations.map(v => `${v.id}: ${v.nodes[0].html}`))
"""


async def entered(browser: Browser, console: ConsoleServer, **how: Any) -> tuple[Page, list[str]]:
    """A page that is logged in by the link of the start, and the errors that its browser tells of.

    `how` is what Playwright's new_context takes.
    """
    page = await (await browser.new_context(**how)).new_page()
    complaints: list[str] = []
    page.on("console", lambda told: complaints.append(told.text) if told.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    await page.goto(console.door.link)
    return page, complaints


async def violations(page: Page) -> list[str]:
    """The rules of axe-core that a page breaks, each with the first element that does, all details open."""
    from axe_playwright_python.base import AXE_SCRIPT  # noqa: PLC0415 - only where there is a browser

    await page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    await page.evaluate(AXE_SCRIPT)
    told = await page.evaluate(_VIOLATIONS)
    return list(told)
