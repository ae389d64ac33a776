"""What a row comes to, where several of its columns hold amounts, and whose rows are meant."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog


@pytest.fixture
def utility(make_table):
    """Bills of accounts with their parts and their total; payments carry the number of a bill undeclared."""
    bills = "bill_no:id acct_no:int bill_dt:date elec_amt:money wtr_amt:money vat_amt:money tot_amt:money"
    accounts = make_table(2, "acct", "id:id cust_id:id pay_mthd:text", keys={"cust_id": 1})
    bill = make_table(3, "bill", bills, keys={"acct_no": 2})
    return Catalog(
        (
            make_table(1, "cust", "id:id cust_nm:text cust_typ:text"),
            accounts,
            replace(bill, primary_key=("bill_no",)),
            make_table(4, "pymt", "id:id bill_no:int pymt_dt:date"),
        )
    )


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("average bill per customer type", "avg(b.tot_amt)"),
        ("the highest bill", "SELECT max(tot_amt) FROM bill"),
        ("total bills in 2024", "SELECT sum(tot_amt) FROM bill"),
        ("Which customer has the highest bill?", "ORDER BY b.tot_amt DESC"),
    ],
)
async def test_what_a_bill_comes_to_is_its_total(question, sql, plan, utility):
    """The average bill was that of electricity, the highest the one with the greatest number."""
    found = (await EmbeddedEngine().propose(plan(question, utility, {})))[0]
    assert sql in found.sql, found.sql


@pytest.mark.parametrize(
    ("question", "order"),
    [
        ("agents with the best satisfaction", "avg(satisfaction) DESC"),
        ("agent with the lowest satisfaction", "avg(satisfaction)"),
        ("agent with the highest rating", "avg(rating) DESC"),
    ],
)
async def test_who_has_the_best_grade_has_it_on_average(question, order, plan, make_table):
    """The agent of the one best ticket was the best agent."""
    tickets = make_table(1, "tickets", "id:id agent_name:text satisfaction:int rating:int opened_on:date")
    columns = tuple(replace(c, distinct=8) if c.name == "agent_name" else c for c in tickets.columns)
    catalog = Catalog((replace(tickets, columns=columns),))
    found = (await EmbeddedEngine().propose(plan(question, catalog, {})))[0]
    assert found.sql.startswith("SELECT agent_name FROM tickets GROUP BY agent_name ORDER BY ")
    assert f"ORDER BY {order} " in found.sql, found.sql


async def test_the_highest_order_is_not_that_of_the_largest_size(plan, make_table):
    catalog = Catalog(
        (
            make_table(1, "customers", "id:id name:text"),
            make_table(
                2, "orders", "id:id customer_id:id subtotal:money total:money", keys={"customer_id": 1}
            ),
            make_table(3, "order_items", "id:id order_id:id size:int", keys={"order_id": 2}),
        )
    )
    question = "Which customer placed the highest order?"
    found = (await EmbeddedEngine().propose(plan(question, catalog, {})))[0]
    assert "ORDER BY o.total DESC" in found.sql, found.sql


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("Ann Lee is a customer at which company?", "SELECT company FROM customers WHERE"),
        ("The customer Ann Lee belongs to which region?", "SELECT DISTINCT r.name FROM regions AS r JOIN"),
        ("The product Chai is in which category?", "SELECT DISTINCT c.name FROM categories AS c JOIN"),
        ("What is the category of the product Chai?", "SELECT c.name FROM categories AS c JOIN"),
    ],
)
async def test_what_is_asked_for_may_stand_last(question, sql, plan, make_table):
    """All of the customer was shown, or the number of a category."""
    catalog = Catalog(
        (
            make_table(1, "regions", "id:id name:text"),
            make_table(2, "customers", "id:id name:text company:text region_id:id", keys={"region_id": 1}),
            make_table(3, "categories", "id:id name:text"),
            make_table(4, "products", "id:id name:text category_id:id", keys={"category_id": 3}),
        )
    )
    values = {("customers", "name"): ["Ann Lee"], ("products", "name"): ["Chai"]}
    found = (await EmbeddedEngine().propose(plan(question, catalog, values)))[0]
    assert found.sql.startswith(sql), found.sql


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("products that need reordering", "units_in_stock <= reorder_level"),
        ("Which products should be reordered?", "units_in_stock <= reorder_level"),
        ("products to restock", "units_in_stock <= reorder_level"),
        ("products below the reorder level", "units_in_stock < reorder_level"),
    ],
)
async def test_what_is_to_be_reordered_has_no_more_than_its_level(question, condition, plan, make_table):
    products = "id:id name:text price:money units_in_stock:int units_on_order:int reorder_level:int"
    catalog = Catalog((make_table(1, "products", products),))
    found = (await EmbeddedEngine().propose(plan(question, catalog, {})))[0]
    assert found.sql == f"SELECT name FROM products WHERE {condition}"
    assert not found.uncovered


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("average order size", "SELECT avg(total) FROM orders"),
        ("average order size per channel", "SELECT channel, avg(total) AS average_total FROM orders"),
        ("average hall size", "SELECT avg(size) FROM halls"),
    ],
)
async def test_the_size_of_an_order_is_what_it_comes_to(question, sql, plan, make_table):
    """The size of a hall is a column; that of a variant is not an order's."""
    catalog = Catalog(
        (
            make_table(1, "orders", "id:id channel:text total:money ordered_at:time"),
            make_table(2, "variants", "id:id sku:text size:int"),
            make_table(3, "halls", "id:id name:text size:int"),
        )
    )
    found = (await EmbeddedEngine().propose(plan(question, catalog, {})))[0]
    assert found.sql.startswith(sql), found.sql
    assert not found.uncovered


