"""Amounts that are worked out: shares of some rows or of an amount, ratios, differences, durations."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

VALUES = {
    ("employee", "sex"): ["female", "male"],
    ("employee", "city"): ["Lyon", "Oslo"],
    ("order", "country"): ["France", "Norway"],
    ("genre", "name"): ["Folk", "Jazz"],
    ("album", "title"): ["Late Light", "Tides"],
    ("song", "title"): ["Late Light", "Blue Heron"],
    ("land", "continent"): ["Africa", "Asia"],
}


@pytest.fixture
def staff(make_table):
    """People at work, and orders with the day by which they were due."""
    return Catalog(
        (
            make_table(1, "employee", "id:id name:text sex:text city:text salary:money retired:bool"),
            make_table(
                2,
                "order",
                "id:id employee_id:int country:text ordered_at:date shipped_date:date required_date:date",
                keys={"employee_id": 1},
            ),
        )
    )


@pytest.fixture
def music(make_table):
    """Songs of albums, and what was sold of them: invoices with a total, lines with prices."""
    return Catalog(
        (
            make_table(1, "genre", "id:id name:text"),
            make_table(2, "album", "id:id title:text"),
            make_table(
                3,
                "song",
                "id:id title:text album_id:int genre_id:int milliseconds:int",
                keys={"album_id": 2, "genre_id": 1},
            ),
            make_table(4, "invoice", "id:id country:text issued_on:date total:money"),
            make_table(
                5,
                "invoice_line",
                "id:id invoice_id:int song_id:int unit_price:money quantity:int",
                keys={"invoice_id": 4, "song_id": 3},
            ),
        )
    )


@pytest.fixture
def lands(make_table):
    """Lands with amounts to set against each other, and firms with numbers of what they have."""
    return Catalog(
        (
            make_table(
                1,
                "land",
                "id:id name:text continent:text population:int area_km2:money gnp:money gnp_old:money",
            ),
            make_table(2, "firm", "id:id name:text revenue:money employees:int paid:money owed:money"),
        )
    )


async def _first(question, plan, catalog):
    return (await EmbeddedEngine().propose(plan(question, catalog=catalog, values=VALUES)))[0]


@pytest.mark.parametrize(
    ("question", "part", "whole"),
    [
        ("what percentage of women are retired", "retired = true", "sex = 'female'"),
        ("share of women who are retired", "retired = true", "sex = 'female'"),
        ("what percentage of female employees earn more than 5000", "salary > 5000", "sex = 'female'"),
        ("what share of the employees in Lyon earn more than 5000", "salary > 5000", "city = 'Lyon'"),
        ("of the women, what percentage earn more than 5000", "salary > 5000", "sex = 'female'"),
        ("share of women among employees in Lyon", "sex = 'female'", "city = 'Lyon'"),
        ("percentage of female employees in Lyon", "sex = 'female'", "city = 'Lyon'"),
        ("percentage of orders from France that were late", "shipped_date > required_date", "'France'"),
        ("share of late orders in France", "shipped_date > required_date", "'France'"),
        ("what percentage of employees are from Lyon", "city = 'Lyon'", ""),
        ("what percentage of employees are women", "sex = 'female'", ""),
        ("percentage of employees from Lyon", "city = 'Lyon'", ""),
    ],
)
async def test_a_share_is_of_the_noun_with_all_that_is_said_of_it(question, part, whole, plan, staff):
    sql = (await _first(question, plan, staff)).sql
    filtered, _, behind = sql.partition(" / nullif(count(*), 0)")
    assert f"FILTER (WHERE {part})" in filtered, sql
    assert (whole in behind) if whole else "WHERE" not in behind, sql


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what share of revenue comes from Jazz?", "FILTER (WHERE g.name = 'Jazz')::numeric / nullif(sum("),
        ("Jazz's share of revenue", "FILTER (WHERE g.name = 'Jazz')::numeric / nullif(sum("),
        ("what percentage of total revenue do Jazz songs make up?", "100.0 * sum("),
        ("each genre's share of revenue", "OVER (), 0)"),
        (
            "what percentage of total playing time is Jazz",
            "sum(s.milliseconds) FILTER (WHERE g.name = 'Jazz')",
        ),
    ],
)
async def test_a_share_of_an_amount_is_of_sums(question, expected, plan, music):
    sql = (await _first(question, plan, music)).sql
    assert expected in sql, sql
    assert "count(" not in sql
    assert "i.total" not in sql, "the total of an invoice is no amount of a genre"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what share of the population lives in Asia?", "FILTER (WHERE continent = 'Asia')::numeric"),
        ("what percentage of the world's population lives in Asia?", "100.0 * sum(population) FILTER"),
        ("each continent's share of world population", "100.0 * sum(population) / nullif(sum(sum("),
        ("population density of each land", "SELECT name, population::numeric / nullif(area_km2, 0)"),
        ("which land has the highest population density", "ORDER BY population::numeric / nullif(area_km2"),
        ("lands with a population density above 100", "population::numeric / nullif(area_km2, 0) > 100"),
        ("population density by continent", "sum(population)::numeric / nullif(sum(area_km2), 0)"),
        ("population per square kilometer of each land", "population::numeric / nullif(area_km2, 0)"),
        ("gnp per capita of each land", "SELECT name, gnp::numeric / nullif(population, 0)"),
        ("revenue per employee of each firm", "SELECT name, revenue::numeric / nullif(employees, 0)"),
        ("how much higher is the gnp than the gnp old of each land", "SELECT name, gnp - gnp_old"),
        ("difference between gnp and gnp old of each land", "SELECT name, gnp - gnp_old"),
        ("average gnp per capita", "SELECT avg(gnp::numeric / nullif(population, 0)) FROM land"),
    ],
)
async def test_two_columns_make_one_number(question, expected, plan, lands):
    sql = (await _first(question, plan, lands)).sql
    assert expected in sql, sql


async def test_a_density_that_is_kept_is_not_worked_out(plan, make_table):
    catalog = Catalog((make_table(1, "land", "id:id name:text population:int area:money density:money"),))
    assert (await _first("population density of each land", plan, catalog)).sql == "SELECT density FROM land"


@pytest.mark.parametrize(
    "question",
    [
        "revenue density of each firm",
        "revenue growth of each firm",
        "population per square foot of each land",
        "return on revenue",
    ],
)
async def test_a_number_of_which_the_word_is_lost_is_told(question, plan, lands):
    found = await _first(question, plan, lands)
    assert found.signals.get("measure_lost"), found.sql


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("average running time of songs in minutes", "avg(milliseconds / 60000.0)"),
        ("total playing time of the album Tides in hours", "sum(s.milliseconds / 3600000.0)"),
        ("how long is the album Tides", "SELECT sum(s.milliseconds)"),
        ("how long is the album Late Light", "WHERE a.title = 'Late Light'"),
        ("how long is the song Blue Heron", "SELECT milliseconds FROM song"),
        ("how long are Jazz songs on average", "avg(s.milliseconds)"),
        ("which album has the longest playing time", "ORDER BY sum(s.milliseconds) DESC"),
        ("duration of each song in seconds", "milliseconds / 1000.0"),
    ],
)
async def test_a_thing_lasts_as_long_as_its_parts(question, expected, plan, music):
    sql = (await _first(question, plan, music)).sql
    assert expected in sql, sql


async def test_hours_of_a_length_in_who_knows_what_are_no_answer(plan, make_table):
    catalog = Catalog((make_table(1, "film", "id:id title:text length:int"),))
    found = await _first("average length of films in hours", plan, catalog)
    assert found.signals.get("unit_unproven"), found.sql


async def test_those_who_have_some_have_one_at_least(plan, make_table):
    catalog = Catalog(
        (
            make_table(1, "customer", "id:id name:text state:text no_of_loans:int"),
            make_table(2, "loan", "id:id kind:text"),
        )
    )
    sql = (await _first("what percentage of customers have loans", plan, catalog)).sql
    assert "FILTER (WHERE no_of_loans > 0)" in sql, sql


async def test_rows_behind_the_noun_of_a_share_are_counted_once(plan, make_table):
    catalog = Catalog(
        (
            make_table(1, "customer", "id:id name:text country:text"),
            make_table(2, "order", "id:id customer_id:int ordered_at:date", keys={"customer_id": 1}),
        )
    )
    values = {("customer", "country"): ["France", "Norway"]}
    question = "what percentage of customers in France ordered in 2023"
    sql = (await EmbeddedEngine().propose(plan(question, catalog=catalog, values=values)))[0].sql
    assert sql.endswith("FROM customer WHERE country = 'France'"), sql


async def test_rows_that_a_join_would_leave_out_are_part_of_the_whole(plan, make_table):
    catalog = Catalog(
        (
            make_table(1, "customer", "id:id name:text country:text"),
            make_table(2, "sale", "id:id customer_id:int? amount:money", keys={"customer_id": 1}),
        )
    )
    values = {("customer", "country"): ["France", "Norway"]}
    question = "what share of the amount comes from customers in France"
    sql = (await EmbeddedEngine().propose(plan(question, catalog=catalog, values=values)))[0].sql
    assert "FROM sale AS s LEFT JOIN customer AS c" in sql, sql


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("units in stock minus units on order of each item", "units_in_stock - units_on_order"),
        ("difference between cost and rental rate of each item", "SELECT name, cost - rental_rate"),
        ("average cost per kg", "avg(cost::numeric / nullif(weight_kg, 0))"),
        ("cost per weight of each item", "SELECT name, cost::numeric / nullif(weight_kg, 0)"),
        ("average cost per weight class", "GROUP BY weight_class"),
    ],
)
async def test_columns_of_a_stock_are_set_against_each_other(question, expected, plan, make_table):
    columns = "id:id name:text units_in_stock:int units_on_order:int cost:money rental_rate:money"
    catalog = Catalog((make_table(1, "item", f"{columns} weight_kg:money weight_class:text"),))
    sql = (await EmbeddedEngine().propose(plan(question, catalog=catalog, values={})))[0].sql
    assert expected in sql, sql


@pytest.mark.parametrize(
    ("question", "open_to_both"),
    [
        ("share of female salary by city", True),
        ("percentage of female employees by city", False),
        ("percentage of female employees in each city", False),
        ("what percentage of employees by city are female", False),
        ("share of salary by city", False),
    ],
)
async def test_a_share_of_what_has_a_value_is_of_a_group_or_of_all(question, open_to_both, plan, staff):
    found = await _first(question, plan, staff)
    assert bool(found.signals.get("share_of_what")) is open_to_both, found.sql


@pytest.mark.parametrize(
    ("question", "ungrouped"),
    [
        ("highest salary of each sort of employee", True),
        ("latest shipped date of each one", True),
        ("highest salary of every female employee", False),
        ("highest salary of female employees", False),
        ("highest salary in each city", False),
        ("salary of each employee", False),
    ],
)
async def test_one_figure_of_all_is_not_one_of_each(question, ungrouped, plan, staff):
    found = await _first(question, plan, staff)
    assert bool(found.signals.get("ungrouped")) is ungrouped, found.sql
