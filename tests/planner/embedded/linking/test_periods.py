"""What is so now: periods, states, and words for now that nothing here can tell."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from askwire.core.errors import BeyondEngine
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., ExpertContext]


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


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        (
            "how many stewards do we employ at the moment",
            "hire_date <= current_date AND (leave_date IS NULL OR leave_date >= current_date)",
        ),
        ("stewards who are still here", "leave_date IS NULL"),
        ("how many stewards left in 2023?", "leave_date >= '2023-01-01' AND leave_date < '2024-01-01'"),
        ("how many guests left in 2023?", "end_date >= '2023-01-01' AND end_date < '2024-01-01'"),
        # a leave ends by its end
        (
            "current leaves",
            "leave_start <= current_date AND (leave_end IS NULL OR leave_end >= current_date)",
        ),
    ],
)
async def test_who_left_is_not_here(
    question: str, condition: str, make_table: Callable[..., Relation], plan: Plans
) -> None:
    tables = (
        make_table(1, "stewards", "id:id name:text hire_date:date leave_date:date?"),
        make_table(2, "guests", "id:id name:text start_date:date end_date:date?"),
        make_table(3, "leaves", "id:id person:text leave_start:date leave_end:date?"),
    )
    best = (await EmbeddedEngine().propose(plan(question, Catalog(tables), {})))[0]
    assert best.sql.endswith(f"WHERE {condition}")


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("how many leases expired in 2024?", "end_date >= '2024-01-01' AND end_date < '2025-01-01'"),
        ("leases that expire in 2024", "end_date >= '2024-01-01' AND end_date < '2025-01-01'"),
        ("leases that run out in 2024", "end_date >= '2024-01-01' AND end_date < '2025-01-01'"),
        ("leases that started in 2024", "start_date >= '2024-01-01' AND start_date < '2025-01-01'"),
    ],
)
async def test_what_expires_does_so_by_its_end(
    question: str, condition: str, make_table: Callable[..., Relation], plan: Plans
) -> None:
    leases = make_table(1, "leases", "id:id status:text start_date:date end_date:date move_out_date:date?")
    values = {("leases", "status"): ("active", "expired")}
    best = (await EmbeddedEngine().propose(plan(question, Catalog((leases,)), values)))[0]
    assert condition in best.sql