@pytest.mark.parametrize(
    ("question", "order"),
    [
        ("biggest hotel", "ORDER BY r.capacity DESC LIMIT 1"),
        ("biggest building", "ORDER BY u.size DESC LIMIT 1"),
        ("our biggest invoice", "ORDER BY amount DESC LIMIT 1"),
    ],
)
async def test_the_biggest_has_the_largest_size_or_amount(question, order, plan, make_table):
    """The biggest hotel was the one with the greatest key, the biggest building one with an elevator."""
    catalog = Catalog(
        (
            make_table(1, "hotels", "id:id name:text"),
            make_table(2, "rooms", "id:id hotel_id:id capacity:int", keys={"hotel_id": 1}),
            make_table(3, "buildings", "id:id name:text has_elevator:bool"),
            make_table(4, "units", "id:id building_id:id size:int", keys={"building_id": 3}),
            make_table(5, "invoices", "id:id number:text unit_id:id amount:money", keys={"unit_id": 4}),
        )
    )
    found = (await EmbeddedEngine().propose(plan(question, catalog, {})))[0]
    assert order in found.sql, found.sql
    assert "max(" not in found.sql


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("lines with a discount over 10 %", "discount_pct > 10"),
        ("lines with discount under 5 %", "discount_pct < 5"),
        ("total revenue of lines", "sum(unit_price * quantity * (1 - discount_pct"),
    ],
)
async def test_a_discount_is_the_column_that_is_called_so(question, part, plan, make_table):
    """No percentage stands for revenue, but a discount over 10 % was the money that was given away."""
    lines = "id:id product_id:id quantity:int unit_price:money discount_pct:int"
    products = make_table(1, "products", "id:id name:text")
    catalog = Catalog((products, make_table(2, "lines", lines, keys={"product_id": 1})))
    found = (await EmbeddedEngine().propose(plan(question, catalog, {})))[0]
    assert part in found.sql, found.sql


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("how much came in from payments?", "SELECT sum(amount) FROM payments"),
        ("what did we take in from orders?", "SELECT sum(total) FROM orders"),
        ("how much did we earn from products?", "sum(unit_price * quantity)"),
    ],
)
async def test_what_came_in_is_the_amount_of_what_is_named(question, sql, plan, make_table):
    """What came in from payments was the revenue of their orders."""
    catalog = Catalog(
        (
            make_table(1, "products", "id:id name:text"),
            make_table(2, "orders", "id:id number:text subtotal:money total:money"),
            make_table(3, "payments", "id:id order_id:id amount:money", keys={"order_id": 2}),
            make_table(
                4,
                "order_items",
                "id:id order_id:id product_id:id quantity:int unit_price:money",
                keys={"order_id": 2, "product_id": 1},
            ),
        )
    )
    found = (await EmbeddedEngine().propose(plan(question, catalog, {})))[0]
    assert sql in found.sql, found.sql
