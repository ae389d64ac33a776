"""Two values beside each other, and columns divided as the words say."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

SIDES = "(city = 'Paris' OR city = 'Oakland')"


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("customers in Paris vs Oakland", "SELECT city, count(*) AS number_of_customers FROM customers"),
        ("number of customers in Paris compared to Oakland", "SELECT city, count(*)"),
        ("customers in Paris and Oakland side by side", "SELECT city, count(*)"),
        ("Paris vs Oakland customers", "SELECT city, count(*) AS number_of_customers FROM customers"),
        ("Paris vs Oakland number of customers", "SELECT city, count(*)"),
        ("number of customers Paris vs Oakland", "SELECT city, count(*)"),
    ],
)
async def test_each_side_has_its_row(question, sql, plan):
    first, *_ = await EmbeddedEngine().propose(plan(question))
    assert first.sql.startswith(sql)
    assert SIDES in first.sql
    assert "GROUP BY city" in first.sql


async def test_what_is_compared_is_added_up(plan):
    first, *_ = await EmbeddedEngine().propose(plan("Paris vs Oakland revenue"))
    assert first.sql.startswith("SELECT c.city, sum(ol.amount)")
    assert "(c.city = 'Paris' OR c.city = 'Oakland') GROUP BY c.city" in first.sql


async def test_each_of_three_sides_has_its_row(plan):
    values = {("customers", "city"): ("Paris", "Oakland", "Lima")}
    first, *_ = await EmbeddedEngine().propose(plan("customers in Paris vs Oakland vs Lima", values=values))
    assert first.sql.startswith("SELECT city, count(*)")
    assert "(city = 'Paris' OR city = 'Oakland' OR city = 'Lima') GROUP BY city" in first.sql


async def test_two_of_three_sides_are_not_all(plan):
    values = {("customers", "city"): ("Paris", "Oakland")}
    for one in await EmbeddedEngine().propose(plan("customers in Paris vs Oakland vs Utopia", values=values)):
        assert one.confidence < 0.5


@pytest.fixture
def districts(make_table):
    """Districts, with how many live there and how large they are."""
    return Catalog((make_table(1, "districts", "id:id name:text population:int area:money"),))


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "population divided by area for each district",
            "SELECT name, population::numeric / nullif(area, 0) AS population_per_area FROM districts",
        ),
        (
            "average population divided by area",
            "SELECT avg(population::numeric / nullif(area, 0)) FROM districts",
        ),
        (
            "area per capita by district",
            "SELECT name, area / nullif(population, 0) AS area_per_population FROM districts",
        ),
    ],
)
async def test_columns_are_divided_as_the_words_say(question, sql, plan, districts):
    first, *_ = await EmbeddedEngine().propose(plan(question, districts, values={}))
    assert first.sql.replace("area::numeric", "area") == sql
