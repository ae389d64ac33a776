"""Times and categories are those of the records that are counted, measured or listed."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog


@pytest.fixture
def garages(make_table):
    """Garages that members rent: rentals have fees, garages have surveys."""
    times = "start_date:date end_date:date move_out_date:date? pass_issued_at:time?"
    rental = f"id:id garage_id:id member_id:id {times} state:text"
    return Catalog(
        (
            make_table(1, "garages", "id:id label:text state:text opened_on:date"),
            make_table(2, "members", "id:id name:text town:text date_of_birth:date? created_at:time"),
            make_table(3, "rentals", rental, keys={"garage_id": 1, "member_id": 2}),
            make_table(
                4, "fees", "id:id rental_id:id amount:money due_date:date state:text", keys={"rental_id": 3}
            ),
            make_table(5, "surveys", "id:id garage_id:id rating:int surveyed_on:date", keys={"garage_id": 1}),
            make_table(
                6, "payments", "id:id fee_id:id amount:money paid_on:date method:text", keys={"fee_id": 4}
            ),
            make_table(7, "credits", "id:id fee_id:id amount:money granted_on:date?", keys={"fee_id": 4}),
        )
    )


VALUES = {
    ("members", "town"): ("Perth", "Leith"),
    ("fees", "state"): ("open", "settled"),
    ("rentals", "state"): ("active", "over"),
    ("garages", "state"): ("closed", "usable"),
    ("payments", "method"): ("cash", "card"),
}


@pytest.mark.parametrize(
    ("question", "when"),
    [
        ("what is the average amount of fees up to February 2024?", "due_date <"),
        ("total amount by member for fees after June 2024", "due_date >="),
        ("which members had more than 7 fees in 2024", "due_date >="),
        ("in 2024, give me members with a total amount above 900 for fees", "due_date >="),
        ("in the first half of 2024, give me a ranking of members by count of fees", "due_date >="),
        ("number of distinct members with fees in June 2024", "due_date >="),
        ("average rating of surveys carried out in the last three months of 2024", "surveyed_on >="),
        ("lowest amount of the credits issued up to May 2024", "granted_on <"),
        ("top 3 members by number of rentals started in 2024", "start_date >="),
        ("number of fees of members born before 1980", "date_of_birth <"),
        ("members who had more than 2 fees and were created in 2024", "created_at >="),
    ],
)
async def test_a_time_is_of_the_records_in_question(question, when, plan, garages):
    """Fees were counted of the tenants that came in 2024, or of rentals whose garage was surveyed then."""
    best = (await EmbeddedEngine().propose(plan(question, garages, VALUES)))[0].sql
    assert when in best, best
    others = {"due_date", "surveyed_on", "granted_on", "start_date", "date_of_birth", "created_at"}
    assert not any(f"{time} {sign}" in best for time in others - {when.split()[0]} for sign in "<>")


@pytest.mark.parametrize(
    ("question", "when"),
    [
        ("surveys of garages in 2024", "surveyed_on >="),
        ("surveys of garages since 2024", "surveyed_on >="),
        ("rentals of members in 2024", "start_date >="),
        ("rentals of members who were created in 2024", "created_at >="),
        ("garages opened in 2024 that have surveys", "opened_on >="),
        ("top 3 members by number of rentals in 2024", "start_date >="),
    ],
)
async def test_a_time_behind_somebody_is_of_what_is_listed_unless_it_says_what_they_did(
    question, when, plan, garages
):
    best = (await EmbeddedEngine().propose(plan(question, garages, VALUES)))[0].sql
    assert when in best, best


async def test_an_end_dates_nobody(plan, make_table):
    """'Inspections of pubs since 2024' were those of pubs that closed since."""
    pubs = make_table(1, "pubs", "id:id name:text closed_on:date?")
    catalog = Catalog(
        (pubs, make_table(2, "inspections", "id:id pub_id:id inspected_on:date", keys={"pub_id": 1}))
    )
    best = (await EmbeddedEngine().propose(plan("inspections of pubs since 2024", catalog, {})))[0].sql
    assert "inspected_on >=" in best


@pytest.mark.parametrize("question", ["number of batches by year", "batches per month before June 2024"])
async def test_what_is_expected_dates_no_record(question, plan, make_table):
    batches = make_table(1, "batches", "id:id exp_ready:date start_dt:date act_ready:date? stat:text")
    best = (await EmbeddedEngine().propose(plan(question, Catalog((batches,)), {})))[0].sql
    assert "start_dt" in best
    assert "exp_ready" not in best


@pytest.mark.parametrize(
    ("question", "group"),
    [
        ("for every state, count the fees of rentals of members in Perth", "f.state"),
        ("number of rentals of closed garages by state", "r.state"),
        ("what is the state with the most fees on rentals of members in Perth?", "f.state"),
    ],
)
async def test_a_category_is_of_the_records_that_are_counted(question, group, plan, garages):
    best = (await EmbeddedEngine().propose(plan(question, garages, VALUES)))[0].sql
    assert f"GROUP BY {group}" in best


@pytest.mark.parametrize(
    "question",
    [
        "total amount across payments over 2023 and 2024",
        "total amount from payments made in 2024",
        "total amount of payments made in 2024",
    ],
)
async def test_a_total_is_of_what_it_is_taken_across(question, plan, make_table):
    """The `total_amount` of invoices is another one."""
    catalog = Catalog(
        (
            make_table(1, "invoices", "id:id total_amount:money issued_on:date"),
            make_table(
                2, "payments", "id:id invoice_id:id amount:money paid_at:time", keys={"invoice_id": 1}
            ),
        )
    )
    best = (await EmbeddedEngine().propose(plan(question, catalog, {})))[0].sql
    assert best.startswith("SELECT sum(amount) FROM payments WHERE paid_at >=")


@pytest.mark.parametrize(
    ("question", "own"),
    [
        ("members without rentals living in Perth", "SELECT name FROM members WHERE town = 'Perth' AND"),
        (
            "how many fees without payments are settled?",
            "SELECT count(*) FROM fees WHERE state = 'settled' AND",
        ),
        ("how many members without rentals were created in 2024?", "FROM members WHERE created_at >="),
        ("members without rentals born in 1990", "FROM members WHERE date_of_birth >="),
    ],
)
async def test_what_is_said_of_those_who_lack_something(question, own, plan, garages):
    best = (await EmbeddedEngine().propose(plan(question, garages, VALUES)))[0].sql
    assert own in best
    assert "NOT IN (SELECT" in best


async def test_orders_without_payments_are_placed(plan, make_table):
    catalog = Catalog(
        (
            make_table(1, "orders", "id:id ordered_at:time state:text"),
            make_table(2, "payments", "id:id order_id:id amount:money paid_at:time", keys={"order_id": 1}),
        )
    )
    best = (await EmbeddedEngine().propose(plan("orders without payments placed in 2024", catalog, {})))[
        0
    ].sql
    assert "ordered_at >= '2024-01-01'" in best
    assert best.endswith("NOT IN (SELECT order_id FROM payments)")


@pytest.mark.parametrize(
    ("question", "ordered"),
    [
        ("which is the oldest fee of more than 50?", "due_date"),
        ("the oldest open fee", "due_date"),
        ("the oldest survey in 2024", "surveyed_on"),
        ("the oldest member", "date_of_birth"),
    ],
)
async def test_the_oldest_record_came_first(question, ordered, plan, garages):
    """The oldest fee was one of the rental that started first."""
    best = (await EmbeddedEngine().propose(plan(question, garages, VALUES)))[0].sql
    assert f"ORDER BY {ordered} LIMIT 1" in best


@pytest.mark.parametrize(
    ("question", "ordered"),
    [
        ("what state comes up most often among fees on rentals of members in Perth", "count(*)"),
        ("what garage comes up most often among rentals of members in Perth", "count(*)"),
    ],
)
async def test_what_comes_up_most_often_is_counted_of_its_own_rows(question, ordered, plan, garages):
    """The fees of each state were counted by their rentals, and the rentals of each garage by members."""
    best = (await EmbeddedEngine().propose(plan(question, garages, VALUES)))[0].sql
    assert f"ORDER BY {ordered} DESC LIMIT 1" in best


@pytest.mark.parametrize(
    ("question", "lacking"),
    [
        ("rentals in the garage North without fees", "r.id NOT IN (SELECT rental_id FROM fees)"),
        ("garages without surveys", "id NOT IN (SELECT garage_id FROM surveys)"),
    ],
)
async def test_what_is_named_lacks_nothing(question, lacking, plan, garages):
    values = {**VALUES, ("garages", "label"): ("North", "South")}
    best = (await EmbeddedEngine().propose(plan(question, garages, values)))[0].sql
    assert lacking in best


@pytest.mark.parametrize("question", ["matches played in 2024", "the earliest match played in 2024"])
async def test_what_was_played_names_no_player(question, plan, make_table):
    catalog = Catalog(
        (
            make_table(1, "players", "id:id name:text"),
            make_table(2, "matches", "id:id played_on:date"),
            make_table(3, "goals", "id:id match_id:id scorer_id:id", keys={"match_id": 2, "scorer_id": 1}),
        )
    )
    best = (await EmbeddedEngine().propose(plan(question, catalog, {})))[0].sql
    assert best.startswith("SELECT id FROM matches WHERE played_on >= '2024-01-01'")


@pytest.mark.parametrize(
    ("question", "grouped"),
    [
        ("number of inspections per inspector", "GROUP BY inspector.id, inspector.name"),
        ("for each inspector, when was the earliest inspection?", "GROUP BY inspector.id, inspector.name"),
        ("how many shops does each sales person have", "GROUP BY sale.id, sale.name"),
    ],
)
async def test_who_does_something_is_somebody(question, grouped, plan, make_table):
    """Inspections were grouped by when they were, and shops by the number of the sales person."""
    catalog = Catalog(
        (
            make_table(1, "employees", "id:id name:text job_title:text"),
            make_table(2, "inspections", "id:id inspector_id:id inspected_on:date", keys={"inspector_id": 1}),
            make_table(3, "shops", "id:id sales_person_id:id label:text", keys={"sales_person_id": 1}),
        )
    )
    best = (await EmbeddedEngine().propose(plan(question, catalog, {})))[0].sql
    assert grouped in best
