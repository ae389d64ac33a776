"""One wide table, as data files come: its name says little, and its columns say what its rows are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

VALUES = {
    ("shows", "kind"): ["Film", "Series"],
    ("shows", "listed_in"): ["Films", "Comedies"],
    ("shows", "maker"): ["Ann Lee", "Bo Ray"],
    ("shows", "title"): ["Love", "Night", "Day"],
    ("shows", "cabin"): ["F", "G"],
    ("shows", "sex"): ["female", "male"],
}


@pytest.fixture
def shows(make_table):
    """Shows: few kinds, many lists, a title each, a maker that some lack."""
    made = make_table(
        1,
        "shows",
        "kind:text listed_in:text maker:text title:text cabin:text sex:text mass:money fare:money "
        "released:int added_on:date gdp_per_capita:money",
        rows=1_000,
    )
    distinct = {"kind": 2, "listed_in": 500, "maker": 400, "title": -1, "cabin": 150, "sex": 2}
    columns = [
        replace(
            column,
            distinct=float(distinct.get(column.name, 0)),
            null_share=0.3 if column.name == "maker" else 0.0,
        )
        for column in made.columns
    ]
    return Catalog((replace(made, columns=tuple(columns)),))


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("How many films are there?", "WHERE kind = 'Film'"),
        ("films made by Ann Lee", "SELECT title FROM shows WHERE kind = 'Film' AND maker = 'Ann Lee'"),
        ("films with love in the title", "title ILIKE '%love%'"),
        ("How many women are there?", "WHERE sex = 'female'"),
        (
            "Which makers have at least ten films?",
            "WHERE kind = 'Film' GROUP BY maker HAVING count(*) >= 10",
        ),
        ("Which maker has the most titles?", "WHERE maker IS NOT NULL GROUP BY maker ORDER BY count(*) DESC"),
        ("How many films were added per month in 2021?", "GROUP BY date_trunc('month', added_on)"),
        ("released of Love and Night", "(title = 'Love' OR title = 'Night')"),
        ("shows with a GDP per capita above 1.5", "gdp_per_capita > 1.5"),
        ("heaviest title", "SELECT title FROM shows ORDER BY mass DESC"),
        ("most expensive title", "SELECT title FROM shows ORDER BY fare DESC"),
        ("titles that cost 20", "fare = 20"),
        ("who paid more than 20?", "fare > 20"),
    ],
)
async def test_rows_are_told_by_their_columns(question, sql, shows, plan):
    found = await EmbeddedEngine().propose(plan(question, shows, VALUES))
    assert sql in found[0].sql
    assert found[0].uncovered == ()


async def test_counting_what_rows_are_called_by_counts_rows(shows, plan):
    found = await EmbeddedEngine().propose(plan("How many titles are there per kind?", shows, VALUES))
    assert "count(*)" in found[0].sql
    assert found[0].uncovered == ()


async def test_what_nothing_measures_is_not_the_last_of_the_alphabet(make_table, plan):
    catalog = Catalog((make_table(1, "things", "id:id label:text"),))
    found = await EmbeddedEngine().propose(plan("heaviest label", catalog, {}))
    assert "ORDER BY" not in found[0].sql
    assert "heaviest" in found[0].uncovered


@pytest.fixture
def visits(make_table):
    """Visits: half of the columns are named as people hardly speak, and days are shortened."""
    made = make_table(
        1,
        "visits",
        "id:id guest:text sex:text member:bool weekday:text us_bill:money running_time_min:int tip:money",
        rows=1_000,
    )
    distinct = {"sex": 2, "weekday": 7, "guest": -1}
    columns = [
        replace(column, distinct=float(distinct.get(column.name, 0)), null_share=0.0)
        for column in made.columns
    ]
    return Catalog((replace(made, columns=tuple(columns)),))


VISITED = {
    ("visits", "sex"): ["female", "male"],
    ("visits", "weekday"): ["Mon", "Tue", "Wed", "Thur", "Fri", "Sat", "Sun"],
}


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("average US bill", "SELECT avg(us_bill) FROM visits"),
        ("which guest has the highest us bill?", "SELECT guest FROM visits ORDER BY us_bill DESC"),
        ("average tip on Sundays", "WHERE weekday = 'Sun'"),
        ("how many visits on Thursday?", "WHERE weekday = 'Thur'"),
        ("visits longer than 2 hours", "running_time_min > 120"),
        ("how many members are there?", "SELECT count(*) FROM visits WHERE member = true"),
        ("how many non-members are there?", "SELECT count(*) FROM visits WHERE member = false"),
        ("average tip of members and non-members", "GROUP BY member"),
        ("average tip of member visits compared to non-member visits", "GROUP BY member"),
        ("average tip of male and female visits", "GROUP BY sex"),
        ("guests with the highest tip, top 5", "ORDER BY tip DESC LIMIT 5"),
    ],
)
async def test_what_people_call_otherwise_than_columns(question, sql, visits, plan):
    found = await EmbeddedEngine().propose(plan(question, visits, VISITED))
    assert sql in found[0].sql
    assert found[0].uncovered == ()


async def test_a_pronoun_is_no_part_of_a_name(visits, plan):
    found = await EmbeddedEngine().propose(plan("Show us the tip of each guest", visits, VISITED))
    assert "us_bill" not in found[0].sql
    assert found[0].uncovered == ()
