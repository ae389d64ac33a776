"""Plans over the schema, their critique, and the search of the schema after a wrong name."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest
from doubles.model_stages import Stage, said, staged, to, wrote
from servers.databases import Database

from askwire.core.types import Question
from askwire.llm.providers.mock_server import Answer
from askwire.planner.models.repairing import SCHEMA_ERRORS, ModelRepairer
from askwire.verifier.repair.taxonomy import Trouble

SHOP = """
CREATE TABLE clients (id int PRIMARY KEY, full_name text, region_code text);
COMMENT ON COLUMN clients.region_code IS 'state of the address, two letters';
CREATE TABLE purchases (id int PRIMARY KEY, client_id int REFERENCES clients, total numeric);
INSERT INTO clients VALUES (1, 'Ada', 'CA'), (2, 'Bo', 'NY');
INSERT INTO purchases VALUES (1, 1, 10), (2, 2, 20);
"""
ASKED = "who bought most in California?"
SQL = "SELECT full_name FROM clients"
WRITE = to("generate", wrote(SQL))
PLAN = said(steps=["read clients", "join purchases"], columns=[{"name": "full_name", "type": "text"}])
SOUND = to("critique", said(sound=True, trouble=""))


def unsound(n: int) -> Answer:
    return to("critique", said(sound=False, trouble=f"condition {n} is missing"), times=1)


async def test_a_plan_is_criticised_and_made_anew_then_told_with_its_columns(database: Database) -> None:
    answers = (to("plan", PLAN), unsound(1), unsound(2), SOUND, WRITE)
    async with staged(
        database, SHOP, ASKED, *answers, model_strategy="recap", effort="thorough", model_probing="off"
    ) as at:
        await at.propose()
        assert at.steps == {"plan": 1, "plan again": 2, "critique": 3, "generate": 1}
        _, second, third = at.prompts("plan")
        assert 'own words "condition 1 is missing"' in second
        assert 'own words "result: full_name text"' in second
        assert 'own words "condition 2 is missing"' in third
        (write,) = at.prompts("generate")
        assert 'own words "join purchases"' in write
        assert 'own words "full_name text"' in write
        (noted,) = at.events("noted")
        assert noted["notes"].startswith("note_plan@")
        called = [e.data for e in at.planning.trace if e.stage == "model" and e.data["step"] == "generate"]
        assert called[0]["notes"] == noted["notes"]


@pytest.mark.parametrize(
    ("settings", "critiques"), [({}, 3), ({"model_critiques": "1"}, 1), ({"model_critiques": "0"}, 0)]
)
async def test_critiques_end(database: Database, settings: dict[str, Any], critiques: int) -> None:
    answers = (to("plan", PLAN), to("critique", said(sound=False, trouble="never enough")), WRITE)
    async with staged(
        database, SHOP, ASKED, *answers, model_strategy="recap", effort="thorough", **settings
    ) as at:
        await at.propose()
        assert at.steps["critique"] == critiques
        assert at.steps["plan again"] == critiques


FAULTS = [
    to("plan", status=504),
    to("plan", "no plan"),
    to("plan", said(steps=[], columns=[])),
    to("critique", status=504),
    to("critique", "fine with me"),
    to("critique", said(sound=False, trouble="")),
]


@pytest.mark.parametrize("fault", FAULTS, ids=range(len(FAULTS)))
async def test_without_a_plan_or_a_critic_it_writes_all_the_same(database: Database, fault: Answer) -> None:
    async with staged(
        database, SHOP, ASKED, fault, to("plan", PLAN), SOUND, WRITE, model_strategy="recap"
    ) as at:
        (found,) = await at.propose()
        assert found.sql == SQL


class RepairRequest:
    """A request for repair of what names a column that is not there."""

    question = Question(ASKED)
    proposed = SQL
    sql = "SELECT c.name FROM clients c WHERE c.state = 'CA'"
    trouble: Enum = Trouble.COLUMN
    message = "column c.state does not exist"
    violations = ()
    attempts = (SQL,)
    hint = "Use names that are there."


def step(action: str, **document: object) -> str:
    return said(**{"action": action, "words": "", "table": "", "columns": [], **document})


def searching(text: str, times: int = 0) -> Answer:
    return to("search_schema", text, times=times)


FIXED = to("repair", wrote("SELECT full_name FROM clients WHERE region_code = 'CA'"))


async def repaired(at: Stage, request: RepairRequest | None = None) -> str | None:
    await at.propose()
    return await ModelRepairer(at.experts, at.planning).repair(request or RepairRequest())


async def test_a_wrong_name_has_the_schema_searched_and_what_is_found_told(database: Database) -> None:
    script = (
        searching(step("FIND", words="state region"), 1),
        searching(step("DESCRIBE", table="clients"), 1),
        searching(step("ROWS", table="clients"), 1),
        searching(step("FIND", words="zebra"), 1),
        searching(step("DONE", columns=["clients.region_code", "clients.shoe", "x"])),
    )
    async with staged(database, SHOP, ASKED, *script, WRITE, FIXED, model_strategy="recap") as at:
        assert await repaired(at) == "SELECT full_name FROM clients WHERE region_code = 'CA'"
        first, second, third, fourth, fifth = at.prompts("search_schema")
        assert "There" not in first.partition("Your search")[2]
        assert "SELECT c.name FROM clients c" in first
        assert 'name "clients.region_code text"' in second
        assert 'name "clients(id int key, full_name text, region_code text)"' in third
        assert 'row "1 | Ada | CA"' in fourth
        assert "nothing has such a name" in fifth
        (repair,) = at.prompts("repair")
        assert 'name "clients(region_code text)"' in repair


async def test_below_rows_the_search_shows_no_row(database: Database) -> None:
    script = (
        searching(step("ROWS", table="clients"), 1),
        searching(step("DONE", columns=["clients.region_code"])),
    )
    request = RepairRequest()
    request.sql = "SELECT state FROM clients"
    async with staged(
        database, SHOP, ASKED, *script, WRITE, FIXED, model_strategy="recap", egress="schema"
    ) as at:
        assert await repaired(at, request)
        assert "Ada" not in "".join(a.prompt for a in at.server.asked)


ENDLESS = {
    "finds for ever": [searching(step("FIND", words=f"word{n}"), 1) for n in range(60)],
    "repeats": [searching(step("FIND", words="state"))],
    "describes nothing": [searching(step("DESCRIBE", table="nobody"))],
    "no action": [searching("what?")],
    "fails": [searching("x", 0)],
}


@pytest.mark.parametrize("kind", ENDLESS)
@pytest.mark.parametrize(("effort", "most"), [("balanced", 10), ("thorough", 30)])
async def test_a_search_ends_and_the_repair_comes_anyway(
    database: Database, kind: str, effort: str, most: int
) -> None:
    async with staged(
        database, SHOP, ASKED, *ENDLESS[kind], WRITE, FIXED, model_strategy="recap", effort=effort
    ) as at:
        assert await repaired(at)
        assert at.steps["search_schema"] <= most
        if kind == "finds for ever":
            assert at.steps["search_schema"] == most
        else:
            assert at.steps["search_schema"] <= 4


async def test_other_troubles_are_not_searched_for(database: Database) -> None:
    request = RepairRequest()
    request.trouble = Trouble.GROUPING
    async with staged(database, SHOP, ASKED, WRITE, FIXED, model_strategy="recap") as at:
        assert await repaired(at, request)
        assert at.steps["search_schema"] == 0


def test_kinds_of_failure_are_called_as_the_verifier_calls_them() -> None:
    assert {Trouble.TABLE.value, Trouble.COLUMN.value} == SCHEMA_ERRORS
