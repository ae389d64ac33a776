"""People and what is theirs: whose value, whose time, whose age; what they have, and what ran out."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog


@pytest.fixture
def school(make_table):
    table = make_table
    return Catalog(
        (
            table(1, "teachers", "id:id name:text country:text joined_on:date"),
            table(
                2,
                "courses",
                "id:id title:text category:text price:money teacher_id:id",
                keys={"teacher_id": 1},
            ),
            table(3, "users", "id:id full_name:text country:text created_at:time last_login_at:time?"),
            table(
                4,
                "enrollments",
                "id:id enrolled_on:date user_id:id course_id:id",
                keys={"user_id": 3, "course_id": 2},
            ),
            table(
                5,
                "drivers",
                "id:id first_name:text last_name:text hired_on:date license_expires_on:date?",
            ),
            table(
                6,
                "trips",
                "id:id started_on:date miles:money fuel_station:text driver_id:id",
                keys={"driver_id": 5},
            ),
            table(7, "policies", "id:id insurance:text ends_on:date? driver_id:id", keys={"driver_id": 5}),
            table(8, "coupons", "id:id code:text valid_until:date?"),
        )
    )


COUNTRIES = ("Chile", "France", "Peru")
VALUES = {
    ("teachers", "country"): COUNTRIES,
    ("users", "country"): COUNTRIES,
    ("courses", "category"): ("Art", "Law"),
    ("trips", "fuel_station"): ("Pilot", "Speedco"),
}


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "number of enrollments of users from Peru and France",
            "WHERE (u.country = 'Peru' OR u.country = 'France')",
        ),
        (
            "enrollments by users from Peru and France",
            "SELECT e.id FROM enrollments AS e JOIN users AS u ON e.user_id = u.id"
            " WHERE (u.country = 'Peru' OR u.country = 'France')",
        ),
        (
            "enrollments per month of users in Peru and France",
            "WHERE (u.country = 'Peru' OR u.country = 'France') GROUP BY",
        ),
        ("miles driven at Pilot and Speedco", "(fuel_station = 'Pilot' OR fuel_station = 'Speedco')"),
        (
            "how many users took both Art and Law courses",
            "AND id IN (SELECT e.user_id FROM enrollments AS e JOIN courses AS c ON e.course_id = c.id"
            " WHERE c.category = 'Law')",
        ),
    ],
)
async def test_one_row_holds_one_of_two_values(question, sql, plan, school):
    found = await EmbeddedEngine().propose(plan(question, school, VALUES))
    assert sql in found[0].sql


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("number of enrollments of users who joined in 2023", "WHERE u.created_at >= '2023-01-01'"),
        ("number of enrollments by users who signed up in 2023", "WHERE u.created_at >= '2023-01-01'"),
        ("users who joined in 2023 and their enrollments", "WHERE u.created_at >= '2023-01-01'"),
        (
            "courses by teachers who joined in 2022",
            "SELECT c.title FROM courses AS c JOIN teachers AS t ON c.teacher_id = t.id"
            " WHERE t.joined_on >= '2022-01-01'",
        ),
        ("number of trips by drivers hired in 2021", "SELECT count(*) FROM drivers AS d JOIN trips AS t"),
    ],
)
async def test_who_came_then_is_told_by_their_own_time(question, sql, plan, school):
    found = await EmbeddedEngine().propose(plan(question, school, VALUES))
    assert sql in found[0].sql


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "users without enrollments in Peru",
            "FROM users WHERE country = 'Peru' AND id NOT IN (SELECT user_id FROM enrollments)",
        ),
        (
            "how many users without enrollments in Art courses",
            "JOIN courses AS c ON e.course_id = c.id WHERE c.category = 'Art')",
        ),
        (
            "drivers that have trips but never above 900 miles",
            "id IN (SELECT driver_id FROM trips) AND id NOT IN (SELECT driver_id FROM trips WHERE miles >",
        ),
    ],
)
async def test_a_value_behind_what_is_missing_is_of_the_nearer(question, sql, plan, school):
    found = await EmbeddedEngine().propose(plan(question, school, VALUES))
    assert sql in found[0].sql


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("drivers whose license has expired", "license_expires_on < current_date"),
        ("number of drivers with expired licenses", "license_expires_on < current_date"),
        ("number of expired coupons", "valid_until < current_date"),
        ("coupons that have not expired", "(valid_until IS NULL OR valid_until >= current_date)"),
    ],
)
async def test_what_expired_ended_before_today(question, sql, plan, school):
    found = await EmbeddedEngine().propose(plan(question, school, VALUES))
    assert sql in found[0].sql


async def test_an_age_is_of_the_people_themselves(plan, make_table):
    care = Catalog(
        (
            make_table(1, "clients", "id:id first_name:text last_name:text date_of_birth:date"),
            make_table(2, "carers", "id:id first_name:text last_name:text"),
            make_table(
                3,
                "visits",
                "id:id client_id:id carer_id:id visited_on:date",
                keys={"client_id": 1, "carer_id": 2},
            ),
        )
    )
    found = await EmbeddedEngine().propose(plan("youngest carer", care, {}))
    assert "date_of_birth" not in found[0].sql
    found = await EmbeddedEngine().propose(plan("youngest client", care, {}))
    assert "ORDER BY date_of_birth DESC" in found[0].sql


async def test_what_somebody_has_is_a_row_and_no_far_value(plan, make_table):
    vets = Catalog(
        (
            make_table(1, "pets", "id:id name:text"),
            make_table(2, "insurance_policies", "id:id pet_id:id ends_on:date?", keys={"pet_id": 1}),
            make_table(3, "visits", "id:id pet_id:id visited_on:date", keys={"pet_id": 1}),
            make_table(4, "payments", "id:id method:text visit_id:id", keys={"visit_id": 3}),
        )
    )
    values = {("payments", "method"): ("card", "insurance")}
    found = await EmbeddedEngine().propose(plan("number of pets without insurance", vets, values))
    assert found[0].sql == "SELECT count(*) FROM pets WHERE id NOT IN (SELECT pet_id FROM insurance_policies)"
    found = await EmbeddedEngine().propose(plan("payments by insurance", vets, values))
    assert "method = 'insurance'" in found[0].sql
