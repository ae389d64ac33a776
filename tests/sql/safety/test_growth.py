"""Growth: what is put together from many rows is not read by one call that hears no time-out."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from data.gate_cases import CASES, SHOP, read_cases
from doubles.time_bounds import ProcessorTime

from askwire.bench.security.disguises import disguised
from askwire.core.errors import RefusedByGate
from askwire.sql.catalog import Catalog
from askwire.sql.safety import Policy, allowed, check
from askwire.sql.safety.functions import review
from askwire.sql.safety.growth.costs import (
    AGGREGATES,
    FUNCTIONS,
    GROWING,
    OPERATORS,
    SHORT_RESULTS,
    SPLITTING,
)

GROWING_CASES = read_cases(CASES / "hostile" / "growth.sql")
REASON = "no time-out reaches it"


def shop(rows: float) -> Catalog:
    """The shop, with so many rows in each table."""
    return replace(SHOP, relations=tuple(replace(r, estimated_rows=rows) for r in SHOP))


@pytest.mark.parametrize("sql", GROWING_CASES)
def test_it_is_refused_for_that_reason(sql: str) -> None:
    taken = ProcessorTime()
    with pytest.raises(RefusedByGate, match=REASON):
        check(sql, SHOP, Policy())
    assert taken.within(0.5)


def test_written_differently_it_is_refused_as_well() -> None:
    random = Random(11)
    for sql in GROWING_CASES:
        for _ in range(2):
            with pytest.raises(RefusedByGate):
                check(disguised(sql, random, hostile=False)[1], SHOP, Policy())


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT array_agg(c.name) && array_agg(c.email) FROM customers c",
        "SELECT strpos(string_agg(name, ''), string_agg(email, '')) FROM customers",
        "SELECT jsonb_agg(details) @> jsonb_agg(details) FROM orders",
        "SELECT string_agg(name, '') LIKE '%' || string_agg(email, '%') FROM customers",
    ],
)
def test_the_rows_of_a_table_decide(sql: str) -> None:
    assert check(sql, shop(50), Policy()).sql == sql
    with pytest.raises(RefusedByGate, match=REASON):
        check(sql, shop(1_000_000), Policy())


def test_a_limit_bounds_the_rows() -> None:
    sql = "SELECT array_agg(a) && array_agg(b) FROM (SELECT name AS a, email AS b FROM customers{}) q"
    with pytest.raises(RefusedByGate, match=REASON):
        check(sql.format(""), shop(1e7), Policy())
    check(sql.format(" ORDER BY id LIMIT 100"), shop(1e7), Policy())


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT strpos(string_agg(name, ','), 'Ann') FROM customers",
        "SELECT id FROM customers WHERE tags && (SELECT array_agg(name) FROM customers)",
        "SELECT upper(lower(string_agg(name, ','))) FROM customers GROUP BY country",
        "SELECT c.name FROM customers c, orders o WHERE strpos(c.name, c.email) > 0 AND c.tags && c.tags",
        "SELECT " + ", ".join(["replace(name, ',', '')::numeric * 1.5 / id"] * 40) + " FROM customers",
        "SELECT " + ", ".join(["power(1.07::float8, id) * amount"] * 40) + " FROM orders",
    ],
)
def test_ordinary_queries_of_large_tables_pass(sql: str) -> None:
    check(sql, shop(1_000_000), Policy())


def test_what_has_a_cost_is_known_to_the_gate() -> None:
    known = review().allowed | {"position"}
    for names in (FUNCTIONS, SHORT_RESULTS, AGGREGATES, SPLITTING, GROWING):
        assert not set(names) - known
    assert not set(OPERATORS) - allowed.OPERATORS


@pytest.mark.parametrize(
    "call",
    [
        "exp(5999.{n})",
        "power(7.5, {n}.5)",
        "log(2.5, {n})",
        "a.x * a.x + {n}",
        "('{n}1e131071'::numeric - 1) / 7.1 / (a.x - 1)",
    ],
)
def test_calls_that_take_a_moment_are_counted(call: str) -> None:
    """What one row computes is heard of when the row is done."""
    sql = "SELECT {} FROM (SELECT 1e131071 - 1 AS x) a"
    check(sql.format(call.format(n=1)), SHOP, Policy())
    with pytest.raises(RefusedByGate, match="very many digits"):
        check(sql.format(", ".join(call.format(n=n) for n in range(550))), SHOP, Policy())
