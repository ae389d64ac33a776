"""A word before a thing says how it is, by what the thing's own table holds."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., ExpertContext]

VALUES = {
    ("deals", "stage"): ("open", "won"),
    ("orders", "status"): ("new", "open", "paid"),
    ("enrolments", "status"): ("active", "done"),
    ("jobs", "kind"): ("repair", "check"),
}


@pytest.fixture
def company(make_table: Callable[..., Relation]) -> Catalog:
    jobs = "id:id kind:text planned_flg:bool requested_on:date completed_on:date? customer_id:id"
    return Catalog(
        (
            make_table(1, "customers", "id:id name:text is_active:bool joined_on:date"),
            make_table(2, "deals", "id:id customer_id:id stage:text price:money", keys={"customer_id": 1}),
            make_table(
                3,
                "orders",
                "id:id customer_id:id status:text total_amount:money ordered_at:time",
                keys={"customer_id": 1},
                rows=300,
            ),
            make_table(4, "payments", "id:id order_id:id method:text paid_at:time", keys={"order_id": 3}),
            make_table(5, "enrolments", "id:id customer_id:id status:text", keys={"customer_id": 1}),
            make_table(6, "jobs", jobs, keys={"customer_id": 1}),
        )
    )


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("average price of won deals", "SELECT avg(price) FROM deals WHERE stage = 'won'"),
        ("number of paid orders", "SELECT count(*) FROM orders WHERE status = 'paid'"),
        ("how many inactive customers are there", "SELECT count(*) FROM customers WHERE is_active = false"),
        ("how many unplanned jobs are there", "SELECT count(*) FROM jobs WHERE planned_flg = false"),
        (
            "average days to complete repair jobs",
            "SELECT avg(completed_on - requested_on) FROM jobs WHERE kind = 'repair'",
        ),
        (
            "what percentage of all orders used a payment?",
            "SELECT 100.0 * count(*) FILTER (WHERE id IN (SELECT order_id FROM payments)) / nullif(",
        ),
        (
            "share of each stage among all deals",
            "SELECT stage, 100.0 * count(*) / nullif(sum(count(*)) OVER (), 0) FROM deals GROUP BY stage",
        ),
        (
            "top 5 customers by amount spent on paid orders",
            "SELECT c.name, sum(o.total_amount) FROM customers AS c JOIN orders AS o ON o.customer_id = c.id "
            "WHERE o.status = 'paid' GROUP BY c.id, c.name ORDER BY sum(o.total_amount) DESC LIMIT 5",
        ),
        (
            "top 3 customers by number of orders placed in 2025",
            "SELECT c.name, count(*) FROM customers AS c JOIN orders AS o ON o.customer_id = c.id "
            "WHERE o.ordered_at >= '2025-01-01' AND o.ordered_at < '2026-01-01' "
            "GROUP BY c.id, c.name ORDER BY count(*) DESC LIMIT 3",
        ),
    ],
)
async def test_it_is_read_of_that_table(question: str, sql: str, company: Catalog, plan: Plans) -> None:
    best = (await EmbeddedEngine().propose(plan(question, company, VALUES)))[0]
    assert _bare(best.sql).startswith(sql), best.sql
    assert not best.uncovered


def _bare(sql: str) -> str:
    """SQL without the names of outputs."""
    return re.sub(r"\) AS \w+(?=,| FROM)", ")", sql)


async def test_who_has_such_a_row_is_not_so_himself(company: Catalog, plan: Plans) -> None:
    best = (await EmbeddedEngine().propose(plan("new customers per year", company, VALUES)))[0]
    assert "FROM customers GROUP BY" in best.sql
    assert not best.uncovered
