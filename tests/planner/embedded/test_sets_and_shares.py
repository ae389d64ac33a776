"""Some of one kind and none of another, nothing else, shares of some rows, two numbers side by side."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., ExpertContext]
VALUES = {
    ("cards", "colour"): ("red", "yellow", "green"),
    ("cards", "priority"): ("low", "high"),
    ("clubs", "city"): ("Cork", "Leeds"),
}
OF_FINES = "SELECT team_id FROM cards WHERE colour = 'red' AND fine > 40"


@pytest.fixture
def league(make_table: Callable[..., Relation]) -> Catalog:
    return Catalog(
        (
            make_table(1, "clubs", "id:id name:text city:text"),
            make_table(2, "teams", "id:id name:text club_id:id", keys={"club_id": 1}),
            make_table(
                3,
                "cards",
                "id:id colour:text priority:text fine:int shown_on:date team_id:id",
                keys={"team_id": 2},
            ),
        )
    )


@pytest.mark.parametrize(
    ("question", "part"),
    [
        (
            "teams that had red but not yellow cards with a fine above 40",
            f"WHERE id IN ({OF_FINES}) AND id NOT IN "
            "(SELECT team_id FROM cards WHERE colour = 'yellow' AND fine > 40)",
        ),
        (
            "which teams got some red cards but no yellow ones?",
            "WHERE id IN (SELECT team_id FROM cards WHERE colour = 'red') AND id NOT IN "
            "(SELECT team_id FROM cards WHERE colour = 'yellow')",
        ),
        (
            "teams with only red cards",
            "NOT IN (SELECT team_id FROM cards WHERE colour <> 'red')",
        ),
        (
            "teams with nothing but red cards with a fine above 40",
            f"WHERE id IN ({OF_FINES}) AND id NOT IN "
            "(SELECT team_id FROM cards WHERE colour <> 'red' AND fine > 40)",
        ),
        (
            "teams whose cards are all red",
            "NOT IN (SELECT team_id FROM cards WHERE colour <> 'red')",
        ),
        ("teams lacking cards in 2024", "NOT IN (SELECT team_id FROM cards WHERE shown_on >= '2024-01-01'"),
        (
            "how many teams have no cards with a fine of at most 80 for clubs in Cork?",
            "c2.city = 'Cork')",
        ),
    ],
)
async def test_one_kind_and_none_of_another(question: str, part: str, league: Catalog, plan: Plans) -> None:
    first = (await EmbeddedEngine().propose(plan(question, league, VALUES)))[0]
    assert part in first.sql
    assert not first.uncovered


@pytest.mark.parametrize(
    "question",
    [
        "teams with more than 3 cards excluding red cards",
        "teams with more than 3 cards except red ones",
        "teams with more than 3 non-red cards",
        "teams with more than 3 cards with a colour other than red",
        "teams with more than 3 cards whose colour is not red",
        "teams with more than 3 cards that aren't red",
    ],
)
async def test_what_is_counted_is_denied_of_each_row(question: str, league: Catalog, plan: Plans) -> None:
    first = (await EmbeddedEngine().propose(plan(question, league, VALUES)))[0]
    assert "WHERE c.colour <> 'red' GROUP BY t.id, t.name HAVING count(*) > 3" in first.sql
    assert not first.uncovered


@pytest.mark.parametrize(
    ("question", "part", "whole"),
    [
        ("What % of cards are red", "colour = 'red'", "FROM cards"),
        (
            "how big is the share of red ones among cards with a fine above 40?",
            "colour = 'red'",
            "WHERE fine > 40",
        ),
        (
            "what share of cards having a fine above 40 were red?",
            "FILTER (WHERE colour = 'red')",
            "FROM cards WHERE fine > 40",
        ),
        (
            "what proportion of cards whose priority is not low were red?",
            "FILTER (WHERE colour = 'red')",
            "WHERE priority <> 'low'",
        ),
        (
            "percentage of red cards belonging to teams of clubs in Cork",
            "FILTER (WHERE c.colour = 'red')",
            "WHERE c2.city = 'Cork'",
        ),
        (
            "share of red cards other than low priority ones",
            "FILTER (WHERE colour = 'red')",
            "WHERE priority <> 'low'",
        ),
    ],
)
async def test_of_what_is_the_share(
    question: str, part: str, whole: str, league: Catalog, plan: Plans
) -> None:
    first = (await EmbeddedEngine().propose(plan(question, league, VALUES)))[0]
    assert part in first.sql
    assert first.sql.endswith(whole) or whole in first.sql
    assert not first.uncovered


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "compare the number of red cards with the number of yellow ones",
            "FROM cards WHERE (colour = 'red' OR colour = 'yellow') GROUP BY colour",
        ),
        (
            "count red cards and yellow cards separately",
            "FROM cards WHERE (colour = 'red' OR colour = 'yellow') GROUP BY colour",
        ),
        (
            "red vs yellow cards, how many of each?",
            "FROM cards WHERE (colour = 'red' OR colour = 'yellow') GROUP BY colour",
        ),
        (
            "red and yellow cards, how many of each?",
            "FROM cards WHERE (colour = 'red' OR colour = 'yellow') GROUP BY colour",
        ),
        (
            "on average, how many red cards with a fine above 40 does a team have?",
            "SELECT avg(n) FROM (SELECT count(*) FROM cards AS c JOIN teams AS t ON c.team_id = t.id",
        ),
        (
            "how many red cards with a fine above 40 are there per team on average?",
            "SELECT avg(n) FROM (SELECT count(*) FROM cards AS c JOIN teams AS t ON c.team_id = t.id",
        ),
        ("how many cards with priority high or low are there?", "(priority = 'high' OR priority = 'low')"),
    ],
)
async def test_two_numbers_and_averages(question: str, sql: str, league: Catalog, plan: Plans) -> None:
    first = (await EmbeddedEngine().propose(plan(question, league, VALUES)))[0]
    assert sql in first.sql
    assert not first.uncovered
