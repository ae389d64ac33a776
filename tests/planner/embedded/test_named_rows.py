"""Rows compared with one that is named: bigger than Paris, hired after Ann, more orders than she has."""

from __future__ import annotations

import pytest

from askwire.core.errors import BeyondEngine
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

VALUES = {
    ("countries", "name"): ["Italy", "Japan"],
    ("cities", "name"): ["Paris", "London"],
    ("cities", "mayor"): ["Long"],
    ("teams", "title"): ["North"],
    ("staff", "first_name"): ["Ann", "Tom"],
    ("staff", "last_name"): ["Lee", "Ray"],
    ("orders", "status"): ["paid"],
}


@pytest.fixture
def world(make_table):
    """Countries with their cities, and staff of teams with the orders that they took."""
    return Catalog(
        (
            make_table(1, "countries", "id:id name:text region:text gnp:money population:int"),
            make_table(
                2,
                "cities",
                "id:id name:text mayor:text population:int country_id:int",
                keys={"country_id": 1},
            ),
            make_table(3, "teams", "id:id title:text"),
            make_table(
                4,
                "staff",
                "id:id first_name:text last_name:text salary:money hired_on:date team_id:int manager_id:int?",
                keys={"team_id": 3, "manager_id": 4},
            ),
            make_table(5, "orders", "id:id staff_id:int status:text amount:money", keys={"staff_id": 4}),
        )
    )


async def _asked(question, plan, catalog):
    return await EmbeddedEngine().propose(plan(question, catalog=catalog, values=VALUES))


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        (
            "which countries have a higher gnp than Italy?",
            "gnp > (SELECT gnp FROM countries WHERE name = 'Italy')",
        ),
        ("cities bigger than Paris", "population > (SELECT population FROM cities WHERE name = 'Paris')"),
        ("cities with fewer people than Paris", "population < (SELECT population FROM cities"),
        (
            "countries in the same region as Japan",
            "region = (SELECT region FROM countries WHERE name = 'Japan')",
        ),
        ("countries whose region is the same as Japan", "region = (SELECT region FROM countries"),
        ("cities in the same country as Paris", "country_id = (SELECT country_id FROM cities WHERE name"),
        (
            "who earns more than Ann Lee?",
            "salary > (SELECT salary FROM staff WHERE first_name = 'Ann' AND last_name = 'Lee')",
        ),
        (
            "which staff have a higher salary than the staff with id 7?",
            "salary > (SELECT salary FROM staff WHERE id = 7)",
        ),
        (
            "which staff earn less than the lowest earning staff member of team North?",
            "salary < (SELECT min(",
        ),
        ("staff hired after Ann Lee", "hired_on > (SELECT hired_on FROM staff WHERE first_name = 'Ann'"),
        (
            "staff on the same team as Ann Lee",
            "team_id = (SELECT team_id FROM staff WHERE first_name = 'Ann'",
        ),
        ("staff with the same manager as Ann Lee", "manager_id = (SELECT manager_id FROM staff"),
        (
            "staff with more orders than Ann Lee",
            "HAVING count(*) > (SELECT count(*) FROM staff AS s JOIN orders AS o ON o.staff_id = s.id "
            "WHERE s.first_name = 'Ann' AND s.last_name = 'Lee')",
        ),
    ],
)
async def test_a_row_of_a_name_is_what_others_are_compared_with(question, condition, plan, world):
    first = (await _asked(question, plan, world))[0]
    assert condition in first.sql, first.sql
    assert not first.uncovered
    assert "sense_lost" not in first.signals


async def test_others_leave_out_the_row_itself(plan, world):
    first = (await _asked("other cities in the same country as Paris", plan, world))[0]
    assert "id <> (SELECT id FROM cities WHERE name = 'Paris')" in first.sql


@pytest.mark.parametrize("question", ["cities bigger than Italy", "staff who earn more than Paris"])
async def test_what_is_named_is_of_the_same_kind(question, plan, world):
    """A city is not compared with a country: such a question is refused, or a sense of it is lost."""
    try:
        candidates = await _asked(question, plan, world)
    except BeyondEngine:
        return
    assert all("> (SELECT" not in c.sql or "sense_lost" in c.signals for c in candidates)


async def test_a_word_that_compares_is_nobody_s_name(plan, world):
    first = (await _asked("average population of cities smaller than Paris", plan, world))[0]
    assert first.sql == (
        "SELECT avg(population) FROM cities "
        "WHERE population < (SELECT population FROM cities WHERE name = 'Paris')"
    )


async def test_the_same_as_no_row_of_a_name_is_told_as_lost(plan, world):
    """'orders with the same ship city as the customer' were all orders, at 0.83."""
    first = (await _asked("staff on the same team as the customers", plan, world))[0]
    assert "same" in first.uncovered
    assert "sense_lost" in first.signals


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("customers named Ada Stone", "SELECT * FROM customers WHERE name = 'Ada Stone'"),
        ("show the customer called Ada Stone", "SELECT * FROM customers WHERE name = 'Ada Stone'"),
        ("city of the customer Ada Stone", "SELECT city FROM customers WHERE name = 'Ada Stone'"),
        ("how many customers are named Ada Stone", "SELECT count(*) FROM customers WHERE name = 'Ada Stone'"),
    ],
)
async def test_rows_of_a_name_are_shown_with_more_than_their_name(question, sql, plan):
    assert (await EmbeddedEngine().propose(plan(question)))[0].sql == sql


async def test_one_figure_answers_what_is_more_than_every_one_of_some(plan, world):
    first = (await _asked("how many staff earn more than every Ann?", plan, world))[0]
    assert first.sql.endswith("WHERE salary > (SELECT max(salary) FROM staff WHERE first_name = 'Ann')")
    assert not first.signals.get("ungrouped")
