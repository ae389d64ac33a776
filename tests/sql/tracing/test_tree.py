"""The few operations on trees agree with pglast's own, which are slower."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pglast.visitors import Visitor

from askwire.sql.printing import to_sql
from askwire.sql.tracing.tree import copy_tree, parse_query, walk

FILE = Path(__file__).parent / "cases" / "passes.jsonl"
QUERIES = [json.loads(line)["query"] for line in FILE.read_text("utf-8").splitlines()]
QUERIES += [
    "SELECT 'it''s', E'a\\nb', 1.50, -2, NULL, true, ARRAY[1, 2], (1, 2), x::int[], $1",
    "SELECT a FROM t WHERE NOT (a = 1 OR b) AND c BETWEEN 1 AND 2 AND d LIKE 'x%' AND e IS NOT NULL",
    "SELECT CASE a WHEN 1 THEN 'x' ELSE 'y' END, extract(year FROM d), a || b, coalesce(a, b), t.* FROM t",
    "SELECT * FROM ROWS FROM (f(1), g(2)) WITH ORDINALITY AS r(a, b), LATERAL (VALUES (1), (2)) v(x)",
]


@pytest.mark.parametrize("query", QUERIES)
def test_a_copy_says_the_same(query: str) -> None:
    tree = parse_query(query)
    assert to_sql(copy_tree(tree)) == to_sql(tree)


@pytest.mark.parametrize("query", QUERIES)
def test_walking_meets_every_node_once(query: str) -> None:
    met: list[int] = []

    class Meeting(Visitor):
        def visit(self, _ancestors: object, node: object) -> None:
            met.append(id(node))

    tree = parse_query(query)
    Meeting()(tree)
    assert sorted(map(id, walk(tree))) == sorted(met)
