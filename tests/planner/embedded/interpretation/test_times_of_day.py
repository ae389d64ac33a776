"""How long something took by times of the day: over midnight as well, and never against a certain day."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.logical_form.expressions import span
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Column, Relation

LASTED = "mod(extract(epoch FROM end_time - start_time) + 86400, 86400)"


@pytest.fixture
def rota() -> Catalog:
    """Shifts with a day, and when they began and ended on the clock."""
    of_day = "time without time zone"
    columns = (
        Column("id", "integer", 23, "N", 1, not_null=True),
        Column("start_time", of_day, 1083, "D", 2, not_null=True),
        Column("end_time", of_day, 1083, "D", 3, not_null=True),
        Column("shift_date", "date", 1082, "D", 4, not_null=True),
    )
    return Catalog((Relation(1, "public", "shifts", "r", columns, ("id",), (), (), "", 100, True),))


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("average shift length in hours", f"SELECT avg({LASTED} / 3600) FROM shifts"),
        ("shifts longer than 8 hours", f"SELECT id FROM shifts WHERE {LASTED} / 3600 > 8"),
        (
            "days since the last shift",
            "SELECT current_date - max(shift_date)::date AS max_shift_date FROM shifts",
        ),
    ],
)
async def test_times_of_the_day_are_no_dates(
    question: str, sql: str, plan: Callable[..., ExpertContext], rota: Catalog
) -> None:
    assert (await EmbeddedEngine().propose(plan(question, rota, {})))[0].sql == sql


def test_zones_do_not_stand_in_the_way() -> None:
    assert span(("a", "timetz"), ("b", "time without time zone"), "minute") == (
        "mod(extract(epoch FROM a::time - b) + 86400, 86400) / 60"
    )
