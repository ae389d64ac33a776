"""Questions about a school: what belongs to the one best, two things side by side, texts and moments."""

from __future__ import annotations

import pytest

from askwire.core.settings.confidence_levels import MEDIUM, MIN_CONFIDENCE
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog


@pytest.fixture
def school(make_table):
    table = make_table
    return Catalog(
        (
            table(1, "department", "id:id name:text division:text budget:money"),
            table(
                2,
                "instructor",
                "id:id first_name:text middle_name:text last_name:text phone:text salary:money"
                " department_id:id",
                keys={"department_id": 1},
            ),
            table(
                3,
                "student",
                "id:id first_name:text last_name:text phone:text gender:text email:text age:int"
                " department_id:id",
                keys={"department_id": 1},
            ),
            table(
                4,
                "visit",
                "id:id student_id:id visit_type_id:id visited_at:time",
                keys={"student_id": 3, "visit_type_id": 5},
            ),
            table(5, "visit_type", "id:id description:text gradepoint:int"),
        )
    )


VALUES = {
    ("department", "name"): ("Physics", "History"),
    ("department", "division"): ("AS", "EN"),
    ("instructor", "first_name"): ("Clara", "Steve"),
    ("instructor", "last_name"): ("Johnson", "Lee"),
    ("student", "gender"): ("F", "M"),
    ("student", "email"): ("ann.lee@example.org",),
}


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "What are the last names of the students in the department with the highest budget?",
            "WHERE d.id IN (SELECT id FROM department ORDER BY budget DESC",
        ),
        (
            "How many students are in the department with the most instructors?",
            "GROUP BY d.id ORDER BY count(*) DESC LIMIT 1)",
        ),
        (
            "What are the phone numbers of all students and all instructors?",
            "SELECT phone FROM student UNION SELECT phone FROM instructor",
        ),
        (
            "How many students and instructors are in each department?",
            "count(DISTINCT s.id) AS number_of_students, count(DISTINCT i.id) AS number_of_instructors",
        ),
        (
            "List the first name middle name and last name of all instructors.",
            "SELECT first_name, middle_name, last_name FROM instructor",
        ),
        (
            "How many students are there per department? Order the departments by number of students.",
            "count(*) AS number_of_students",
        ),
        (
            "Which visits were before 2024-03-17 07:13:53?",
            "visited_at < '2024-03-17 07:13:53'",
        ),
        (
            "Which instructors didnt' get a phone?",
            "WHERE phone IS NULL",
        ),
        (
            "What is the salary of instructors in the same department as someone with the first name Clara?",
            "department_id = (SELECT department_id FROM instructor WHERE first_name = 'Clara')",
        ),
        (
            "Show the last names of students without the letter M in their first name.",
            "first_name NOT ILIKE '%M%'",
        ),
        (
            "Show the last names of students with D or S in their first name.",
            "(first_name ILIKE '%D%' OR first_name ILIKE '%S%')",
        ),
        ("Show the last names of students of age 20 to 25.", "age >= 20 AND age <= 25"),
        ("How many departments are in the division AS?", "division = 'AS'"),
        ("Show the first name AND last name of students.", "SELECT first_name, last_name FROM student"),
        ("Which student has the email ann.lee@example.org?", "email = 'ann.lee@example.org'"),
        ("Sort all department names by their budgets from high to low.", "ORDER BY budget DESC"),
        ("How many all-female students are there?", "gender = 'F'"),
        ("What is the description and the count of each visit type?", "count(*) AS number_of_visits"),
        ("What are the maximum gradepoints?", "max(gradepoint)"),
        ("Which students were unaffected by visits?", "WHERE id NOT IN (SELECT student_id FROM visit"),
        ("Which instructors are inspected by Lee?", "last_name = 'Lee'"),
        ("What is the age of students sorted by the order of age?", "ORDER BY age"),
    ],
)
async def test_it_is_read(question, sql, plan, school):
    found = await EmbeddedEngine().propose(plan(question, school, VALUES))
    assert sql in found[0].sql


@pytest.mark.parametrize("question", ["Which visits are still open?", "list the open visits"])
async def test_a_state_that_nothing_tells_is_left_out(question, plan, school):
    found = await EmbeddedEngine().propose(plan(question, school, VALUES))
    assert found[0].confidence < MIN_CONFIDENCE[MEDIUM]
    found = await EmbeddedEngine().propose(plan("Which departments are there?", school, VALUES))
    assert found[0].confidence >= MIN_CONFIDENCE[MEDIUM]


@pytest.fixture
def enrolments(make_table):
    table = make_table
    return Catalog(
        (
            table(1, "students", "id:id name:text birthday:time"),
            table(2, "courses", "id:id title:text"),
            table(
                3,
                "student_course_enrolment",
                "id:id student_id:id course_id:id enrolled_on:time",
                keys={"student_id": 1, "course_id": 2},
            ),
        )
    )


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "How many students enrolled in 2024?",
            "SELECT count(DISTINCT s.id) FROM student_course_enrolment AS sce JOIN students AS s"
            " ON sce.student_id = s.id"
            " WHERE sce.enrolled_on >= '2024-01-01' AND sce.enrolled_on < '2025-01-01'",
        ),
        (
            "How many students enrolled in each course?",
            "SELECT c.title, count(*) AS number_of_student_course_enrolments FROM courses AS c"
            " JOIN student_course_enrolment AS sce ON sce.course_id = c.id GROUP BY c.id, c.title"
            " ORDER BY count(*) DESC",
        ),
    ],
)
async def test_who_did_something_is_counted_once(question, sql, plan, enrolments):
    proposals = await EmbeddedEngine().propose(plan(question, enrolments))
    assert proposals[0].sql == sql


async def test_a_word_faintly_like_a_table_says_which_rows(plan, enrolments):
    proposals = await EmbeddedEngine().propose(plan("how many scholarship students are there?", enrolments))
    assert proposals[0].uncovered == ("scholarship",)
