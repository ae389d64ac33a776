"""Habits: what is read of queries, and what is not kept of them."""

from __future__ import annotations

import pytest
from data.tracing_catalog import CATALOG

from askwire.sql.catalog import Catalog, Column, Relation
from askwire.sql.query_patterns.extraction import observed
from askwire.sql.query_patterns.patterns import (
    MAX_COUNT_PER_QUERY,
    ColumnName,
    Expression,
    Join,
    NamedMeasure,
    QueryPatterns,
    Sight,
    columns_in,
    told,
)

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


def filters(sql: str, *, literals: bool = False) -> set[str]:
    found = observed(sql, CATALOG, literals=literals).filters
    assert {(f.schema, f.relation) for f in found} <= {SINGER, SONG}
    return {told(f.condition) for f in found}


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        ("s.age IS NULL", {"age IS NULL"}),
        ("s.age IS NOT NULL AND lower(s.name) = s.country", {"age IS NOT NULL", "lower(name) = country"}),
        ("s.country = 'Oslo'", set()),
        ("s.age > $1", set()),
        ("s.age IS NULL OR s.name = 'x'", set()),
        ("s.age = (SELECT max(age) FROM singer)", set()),
        ("NOT (s.age IS NULL)", {"age IS NOT NULL"}),
    ],
)
def test_filters_are_kept_without_literals(condition: str, kept: set[str]) -> None:
    assert filters(f"SELECT s.name FROM singer AS s WHERE {condition}") == kept


@pytest.mark.parametrize(
    "spelt", ["NOT fake", "fake = false", "fake <> true", "fake IS FALSE", "NOT fake = true"]
)
def test_conditions_that_say_the_same_of_truth_values_are_one(spelt: str) -> None:
    fake = Column("fake", "boolean", 16, "B", 3)
    shop = Catalog((Relation(1, "public", "sale", "r", (fake,)),))
    (found,) = observed(f"SELECT 1 FROM sale WHERE {spelt}", shop).filters
    assert told(found.condition) == "NOT fake"


def test_never_null_decides_whether_is_not_true_is_false() -> None:
    for never_null, meant in ((True, "NOT fake"), (False, "fake IS NOT TRUE")):
        fake = Column("fake", "boolean", 16, "B", 3, never_null)
        shop = Catalog((Relation(1, "public", "sale", "r", (fake,)),))
        (found,) = observed("SELECT 1 FROM sale WHERE fake IS NOT TRUE", shop).filters
        assert told(found.condition) == meant


def test_a_view_says_the_same_with_casts() -> None:
    assert filters("SELECT 1 FROM singer WHERE (country)::text <> 'Oslo'::text", literals=True) == {
        "country <> 'Oslo'"
    }
    assert filters("SELECT 1 FROM singer WHERE (age)::text <> '1'::text", literals=True) == {
        "CAST(age AS text) <> '1'"
    }


def test_null_where_an_outer_join_found_nothing_is_no_filter() -> None:
    joined = "SELECT s.name FROM singer s LEFT JOIN song g ON g.singer_id = s.id"
    assert filters(f"{joined} WHERE g.singer_id IS NULL") == set()
    assert filters(f"{joined} AND g.sales IS NOT NULL") == {"sales IS NOT NULL"}
    assert filters(f"{joined} WHERE s.age IS NULL") == {"age IS NULL"}


def test_literals_are_kept_where_they_are_let_in() -> None:
    sql = "SELECT sum(sales * 2) FROM song WHERE title = 'Hey'"
    assert not filters(sql)
    assert filters(sql, literals=True) == {"title = 'Hey'"}
    assert measures(sql, literals=True) == {"sum(sales * 2)": 1}
    assert not measures(sql)


def measures(sql: str, *, literals: bool = False) -> dict[str, int]:
    return {told(e): n for e, n in observed(sql, CATALOG, literals=literals).measures.items()}


def test_measures_groups_and_outputs() -> None:
    sql = (
        "SELECT s.country, avg(g.sales) FROM singer s JOIN song g ON g.singer_id = s.id"
        " GROUP BY s.country HAVING count(DISTINCT g.title) > 1 ORDER BY avg(g.sales)"
    )
    found = observed(sql, CATALOG)
    assert measures(sql) == {"avg(sales)": 1, "count(DISTINCT title)": 1}
    assert found.groups == {ColumnName(*SINGER, "country"): 1}
    assert found.outputs == {ColumnName(*SINGER, "country"): 1}


