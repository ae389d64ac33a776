"""Questions of a practice: who still works there, what has no number, how long people wait, cents."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., ExpertContext]

VALUES = {
    ("species", "name"): ["Cat", "Dog"],
    ("movements", "kind"): ["deposit", "withdrawal"],
    ("bills", "status"): ["open", "paid", "waived"],
    ("visits", "diagnosis"): ["Asthma", "Otitis"],
}


@pytest.fixture
def practice(make_table: Callable[..., Relation]) -> Catalog:
    return Catalog(
        (
            make_table(1, "practices", "id:id name:text"),
            make_table(2, "species", "id:id name:text"),
            make_table(
                3,
                "pets",
                "id:id species_id:id name:text chip_number:text? born_on:date?",
                keys={"species_id": 2},
            ),
            make_table(4, "nurses", "id:id name:text hired_on:date left_on:date?"),
            make_table(
                5,
                "appointments",
                "id:id practice_id:id pet_id:id scheduled_at:time",
                keys={"practice_id": 1, "pet_id": 3},
            ),
            make_table(
                6,
                "visits",
                "id:id appointment_id:id? practice_id:id pet_id:id started_at:time diagnosis:text?",
                keys={"appointment_id": 5, "practice_id": 1, "pet_id": 3},
            ),
            make_table(
                7,
                "bills",
                "id:id visit_id:id net_cents:money status:text billed_on:date",
                keys={"visit_id": 6},
            ),
            make_table(
                8,
                "movements",
                "id:id practice_id:id kind:text amount:money moved_on:date",
                keys={"practice_id": 1},
            ),
        )
    )


ANSWERS = {
    # what lacks something is what has the column, or what the absent rows belong to
    "how many dogs don't have a chip number on file?": (
        "SELECT count(*) FROM species AS s JOIN pets AS p ON p.species_id = s.id "
        "WHERE s.name = 'Dog' AND p.chip_number IS NULL"
    ),
    "how many dogs without visits": (
        "SELECT count(*) FROM species AS s JOIN pets AS p ON p.species_id = s.id "
        "WHERE s.name = 'Dog' AND p.id NOT IN (SELECT pet_id FROM visits)"
    ),
    "nurses who still work for us": "SELECT name FROM nurses WHERE left_on IS NULL",
    "What is the total net amount of paid bills, in dollars?": (
        "SELECT sum(net_cents / 100.0) FROM bills WHERE status = 'paid'"
    ),
    "total net amount of paid bills": "SELECT sum(net_cents) FROM bills WHERE status = 'paid'",
    "What was the total of all deposits in 2023?": (
        "SELECT sum(amount) FROM movements "
        "WHERE moved_on >= '2023-01-01' AND moved_on < '2024-01-01' AND kind = 'deposit'"
    ),
    "total deposits and total withdrawals per year": (
        "SELECT extract(year FROM moved_on)::int AS year, "
        "sum(amount) FILTER (WHERE kind = 'deposit') AS total_amount_deposit, "
        "sum(amount) FILTER (WHERE kind = 'withdrawal') AS total_amount_withdrawal FROM movements "
        "WHERE (kind = 'deposit' OR kind = 'withdrawal') GROUP BY extract(year FROM moved_on)::int "
        "ORDER BY extract(year FROM moved_on)::int"
    ),
    "movement value by practice": (
        "SELECT p.name, sum(m.amount) AS total_amount FROM practices AS p "
        "JOIN movements AS m ON m.practice_id = p.id GROUP BY p.id, p.name ORDER BY sum(m.amount) DESC"
    ),
    "What's the most common diagnosis in cats, and how often was it made?": (
        "SELECT v.diagnosis, count(*) AS number_of_visits FROM visits AS v JOIN pets AS p ON v.pet_id = p.id "
        "JOIN species AS s ON p.species_id = s.id WHERE s.name = 'Cat' "
        "GROUP BY v.diagnosis ORDER BY count(*) DESC LIMIT 1"
    ),
}


@pytest.mark.parametrize("question", ANSWERS)
async def test_a_question_has_its_answer(question: str, practice: Catalog, plan: Plans) -> None:
    best = (await EmbeddedEngine().propose(plan(question, practice, VALUES)))[0]
    assert best.sql == ANSWERS[question]
    assert not best.uncovered


async def test_a_time_between_two_tables_is_between_rows_that_belong_together(
    practice: Catalog, plan: Plans
) -> None:
    """Visits and appointments of one practice are many by many; each visit has one appointment at most."""
    question = "average minutes between scheduled time and start of the visit at each practice"
    best = (await EmbeddedEngine().propose(plan(question, practice, VALUES)))[0]
    assert "FROM visits AS v JOIN appointments AS a ON v.appointment_id = a.id" in best.sql


@pytest.mark.parametrize(
    "question", ["how many bills did we postpone in 2023?", "which nurses currently work in the pharmacy?"]
)
async def test_an_unknown_deed_or_place_makes_an_answer_uncertain(
    question: str, practice: Catalog, plan: Plans
) -> None:
    best = (await EmbeddedEngine().propose(plan(question, practice, VALUES)))[0]
    assert best.confidence is not None
    assert best.confidence < 0.5
