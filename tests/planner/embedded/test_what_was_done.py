"""What was done with things at a time, told by a participle behind them: 'orders shipped in 2024'."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

VALUES = {("orders", "status"): ["open", "shipped", "delivered"]}


@pytest.fixture
def shop(make_table):
    """Orders that say when they left and in which state they are; refunds and reviews have their time."""
    orders = "id:id customer_id:id status:text ordered_at:time shipped_on:date? ship_city:text"
    return Catalog(
        (
            make_table(1, "customers", "id:id name:text"),
            make_table(2, "orders", orders, keys={"customer_id": 1}),
            make_table(3, "products", "id:id name:text launched_on:date"),
            make_table(4, "refunds", "id:id order_id:id refunded_on:date", keys={"order_id": 2}),
            make_table(
                5,
                "reviews",
                "id:id product_id:id customer_id:id written_on:date",
                keys={"product_id": 3, "customer_id": 1},
            ),
        )
    )


@pytest.fixture
def depot(make_table):
    """Orders whose parcels say when they left and arrived, and invoices with their payments."""
    return Catalog(
        (
            make_table(1, "orders", "id:id status:text created_at:time"),
            make_table(
                2, "shipments", "id:id order_id:id shipped_at:time delivered_at:time?", keys={"order_id": 1}
            ),
            make_table(3, "invoices", "id:id order_id:id issued_on:date due_on:date", keys={"order_id": 1}),
            make_table(4, "payments", "id:id invoice_id:id paid_sum:money day:date", keys={"invoice_id": 3}),
        )
    )


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("how many orders shipped in 2024", "SELECT count(*) FROM orders WHERE shipped_on >= '2024-01-01'"),
        ("orders shipped in March 2024", "SELECT id FROM orders WHERE shipped_on >= '2024-03-01'"),
        ("list orders shipped since 2024", "SELECT id FROM orders WHERE shipped_on >= '2024-01-01'"),
        ("how many orders refunded in 2024", "count(DISTINCT order_id)"),
        ("products reviewed in 2024", "SELECT DISTINCT p.name FROM products AS p JOIN reviews AS r"),
        ("customers who reviewed in 2024", "r.written_on >= '2024-01-01'"),
        ("products launched in 2024", "SELECT name FROM products WHERE launched_on >= '2024-01-01'"),
    ],
)
async def test_a_participle_behind_a_thing_says_which_time(question, sql, plan, shop):
    """'orders shipped in 2024' were the cities that they were shipped to."""
    found = (await EmbeddedEngine().propose(plan(question, shop, VALUES)))[0]
    assert sql in found.sql, found.sql
    assert not found.uncovered


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("orders shipped in March 2024", "SELECT DISTINCT o.id FROM orders AS o JOIN shipments AS s"),
        ("orders delivered in March 2024", "SELECT DISTINCT o.id FROM orders AS o JOIN shipments AS s"),
        ("how many orders shipped in 2024", "SELECT count(DISTINCT order_id) FROM shipments"),
        ("invoices paid in 2024", "SELECT DISTINCT i.id FROM invoices AS i JOIN payments AS p"),
        (
            "how many invoices paid in 2024",
            "SELECT count(DISTINCT i.id) FROM payments AS p JOIN invoices AS i",
        ),
    ],
)
async def test_rows_that_record_what_was_done_tell_each_thing_once(question, sql, plan, depot):
    found = (await EmbeddedEngine().propose(plan(question, depot, VALUES)))[0]
    assert found.sql.startswith(sql), found.sql


async def test_what_is_not_done_in_time_may_not_be_recorded_at_all(plan, depot):
    """Orders without a shipment were lost from those that were not delivered within 7 days."""
    found = (await EmbeddedEngine().propose(plan("orders not delivered within 7 days", depot, VALUES)))[0]
    assert found.sql.startswith("SELECT id FROM orders WHERE id NOT IN (SELECT order_id FROM shipments WHERE")
    assert found.sql.endswith("/ 86400 <= 7)"), found.sql


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("orders by shipper in 2024", "WHERE o.ordered_on >= '2024-01-01'"),
        ("orders by shipper per month", "GROUP BY date_trunc('month', o.ordered_on)"),
        ("orders shipped in 2024 by shipper", "WHERE o.shipped_on >= '2024-01-01'"),
    ],
)
async def test_who_ships_is_no_deed(question, sql, plan, make_table):
    """'orders by shipper in 2024' went by when they were shipped."""
    orders = "id:id shipper_id:id ordered_on:date shipped_on:date?"
    catalog = Catalog(
        (
            make_table(1, "shippers", "id:id name:text"),
            make_table(2, "orders", orders, keys={"shipper_id": 1}),
        )
    )
    found = (await EmbeddedEngine().propose(plan(question, catalog, {})))[0]
    assert sql in found.sql, found.sql


@pytest.fixture
def stays(make_table):
    """Stays by the times at which they began and ended, under names cut short."""
    return Catalog(
        (
            make_table(1, "ward", "id:id name:text"),
            make_table(2, "enc", "id:id ward_id:id adm_dt:time disch_dt:time?", keys={"ward_id": 1}),
        )
    )


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "admissions per month",
            "SELECT date_trunc('month', adm_dt)::date AS month, count(*) AS number_of_encounters FROM enc"
            " GROUP BY date_trunc('month', adm_dt)::date ORDER BY date_trunc('month', adm_dt)::date",
        ),
        (
            "discharges by ward",
            "SELECT w.name, count(*) AS number_of_encounters FROM ward AS w JOIN enc AS e ON e.ward_id = w.id"
            " WHERE e.disch_dt IS NOT NULL GROUP BY w.id, w.name ORDER BY count(*) DESC",
        ),
        (
            "average admissions per month",
            "SELECT avg(n) FROM (SELECT count(*) FROM enc"
            " GROUP BY date_trunc('month', adm_dt)::date) AS x (n)",
        ),
    ],
)
async def test_what_was_done_at_a_time_is_counted(question, sql, plan, stays):
    first = (await EmbeddedEngine().propose(plan(question, stays)))[0]
    assert first.sql == sql


async def test_a_year_behind_an_amount_is_that_of_the_amount(plan, make_table):
    league = Catalog(
        (
            make_table(1, "players", "id:id name:text debut:date"),
            make_table(2, "salaries", "id:id player_id:id year:int salary:money", keys={"player_id": 1}),
        )
    )
    question = "which 3 players had the highest salary in 2001?"
    first = (await EmbeddedEngine().propose(plan(question, league)))[0]
    assert "WHERE s.year = 2001" in first.sql


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("deleted members", "SELECT name FROM members WHERE deleted_at IS NOT NULL"),
        ("how many deleted members", "SELECT count(*) FROM members WHERE deleted_at IS NOT NULL"),
        ("returned loans per member", "count(*) AS number_of_loans"),
        ("returned loans per member", "WHERE l.returned_on IS NOT NULL"),
        ("cities with the most deleted members", "WHERE deleted_at IS NOT NULL GROUP BY city ORDER"),
        ("loans of deleted members", "WHERE m.deleted_at IS NOT NULL"),
        ("how many shipped loans", "SELECT count(*) FROM loans WHERE shipped_on IS NOT NULL"),
    ],
)
async def test_what_was_done_to_things_tells_which_are_meant(question, sql, plan, make_table):
    """'the most deleted members' were the most members, and 'shipped loans' those that have a shipper."""
    library = Catalog(
        (
            make_table(1, "members", "id:id name:text city:text? deleted_at:time?"),
            make_table(2, "shippers", "id:id name:text"),
            make_table(
                3,
                "loans",
                "id:id member_id:id shipper_id:id? shipped_on:date? returned_on:date?",
                keys={"member_id": 1, "shipper_id": 2},
            ),
        )
    )
    found = (await EmbeddedEngine().propose(plan(question, library, {})))[0]
    assert sql in found.sql, found.sql
    assert not found.uncovered


@pytest.fixture
def rentals(make_table):
    """Films that are rented by the copy, and have a rate and a length of rentals."""
    return Catalog(
        (
            make_table(1, "film", "id:id title:text rental_duration:int rental_rate:money"),
            make_table(2, "inventory", "id:id film_id:id", keys={"film_id": 1}),
            make_table(3, "rental", "id:id inventory_id:id rented_at:time", keys={"inventory_id": 2}),
        )
    )


@pytest.mark.parametrize(
    ("question", "having"),
    [
        ("films rented more than 30 times", "count(*) > 30"),
        ("films rented at least 30 times", "count(*) >= 30"),
        ("films rented only once", "count(*) = 1"),
        ("Which films were rented more than 30 times?", "count(*) > 30"),
    ],
)
async def test_what_was_done_so_many_times_is_counted_where_it_is_recorded(question, having, plan, rentals):
    """'films rented' were the length or the rate of their rentals."""
    found = (await EmbeddedEngine().propose(plan(question, rentals, {})))[0]
    assert found.sql.startswith("SELECT f.title FROM film AS f JOIN inventory AS i"), found.sql
    assert found.sql.endswith(f"HAVING {having}"), found.sql


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("How many tickets were checked in?", "SELECT count(*) FROM tickets WHERE checked_in_at IS NOT NULL"),
        ("tickets never checked in", "SELECT id FROM tickets WHERE checked_in_at IS NULL"),
        ("How many tickets have not been picked up?", "SELECT count(*) FROM tickets WHERE picked_up IS NULL"),
    ],
)
async def test_a_verb_of_two_words_happened_or_did_not(question, sql, plan, make_table):
    """'checked in' was every ticket: nothing was read behind 'checked'."""
    tickets = "id:id seat:text sold_at:time checked_in_at:time? picked_up:time?"
    catalog = Catalog((make_table(1, "tickets", tickets),))
    found = (await EmbeddedEngine().propose(plan(question, catalog, {})))[0]
    assert found.sql == sql


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("inspection failure rate per inspector", "i2.result = 'failed'"),
        ("inspection pass rate per inspector", "i2.passed = true"),
    ],
)
async def test_a_rate_is_of_the_rows_that_are_named_before_it(question, condition, plan, make_table):
    """Each inspection had its own rate; 'rate' was what contractors take per hour."""
    catalog = Catalog(
        (
            make_table(1, "inspectors", "id:id name:text"),
            make_table(2, "contractors", "id:id name:text hourly_rate:money"),
            make_table(
                3,
                "inspections",
                "id:id inspector_id:id contractor_id:id result:text passed:bool",
                keys={"inspector_id": 1, "contractor_id": 2},
            ),
        )
    )
    values = {("inspections", "result"): ["failed", "postponed"]}
    found = (await EmbeddedEngine().propose(plan(question, catalog, values)))[0]
    rate = f"100.0 * count(*) FILTER (WHERE {condition}) / nullif(count(*), 0)"
    assert found.sql.startswith(f"SELECT i.name, {rate} AS percent FROM inspectors AS i "), found.sql


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("downtime per machine", "sum(d.ended_at - d.started_at)"),
        ("how much downtime did each machine have", "sum(d.ended_at - d.started_at)"),
        ("average downtime per machine", "avg(d.ended_at - d.started_at)"),
        ("total outage duration per machine", "sum(o.ended_at - o.started_at)"),
        ("machines with the most downtime", "ORDER BY sum(d.ended_at - d.started_at) DESC"),
        ("number of downtimes per machine", "count(*)"),
        ("downtimes per machine", "count(*)"),
    ],
)
async def test_what_is_called_a_time_is_how_long_it_was(question, sql, plan, make_table):
    """'downtime per machine' was how often each was down."""
    lasting = "id:id machine_id:id started_at:time ended_at:time? reason:text"
    catalog = Catalog(
        (
            make_table(1, "machines", "id:id name:text"),
            make_table(2, "downtime", lasting, keys={"machine_id": 1}),
            make_table(3, "outages", lasting, keys={"machine_id": 1}),
        )
    )
    found = (await EmbeddedEngine().propose(plan(question, catalog, {})))[0]
    assert sql in found.sql, found.sql
    assert not found.uncovered
