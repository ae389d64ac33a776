"""Groups of which there are none are shown with a count of 0 where a question asks for them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.core.errors import AskError
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

JOINED = "FROM customers AS c LEFT JOIN orders AS o ON o.customer_id = c.id"


@pytest.fixture
def shop(make_table: Callable[..., Relation]) -> Catalog:
    return Catalog(
        (
            make_table(1, "customers", "id:id name:text"),
            make_table(
                2, "orders", "id:id customer_id:id ordered_on:date status:text", keys={"customer_id": 1}
            ),
            make_table(3, "returns", "id:id order_id:id reason:text", keys={"order_id": 2}),
        )
    )


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("number of orders per customer, including customers without orders", "count(o.id)"),
        ("How many orders does each customer have? Please include the ones without any.", "count(o.id)"),
        ("orders per customer, also those with none", "count(o.id)"),
        ("orders per customer, also empty ones", "count(o.id)"),
        ("orders per customer, including zero", "count(o.id)"),
        (
            "How many orders does each customer have? I want to see all customers, also those with none.",
            "count(o.id)",
        ),
        (
            "orders per customer in 2024, including customers with no orders",
            "count(o.id) FILTER (WHERE o.ordered_on >= '2024-01-01' AND o.ordered_on < '2025-01-01')",
        ),
    ],
)
async def test_they_are_shown(
    question: str, shown: str, shop: Catalog, plan: Callable[..., ExpertContext]
) -> None:
    best = (await EmbeddedEngine().propose(plan(question, shop, {})))[0]
    assert JOINED in best.sql
    assert best.sql.startswith(f"SELECT c.name, {shown}")
    assert "also of customers that have none" in best.reading
    assert not best.uncovered


async def test_without_such_a_clause_they_are_not(shop: Catalog, plan: Callable[..., ExpertContext]) -> None:
    best = (await EmbeddedEngine().propose(plan("orders per customer", shop, {})))[0]
    assert "LEFT JOIN" not in best.sql


@pytest.mark.parametrize(
    "question",
    [
        "number of orders per customer with returns, including customers without orders",
        "number of orders per customer, including customers with no returns",
        "number of orders per status, including customers without orders",
    ],
)
async def test_of_other_rows_none_is_sure(
    question: str, shop: Catalog, plan: Callable[..., ExpertContext]
) -> None:
    for candidate in await EmbeddedEngine().propose(plan(question, shop, {})):
        assert candidate.confidence is not None
        assert candidate.confidence < 0.6


@pytest.mark.parametrize(
    "question", ["orders per month in 2025, also empty ones", "orders per year, including empty years"]
)
async def test_times_without_rows_are_not_shown_and_that_is_said(
    question: str, shop: Catalog, plan: Callable[..., ExpertContext]
) -> None:
    best = (await EmbeddedEngine().propose(plan(question, shop, {})))[0]
    assert "empty" in best.uncovered
    assert best.confidence is not None
    assert best.confidence < 0.5


@pytest.mark.parametrize(
    "question",
    ["number of customers by country, including empty ones", "customers per country, also unused ones"],
)
async def test_no_value_of_a_column_is_without_rows(
    question: str, make_table: Callable[..., Relation], plan: Callable[..., ExpertContext]
) -> None:
    shop = Catalog(
        (
            make_table(1, "customers", "id:id name:text country:text"),
            make_table(2, "staff", "id:id name:text country:text"),
            make_table(
                3,
                "orders",
                "id:id customer_id:id staff_id:id placed:date",
                keys={"customer_id": 1, "staff_id": 2},
            ),
        )
    )
    try:
        found = await EmbeddedEngine().propose(plan(question, shop, {}))
    except AskError:
        return
    assert not any("orders" in candidate.sql for candidate in found)


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "orders per customer, leave out customers with none",
            "SELECT c.name, count(*) AS number_of_orders FROM customers AS c JOIN orders AS o",
        ),
        (
            "orders per status, leave out records without one",
            "SELECT status, count(*) AS number_of_orders FROM orders WHERE status IS NOT NULL GROUP BY ",
        ),
        (
            "orders per status. Leave out the ones where we don't know the status.",
            "SELECT status, count(*) AS number_of_orders FROM orders WHERE status IS NOT NULL GROUP BY ",
        ),
    ],
)
async def test_they_are_left_out(
    question: str, sql: str, make_table: Callable[..., Relation], plan: Callable[..., ExpertContext]
) -> None:
    orders = "id:id customer_id:id ordered_on:date status:text?"
    shop = Catalog(
        (
            make_table(1, "customers", "id:id name:text"),
            make_table(2, "orders", orders, keys={"customer_id": 1}),
        )
    )
    best = (await EmbeddedEngine().propose(plan(question, shop, {})))[0]
    assert best.sql.startswith(sql)
    assert not best.uncovered


async def test_rows_of_today_are_counted_and_groups_without_any_are_shown(
    make_table: Callable[..., Relation], plan: Callable[..., ExpertContext]
) -> None:
    stays = "id:id ward_id:id start_date:date end_date:date?"
    wards = Catalog(
        (
            make_table(1, "wards", "id:id name:text"),
            make_table(2, "stays", stays, keys={"ward_id": 1}),
        )
    )
    question = "How many current stays does each ward have, including those with none?"
    best = (await EmbeddedEngine().propose(plan(question, wards, {})))[0]
    assert "FILTER (WHERE s.start_date <= current_date" in best.sql
    assert " WHERE s." not in best.sql.partition(" FROM ")[2]
