"""A question may say itself what its words mean; what it asks besides stays in its place."""

from __future__ import annotations

import pytest
from doubles.time_bounds import ProcessorTime

from askwire.planner.embedded.linking.definitions import explained


@pytest.mark.parametrize(
    ("asked", "kept", "told"),
    [
        (
            "Top makes by revenue? Note that revenue refers to the sum of sale_price.",
            "Top makes by revenue?",
            "revenue means the sum of sale_price",
        ),
        (
            "Top makes by revenue? Note that revenue refers to the sum of sale_price in the sales table.",
            "Top makes by revenue?",
            "revenue means the sum of sales.sale_price",
        ),
        (
            "average margin per make (margin = sale_price - cost)",
            "average margin per make",
            "margin means sale_price - cost",
        ),
        (
            "Which cars are in stock? Cars are considered to be in stock if is_in_inventory is True.",
            "Which cars are in stock?",
            "in stock means is_in_inventory = True",
        ),
        (
            "How many orders were late? An order is late if shippeddate > requireddate",
            "How many orders were late?",
            "late means shippeddate > requireddate",
        ),
        (
            "How many pricey cars? A car is considered pricey if its cost is over 30000.",
            "How many pricey cars?",
            "pricey means cost > 30000",
        ),
        ("Which dogs were left? 1 stands for yes, and 0 stands for no.", "Which dogs were left?", ""),
        ("Dogs left? Note that 1 stands for yes, and 0 stands for no in the tables.", "Dogs left?", ""),
        (
            "total revenue (based on sale price) per state",
            "total revenue per state",
            "revenue means sale price",
        ),
    ],
)
def test_what_a_question_explains(asked: str, kept: str, told: str) -> None:
    left, hint = explained(asked)
    assert (" ".join(left.split()), hint) == (kept, told)
    assert len(left) == len(asked)
    assert all(a == b for a, b in zip(left, asked, strict=True) if a != " ")


@pytest.mark.parametrize(
    "asked",
    [
        "What does the code P mean?",
        "Which stars mean trouble?",
        "Which authors wrote in 2020? Return the names. What is the total?",
        "List the movies (which are long)",
        "How many are there (in Paris)?",
        "How many customers (country = 'Germany') are there?",
        "Show the products\nwhere unit price = 18",
        "Show films. Rating = 'PG'. Sort by length.",
        "Countries with a population over 100000000; continent = 'Asia'",
        "Hello there. Count orders where freight = 50",
        "Hi. Get customers where country = Germany",
        "List the top 5 customers\nbased on total freight",
        "customers (using London) and their phones",
        "customers (based on number of orders)",
        "orders of last year. Churn means customers without orders",
        "Show the averages. Is there one that means more than 5?",
        "",
        "?",
    ],
)
def test_a_question_that_explains_nothing_is_whole(asked: str) -> None:
    assert explained(asked) == (asked, "")


def test_a_long_text_takes_no_time() -> None:
    taken = ProcessorTime()
    for text in (
        "x" * 1300 + "-" + "; a" * 900,
        "x" * 1000 + "- " + "(abcde)" * 140,
        "a = " * 900,
        "(a = b" * 600,
    ):
        explained(text)
    assert taken.within(1)
