"""A hostile text cannot make the gate use unbounded time, memory or stack.

Times are of the processor, with room for a slow machine; the parser runs in C, where no exception ends it.
"""

from __future__ import annotations

import sys
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from data.gate_cases import OBJECTS, SHOP, TYPES
from doubles.time_bounds import ProcessorTime

from askwire.core.errors import RefusedByGate
from askwire.sql.catalog import Catalog, Column, Relation
from askwire.sql.introspection.reach import Reach
from askwire.sql.safety import Policy, check
from askwire.sql.safety.patterns import too_complex

SECONDS = 3.0
MEGABYTES = 150


@pytest.fixture(autouse=True)
def bounded() -> Iterator[None]:
    """Every test here must stay within the bounds."""
    taken = ProcessorTime()
    yield
    assert taken.within(SECONDS)


def verdict(sql: str, catalog: Catalog = SHOP) -> str:
    try:
        check(sql, catalog, Policy())
    except RefusedByGate as error:
        return error.message
    return ""


BOMBS = {
    "parentheses": "SELECT " + "(" * 30_000 + "1" + ")" * 30_000,
    "unclosed parentheses": "SELECT " + "(" * 60_000,
    "sums": "SELECT " + "+".join(["1"] * 30_000),
    "signs": "SELECT " + "- " * 30_000 + "1",
    "negations": "SELECT " + "NOT " * 15_000 + "true",
    "casts": "SELECT 1" + "::int" * 12_000,
    "subscripts": "SELECT tags" + "[1]" * 20_000 + " FROM customers",
    "fields": "SELECT (c)" + ".a" * 30_000 + " FROM customers c",
    "unions": "SELECT 1" + " UNION SELECT 1" * 4_000,
    "joins": "SELECT 1 FROM customers" + " JOIN customers ON true" * 2_500,
    "nested joins": "SELECT 1 FROM " + "(" * 9_000 + "customers" + ")" * 9_000,
    "subqueries": "SELECT " + "(SELECT " * 8_000 + "1" + ")" * 8_000,
    "cases": "SELECT " + "CASE WHEN true THEN " * 3_000 + "1" + " END" * 3_000,
    "nested calls": "SELECT " + "lower(" * 9_000 + "'a'" + ")" * 9_000,
    "collations": "SELECT 'a'" + ' COLLATE "C"' * 5_000,
    "with": "WITH " + ", ".join(f"a{n} AS (SELECT 1)" for n in range(3_000)) + " SELECT 1",
    "doubling with": "WITH a0 AS (SELECT 1 AS x)"
    + "".join(f", a{n} AS (SELECT l.* FROM a{n - 1} l, a{n - 1} r)" for n in range(1, 29))
    + " SELECT * FROM a28",
    "wide doubling": "WITH a0 AS (SELECT 1 AS x)"
    + "".join(f", a{n} AS (SELECT l.*, r.* FROM a{n - 1} l, a{n - 1} r)" for n in range(1, 29))
    + " SELECT * FROM a28",
    "a long list": "SELECT 1 FROM customers WHERE id IN (" + ",".join(map(str, range(12_000))) + ")",
    "a long list of strings": "SELECT 1 FROM customers WHERE name IN (" + ",".join(["'a'"] * 9_000) + ")",
    "many rows": "VALUES " + ",".join(["(1)"] * 15_000),
    "a long literal": "SELECT '" + "x" * 65_000 + "'",
    "a long identifier": "SELECT " + "x" * 65_000,
    "a long number": "SELECT " + "9" * 65_000,
    "a long comment": "SELECT 1 /*" + "*" * 65_000 + "*/",
    "nested comments": "SELECT 1 " + "/*" * 30_000,
    "dollar quotes": "SELECT $" + "a" * 60_000 + "$",
    "many dollars": "SELECT " + "$a$ $b$ " * 8_000,
    "quotes": "SELECT " + "'" * 65_001,
    "backslashes": "SELECT E'" + "\\" * 65_000 + "'",
    "unicode escapes": "SELECT U&'" + "\\0041" * 12_000 + "'",
    "combining marks": "SELECT '" + "e\u0301" * 20_000 + "'",
    "wide characters": "SELECT '" + "\U0001f600" * 16_000 + "'",
    "half a pair": "SELECT '\ud83d'",
    "a megabyte": "SELECT '" + "x" * 1_000_000 + "'",
    "a hundred thousand tokens": "SELECT " + "a , " * 100_000 + "a",
    "grouping sets": "SELECT 1 FROM customers GROUP BY " + "CUBE (" * 2_000 + "id" + ")" * 2_000,
    "operators": "SELECT 1 " + "+-*/<>=~!@#%^&|`?" * 3_000 + " 1",
    "statements": ";" * 60_000,
    "arrays": "SELECT " + "ARRAY[" * 9_000 + "1" + "]" * 9_000,
    "rows": "SELECT " + "ROW(" * 9_000 + "1" + ")" * 9_000,
}
HARMLESS = {
    *("a long literal", "a long identifier", "a long number", "a long comment", "doubling with"),
    *("unicode escapes", "combining marks", "wide characters", "backslashes"),
}


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.slow
def test_bombs_are_refused_in_bounded_time(name: str) -> None:
    tracemalloc.start()
    try:
        message = verdict(BOMBS[name])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (message == "") == (name in HARMLESS)
    assert len(message) < 500
    assert peak < MEGABYTES * 1_000_000


