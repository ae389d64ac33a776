"""Questions about a business: what was not done, the best of each, and what only some rows are."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., ExpertContext]
YEAR = "extract(year FROM ordered_at)::int"
MONTH = "extract(month FROM ordered_at)::int"


@pytest.fixture
def business(make_table: Callable[..., Relation]) -> Catalog:
    sold = {"shipper_id": 1, "employee_id": 3}
    return Catalog(
        (
            make_table(1, "shippers", "id:id company:text"),
            make_table(
                2,
                "orders",
                "id:id shipper_id:id employee_id:id channel:text ordered_at:time shipped_on:date? "
                "freight:money",
                keys=sold,
                rows=5000,
            ),
            make_table(3, "employees", "id:id name:text office:text"),
            make_table(
                4,
                "complaints",
                "id:id order_id:id severity:text received_on:date",
                keys={"order_id": 2},
                rows=300,
            ),
        )
    )


@pytest.fixture
def staff(make_table: Callable[..., Relation]) -> Catalog:
    return Catalog(
        (
            make_table(1, "lawyers", "id:id name:text office:text left_on:date?"),
            make_table(2, "matters", "id:id title:text opened_on:date"),
            make_table(
                3,
                "time_entries",
                "id:id matter_id:id lawyer_id:id hours:money",
                keys={"matter_id": 2, "lawyer_id": 1},
                rows=5000,
            ),
            make_table(
                4,
                "hearings",
                "id:id matter_id:id held_on:date start_time:time?",
                keys={"matter_id": 2},
            ),
        )
    )


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("which lawyers have left the firm", "SELECT name FROM lawyers WHERE left_on IS NOT NULL"),
        ("lawyers who are no longer with us", "SELECT name FROM lawyers WHERE left_on IS NOT NULL"),
        ("how many lawyers are still with the firm", "SELECT count(*) FROM lawyers WHERE left_on IS NULL"),
        (
            "matters on which nobody has ever recorded time",
            "SELECT title FROM matters WHERE id NOT IN (SELECT matter_id FROM time_entries)",
        ),
        (
            "matters for which not one lawyer has recorded time",
            "SELECT title FROM matters WHERE id NOT IN (SELECT matter_id FROM time_entries)",
        ),
    ],
)
async def test_who_has_gone_and_what_was_not_recorded(
    question: str, sql: str, staff: Catalog, plan: Plans
) -> None:
    assert (await best(question, staff, plan))[0] == sql


async def test_nobody_is_told_to_have_left_where_no_time_says_so(business: Catalog, plan: Plans) -> None:
    sql, confidence = await best("how many employees are no longer with us", business, plan)
    assert confidence < 0.5, sql


async def best(question: str, catalog: Catalog, plan: Plans) -> tuple[str, float]:
    first = (await EmbeddedEngine().propose(plan(question, catalog, {})))[0]
    bare = first.sql if " place " in first.sql else re.sub(r" AS \w+(?=,| FROM)", "", first.sql)
    return bare, first.confidence or 0.0


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("orders that were not shipped", "shipped_on IS NULL"),
        ("unshipped orders", "shipped_on IS NULL"),
        (
            "orders of 2024 that were not shipped",
            "shipped_on IS NULL AND ordered_at >= '2024-01-01' AND ordered_at < '2025-01-01'",
        ),
    ],
)
async def test_what_was_not_shipped_has_no_time_of_it(
    question: str, where: str, business: Catalog, plan: Plans
) -> None:
    assert (await best(question, business, plan))[0] == f"SELECT id FROM orders WHERE {where}"


@pytest.mark.parametrize(
    ("question", "selected"),
    [
        (
            "orders of 2024 per channel",
            "SELECT channel, count(*) FROM orders WHERE ordered_at >= '2024-01-01' "
            "AND ordered_at < '2025-01-01' GROUP BY channel ORDER BY count(*) DESC",
        ),
        (
            "how many orders were placed in each of the years 2022, 2023 and 2024",
            f"SELECT {YEAR}, count(*) FROM orders WHERE ordered_at >= '2022-01-01' "
            f"AND ordered_at < '2025-01-01' GROUP BY {YEAR} ORDER BY {YEAR}",
        ),
        (
            "what was our busiest month in each year, by number of orders",
            f"SELECT year, month FROM (SELECT {YEAR} AS year, {MONTH} AS month, "
            f"rank() OVER (PARTITION BY {YEAR} ORDER BY count(*) DESC) AS place FROM orders "
            f"GROUP BY {YEAR}, {MONTH}) AS x WHERE place <= 1",
        ),
        (
            "for each year, the month with the most orders",
            f"SELECT year, month FROM (SELECT {YEAR} AS year, {MONTH} AS month, "
            f"rank() OVER (PARTITION BY {YEAR} ORDER BY count(*) DESC) AS place FROM orders "
            f"GROUP BY {YEAR}, {MONTH}) AS x WHERE place <= 1",
        ),
        (
            "for each office, which employee has the highest total freight? Office, name, freight",
            "SELECT office, name, sum AS total_freight FROM (SELECT e.office AS office, e.name AS name, "
            "sum(o.freight) AS sum, rank() OVER (PARTITION BY e.office ORDER BY sum(o.freight) DESC) "
            "AS place FROM employees AS e JOIN orders AS o ON o.employee_id = e.id "
            "GROUP BY e.office, e.id, e.name) AS x WHERE place <= 1",
        ),
    ],
)
async def test_of_each(question: str, selected: str, business: Catalog, plan: Plans) -> None:
    assert (await best(question, business, plan))[0] == selected


@pytest.mark.parametrize("question", ["list all severe complaints", "orders without a severe complaint"])
async def test_severe_complaints_are_not_all(question: str, business: Catalog, plan: Plans) -> None:
    sql, confidence = await best(question, business, plan)
    assert confidence < 0.5, sql
