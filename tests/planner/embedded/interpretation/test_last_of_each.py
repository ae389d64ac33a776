"""The last date of what each has is a date of theirs, and not one of its owner."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation


@pytest.fixture
def shop(make_table: Callable[..., Relation]) -> Catalog:
    customers = make_table(1, "customers", "id:id first_name:text last_name:text created_at:time")
    orders = make_table(2, "orders", "id:id customer_id:id created_at:time", keys={"customer_id": 1})
    return Catalog((customers, orders))


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("last order date per customer", "max(o.created_at)"),
        ("latest order date of each customer", "max(o.created_at)"),
        ("first order date by customer", "min(o.created_at)"),
        ("date of the last order of each customer", "max(o.created_at)"),
        ("when did each customer last order?", "max(o.created_at)"),
        ("customers with the date of their last order", "max(o.created_at)"),
    ],
)
async def test_both_have_a_date_of_that_name(
    question: str, shown: str, shop: Catalog, plan: Callable[..., ExpertContext]
) -> None:
    best = (await EmbeddedEngine().propose(plan(question, shop, {})))[0]
    assert best.sql.startswith(f"SELECT c.first_name, c.last_name, {shown} AS ")
    assert " GROUP BY c.id, c.first_name, c.last_name " in best.sql
    assert best.confidence is not None
    assert best.confidence > 0.7


async def test_what_stands_beside_the_last_date_is_of_its_row(
    make_table: Callable[..., Relation], plan: Callable[..., ExpertContext]
) -> None:
    meters = make_table(1, "meters", "id:id name:text")
    readings = make_table(
        2, "readings", "id:id meter_id:id reading_date:date reading_value:money", keys={"meter_id": 1}
    )
    catalog = Catalog((meters, readings))
    best = (
        await EmbeddedEngine().propose(plan("latest reading date and value for each meter", catalog, {}))
    )[0]
    assert best.sql.startswith("SELECT name, reading_date, reading_value FROM (")
    assert "rank() OVER (PARTITION BY m.id ORDER BY r.reading_date DESC) AS place" in best.sql
    assert best.confidence is not None
    assert best.confidence > 0.7
