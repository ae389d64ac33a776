"""Mutants: one small change each, always the same ones, and all of them queries."""

from __future__ import annotations

import json

import pytest
from pglast.parser import parse_sql_json

from askwire.bench.separation.mutants import Mutant, mutants
from askwire.bench.separation.mutations import CLASSES
from askwire.sql.catalog import Catalog, Column, Relation


def relation(oid: int, name: str, *columns: tuple[str, str]) -> Relation:
    types = {"N": ("integer", 23), "S": ("text", 25)}
    made = (
        Column(column, *types[category], category=category, position=position)
        for position, (column, category) in enumerate(columns, 1)
    )
    return Relation(oid, "public", name, "r", tuple(made))


KEY = Column("id", "integer", 23, "N", 1, not_null=True)
NAME = Column("name", "text", 25, "S", 2)
CATALOG = Catalog(
    (
        Relation(3, "public", "keyed", "r", (KEY, NAME), primary_key=("id",)),
        relation(1, "orders", ("id", "N"), ("customer_id", "N"), ("total", "N"), ("note", "S")),
        relation(2, "customers", ("id", "N"), ("name", "S"), ("town", "S")),
    ),
    ("public",),
)
JOIN = "SELECT c.name FROM orders o JOIN customers c ON o.customer_id = c.id"

CASES = [
    ("filter", "SELECT a FROM t WHERE a = 'x' AND b = 'y'", "SELECT a FROM t WHERE b = 'y'"),
    ("filter", "SELECT a FROM t WHERE a = 'x' AND b = 'y'", "SELECT a FROM t WHERE a = 'x' OR b = 'y'"),
    ("filter", "SELECT a FROM t WHERE a = 'x' OR b = 'y'", "SELECT a FROM t WHERE a = 'x' AND b = 'y'"),
    ("filter", "SELECT a FROM t WHERE a = 'x'", "SELECT a FROM t"),
    ("filter", "SELECT a FROM t WHERE a = 'x'", "SELECT a FROM t WHERE NOT a = 'x'"),
    (
        "filter",
        "SELECT a FROM t GROUP BY a HAVING sum(b) = c",
        "SELECT a FROM t GROUP BY a",
    ),
    ("boundary", "SELECT a FROM t WHERE a < b", "SELECT a FROM t WHERE a <= b"),
    ("boundary", "SELECT a FROM t WHERE a >= b", "SELECT a FROM t WHERE a > b"),
    (
        "boundary",
        "SELECT a FROM t WHERE a BETWEEN 1 AND 5",
        "SELECT a FROM t WHERE a >= 1 AND a < 5",
    ),
    ("constant", "SELECT a FROM t WHERE a = 7", "SELECT a FROM t WHERE a = 8"),
    ("constant", "SELECT a FROM t WHERE a = 7", "SELECT a FROM t WHERE a = 6"),
    ("join kind", JOIN, "SELECT c.name FROM orders o LEFT JOIN customers c ON o.customer_id = c.id"),
    ("join key", JOIN, "SELECT c.name FROM orders o JOIN customers c ON o.total = c.id"),
    ("distinct", "SELECT a FROM t", "SELECT DISTINCT a FROM t"),
    ("distinct", "SELECT DISTINCT a FROM t", "SELECT a FROM t"),
    ("distinct", "SELECT count(a) FROM t", "SELECT count(DISTINCT a) FROM t"),
    ("aggregate", "SELECT sum(a) FROM t", "SELECT avg(a) FROM t"),
    ("aggregate", "SELECT max(a) FROM t", "SELECT min(a) FROM t"),
    ("aggregate", "SELECT count(a) FROM t", "SELECT count(*) FROM t"),
    ("aggregate", "SELECT count(*) FROM orders", "SELECT count(orders.id) FROM orders"),
    (
        "grouping",
        "SELECT a, b, count(*) FROM t GROUP BY a, b",
        "SELECT b, count(*) FROM t GROUP BY b",
    ),
    (
        "grouping",
        "SELECT id FROM orders GROUP BY id",
        "SELECT id FROM orders GROUP BY id, orders.customer_id",
    ),
    ("set operation", "SELECT a FROM t UNION SELECT a FROM u", "SELECT a FROM t EXCEPT SELECT a FROM u"),
    ("set operation", "SELECT a FROM t UNION SELECT a FROM u", "SELECT a FROM t UNION ALL SELECT a FROM u"),
    ("set operation", "SELECT a FROM t EXCEPT SELECT a FROM u", "SELECT a FROM u EXCEPT SELECT a FROM t"),
    ("null", "SELECT a FROM t WHERE a IS NULL", "SELECT a FROM t WHERE a IS NOT NULL"),
    ("null", "SELECT a FROM t WHERE a <> 'x'", "SELECT a FROM t WHERE a IS DISTINCT FROM 'x'"),
    ("null", "SELECT avg(a) FROM t", "SELECT avg(coalesce(a, 0)) FROM t"),
    ("ordering", "SELECT a FROM t ORDER BY a", "SELECT a FROM t ORDER BY a DESC"),
    ("ordering", "SELECT a FROM t ORDER BY a DESC", "SELECT a FROM t ORDER BY a DESC NULLS LAST"),
    ("ordering", "SELECT a FROM t ORDER BY a, b", "SELECT a FROM t ORDER BY b"),
    ("limit", "SELECT a FROM t LIMIT 3", "SELECT a FROM t LIMIT 4"),
    ("limit", "SELECT a FROM t LIMIT 3", "SELECT a FROM t LIMIT 2"),
    ("limit", "SELECT a FROM t LIMIT 3", "SELECT a FROM t"),
]


