"""The measurement of asking measures what it says it does."""

from __future__ import annotations

import pytest
from servers.running_proxy import OwnDatabase

from askwire.proxy.session.statements.own_connection import read_target


@pytest.mark.usefixtures("browser_path")
async def test_first_paint_work_and_rows_are_measured(zoo: OwnDatabase) -> None:
    measuring = pytest.importorskip("measuring.questions")
    found = await measuring.measure(read_target(zoo.dsn(), {}), ["how many pets are there"], 2)
    assert found["first_paint_ms"] > 0
    for when in ("worked_out", "pinned"):
        (times,) = found[when].values()
        assert 0 < times["work"] <= times["rows"], when
