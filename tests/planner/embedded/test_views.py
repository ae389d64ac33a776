"""Views hold what tables hold, and leave rows out: they are read where their names are spoken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation


@pytest.mark.parametrize("kind", ["v", "m"])
@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("how many different models are there?", "vehicles"),
        ("average mileage", "vehicles"),
        ("models of vehicles", "vehicles"),
        ("active vehicles", "active_vehicles"),
        ("models of active vehicles", "active_vehicles"),
    ],
)
async def test_a_view_is_read_when_it_is_named(
    question: str,
    read: str,
    kind: str,
    plan: Callable[..., ExpertContext],
    make_table: Callable[..., Relation],
) -> None:
    view = replace(
        make_table(1, "active_vehicles", "id:id model:text mileage:int"), kind=kind, primary_key=()
    )
    catalog = Catalog((view, make_table(2, "vehicles", "id:id model:text mileage:int state:text")))
    candidates = await EmbeddedEngine().propose(plan(question, catalog, values={}))
    assert f" FROM {read}" in candidates[0].sql


async def test_a_row_of_a_view_of_sums_is_shown_whole(
    plan: Callable[..., ExpertContext], make_table: Callable[..., Relation]
) -> None:
    view = replace(make_table(1, "monthly_cost", "month:date total_cost:money"), kind="m", primary_key=())
    candidates = await EmbeddedEngine().propose(
        plan("monthly cost in June 2025", Catalog((view,)), values={})
    )
    assert candidates[0].sql == (
        "SELECT month, total_cost FROM monthly_cost WHERE month >= '2025-06-01' AND month < '2025-07-01'"
    )
