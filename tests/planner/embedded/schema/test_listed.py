"""Lists in columns of text: how they are told from other texts, and what is asked of their elements."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.core.errors import BeyondEngine
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.schema.listed import ListColumns, known_lists, separator
from askwire.sql.catalog import Catalog

GENRES = (
    "Comedies, Dramas",
    "Dramas",
    "Dramas, Thrillers",
    "Thrillers, Comedies",
    "Comedies",
    "Horror, Dramas",
)
"""Lists of few elements, which change places."""
VALUES = {
    ("shows", "title"): ("Love", "INDIA"),
    ("shows", "kind"): ("Film", "Series"),
    ("shows", "genres"): ("Comedies", "Dramas", "Thrillers"),
    ("shows", "countries"): ("India", "France"),
}


@pytest.mark.parametrize(
    ("values", "between"),
    [
        (GENRES, ", "),
        ([v.replace(", ", "|") for v in GENRES], "|"),
        ([v.replace(", ", ";") for v in GENRES], ";"),
        ([f"{city}, {state}" for city in ("Austin", "Dallas", "Waco", "Reno") for state in ("TX", "NV")], ""),
        (
            [f"{last}, {first}" for last in ("Smith", "Jones", "Brown") for first in ("Ann", "Bo", "James")],
            "",
        ),
        (
            [
                "Well, it rains, and it pours.",
                "It rains.",
                "Come in, sit down, and tell me all.",
                "No, not me",
            ],
            "",
        ),
        (["1,200", "3,400", "200", "1,000", "5,600", "3,200"], ""),
        (["Comedies", "Dramas"], ""),
        ([], ""),
    ],
)
def test_lists_share_elements_in_any_place(values, between):
    assert separator(values) == between


def test_lists_of_names_share_few_elements_and_end_in_ever_other_ones():
    names = [f"Person {n}" for n in range(60)]
    lists = [", ".join(names[n : n + 2 + n % 3]) for n in range(0, 54, 2)] + names[:20]
    assert separator(lists) == ", "
    towns = [f"Town {n}, County {n % 9}, Land" for n in range(40)] + [
        f"Town {n}, Land" for n in range(40, 60)
    ]
    assert separator(towns) == ""


@pytest.fixture
def shows(make_table):
    """Shows with lists of genres and of countries, as statistics show them."""
    made = make_table(
        1,
        "shows",
        "id:id title:text kind:text genres:text countries:text? description:text released:int",
        rows=900,
    )
    common = {
        "genres": GENRES,
        "countries": (
            "India",
            "India, France",
            "France",
            "France, Spain",
            "Spain, India",
            "Spain",
            "India, Spain",
        ),
        "kind": ("Film", "Series"),
    }
    columns = (replace(c, common_values=common.get(c.name, ())) for c in made.columns)
    return Catalog((replace(made, columns=tuple(columns)),))


def test_statistics_tell_lists_without_a_read(shows):
    assert known_lists((r, ListColumns.of(r)) for r in shows) == {(1, "genres"): ", ", (1, "countries"): ", "}


def test_values_that_are_not_to_be_told_are_no_lists(shows):
    hidden = [replace(r, columns=tuple(replace(c, values_off=True) for c in r.columns)) for r in shows]
    assert known_lists((r, ListColumns.of(r)) for r in hidden) == {}


HELD = "'{}' = ANY (string_to_array(genres, ', '))"
EACH = "FROM shows AS s CROSS JOIN LATERAL unnest(string_to_array(s.countries, ', ')) AS e(countries)"


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("comedies released after 2019", HELD.format("Comedies")),
        ("films that are not comedies", "'Comedies' <> ALL (string_to_array(genres, ', '))"),
        (
            "how many films are both comedies and dramas",
            f"{HELD.format('Comedies')} AND {HELD.format('Dramas')}",
        ),
        ("how many shows are from India", "WHERE 'India' = ANY (string_to_array(countries, ', '))"),
        (
            "number of shows per country",
            f"SELECT e.countries, count(*) AS number_of_shows {EACH} GROUP BY e.countries",
        ),
        ("how many different countries are there", f"SELECT count(DISTINCT e.countries) {EACH}"),
        ("list all countries", f"SELECT DISTINCT e.countries {EACH}"),
        ("what are the countries of Love", "SELECT DISTINCT countries FROM shows WHERE title = 'Love'"),
        (
            "shows with more than 3 countries",
            "cardinality(string_to_array(countries, ', ')), 0) > 3",
        ),
        ("titles and their countries", "SELECT title, countries FROM shows"),
        ("shows without a country", "countries IS NULL"),
    ],
)
async def test_elements_are_compared_counted_and_listed(question, sql, shows, plan):
    found = await EmbeddedEngine().propose(plan(question, shows, VALUES))
    assert sql in found[0].sql


@pytest.mark.parametrize(
    ("question", "reading"),
    [
        ("how many shows are from India", "shows.countries includes 'India'"),
        ("number of shows per country", "per shows.countries (one by one)"),
    ],
)
async def test_lists_are_told_in_words(question, reading, shows, plan):
    found = await EmbeddedEngine().propose(plan(question, shows, VALUES))
    assert reading in found[0].reading


async def test_what_lists_have_in_common_is_not_asked_of_whole_lists(shows, plan):
    with pytest.raises(BeyondEngine):
        await EmbeddedEngine().propose(plan("countries with films but no series", shows, VALUES))
