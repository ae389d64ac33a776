"""What is so now: periods, states, and words for now that nothing here can tell."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from askwire.core.errors import BeyondEngine
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import Planning
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., Planning]


@pytest.fixture
def desk(make_table: Callable[..., Relation]) -> Catalog:
    driver = "id:id name:text hired_on:date termination_date:date? license_expiry_date:date"
    return Catalog(
        (
            make_table(1, "drivers", driver),
            make_table(2, "reps", "id:id name:text is_active:bool"),
            make_table(3, "activities", "id:id owner_id:id subject:text", keys={"owner_id": 2}),
            make_table(4, "accounts", "id:id name:text opened_on:date closed_on:date?"),
        )
    )


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        # the licence has an end of its own
        (
            "how many drivers are currently employed",
            "hired_on <= current_date AND (termination_date IS NULL OR termination_date >= current_date)",
        ),
        # not those with activities
        ("active reps", "is_active = true"),
        ("how many reps are currently active", "is_active = true"),
    ],
)
async def test_those_of_now_are_told(question: str, condition: str, desk: Catalog, plan: Plans) -> None:
    best = (await EmbeddedEngine().propose(plan(question, desk, {})))[0]
    assert best.sql.endswith(f"WHERE {condition}")
    assert not best.uncovered


@pytest.mark.parametrize(
    "question", ["how many accounts are currently open", "currently employed reps", "all active accounts"]
)
async def test_all_there_are_is_no_answer(question: str, desk: Catalog, plan: Plans) -> None:
    with suppress(BeyondEngine):
        for candidate in await EmbeddedEngine().propose(plan(question, desk, {})):
            assert "WHERE" in candidate.sql or (candidate.confidence or 0) < 0.65
