"""What people buy, order and rent: who did it, with what, and for how much."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

VALUES = {
    ("customers", "company_name"): ["Harbor Foods"],
    ("customers", "country"): ["Germany"],
    ("orders", "ship_name"): ["Harbor Foods"],
    ("products", "name"): ["Chai"],
    ("categories", "name"): ["Jazz"],
    ("members", "first_name"): ["Mary"],
    ("members", "last_name"): ["Smith"],
    ("films", "title"): ["Alien"],
}


@pytest.fixture
def shop(make_table):
    """Orders of customers with lines of products, and suppliers who made these."""
    return Catalog(
        (
            make_table(1, "customers", "id:id company_name:text country:text email:text"),
            make_table(
                2,
                "orders",
                "id:id customer_id:id ship_name:text ordered_on:date",
                keys={"customer_id": 1},
            ),
            make_table(3, "suppliers", "id:id company_name:text"),
            make_table(4, "categories", "id:id name:text"),
            make_table(
                5,
                "products",
                "id:id name:text supplier_id:id category_id:id",
                keys={"supplier_id": 3, "category_id": 4},
            ),
            make_table(
                6,
                "order_lines",
                "order_id:id product_id:id quantity:int amount:money",
                keys={"order_id": 2, "product_id": 5},
            ),
        )
    )


@pytest.fixture
def rental_shop(make_table):
    """Rentals by members, of copies of films."""
    return Catalog(
        (
            make_table(1, "films", "id:id title:text"),
            make_table(2, "copies", "id:id film_id:id", keys={"film_id": 1}),
            make_table(3, "members", "id:id first_name:text last_name:text"),
            make_table(
                4,
                "rentals",
                "id:id copy_id:id member_id:id rented_on:date",
                keys={"copy_id": 2, "member_id": 3},
            ),
        )
    )


async def _first(question, plan, catalog):
    return (await EmbeddedEngine().propose(plan(question, catalog=catalog, values=VALUES)))[0]


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("who bought Chai?", ("SELECT DISTINCT c.company_name", "p.name = 'Chai'")),
        ("who bought jazz?", ("SELECT DISTINCT c.company_name", ".name = 'Jazz'")),
        ("customers who ordered jazz", ("SELECT DISTINCT c.company_name", ".name = 'Jazz'")),
        ("emails of customers who bought jazz", ("SELECT DISTINCT c.email", ".name = 'Jazz'")),
        (
            "what did Harbor Foods order?",
            ("SELECT DISTINCT p.name", "JOIN customers", "c.company_name = 'Harbor Foods'"),
        ),
        (
            "which products did Harbor Foods buy?",
            ("SELECT DISTINCT p.name", "c.company_name = 'Harbor Foods'"),
        ),
        (
            "who bought the most products?",
            ("SELECT c.company_name", "JOIN order_lines", "ORDER BY sum(ol.quantity) DESC"),
        ),
        (
            "customers from Germany and how much they spent",
            ("c.company_name, sum(ol.amount)", "c.country = 'Germany'", "GROUP BY c.id"),
        ),
        (
            "customers and how many orders they placed",
            ("c.company_name, count(*)", "JOIN orders", "GROUP BY c.id"),
        ),
        ("how much did Harbor Foods spend?", ("SELECT sum(ol.amount)", "c.company_name = 'Harbor Foods'")),
    ],
)
async def test_what_was_bought_leads_through_its_lines(question, parts, plan, shop):
    first = await _first(question, plan, shop)
    assert all(part in first.sql for part in parts), first.sql
    assert not first.uncovered


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("what did Mary Smith rent?", ("SELECT DISTINCT f.title", "JOIN copies", "m.last_name = 'Smith'")),
        ("who rented Alien?", ("SELECT DISTINCT m.first_name, m.last_name", "f.title = 'Alien'")),
    ],
)
async def test_what_was_rented_is_what_there_are_copies_of(question, parts, plan, rental_shop):
    first = await _first(question, plan, rental_shop)
    assert all(part in first.sql for part in parts), first.sql
    assert not first.uncovered


async def test_a_verb_that_rows_record_has_its_place(plan, shop):
    first = await _first("which customers bought Chai?", plan, shop)
    assert "words_unplaced" not in first.signals


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("top customer in each country", ("sum(ol.amount) DESC", "PARTITION BY c.country", "place <= 1")),
        ("best customers in Germany", ("sum(ol.amount) DESC", "c.country = 'Germany'", "LIMIT 10")),
        ("which customer spent the most in each country?", ("sum(ol.amount) DESC", "PARTITION BY c.country")),
        ("the best selling product of each category", ("sum(ol.quantity) DESC", "PARTITION BY c.id")),
    ],
)
async def test_the_best_of_each_is_by_what_was_spent_or_sold(question, parts, plan, shop):
    first = await _first(question, plan, shop)
    assert all(part in first.sql for part in parts), first.sql
    assert not {"group_elsewhere", "event_unread", "sense_lost"} & first.signals.keys()


async def test_the_last_of_the_alphabet_is_no_top(plan, shop):
    first = await _first("top customers by country", plan, shop)
    assert "top" in first.uncovered


async def test_a_country_may_be_that_of_two_tables(plan, make_table):
    """Suppliers and customers have countries of their own, and 'per country' says of neither."""
    catalog = Catalog(
        (
            make_table(1, "suppliers", "id:id name:text country:text"),
            make_table(2, "customers", "id:id name:text country:text"),
            make_table(3, "categories", "id:id name:text"),
            make_table(
                4,
                "products",
                "id:id name:text category_id:id supplier_id:id",
                keys={"category_id": 3, "supplier_id": 1},
            ),
            make_table(
                5,
                "orders",
                "id:id product_id:id customer_id:id quantity:int",
                keys={"product_id": 4, "customer_id": 2},
            ),
        )
    )
    first = await _first("most popular category per country", plan, catalog)
    assert {"group_elsewhere", "event_unread"} <= first.signals.keys()
    named = await _first("the customer with the most orders per country", plan, catalog)
    assert not {"group_elsewhere", "event_unread"} & named.signals.keys()


@pytest.mark.parametrize(
    ("question", "bears"),
    [
        ("best selling products in Germany", True),
        ("best selling products of suppliers in Germany", False),
    ],
)
async def test_what_sells_in_a_country_need_not_come_from_there(question, bears, plan, make_table):
    """'best selling products in Germany' were those of German suppliers, at 0.68."""
    catalog = Catalog(
        (
            make_table(1, "customers", "id:id name:text land:text"),
            make_table(2, "orders", "id:id customer_id:id ordered_on:date", keys={"customer_id": 1}),
            make_table(3, "suppliers", "id:id name:text country:text"),
            make_table(4, "products", "id:id name:text supplier_id:id", keys={"supplier_id": 3}),
            make_table(
                5,
                "order_lines",
                "order_id:id product_id:id quantity:int",
                keys={"order_id": 2, "product_id": 4},
            ),
        )
    )
    values = {("customers", "land"): ["Germany"], ("suppliers", "country"): ["Germany"]}
    found = await EmbeddedEngine().propose(plan(question, catalog=catalog, values=values))
    maker = next(c for c in found if "s.country = 'Germany'" in c.sql and "sum(ol.quantity)" in c.sql)
    assert bool(maker.signals.get("bearing")) is bears


@pytest.mark.parametrize("question", ["orders by card per month", "number of orders paid by card per month"])
async def test_a_value_that_a_comment_lists_is_a_value(question, plan, make_table):
    """The comment made 'card' a word for the column, and orders were told by payment method."""
    comments = {"payment_method": "card, paypal or invoice"}
    orders = make_table(1, "orders", "id:id ordered_at:time payment_method:text", comments=comments)
    values = {("orders", "payment_method"): ["card", "paypal", "invoice"]}
    found = (await EmbeddedEngine().propose(plan(question, Catalog((orders,)), values)))[0]
    assert "count(*)" in found.sql
    assert "WHERE payment_method = 'card' GROUP BY date_trunc('month', ordered_at)" in found.sql