def tree(sql: str) -> object:
    """What a query says, whatever its spelling."""
    told = json.loads(parse_sql_json(sql))["stmts"][0]["stmt"]
    return _without_places(told)


def _without_places(value: object) -> object:
    if isinstance(value, dict):
        return {k: _without_places(v) for k, v in value.items() if "location" not in k and "list_" not in k}
    if isinstance(value, tuple | list):
        return [_without_places(v) for v in value]
    return value


@pytest.mark.parametrize(("kind", "query", "expected"), CASES)
def test_a_mutant_is_the_query_with_one_change(kind: str, query: str, expected: str) -> None:
    assert tree(expected) in [tree(m.sql) for m in mutants(query, CATALOG) if m.kind == kind]


def test_every_class_has_a_case() -> None:
    assert {kind for kind, _, _ in CASES} == set(CLASSES)


EVERYTHING = """
    WITH w AS (SELECT id FROM orders WHERE total > 10 OR note IS NULL)
    SELECT DISTINCT c.town, c.name, count(*), sum(o.total) FROM orders o
    LEFT JOIN customers c ON o.customer_id = c.id AND c.town <> 'x'
    WHERE o.total BETWEEN 1 AND 5 AND o.id IN (SELECT id FROM w UNION VALUES (1), (2))
    GROUP BY c.town, c.name HAVING count(DISTINCT o.note) >= 2 ORDER BY 3 DESC, c.town LIMIT 3
"""


def test_mutants_parse_differ_and_come_in_the_same_order() -> None:
    made = list(mutants(EVERYTHING, CATALOG))
    texts = [m.sql for m in made]
    assert {m.kind for m in made} == set(CLASSES)
    assert len(set(texts)) == len(texts) > 40
    assert tree(EVERYTHING) not in [tree(text) for text in texts]
    assert made == list(mutants(EVERYTHING, CATALOG))


@pytest.mark.parametrize(
    ("kind", "query"),
    [
        ("distinct", "SELECT count(*) FROM orders"),
        ("distinct", "SELECT note, count(*) FROM orders GROUP BY note"),
        ("distinct", "SELECT k.name, k.id FROM keyed k"),
        ("distinct", "SELECT DISTINCT id FROM orders WHERE id IN (SELECT id FROM customers)"),
        ("distinct", "SELECT DISTINCT a.id FROM a WHERE EXISTS (SELECT 1 FROM b)"),
        ("distinct", "SELECT id FROM orders UNION SELECT id FROM customers"),
        ("ordering", "SELECT note FROM orders GROUP BY note ORDER BY count(*)"),
        ("ordering", "SELECT id FROM keyed ORDER BY keyed.id"),
        ("null", "SELECT min(id) FROM keyed"),
        ("aggregate", "SELECT count(id) FROM keyed"),
        ("grouping", "SELECT id FROM keyed GROUP BY id"),
        ("join kind", f"{JOIN} WHERE c.town = 'x' AND o.id > 1"),
        ("join kind", f"{JOIN} WHERE c.town = 'x' OR c.town = 'y'"),
    ],
)
def test_no_mutant_is_made_that_cannot_differ(kind: str, query: str) -> None:
    changes = {
        "distinct": "DISTINCT added",
        "ordering": "NULLS FIRST ↔ LAST",
        "null": "NULL became 0 in min",
        "aggregate": "count(column) became count(*)",
        "grouping": "grouped by name too",
        "join kind": "a join became LEFT",
    }
    assert changes[kind] not in [m.change for m in mutants(query, CATALOG)]


def test_a_join_is_judged_by_the_query_it_stands_in() -> None:
    inner = f"{JOIN} WHERE o.id IN (SELECT c.id FROM customers c WHERE c.town = 'x')"
    assert "a join became LEFT" in [m.change for m in mutants(inner, CATALOG)]


@pytest.mark.parametrize("text", ["DELETE FROM t", "SELECT 1; SELECT 2", "SELECT FROM WHERE", ""])
def test_nothing_is_made_of_what_is_no_single_query(text: str) -> None:
    made: list[Mutant] = list(mutants(text))
    assert made == []
