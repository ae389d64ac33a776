"""What is found in schemas without constraints, and what is not: precision first."""

from __future__ import annotations

import psycopg
import pytest
from data.finding_texts import SHOP, keys, references, texts

from askwire.files.findings import Grade, Kind, find_structure


def test_keys_and_references_of_a_shop(find):
    found = find(SHOP)
    assert keys(found) == {"customers(id)", "countries(code)", "orders(order_id)"}
    assert references(found) == {
        "customers.country_code -> countries.code",
        "orders.customer_id -> customers.id",
        "orders.billing_customer_id -> customers.id",
        "order_lines.order_id -> orders.order_id",
    }
    assert keys(found, Grade.LIKELY) == {"order_lines(order_id, line_no)"}


def test_small_numbers_that_stand_in_every_key_are_no_reference(find):
    found = find(SHOP)
    everything = references(found) | references(found, Grade.LIKELY)
    assert not {r for r in everything if r.startswith(("orders.priority", "order_lines.quantity"))}


def test_evidence_counts_the_rows_that_were_checked(find):
    found = find(SHOP)
    (one,) = (f for f in found.of(Kind.FOREIGN_KEY) if f.columns == ("billing_customer_id",))
    assert (one.evidence.rows, one.evidence.share) == (200, 1.0)
    assert "all values of 200 rows stand in customers(id)" in one.why


def test_values_and_units_are_told_and_nothing_of_keys(find):
    found = find(SHOP)
    assert texts(found, Kind.VALUES) == {"orders.status": "new, paid, sent"}
    assert texts(found, Kind.UNIT) == {"orders.weight_kg": "kilograms"}


@pytest.mark.parametrize(
    ("column", "key"),
    [
        ("customer_id", "customers.id"),
        ("customerid", "customers.id"),
        ('"customerId"', "customers.id"),
        ("cust_no", "customers.number"),
        ("customer_no", "customer.id"),
        ("country_code", "countries.code"),
        ("store_id", "store.store_id"),
        ("ship_to_city_id", "cities.id"),
    ],
)
def test_names_that_say_what_they_refer_to(find, column, key):
    table, name = key.split(".")
    found = find(
        f"CREATE TABLE {table} AS SELECT g AS {name}, 'x' || g % 4 AS told FROM generate_series(1, 30) g;"
        f"CREATE TABLE visits AS SELECT g AS id, 1 + g % 30 AS {column} FROM generate_series(1, 90) g;"
    )
    assert references(found) == {f"visits.{column.strip(chr(34))} -> {key}"}


def test_a_row_refers_to_another_of_its_table(find):
    found = find(
        "CREATE TABLE staff AS SELECT g AS id, 'N' || g AS name, nullif(g / 3, 0) AS manager_id "
        "FROM generate_series(1, 30) g"
    )
    assert references(found) == {"staff.manager_id -> staff.id"}


def test_exceptions_make_a_reference_likely_at_most(find):
    found = find(
        "CREATE TABLE customers AS SELECT g AS id FROM generate_series(1, 100) g;"
        "CREATE TABLE orders AS SELECT g AS id, CASE g WHEN 7 THEN 999 ELSE 1 + g % 100 END AS customer_id "
        "FROM generate_series(1, 200) g"
    )
    assert references(found) == set()
    (one,) = found.of(Kind.FOREIGN_KEY)
    assert one.grade is Grade.LIKELY
    assert one.why.startswith("99.5 % of the values of 200 rows stand in customers(id)")


def test_a_name_without_the_values_is_nothing(find):
    found = find(
        "CREATE TABLE customers AS SELECT g AS id FROM generate_series(1, 100) g;"
        "CREATE TABLE orders AS SELECT g AS id, 5000 + g AS customer_id FROM generate_series(1, 200) g"
    )
    assert not list(found.of(Kind.FOREIGN_KEY))


def test_other_types_are_not_compared(find):
    found = find(
        "CREATE TABLE customers AS SELECT g AS id FROM generate_series(1, 100) g;"
        "CREATE TABLE orders AS SELECT g AS id, (1 + g % 100)::text AS customer_id "
        "FROM generate_series(1, 200) g"
    )
    assert not list(found.of(Kind.FOREIGN_KEY))


def test_duplicate_rows_leave_no_key(find):
    found = find(
        "CREATE TABLE customers AS SELECT g AS id, 'c' || g AS name FROM generate_series(1, 20) g;"
        "INSERT INTO customers SELECT * FROM customers WHERE id = 3"
    )
    assert not list(found.of(Kind.PRIMARY_KEY))


