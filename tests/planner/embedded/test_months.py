"""Figures of months: what all rows of a month come to, and what does not add up to any."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

VALUES = {("orders", "channel"): ["web", "phone"], ("customers", "country"): ["Germany", "France"]}


@pytest.fixture
def catalog(make_table):
    """Orders by channel with their lines, products with a warranty, and reviews."""
    orders = "id:id customer_id:id channel:text gift:bool ordered_at:time"
    lines = "order_id:id product_id:id quantity:int amount:money"
    return Catalog(
        (
            make_table(1, "customers", "id:id name:text country:text"),
            make_table(2, "orders", orders, keys={"customer_id": 1}),
            make_table(3, "products", "id:id name:text warranty_months:int weight_kg:money launched_on:date"),
            make_table(4, "order_lines", lines, keys={"order_id": 2, "product_id": 3}),
            make_table(
                5, "reviews", "id:id product_id:id rating:int written_on:date", keys={"product_id": 3}
            ),
            make_table(6, "shifts", "id:id hours:int worked_on:date"),
        )
    )


async def _first(question, plan, catalog):
    return (await EmbeddedEngine().propose(plan(question, catalog, VALUES)))[0]


SUM = "(SELECT sum(ol.amount)"
COUNT = "(SELECT count(*)"


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("average monthly web revenue", ("avg(n)", SUM, "channel = 'web'")),
        ("highest monthly revenue from Germany", ("max(n)", SUM, "country = 'Germany'")),
        ("lowest weekly revenue from web orders in 2024", ("min(n)", SUM, "'web'", "'2024-01-01'", "'week'")),
        ("average daily orders of customers from Germany", ("avg(n)", COUNT, "'Germany'", "'day'")),
        ("highest monthly number of web orders", ("max(n)", COUNT, "channel = 'web'")),
        ("average number of web orders per month", ("avg(n)", COUNT, "channel = 'web'")),
        ("average revenue from web orders per month", ("avg(n)", SUM, "channel = 'web'")),
        ("average monthly gift revenue", ("avg(n)", SUM, "gift = true")),
        ("monthly average revenue from the web channel", ("avg(n)", SUM, "channel = 'web'")),
        ("highest monthly hours of shifts", ("max(n)", "(SELECT sum(hours)")),
        ("monthly average rating", ("AS month, avg(rating)",)),
    ],
)
async def test_rows_of_a_month_come_to_one_figure(question, parts, plan, catalog):
    """'average monthly web revenue' averaged the lines of all orders by the web."""
    found = await _first(question, plan, catalog)
    assert all(part in found.sql for part in parts), found.sql
    assert not found.uncovered


@pytest.mark.parametrize(
    "question",
    [
        "highest monthly warranty months",
        "average monthly warranty months",
        "highest monthly weight of products",
        "highest monthly rating",
    ],
)
async def test_what_does_not_add_up_comes_to_nothing_in_a_month(question, plan, catalog):
    found = await _first(question, plan, catalog)
    assert "monthly" in found.uncovered, found.sql
    assert found.signals["bearing"]
