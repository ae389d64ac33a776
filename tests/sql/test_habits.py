"""Habits: what is read of queries, and what is not kept of them."""

from __future__ import annotations

import pytest
from tracing_catalog import CATALOG

from askwire.sql.habits import ColumnName, Filter, Habits, Join, Measure, collected, entries, observed

SINGER = ("public", "singer")
SONG = ("public", "song")
BY_SINGER = Join(ColumnName(*SINGER, "id"), ColumnName(*SONG, "singer_id"))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM singer s JOIN song g ON g.singer_id = s.id",
        "SELECT * FROM song, singer WHERE id = song.singer_id AND age IS NOT NULL",
        "SELECT name FROM singer s WHERE EXISTS (SELECT 1 FROM song WHERE singer_id = s.id)",
        "WITH x AS (SELECT name FROM singer LEFT JOIN song ON singer.id = song.singer_id) SELECT * FROM x",
        "SELECT title FROM song JOIN singer ON id = singer_id UNION SELECT title FROM song g, singer s"
        " WHERE s.id = g.singer_id",
    ],
)
def test_joins_are_found_wherever_they_are_written_and_once(sql: str) -> None:
    assert observed(sql, CATALOG).joins == {BY_SINGER: 1}


def test_a_table_joined_with_itself_is_no_join_of_two() -> None:
    assert not observed("SELECT 1 FROM singer a JOIN singer b ON a.id = b.age", CATALOG).joins


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        ("s.age IS NULL", {"age IS NULL"}),
        ("s.age IS NOT NULL AND lower(s.name) = s.country", {"age IS NOT NULL", "lower(name) = country"}),
        ("s.country = 'Oslo'", set()),
        ("s.age > $1", set()),
        ("s.age IS NULL OR s.name = 'x'", set()),
        ("s.age = (SELECT max(age) FROM singer)", set()),
        ("NOT (s.age IS NULL)", {"NOT age IS NULL"}),
    ],
)
def test_filters_are_kept_without_literals(condition: str, kept: set[str]) -> None:
    found = observed(f"SELECT s.name FROM singer AS s WHERE {condition}", CATALOG)
    assert {f.condition for f in found.filters} == kept
    assert {(f.schema, f.relation) for f in found.filters} <= {SINGER}


def test_literals_are_kept_where_they_are_let_in() -> None:
    sql = "SELECT sum(sales * 2) FROM song WHERE title = 'Hey'"
    assert not observed(sql, CATALOG).filters
    found = observed(sql, CATALOG, literals=True)
    assert found.filters == {Filter(*SONG, "title = 'Hey'"): 1}
    assert found.measures == {Measure(*SONG, "sum(sales * 2)"): 1}


def test_measures_groups_and_outputs() -> None:
    found = observed(
        "SELECT s.country, avg(g.sales) FROM singer s JOIN song g ON g.singer_id = s.id"
        " GROUP BY s.country HAVING count(DISTINCT g.title) > 1 ORDER BY avg(g.sales)",
        CATALOG,
    )
    assert found.measures == {Measure(*SONG, "avg(sales)"): 1, Measure(*SONG, "count(DISTINCT title)"): 1}
    assert found.groups == {ColumnName(*SINGER, "country"): 1}
    assert found.outputs == {ColumnName(*SINGER, "country"): 1}


@pytest.mark.parametrize(
    "sql",
    [
        "",
        "nonsense",
        "DELETE FROM singer",
        "SELECT * FROM nowhere",
        "SELECT 1; SELECT 2",
        "SELECT 1" + " " * 30_000,
    ],
)
def test_what_is_no_query_over_the_catalog_has_no_habits(sql: str) -> None:
    assert not observed(sql, CATALOG)


def test_habits_add_up_and_have_shares() -> None:
    habits = Habits()
    habits.add(observed("SELECT name FROM singer WHERE age IS NULL", CATALOG), 3)
    habits.add(observed("SELECT name FROM singer", CATALOG))
    assert habits.share(Filter(*SINGER, "age IS NULL")) == 0.75
    assert habits.outputs == {ColumnName(*SINGER, "name"): 4}


def test_entries_are_collected_again() -> None:
    habits = observed(
        "SELECT country, avg(sales) FROM singer JOIN song ON singer_id = id WHERE age IS NULL GROUP BY 1",
        CATALOG,
    )
    assert collected(entries(habits)) == habits
    assert collected([("colour", ("x",), 1), ("join", ("a", "b"), 2), ("filter", ("a",), 1)]) == Habits()