@pytest.mark.parametrize("name", ["sums", "subqueries", "cases", "nested calls", "unions"])
def test_a_bomb_in_a_thread_with_a_small_stack_is_refused_too(name: str) -> None:
    told: list[str] = []
    size = threading.stack_size(1024 * 1024)
    try:
        thread = threading.Thread(target=lambda: told.append(verdict(BOMBS[name])))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
    assert told
    assert told[0]


DEEP = {
    "sums": lambda n: "SELECT " + "+".join(["1"] * n),
    "parentheses": lambda n: "SELECT " + "(" * n + "1" + ")" * n,
    "calls": lambda n: "SELECT " + "lower(" * n + "'a'" + ")" * n,
    "subqueries": lambda n: "SELECT " + "(SELECT " * n + "1" + ")" * n,
    "cases": lambda n: "SELECT " + "CASE WHEN true THEN " * n + "1" + " END" * n,
}


@pytest.mark.parametrize("name", DEEP)
def test_what_is_just_deep_enough_needs_no_more_stack_than_python_gives(name: str) -> None:
    make: Callable[[int], str] = DEEP[name]
    limit = sys.getrecursionlimit()
    for depth in (10, 25, 100, 180, 195, 199, 200, 210):
        verdict(make(depth))
    assert sys.getrecursionlimit() == limit


PATTERNS = [
    "(" * 1000,
    "a{1,1000}" * 100,
    "[" * 1000,
    "[[." * 300,
    "\\" * 999,
    "(?:" * 300,
    "{" * 1000,
    "[^]" * 300,
]


@pytest.mark.parametrize("pattern", PATTERNS, ids=range(len(PATTERNS)))
def test_judging_a_pattern_is_no_bomb_itself(pattern: str) -> None:
    too_complex(pattern)
    too_complex(pattern * 100)


def _large(relations: int) -> Catalog:
    columns = tuple(Column(f"c{n}", "text", TYPES["text"][0], "S", n) for n in range(1, 6))
    return Catalog(
        tuple(Relation(100 + n, "public", f"t{n}", "r", columns) for n in range(relations)),
        ("pg_catalog", "public"),
    )


def test_a_large_schema_costs_a_statement_nothing() -> None:
    catalog = _large(10_000)
    assert verdict("SELECT c1 FROM t1", catalog) == ""
    taken = ProcessorTime()
    for n in range(100):
        assert (
            verdict(f"SELECT a.c1 FROM t{n} a JOIN t{n + 1} b ON a.c1 = b.c1 WHERE a.c2 = 'x'", catalog) == ""
        )
    assert taken.within(1.0)


def test_views_over_views_are_followed_once_each() -> None:
    reads = {n: frozenset({n + 1, n + 2}) for n in range(5_000)}
    reach = Reach(view_reads=reads, view_runs={4_999: frozenset({"public.f"})})
    assert reach.reading(0, row_security=False) == (("public.f",), False)
    checked = {n: frozenset({n}) for n in range(5_000)}
    types = {n: frozenset({(n + 1) % 5_000}) for n in range(5_000)}
    assert Reach(checked=checked, check_types=types).converting(0) == ()


SHADOWED = replace(
    SHOP, objects=replace(OBJECTS, operators=OBJECTS.operators | {"=", "<>", "<", ">", "<=", ">="})
)
DOUBLING = {
    "nullif": "nullif({}, 'a')",
    "between": "({}) BETWEEN true AND false",
    "in": "({}) IN (true, false, true)",
    "case": "CASE {} WHEN 'a' THEN 'b' WHEN 'c' THEN 'd' END",
}


@pytest.mark.parametrize("form", DOUBLING.values(), ids=DOUBLING)
def test_writing_out_operators_makes_no_bomb(form: str) -> None:
    text = "name"
    for _ in range(12):
        text = form.format(text)
    taken = ProcessorTime()
    with pytest.raises(RefusedByGate, match=r"too long|larger than 50000 nodes"):
        check(f"SELECT {text} FROM customers", SHADOWED, Policy())
    assert taken.within(1)


def test_a_long_list_is_written_out() -> None:
    listed = ", ".join(f"'{n}'" for n in range(500))
    passed = check(f"SELECT name FROM customers WHERE name IN ({listed})", SHADOWED, Policy())
    assert passed.sql.count("OPERATOR(pg_catalog.=)") == 500
