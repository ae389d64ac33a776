"""What is left out of a figure are its rows; of things that are asked for, those that have such."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., ExpertContext]
VALUES = {("orders", "status"): ("cancelled", "shipped")}


@pytest.fixture
def shop(make_table: Callable[..., Relation]) -> Catalog:
    line = "id:id order_id:id product_id:id quantity:int unit_price:money"
    return Catalog(
        (
            make_table(1, "customers", "id:id name:text"),
            make_table(2, "orders", "id:id customer_id:id status:text", keys={"customer_id": 1}),
            make_table(3, "products", "id:id name:text brand:text"),
            make_table(4, "order_items", line, keys={"order_id": 2, "product_id": 3}),
        )
    )


@pytest.mark.parametrize(
    "question",
    [
        "top 5 brands by revenue without cancelled orders",
        "top 5 brands by revenue excluding cancelled orders",
        "revenue per brand without cancelled orders",
        "number of orders per customer without cancelled orders",
        "number of orders per customer (cancelled ones left out)",
        "number of orders per customer. Skip cancelled orders.",
        "top 5 brands by revenue, cancelled orders excluded",
    ],
)
async def test_rows_of_a_figure_are_left_out(question: str, shop: Catalog, plan: Plans) -> None:
    first = (await EmbeddedEngine().propose(plan(question, shop, VALUES)))[0]
    assert "WHERE o.status <> 'cancelled' GROUP BY" in first.sql
    assert not first.uncovered


@pytest.mark.parametrize(
    "question",
    [
        "customers without cancelled orders",
        "top 5 customers by number of orders, leaving out those with a cancelled order",
    ],
)
async def test_those_who_have_such_are_left_out(question: str, shop: Catalog, plan: Plans) -> None:
    first = (await EmbeddedEngine().propose(plan(question, shop, VALUES)))[0]
    assert "id NOT IN (SELECT customer_id FROM orders WHERE status = 'cancelled')" in first.sql
    assert not first.uncovered


@pytest.mark.parametrize(
    "question",
    [
        "revenue by customer without those with delayed orders",
        "revenue by customer excluding those with delayed orders",
        "revenue by customer without customers with delayed orders",
    ],
)
async def test_those_with_such_rows_are_left_out_whole(question, plan):
    first = (await EmbeddedEngine().propose(plan(question)))[0]
    assert "WHERE c.id NOT IN (SELECT customer_id FROM orders WHERE status = 'delayed') GROUP BY" in first.sql


async def test_rows_alone_are_left_out_of_a_sum(plan):
    first = (await EmbeddedEngine().propose(plan("revenue by customer without delayed orders")))[0]
    assert "WHERE o.status <> 'delayed' GROUP BY" in first.sql


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("accounts per country, churned accounts left out", " WHERE churned_on IS NULL"),
        ("accounts per country (churned ones excluded)", " WHERE churned_on IS NULL"),
        ("accounts per country, churned ones included", ""),
        ("accounts per country, those without a country excluded", " WHERE country IS NOT NULL"),
        ("accounts per country. Accounts with no country can be left out.", " WHERE country IS NOT NULL"),
    ],
)
async def test_what_has_ended_is_left_out_or_taken_in(
    question: str, where: str, make_table: Callable[..., Relation], plan: Plans
) -> None:
    accounts = make_table(1, "accounts", "id:id name:text country:text? churned_on:date?")
    users = make_table(2, "users", "id:id account_id:id name:text", keys={"account_id": 1})
    first = (await EmbeddedEngine().propose(plan(question, Catalog((accounts, users)), {})))[0]
    assert f"FROM accounts{where} GROUP BY country" in first.sql
    assert not first.uncovered


@pytest.mark.parametrize(
    ("question", "where"),
    [
        (
            "what percentage of members gave money, leaving out members with unknown gender",
            "gender IS NOT NULL",
        ),
        ("newsletter rate in percent by city, ignoring members with unknown gender", "gender IS NOT NULL"),
    ],
)
async def test_what_is_left_out_is_no_part_of_a_share(
    question: str, where: str, make_table: Callable[..., Relation], plan: Plans
) -> None:
    members = make_table(
        1, "members", "id:id name:text city:text gender:text? newsletter:bool gave_money:bool"
    )
    best = (await EmbeddedEngine().propose(plan(question, Catalog((members,)), {})))[0]
    assert f"WHERE {where}" in best.sql.replace("(WHERE ", "(")
    assert "FILTER (WHERE gender" not in best.sql
