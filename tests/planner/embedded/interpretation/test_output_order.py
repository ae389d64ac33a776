"""The wording decides whether a group or its number is shown first; both orders are never proposed."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

_NUMBER_FIRST = (
    "Find the number of customers in each city.",
    "Find the number of customers for each city",
    "Find the total number of customers from every city.",
    "Count the customers in each city.",
)
_GROUP_FIRST = (
    "For each city, find the number of customers.",
    "How many customers are in each city?",
    "how many customers does each city have",
    "number of customers by city",
    "Show the number of customers for each city.",
    "List the number of customers in each city",
    "number of customers in each city",
    "What is the number of customers for each city?",
    "What is the count of customers in each city?",
    "What is the number of customers per city?",
    "customers per city",
)


@pytest.mark.parametrize("question", _NUMBER_FIRST)
async def test_a_number_that_is_asked_for_of_each_group_stands_first(question, plan):
    best = (await EmbeddedEngine().propose(plan(question)))[0].sql
    assert best.startswith("SELECT count(*) AS number_of_customers, city FROM customers GROUP BY city")


@pytest.mark.parametrize("question", _GROUP_FIRST)
async def test_a_group_stands_first_where_it_leads_or_is_what_the_numbers_are_by(question, plan):
    best = (await EmbeddedEngine().propose(plan(question)))[0].sql
    assert best.startswith("SELECT city, count(*) AS number_of_customers FROM customers GROUP BY city")


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("Find the average price of products in each category.", "avg(p.price)"),
        ("Find the minimum and maximum price of products for each category.", "min(p.price)"),
        ("What is the average price of products in each category?", "c.name"),
        ("average price of products by category", "c.name"),
        ("What is the average price of products by category?", "c.name"),
        ("Show the average price of products for each category.", "c.name"),
        ("For each category, what is the average price of products?", "c.name"),
    ],
)
async def test_what_is_worked_out_of_each_group_stands_where_it_is_said(question, shown, plan):
    best = (await EmbeddedEngine().propose(plan(question)))[0].sql
    assert best.startswith(f"SELECT {shown}")


@pytest.mark.parametrize("question", ["revenue by month", "What was the revenue in each month of 2025?"])
async def test_numbers_over_time_follow_their_time(question, plan):
    best = (await EmbeddedEngine().propose(plan(question)))[0].sql
    assert best.startswith("SELECT date_trunc('month'")


@pytest.mark.parametrize("question", [*_NUMBER_FIRST, *_GROUP_FIRST])
async def test_only_one_order_is_proposed(question, plan):
    found = [c.sql for c in await EmbeddedEngine().propose(plan(question))]
    both = [sql for sql in found if "SELECT city, count(*) AS" in sql and "FROM customers GROUP BY" in sql]
    both += [
        sql for sql in found if "SELECT count(*) AS number_of_customers, city FROM customers GROUP" in sql
    ]
    assert len(both) == 1


async def test_groups_that_two_words_name_are_shown_once(plan, make_table):
    made = Catalog(
        (
            make_table(1, "manufacturers", "id:id name:text"),
            make_table(2, "products", "id:id name:text manufacturer:id", keys={"manufacturer": 1}),
        )
    )
    question = "Find the number of products for each manufacturer, showing the name of each company."
    best = (await EmbeddedEngine().propose(plan(question, made, {})))[0].sql
    assert best.startswith("SELECT count(*) AS number_of_products, m.name FROM")
