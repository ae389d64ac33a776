"""Question words: who is not said to be whom, and what stands beside the highest."""

from __future__ import annotations

import pytest

from askwire.core.errors import AskError
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.ranking.confidence import MAX_PARTIAL_CONFIDENCE
from askwire.sql.catalog import Catalog


@pytest.fixture
def company(make_table):
    return Catalog(
        (
            make_table(
                1,
                "employees",
                "id:id first_name:text last_name:text title:text manager_id:id? salary:money",
                keys={"manager_id": 1},
            ),
            make_table(2, "patients", "id:id name:text country:text"),
            make_table(
                3,
                "reviews",
                "id:id patient_id:id employee_id:id? rating:int written_on:date",
                keys={"patient_id": 2, "employee_id": 1},
            ),
        )
    )


VALUES = {("employees", "title"): ("Managing Director", "Nurse"), ("patients", "country"): ("France",)}


async def _first(question, plan, company):
    return (await EmbeddedEngine().propose(plan(question, company, VALUES)))[0]


async def test_who_reports_to_somebody_is_below_them(plan, company):
    first = await _first("who reports to the managing director?", plan, company)
    assert first.sql == (
        "SELECT e.first_name, e.last_name FROM employees AS e JOIN employees AS manager "
        "ON e.manager_id = manager.id WHERE manager.title = 'Managing Director'"
    )
    assert first.confidence > 0.5


async def test_who_is_whoever_a_row_cannot_be_without(plan, company):
    first = await _first("who wrote the most reviews?", plan, company)
    assert first.sql.startswith("SELECT p.name FROM patients AS p JOIN reviews")


async def test_who_has_a_number_of_its_own_is_that_row(plan, company):
    first = await _first("who has the highest salary?", plan, company)
    assert first.sql.startswith("SELECT first_name, last_name FROM employees ORDER BY salary DESC")


async def test_the_highest_and_who_gave_it_are_of_one_row(plan, company):
    first = await _first("what is the lowest rating and who gave it?", plan, company)
    assert first.sql == (
        "SELECT r.rating, p.name FROM reviews AS r JOIN patients AS p ON r.patient_id = p.id "
        "ORDER BY r.rating LIMIT 1"
    )


async def test_who_is_something_the_schema_does_not_hold_is_not_answered(plan, company):
    first = await _first("who is the president of France?", plan, company)
    assert "president" in first.uncovered
    assert first.confidence <= MAX_PARTIAL_CONFIDENCE


async def test_who_of_nothing_known_is_refused_as_before(plan, company):
    with pytest.raises(AskError) as caught:
        await _first("who sings?", plan, company)
    assert caught.value.code == "NL002"


async def test_who_has_first_and_last_names_is_a_person_whatever_the_table_is_called(plan, make_table):
    catalog = Catalog(
        (
            make_table(1, "obsvr", "id:id fname:text lname:text"),
            make_table(2, "bird_obs", "id:id obsvr_id:id cnt:int", keys={"obsvr_id": 1}),
        )
    )
    candidates = await EmbeddedEngine().propose(plan("who made the most observations?", catalog, {}))
    assert candidates[0].sql.startswith("SELECT o.fname, o.lname FROM obsvr AS o JOIN bird_obs")
