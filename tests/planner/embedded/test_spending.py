"""What was spent and by whom, and values that name whose things are asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

VALUES = {
    ("client", "gender"): ["0", "1"],
    ("artist", "name"): ["Blue Heron", "The Reeds"],
    ("album", "title"): ["Blue Heron", "Late Light"],
    ("track", "name"): ["Blue Heron", "Late Light", "Tides"],
    ("track", "composer"): ["The Reeds"],
}


@pytest.fixture
def shop(make_table):
    """Clients and what they paid; artists, their albums and the tracks of these."""
    return Catalog(
        (
            make_table(1, "client", "id:id name:text gender:text"),
            make_table(2, "invoice", "id:id client_id:int issued_on:date total:money", keys={"client_id": 1}),
            make_table(3, "artist", "id:id name:text"),
            make_table(4, "album", "id:id title:text artist_id:int", keys={"artist_id": 3}),
            make_table(
                5, "track", "id:id name:text composer:text album_id:int seconds:int", keys={"album_id": 4}
            ),
        )
    )


async def _first(question, plan, catalog):
    return (await EmbeddedEngine().propose(plan(question, catalog=catalog, values=VALUES)))[0]


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("how much did each client spend?", ("c.name, sum(i.total)", "GROUP BY c.id")),
        ("how much did each client spend in 2023?", ("sum(i.total)", "GROUP BY c.id", ">= '2023-01-01'")),
        ("how much money did each client bring in?", ("sum(i.total)", "GROUP BY c.id")),
        ("how much did each client get?", ("sum(i.total)", "GROUP BY c.id")),
        ("how much do invoices total?", ("sum(total)",)),
        ("which client spent the most money?", ("SELECT c.name", "ORDER BY sum(i.total) DESC", "LIMIT 1")),
        ("which client spent the most?", ("SELECT c.name", "ORDER BY sum(i.total) DESC", "LIMIT 1")),
    ],
)
async def test_how_much_somebody_spent_is_a_sum(question, parts, plan, shop):
    sql = (await _first(question, plan, shop)).sql
    assert all(part in sql for part in parts), sql


async def test_the_total_of_what_is_kept_is_of_its_balance(plan, make_table):
    catalog = Catalog(
        (
            make_table(1, "client", "id:id name:text"),
            make_table(2, "savings", "client_id:int balance:money", keys={"client_id": 1}),
        )
    )
    assert (await _first("total savings", plan, catalog)).sql == "SELECT sum(balance) FROM savings"


async def test_how_much_is_answered_by_a_figure(plan, shop):
    assert (await _first("how much did each artist whistle?", plan, shop)).signals["kind_unlike"]
    assert "kind_unlike" not in (await _first("how many artists are there?", plan, shop)).signals


@pytest.mark.parametrize("question", ["how much did The Reeds spend?", "best selling tracks"])
async def test_a_verb_has_its_place_where_what_records_it_is_read(question, plan, shop, make_table):
    lines = "track_id:int quantity:int total:money"
    sales = make_table(6, "sale", f"id:id client_id:int {lines}", keys={"client_id": 1, "track_id": 5})
    catalog = Catalog((*shop, sales))
    values = {("client", "name"): ["The Reeds"]}
    found = (await EmbeddedEngine().propose(plan(question, catalog=catalog, values=values)))[0]
    assert not {"words_unplaced", "left:verb", "uncovered", "bearing"} & found.signals.keys()


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("how many tracks does Blue Heron have?", "a.name = 'Blue Heron'"),
        ("tracks by Blue Heron", "a2.name = 'Blue Heron'"),
        ("how many tracks does Late Light have?", "a.title = 'Late Light'"),
        ("albums by The Reeds", "a2.name = 'The Reeds'"),
        ("how many albums does Blue Heron have?", "a.name = 'Blue Heron'"),
        ("how many tracks does The Reeds have?", "a.name = 'The Reeds'"),
        ("tracks named Blue Heron", "WHERE name = 'Blue Heron'"),
    ],
)
async def test_who_has_things_is_called_otherwise_than_they_are(question, where, plan, shop):
    assert where in (await _first(question, plan, shop)).sql


@pytest.mark.parametrize(
    ("values", "unproven"), [(("185", "92", "46"), True), (("12", "0.5", "2"), False), ((), True)]
)
async def test_a_number_with_a_unit_that_no_column_has_is_borne_out_by_values(
    values, unproven, plan, make_table
):
    """'trips longer than an hour' returned all trips, whose duration is in seconds."""
    table = make_table(1, "trip", "id:id station:text duration:int")
    columns = (*table.columns[:2], replace(table.columns[2], common_values=values))
    catalog = Catalog((replace(table, columns=columns),))
    found = await _first("trips with a duration longer than an hour", plan, catalog)
    assert "duration > 1" in found.sql
    assert bool(found.signals.get("unit_unproven")) is unproven


async def test_a_comparison_that_is_lost_speaks_against_an_answer(plan, make_table):
    catalog = Catalog((make_table(1, "trip", "id:id station:text"),))
    assert (await _first("trips longer than an hour", plan, catalog)).signals["bearing"]


async def test_a_number_for_a_gender_does_not_say_which(plan, shop):
    found = await EmbeddedEngine().propose(plan("female clients", catalog=shop, values=VALUES))
    assert not any("gender = " in candidate.sql for candidate in found)


@pytest.mark.parametrize(
    ("question", "order"),
    [
        ("which region has the largest population?", "GROUP BY region ORDER BY sum(population) DESC LIMIT 1"),
        (
            "which region has the lowest life expectancy?",
            "GROUP BY region ORDER BY avg(life_expectancy) LIMIT 1",
        ),
        ("the region of the country with the largest population", "country ORDER BY population DESC LIMIT 1"),
        ("which country has the largest population?", "SELECT name FROM country ORDER BY population DESC"),
    ],
)
async def test_a_group_is_measured_by_all_of_its_rows(question, order, plan, make_table):
    table = make_table(1, "country", "id:id name:text region:text population:int life_expectancy:int")
    distinct = {"name": -1.0, "region": 9.0}
    columns = tuple(replace(c, distinct=distinct.get(c.name, c.distinct)) for c in table.columns)
    catalog = Catalog((replace(table, columns=columns),))
    assert order in (await _first(question, plan, catalog)).sql


async def test_a_salary_is_its_amount(plan, make_table):
    people = make_table(1, "employee", "id:id name:text")
    paid = make_table(2, "salary", "employee_id:int amount:money since:date", keys={"employee_id": 1})
    catalog = Catalog((people, replace(paid, primary_key=("employee_id", "since"))))
    found = await _first("top 10 highest salaries", plan, catalog)
    assert found.sql == "SELECT amount FROM salary ORDER BY amount DESC LIMIT 10"
