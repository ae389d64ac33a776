"""Questions of when and where, names in capitals, clauses that say which rows, and orders by two keys."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

VALUES = {
    ("customer", "city"): ["London", "Paris"],
    ("customer", "code"): ["PARIS"],
    ("customer", "country"): ["UK", "France"],
    ("sale_order", "ship_city"): ["London", "Paris"],
    ("sale_order", "ship_country"): ["UK", "France"],
    ("product", "name"): ["Chai"],
    ("visitor", "name"): ["Ada Stone", "Bo Ray"],
    ("visitor", "country"): ["United States", "United Kingdom", "IT"],
    ("museum", "name"): ["Louvre", "Tate"],
    ("museum", "state"): ["OR", "TX"],
}


@pytest.fixture
def visits(make_table):
    """Who came to which museum, and when."""
    return Catalog(
        (
            make_table(1, "visitor", "id:id name:text country:text address:text age:int"),
            make_table(2, "museum", "id:id name:text state:text city:text open_year:int"),
            make_table(
                3,
                "visit",
                "id:id visitor_id:int museum_id:int visited_at:time tickets:int",
                keys={"visitor_id": 1, "museum_id": 2},
            ),
        )
    )


async def _first(question, plan, catalog):
    return (await EmbeddedEngine().propose(plan(question, catalog=catalog, values=VALUES)))[0]


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("When did Ada Stone visit the Louvre?", "SELECT v.visited_at FROM visit AS v"),
        (
            "names of visitors who did not visit any museum opened after 2010",
            "WHERE id NOT IN (SELECT v.visitor_id FROM visit AS v JOIN museum AS m ON v.museum_id = m.id",
        ),
        ("Where does Ada Stone live?", "SELECT address FROM visitor WHERE name = 'Ada Stone'"),
        ("Where is the Louvre?", "SELECT city FROM museum WHERE name = 'Louvre'"),
        ("names of the visitors from the US", "WHERE country = 'United States'"),
        (
            "names of visitors from the US or the UK",
            "WHERE (country = 'United States' OR country = 'United Kingdom')",
        ),
        ("How many museums are in OR?", "SELECT count(*) FROM museum WHERE state = 'OR'"),
        ("How many visitors are from IT?", "SELECT count(*) FROM visitor WHERE country = 'IT'"),
        ("give us the names of the museums", "SELECT name FROM museum"),
        ("GIVE US THE NAMES OF THE MUSEUMS", "SELECT name FROM museum"),
        ("names of visitors sorted by age (descending) and then by name", "ORDER BY age DESC, name"),
        (
            "names of visitors, sort first by age (in descending order), then by name",
            "ORDER BY age DESC, name",
        ),
    ],
)
async def test_what_is_asked_is_shown(question, sql, plan, visits):
    assert sql in (await _first(question, plan, visits)).sql


@pytest.mark.parametrize(
    ("question", "signal"),
    [
        ("names of the visitors who bought a keyboard", "clause_unread"),
        ("How many museums are out of state?", "clause_unread"),
        ("How many museums cheated a guide?", "clause_unread"),
        ("How many museums closed?", ""),
        ("names of the visitors who are over 30", ""),
        ("names of the visitors who visited the Louvre", ""),
        ("number of museums in each state", ""),
        ("names of the visits in order of the time at which they were visited", ""),
        ("Where does Ada Stone live?", ""),
        ("When did Ada Stone visit the Louvre?", ""),
        ("visits by tickets from high to low", ""),
    ],
)
async def test_a_clause_of_which_nothing_is_read_speaks_against_an_answer(question, signal, plan, visits):
    found = (await _first(question, plan, visits)).signals
    assert {name for name in ("clause_unread", "kind_unlike") if found.get(name)} == ({signal} - {""})


@pytest.mark.parametrize(
    ("question", "unread"),
    [
        ("how many brits come from the UK", True),
        ("how many do we run in TX", True),
        ("how many museums do we run in TX", False),
        ("how many are in TX", False),
    ],
)
async def test_a_value_alone_does_not_say_what_is_asked_for(question, unread, plan, visits):
    found = await _first(question, plan, visits)
    assert bool(found.signals.get("nothing_read")) is unread, found.sql


async def test_a_year_called_by_what_was_done_is_a_time(plan, make_table):
    catalog = Catalog((make_table(1, "team", "id:id name:text founded:int"),))
    assert "kind_unlike" not in (await _first("When was each team founded?", plan, catalog)).signals


async def test_an_answer_without_a_time_is_not_what_when_asks_for(plan, make_table):
    catalog = Catalog(
        (
            make_table(1, "visitor", "id:id name:text"),
            make_table(2, "visit", "id:id visitor_id:int tickets:int", keys={"visitor_id": 1}),
        )
    )
    assert (await _first("When did Ada Stone visit?", plan, catalog)).signals["kind_unlike"]


@pytest.fixture
def trade(make_table):
    """Orders with lines, and where they go; what is in stock; customers, and where they are."""
    return Catalog(
        (
            make_table(1, "customer", "id:id name:text code:text city:text country:text"),
            make_table(
                2,
                "sale_order",
                "id:id customer_id:int ship_city:text ship_country:text order_date:date freight:money",
                keys={"customer_id": 1},
            ),
            make_table(
                3, "product", "id:id name:text units_in_stock:int units_on_order:int discontinued:bool"
            ),
            make_table(
                4,
                "sale_order_line",
                "sale_order_id:int product_id:int unit_price:money quantity:int discount:money",
                keys={"sale_order_id": 2, "product_id": 3},
            ),
        )
    )


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("how many customers are in London and Paris", "WHERE (city = 'London' OR city = 'Paris')"),
        ("names of the customers from the UK who ordered Chai", "WHERE c.country = 'UK'"),
        ("customer count by country", "SELECT country, count(*) AS number_of_customers FROM customer GROUP"),
        ("sale order count by ship city", "FROM sale_order GROUP BY ship_city ORDER BY count(*)"),
        ("freight total by ship country", "FROM sale_order GROUP BY ship_country ORDER BY sum(freight)"),
        ("names of the products still in stock", "SELECT name FROM product WHERE units_in_stock > 0"),
        ("names of the products with more than 20 in stock", "WHERE units_in_stock > 20"),
        ("customer total by country", "count(*) AS number_of_customers FROM customer GROUP BY country"),
        (
            "how many units of Chai are in stock",
            "SELECT sum(units_in_stock) FROM product WHERE name = 'Chai'",
        ),
        ("is Chai in stock?", "SELECT units_in_stock FROM product WHERE name = 'Chai'"),
        ("names of the products sold more than 3 times", "HAVING count(*) > 3"),
        ("customers with more than 3 sale orders", "HAVING count(*) > 3"),
        ("customers who ordered more than 3 times", "HAVING count(*) > 3"),
    ],
)
async def test_what_people_say_of_trade(question, sql, plan, trade):
    assert sql in (await _first(question, plan, trade)).sql


async def test_two_cities_with_their_states_are_two_pairs(plan, make_table):
    catalog = Catalog((make_table(1, "address", "id:id street:text city:text state:text"),))
    values = {("address", "city"): ["Paris", "Rome"], ("address", "state"): ["Texas", "Georgia"]}
    question = "What are the streets of the addresses in Paris, Texas or in Rome, Georgia?"
    found = await EmbeddedEngine().propose(plan(question, catalog=catalog, values=values))
    assert "(city = 'Paris' AND state = 'Texas' OR city = 'Rome' AND state = 'Georgia')" in found[0].sql
