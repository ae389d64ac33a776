"""How the clauses of a question go together: either of two conditions, words behind, several outputs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("structures.jsonl").read_text(encoding="utf-8").splitlines()
]
VALUES = {
    ("songs", "genre"): ("modern", "folk"),
    ("songs", "language"): ("English", "French"),
    ("artists", "country"): ("Canada", "Peru"),
    ("venues", "district"): ("North", "South"),
    ("terms", "season"): ("Fall", "Spring"),
    ("employees", "name"): ("Ann Lee", "Bo Katz"),
}


@pytest.fixture
def music(make_table):
    return Catalog(
        (
            make_table(
                1,
                "artists",
                "id:id name:text country:text founding_year:int",
            ),
            make_table(
                2,
                "songs",
                "id:id title:text artist_id:id genre:text language:text resolution:int price:money "
                "released_on:date",
                keys={"artist_id": 1},
            ),
            make_table(3, "venues", "id:id name:text district:text decor:text capacity:int is_open:bool"),
            make_table(
                4,
                "concerts",
                "id:id artist_id:id venue_id:id held_on:date attendance:int",
                keys={"artist_id": 1, "venue_id": 3},
            ),
            make_table(5, "employees", "id:id name:text age:int salary:money team_code:text hired_on:date"),
            make_table(6, "terms", "id:id season:text year:int course:text"),
        )
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["question"][:60])
async def test_the_first_candidate_puts_the_clauses_together(case, plan, music):
    first = (await EmbeddedEngine().propose(plan(case["question"], music, VALUES)))[0]
    assert first.sql == case["sql"]


@pytest.fixture
def parcels(make_table):
    return Catalog(
        (
            make_table(1, "customers", "id:id name:text"),
            make_table(
                2,
                "orders",
                "id:id customer_id:id status:text ordered_at:time required_on:date shipped_on:date?",
                keys={"customer_id": 1},
            ),
            make_table(
                3,
                "claims",
                "id:id order_id:id claimed_on:date amount:money",
                keys={"order_id": 2},
            ),
        )
    )


async def test_what_was_shipped_late_came_after_it_was_due(plan, parcels):
    values = {("orders", "status"): ("shipped", "open")}
    first = (await EmbeddedEngine().propose(plan("which orders were shipped late?", parcels, values)))[0]
    assert first.sql == "SELECT id FROM orders WHERE shipped_on > required_on"
    assert first.confidence > 0.5


async def test_the_latest_order_is_latest_by_a_time_of_its_own(plan, parcels):
    first = (await EmbeddedEngine().propose(plan("Which customer placed the latest order?", parcels)))[0]
    assert "claims" not in first.sql
    assert "ORDER BY o.ordered_at DESC" in first.sql
