"""What was never done was not done in a year either; how long something takes is not when it happened."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., ExpertContext]


@pytest.fixture
def parcels(make_table: Callable[..., Relation]) -> Catalog:
    columns = "id:id carrier:text shipped_at:time delivered_at:time? cancelled_at:time?"
    return Catalog((make_table(1, "parcels", columns),))


async def test_rows_without_a_time_are_among_those_not_done_then(parcels: Catalog, plan: Plans) -> None:
    best = (await EmbeddedEngine().propose(plan("parcels not cancelled in 2025", parcels, {})))[0]
    assert best.sql.endswith(
        "WHERE (cancelled_at < '2025-01-01' OR cancelled_at >= '2026-01-01' OR cancelled_at IS NULL)"
    )


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("parcels not delivered by 31 March 2025", "(delivered_at >= '2025-04-01' OR delivered_at IS NULL)"),
        ("parcels never delivered before 2025", "(delivered_at >= '2025-01-01' OR delivered_at IS NULL)"),
        (
            "parcels not delivered between 1 March 2025 and 31 March 2025",
            "(delivered_at < '2025-03-01' OR delivered_at >= '2025-04-01' OR delivered_at IS NULL)",
        ),
        ("parcels not shipped by 31 March 2025", "shipped_at >= '2025-04-01'"),
        ("parcels whose delivered at is not before 2025", "delivered_at >= '2025-01-01'"),
    ],
)
async def test_what_was_never_done_was_not_done_by_then(
    question: str, where: str, parcels: Catalog, plan: Plans
) -> None:
    best = (await EmbeddedEngine().propose(plan(question, parcels, {})))[0]
    assert best.sql.endswith(f"WHERE {where}")


@pytest.mark.parametrize(
    ("question", "order"),
    [
        ("which carrier takes the least time from shipped to delivered", ""),
        ("which carrier has the shortest delivery time", ""),
        ("which carrier needs the fewest days from shipped to delivered", ""),
        ("which carrier takes the most days from shipped to delivered", " DESC NULLS LAST"),
        ("which carrier takes the longest from shipped to delivered", " DESC NULLS LAST"),
    ],
)
async def test_time_is_no_number_of_rows(question: str, order: str, parcels: Catalog, plan: Plans) -> None:
    best = (await EmbeddedEngine().propose(plan(question, parcels, {})))[0]
    assert best.sql == (
        f"SELECT carrier FROM parcels GROUP BY carrier ORDER BY avg(delivered_at - shipped_at){order} LIMIT 1"
    )


@pytest.mark.parametrize(
    "question", ["which carrier has the shortest delivered at", "the fastest cancelled parcel"]
)
async def test_the_first_of_the_times_is_not_the_shortest(
    question: str, parcels: Catalog, plan: Plans
) -> None:
    for candidate in await EmbeddedEngine().propose(plan(question, parcels, {})):
        assert candidate.confidence is not None
        assert candidate.confidence < 0.5


@pytest.fixture
def shop(make_table: Callable[..., Relation]) -> Catalog:
    order = {"order_id": 1}
    return Catalog(
        (
            make_table(1, "orders", "id:id status:text placed_at:time"),
            make_table(2, "shipments", "id:id order_id:id delivered_at:time?", keys=order),
            make_table(3, "payments", "id:id order_id:id status:text amount:money", keys=order),
        )
    )


VALUES = {
    ("orders", "status"): ("paid", "shipped", "cancelled"),
    ("payments", "status"): ("captured", "failed"),
}


@pytest.mark.parametrize(
    "question", ["which orders were never paid", "orders never shipped", "which payments were never captured"]
)
async def test_no_state_tells_what_has_never_been(question: str, shop: Catalog, plan: Plans) -> None:
    """What is shipped now was paid before."""
    for candidate in await EmbeddedEngine().propose(plan(question, shop, VALUES)):
        assert "status <>" not in candidate.sql
        assert "NOT IN" in candidate.sql or "EXCEPT" in candidate.sql or "never" in candidate.uncovered


async def test_what_no_parcel_was_made_of_was_never_delivered(shop: Catalog, plan: Plans) -> None:
    best = (await EmbeddedEngine().propose(plan("orders that were never delivered", shop, VALUES)))[0]
    delivered = "SELECT order_id FROM shipments WHERE delivered_at IS NOT NULL"
    assert best.sql == f"SELECT id FROM orders WHERE id NOT IN ({delivered})"


async def test_who_never_did_it_then_is_none_of_what_was_done_at_other_times(plan):
    for question in ("customers who never ordered in 2024", "customers who did not order in 2024"):
        found = await EmbeddedEngine().propose(plan(question))
        assert found[0].sql == (
            "SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders"
            " WHERE ordered_at >= '2024-01-01' AND ordered_at < '2025-01-01')"
        )
        assert not any(c.sql.startswith("SELECT id FROM orders WHERE (ordered_at <") for c in found)


async def test_a_key_that_nothing_declares_may_be_empty(
    make_table: Callable[..., Relation], plan: Plans
) -> None:
    catalog = Catalog(
        (
            make_table(1, "accounts", "id:id name:text rep_id:int?"),
            make_table(2, "reps", "id:id name:text"),
        )
    )
    found = await EmbeddedEngine().propose(plan("how many accounts have no rep?", catalog, {}))
    assert found[0].sql == (
        "SELECT count(*) FROM accounts WHERE (rep_id NOT IN (SELECT id FROM reps) OR rep_id IS NULL)"
    )


@pytest.fixture
def vouchers(make_table: Callable[..., Relation]) -> Catalog:
    jobs = "id:id voucher_id:id? employee_id:id? done_at:time"
    return Catalog(
        (
            make_table(1, "vouchers", "id:id code:text"),
            make_table(2, "jobs", jobs, keys={"voucher_id": 1, "employee_id": 3}),
            make_table(3, "employees", "id:id first_name:text last_name:text"),
            make_table(4, "orders", "id:id repair_code:text job_id:id", keys={"job_id": 2}),
        )
    )


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "Which voucher codes have never been used?",
            "SELECT code FROM vouchers WHERE id NOT IN (SELECT voucher_id FROM jobs "
            "WHERE voucher_id IS NOT NULL)",
        ),
        (
            "voucher codes nobody has ever redeemed",
            "SELECT code FROM vouchers WHERE id NOT IN (SELECT voucher_id FROM jobs "
            "WHERE voucher_id IS NOT NULL)",
        ),
        ("how many jobs have nobody assigned?", "SELECT count(*) FROM jobs WHERE employee_id IS NULL"),
        (
            "which jobs never had a repair order?",
            "SELECT id FROM jobs WHERE id NOT IN (SELECT job_id FROM orders)",
        ),
    ],
)
async def test_what_nothing_refers_to_was_never_used(
    question: str, sql: str, vouchers: Catalog, plan: Plans
) -> None:
    best = (await EmbeddedEngine().propose(plan(question, vouchers, {})))[0]
    assert best.sql == sql
    assert not best.uncovered


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("how many parcels arrived late?", "SELECT count(*) FROM parcels WHERE delivery_on > due_on"),
        (
            "parcels by carrier that were finished after their due date",
            "SELECT carrier, count(*) AS number_of_parcels FROM parcels WHERE delivery_on > due_on",
        ),
    ],
)
async def test_what_was_due_is_late_by_when_it_was_done(
    question: str, sql: str, make_table: Callable[..., Relation], plan: Plans
) -> None:
    columns = "id:id carrier:text ordered_on:date due_on:date delivery_on:date?"
    parcels = Catalog((make_table(1, "parcels", columns),))
    best = (await EmbeddedEngine().propose(plan(question, parcels, {})))[0]
    assert best.sql.startswith(sql)


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("which visits ended late?", "actual_end > scheduled_end"),
        ("which visits finished late?", "actual_end > scheduled_end"),
        ("which visits started late?", "actual_start > scheduled_start"),
    ],
)
async def test_what_was_late_is_what_is_said_of_it(
    question: str, condition: str, make_table: Callable[..., Relation], plan: Plans
) -> None:
    columns = "id:id actual_start:time actual_end:time scheduled_start:time scheduled_end:time"
    catalog = Catalog((make_table(1, "visits", columns),))
    best = (await EmbeddedEngine().propose(plan(question, catalog, {})))[0]
    assert best.sql == f"SELECT id FROM visits WHERE {condition}"


@pytest.mark.parametrize(
    ("question", "between"),
    [
        ("names of branches without registered members", "registers"),
        ("names of branches without members", "purchases"),
        ("names of branches that no member purchased at", "purchases"),
    ],
)
async def test_what_was_never_done_is_told_by_the_record_of_its_verb(
    question: str, between: str, make_table: Callable[..., Relation], plan: Plans
) -> None:
    keys = {"branch_id": 1, "member_id": 2}
    shops = Catalog(
        (
            make_table(1, "branches", "id:id name:text"),
            make_table(2, "members", "id:id name:text"),
            make_table(3, "purchases", "id:id branch_id:id member_id:id amount:money", keys=keys),
            make_table(4, "registers", "id:id branch_id:id member_id:id yr:int", keys=keys),
        )
    )
    best = (await EmbeddedEngine().propose(plan(question, shops, {})))[0]
    assert f"NOT IN (SELECT branch_id FROM {between}" in best.sql
