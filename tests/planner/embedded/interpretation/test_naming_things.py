"""What is shown is what a thing is called, and what a word names outright comes first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

VALUES = {
    ("country", "name"): ("China", "Peru"),
    ("country_language", "language"): ("Chinese", "English"),
    ("airports", "city"): ("Aberdeen", "Ashley City"),
    ("airports", "airport_name"): ("County Airport", "City Airport"),
}


@pytest.fixture
def flights(make_table):
    return Catalog(
        (
            make_table(1, "airlines", "id:id airline:text country:text"),
            make_table(2, "airports", "id:id city:text airport_name:text"),
            make_table(3, "flights", "airline:int flight_number:int airport_id:id", keys={"airport_id": 2}),
        )
    )


@pytest.fixture
def world(make_table):
    return Catalog(
        (
            make_table(1, "country", "id:id name:text region:text surface_area:int population:int"),
            make_table(2, "city", "id:id name:text district:text country_id:id", keys={"country_id": 1}),
            make_table(
                3, "country_language", "country_id:id language:text is_official:bool", keys={"country_id": 1}
            ),
        )
    )


async def _first(question, plan, catalog):
    return (await EmbeddedEngine().propose(plan(question, catalog, VALUES)))[0].sql


async def test_a_number_that_stands_for_an_airline_is_no_airline(plan, flights):
    sql = await _first("Which airlines have at least 10 flights?", plan, flights)
    assert sql.startswith("SELECT a.airline FROM airlines AS a JOIN flights")


async def test_the_word_before_a_quoted_value_is_no_part_of_another_value(plan, flights):
    sql = await _first("How many flights leave from City 'Aberdeen'?", plan, flights)
    assert "'Aberdeen'" in sql
    assert "LIKE" not in sql


async def test_what_is_no_official_language_may_not_be_spoken_at_all(plan, world):
    sql = await _first(
        "What is the average population of countries where English is not official?", plan, world
    )
    assert "NOT IN (SELECT" in sql
    assert "language = 'English' AND is_official = true" in sql.replace("c2.", "")


async def test_a_value_as_it_is_spelled_comes_before_another_form_of_it(plan, world):
    sql = await _first("What is the number of distinct regions where Chinese is spoken?", plan, world)
    assert "language = 'Chinese'" in sql


async def test_the_largest_are_those_of_the_size_that_is_shown(plan, world):
    sql = await _first("Return the names and surface areas of the 5 largest countries", plan, world)
    assert sql == "SELECT name, surface_area FROM country ORDER BY surface_area DESC LIMIT 5"


async def test_a_name_outright_comes_before_what_is_only_alike(plan, world):
    sql = await _first("What region is the city of Lima in?", plan, world)
    assert "region" in sql.partition(" FROM ")[0]


async def test_what_is_sorted_by_how_often_it_is_there_is_grouped(plan, world):
    sql = await _first("Show the regions of countries in descending order of count", plan, world)
    assert sql == "SELECT region FROM country GROUP BY region ORDER BY count(*) DESC"


@pytest.mark.parametrize("names", ["forename surname", "given_name family_name", "first_name last_name"])
async def test_a_person_is_called_by_both_names(names, plan, make_table):
    first, last = names.split()
    catalog = Catalog((make_table(1, "drivers", f"id:id {first}:text {last}:text team:text"),))
    assert await _first("list the drivers", plan, catalog) == f"SELECT {first}, {last} FROM drivers"


async def test_a_group_is_shown_by_the_name_of_what_its_key_leads_to(plan, make_table):
    stores = Catalog(
        (
            make_table(1, "department_store_chain", "id:id chain_name:text"),
            make_table(
                2, "department_stores", "id:id store_chain_id:id store_name:text", keys={"store_chain_id": 1}
            ),
        )
    )
    best = (await EmbeddedEngine().propose(plan("how many stores does each chain have?", stores)))[0]
    assert best.sql.startswith("SELECT dsc.chain_name, count(*)")


async def test_a_price_is_what_is_called_so(plan, make_table):
    """Not what a transaction comes to, though that has a type and prices have a category."""
    sales = Catalog(
        (
            make_table(1, "product_categories", "id:id description:text"),
            make_table(
                2, "products", "id:id category_id:id name:text unit_price:money", keys={"category_id": 1}
            ),
            make_table(3, "financial_transactions", "id:id transaction_type:text transaction_amount:money"),
        )
    )
    best = (await EmbeddedEngine().propose(plan("average price per category", sales)))[0]
    assert "avg(p.unit_price)" in best.sql


async def test_rows_are_known_by_the_number_behind_an_internal_id(make_table, plan):
    trucks = make_table(1, "trucks", "id:id unit_no:text maker:text bought:date")
    known = (replace(c, distinct=-1.0) if c.name == "unit_no" else c for c in trucks.columns)
    catalog = Catalog((replace(trucks, columns=tuple(known)),))
    best = (await EmbeddedEngine().propose(plan("trucks bought in 2024", catalog, {})))[0]
    assert best.sql.startswith("SELECT unit_no FROM trucks")
