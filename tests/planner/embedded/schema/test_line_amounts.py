"""What was sold is quantity × price × (1 − discount) of the lines, not a stock or a list of prices."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.schema.line_amounts import line_amounts
from askwire.sql.catalog import Catalog
from askwire.sql.query_patterns.patterns import told

PLAIN = "order_id:id item_id:id unit_price:money quantity:int discount:money"


@pytest.fixture
def wholesale(make_table):
    """Items with a stock and a price, and the lines of what was ordered of them."""

    def made(lines: str = PLAIN, **changes: object) -> Catalog:
        items = make_table(1, "items", "id:id name:text unit_price:money units_in_stock:int")
        orders = make_table(2, "orders", "id:id customer:text placed:date")
        detail = make_table(3, "order_items", lines, keys={"order_id": 2, "item_id": 1})
        columns = tuple(replace(c, **changes) if c.name.startswith("discount") else c for c in detail.columns)
        return Catalog((items, orders, replace(detail, columns=columns)))

    return made


def _measures(catalog: Catalog) -> dict[str, str]:
    return {m.name: told(m.expression) for m in line_amounts(catalog)}


def test_lines_come_to_their_price_less_the_discount(wholesale):
    assert _measures(wholesale()) == {
        "revenue": "sum(unit_price * quantity * (1 - discount))",
        "gross_revenue": "sum(unit_price * quantity)",
        "discount_given": "sum(unit_price * quantity * discount)",
    }


def test_a_discount_in_percent_is_out_of_a_hundred(wholesale):
    whole = _measures(wholesale(common_values=("0", "5", "20")))["revenue"]
    assert whole == "sum(unit_price * quantity * (1 - discount / 100.0))"


@pytest.mark.parametrize(
    ("values", "measures"),
    [(("0", "0.1"), {"gross_revenue", "discount_given"}), (("0", "5"), set()), ((), set())],
)
def test_of_lines_with_an_amount_a_part_of_the_price_is_taken(wholesale, values, measures):
    """Rates were added up: 'total discount given' was the sum of 0.1 and 0.05."""
    assert set(_measures(wholesale(f"{PLAIN} amount:money", common_values=values))) == measures
    lines = PLAIN.replace("discount", "discount_of_price") + " amount:money"
    assert _measures(wholesale(lines, common_values=values)) == {}


@pytest.mark.parametrize("price", ["unit_price", "unitprice", "price"])
def test_lines_without_a_discount_come_to_price_times_quantity(wholesale, price):
    lines = f"order_id:id item_id:id {price}:money quantity:int"
    assert _measures(wholesale(lines)) == {"revenue": f"sum({price} * quantity)"}


@pytest.mark.parametrize(
    "lines",
    [
        f"{PLAIN} line_total:money",
        "order_id:id item_id:id list_price:money quantity:int",
        "order_id:id item_id:id unit_price:money units_in_stock:int discount:money",
        "order_id:id item_id:id list_price:money quantity:int discount:money",
        "order_id:id item_id:id unit_price:money quantity:int discount_amount:money",
        "order_id:id item_id:id unit_price:money sale_price:money quantity:int discount:money",
    ],
)
def test_what_is_written_or_open_is_not_worked_out(wholesale, lines):
    assert _measures(wholesale(lines)) == {}


@pytest.mark.parametrize(
    ("question", "selected"),
    [
        ("top 3 items by revenue", "sum(oi.unit_price * oi.quantity * (1 - oi.discount)) AS revenue"),
        ("total sales in 2024", "sum(oi.unit_price * oi.quantity * (1 - oi.discount)) AS revenue"),
        ("total discount given", "sum(unit_price * quantity * discount) AS discount_given"),
        ("gross revenue", "sum(unit_price * quantity) AS gross_revenue"),
        ("gross sales by item", "sum(oi.unit_price * oi.quantity) AS gross_revenue"),
        ("average discount", "avg(discount)"),
        (
            "average order value",
            "sum(oi.unit_price * oi.quantity * (1 - oi.discount)) / count(DISTINCT o.id) "
            "AS average_order_value",
        ),
    ],
)
async def test_questions_of_sales_are_about_lines(wholesale, plan, question, selected):
    first, *_ = await EmbeddedEngine().propose(plan(question, wholesale(), values={}))
    assert selected in first.sql
