"""Times together with other conditions: of which rows they are, and where in the question they are said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

VALUES = {
    ("clinics", "city"): ["Leeds", "York"],
    ("owners", "city"): ["Leeds", "York"],
    ("bookings", "status"): ["scheduled", "cancelled", "missed"],
    ("bills", "status"): ["unpaid", "paid"],
}


@pytest.fixture
def catalog(make_table):
    """Clinics, the bookings at them, and the bills of owners, each with the time its row was made."""
    bills = "id:id number:text owner_id:id status:text amount:money issued_on:date due_on:date"
    bookings = "id:id clinic_id:id owner_id:id status:text scheduled_start:time scheduled_end:time"
    return Catalog(
        (
            make_table(1, "clinics", "id:id name:text city:text opening_date:date"),
            make_table(2, "owners", "id:id name:text city:text birth_date:date since:date created_at:time"),
            make_table(3, "bookings", f"{bookings} created_at:time", keys={"clinic_id": 1, "owner_id": 2}),
            make_table(
                4,
                "bills",
                f"{bills} created_at:time",
                keys={"owner_id": 2},
            ),
            make_table(
                5, "plans", "id:id owner_id:id monthly_fee:money starts_on:date", keys={"owner_id": 2}
            ),
            make_table(6, "trips", "id:id scheduled_arrival:time scheduled_departure:time"),
        )
    )


async def _first(question, plan, catalog):
    return (await EmbeddedEngine().propose(plan(question, catalog, VALUES)))[0]


BOOKED = "date_trunc('month', b.scheduled_start)::date AS month, count(*) AS number_of_bookings"
ISSUED = "date_trunc('month', issued_on)::date AS month, count(*)"


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("number of bookings at clinics in Leeds per month", BOOKED),
        ("monthly number of bookings of owners in York", BOOKED),
        ("bookings at Leeds clinics by month", BOOKED),
        ("number of bookings at clinics in Leeds per year", "extract(year FROM b.scheduled_start)"),
        ("number of bills per month", ISSUED),
        ("bills with an amount above 50 by month", ISSUED),
        ("how many bills with an amount above 50 were there each month?", ISSUED),
        ("monthly amount of unpaid bills", "date_trunc('month', issued_on)::date AS month, sum(amount)"),
        (
            "which month had the most bookings at clinics in Leeds?",
            "SELECT date_trunc('month', b.scheduled_start)::date AS month FROM bookings AS b",
        ),
        ("number of owners created per month", "date_trunc('month', created_at)::date AS month"),
        ("latest missed booking", "ORDER BY scheduled_start DESC LIMIT 1"),
        ("most recent trip", "ORDER BY scheduled_departure DESC LIMIT 1"),
        ("number of clinics opened per year", "extract(year FROM opening_date)"),
    ],
)
async def test_a_time_is_that_of_what_is_counted(question, part, plan, catalog):
    """The month of bookings was that in which their clinic opened."""
    found = await _first(question, plan, catalog)
    assert part in found.sql, found.sql
    assert not found.uncovered


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("which month had the most bookings scheduled in May 2026?", ("scheduled_start >= '2026-05-01'",)),
        (
            "number of bookings scheduled between April and May 2026",
            ("scheduled_start >= '2026-04-01' AND scheduled_start < '2026-06-01'",),
        ),
        ("bookings of owners in York scheduled in May 2026", ("b.scheduled_start >= '2026-05-01'",)),
        (
            "bookings that are not cancelled scheduled before May 2026 by status",
            ("scheduled_start < '2026-05-01'", "status <> 'cancelled'"),
        ),
        (
            "which owners have no bills written in 2025?",
            ("FROM bills WHERE issued_on >= '2025-01-01'",),
        ),
        (
            "bills whose amount is 50 or more issued in 2025 by status",
            ("amount >= 50", "issued_on >= '2025-01-01'", "count(*)"),
        ),
        (
            "number of paid bills issued in 2025",
            ("issued_on >= '2025-01-01'", "status = 'paid'"),
        ),
    ],
)
async def test_a_verb_before_a_time_says_which(question, parts, plan, catalog):
    """'Scheduled in May' was a status as well."""
    found = await _first(question, plan, catalog)
    assert all(part in found.sql for part in parts), found.sql
    assert "'scheduled'" not in found.sql


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("number of bills since 2025", "SELECT count(*) FROM bills WHERE issued_on >= '2025-01-01'"),
        ("number of bills since May 2025", "SELECT count(*) FROM bills WHERE issued_on >= '2025-05-01'"),
        ("number of bookings starting in May 2026", "WHERE scheduled_start >= '2026-05-01'"),
        ("bookings with status missed in the first half of 2025", "status = 'missed'"),
        ("breakdown of bills issued before 2025 by status", "issued_on < '2025-01-01' GROUP BY status"),
        ("bills from May 2025 on by status", "WHERE issued_on >= '2025-05-01' GROUP BY status"),
        ("number of bills in 2025 or later", "WHERE issued_on >= '2025-01-01'"),
        ("number of bills through May 2025", "WHERE issued_on < '2025-06-01'"),
        ("In 2025, month with the most bills", "issued_on < '2026-01-01' GROUP BY date_trunc"),
        ("In Q1 2025, which owners have no bills?", "FROM bills WHERE issued_on >= '2025-01-01'"),
        (
            "Since May 2025, how many owners have bills?",
            "count(DISTINCT o.id) FROM bills AS b JOIN owners AS o ON b.owner_id = o.id WHERE b.issued_on >=",
        ),
        ("number of bills in the first half of 2025 per status", "issued_on < '2025-07-01' GROUP BY status"),
        ("bills in the first half of 2025 by status", "issued_on < '2025-07-01' GROUP BY status"),
    ],
)
async def test_a_time_is_read_wherever_it_stands(question, part, plan, catalog):
    """'From May 2025 on' was May 2025 alone."""
    found = await _first(question, plan, catalog)
    assert part in found.sql, found.sql
    assert not found.uncovered


async def test_a_month_is_of_no_time_of_day(plan, make_table):
    """A hearing has a day, and the hour at which it begins."""
    hearings = make_table(1, "hearings", "id:id start_time:time hearing_date:date?")
    start = replace(hearings.columns[1], type_name="time without time zone")
    hearings = replace(hearings, columns=(hearings.columns[0], start, hearings.columns[2]))
    found = await _first("monthly number of hearings", plan, Catalog((hearings,)))
    assert "date_trunc('month', hearing_date)" in found.sql


async def test_an_order_is_a_thing_behind_what_is_said_of_it(plan, shop):
    found = (await EmbeddedEngine().propose(plan("the most recent delayed order in 2025", shop)))[0]
    assert "FROM orders" in found.sql
    assert "ORDER BY ordered_at DESC" in found.sql


@pytest.mark.parametrize("question", ["orders until 2023", "total amount of orders until 2023"])
async def test_a_year_that_ends_a_time_is_no_amount(question, plan, make_table):
    catalog = Catalog((make_table(1, "orders", "id:id ordered_at:time amount:money status:text"),))
    best = (await EmbeddedEngine().propose(plan(question, catalog)))[0].sql
    assert "ordered_at < '2024-01-01'" in best
    assert "amount <=" not in best


async def test_who_entered_a_row_asks_for_the_time_it_was_kept(plan, make_table):
    catalog = Catalog((make_table(1, "visits", "id:id starts_at:time created_at:time note:text"),))
    best = (await EmbeddedEngine().propose(plan("the last 5 visits added", catalog)))[0].sql
    assert "ORDER BY created_at DESC" in best
