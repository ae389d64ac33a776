"""What reaches the answer of a statement, and what does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pglast import parse_sql

from askwire.sql.catalog import Catalog, Column, Relation
from askwire.verifier.effects import Effects
from askwire.verifier.live_facts import read_effects

CATALOG = Catalog(
    (
        Relation(
            1,
            "public",
            "t",
            "r",
            (Column("id", "integer", 23, "N", 1), Column("day", "date", 1082, "D", 2)),
            primary_key=("id",),
        ),
    )
)


def read(sql: str) -> Effects:
    effects = read_effects(parse_sql(sql)[0].stmt, CATALOG)
    assert effects is not None
    return effects


@pytest.mark.parametrize(
    ("sql", "calls"),
    [
        ("SELECT count(*) FROM t", {("count", True)}),
        ("WITH c AS (SELECT id, count(*) AS n FROM t GROUP BY id) SELECT id FROM c", set()),
        ("WITH c AS (SELECT id, count(*) AS n FROM t GROUP BY id) SELECT n FROM c", {("count", True)}),
        ("WITH c AS (SELECT count(*) FROM t) SELECT id FROM t", set()),
        ("SELECT id FROM (SELECT id, count(*) AS n FROM t GROUP BY 1) AS c WHERE n > 1", {("count", False)}),
        ("SELECT x.n FROM (SELECT id, count(*) FROM t GROUP BY 1) AS x (i, n)", {("count", True)}),
        ("SELECT * FROM (SELECT sum(id) FROM t) AS c", {("sum", True)}),
        ("SELECT DISTINCT a FROM (SELECT id AS a, max(id) AS b FROM t GROUP BY 1) AS c", set()),
        ("SELECT a FROM (SELECT DISTINCT id AS a, abs(id) FROM t) AS c", {("abs", False)}),
        ("SELECT 1 FROM t WHERE EXISTS (SELECT max(id) FROM t)", set()),
        ("SELECT 1 FROM t WHERE id = (SELECT max(id) FROM t)", {("max", False)}),
        ("SELECT (SELECT max(id) FROM t)", {("max", True)}),
        ("SELECT id FROM t UNION ALL SELECT count(*) FROM t", {("count", True)}),
        (
            "SELECT a FROM (SELECT id AS a, 1 AS b FROM t UNION SELECT 2, abs(id) FROM t) AS u",
            {("abs", False)},
        ),
        ("SELECT a FROM (SELECT id AS a, 1 AS b FROM t UNION ALL SELECT 2, abs(id) FROM t) AS u", set()),
        ("SELECT id FROM t GROUP BY id HAVING count(*) > 1", {("count", False)}),
        ("SELECT id, abs(id) AS b FROM t ORDER BY b", {("abs", True)}),
        ("SELECT id FROM (SELECT id FROM t ORDER BY abs(id)) AS c", set()),
        ("SELECT id FROM (SELECT id FROM t ORDER BY abs(id) LIMIT 1) AS c", {("abs", False)}),
        ("SELECT c.b FROM t, LATERAL (SELECT abs(t.id) AS b) AS c", {("abs", True)}),
        ("WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT abs(n + 1) FROM r) SELECT n FROM r", set()),
    ],
)
def test_calls_that_reach_the_answer(sql: str, calls: set[tuple[str, bool]]) -> None:
    assert {(c.name, c.shown) for c in read(sql).calls} == calls


@pytest.mark.parametrize(
    ("condition", "operator"),
    [("id > 1", ">"), ("NOT id > 1", "<="), ("NOT (NOT id > 1)", ">"), ("NOT (id = 1 AND id >= 2)", "<>")],
)
def test_negations_turn_comparisons(condition: str, operator: str) -> None:
    assert read(f"SELECT 1 FROM t WHERE {condition}").comparisons[0].operator == operator


def test_columns_are_followed_to_what_they_name() -> None:
    effects = read("WITH c AS (SELECT day AS d FROM t) SELECT round(x.d::int) FROM (SELECT d FROM c) AS x")
    assert effects.column(effects.outputs[0].node) == CATALOG.relations[0].columns[1]


def test_orderings_know_their_limit_and_way() -> None:
    (ordering,) = read("SELECT id AS i FROM t ORDER BY 1 DESC FETCH FIRST 3 ROWS WITH TIES").orderings
    assert (ordering.limit, ordering.top, ordering.ties, ordering.keys[0][1]) == (3, True, True, True)
    (ordering,) = read("SELECT id FROM t LIMIT (SELECT 2)").orderings
    assert ordering.limit == -1


def test_a_key_among_the_outputs_makes_rows_unlike() -> None:
    assert read("SELECT day, id FROM t").keyed
    assert read("SELECT * FROM t").keyed
    assert not read("SELECT day FROM t").keyed
    assert not read("SELECT a.id FROM t AS a, t AS b").keyed


@pytest.mark.parametrize("sql", ["SELECT id FROM t FOR UPDATE", "SELECT id FROM t TABLESAMPLE system (1)"])
def test_what_cannot_be_followed_is_not_read(sql: str) -> None:
    assert read_effects(parse_sql(sql)[0].stmt, CATALOG) is None


@given(
    st.lists(
        st.sampled_from(["SELECT id FROM t", "VALUES (1)", "TABLE t", "SELECT 1"]), min_size=2, max_size=4
    )
)
def test_any_nesting_is_read(parts: list[str]) -> None:
    joined = " UNION ".join(f"({part})" for part in parts)
    assert len(read(f"SELECT * FROM ({joined}) AS u").outputs) >= 1
