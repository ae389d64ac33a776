"""Names of what a query shows: which outputs get one, what it is, and that nothing else changes."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from servers.databases import Database

from askwire.sql.presentation.output_names import with_output_names

CASES = [
    # a name that is there already stays, no matter who gave it
    ("SELECT name, count(*), sum(price) FROM p GROUP BY name", "name count sum"),
    ("SELECT current_date, current_user FROM p", "current_date value"),
    ("SELECT name AS n, price * 2 AS twice FROM p", "n twice"),
    # two alike
    ("SELECT p.name, c.name FROM p JOIN c ON c.id = p.c ORDER BY p.name", "name c_name"),
    ("SELECT a.name, b.name FROM p AS a, c AS b", "name c_name"),
    ("SELECT a.name, b.name, x.name FROM p a, p b, (SELECT 'x' AS name) x", "name p_name x_name"),
    ("SELECT name, name, p.name FROM p", "name name_2 p_name"),
    ("SELECT sum(price), sum(qty), sum(price) FROM p", "sum total_qty total_price"),
    ("SELECT count(*), count(*) FILTER (WHERE qty > 1), count(DISTINCT name) FROM p",
     "count count_2 number_of_name"),
    ("SELECT qty AS name, name FROM p", "name name_2"),
    # none
    ("SELECT price * qty, price - qty, qty / 2, qty % 2 FROM p",
     "price_times_qty price_minus_qty qty_per_2 qty_mod_2"),
    ("SELECT sum(price) / count(DISTINCT id) FROM p", "average_price"),
    ("SELECT 100.0 * count(*) FILTER (WHERE qty > 1) / nullif(count(*), 0) FROM p", "percent"),
    ("SELECT count(*) FILTER (WHERE qty > 1)::numeric / nullif(count(*), 0) FROM p", "share"),
    ("SELECT 'é, from', name || ',' /* , from */, 1 + 1 FROM p", "value value_2 value_3"),
    ("SELECT name IS DISTINCT FROM 'a', percentile_cont(0) WITHIN GROUP (ORDER BY qty), 1 FROM p GROUP BY 1",
     "value percentile_cont value_2"),
    ("SELECT (SELECT max(price) FROM p) - min(price) FROM p", "min_price"),
    # a time that is cut is called as its unit, unless the query reads a column of that name
    ("SELECT date_trunc('month', day)::date, count(*) FROM p GROUP BY 1", "month count"),
    ("SELECT extract(year FROM day)::int, date_trunc('month', day) FROM p", "year month"),
    ("SELECT extract(quarter FROM day), quarter FROM p ORDER BY quarter", "quarter_2 quarter"),
    # the first part of a set operation names the whole; parentheses, WITH, clauses behind
    ("(SELECT p.id, c.id FROM p, c) UNION ALL SELECT 1, 2 ORDER BY 1", "id c_id"),
    ("WITH x AS (SELECT 1 + 1) SELECT p.id, c.id FROM p, c LIMIT 1", "id c_id"),
    ("SELECT p.id, c.id FROM p, c FETCH FIRST 1 ROW ONLY;", "id c_id"),
    ("SELECT DISTINCT ON (p.id) p.id, c.id FROM p, c", "id c_id"),
]  # fmt: skip
TABLES = """
CREATE TABLE c (id int, name text);
CREATE TABLE p (id int, c int, name text, price numeric, qty int, day date, quarter int);
"""


@pytest.fixture(scope="module")
def tables(make_database: Callable[[], Database]) -> Database:
    database = make_database()
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute(TABLES)
    return database


@pytest.mark.parametrize(("sql", "names"), CASES)
def test_every_output_has_a_name_of_its_own(tables: Database, sql: str, names: str) -> None:
    named = with_output_names(sql)
    with psycopg.connect(tables.dsn(), autocommit=True) as connection:
        columns = connection.execute(named.encode()).description or ()
        assert " ".join(c.name for c in columns) == names
        connection.execute(f"CREATE TEMP TABLE made AS {named}".encode())
    assert with_output_names(named) == named


@pytest.mark.parametrize(
    ("sql", "wanted", "named"),
    [
        ("SELECT name, count(*) FROM p", ("", "number_of_p"), "SELECT name, count(*) AS number_of_p FROM p"),
        ("SELECT name, count(*) AS n FROM p", ("", "rows"), "SELECT name, count(*) AS n FROM p"),
        ("SELECT sum(a * b), max(c) FROM p", ("total", ""), "SELECT sum(a * b) AS total, max(c) FROM p"),
        # a column that the query reads keeps its name to itself
        (
            "SELECT sum(qty) FROM p ORDER BY total",
            ("total",),
            "SELECT sum(qty) AS total_2 FROM p ORDER BY total",
        ),
        ("SELECT max(a), max(b) FROM p", ("x",), "SELECT max(a), max(b) AS max_b FROM p"),
    ],
)
def test_a_wanted_name_is_given_where_it_fits(sql: str, wanted: tuple[str, ...], named: str) -> None:
    assert with_output_names(sql, wanted) == named


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM p",
        "SELECT p.*, 1 + 1 FROM p",
        "SELECT price AS x, qty AS x FROM p",
        "VALUES (1, 2)",
        "SELECT 1; SELECT 1 + 1",
        "DELETE FROM p",
        "SELEC 1 + 1",
        "SELECT",
        "",
        "SELECT " + "-" + "(" * 50_000,
        "SELECT 1 + 1, " + "x" * 20_000,
    ],
)
def test_what_cannot_be_named_stays(sql: str) -> None:
    assert with_output_names(sql) == sql


@given(
    st.lists(
        st.sampled_from(["p.id", "c.id", "qty+1", "'a,b'", "(1)", "f(a, b)", "a[1]", "x::int", "/*,*/ 1"])
    )
)
def test_nothing_but_names_is_added(outputs: list[str]) -> None:
    sql = f"SELECT {', '.join(outputs)} FROM p, c WHERE a = 1"
    named = with_output_names(sql)
    assert named.count(" AS ") <= len(outputs)
    assert named.startswith(f"SELECT {', '.join(outputs[:1])}")
    assert named.endswith(" FROM p, c WHERE a = 1")
