"""The first few rows and the largest groups of some rows, and two values of which each row has one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog, Column

VALUES = {
    ("venues", "town"): ["Bath", "York"],
    ("bookings", "status"): ["confirmed", "declined", "pending"],
    ("halls", "style"): ["Gothic", "Modern"],
}


@pytest.fixture
def booked(make_table):
    """Venues, their halls, bookings of these, and what is paid for a booking."""
    halls = "id:id number:text style:text seats:int area_sqm:int venue_id:id opened_on:date"
    bookings = "id:id code:text hall_id:id status:text guests:int fee_amount:money booked_on:date"
    return Catalog(
        (
            make_table(1, "venues", "id:id name:text town:text founded_on:date"),
            make_table(2, "halls", halls, keys={"venue_id": 1}),
            make_table(3, "bookings", bookings, keys={"hall_id": 2}),
            make_table(
                4, "payments", "id:id booking_id:id amount:money paid_on:date", keys={"booking_id": 3}
            ),
        )
    )


async def _first(question, plan, booked):
    return (await EmbeddedEngine().propose(plan(question, booked, VALUES)))[0]


EITHER = "(b.status = 'confirmed' OR b.status = 'declined')"
OWN_EITHER = "(status = 'confirmed' OR status = 'declined')"


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "the 5 bookings with status confirmed or declined with the smallest number of guests",
            (OWN_EITHER, "ORDER BY guests LIMIT 5"),
        ),
        (
            "which 3 halls had the most confirmed and declined bookings",
            (EITHER, "ORDER BY count(*) DESC LIMIT 3"),
        ),
        (
            "halls with at least 3 confirmed or declined bookings",
            (EITHER, "HAVING count(*) >= 3"),
        ),
        (
            "top 4 halls opened before 2020 by number of bookings",
            ("h.opened_on < '2020-01-01'", "ORDER BY count(*) DESC LIMIT 4"),
        ),
        (
            "show the booking made in 2023 and 2024 with the top number of guests",
            ("FROM bookings WHERE", "ORDER BY guests DESC LIMIT 1"),
        ),
        ("which 4 halls with at most 50 seats had the lowest area", ("ORDER BY area_sqm LIMIT 4",)),
        ("bottom 5 halls in Bath by number of seats", ("v.town = 'Bath'", "ORDER BY h.seats LIMIT 5")),
        (
            "bottom 3 venues in York by number of bookings that were declined",
            ("status = 'declined'", "town = 'York'", "ORDER BY count(*) LIMIT 3"),
        ),
        (
            "top 10 bookings ranked by fee amount in the first half of 2023",
            ("ORDER BY fee_amount DESC", "LIMIT 10"),
        ),
        (
            "top 4 bookings of halls in Bath ranked by fee amount",
            ("town = 'Bath'", "ORDER BY b.fee_amount DESC", "LIMIT 4"),
        ),
        (
            "in which month were there the most bookings during 2023 with the hall style Gothic?",
            ("SELECT date_trunc('month', b.booked_on)", "style = 'Gothic'"),
        ),
    ],
)
async def test_the_first_few_are_of_all_kinds_together(question, parts, booked, plan):
    first = await _first(question, plan, booked)
    assert "PARTITION" not in first.sql
    assert all(part in first.sql for part in parts), first.sql
    assert not first.uncovered


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "which halls have a total amount of less than 900 from payments in 2024",
            ("HAVING sum(p.amount) < 900", "p.paid_on >="),
        ),
        (
            "halls with a total number of guests of bookings in 2024 over 700",
            ("HAVING sum(b.guests) > 700", "b.booked_on >="),
        ),
        (
            "which halls have a total fee amount of more than 700 for confirmed bookings",
            ("HAVING sum(b.fee_amount) > 700", "status = 'confirmed'"),
        ),
        ("number of payments per hall with an amount not above 70", ("p.amount <= 70",)),
        (
            "rank the halls by total amount of their payments made since 1 March 2024",
            ("p.paid_on >= '2024-03-01'", "ORDER BY sum(p.amount) DESC"),
        ),
        (
            "date of the first payment of 90 or less for every hall in H1 of 2024",
            ("min(p.paid_on)", "p.paid_on >= '2024-01-01'", "p.paid_on < '2024-07-01'"),
        ),
        (
            "in 2024, for each hall, when was the earliest confirmed or declined booking?",
            ("min(b.booked_on)", EITHER, "b.booked_on >= '2024-01-01'"),
        ),
        ("which booking at halls in Bath came first?", ("ORDER BY b.booked_on LIMIT 1",)),
        ("the oldest booking with more than 20 guests", ("ORDER BY booked_on LIMIT 1",)),
        (
            "how many bookings with more than 20 guests do we get a month on average since 2023",
            ("SELECT avg(n)", "guests > 20", "date_trunc('month', booked_on)"),
        ),
        (
            "the average monthly number of bookings with at most 20 guests",
            ("SELECT avg(n)", "guests <= 20", "date_trunc('month', booked_on)"),
        ),
        (
            "bookings with more than 20 guests in 2023 vs 2024, how many each?",
            ("count(*)", "guests > 20", "GROUP BY extract(year FROM booked_on)"),
        ),
        (
            "halls with precisely 3 bookings that were declined",
            ("HAVING count(*) = 3", "b.status = 'declined'"),
        ),
        (
            "venues that had bookings whose number of guests does not exceed 70",
            ("SELECT DISTINCT v.name", "b.guests <= 70"),
        ),
    ],
)
async def test_what_is_bounded_is_of_the_rows_that_are_measured(question, parts, booked, plan):
    first = await _first(question, plan, booked)
    assert all(part in first.sql for part in parts), first.sql
    assert not first.uncovered


def _with_common(catalog: Catalog, table: str, column: str, distinct: float) -> Catalog:
    """The catalog with 0 and 1 as the most common of so many values of a column."""

    def known(one: Column) -> Column:
        return replace(one, common_values=("0", "1"), distinct=distinct) if one.name == column else one

    relations = (
        replace(r, columns=tuple(map(known, r.columns))) if r.name == table else r for r in catalog.relations
    )
    return Catalog(tuple(relations))


async def test_a_number_of_things_is_no_flag_though_0_and_1_are_common(booked, plan):
    """'The number of seats of each hall' was a count of halls with `seats = 1`."""
    seated = _with_common(booked, "halls", "seats", -0.9)
    found = await EmbeddedEngine().propose(plan("show the style and number of seats of each hall", seated))
    assert "seats = 1" not in found[0].sql
    assert "seats" in found[0].sql


async def test_the_average_number_of_flagged_things_is_of_their_counts(booked, plan):
    """'The average number of guests' is of a column, 'of vegan bookings' of how many there are."""
    flagged = _with_common(booked, "bookings", "guests", 2)
    found = await EmbeddedEngine().propose(plan("average number of guests bookings per hall", flagged))
    assert "avg(n)" in found[0].sql


async def test_the_last_member_is_no_last_name(plan, make_table):
    """'The last member' named the column `last_name` of members."""
    members = make_table(1, "members", "id:id first_name:text last_name:text joined_on:date")
    found = await EmbeddedEngine().propose(plan("the last member with a name in 2023", Catalog((members,))))
    assert "ORDER BY joined_on DESC LIMIT 1" in found[0].sql
