"""Rows that a join shows several times are counted and summed up once each, or the reading is not built."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from askwire.core.errors import AskError
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("counted_once.jsonl").read_text(encoding="utf-8").splitlines()
]
VALUES = {("trips", "status"): ("cancelled", "completed"), ("tickets", "channel"): ("web", "kiosk")}


@pytest.fixture
def catalogs(make_table):
    return {
        "ferries": Catalog(
            (
                make_table(1, "ports", "id:id name:text"),
                make_table(2, "ferries", "id:id name:text port_id:id price:money", keys={"port_id": 1}),
                make_table(
                    3, "trips", "id:id ferry_id:id status:text departed_at:time", keys={"ferry_id": 2}
                ),
                make_table(4, "tickets", "id:id trip_id:id channel:text amount:money", keys={"trip_id": 3}),
                make_table(5, "crew", "id:id name:text port_id:id salary:money", keys={"port_id": 1}),
                make_table(6, "reviews", "id:id ferry_id:id rating:int", keys={"ferry_id": 2}),
            )
        ),
        "shop": Catalog(
            (
                make_table(1, "customers", "id:id name:text city:text"),
                make_table(2, "categories", "id:id name:text"),
                make_table(
                    3, "products", "id:id name:text category_id:id price:money", keys={"category_id": 2}
                ),
                make_table(
                    4,
                    "orders",
                    "id:id customer_id:id status:text ordered_at:time channel:text",
                    keys={"customer_id": 1},
                ),
                make_table(
                    5,
                    "order_lines",
                    "id:id order_id:id product_id:id quantity:int unit_price:money",
                    keys={"order_id": 4, "product_id": 3},
                ),
            )
        ),
        "clinic": Catalog(
            (
                make_table(1, "sites", "id:id name:text"),
                make_table(2, "physicians", "id:id name:text site_id:id", keys={"site_id": 1}),
                make_table(
                    3,
                    "appointments",
                    "id:id physician_id:id site_id:id starts_at:time",
                    keys={"physician_id": 2, "site_id": 1},
                ),
            )
        ),
        "billing": Catalog(
            (
                make_table(1, "clients", "id:id name:text"),
                make_table(2, "invoices", "id:id client_id:id issued_on:date", keys={"client_id": 1}),
                make_table(3, "invoice_lines", "id:id invoice_id:id amount:money", keys={"invoice_id": 2}),
            )
        ),
        "sales": Catalog(
            (
                make_table(1, "employees", "id:id name:text"),
                make_table(
                    2, "sales", "id:id employee_id:id amount:money sold_at:time", keys={"employee_id": 1}
                ),
            )
        ),
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["question"][:60])
async def test_each_row_counts_once(case, plan, catalogs):
    first = (await EmbeddedEngine().propose(plan(case["question"], catalogs[case["schema"]], VALUES)))[0]
    assert first.sql == case["sql"]
    assert first.confidence >= 0.4


async def test_sums_of_two_kinds_of_rows_without_groups_are_refused(plan, catalogs):
    with pytest.raises(AskError):
        await EmbeddedEngine().propose(
            plan("total revenue and number of reviews", catalogs["ferries"], VALUES)
        )


async def test_a_part_that_is_played_is_counted_by_its_rows(plan, make_table):
    players = make_table(1, "players", "id:id name:text")
    goals = make_table(
        2, "goals", "id:id scorer_id:id assist_id:id? minute:int", keys={"scorer_id": 1, "assist_id": 1}
    )
    question = "which player has the most assists?"
    best = (await EmbeddedEngine().propose(plan(question, Catalog((players, goals)), {})))[0].sql
    assert "ORDER BY count(*) DESC" in best
    assert "DISTINCT" not in best
