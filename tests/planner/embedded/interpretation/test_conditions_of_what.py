"""A condition belongs to what it follows: to what is missing, counted or denied, and not to its owner."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., ExpertContext]
VALUES = {
    ("visits", "status"): ("missed", "cancelled", "planned"),
    ("invoices", "status"): ("cancelled", "open"),
    ("carers", "gender"): ("male", "female"),
    ("clients", "funding"): ("private", "public"),
}


@pytest.fixture
def care(make_table: Callable[..., Relation]) -> Catalog:
    return Catalog(
        (
            make_table(1, "carers", "id:id name:text gender:text has_car:bool hired_on:time"),
            make_table(2, "clients", "id:id name:text funding:text joined_on:time"),
            make_table(
                3,
                "visits",
                "id:id carer_id:id client_id:id status:text visited_at:time mileage:int",
                keys={"carer_id": 1, "client_id": 2},
            ),
            make_table(
                4,
                "invoices",
                "id:id client_id:id status:text issued_on:time amount:money",
                keys={"client_id": 2},
            ),
        )
    )


@pytest.mark.parametrize(
    ("question", "inside"),
    [
        ("clients without invoices written since February 2024", "WHERE issued_on >= '2024-02-01'"),
        (
            "clients that have never had visits made in 2024",
            "WHERE visited_at >= '2024-01-01' AND visited_at < '2025-01-01'",
        ),
        (
            "In 2024, which clients have no invoices?",
            "WHERE issued_on >= '2024-01-01' AND issued_on < '2025-01-01'",
        ),
        ("clients without invoices that were not cancelled", "WHERE status <> 'cancelled'"),
        ("carers without visits with a mileage above 20", "WHERE mileage > 20"),
    ],
)
async def test_what_is_said_behind_the_missing_is_of_it(
    question: str, inside: str, care: Catalog, plan: Plans
) -> None:
    """The answer was the clients of 2024 without invoices, or those with a cancelled invoice."""
    best = (await EmbeddedEngine().propose(plan(question, care, VALUES)))[0]
    assert best.sql.endswith(f"{inside})")
    assert best.sql.count("WHERE") == 2
    assert not best.uncovered


async def test_a_time_said_first_stays_with_what_has_one_owner(care: Catalog, plan: Plans) -> None:
    best = (await EmbeddedEngine().propose(plan("In 2024, which visits have no carer?", care, VALUES)))[0]
    assert "WHERE visited_at >= '2024-01-01'" in best.sql


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "count missed visits that are not cancelled",
            "SELECT count(*) FROM visits WHERE status = 'missed' AND status <> 'cancelled'",
        ),
        (
            "which client has the most visits that are not cancelled?",
            "WHERE v.status <> 'cancelled' GROUP BY c.id, c.name ORDER BY count(*) DESC LIMIT 1",
        ),
        (
            "how many carers have visits that are not cancelled?",
            "FROM visits WHERE status <> 'cancelled'",
        ),
        ("which carers have a car", "SELECT name FROM carers WHERE has_car = true"),
    ],
)
async def test_that_are_not_denies_it_of_what_it_follows(
    question: str, sql: str, care: Catalog, plan: Plans
) -> None:
    """Visits of clients without a cancelled invoice were counted, or without a cancelled visit."""
    best = (await EmbeddedEngine().propose(plan(question, care, VALUES)))[0]
    assert best.sql.endswith(sql)
    assert not best.uncovered


@pytest.mark.parametrize(
    ("question", "part", "whole"),
    [
        (
            "what percentage of visits of male carers are cancelled?",
            "v.status = 'cancelled'",
            "c.gender = 'male'",
        ),
        ("share of missed visits made in 2024", "status = 'missed'", "visited_at >= '2024-01-01'"),
        ("share of missed visits with a mileage above 20", "status = 'missed'", "mileage > 20"),
        ("share of visits made in 2024 that were missed", "status = 'missed'", "visited_at >= '2024-01-01'"),
    ],
)
async def test_a_share_is_of_what_is_counted_and_of_what_is_said_behind_it(
    question: str, part: str, whole: str, care: Catalog, plan: Plans
) -> None:
    """The answer was the share of carers with a cancelled visit, or of missed visits those of 2024."""
    best = (await EmbeddedEngine().propose(plan(question, care, VALUES)))[0]
    assert f"FILTER (WHERE {part})" in best.sql
    assert f"WHERE {whole}" in best.sql.rpartition(" FROM ")[2]


@pytest.mark.parametrize(
    ("question", "shown", "rest"),
    [
        (
            "how many visits are cancelled and how many are not?",
            "count(*) FILTER (WHERE status = 'cancelled') AS number_of_visits_cancelled,"
            " count(*) FILTER (WHERE status <> 'cancelled') AS number_of_visits_not_cancelled",
            " FROM visits",
        ),
        (
            "in 2024, how many visits of male carers are cancelled and how many are not?",
            "count(*) FILTER (WHERE v.status = 'cancelled')",
            "AND c.gender = 'male'",
        ),
        ("how many visits are missed and how many are planned?", "status, count(*)", "GROUP BY status"),
    ],
)
async def test_two_numbers_stand_side_by_side(
    question: str, shown: str, rest: str, care: Catalog, plan: Plans
) -> None:
    best = (await EmbeddedEngine().propose(plan(question, care, VALUES)))[0]
    assert best.sql.startswith(f"SELECT {shown}")
    assert rest in best.sql
    assert not best.uncovered


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("number of visits of male carers per month", "date_trunc('month', v.visited_at)"),
        ("number of visits of male carers per month", "AS number_of_visits"),
        ("how many visits of male carers before 2024 are there", "v.visited_at < '2024-01-01'"),
        ("which month had the most visits for private clients?", "SELECT date_trunc('month', v.visited_at)"),
        ("In April 2024, how many clients have visits?", "visited_at >= '2024-04-01'"),
    ],
)
async def test_times_are_those_of_what_is_counted(
    question: str, part: str, care: Catalog, plan: Plans
) -> None:
    """The answer was by the months in which carers were hired, or a row for each client."""
    best = (await EmbeddedEngine().propose(plan(question, care, VALUES)))[0]
    assert part in best.sql
    assert not best.uncovered
