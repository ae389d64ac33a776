"""Words that say once more of what something is, or that a number is a year, ask for nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., ExpertContext]
VALUES = {("teams", "country"): ("France", "Spain")}


@pytest.fixture
def sport(make_table: Callable[..., Relation]) -> Catalog:
    return Catalog(
        (
            make_table(1, "coaches", "id:id name:text year_of_work:int"),
            make_table(
                2,
                "teams",
                "id:id name:text country:text budget:money year_of_founded:int coach_id:id",
                keys={"coach_id": 1},
            ),
        )
    )


@pytest.mark.parametrize(
    ("question", "part"),
    [
        (
            "Which teams have a greater budget than that of any team in France?",
            "WHERE budget > (SELECT min(budget) FROM teams WHERE country = 'France')",
        ),
        (
            "names of teams whose budget is greater than the budget of all teams in France",
            "WHERE budget > (SELECT max(budget) FROM teams WHERE country = 'France')",
        ),
        (
            "What are the names of coaches who have coached teams founded after the year 2008?",
            "WHERE t.year_of_founded > 2008",
        ),
    ],
)
async def test_nothing_is_left_out(question: str, part: str, sport: Catalog, plan: Plans) -> None:
    first = (await EmbeddedEngine().propose(plan(question, sport, VALUES)))[0]
    assert part in first.sql
    assert not first.uncovered
