"""A participle with its manner is no state: 'paid by card', 'shipped to Texas', 'placed by phone'."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

VALUES = {
    ("orders", "status"): ("paid", "shipped", "delivered", "cancelled"),
    ("orders", "channel"): ("web", "phone"),
    ("orders", "payment_method"): ("card", "paypal"),
    ("addresses", "country"): ("Germany", "France"),
    ("shipments", "carrier"): ("DHL", "UPS"),
    ("staff", "name"): ("Gita Rossi",),
}


@pytest.fixture
def trade(make_table):
    """Orders with a state, a channel and a way of payment; where they go, and who carries them."""
    return Catalog(
        (
            make_table(1, "customers", "id:id name:text phone:text?"),
            make_table(2, "addresses", "id:id city:text country:text"),
            make_table(
                3,
                "orders",
                "id:id customer_id:id shipping_address_id:id status:text channel:text payment_method:text"
                " ordered_at:time",
                keys={"customer_id": 1, "shipping_address_id": 2},
            ),
            make_table(
                4, "shipments", "id:id order_id:id carrier:text shipped_at:time", keys={"order_id": 3}
            ),
            make_table(5, "staff", "id:id name:text mentor_id:id?", keys={"mentor_id": 5}),
        )
    )


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("orders paid by card", "SELECT id FROM orders WHERE payment_method = 'card'"),
        (
            "number of orders paid with paypal",
            "SELECT count(*) FROM orders WHERE payment_method = 'paypal'",
        ),
        (
            "how many orders paid by card were cancelled",
            "SELECT count(*) FROM orders WHERE payment_method = 'card' AND status = 'cancelled'",
        ),
        ("orders placed by phone", "SELECT id FROM orders WHERE channel = 'phone'"),
        (
            "orders cancelled on the phone",
            "SELECT id FROM orders WHERE status = 'cancelled' AND channel = 'phone'",
        ),
        (
            "orders shipped to Germany",
            "SELECT o.id FROM orders AS o JOIN addresses AS a ON o.shipping_address_id = a.id"
            " WHERE a.country = 'Germany'",
        ),
        ("paid orders", "SELECT id FROM orders WHERE status = 'paid'"),
        ("how many orders by phone", "SELECT count(*) FROM orders WHERE channel = 'phone'"),
        (
            "orders by phone per month",
            "SELECT date_trunc('month', ordered_at)::date AS month, count(*) AS number_of_orders FROM orders"
            " WHERE channel = 'phone' GROUP BY date_trunc('month', ordered_at)::date"
            " ORDER BY date_trunc('month', ordered_at)::date",
        ),
        (
            "customers by phone",
            "SELECT phone, count(*) AS number_of_customers FROM customers GROUP BY phone"
            " ORDER BY count(*) DESC",
        ),
    ],
)
async def test_what_was_done_somehow_is_told_by_how(question, sql, plan, trade):
    first = (await EmbeddedEngine().propose(plan(question, trade, VALUES)))[0]
    assert first.sql == sql
    assert not first.uncovered


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("orders shipped with DHL", ("s.carrier = 'DHL'",)),
        ("orders delivered by DHL", ("o.status = 'delivered'", "s.carrier = 'DHL'")),
        ("number of orders grouped by channel", ("GROUP BY channel",)),
        ("number of customers sorted by phone", ("ORDER BY phone",)),
    ],
)
async def test_states_and_columns_stay(question, parts, plan, trade):
    first = (await EmbeddedEngine().propose(plan(question, trade, VALUES)))[0]
    assert all(part in first.sql for part in parts), first.sql
    assert ("status" in first.sql) == ("delivered" in question)


async def test_who_did_it_is_no_manner(plan, trade):
    first = (await EmbeddedEngine().propose(plan("staff mentored by Gita Rossi", trade, VALUES)))[0]
    assert "mentor" in first.sql or "mentored" in first.uncovered


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "How many flights were cancelled in 2023?",
            "SELECT count(*) FROM flights WHERE departs_at >= '2023-01-01' AND departs_at < '2024-01-01'"
            " AND status = 'Cancelled'",
        ),
        (
            "flights cancelled per year",
            "SELECT extract(year FROM departs_at)::int AS year, count(*) AS number_of_flights FROM flights"
            " WHERE status = 'Cancelled' GROUP BY extract(year FROM departs_at)::int"
            " ORDER BY extract(year FROM departs_at)::int",
        ),
        (
            "How many bookings were cancelled in 2023?",
            "SELECT count(*) FROM bookings WHERE cancelled_at >= '2023-01-01'"
            " AND cancelled_at < '2024-01-01'",
        ),
        (
            "How many accounts did we open in 2023?",
            "SELECT count(*) FROM accounts WHERE opened_on >= '2023-01-01' AND opened_on < '2024-01-01'",
        ),
        ("How many accounts are open?", "SELECT count(*) FROM accounts WHERE status = 'Open'"),
    ],
)
async def test_a_state_is_of_the_thing_that_is_named(question, sql, plan, make_table):
    flights = Catalog(
        (
            make_table(1, "flights", "id:id status:text departs_at:time"),
            make_table(2, "accounts", "id:id status:text opened_on:date"),
            make_table(
                3,
                "bookings",
                "id:id flight_id:id account_id:id booked_at:time cancelled_at:time?",
                keys={"flight_id": 1, "account_id": 2},
            ),
        )
    )
    values = {("flights", "status"): ("Flown", "Cancelled"), ("accounts", "status"): ("Open", "Closed")}
    first = (await EmbeddedEngine().propose(plan(question, flights, values)))[0]
    assert first.sql == sql
