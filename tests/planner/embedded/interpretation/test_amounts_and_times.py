"""What a number or a time stands beside is not always what it is compared with; bounds of looking up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.linking import values
from askwire.planner.embedded.schema import schema_index
from askwire.sql.catalog import Catalog


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("revenue since June 2025", "ordered_at >= '2025-06-01'"),
        ("total revenue after June 2025", "ordered_at >= '2025-07-01'"),
        ("total revenue before June 2025", "ordered_at < '2025-06-01'"),
        ("revenue from March to May 2024", "ordered_at >= '2024-03-01'"),
        ("total revenue since 2025", "ordered_at >= '2025-01-01'"),
    ],
)
async def test_a_time_behind_a_measure_says_when(question, condition, plan):
    best = (await EmbeddedEngine().propose(plan(question)))[0].sql
    assert condition in best
    assert "sum(" in best


@pytest.mark.parametrize(
    "question", ["orders over $1000", "orders of more than $1500", "orders above 2000 dollars"]
)
async def test_money_is_no_year_and_no_key(question, plan):
    best = (await EmbeddedEngine().propose(plan(question)))[0].sql
    assert "ordered_at" not in best
    assert "id >" not in best


async def test_so_many_of_each_are_not_so_many_in_all(plan):
    found = await EmbeddedEngine().propose(plan("top 2 products by revenue in each category"))
    assert "PARTITION BY" in found[0].sql


async def test_a_state_is_found_as_it_is_stored(plan):
    stored = {("orders", "status"): ("under_way", "shipped")}
    best = (await EmbeddedEngine().propose(plan("orders that are under way", values=stored)))[0].sql
    assert "status = 'under_way'" in best


@pytest.mark.parametrize("order", ["made:date settled:date", "settled:date made:date"])
async def test_what_ends_a_time_is_not_taken_from_what_begins_it(order, plan, make_table):
    """'between claim and settlement' was negative: from when it was settled to when the claim was made."""
    first, second = (f"date_claim_{column}" for column in order.split())
    claims = make_table(1, "claims", "id:id date_claim_made:date")
    settlements = make_table(2, "settlements", f"id:id claim_id:int {first} {second}", keys={"claim_id": 1})
    question = "average time between claim and settlement"
    best = (await EmbeddedEngine().propose(plan(question, catalog=Catalog((claims, settlements)))))[0].sql
    assert best == "SELECT avg(date_claim_settled - date_claim_made) FROM settlements"


async def test_schemas_of_several_askers_are_prepared_once(plan, monkeypatch):
    asked = [plan("how many customers are there?") for _ in range(6)]
    built: list[Catalog] = []
    build = schema_index.build
    monkeypatch.setattr(
        schema_index, "build", lambda *given, **more: built.append(given[0]) or build(*given, **more)
    )
    engine = EmbeddedEngine()
    catalogs = [replace(p.catalog, fingerprint=str(n)) for n, p in enumerate(asked)]
    for _ in range(2):
        for planning, catalog in zip(asked, catalogs, strict=True):
            await engine.propose(replace(planning, catalog=catalog))
    assert len(built) == len(catalogs)


async def test_a_large_table_that_nothing_names_is_not_looked_through(plan, make_table, monkeypatch):
    known = make_table(50, "events", "id:id kind:text note:text", rows=150_000)
    people = make_table(51, "customers", "id:id name:text city:text")
    monkeypatch.setattr(values, "MAX_CELLS", 100_000)
    catalog = Catalog((people, known))
    planning = plan("customers in Paris", catalog, {("customers", "city"): ("Paris",)})
    assert "city = 'Paris'" in (await EmbeddedEngine().propose(planning))[0].sql
    assert planning.executor.last.reads
    assert not any("events" in read for read in planning.executor.last.reads)


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("which vehicle made the most trips in May 2025?", "t.started_at >= '2025-05-01'"),
        ("how many trips did each vehicle make in 2025?", "t.started_at >= '2025-01-01'"),
        ("number of trips per vehicle in 2025", "t.started_at >= '2025-01-01'"),
        ("vehicles bought in 2025", "bought >= '2025-01-01'"),
        # a day is a range of a timestamp and one value of a date: neither is the likelier for it
        ("trips yesterday", "started_at >= '2026-11-20'"),
    ],
)
async def test_what_is_counted_says_when_it_was(question, condition, plan, make_table):
    vehicles = make_table(1, "vehicles", "id:id plate:text bought:date")
    trips = make_table(
        2, "trips", "id:id vehicle_id:id started_at:time ended_at:time", keys={"vehicle_id": 1}
    )
    best = (await EmbeddedEngine().propose(plan(question, Catalog((vehicles, trips)), {})))[0].sql
    assert condition in best


@pytest.mark.parametrize(
    ("question", "when"),
    [
        ("number of parcels per year excluding cancelled parcels", "created_at"),
        ("number of parcels per year, leaving out cancelled parcels", "created_at"),
        ("what was the total due over all parcels placed in March 2025?", "created_at"),
        ("how many parcels were cancelled in 2025?", "cancelled_at"),
        ("how many 2025 parcels were cancelled?", "created_at"),
        ("what percentage of parcels in March 2025 were cancelled?", "created_at"),
        ("how many parcels that were cancelled in 2025 were delivered?", "cancelled_at"),
    ],
)
async def test_a_word_that_says_something_else_chooses_no_time(question, when, plan, make_table):
    times = "created_at:time cancelled_at:time? due_date:date"
    catalog = Catalog((make_table(1, "parcels", f"id:id status:text total_due:money {times}"),))
    values = {("parcels", "status"): ("cancelled", "delivered")}
    (first, *_) = await EmbeddedEngine().propose(plan(question, catalog, values))
    assert {time for time in ("created_at", "cancelled_at", "due_date") if time in first.sql} == {when}


@pytest.mark.parametrize("question", ["revenue in 2025", "top 5 brands by revenue in 2025"])
async def test_lines_were_sold_when_their_order_was(question, plan, make_table):
    line = "id:id order_id:id product_id:id quantity:int unit_price:money"
    catalog = Catalog(
        (
            make_table(1, "orders", "id:id created_at:time cancelled_at:time?"),
            make_table(2, "products", "id:id name:text brand:text created_at:time"),
            make_table(3, "order_items", line, keys={"order_id": 1, "product_id": 2}),
            make_table(4, "shipments", "id:id order_id:id shipped_at:time", keys={"order_id": 1}),
        )
    )
    (first, *_) = await EmbeddedEngine().propose(plan(question, catalog, {}))
    assert "o.created_at >= '2025-01-01'" in first.sql


async def test_a_share_of_what_has_it_all_is_no_answer(plan, make_table):
    """Of the parcels by the month of their cancelling, all were cancelled."""
    parcels = make_table(1, "parcels", "id:id status:text created_at:time cancelled_at:time?")
    values = {("parcels", "status"): ("cancelled", "delivered")}
    question = "what percentage of parcels were cancelled each month"
    for candidate in await EmbeddedEngine().propose(plan(question, Catalog((parcels,)), values)):
        assert "cancelled_at" not in candidate.sql or candidate.confidence < 0.5


async def test_a_name_is_not_long_because_something_else_lasts(plan, make_table):
    orders = make_table(
        2, "orders", "id:id product_id:id ordered_at:date shipped_at:date?", keys={"product_id": 1}
    )
    catalog = Catalog((make_table(1, "products", "id:id product_name:text"), orders))
    planning = plan("longest product name", catalog, {})
    assert all("shipped_at" not in p.sql for p in await EmbeddedEngine().proposals(planning))


async def test_sales_are_what_they_come_to(plan, make_table):
    catalog = Catalog(
        (
            make_table(1, "stores", "id:id name:text region:text"),
            make_table(2, "sales", "id:id store_id:id sold_on:date amount:money", keys={"store_id": 1}),
        )
    )
    (first, *_) = await EmbeddedEngine().propose(plan("sales by region", catalog, {}))
    assert first.sql.startswith("SELECT s.region, sum(s2.amount) AS total_amount FROM stores AS s JOIN sales")
    (counted, *_) = await EmbeddedEngine().propose(plan("number of sales by region", catalog, {}))
    assert "count(*)" in counted.sql


async def test_a_change_from_month_to_month_is_no_value(plan, make_table):
    visits = make_table(1, "visits", "id:id came_on:date amount:money reason:text color:text")
    values = {("visits", "reason"): ("changed mind", "check-up")}
    question = "month over month change in amount"
    (first, *_) = await EmbeddedEngine().propose(plan(question, Catalog((visits,)), values))
    assert "lag(sum(amount))" in first.sql
    assert "WHERE" not in first.sql
