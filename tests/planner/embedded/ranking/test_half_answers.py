"""Half of what is asked is never told as all of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.ranking.confidence import MAX_PARTIAL_CONFIDENCE
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., ExpertContext]
MakeTable = Callable[..., Relation]


def lettings(make_table: MakeTable, number: str) -> Catalog:
    tenants = make_table(1, "tenants", "id:id name:text")
    leases = make_table(2, "leases", "id:id tenant_id:id signed_on:date", keys={"tenant_id": 1})
    columns = f"id:id lease_id:id status:text method:text {number}:int"
    return Catalog((tenants, leases, make_table(3, "charges", columns, keys={"lease_id": 2})))


@pytest.fixture
def letting(make_table: MakeTable) -> Catalog:
    return lettings(make_table, "price")


VALUES = {("charges", "status"): ["paid", "open", "void"], ("charges", "method"): ["card", "cash"]}


@pytest.mark.parametrize(
    "question",
    [
        "number of charges and total charges by method",
        "charges by method: count and sum",
        "the shortest signed lease",
    ],
)
async def test_it_is_held_back(question: str, letting: Catalog, plan: Plans) -> None:
    candidates = await EmbeddedEngine().propose(plan(question, letting, VALUES))
    assert candidates
    for candidate in candidates:
        assert candidate.confidence is not None
        assert candidate.confidence <= MAX_PARTIAL_CONFIDENCE


async def test_both_halves_are_told(make_table: MakeTable, plan: Plans) -> None:
    question = "number of charges and total charges by method"
    letting = lettings(make_table, "amount_cents")
    best = (await EmbeddedEngine().propose(plan(question, letting, VALUES)))[0]
    assert "count(*) AS number_of_charges, sum(amount_cents)" in best.sql


def with_statuses(catalog: Catalog, *statuses: str) -> Catalog:
    """The catalog with these as the common values of the status of charges."""
    *others, charges = catalog.relations
    columns = tuple(
        replace(c, common_values=statuses, distinct=float(len(statuses))) if c.name == "status" else c
        for c in charges.columns
    )
    return replace(catalog, relations=(*others, replace(charges, columns=columns)))


async def test_a_value_is_no_denial_of_another(letting: Catalog, plan: Plans) -> None:
    catalog = with_statuses(letting, "paid", "partially_paid", "unpaid")
    values = {("charges", "status"): ["paid", "partially_paid", "unpaid"]}
    best = (await EmbeddedEngine().propose(plan("unpaid charges", catalog, values)))[0]
    assert best.sql == "SELECT id FROM charges WHERE status = 'unpaid'"


@pytest.mark.parametrize(("shift", "sure"), [("store_id:id", False), ("till:text", True)])
async def test_the_store_of_the_last_shift_is_not_that_of_the_employee(
    shift: str, sure: bool, make_table: MakeTable, plan: Plans
) -> None:
    """Both have a store; where only employees have one, it is theirs."""
    keys = {"employee_id": 2} | ({"store_id": 1} if "store_id" in shift else {})
    chain = Catalog(
        (
            make_table(1, "stores", "id:id name:text"),
            make_table(2, "employees", "id:id name:text store_id:id", keys={"store_id": 1}),
            make_table(3, "shifts", f"id:id employee_id:id worked_on:date {shift}", keys=keys),
        )
    )
    best = (await EmbeddedEngine().propose(plan("last shift date and store per employee", chain, {})))[0]
    assert best.confidence is not None
    assert (best.confidence > MAX_PARTIAL_CONFIDENCE) is sure, best.sql


@pytest.mark.parametrize(
    ("question", "sure"),
    [
        ("names of the regions affected by storms with more than 10 deaths", False),
        ("names of the storms with more than 10 deaths", True),
        ("names of all regions", True),
        ("the storm name of the regions", True),
    ],
)
async def test_the_names_of_others_are_not_sure(
    question: str, sure: bool, make_table: MakeTable, plan: Plans
) -> None:
    weather = Catalog(
        (
            make_table(1, "storm", "id:id name:text deaths:int"),
            make_table(2, "region", "id:id region_name:text"),
            make_table(
                3,
                "affected_region",
                "id:id storm_id:id region_id:id",
                keys={"storm_id": 1, "region_id": 2},
            ),
        )
    )
    best = (await EmbeddedEngine().propose(plan(question, weather, {})))[0]
    assert best.confidence is not None
    assert (best.confidence > MAX_PARTIAL_CONFIDENCE) is sure, best.sql
