"""What is reckoned: ages, places in an order, the best of each, spans of time, shares, totals so far."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("reckoned.jsonl").read_text(encoding="utf-8").splitlines()
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
