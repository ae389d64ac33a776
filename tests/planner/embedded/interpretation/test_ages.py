"""How old somebody is, in completed years, also where the question denies it; never another measure."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.core.errors import AskError
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation


@pytest.fixture
def sold(make_table: Callable[..., Relation]) -> Catalog:
    return Catalog(
        (
            make_table(1, "passengers", "id:id name:text birth_date:date?"),
            make_table(
                2,
                "tickets",
                "id:id passenger_id:id channel:text amount:money",
                keys={"passenger_id": 1},
            ),
            make_table(3, "ferries", "id:id name:text capacity:int"),
        )
    )


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("passengers not older than 65", "<= 65"),
        ("passengers who are not older than 65", "<= 65"),
        ("passengers no older than 65", "<= 65"),
        ("passengers 65 or younger", "<= 65"),
        ("passengers not younger than 18", ">= 18"),
        ("passengers aged at least 18", ">= 18"),
        ("passengers older than 65 years", "> 65"),
        ("passengers younger than 18", "< 18"),
    ],
)
async def test_ages_are_completed_years(
    question: str, condition: str, plan: Callable[..., ExpertContext], sold: Catalog
) -> None:
    best = (await EmbeddedEngine().propose(plan(question, sold, {})))[0]
    assert (
        best.sql == f"SELECT name FROM passengers WHERE extract(year FROM age(birth_date))::int {condition}"
    )
    assert (best.confidence or 0.0) >= 0.4


@pytest.mark.parametrize("question", ["tickets older than 65", "ferries not older than 20"])
async def test_a_number_of_years_is_no_other_measure(
    question: str, plan: Callable[..., ExpertContext], sold: Catalog
) -> None:
    try:
        found = await EmbeddedEngine().propose(plan(question, sold, {}))
    except AskError:
        found = ()
    for candidate in found:
        assert "amount" not in candidate.sql
        assert "capacity" not in candidate.sql


@pytest.mark.parametrize("question", ["number of passengers by age", "total amount by passenger age"])
async def test_what_is_not_told_apart_by_age_is_not_sure(
    question: str, plan: Callable[..., ExpertContext], sold: Catalog
) -> None:
    for candidate in await EmbeddedEngine().propose(plan(question, sold, {})):
        assert "age(" in candidate.sql.partition("GROUP BY")[2] or (candidate.confidence or 0.0) < 0.4
        assert "age" in candidate.uncovered


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("passengers with birthday in May", "extract(month FROM birth_date)::int = 5"),
        ("passengers whose birthday is in May", "extract(month FROM birth_date)::int = 5"),
        ("passengers born in May", "extract(month FROM birth_date)::int = 5"),
        ("passengers born in May 1980", "birth_date >= '1980-05-01' AND birth_date < '1980-06-01'"),
    ],
)
async def test_a_birthday_comes_again_in_its_month_of_every_year(
    question: str, condition: str, plan: Callable[..., ExpertContext], sold: Catalog
) -> None:
    best = (await EmbeddedEngine().propose(plan(question, sold, {})))[0]
    assert best.sql == f"SELECT name FROM passengers WHERE {condition}"
    assert best.uncovered == ()
