"""Numbers with a fraction are rounded where the question says so; counts, names and times stay."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.rendering.rounding import to_places
from askwire.sql.catalog import Catalog


@pytest.fixture
def market(make_table):
    stalls = make_table(1, "stalls", "stall_id:id town:text rent:money size:int opened:date closed:date?")
    return Catalog((stalls,))


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "average rent per town, rounded to 2 decimals",
            "SELECT town, round(avg(rent)::numeric, 2) AS average_rent FROM stalls GROUP BY town",
        ),
        ("average size of the stalls as an integer", "SELECT round(avg(size)::numeric) FROM stalls"),
        ("total rent, rounded to 1 decimal", "SELECT round(sum(rent)::numeric, 1) FROM stalls"),
        ("total size, rounded to 1 decimal", "SELECT sum(size) FROM stalls"),
        ("how many stalls are there, rounded to 1 decimal", "SELECT count(*) FROM stalls"),
        (
            "average days between opened and closed, rounded to 1 decimal place",
            "SELECT round(avg(closed - opened)::numeric, 1) FROM stalls",
        ),
        ("list the different rents, rounded to 1 decimal", "SELECT DISTINCT rent FROM stalls"),
        (
            "stalls with a rent above the average, rounded to 1 decimal",
            "WHERE rent > (SELECT avg(rent) FROM stalls)",
        ),
    ],
)
async def test_what_is_rounded(question, sql, market, plan):
    found = await EmbeddedEngine().propose(plan(question, market))
    assert sql in found[0].sql, found[0].sql


async def test_an_average_of_counts_is_rounded(plan):
    found = await EmbeddedEngine().propose(plan("average number of orders per customer, to 1 decimal place"))
    assert found[0].sql.startswith("SELECT round(avg(n)::numeric, 1) FROM (SELECT count(")


async def test_the_reading_says_so(market, plan):
    found = await EmbeddedEngine().propose(plan("average rent per town, to 2 decimal places", market))
    assert found[0].reading.endswith(", rounded to 2 decimals")
    found = await EmbeddedEngine().propose(plan("average rent per town as an integer", market))
    assert found[0].reading.endswith(", rounded to whole numbers")


def test_what_is_no_call_is_in_brackets():
    assert to_places("avg(x)", 2) == "round(avg(x)::numeric, 2)"
    assert to_places("100.0 * a / b", 0) == "round((100.0 * a / b)::numeric)"
