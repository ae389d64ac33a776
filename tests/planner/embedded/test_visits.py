"""Questions of when and where, names in capitals, clauses that say which rows, and orders by two keys."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

VALUES = {
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
            make_table(2, "museum", "id:id name:text state:text city:text"),
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
        ("Where does Ada Stone live?", "SELECT address FROM visitor WHERE name = 'Ada Stone'"),
        ("Where is the Louvre?", "SELECT city FROM museum WHERE name = 'Louvre'"),
        ("names of the visitors from the US", "WHERE country = 'United States'"),
        (
            "names of visitors from the US or the UK",
            "WHERE (country = 'United States' OR country = 'United Kingdom')",
        ),
        ("How many museums are in OR?", "SELECT count(*) FROM museum WHERE state = 'OR'"),
        ("give us the names of the museums", "SELECT name FROM museum"),
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
        ("names of the visitors who are over 30", ""),
        ("names of the visitors who visited the Louvre", ""),
        ("number of museums in each state", ""),
        ("names of the visits in order of the time at which they were visited", ""),
        ("Where does Ada Stone live?", ""),
        ("When did Ada Stone visit the Louvre?", ""),
    ],
)
async def test_a_clause_of_which_nothing_is_read_speaks_against_an_answer(question, signal, plan, visits):
    found = (await _first(question, plan, visits)).signals
    assert {name for name in ("clause_unread", "kind_unlike") if found.get(name)} == ({signal} - {""})


async def test_an_answer_without_a_time_is_not_what_when_asks_for(plan, make_table):
    catalog = Catalog(
        (
            make_table(1, "visitor", "id:id name:text"),
            make_table(2, "visit", "id:id visitor_id:int tickets:int", keys={"visitor_id": 1}),
        )
    )
    assert (await _first("When did Ada Stone visit?", plan, catalog)).signals["kind_unlike"]
