"""Queries as patterns: constants go, what they are held against stays."""

from __future__ import annotations

import pytest

from askwire.sql.query_patterns.pattern_text import with_literals, without_literals


@pytest.mark.parametrize(
    ("sql", "left"),
    [
        ("SELECT name FROM pets WHERE kind = 'dog'", "SELECT name FROM pets WHERE kind = $1"),
        ("SELECT 1 -- for Ann\n FROM pets /* Bob */;", "SELECT $1 FROM pets"),
        (
            "SELECT name FROM pets WHERE gone IS NULL AND fed = true",
            "SELECT name FROM pets WHERE gone IS NULL AND fed = TRUE",
        ),
        ("SELECT name FROM pets LIMIT 3 OFFSET 4", "SELECT name FROM pets LIMIT $2 OFFSET $1"),
        ("SELECT name FROM pets WHERE id IN (1, 2, 3)", "SELECT name FROM pets WHERE id IN ($1)"),
        ("SELECT name FROM pets WHERE id IN (4, $1)", "SELECT name FROM pets WHERE id IN ($1)"),
        (
            "SELECT kind, count(*) FROM pets GROUP BY 1 ORDER BY 2",
            "SELECT kind, count(*) FROM pets GROUP BY 1 ORDER BY 2",
        ),
        (
            "SELECT CAST(paid AS numeric(10, 2)) FROM visits",
            "SELECT CAST(paid AS numeric(10, 2)) FROM visits",
        ),
        (
            "SELECT id FROM visits WHERE day > now() - interval '3 days'",
            "SELECT id FROM visits WHERE day > now() - CAST($1 AS interval)",
        ),
        ("SELECT id FROM pets WHERE id = $3", "SELECT id FROM pets WHERE id = $1"),
    ],
)
def test_constants_become_parameters(sql: str, left: str) -> None:
    assert without_literals(sql) == left


@pytest.mark.parametrize(
    "sql",
    [
        "WITH w AS (SELECT 'secret' AS a) SELECT * FROM w WHERE a = E'secret'",
        "SELECT CASE WHEN a = 'secret' THEN 'secret' ELSE $$secret$$ END FROM t",
        "VALUES ('secret', B'101'), ('secret', 7.5)",
        "SELECT a FROM t WHERE a LIKE '%secret%' OR a = ANY (ARRAY['secret']) OR a < 'secret'",
        "SELECT f('secret', x => 'secret') FROM g('secret') UNION SELECT 'secret' ORDER BY 1",
        "SELECT sum(a) FILTER (WHERE b = 'secret') OVER (PARTITION BY 'secret' ORDER BY c) FROM t",
        "SELECT a FROM t GROUP BY a, b || 'secret' HAVING max(c) > 'secret'",
        "SELECT a -- secret\n FROM t JOIN u ON t.b = u.b AND u.c = U&'secret' TABLESAMPLE system (1)",
        "SELECT a FROM t WHERE date 'secret' < b AND b > 'secret'::date AND c[1] = 'secret'",
    ],
)
def test_no_constant_stays_anywhere(sql: str) -> None:
    assert "secret" not in without_literals(sql)


@pytest.mark.parametrize(
    "sql", ["", "DELETE FROM pets", "SELECT 1; SELECT 2", "nonsense", "SELECT " + "1+" * 20_000 + "1"]
)
def test_what_is_not_one_query_is_nothing(sql: str) -> None:
    assert without_literals(sql) == with_literals(sql) == ""


def test_constants_may_be_kept_and_comments_may_not() -> None:
    assert (
        with_literals("SELECT name FROM pets WHERE kind = 'dog' -- Ann")
        == "SELECT name FROM pets WHERE kind = 'dog'"
    )
