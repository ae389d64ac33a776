"""Keys that refer to somebody: who holds a vote, and who takes part in no match of a kind."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

VALUES = {
    ("elections", "cycle"): ["Fall", "Spring"],
    ("stadiums", "city"): ["London", "Leeds"],
    ("students", "name"): ["Ann"],
}


@pytest.fixture
def school(make_table):
    """Students, elections with two keys that refer to them, and the stadiums that they played in."""
    return Catalog(
        (
            make_table(1, "students", "id:id name:text age:int"),
            make_table(
                2,
                "elections",
                "id:id cycle:text president_vote:int vice_president_vote:int",
                keys={"president_vote": 1, "vice_president_vote": 1},
            ),
            make_table(3, "stadiums", "id:id title:text city:text"),
            make_table(
                4,
                "visits",
                "student_id:int stadium_id:int",
                keys={"student_id": 1, "stadium_id": 3},
            ),
            make_table(
                5, "friendships", "student_id:int friend_id:int", keys={"student_id": 1, "friend_id": 1}
            ),
            make_table(6, "teachers", "id:id name:text age:int"),
        )
    )


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "names of students who have president votes",
            "SELECT name FROM students WHERE id IN (SELECT president_vote FROM elections)",
        ),
        (
            "names of students who have vice president votes in the fall cycle",
            "SELECT name FROM students WHERE id IN "
            "(SELECT vice_president_vote FROM elections WHERE cycle = 'Fall')",
        ),
        (
            "names of students who did not visit any stadium located in London",
            "SELECT name FROM students WHERE id NOT IN (SELECT v.student_id FROM visits AS v "
            "JOIN stadiums AS s ON v.stadium_id = s.id WHERE s.city = 'London')",
        ),
        (
            "names of students who have no friends",
            "SELECT name FROM students WHERE id NOT IN (SELECT student_id FROM friendships)",
        ),
        (
            "what are the names used by students and teachers?",
            "SELECT name FROM students INTERSECT SELECT name FROM teachers",
        ),
        (
            "names of students without visits",
            "SELECT name FROM students WHERE id NOT IN (SELECT student_id FROM visits)",
        ),
        (
            "names of students free of visits",
            "SELECT name FROM students WHERE id NOT IN (SELECT student_id FROM visits)",
        ),
    ],
)
async def test_a_question_about_what_somebody_holds_reads_the_named_key(question, sql, school, plan):
    found = await EmbeddedEngine().propose(plan(question, catalog=school, values=VALUES))
    assert found[0].sql == sql
