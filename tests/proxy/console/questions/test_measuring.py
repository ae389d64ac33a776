"""The measurement of asking measures what it says it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from servers.running_proxy import OwnDatabase

from askwire.proxy.session.statements.own_connection import read_target

if TYPE_CHECKING:
    from playwright.async_api import Browser


async def test_first_paint_work_and_rows_are_measured(browser: Browser, zoo: OwnDatabase) -> None:
    measuring = pytest.importorskip("measuring.questions")
    await browser.close()
    found = await measuring.measure(read_target(zoo.dsn(), {}), ["how many pets are there"], 2)
    assert found["first_paint_ms"] > 0
    for when in ("worked_out", "pinned"):
        (times,) = found[when].values()
        assert 0 < times["work"] <= times["rows"], when
