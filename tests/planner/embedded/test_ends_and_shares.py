"""The first, the last and the greatest of all, each one's last, and the parts that groups make up."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

VALUES = {
    ("owners", "city"): ["Leeds", "York"],
    ("bills", "status"): ["unpaid", "paid"],
}


@pytest.fixture
def catalog(make_table):
    """Bills of owners, which have numbers, and fees, which have none."""
    bills = "id:id number:text owner_id:id status:text amount:money issued_on:date due_on:date"
    return Catalog(
        (
            make_table(1, "owners", "id:id name:text city:text"),
            make_table(2, "bills", bills, keys={"owner_id": 1}),
            make_table(3, "fees", "id:id owner_id:id amount:money charged_on:date", keys={"owner_id": 1}),
        )
    )


EACH = "rank() OVER (PARTITION BY o.id ORDER BY b.issued_on DESC"
PART = "/ nullif(sum(count(*)) OVER (), 0)"


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("when was the first and when was the last bill issued?", ("min(issued_on)", "max(issued_on)")),
        ("from when to when do our bills run?", ("min(issued_on)", "max(issued_on)")),
        ("what period do the unpaid bills cover?", ("min(issued_on)", "max(issued_on)", "'unpaid'")),
        (
            "when was the first bill, and when was the most recent one?",
            ("min(issued_on)", "max(issued_on)"),
        ),
        ("which of our bills came first", ("ORDER BY issued_on", "LIMIT 1")),
        ("what's the first bill we ever had", ("ORDER BY issued_on", "LIMIT 1")),
        ("of all bills, which one is the largest?", ("ORDER BY amount DESC", "LIMIT 1")),
        ("what was our most valuable bill", ("ORDER BY amount DESC", "LIMIT 1")),
        ("latest bills, limit 5", ("ORDER BY issued_on DESC", "LIMIT 5")),
        ("the final 5 bills", ("ORDER BY issued_on DESC", "LIMIT 5")),
        ("per owner: last bill", (EACH,)),
        ("newest bill by owner", (EACH,)),
        ("the last bill for each of our owners", (EACH,)),
        ("one line per owner with the date of the most recent bill", ("max(b.issued_on)", "GROUP BY o.id")),
        ("date of the first and the last unpaid bill", ("min(issued_on)", "max(issued_on)", "'unpaid'")),
        (
            "earliest and latest bill with an amount above 50",
            ("min(issued_on)", "max(issued_on)", "amount > 50"),
        ),
        ("when was the first and when was the last bill that is paid?", ("max(issued_on)", "= 'paid'")),
        ("date of the first and the last bill by owners in York", ("SELECT min(b.issued_on)", "'York'")),
        ("what was our very first bill?", ("FROM bills ORDER BY issued_on LIMIT 1",)),
        ("show me our first paid bill", ("status = 'paid' ORDER BY issued_on LIMIT 1",)),
        ("which was the first bill ever?", ("FROM bills ORDER BY issued_on LIMIT 1",)),
        ("each owner's most recent bill", (EACH,)),
        ("each owner's last bill with an amount above 50", (EACH, "b.amount > 50")),
        ("each owner's first bill date", ("min(b.issued_on)", "GROUP BY o.id")),
        ("our biggest unpaid bill so far", ("status = 'unpaid' ORDER BY amount DESC LIMIT 1",)),
        (
            "show the largest single bill in 2025",
            ("issued_on >= '2025-01-01'", "ORDER BY amount DESC LIMIT 1"),
        ),
        ("which paid bill was the largest?", ("status = 'paid' ORDER BY amount DESC LIMIT 1",)),
        ("what is our biggest fee?", ("FROM fees ORDER BY amount DESC LIMIT 1",)),
        ("what is the biggest fee?", ("SELECT max(amount)",)),
        ("how much money came in from paid bills?", ("SELECT sum(amount) FROM bills", "'paid'")),
        ("how much did we take in from bills in 2025?", ("SELECT sum(amount) FROM bills", "'2025-01-01'")),
        ("what is the amount of bills on average per status?", ("SELECT status, avg(amount)",)),
        ("what does a bill cost on average in 2025?", ("SELECT avg(amount)", "'2025-01-01'")),
        ("how much is a bill on average for each status?", ("SELECT status, avg(amount)",)),
        ("what do all bills come to?", ("SELECT sum(amount) FROM bills",)),
        ("fees: how much is that in total?", ("SELECT sum(amount) FROM fees",)),
        ("whose bills add up to the most?", ("FROM owners", "ORDER BY sum(b.amount) DESC LIMIT 1")),
        ("owners whose bills add up to more than 500", ("FROM owners", "HAVING sum(b.amount) > 500")),
        ("which owners have more than 500 in bills altogether?", ("HAVING sum(b.amount) > 500",)),
        ("can you break the bills down by status?", ("SELECT status, count(*)", "GROUP BY status")),
    ],
)
async def test_the_first_the_last_and_the_greatest(question, parts, plan, catalog):
    found = (await EmbeddedEngine().propose(plan(question, catalog, VALUES)))[0]
    assert all(part in found.sql for part in parts), found.sql
    assert not found.uncovered


@pytest.mark.parametrize(
    "question",
    [
        "share of bills by status issued in 2025",
        "share of bills by status for 2025",
        "percentage of bills issued in 2025 per status",
        "what part of the bills issued in 2025 does each status account for?",
        "what share of the bills issued in 2025 does each status make up?",
        "distribution of bills issued in 2025 by status in percent",
        "bills issued in 2025 by status in percent",
        "how are the bills issued in 2025 split across statuses, in percent?",
        "what percentage of bills issued in 2025 falls into each status?",
        "for each status, what proportion of all bills issued in 2025 is it?",
        "distribution of bills with an amount above 50 issued in 2025 by status in percent",
    ],
)
async def test_a_share_of_each_group_is_of_the_rows_asked_for(question, plan, catalog):
    """Of each status the share of 2025 was shown."""
    found = (await EmbeddedEngine().propose(plan(question, catalog, VALUES)))[0]
    assert PART in found.sql, found.sql
    assert "issued_on >= '2025-01-01' AND issued_on < '2026-01-01' GROUP BY" in found.sql, found.sql
    assert not found.uncovered


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("share of unpaid bills by owner", "b.status = 'unpaid'"),
        ("percentage of bills with an amount above 50 issued in 2025 per status", "amount > 50"),
    ],
)
async def test_a_value_in_a_share_by_groups_is_its_part(question, part, plan, catalog):
    sql = (await EmbeddedEngine().propose(plan(question, catalog, VALUES)))[0].sql
    assert f"count(*) FILTER (WHERE {part})" in sql, sql
