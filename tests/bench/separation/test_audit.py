"""The audit of instances: each way in which a claim can be false is found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import psycopg
import pytest

from askwire.bench.separation.audit import Auditor, says_order
from askwire.core.types import Cell, ResultColumn, ResultSet
from askwire.selector.instances import (
    Identity,
    Instance,
    InstanceRow,
    InstanceTable,
    Outcome,
    Separation,
)

if TYPE_CHECKING:
    from servers.databases import Database

MORE = "SELECT count(*) FROM orders WHERE total >= 100"
FEWER = "SELECT count(*) FROM shop.orders WHERE total > 100"


@pytest.fixture
def auditor(database: Database) -> Iterator[Auditor]:
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute(
            "CREATE SCHEMA shop; CREATE TABLE shop.orders"
            " (id int PRIMARY KEY, total numeric(10,2), paid bool);"
            "INSERT INTO shop.orders VALUES (1, 100, true), (2, 100, NULL), (3, 5, false), (4, 7, false);"
            "CREATE TABLE shop.lines"
            " (number int PRIMARY KEY CHECK (number > 0), of int REFERENCES shop.orders);"
            "INSERT INTO shop.lines VALUES (1, 1), (2, NULL)"
        )
    auditor = Auditor(database.dsn(), "shop")
    yield auditor
    auditor.close()


def separation(
    first: str, second: str, answers: tuple[str | None, str | None], *rows: tuple[Cell, ...]
) -> Separation:
    columns = (ResultColumn("id", 23), ResultColumn("total", 1700), ResultColumn("paid", 16))
    made = tuple(InstanceRow((row[0],), row) for row in rows)
    table = InstanceTable(
        1, "shop", "orders", Identity.PRIMARY_KEY, ("id",), columns, frozenset({"total"}), made
    )
    told = [ResultSet((ResultColumn("a", 20),), ((cell,),) if cell else ()) for cell in answers]
    return Separation(Outcome.SEPARATED, (first, second), Instance((table,), tuple(told)))


def test_a_true_instance_holds(auditor: Auditor) -> None:
    audit = auditor.audit(separation(MORE, FEWER, ("1", "0"), ("1", "100.00", "t")))
    assert audit.holds
    assert audit.real
    assert audit.minimal is None


def test_rows_on_which_the_queries_agree_do_not_hold(auditor: Auditor) -> None:
    audit = auditor.audit(separation(MORE, FEWER, ("0", "0"), ("3", "5.00", "f")))
    assert not audit.separates
    assert not audit.holds


@pytest.mark.parametrize("row", [("1", "101.00", "t"), ("9", "100.00", "t"), ("2", "100.00", "t")])
def test_a_row_that_is_not_in_the_database_does_not_hold(auditor: Auditor, row: tuple[Cell, ...]) -> None:
    audit = auditor.audit(separation("SELECT 1 FROM orders", "SELECT 2 FROM orders", ("1", "2"), row))
    assert audit.separates
    assert not audit.real
    assert not audit.holds


def test_made_up_rows_need_not_be_there(auditor: Auditor) -> None:
    claim = separation(MORE, FEWER, ("1", "0"), ("77", "100.00", None))
    assert claim.instance
    witness = replace(claim.instance, synthetic=True)
    audit = auditor.audit(replace(claim, outcome=Outcome.EQUAL, instance=None, witness=witness))
    assert audit.real is None
    assert audit.holds


def test_an_answer_that_was_not_given_is_found(auditor: Auditor) -> None:
    audit = auditor.audit(separation(MORE, FEWER, ("7", "0"), ("1", "100.00", "t")))
    assert audit.separates
    assert not audit.reported


def test_a_row_too_many_is_not_minimal(auditor: Auditor) -> None:
    audit = auditor.audit(separation(MORE, FEWER, ("1", "0"), ("1", "100.00", "t"), ("3", "5.00", "f")))
    assert audit.holds
    assert audit.minimal is False


def test_rows_that_are_all_needed_are_minimal(auditor: Auditor) -> None:
    both = ("1", "100.00", "t"), ("2", "100.00", None)
    claim = separation(f"{MORE} HAVING count(*) > 1", f"{FEWER} HAVING count(*) > 1", ("2", None), *both)
    audit = auditor.audit(claim)
    assert audit.holds
    assert audit.minimal


def test_a_difference_that_hangs_on_the_order_of_rows_does_not_hold(auditor: Auditor) -> None:
    first, last = "SELECT id FROM orders LIMIT 1", "SELECT id FROM orders ORDER BY id DESC LIMIT 1"
    rows = ("3", "5.00", "f"), ("4", "7.00", "f")
    audit = auditor.audit(separation(first, last, ("3", "4"), *rows))
    assert not audit.separates


def test_a_query_that_does_not_run_is_an_error_and_the_next_audit_works(auditor: Auditor) -> None:
    failed = auditor.audit(separation("SELECT 1/0 FROM orders", FEWER, ("1", "0"), ("1", "100.00", "t")))
    assert "division by zero" in failed.error
    assert not failed.holds
    assert auditor.audit(separation(MORE, FEWER, ("1", "0"), ("1", "100.00", "t"))).holds


def lines(*rows: tuple[Cell, ...], orders: tuple[tuple[Cell, ...], ...], changed: bool = False) -> Separation:
    """Two queries over lines and orders, the second of which joins them."""
    claim = separation("SELECT number FROM lines", "SELECT 2 FROM lines JOIN orders ON of = id", (None, None))
    assert claim.instance
    made = tuple(InstanceRow((row[0],), row, changed=("of",) if changed else ()) for row in rows)
    columns = (ResultColumn("number", 23), ResultColumn("of", 23))
    oid = 77
    held = tuple(InstanceRow((row[0],), row) for row in orders)
    tables = (
        InstanceTable(oid, "shop", "lines", Identity.PRIMARY_KEY, ("number",), columns, frozenset(), made),
        replace(claim.instance.tables[0], rows=held),
    )
    answers = tuple(ResultSet((ResultColumn("a", 23),), a) for a in ((("1",),), (("2",),)[: len(orders)]))
    return replace(claim, instance=replace(claim.instance, tables=tables, answers=answers, synthetic=changed))


def with_oids(claim: Separation, database: Database) -> Separation:
    """The claim with the OIDs that its tables have."""
    assert claim.instance
    with psycopg.connect(database.dsn()) as connection:
        tables = []
        for table in claim.instance.tables:
            found = connection.execute("SELECT %s::regclass::oid::int8", [f"shop.{table.name}"]).fetchone()
            tables.append(replace(table, oid=found[0] if found else 0))
    return replace(claim, instance=replace(claim.instance, tables=tuple(tables)))


def test_a_row_without_what_it_refers_to_does_not_hold(auditor: Auditor, database: Database) -> None:
    alone = auditor.audit(with_oids(lines(("1", "1"), orders=()), database))
    assert alone.separates
    assert not alone.kept
    assert not alone.holds
    beside = auditor.audit(with_oids(lines(("1", "1"), orders=(("1", "100.00", "t"),)), database))
    assert beside.holds
    assert beside.minimal
    nothing = auditor.audit(with_oids(lines(("2", None), orders=()), database))
    assert nothing.kept


def test_made_up_rows_that_break_a_check_do_not_hold(auditor: Auditor, database: Database) -> None:
    audit = auditor.audit(with_oids(lines(("-1", None), orders=(), changed=True), database))
    assert "check constraint" in audit.error
    assert not audit.holds


def test_nothing_is_left_in_the_database(auditor: Auditor, database: Database) -> None:
    auditor.audit(separation(MORE, FEWER, ("1", "0"), ("1", "100.00", "t")))
    with psycopg.connect(database.dsn()) as connection:
        assert connection.execute("SELECT count(*) FROM shop.orders").fetchone() == (4,)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT a FROM t ORDER BY a", True),
        ("SELECT a FROM t UNION SELECT b FROM u ORDER BY 1", True),
        ("SELECT a FROM (SELECT a FROM t ORDER BY a) s", False),
    ],
)
def test_only_an_order_of_the_whole_result_counts(query: str, expected: bool) -> None:
    assert says_order(query) is expected
