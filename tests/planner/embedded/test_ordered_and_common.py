"""What rows are sorted by, which of them have what is most common, and whose the greatest is."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

VALUES = {("spoken", "language"): ["Welsh", "Breton"], ("towns", "code"): ["ab-1", "cd-2"]}


@pytest.fixture
def land(make_table):
    """Counties with police officers, towns in them with as many columns alike, what is spoken there."""
    counties = make_table(1, "counties", "id:id name:text population:int police_officers:int room_count:text")
    towns = "id:id name:text code:text population:int length:money height:money status:text county_id:id"
    return Catalog(
        (
            counties,
            make_table(2, "towns", towns, keys={"county_id": 1}),
            make_table(3, "spoken", "id:id language:text county_id:id", keys={"county_id": 1}),
            make_table(4, "visits", "id:id town_id:id visited_on:date", keys={"town_id": 2}),
        )
    )


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("top 5 heights", "SELECT height FROM towns ORDER BY height DESC LIMIT 5"),
        ("the 3 greatest heights", "SELECT height FROM towns ORDER BY height DESC LIMIT 3"),
        (
            "what is the status of the town with the highest population?",
            "SELECT status FROM towns ORDER BY population DESC LIMIT 1",
        ),
        (
            "which status is used most often in all the towns?",
            "SELECT status FROM towns GROUP BY status ORDER BY count(*) DESC LIMIT 1",
        ),
        ("show all information about each town", "SELECT * FROM towns"),
        (
            "list the names of counties by ascending number of police officers",
            "SELECT name FROM counties ORDER BY police_officers",
        ),
        (
            "names of counties in descending order of number of police officers",
            "SELECT name FROM counties ORDER BY police_officers DESC",
        ),
        (
            "list the counties by descending number of towns",
            "ON t.county_id = c.id GROUP BY c.id, c.name ORDER BY count(*) DESC",
        ),
        ("what is the ordered list of town names?", "SELECT name FROM towns ORDER BY name"),
        ("towns returned alphabetically", "SELECT name FROM towns ORDER BY name"),
        ("towns given by population descending", "SELECT name FROM towns ORDER BY population DESC"),
        ("visits in reverse chronological order", "SELECT id FROM visits ORDER BY visited_on DESC"),
        (
            "which status is the most common of all the towns?",
            "SELECT status FROM towns GROUP BY status ORDER BY count(*) DESC LIMIT 1",
        ),
        (
            "names of the towns that have the most common status",
            "SELECT name FROM towns WHERE status IN (SELECT status FROM towns WHERE status IS NOT NULL "
            "GROUP BY status ORDER BY count(*) DESC LIMIT 1)",
        ),
        (
            "what is the most common status of towns?",
            "SELECT status FROM towns GROUP BY status ORDER BY count(*) DESC LIMIT 1",
        ),
        (
            "which towns have a length below 3 or above 5?",
            "SELECT name FROM towns WHERE (length < 3 OR length > 5)",
        ),
        (
            "which code includes the substring 'ab'?",
            "SELECT code FROM towns WHERE code ILIKE '%ab%'",
        ),
        (
            "total population of the towns for each status? Order from most to least populous.",
            "GROUP BY status ORDER BY sum(population) DESC",
        ),
        (
            "what is the smallest town by height?",
            "SELECT name FROM towns ORDER BY height LIMIT 1",
        ),
        (
            "name the towns whose height is below 45, lowest first",
            "SELECT name FROM towns WHERE height < 45 ORDER BY height",
        ),
        ("which county has the higher population?", "FROM counties ORDER BY population DESC LIMIT 1"),
        (
            "list the towns with their county, status and code",
            "SELECT t.name, c.name AS counties_name, t.status, t.code FROM",
        ),
        (
            "what is the most visited town of all time?",
            "ON v.town_id = t.id GROUP BY t.id, t.name ORDER BY count(*) DESC LIMIT 1",
        ),
        ("find the town with the largest population where Welsh is spoken", "ORDER BY t.population DESC"),
    ],
)
async def test_what_is_sorted_common_and_greatest(question, sql, land, plan):
    found = await EmbeddedEngine().propose(plan(question, land, VALUES))
    assert sql in found[0].sql, found[0].sql


async def test_what_is_not_worked_out_is_told(land, plan):
    """'Give percentages too' was a column of rates, at a confidence of 0.71."""
    found = await EmbeddedEngine().propose(plan("how many towns per status? Give percentages too.", land))
    assert "percentages" in " ".join(found[0].uncovered)


async def test_so_many_of_what_nothing_is_called_is_no_condition_on_something_else(land, plan):
    found = await EmbeddedEngine().propose(plan("counties with more than 5 lines", land))
    assert "> 5" not in found[0].sql or "lines" in found[0].uncovered


async def test_a_flag_is_said_of_the_rows_that_are_shown(make_table, plan):
    tables = (
        make_table(1, "suppliers", "id:id name:text"),
        make_table(2, "goods", "id:id name:text discontinued:bool supplier_id:id", keys={"supplier_id": 1}),
    )
    found = await EmbeddedEngine().propose(
        plan("list discontinued goods with their supplier", Catalog(tables))
    )
    assert found[0].sql.startswith("SELECT g.name, s.name"), found[0].sql
    assert found[0].sql.endswith("WHERE g.discontinued = true"), found[0].sql


@pytest.mark.parametrize("question", ["how many towns and how many counties are there?"])
async def test_two_counts_are_two(question, land, plan):
    """'how many movies and how many TV shows' was the number of one, at 0.82."""
    found = await EmbeddedEngine().propose(plan(question, land, VALUES))
    both = "count" in found[0].sql.split("FROM")[0] and "," in found[0].sql.split(" FROM")[0]
    assert both or found[0].uncovered, found[0].sql


async def test_a_request_is_no_value(make_table, plan):
    """'Give the number too' was the film 'Gie', at 0.93."""
    films = Catalog((make_table(1, "films", "id:id title:text director:text"),))
    values = {("films", "title"): ["Gie", "Ad"], ("films", "director"): ["Ang Lee"]}
    asked = "which director has made the most films? Give the number too."
    found = await EmbeddedEngine().propose(plan(asked, films, values))
    assert "Gie" not in found[0].sql
