"""Findings become constraints, comments and rows of askwire_files.findings."""

from __future__ import annotations

from dataclasses import replace

import psycopg
import pytest
from data.finding_texts import SHOP, keys, references

from askwire.files.findings import Evidence, Finding, Grade, Kind, Target, declare, find_structure

_CONSTRAINTS = """
SELECT conrelid::regclass::text, pg_get_constraintdef(oid), convalidated
FROM pg_constraint WHERE connamespace = 'shop'::regnamespace AND contype IN ('p', 'u', 'f')
"""


def _constraints(connection):
    return {f"{table}: {told}" for table, told, _ in connection.execute(_CONSTRAINTS).fetchall()}


def _comment(connection, table, column):
    told = connection.execute(
        "SELECT col_description(attrelid, attnum) FROM pg_attribute "
        "WHERE attrelid = %s::regclass AND attname = %s",
        (table, column),
    ).fetchone()
    return told[0]


def test_certain_keys_become_valid_constraints(connection, declared):
    declared(SHOP)
    assert _constraints(connection) == {
        "customers: PRIMARY KEY (id)",
        "countries: PRIMARY KEY (code)",
        "orders: PRIMARY KEY (order_id)",
        "customers: FOREIGN KEY (country_code) REFERENCES countries(code)",
        "orders: FOREIGN KEY (customer_id) REFERENCES customers(id)",
        "orders: FOREIGN KEY (billing_customer_id) REFERENCES customers(id)",
        "order_lines: FOREIGN KEY (order_id) REFERENCES orders(order_id)",
    }
    assert all(valid for *_, valid in connection.execute(_CONSTRAINTS).fetchall())


def test_declaring_again_changes_nothing(connection, declared):
    found = declared(SHOP)
    before = _constraints(connection)
    again = declare(connection, find_structure(connection, "shop"))
    assert _constraints(connection) == before
    assert keys(again) == keys(found)
    assert references(again) == references(found)
    assert _comment(connection, "orders", "status") == "[found: values new, paid, sent]"


def test_stale_findings_can_be_declared_twice(connection, find):
    found = find(SHOP)
    declare(connection, found)
    assert not [f for f in declare(connection, found).found if f.trouble]


def test_a_key_beside_the_primary_one_becomes_unique(connection, declared):
    declared(
        "CREATE TABLE countries AS SELECT g AS id, 'C' || g AS code FROM generate_series(1, 20) g;"
        "CREATE TABLE visits AS SELECT g AS id, 'C' || 1 + g % 20 AS country_code "
        "FROM generate_series(1, 60) g"
    )
    assert {
        "countries: PRIMARY KEY (id)",
        "countries: UNIQUE (code)",
        "visits: FOREIGN KEY (country_code) REFERENCES countries(code)",
    } <= _constraints(connection)


def test_likely_findings_are_remarks_behind_what_people_wrote(connection, declared):
    declared(
        "CREATE TABLE customers AS SELECT g AS id FROM generate_series(1, 100) g;"
        "CREATE TABLE orders AS SELECT g AS id, CASE g WHEN 7 THEN 999 ELSE 1 + g % 100 END AS customer_id "
        "FROM generate_series(1, 200) g;"
        "COMMENT ON COLUMN orders.customer_id IS 'Customer No.'"
    )
    assert _comment(connection, "orders", "customer_id") == "Customer No. [found: refers to customers.id]"


def test_a_remark_that_no_longer_holds_goes_and_the_comment_stays(connection, declared):
    declared(SHOP + "COMMENT ON COLUMN orders.status IS 'How far';")
    assert _comment(connection, "orders", "status") == "How far [found: values new, paid, sent]"
    connection.execute("UPDATE orders SET status = 'n' || order_id")
    declare(connection, find_structure(connection, "shop"))
    assert _comment(connection, "orders", "status") == "How far"


