"""Expansion: a short text that a planner would make huge is refused, honest chains are not."""

from __future__ import annotations

from random import Random

import pytest
from doubles.time_bounds import ProcessorTime
from pglast import parse_sql

from askwire.bench.security.disguises import disguised
from askwire.core.errors import RefusedByGate
from askwire.sql.safety.expansion import check_expansion


def nested(levels: int, expression: str, *, ctes: bool = False) -> str:
    if ctes:
        chain = "".join(f", a{n} AS (SELECT {expression} AS x FROM a{n - 1})" for n in range(1, levels))
        return f"WITH a0 AS (SELECT name AS x FROM products){chain} SELECT x FROM a{levels - 1}"
    sql = "SELECT name AS x FROM products"
    for n in range(levels):
        sql = f"SELECT {expression} AS x FROM ({sql}) AS a{n}"
    return sql


def check(sql: str) -> None:
    check_expansion(parse_sql(sql)[0].stmt)


@pytest.mark.parametrize("ctes", [False, True])
@pytest.mark.parametrize("expression", ["x || x", "coalesce(x, x, x)", "CASE WHEN x > 'a' THEN x ELSE x END"])
def test_what_doubles_at_every_level_is_refused(expression: str, ctes: bool) -> None:
    taken = ProcessorTime()
    with pytest.raises(RefusedByGate, match="larger than 50000 nodes"):
        check(nested(40, expression, ctes=ctes))
    assert taken.within(1)


@pytest.mark.parametrize(
    "sql",
    [
        nested(20, "x || x").replace(" AS a5", " AS a5(x)"),
        f"SELECT * FROM ({nested(24, 'x || x')}) AS q",
        f"SELECT 1 WHERE EXISTS ({nested(24, 'x || x')})",
        f"SELECT name FROM products UNION {nested(24, 'x || x')}",
        f"SELECT 1 FROM products JOIN ({nested(24, 'x || x')}) AS q ON q.x = name",
    ],
)
def test_it_is_found_wherever_it_stands(sql: str) -> None:
    with pytest.raises(RefusedByGate):
        check(sql)


SOURCE = "SELECT name AS x FROM products"
HEAVY = nested(12, "x || x")
"""Half of what may be."""


def lateral(levels: int) -> str:
    items = "".join(f", LATERAL (SELECT a{n - 1}.x || a{n - 1}.x AS x) AS a{n}" for n in range(1, levels))
    return f"SELECT a{levels - 1}.x FROM (SELECT name AS x FROM products) AS a0{items}"


def backwards(levels: int) -> str:
    """With RECURSIVE a CTE may name those behind it."""
    chain = "".join(f"a{n} AS (SELECT x || x AS x FROM a{n - 1}), " for n in range(levels, 0, -1))
    return f"WITH RECURSIVE {chain}a0 AS (SELECT name AS x FROM products) SELECT x FROM a{levels}"


def copied(levels: int, materialized: str) -> str:
    """CTEs that are named twice, each by the next."""
    chain = "".join(
        f", a{n} AS {materialized} (SELECT l.x FROM a{n - 1} l, a{n - 1} r)" for n in range(1, levels)
    )
    return f"WITH a0 AS (SELECT name AS x FROM products){chain} SELECT x FROM a{levels - 1}"


