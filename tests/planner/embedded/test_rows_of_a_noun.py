"""Nouns that say of what rows something is: what they are called by, what they are, rows of either kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.ranking.confidence import MAX_PARTIAL_CONFIDENCE
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., ExpertContext]
VALUES = {
    ("bouts", "beaten_by"): ("Orton", "Benjamin"),
    ("caps", "position"): ("Keeper", "Winger"),
    ("regions", "nm"): ("Chad",),
}


def _unique(relation: Relation, *names: str) -> Relation:
    """The relation with as many values of some columns as it has rows."""
    columns = (replace(c, distinct=-1.0) if c.name in names else c for c in relation.columns)
    return replace(relation, columns=tuple(columns))


@pytest.fixture
def sport(make_table: Callable[..., Relation]) -> Catalog:
    return Catalog(
        (
            make_table(1, "people", "id:id name:text height:int"),
            _unique(
                make_table(
                    2,
                    "boxers",
                    "boxer_id:id people_id:id club:text days_held:int asked_sum:money",
                    keys={"people_id": 1},
                ),
                "people_id",
                "asked_sum",
            ),
            make_table(3, "bouts", "id:id team:text beaten_by:text"),
            make_table(4, "caps", "id:id player:text school:text position:text shirt:int"),
        )
    )


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "What are the names of boxers?",
            "SELECT p.name FROM people AS p JOIN boxers AS b ON b.people_id = p.id",
        ),
        (
            "shirts of players who play the winger position",
            "SELECT shirt FROM caps WHERE \"position\" = 'Winger'",
        ),
        (
            "Which schools have both players with position keeper and players with position winger?",
            "SELECT school FROM caps WHERE \"position\" = 'Keeper' INTERSECT"
            " SELECT school FROM caps WHERE \"position\" = 'Winger'",
        ),
        (
            "clubs of boxers that asked more than 900 and boxers that asked less than 500",
            "SELECT club FROM boxers WHERE asked_sum > 900 INTERSECT"
            " SELECT club FROM boxers WHERE asked_sum < 500",
        ),
        ("list the clubs of boxers sorted by days held", "SELECT club FROM boxers ORDER BY days_held"),
        ("clubs of boxers with fewer than 100 days held", "SELECT club FROM boxers WHERE days_held < 100"),
    ],
)
async def test_the_noun_has_its_place(question: str, sql: str, sport: Catalog, plan: Plans) -> None:
    first = (await EmbeddedEngine().propose(plan(question, sport, VALUES)))[0]
    assert first.sql == sql
    assert first.uncovered == ()
    assert first.confidence is not None
    assert first.confidence > 0.3


async def test_what_is_asked_for_may_stand_beside_its_own_pattern(
    make_table: Callable[..., Relation], plan: Plans
) -> None:
    lands = Catalog((make_table(1, "lands", "id:id name:text official_language:text"),))
    values = {("lands", "official_language"): ("English",)}
    question = 'What are the official languages that contain the string "Engl"?'
    first = (await EmbeddedEngine().propose(plan(question, lands, values)))[0]
    assert first.sql == "SELECT official_language FROM lands WHERE official_language ILIKE '%Engl%'"


@pytest.fixture
def cellar(make_table: Callable[..., Relation]) -> Catalog:
    wines = make_table(2, "wines", "id:id name:text winery:text year:int")
    makers = make_table(3, "makers", "id:id name:text formed:date told_on:date")
    return Catalog((wines, makers))


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("name of the youngest maker", "SELECT name FROM makers ORDER BY formed DESC LIMIT 1"),
        (
            "names of wines produced before the year of 2000 or after the year of 2010",
            "SELECT name FROM wines WHERE (year < 2000 OR year > 2010)",
        ),
    ],
)
async def test_a_row_tells_itself_what_is_asked_of_it(
    question: str, sql: str, cellar: Catalog, plan: Plans
) -> None:
    first = (await EmbeddedEngine().propose(plan(question, cellar, {})))[0]
    assert first.sql == sql


@pytest.mark.parametrize(
    ("question", "sure"), [("how many orders has Ann?", False), ("how many makers?", True)]
)
async def test_what_nothing_holds_is_not_counted_by_its_owner(
    question: str, sure: bool, cellar: Catalog, plan: Plans
) -> None:
    first = (await EmbeddedEngine().propose(plan(question, cellar, {("makers", "name"): ("Ann",)})))[0]
    assert first.confidence is not None
    assert (first.confidence > MAX_PARTIAL_CONFIDENCE) is sure
