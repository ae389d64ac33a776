"""Words of structure name no column, unless one is called so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.language.text import tokenize
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.linking.blocked import blocked_tokens
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation


@pytest.mark.parametrize(
    ("other", "sql"),
    [
        ("warranty_months:int", "SELECT date_trunc('month', placed)::date AS month, sum(amount)"),
        ("monthly_amount:money", "SELECT monthly_amount FROM orders"),
        ("mth_amount:money", "SELECT mth_amount FROM orders"),
    ],
)
async def test_monthly_is_a_unit_unless_a_column_is_called_so(
    other: str, sql: str, make_table: Callable[..., Relation], plan: Callable[..., ExpertContext]
) -> None:
    orders = make_table(1, "orders", f"id:id placed:date amount:money {other}")
    found = await EmbeddedEngine().propose(plan("monthly amount of orders in 2025", Catalog((orders,))))
    assert found[0].sql.startswith(sql)


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("average revenue per order in 2024", "SELECT avg(n) FROM (SELECT sum(ol.amount)"),
        ("our best month's revenue", "SELECT max(n) FROM (SELECT sum(amount)"),
        ("most revenue in a single month", "SELECT max(n) FROM (SELECT sum(amount)"),
        ("month with the highest revenue", "SELECT date_trunc('month', sold)::date AS month FROM"),
    ],
)
async def test_an_order_in_a_year_and_a_best_month_are_no_columns(
    question: str, sql: str, make_table: Callable[..., Relation], plan: Callable[..., ExpertContext]
) -> None:
    orders = make_table(1, "orders", "id:id customer:text")
    lines = make_table(
        2, "order_lines", "id:id order_id:id amount:money sold:date warranty_months:int", keys={"order_id": 1}
    )
    found = await EmbeddedEngine().propose(plan(question, Catalog((orders, lines))))
    assert found[0].sql.startswith(sql)


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("average monthly rating", "SELECT date_trunc('month', made)::date AS month, avg(rating)"),
        ("highest monthly average rating", "SELECT max(n) FROM (SELECT avg(rating)"),
    ],
)
async def test_a_monthly_rating_is_no_warranty(
    question: str, sql: str, make_table: Callable[..., Relation], plan: Callable[..., ExpertContext]
) -> None:
    things = make_table(1, "things", "id:id made:date rating:int warranty_months:int")
    found = await EmbeddedEngine().propose(plan(question, Catalog((things,))))
    assert found[0].sql.startswith(sql)


@pytest.mark.parametrize(
    ("question", "is_structure"),
    [
        ("teams founded after the year 2008", True),
        ("teams founded before the year 1990", True),
        ("teams founded before the year of 1990", True),
        ("teams after the year they joined", False),
        ("teams with the year 2008", False),
    ],
)
def test_the_year_beside_a_bound_is_no_column(question: str, is_structure: bool) -> None:
    tokens = tokenize(question)
    (year,) = (at for at, token in enumerate(tokens) if token.lower == "year")
    assert (year in blocked_tokens(tokens, ())) is is_structure