def test_a_constraint_that_fails_is_a_finding_that_says_so(connection, find):
    found = find(SHOP)
    connection.execute("INSERT INTO orders VALUES (5000, 777, 1, 'new', 1, 1)")
    told = declare(connection, found)
    (failed,) = (f for f in told.found if f.trouble)
    assert (failed.columns, failed.grade) == (("customer_id",), Grade.LIKELY)
    assert "violates foreign key constraint" in failed.why
    assert "orders: PRIMARY KEY (order_id)" in _constraints(connection)
    assert _comment(connection, "orders", "customer_id") == "[found: refers to customers.id]"


def test_the_findings_can_be_read(connection, declared):
    declared(SHOP)
    read = connection.execute(
        "SELECT column_names, target_table, target_columns, grade, declared, rows_checked, share, why "
        "FROM askwire_files.findings "
        "WHERE schema_name = 'shop' AND table_name = 'orders' AND kind = 'foreign key'"
    ).fetchall()
    assert len(read) == 2
    assert read[0][:7] == (["customer_id"], "customers", ["id"], "certain", True, 200, 1.0)
    assert read[0][7] == "all values of 200 rows stand in customers(id); fit of the names 1.00"


def test_findings_of_other_schemas_stay(connection, declared):
    declared("CREATE TABLE orders AS SELECT g AS id FROM generate_series(1, 9) g")
    connection.execute("CREATE SCHEMA other CREATE TABLE parts (id int)")
    try:
        connection.execute("INSERT INTO other.parts VALUES (1), (2)")
        declare(connection, find_structure(connection, "other"))
        named = connection.execute("SELECT schema_name FROM askwire_files.findings ORDER BY 1").fetchall()
        assert named == [("other",), ("shop",)]
    finally:
        connection.execute("DROP SCHEMA other CASCADE")


def test_names_with_quotes_are_declared_and_commented(connection, declared):
    declared(
        'CREATE TABLE "Big ""Customers""" AS SELECT g AS "Id", ARRAY[1] AS "x" FROM generate_series(1, 30) g;'
        'CREATE TABLE "or\'ders" AS SELECT g AS "Id", 1 + g % 30 AS "Big Customers Id", '
        "'[' || g % 2 || ']; ''q' AS \"st;[a]te\" FROM generate_series(1, 90) g"
    )
    assert any("REFERENCES" in told for told in _constraints(connection))
    assert _comment(connection, '"or\'ders"', "st;[a]te") == "[found: values (0), 'q, (1), 'q]"


def test_in_the_callers_transaction_all_of_it_is_undone_with_it(connection, find):
    found = find(SHOP)
    with connection.transaction():
        declare(connection, found)
        raise psycopg.Rollback
    assert not _constraints(connection)
    assert connection.execute("SELECT to_regclass('askwire_files.findings')").fetchone() == (None,)


def test_statistics_are_fresh_afterwards(connection, find):
    found = find(SHOP)
    connection.execute("DELETE FROM order_lines WHERE line_no = 3")
    declare(connection, found)
    counted = connection.execute(
        "SELECT reltuples::int FROM pg_class WHERE relname = 'order_lines'"
    ).fetchone()
    assert counted == (200,)


def test_a_table_that_is_gone_is_an_error(connection, find):
    found = find(SHOP)
    connection.execute("DROP TABLE order_lines")
    with pytest.raises(psycopg.errors.UndefinedTable):
        declare(connection, found)
    assert not _constraints(connection)


def test_a_composite_reference_can_be_declared(connection, find):
    found = find(
        "CREATE TABLE lines AS SELECT g / 3 AS order_id, g % 3 AS line_no FROM generate_series(0, 29) g;"
        "CREATE TABLE returns AS SELECT g / 3 AS order_id, g % 3 AS line_no FROM generate_series(0, 9) g"
    )
    columns, target = ("order_id", "line_no"), Target("lines", ("order_id", "line_no"))
    made = (
        Finding(Kind.FOREIGN_KEY, Grade.CERTAIN, "returns", columns, Evidence(10), target),
        Finding(Kind.PRIMARY_KEY, Grade.CERTAIN, "lines", columns, Evidence(30)),
    )
    told = declare(connection, replace(found, found=made))
    assert all(f.declared for f in told.found)