def test_without_any_key_nothing_is_declared(find):
    found = find(
        "CREATE TABLE readings AS SELECT g % 5 AS sensor, (g % 7)::float8 AS temperature_c, now() AS at "
        "FROM generate_series(1, 100) g"
    )
    assert not [f for f in found.found if f.kind in {Kind.PRIMARY_KEY, Kind.FOREIGN_KEY, Kind.UNIQUE_KEY}]
    assert texts(found, Kind.UNIT) == {"readings.temperature_c": "degrees Celsius"}


def test_of_two_tables_with_the_same_key_the_one_called_after_it_is_referred_to(find):
    found = find(
        "CREATE TABLE school_details AS SELECT g AS school_id, 'd' || g AS detail "
        "FROM generate_series(1, 20) g;"
        "CREATE TABLE school AS SELECT g AS school_id, 'n' || g AS name FROM generate_series(1, 20) g;"
        "CREATE TABLE player AS SELECT g AS id, 1 + g % 20 AS school_id FROM generate_series(1, 60) g"
    )
    assert references(found) == {
        "player.school_id -> school.school_id",
        "school_details.school_id -> school.school_id",
    }


def test_a_table_between_two_others_has_the_key_of_both(find):
    found = find(
        "CREATE TABLE students AS SELECT g AS student_id FROM generate_series(1, 20) g;"
        "CREATE TABLE courses AS SELECT g AS course_id FROM generate_series(1, 10) g;"
        "CREATE TABLE enrolments AS SELECT DISTINCT 1 + g % 20 AS student_id, 1 + g % 7 AS course_id "
        "FROM generate_series(1, 90) g"
    )
    assert "enrolments(student_id, course_id)" in keys(found)


def test_empty_tables_and_columns(find):
    found = find(
        "CREATE TABLE customers (id int, name text);"
        "CREATE TABLE orders AS SELECT g AS id, NULL::int AS customer_id, NULL::text AS note, "
        "'EUR' AS currency "
        "FROM generate_series(1, 30) g"
    )
    assert keys(found) == {"orders(id)"}
    assert references(found) == set()
    assert {f.columns[0] for f in found.of(Kind.EMPTY)} == {"customer_id", "note"}
    assert texts(found, Kind.CONSTANT) == {"orders.currency": "EUR"}


def test_names_with_quotes_and_spaces(find):
    found = find(
        'CREATE TABLE "Big ""Customers""" AS SELECT g AS "Id", g % 3 AS "a;[b]" '
        "FROM generate_series(1, 30) g;"
        'CREATE TABLE "or\'ders" AS SELECT g AS "Id", 1 + g % 30 AS "Big Customers Id" '
        "FROM generate_series(1, 90) g"
    )
    assert references(found) == {'or\'ders.Big Customers Id -> Big "Customers".Id'}


def test_a_thousand_columns(find):
    columns = ", ".join(f"g % {2 + n % 50} AS value_{n}" for n in range(999))
    found = find(
        f"CREATE TABLE wide AS SELECT g AS wide_id, {columns} FROM generate_series(1, 200) g;"
        "CREATE TABLE points AS SELECT g AS id, g AS wide_id FROM generate_series(1, 100) g"
    )
    assert "wide(wide_id)" in keys(found)
    assert references(found) == {"points.wide_id -> wide.wide_id"}
    assert found.seconds < 20


def test_what_is_not_examined_is_said(connection, find):
    find(SHOP)
    found = find_structure(connection, "shop", most_pairs=1)
    assert len(references(found)) == 1
    assert len(found.limits) == 1
    assert "1 pairs of columns were compared" in found.limits[0]


def test_a_table_that_takes_too_long_is_said(connection, find):
    find(SHOP)
    found = find_structure(connection, "shop", seconds_per_table=0.0)
    assert not found.found
    assert any("Table orders: the limit of 0 s was reached" in limit for limit in found.limits)


def test_the_callers_transaction_and_timeout_survive(connection, find):
    find(SHOP)
    connection.execute("SET statement_timeout = '77s'")
    with connection.transaction():
        connection.execute("CREATE TABLE late (id int)")
        find_structure(connection, "shop")
        assert connection.execute("SHOW statement_timeout").fetchone() == ("77s",)
        assert connection.info.transaction_status is psycopg.pq.TransactionStatus.INTRANS
    assert connection.execute("SELECT to_regclass('shop.late')::text").fetchone() == ("late",)


def test_many_rows_are_proven_and_not_only_sampled(find):
    """ANALYZE sees 30,000 of them; the one row that is twice there is found by counting."""
    found = find(
        "CREATE TABLE events AS SELECT CASE g WHEN 49999 THEN 49998 ELSE g END AS id "
        "FROM generate_series(1, 50000) g;"
        "CREATE TABLE parts AS SELECT g AS id FROM generate_series(1, 50000) g"
    )
    assert keys(found) == {"parts(id)"}
