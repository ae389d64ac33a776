"""What is reckoned: ages, places in an order, the best of each, spans of time, shares, totals so far."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from askwire.core.errors import AskError
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.logical_form.expressions import adds_up
from askwire.sql.catalog import Catalog
from askwire.sql.query_patterns.extraction import observed
from askwire.sql.query_patterns.patterns import QueryPatterns

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("expressions.jsonl").read_text(encoding="utf-8").splitlines()
]
VALUES = {
    ("trips", "status"): ("cancelled", "completed", "delayed"),
    ("tickets", "channel"): ("kiosk", "web"),
    ("crew", "first_name"): ("Ada", "Bo"),
    ("crew", "last_name"): ("Lind", "Moor"),
}


@pytest.fixture
def ferries(make_table):
    return Catalog(
        (
            make_table(1, "ports", "id:id name:text"),
            make_table(2, "ferries", "id:id name:text port_id:id price:money", keys={"port_id": 1}),
            make_table(3, "passengers", "id:id name:text birth_date:date"),
            make_table(
                4,
                "trips",
                "id:id ferry_id:id status:text departed_at:time arrived_at:time?",
                keys={"ferry_id": 2},
            ),
            make_table(
                5,
                "tickets",
                "id:id trip_id:id passenger_id:id channel:text amount:money discount:money sold_at:time",
                keys={"trip_id": 4, "passenger_id": 3},
            ),
            make_table(
                6,
                "crew",
                "id:id first_name:text last_name:text port_id:id salary:money hired_on:date manager_id:id?",
                keys={"port_id": 1, "manager_id": 6},
            ),
            make_table(7, "reviews", "id:id ferry_id:id rating:int", keys={"ferry_id": 2}),
        )
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["question"][:60])
async def test_the_first_candidate_reckons_as_people_do(case, plan, ferries):
    first = (await EmbeddedEngine().propose(plan(case["question"], ferries, VALUES)))[0]
    assert first.sql == case["sql"]
    assert first.confidence >= 0.4


MEASURES = (
    "SELECT sum(amount) - sum(discount) AS net_revenue FROM tickets",
    "SELECT sum(amount) / count(DISTINCT passenger_id) AS arpu FROM tickets",
)


@pytest.fixture
def accustomed(plan, ferries):
    query_patterns = QueryPatterns()
    for sql in MEASURES * 4:
        query_patterns.add(observed(sql, ferries, literals=False))
    return lambda question: replace(plan(question, ferries, VALUES), query_patterns=query_patterns)


@pytest.mark.parametrize(
    ("question", "reckoned"),
    [
        ("percentage of net revenue by channel", "100.0 * (sum(amount) - sum(discount)) / nullif(sum("),
        ("share of net revenue by channel", "100.0 * (sum(amount) - sum(discount)) / nullif(sum("),
        ("proportion of net revenue by channel", "(sum(amount) - sum(discount))::numeric / nullif(sum("),
        ("net revenue growth per month", "100.0 * ((sum(amount) - sum(discount)) - lag(sum(amount)"),
    ],
)
async def test_a_measure_of_several_parts_is_taken_whole(question, reckoned, accustomed):
    first = (await EmbeddedEngine().propose(accustomed(question)))[0]
    assert reckoned in first.sql


@pytest.mark.parametrize(
    "question", ["net revenue growth per month", "running total of net revenue by month"]
)
async def test_what_a_window_makes_of_a_measure_has_a_name_of_its_own(question, accustomed):
    first = (await EmbeddedEngine().propose(accustomed(question)))[0]
    assert first.sql.count("AS net_revenue") == 1


@pytest.mark.parametrize("question", ["share of arpu by channel", "running total of arpu by month"])
async def test_a_ratio_has_no_shares_and_no_total_so_far(question, accustomed):
    with pytest.raises(AskError):
        await EmbeddedEngine().propose(accustomed(question))


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("count(*)", True),
        ('sum(t."net (of tax)" * 2)', True),
        ("(coalesce(sum(a), 0) - sum(b)) / 100.0", True),
        ("sum(a) FILTER (WHERE (b > 0))", True),
        ("sum(a) / count(*)", False),
        ("avg(a)", False),
        ("sum(a)::numeric / nullif(sum(b), 0)", False),
        ("percentile_cont(0.5) WITHIN GROUP (ORDER BY a)", False),
    ],
)
def test_sums_and_counts_add_up_and_nothing_else_does(text, does):
    assert adds_up(text) is does


@pytest.fixture
def sales(make_table):
    return Catalog((make_table(1, "sales", "id:id kind:text quantity:int sold_at:time?"),))


@pytest.mark.parametrize(
    "question",
    [
        "which month had the most sales?",
        "average number of sales per month",
        "running total of sales by month",
        "year over year growth in sales",
        "most common kind of each month",
    ],
)
async def test_rows_without_a_time_are_no_month_beside_others(question, plan, sales):
    first = (await EmbeddedEngine().propose(plan(question, sales, {})))[0]
    assert "WHERE sold_at IS NOT NULL GROUP BY" in first.sql


@pytest.mark.parametrize("question", ["sales by month", "which month had the most sales in 2025?"])
async def test_no_row_is_left_out_of_a_list_or_twice(question, plan, sales):
    first = (await EmbeddedEngine().propose(plan(question, sales, {})))[0]
    assert "GROUP BY date_trunc('month', sold_at)" in first.sql
    assert "NOT NULL" not in first.sql


@pytest.mark.parametrize(
    ("kind", "sum_of_amounts"),
    [("int", "sum(l.amount)::numeric / count(DISTINCT"), ("money", "sum(l.amount) / count(DISTINCT")],
)
async def test_an_average_of_whole_numbers_keeps_its_fraction(kind, sum_of_amounts, plan, make_table):
    bills = Catalog(
        (
            make_table(1, "orders", "id:id placed_on:date"),
            make_table(2, "lines", f"id:id order_id:id amount:{kind}", keys={"order_id": 1}),
        )
    )
    first = (await EmbeddedEngine().propose(plan("average order value", bills, {})))[0]
    assert sum_of_amounts in first.sql


@pytest.mark.parametrize(
    "question", ["two most expensive ferries for each status", "second cheapest ferry of each status"]
)
async def test_a_row_that_a_join_shows_many_times_has_one_place(question, plan, ferries):
    first = (await EmbeddedEngine().propose(plan(question, ferries, VALUES)))[0]
    assert "PARTITION BY t.status ORDER BY f.price" in first.sql
    assert "GROUP BY t.status, f.id, f.name, f.price) AS x WHERE place" in first.sql


async def test_what_lacks_a_value_has_no_place(plan, make_table):
    ferries = Catalog((make_table(1, "ferries", "id:id name:text port:text price:money?"),))
    first = (await EmbeddedEngine().propose(plan("second most expensive ferry", ferries, {})))[0]
    assert "FROM ferries WHERE price IS NOT NULL) AS x WHERE place = 2" in first.sql


async def test_no_text_is_not_the_second_most_common(plan, make_table):
    table = make_table(1, "sales", "id:id channel:text")
    columns = tuple(replace(c, blank=c.name == "channel") for c in table.columns)
    shop = Catalog((replace(table, columns=columns),))
    first = (await EmbeddedEngine().propose(plan("second most popular channel", shop, {})))[0]
    assert "WHERE nullif(channel, '') IS NOT NULL GROUP BY channel) AS x WHERE place = 2" in first.sql


async def test_a_month_s_revenue_is_not_told_by_when_it_was_refunded(plan, make_table):
    shop = Catalog(
        (
            make_table(1, "orders", "id:id ordered_at:time"),
            make_table(2, "order_lines", "id:id order_id:id amount:money", keys={"order_id": 1}),
            make_table(3, "refunds", "id:id line_id:id fee:money refunded_on:date", keys={"line_id": 2}),
        )
    )
    found = await EmbeddedEngine().propose(plan("which month had the highest revenue?", shop, {}))
    assert "date_trunc('month', o.ordered_at)" in found[0].sql
    assert not any("refunded_on" in c.sql for c in found)


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "how many orders were shipped in 2024",
            "SELECT count(*) FROM orders WHERE shipped_on >= '2024-01-01'",
        ),
        (
            "how many orders were shipped before 2024",
            "SELECT count(*) FROM orders WHERE shipped_on < '2024-01-01'",
        ),
        (
            "how many orders were cancelled in 2024",
            "SELECT count(*) FROM orders WHERE placed_on >= '2024-01-01'",
        ),
        ("how many orders were shipped", "SELECT count(*) FROM orders WHERE status = 'shipped'"),
    ],
)
async def test_what_was_done_then_is_told_by_the_time_of_it(question, sql, plan, make_table):
    orders = make_table(1, "orders", "id:id status:text placed_on:date shipped_on:date?")
    values = {("orders", "status"): ("placed", "shipped", "cancelled")}
    first = (await EmbeddedEngine().propose(plan(question, Catalog((orders,)), values)))[0]
    assert first.sql.startswith(sql)
    assert "shipped_on" not in sql or "status" not in first.sql


@pytest.mark.parametrize(
    ("question", "comment", "sure"),
    [
        ("average monthly salary", "Monthly salary in USD", True),
        ("average annual salary", "Gross pay per year", True),
        ("average annual salary", "Monthly salary in USD", False),
        ("average monthly salary", "", False),
        ("highest yearly salary", "", False),
    ],
)
async def test_pay_is_for_the_time_that_is_asked_for(question, comment, sure, plan, make_table):
    staff = make_table(1, "staff", "id:id name:text salary:money hired_on:date", comments={"salary": comment})
    first = (await EmbeddedEngine().propose(plan(question, Catalog((staff,)), {})))[0]
    assert "hired_on" not in first.sql
    assert (first.confidence > 0.6) is sure


@pytest.mark.parametrize("question", ["longest delivery", "shortest delivery in 2024"])
async def test_a_city_lasts_for_no_time(question, plan, make_table):
    orders = make_table(1, "orders", "id:id ship_city:text ordered_on:date shipped_on:date?")
    try:
        found = await EmbeddedEngine().propose(plan(question, Catalog((orders,)), {}))
    except AskError:
        return
    assert not any(candidate.sql.startswith("SELECT ship_city") for candidate in found)
