"""SQL is printed as pglast prints it, in less time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pglast import ast, parse_sql
from pglast.parser import ParseError
from pglast.stream import RawStream

from askwire.sql.printing import to_sql

HERE = Path(__file__).parent
TEXTS = [
    json.loads(line)["query"]
    for line in (HERE / "tracing/cases/passes.jsonl").read_text("utf-8").splitlines()
]
TEXTS += [path.read_text("utf-8") for path in sorted(HERE.rglob("*.sql"))]
TEXTS += [
    "SELECT 'it''s', E'a\\nb', 1.50, -2, - -2, NULL, true, ARRAY[1, 2], (1, 2), x::int[], $1, U&'\\00e9'",
    "SELECT a FROM t WHERE NOT (a = 1 OR b) AND c BETWEEN 1 AND 2 AND d LIKE 'x%' AND e IS NOT NULL",
    "SELECT CASE a WHEN 1 THEN 'x' ELSE 'y' END, extract(year FROM d), a || b, coalesce(a, b), t.* FROM t",
    "SELECT * FROM ROWS FROM (f(1), g(2)) WITH ORDINALITY AS r(a, b), LATERAL (VALUES (1), (2)) v(x)",
    'SELECT "Or der"."select", (r).f[1].g, ((a + b) * c) - (d - e), a IN (1, 2) FROM "Or der", "x""y"',
    "SELECT a OPERATOR(pg_catalog.=) ANY (b), a = ALL (SELECT 1), EXISTS (SELECT 1), (SELECT 1) + 1",
    "SELECT sum(a) FILTER (WHERE b) OVER (PARTITION BY c ORDER BY d ROWS 1 PRECEDING), position('a' IN b)",
    "SELECT (a COLLATE \"C\") || b, (a AT TIME ZONE 'UTC')::text::int, (-1)::int, -1::int, (a IS NULL)",
    "WITH x AS MATERIALIZED (SELECT 1) SELECT DISTINCT ON (a) a FROM x GROUP BY GROUPING SETS ((a), ())",
    "SELECT 1; INSERT INTO t (a) VALUES (1) ON CONFLICT DO NOTHING; (SELECT 1) UNION (SELECT 2 ORDER BY 1)",
]


def parses(text: str) -> bool:
    try:
        return bool(parse_sql(text))
    except ParseError:
        return False


@pytest.mark.parametrize("text", [t for t in TEXTS if parses(t)])
def test_a_tree_prints_as_pglast_prints_it(text: str) -> None:
    statements = parse_sql(text)
    expected = [str(RawStream()(statement)) for statement in statements]
    assert [to_sql(statement) for statement in statements] == expected
    assert to_sql(statements) == "; ".join(expected)


def test_what_pglast_cannot_print_is_an_error() -> None:
    with pytest.raises(NotImplementedError):
        to_sql(ast.RangeTblEntry())
