"""What is compared with the average of those alike, not of all."""

from __future__ import annotations

import pytest

from askwire.core.errors import BeyondEngine
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

VALUES = {("team", "city"): ["Rome", "Oslo"], ("worker", "grade"): ["A", "B"]}


@pytest.fixture
def firm(make_table):
    """Workers of teams, each with a salary."""
    return Catalog(
        (
            make_table(1, "team", "id:id name:text city:text"),
            make_table(
                2, "worker", "id:id name:text grade:text salary:money team_id:int", keys={"team_id": 1}
            ),
        )
    )


async def _first(question, plan, catalog):
    return (await EmbeddedEngine().propose(plan(question, catalog=catalog, values=VALUES)))[0]


OF_TEAM = "salary > (SELECT avg(w.salary) FROM worker AS w WHERE w.team_id = worker.team_id)"
OF_GRADE = "salary > (SELECT avg(w.salary) FROM worker AS w WHERE w.grade = worker.grade)"


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("workers who earn more than the average of their team", OF_TEAM),
        ("workers who earn more than the average salary in their team", OF_TEAM),
        ("workers with a salary above the average for their grade", OF_GRADE),
        ("workers with a salary above the average salary of workers with the same grade", OF_GRADE),
        ("workers with a salary above the average", "salary > (SELECT avg(salary) FROM worker)"),
    ],
)
async def test_an_average_of_those_alike_is_taken_of_them(question, where, plan, firm):
    assert (await _first(question, plan, firm)).sql == f"SELECT name FROM worker WHERE {where}"


async def test_the_row_outside_keeps_its_own_alias(plan, firm):
    question = "workers of teams in Rome who earn more than the average of their team"
    sql = (await _first(question, plan, firm)).sql
    assert "w.salary > (SELECT avg(w2.salary) FROM worker AS w2 WHERE w2.team_id = w.team_id)" in sql
    assert "t.city = 'Rome'" in sql


async def test_the_reading_says_of_whom(plan, firm):
    found = await _first("workers who earn more than the average of their team", plan, firm)
    assert "average worker.salary of the same worker.team_id" in found.reading


async def test_a_group_that_the_rows_do_not_tell_is_not_guessed(plan, make_table):
    """Two keys lead to the group: which of them tells it is not said."""
    catalog = Catalog(
        (
            make_table(1, "town", "id:id name:text"),
            make_table(
                2,
                "person",
                "id:id name:text salary:money born_in:int lives_in:int",
                keys={"born_in": 1, "lives_in": 1},
            ),
        )
    )
    with pytest.raises(BeyondEngine):
        await _first("people who earn more than the average of their town", plan, catalog)
