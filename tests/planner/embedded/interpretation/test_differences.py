"""Totals and differences of things that have one amount of money are of that amount."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., ExpertContext]
VALUES = {
    ("payments", "status"): ("captured", "failed"),
    ("orders", "status"): ("cancelled", "paid"),
    ("products", "category"): ("Hats", "Shoes"),
}


@pytest.fixture
def shop(make_table: Callable[..., Relation]) -> Catalog:
    order = "id:id status:text subtotal:money discount:money total:money created_at:time"
    return Catalog(
        (
            make_table(1, "orders", order),
            make_table(
                2,
                "payments",
                "id:id order_id:id status:text amount_cents:int created_at:time",
                keys={"order_id": 1},
            ),
            make_table(3, "products", "id:id name:text category:text"),
            make_table(
                4,
                "order_items",
                "id:id order_id:id product_id:id quantity:int unit_price:money",
                keys={"order_id": 1, "product_id": 3},
            ),
            make_table(5, "reviews", "id:id product_id:id created_at:time", keys={"product_id": 3}),
        )
    )


@pytest.mark.parametrize(
    ("question", "figure"),
    [
        ("total captured payments", "SELECT sum(amount_cents) FROM payments WHERE status = 'captured'"),
        ("how much did payments fall from 2024 to 2025", "coalesce(sum(amount_cents) FILTER (WHERE"),
        ("how much did reviews rise from 2024 to 2025", "SELECT count(*) FILTER (WHERE"),
        ("how many more payments were there in 2025 than in 2024", "SELECT count(*) FILTER (WHERE"),
        ("total cancelled orders", "SELECT sum(total) FROM orders WHERE status = 'cancelled'"),
        (
            "how many more units were sold in Hats than in Shoes",
            "SELECT coalesce(sum(oi.quantity) FILTER (WHERE p.category = 'Hats'), 0) - coalesce(sum(",
        ),
    ],
)
async def test_what_there_is_so_much_of_is_added_up(
    question: str, figure: str, shop: Catalog, plan: Plans
) -> None:
    first = (await EmbeddedEngine().propose(plan(question, shop, VALUES)))[0]
    assert figure in first.sql
    assert not first.uncovered


async def test_how_many_more_is_no_average_of_prices(shop: Catalog, plan: Plans) -> None:
    question = "how many more unit prices are there in Hats than in Shoes"
    for candidate in await EmbeddedEngine().propose(plan(question, shop, VALUES)):
        assert "avg(" not in candidate.sql


def discounts(year: int) -> str:
    """What the discounts of a year come to."""
    within = f"created_at >= '{year}-01-01' AND created_at < '{year + 1}-01-01'"
    return f"sum(discount) FILTER (WHERE {within})"


GROWN = f"100.0 * (coalesce({discounts(2025)}, 0) - {discounts(2024)}) / nullif({discounts(2024)}, 0)"


@pytest.mark.parametrize(
    "question",
    [
        "percent change in discounts from 2024 to 2025",
        "what was the percentage change in discounts between 2024 and 2025",
        "% increase of discounts from 2024 to 2025",
        "by what percentage did the discounts grow from 2024 to 2025?",
        "discounts growth from 2024 to 2025",
        "how much did the discounts grow from 2024 to 2025 in percent",
        "what percentage difference in discounts between 2024 and 2025",
    ],
)
async def test_a_change_in_percent_is_one_of_the_earlier(question: str, shop: Catalog, plan: Plans) -> None:
    """A status that begins with the word is not what changed."""
    values = {**VALUES, ("orders", "status"): ("changed by phone", "paid")}
    first = (await EmbeddedEngine().propose(plan(question, shop, values)))[0]
    assert first.sql.startswith(f"SELECT {GROWN}")
    assert "change in percent of total orders.discount" in str(first.reading)
    assert not first.uncovered


@pytest.mark.parametrize(
    "question",
    [
        "by what percentage did the discounts fall from 2024 to 2025?",
        "by what percentage did the discounts go down from 2024 to 2025?",
        "percentage decrease in the discounts from 2024 to 2025",
    ],
)
async def test_a_fall_is_told_in_percent_of_what_it_had_been(
    question: str, shop: Catalog, plan: Plans
) -> None:
    first = (await EmbeddedEngine().propose(plan(question, shop, VALUES)))[0]
    was, then = (
        f"sum(discount) FILTER (WHERE created_at >= '{year}-01-01' AND created_at < '{year + 1}-01-01')"
        for year in (2024, 2025)
    )
    assert (
        first.sql == f"SELECT 100.0 * ({was} - coalesce({then}, 0)) / nullif({was}, 0) AS percent FROM orders"
    )
    assert "fall in percent of total orders.discount from that where" in str(first.reading)
    assert not first.uncovered


@pytest.mark.parametrize(
    ("question", "beginning"),
    [
        ("percent change in discounts between 2025 and 2024", f"SELECT {GROWN}"),
        ("percent difference in discounts between 2025 and 2024", f"SELECT {GROWN}"),
        (
            "percent change in units sold from Hats to Shoes",
            "SELECT 100.0 * (coalesce(sum(oi.quantity) FILTER (WHERE p.category = 'Shoes'), 0) - ",
        ),
    ],
)
async def test_the_later_or_the_second_is_less_the_other(
    question: str, beginning: str, shop: Catalog, plan: Plans
) -> None:
    first = (await EmbeddedEngine().propose(plan(question, shop, VALUES)))[0]
    assert first.sql.startswith(beginning)
