"""Expansion: a short text that a planner would make huge is refused, honest chains are not."""

from __future__ import annotations

import time

import pytest
from pglast import parse_sql

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
    began = time.process_time()
    with pytest.raises(RefusedByGate, match="larger than 50000 nodes"):
        check(nested(40, expression, ctes=ctes))
    assert time.process_time() - began < 1


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


@pytest.mark.parametrize(
    "sql",
    [
        nested(100, "x"),
        nested(60, "upper(x)", ctes=True),
        nested(8, "x || x"),
        "SELECT " + ", ".join(f"a{n} + b{n}" for n in range(500)) + " FROM t",
        "WITH a AS (SELECT x, y FROM t), b AS (SELECT x + y AS z, x FROM a) SELECT z / x FROM b WHERE z > x",
    ],
)
def test_honest_queries_pass(sql: str) -> None:
    check(sql)
