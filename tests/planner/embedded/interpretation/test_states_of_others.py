"""A state that is said of a thing is the thing's own; what was done with it is no kind of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., ExpertContext]
VALUES = {
    ("requests", "status"): ("open", "cancelled"),
    ("leases", "status"): ("signed", "ended"),
}


@pytest.fixture
def letting(make_table: Callable[..., Relation]) -> Catalog:
    return Catalog(
        (
            make_table(1, "tenants", "id:id name:text"),
            make_table(2, "leases", "id:id tenant_id:id status:text rent:money", keys={"tenant_id": 1}),
            make_table(3, "requests", "id:id lease_id:id status:text", keys={"lease_id": 2}),
            make_table(4, "refunds", "id:id lease_id:id amount:money", keys={"lease_id": 2}),
        )
    )


@pytest.mark.parametrize(
    "question", ["open leases", "leases that are cancelled", "total rent by tenant without cancelled leases"]
)
async def test_a_state_of_something_else_is_not_told(question: str, letting: Catalog, plan: Plans) -> None:
    for candidate in await EmbeddedEngine().propose(plan(question, letting, VALUES)):
        assert candidate.confidence is not None
        assert candidate.confidence < 0.5


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("signed leases", "status = 'signed'"),
        ("refunded leases", "id IN (SELECT lease_id FROM refunds)"),
    ],
)
async def test_a_state_of_its_own_is(question: str, condition: str, letting: Catalog, plan: Plans) -> None:
    best = (await EmbeddedEngine().propose(plan(question, letting, VALUES)))[0]
    assert condition in best.sql
    assert not best.uncovered
    assert (best.confidence or 0) > 0.5