GROWING = [
    pytest.param(nested(30, "(SELECT x || x)"), id="a subquery that names what is around it"),
    pytest.param(lateral(40), id="LATERAL"),
    pytest.param(
        "SELECT concat(concat, concat) FROM (" * 29 + "SELECT concat(name, name) FROM products" + ") q" * 29,
        id="names that PostgreSQL gives",
    ),
    pytest.param(nested(20, "x BETWEEN SYMMETRIC false AND true"), id="BETWEEN"),
    pytest.param(nested(9, "x IN (y, y, y, y, y)"), id="IN"),
    pytest.param("SELECT q IN (NULL, NULL) AS x FROM (" * 20 + SOURCE + ") AS q" * 20, id="IN of a row"),
    pytest.param(
        "SELECT ROW(q, 1) IN (NULL, NULL, NULL, NULL) AS x FROM (" * 9 + SOURCE + ") AS q" * 9,
        id="IN of a row with another in it",
    ),
    pytest.param(
        "SELECT CASE WHEN x IN (1, 2, 3, 4) THEN x END AS x FROM (" * 9
        + "SELECT xmin AS x FROM products"
        + ") AS q" * 9,
        id="IN of a type that shares an operator with numbers, and no common type",
    ),
    pytest.param(
        "SELECT concat(q, q) AS x FROM (" * 20 + "SELECT name AS x FROM products" + ") AS q" * 20,
        id="whole rows",
    ),
    pytest.param(
        "SELECT concat(q.*, q.*) AS x FROM (" * 20 + "SELECT name AS x FROM products" + ") AS q" * 20,
        id="whole rows by star",
    ),
    pytest.param(
        "SELECT column1 || column1 AS x FROM (VALUES ((" * 20 + "SELECT 'a'" + "))) AS q" * 20,
        id="VALUES",
    ),
    pytest.param(backwards(30), id="backwards"),
    pytest.param(copied(20, "NOT MATERIALIZED"), id="relations"),
    pytest.param(f"SELECT 1 FROM ({HEAVY}) AS q WINDOW w AS (PARTITION BY x, x, x)", id="WINDOW"),
    pytest.param(f"SELECT DISTINCT ON (x, x, x) 1 FROM ({HEAVY}) AS q", id="DISTINCT ON"),
    pytest.param(
        "SELECT x FROM (SELECT (SELECT " + " + ".join(["1"] * 2000) + ") AS x) AS q "
        "JOIN products ON x + x + x + x + x + x + x + x + x + x + x + x + x + x > 0",
        id="a subquery copied whole",
    ),
    pytest.param(f"SELECT (CASE WHEN true THEN q ELSE q END).* FROM ({nested(5, 'x || x')}) AS q", id="row"),
    pytest.param(
        "SELECT q.x FROM (" + " UNION ALL ".join([nested(5, "x || x")] * 100) + ") AS q "
        "WHERE x > 'a' AND x < 'b' AND x <> 'c' AND x <> 'd' AND x <> 'e' AND x <> 'f' AND x <> 'g'",
        id="UNION ALL",
    ),
    pytest.param(
        f"SELECT 1 FROM ({HEAVY}) AS q, generate_series(1, length(concat(x, x, x))) AS s",
        id="a function in FROM",
    ),
    pytest.param(f"SELECT 1 FROM ({HEAVY}) AS q FULL JOIN ({HEAVY}) AS r USING (x)", id="FULL JOIN"),
]


@pytest.mark.parametrize("sql", GROWING)
def test_other_ways_to_grow_are_refused(sql: str) -> None:
    taken = ProcessorTime()
    with pytest.raises(RefusedByGate, match="larger than 50000 nodes"):
        check(sql)
    assert taken.within(1)


@pytest.mark.parametrize("sql", GROWING)
@pytest.mark.slow
def test_written_differently_it_is_refused_as_well(sql: str) -> None:
    random = Random(7)
    for _ in range(5):
        with pytest.raises(RefusedByGate):
            check(disguised(sql, random, hostile=False)[1])


def test_what_is_planned_once_counts_once() -> None:
    for kept in ("MATERIALIZED", ""):
        check(copied(60, kept))
    check("WITH RECURSIVE a AS (SELECT 1 AS x UNION ALL SELECT x + x + x + x FROM a) SELECT x + x FROM a")


@pytest.mark.parametrize(
    "sql",
    [
        HEAVY,
        nested(100, "x"),
        nested(60, "upper(x)", ctes=True),
        nested(8, "x || x"),
        "SELECT 1 FROM t WHERE lower(trim(a || ' ' || b)) IN ("
        + ", ".join(f"'{n}'" for n in range(2000))
        + ")",
        "SELECT " + ", ".join(f"a{n} + b{n}" for n in range(500)) + " FROM t",
        "WITH a AS (SELECT x, y FROM t), b AS (SELECT x + y AS z, x FROM a) SELECT z / x FROM b WHERE z > x",
    ],
)
def test_honest_queries_pass(sql: str) -> None:
    check(sql)
