"""What is shown, counted and ranked: two numbers at once, parts as bounds, who began first, lists by name."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from askwire.core.errors import BeyondEngine
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., ExpertContext]
MakeTable = Callable[..., Relation]

VALUES = {
    ("orders", "status"): ["paid", "cancelled", "shipped"],
    ("events", "category"): ["concert", "match"],
    ("visits", "state"): ["held", "missed"],
}


@pytest.fixture
def shop(make_table: MakeTable) -> Catalog:
    """Orders, their payments, and parcels."""
    order = "id:id customer_id:id status:text total:money created_at:time"
    return Catalog(
        (
            make_table(1, "customers", "id:id first_name:text last_name:text created_at:time"),
            make_table(2, "categories", "id:id name:text"),
            make_table(
                3,
                "products",
                "id:id category_id:id name:text brand:text price:money",
                keys={"category_id": 2},
            ),
            make_table(4, "orders", order, keys={"customer_id": 1}),
            make_table(5, "parcels", "id:id order_id:id shipped_at:time", keys={"order_id": 4}),
            make_table(6, "payments", "id:id order_id:id amount:money paid_at:time", keys={"order_id": 4}),
        )
    )


@pytest.fixture
def agency(make_table: MakeTable) -> Catalog:
    """Visits of carers, whose share of the revenue is kept, and how long a service lasts."""
    return Catalog(
        (
            make_table(
                1, "carers", "id:id name:text area:text hired_on:date left_on:date? revenue_share:money"
            ),
            make_table(2, "services", "id:id name:text default_minutes:int"),
            make_table(3, "clients", "id:id name:text start_date:date"),
            make_table(
                4,
                "visits",
                "id:id carer_id:id service_id:id client_id:id state:text started_at:time",
                keys={"carer_id": 1, "service_id": 2, "client_id": 3},
            ),
            make_table(5, "invoices", "id:id visit_id:id amount:money billed_on:date", keys={"visit_id": 4}),
        )
    )


async def _first(question: str, plan: Plans, catalog: Catalog) -> str:
    return (await EmbeddedEngine().propose(plan(question, catalog, VALUES)))[0].sql


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("customers by last name", "SELECT first_name, last_name FROM customers ORDER BY last_name"),
        (
            "customers by last name and first name",
            "SELECT first_name, last_name FROM customers ORDER BY last_name, first_name",
        ),
        (
            "cheapest product per brand and category",
            "rank() OVER (PARTITION BY c.id, p.brand ORDER BY p.price)",
        ),
        ("number of paid and cancelled orders", "SELECT status, count(*) "),
        ("number of paid or cancelled orders", "SELECT count(*) FROM orders"),
        (
            "how many customers and how many products",
            "SELECT count(*) AS number_of_customers, (SELECT count(*) ",
        ),
        (
            "customers with more than half of their orders cancelled",
            "HAVING 100.0 * count(*) FILTER (WHERE o.status = 'cancelled') / nullif(count(*), 0) > 50",
        ),
        ("customers with a total over 1000", "HAVING sum(o.total) > 1000"),
        ("orders with a total over 1000", "FROM orders WHERE total > 1000"),
        (
            "orders placed in 2023 and shipped in 2024",
            "WHERE p.shipped_at >= '2024-01-01' AND p.shipped_at < '2025-01-01' AND o.created_at >= ",
        ),
    ],
)
async def test_in_a_shop(question: str, sql: str, plan: Plans, shop: Catalog) -> None:
    assert sql in await _first(question, plan, shop)


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("longest serving carer", "SELECT name FROM carers ORDER BY hired_on LIMIT 1"),
        ("the 3 longest-serving carers", "SELECT name FROM carers ORDER BY hired_on LIMIT 3"),
        ("total revenue per carer", "sum(i.amount) "),
        ("revenue share per carer", "revenue_share"),
        (
            "carers with at least 10% of their visits missed",
            "HAVING 100.0 * count(*) FILTER (WHERE v.state = 'missed') / nullif(count(*), 0) >= 10",
        ),
        ("visits and revenue per carer", "count(DISTINCT v.id) AS number_of_visits, sum(i.amount) "),
        ("visits and revenue per carer", "LEFT JOIN invoices AS i"),
        ("carer of each visit in 2024", "SELECT v.id, c.name FROM visits AS v JOIN carers AS c "),
    ],
)
async def test_at_an_agency(question: str, sql: str, plan: Plans, agency: Catalog) -> None:
    assert sql in await _first(question, plan, agency)


@pytest.mark.parametrize("question", ["how many orders and how many parcels in 2024"])
async def test_two_counts_at_one_time_are_never_sure(question: str, plan: Plans, shop: Catalog) -> None:
    with suppress(BeyondEngine):
        for candidate in await EmbeddedEngine().propose(plan(question, shop, VALUES)):
            assert (candidate.confidence or 0) < 0.65, candidate.sql


async def test_a_plural_value_is_the_rows_of_its_kind(plan: Plans, make_table: MakeTable) -> None:
    """Performances are only something like concerts."""
    hall = Catalog(
        (
            make_table(1, "events", "id:id title:text category:text"),
            make_table(2, "performances", "id:id event_id:id starts_at:time", keys={"event_id": 1}),
            make_table(
                3, "sales", "id:id performance_id:id amount:money sold_at:time", keys={"performance_id": 2}
            ),
        )
    )
    assert "WHERE e.category = 'concert'" in await _first("top 3 concerts by revenue", plan, hall)