@pytest.mark.parametrize("by", ["date_trunc('month', age)", "1", "extract(year FROM s.age)", "age"])
def test_a_group_by_a_part_of_a_column_counts_for_the_column(by: str) -> None:
    sql = f"SELECT date_trunc('month', s.age), count(*) FROM singer s GROUP BY {by}"
    assert observed(sql, CATALOG).groups == {ColumnName(*SINGER, "age"): 1}


@pytest.mark.parametrize(
    ("output", "kept"),
    [
        ("sum(g.sales * s.age) AS revenue", "sum(sales * age)"),
        ("sum(g.sales) / 100.0 AS revenue", "sum(sales) / 100.0"),
        ("sum(g.sales) / count(DISTINCT s.id) AS revenue", "sum(sales) / count(DISTINCT id)"),
        ("coalesce(sum(sales), 0) AS revenue", "COALESCE(sum(sales), 0)"),
        ("sum(sales) / nullif(count(age), 0) AS revenue", "sum(sales) / NULLIF(count(age), 0)"),
        ("count(*) FILTER (WHERE s.age IS NULL) AS revenue", "count(*) FILTER (WHERE age IS NULL)"),
        ("sum(sales) FILTER (WHERE title = 'Hey') AS revenue", ""),
        ("sum(sales * 3) AS revenue", ""),
        ("sum(sales) + max(s.id) OVER () AS revenue", ""),
        ("sum(sales) - s.age AS revenue", ""),
        ("count(*) AS revenue", ""),
        ("sum(sales)", ""),
        ("(SELECT sum(sales) FROM song) AS revenue", "sum(sales)"),
    ],
)
def test_measures_have_the_names_that_people_give_them(output: str, kept: str) -> None:
    sql = f"SELECT s.country, {output} FROM singer s JOIN song g ON g.singer_id = s.id GROUP BY 1"
    named = observed(sql, CATALOG).named
    if output.startswith("(SELECT"):
        assert not named  # the inner one has no name of its own
    else:
        assert [(n.name, told(n.expression)) for n in named] == ([("revenue", kept)] if kept else [])


def test_a_measure_of_a_with_query_and_of_a_view_counts() -> None:
    sql = "WITH x AS (SELECT sum(sales) AS sold FROM song) SELECT sold FROM x"
    (found,) = observed(sql, CATALOG, view="yearly").named
    assert found == NamedMeasure("sold", ("sum(", ColumnName(*SONG, "sales"), ")"), "yearly")


def test_how_a_relation_was_read() -> None:
    found = observed(
        "SELECT sum(g.sales) FROM singer s JOIN song g ON g.singer_id = s.id WHERE s.age IS NULL", CATALOG
    )
    age: Expression = (ColumnName(*SINGER, "age"), " IS NULL")
    sold: Expression = ("sum(", ColumnName(*SONG, "sales"), ")")
    assert found.sights == {
        Sight(*SINGER, True, frozenset({age}), frozenset({sold}), frozenset({"age"})): 1,
        Sight(*SONG, True, frozenset(), frozenset({sold})): 1,
    }


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


def test_what_the_asker_may_not_read_leaves_no_trace() -> None:
    found = observed(
        "SELECT secret, sum(secret) AS s, sum(age + secret) AS t FROM singer"
        " WHERE secret IS NULL AND age > secret GROUP BY secret",
        CATALOG,
    )
    assert "secret" not in repr(found)


def test_habits_add_up_and_one_query_counts_so_often_at_most() -> None:
    query_patterns = QueryPatterns()
    query_patterns.add(observed("SELECT name FROM singer WHERE age IS NULL", CATALOG), 300)
    query_patterns.add(observed("SELECT name FROM singer", CATALOG), 2)
    assert query_patterns.outputs == {ColumnName(*SINGER, "name"): 302}
    assert sum(query_patterns.sights.values()) == MAX_COUNT_PER_QUERY + 2
    assert list(query_patterns.filters.values()) == [MAX_COUNT_PER_QUERY]


def test_an_expression_tells_its_columns() -> None:
    (found,) = observed("SELECT sum(sales * age) FROM song, singer", CATALOG).measures
    assert list(columns_in(found)) == [ColumnName(*SONG, "sales"), ColumnName(*SINGER, "age")]
