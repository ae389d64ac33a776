"""A query set otherwise: the same query, whatever it holds."""

from __future__ import annotations

import pytest

from askwire.sql.canonical.query_form import query_form
from askwire.sql.presentation.layout import folded

QUERIES = (
    "SELECT name FROM products WHERE stock = 0",
    "SELECT a FROM t WHERE x = 'a constant from here  to there' AND b BETWEEN 1 AND 2 ORDER BY 1",
    'SELECT (SELECT max(b) FROM t WHERE a = $q$x  y$q$) AS n, "odd  from name" FROM t LEFT OUTER JOIN u'
    " USING (a) LEFT JOIN v ON v.b IS DISTINCT FROM u.b GROUP BY 1, 2 UNION ALL SELECT 1, '2' LIMIT 3",
    "WITH w AS (SELECT extract(year FROM d) AS y FROM t) SELECT left(y::text, 2),"
    " count(*) FILTER (WHERE true) FROM w WHERE y > -1 OR y < - 1 GROUP BY 1 HAVING count(*) > 1",
)


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("width", [1, 20, 56, 500])
def test_a_folded_query_is_the_same_query(query: str, width: int) -> None:
    shown = folded(query, width)
    assert query_form(shown) == query_form(query)
    assert "".join(shown.split()) == "".join(query.split())


@pytest.mark.parametrize("query", QUERIES)
def test_no_line_is_longer_than_it_must_be(query: str) -> None:
    longest_word = len('AND x = "a constant from here  to there and so on"')
    assert max(map(len, folded(query, 40).splitlines())) <= max(40, longest_word)


def test_each_clause_begins_a_line_and_joins_and_conditions_where_a_line_gets_long() -> None:
    query = (
        "SELECT c.name FROM customers AS c JOIN orders AS o ON o.customer_id = c.id"
        " WHERE o.shipped IS NULL AND o.status IS DISTINCT FROM 'late' LIMIT 3"
    )
    assert folded(query, 46).splitlines() == [
        "SELECT c.name",
        "FROM customers AS c",
        "  JOIN orders AS o ON o.customer_id = c.id",
        "WHERE o.shipped IS NULL",
        "  AND o.status IS DISTINCT FROM 'late'",
        "LIMIT 3",
    ]


@pytest.mark.parametrize("query", ["", "SELECT 1 -- one\nFROM t", "SELECT\n1", "SELECT /* one */ 1"])
def test_what_somebody_has_set_stays_so(query: str) -> None:
    assert folded(query, 5) == query
