"""What a question asks to be worked out is worked out, or the answer is not sure and says what is missing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.language.text import tokenize
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.ranking.confidence import MAX_PARTIAL_CONFIDENCE
from askwire.planner.embedded.ranking.required_operations import demands
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., ExpertContext]
MakeTable = Callable[..., Relation]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("moving average of revenue by month", "moving average"),
        ("rolling total of revenue", "rolling total"),
        ("revenue growth", "growth"),
        ("forecast revenue for next quarter", "forecast"),
        ("correlation between price and amount", "correlation"),
        ("revenue net of discounts", "net of"),
        ("revenue by month after refunds", "after"),
        ("revenue without returns", "without"),
        ("revenue including shipping", "including"),
        ("net revenue", "net"),
        ("how many repeat customers per city", "repeat"),
        ("return rate per product", "rate"),
        ("total pending orders", "total"),
        ("the 95th percentile of prices", "95th percentile"),
        ("customers with orders on consecutive days", "consecutive"),
        ("standard deviation of price", "standard deviation"),
        ("customers who only bought Coffee", "only"),
        ("customers without those without orders", "without those without"),
        ("customers excluding those who never ordered", "excluding those who never"),
        ("customers that are not without orders", "not without"),
        ("customers who ordered only from Coffee", "only"),
        ("which customers only ordered in 2024?", "only"),
        ("products that cost twice as much as the average", "twice as much"),
        ("name and number of customers in Paris", "name and number"),
        ("the oldest and most recent order of each customer", "oldest and most recent"),
        ("most expensive product and cheapest product", "most expensive product and cheapest"),
        ("customers whose name starts with a number", "starts with a number"),
        ("products that end in a vowel", "end in a vowel"),
        ("orders not shipped on time", "on time"),
        ("how many orders were shipped before their deadline?", "before their deadline"),
        ("customers with the same name", "with the same"),
        ("best and worst selling products", "best and worst"),
        ("top and bottom 3 products by revenue", "top and bottom"),
        ("difference between the highest and the lowest price of products", "difference between"),
    ],
)
async def test_what_no_reading_works_out_is_never_sure(question: str, said: str, plan: Plans) -> None:
    for candidate in await EmbeddedEngine().propose(plan(question)):
        assert candidate.confidence is not None
        assert candidate.confidence <= MAX_PARTIAL_CONFIDENCE
        assert said in candidate.uncovered


@pytest.mark.parametrize(
    ("question", "said", "taken"),
    [
        ("revenue net of discounts", "net of", True),
        ("revenue less discounts", "less", True),
        ("revenue net of shipping", "net of", False),
        ("revenue net of freight", "net of", False),
        ("revenue less freight", "less", False),
        ("revenue after returns", "after", False),
    ],
)
async def test_what_is_taken_off_is_what_is_named(
    question: str, said: str, taken: bool, plan: Plans, make_table: MakeTable
) -> None:
    """Any difference met 'net of', also that which takes off the discount."""
    lines = "id:id order_id:id price:money quantity:int discount:money"
    catalog = Catalog(
        (
            make_table(1, "shippers", "id:id name:text"),
            make_table(
                2, "orders", "id:id shipper_id:id ordered_on:date freight:money", keys={"shipper_id": 1}
            ),
            make_table(3, "order_lines", lines, keys={"order_id": 2}),
        )
    )
    best = (await EmbeddedEngine().propose(plan(question, catalog=catalog)))[0]
    assert "ol.quantity" in best.sql or "* quantity" in best.sql
    assert (said not in best.uncovered) is taken, best.sql


@pytest.mark.parametrize(
    "question",
    [
        "how many customers are there?",
        "first and last name of the employees",
        "the highest price and the highest amount",
        "customers starting with the letter A",
        "phones that end with number 5",
        "orders shipped at the same hour",
        "show only the names of customers",
        "the first name and last name of each employee",
        "what is the average price of products?",
        "employees who rate products",
        "orders with a 10 percent discount",
        "customers who never ordered and have no reviews",
        "customers without orders and without reviews",
        "orders with shipping to Paris",
        "orders placed after March 2024",
        "revenue excluding cancelled orders",
        "customers including those without orders",
    ],
)
def test_other_words_ask_for_no_computation(question: str) -> None:
    assert demands(tokenize(question)) == ()


async def test_a_column_that_is_called_so_answers(plan: Plans, make_table: MakeTable) -> None:
    towns = make_table(1, "towns", "id:id name:text growth_rate:money median_income:money")
    for question in ("median income of each town", "which town has the highest growth rate?"):
        best = (await EmbeddedEngine().propose(plan(question, catalog=Catalog((towns,)))))[0]
        assert best.confidence is not None
        assert best.confidence > MAX_PARTIAL_CONFIDENCE
        assert not best.uncovered


async def test_why_is_answered_by_reasons_and_not_by_them_for_a_change(
    plan: Plans, make_table: MakeTable
) -> None:
    refunds = Catalog((make_table(1, "refunds", "id:id reason:text refunded_on:date"),))
    best = (await EmbeddedEngine().propose(plan("why did refunds go up in 2024?", catalog=refunds)))[0]
    assert best.confidence is not None
    assert best.confidence <= MAX_PARTIAL_CONFIDENCE
    assert "why" in best.uncovered


async def test_a_word_that_hardly_means_a_table_is_no_tie_to_it(plan: Plans, make_table: MakeTable) -> None:
    tags = Catalog((make_table(1, "tags", "id:id name:text"),))
    best = (await EmbeddedEngine().propose(plan("how many dogs are there?", catalog=tags)))[0]
    assert best.confidence is not None
    assert best.confidence <= MAX_PARTIAL_CONFIDENCE
    assert "dogs" in best.uncovered


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "orders by status, most first",
            "SELECT status, count(*) AS number_of_orders FROM orders GROUP BY status ORDER BY count(*) DESC",
        ),
        ("orders 2024 count", "SELECT count(*) FROM orders WHERE ordered_at >= '2024-01-01'"),
        ("customer count", "SELECT count(*) FROM customers"),
        (
            "statuses by frequency",
            "SELECT status, count(*) AS number_of_orders FROM orders GROUP BY status ORDER BY count(*) DESC",
        ),
    ],
)
async def test_counts_said_behind_what_is_counted(question: str, sql: str, plan: Plans) -> None:
    best = (await EmbeddedEngine().propose(plan(question)))[0]
    assert best.sql.startswith(sql)
