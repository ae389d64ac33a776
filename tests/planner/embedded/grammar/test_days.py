"""Days of the week and times of the day as conditions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.core.errors import AskError
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Tables = Callable[..., Relation]


def _trips(make_table: Tables) -> Catalog:
    trips = make_table(1, "trips", "id:id started_at:time ended_at:time distance:int")
    return Catalog((trips, make_table(2, "employees", "id:id name:text hired_on:date")))


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("how many trips were there on weekends?", "extract(isodow FROM started_at)::int >= 6"),
        ("how many trips were there on weekdays?", "extract(isodow FROM started_at)::int <= 5"),
        ("how many trips were there on Mondays?", "extract(isodow FROM started_at)::int = 1"),
        ("number of trips on a Sunday", "extract(isodow FROM started_at)::int = 7"),
        (
            "how many trips were there on Saturday or Sunday?",
            "(extract(isodow FROM started_at)::int = 6 OR extract(isodow FROM started_at)::int = 7)",
        ),
        (
            "trips not on Saturday or Sunday",
            "extract(isodow FROM started_at)::int <> 6 AND extract(isodow FROM started_at)::int <> 7",
        ),
        ("how many trips were not on weekends?", "extract(isodow FROM started_at)::int < 6"),
        ("trips that started after 6pm", "started_at::time > '18:00'"),
        ("trips that ended before 9 am", "ended_at::time < '09:00'"),
        ("trips that did not start before 9 am", "started_at::time >= '09:00'"),
        (
            "how many trips started between 10pm and 6am?",
            "(started_at::time >= '22:00' OR started_at::time < '06:00')",
        ),
        (
            "how many trips started between 9pm and 12am?",
            "started_at::time >= '21:00' AND started_at::time < '24:00'",
        ),
        (
            "trips that started not between 8am and 10am",
            "(started_at::time >= '10:00' OR started_at::time < '08:00')",
        ),
        (
            "how many trips started between 8am and 10:30am?",
            "started_at::time >= '08:00' AND started_at::time < '10:30'",
        ),
        ("how many trips started after 18:30?", "started_at::time > '18:30'"),
        ("employees hired on a Monday", "extract(isodow FROM hired_on)::int = 1"),
        (
            "trips that started on a weekend in May 2025",
            "extract(isodow FROM started_at)::int >= 6 AND started_at >= '2025-05-01'",
        ),
    ],
)
async def test_days_and_hours(
    question: str, condition: str, plan: Callable[..., ExpertContext], make_table: Tables
) -> None:
    best = (await EmbeddedEngine().propose(plan(question, _trips(make_table), {})))[0]
    assert condition in best.sql
    assert not best.uncovered


@pytest.mark.parametrize(
    "question",
    ["employees hired after 6pm", "trips that started after 25:00", "trips that started before 12am"],
)
async def test_what_has_no_time_of_the_day(
    question: str, plan: Callable[..., ExpertContext], make_table: Tables
) -> None:
    try:
        found = await EmbeddedEngine().propose(plan(question, _trips(make_table), {}))
    except AskError:
        return
    assert "::time" not in found[0].sql
    assert found[0].confidence is None or found[0].confidence < 0.4 or found[0].uncovered


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("customers who ordered on weekends", "isodow FROM o.ordered_at)::int >= 6"),
        ("employees who took orders on Sundays", "isodow FROM o.ordered_at)::int = 7"),
        ("employees who took orders in May 2025", "o.ordered_at >= '2025-05-01'"),
        ("employees hired on a Sunday", "isodow FROM hired_on)::int = 7"),
    ],
)
async def test_what_people_did_says_when(
    question: str, condition: str, plan: Callable[..., ExpertContext]
) -> None:
    assert condition in (await EmbeddedEngine().propose(plan(question)))[0].sql


async def test_a_day_that_a_column_holds_is_its_value(
    plan: Callable[..., ExpertContext], make_table: Tables
) -> None:
    shifts = make_table(1, "shifts", "id:id slot:text nurse:text")
    values = {("shifts", "slot"): ("Monday", "Tuesday")}
    best = (await EmbeddedEngine().propose(plan("shifts on Monday", Catalog((shifts,)), values)))[0].sql
    assert "slot = 'Monday'" in best
