"""Of which of several things a condition is: of those named beside it, of those on the same side of 'but'."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog


@pytest.fixture
def college(make_table):
    table = make_table
    phones = table(6, "phone", "id:id model:text wifi:text price:money")
    wifi = replace(phones.columns[2], common_values=("802.11b", "No"), null_share=0.0)
    return Catalog(
        (
            table(1, "department", "id:id name:text building:text"),
            table(
                2, "instructor", "id:id name:text salary:money department_id:id", keys={"department_id": 1}
            ),
            table(3, "student", "id:id name:text age:int department_id:id", keys={"department_id": 1}),
            table(
                4,
                "advisor",
                "id:id student_id:id instructor_id:id",
                keys={"student_id": 3, "instructor_id": 2},
            ),
            table(
                5, "offer", "id:id title:text semester:text year:int student_id:id", keys={"student_id": 3}
            ),
            replace(phones, columns=(*phones.columns[:2], wifi, *phones.columns[3:])),
            table(7, "staff", "id:id first_name:text last_name:text"),
            table(8, "call", "id:id called_on:date fee:money staff_id:id", keys={"staff_id": 7}),
        )
    )


VALUES = {
    ("department", "name"): ("History", "Math"),
    ("offer", "semester"): ("Fall", "Spring"),
    ("staff", "first_name"): ("Ann",),
    ("staff", "last_name"): ("Lee",),
    ("phone", "wifi"): ("802.11b", "No"),
}


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "What are the names of instructors who are advisors of students in the Math department?",
            "JOIN department AS d ON s.department_id = d.id WHERE d.name = 'Math'",
        ),
        (
            "What are the names of instructors who advise students in the Math department?",
            "JOIN advisor AS a ON a.instructor_id = i.id",
        ),
        (
            "Which students had offers in Fall 2009 but not in Spring 2010?",
            "semester = 'Fall' AND year = 2009) AND id NOT IN",
        ),
        (
            "Which calls have a fee above the average fee of the calls taken by Ann?",
            "SELECT avg(c.fee) FROM call AS c JOIN staff AS s ON c.staff_id = s.id WHERE",
        ),
        (
            "Which calls have a fee above that of all calls taken by Ann Lee?",
            "WHERE s.first_name = 'Ann' AND s.last_name = 'Lee')",
        ),
        ("How many phones do not have wifi?", "SELECT count(*) FROM phone WHERE wifi = 'No'"),
        ("Sort all the phones according to the price. Just report the models.", "ORDER BY price"),
    ],
)
async def test_a_condition_is_of_what_it_is_said_of(question, sql, plan, college):
    found = await EmbeddedEngine().propose(plan(question, college, VALUES))
    assert sql in found[0].sql


@pytest.fixture
def courses(make_table):
    table = make_table
    return Catalog(
        (
            table(1, "teachers", "id:id name:text country:text"),
            table(2, "courses", "id:id title:text status:text teacher_id:id", keys={"teacher_id": 1}),
            table(
                3,
                "enrollments",
                "id:id status:text paid:money course_id:id enrolled_on:date",
                keys={"course_id": 2},
            ),
            table(4, "product_category", "id:id name:text"),
            table(5, "product_subcategory", "id:id name:text category_id:id", keys={"category_id": 4}),
            table(6, "product", "id:id name:text weight:int subcategory_id:id", keys={"subcategory_id": 5}),
        )
    )


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("which status has the most enrollments in courses by teachers from Peru?", "SELECT e.status"),
        ("number of enrollments in courses of teachers from Peru by status", "SELECT e.status, count(*)"),
        ("number of enrollments in courses of teachers from Peru by course status", "c.status"),
        ("top 3 product categories by number of products", "SELECT pc.name"),
        ("number of enrollments per teacher from Peru and status", "GROUP BY t.id, t.name, e.status"),
        ("enrollments by teacher from Peru and year", "GROUP BY extract(year FROM e.enrolled_on)::int, t.id"),
        (
            "total paid of enrollments with an amount paid between 50 and 100 of teachers from Peru",
            "e.paid >= 50 AND e.paid <= 100",
        ),
    ],
)
async def test_what_tells_apart_is_of_what_is_counted(question, sql, plan, courses):
    found = await EmbeddedEngine().propose(plan(question, courses, {("teachers", "country"): ("Peru",)}))
    assert sql in found[0].sql


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("units in buildings with parking", "b.has_parking = true"),
        ("how many staff have a car?", "has_car = true"),
        ("units excluding the unfurnished ones", "is_furnished = true"),
        ("buildings with fewer than 3 non-closed units", "u.closed_on IS NULL GROUP BY"),
        ("number of not closed units per building", "u.closed_on IS NULL GROUP BY"),
        ("top 3 unfurnished units by rent", "is_furnished = false ORDER BY rent DESC LIMIT 3"),
    ],
)
async def test_a_yes_or_no_is_said_in_a_clause(question, sql, plan, make_table):
    lets = Catalog(
        (
            make_table(1, "buildings", "id:id name:text has_parking:bool"),
            make_table(
                2,
                "units",
                "id:id name:text rent:money is_furnished:bool closed_on:date? building_id:id",
                keys={"building_id": 1},
            ),
            make_table(3, "charges", "id:id kind:text unit_id:id", keys={"unit_id": 2}),
            make_table(4, "staff", "id:id name:text has_car:bool?"),
        )
    )
    found = await EmbeddedEngine().propose(plan(question, lets, {("charges", "kind"): ("parking", "rent")}))
    assert sql in found[0].sql
