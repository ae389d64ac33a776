"""A strategy is one paper and no more, through the wire: what is checked, mended, repaired and told."""

from __future__ import annotations

import json

import psycopg
import pytest
from doubles.asked import rows
from doubles.model_stages import said, to, wrote
from doubles.served_models import FLEET, LATE, served_models
from servers.running_proxy import OwnDatabase

from askwire.llm.providers.mock_server import Answer, MockServer

STEPS = said(steps=["find late voyages"], columns=[])
DONE = to("probe", said(action="done", sql="", columns=[], values=[]))
SOUND = (
    to("review", said(sound=True, problems=[])),
    to("answer", said(answers=True, not_needed=[], problems=[])),
)
UNLATE = "SELECT c.name FROM carriers c JOIN voyages v ON v.carrier_id = c.id WHERE v.status = 'l'"


def ways(strategy: str, sql: str) -> tuple[Answer, ...]:
    """Answers of a model that writes this query whatever way it works in."""
    explored = said(action="SQL", queries=[], thoughts="", sql=sql, reading="as asked")
    return (
        DONE,
        to("plan", STEPS),
        to("logical_plan", STEPS),
        to("merge_plans", STEPS),
        to("paths", said(steps=[])),
        to("critique", said(sound=True, trouble="")),
        to("act", said(thought="", action="FINISH", sql=sql, reading="as asked")),
        to("explore", explored),
        to("confirm", said(confirmed=True, missing="")),
        to("generate", wrote(sql)),
        *SOUND,
    )


@pytest.mark.parametrize(
    ("strategy", "checked"),
    [
        ("auto", {"distinct", "not_empty"}),
        ("pv-sql", {"distinct"}),
        ("apex", set()),
        ("ssev", set()),
        ("recap", {"critique", "answer"}),
    ],
)
async def test_a_text_is_held_against_what_its_paper_has(
    empty_database: OwnDatabase, strategy: str, checked: set[str]
) -> None:
    model = MockServer(ways(strategy, LATE.replace("SELECT", "SELECT DISTINCT")))
    async with served_models(
        empty_database, FLEET, model, model_strategy=strategy, effort="balanced"
    ) as served:
        asked = "ASK (WHY, FORMAT json) 'which different carriers were late?'"
        ((report,),) = await rows(served.connection, asked)
    found = {
        check["rule"] for check in (report if isinstance(report, dict) else json.loads(report))["checks"]
    }
    assert found & {"distinct", "not_empty", "critique", "answer"} == checked


@pytest.mark.parametrize("strategy", ["auto", "pv-sql", "apex", "recap"])
async def test_nothing_is_mended_where_the_paper_mends_nothing(
    empty_database: OwnDatabase, strategy: str
) -> None:
    model = MockServer((*ways(strategy, UNLATE), to("repair", wrote(UNLATE))))
    async with served_models(
        empty_database, FLEET, model, model_strategy=strategy, effort="balanced"
    ) as served:
        found = await rows(served.connection, "ASK 'which carriers were late?'")
    assert found == ([("North",)] if strategy == "auto" else [])


async def test_the_constraints_are_demands_on_the_generator(empty_database: OwnDatabase) -> None:
    model = MockServer(ways("pv-sql", LATE))
    async with served_models(
        empty_database, FLEET, model, model_strategy="pv-sql", effort="balanced"
    ) as served:
        await rows(served.connection, "ASK 'top 3 carriers by number of voyages'")
    generate = next(a.prompt for a in model.asked if "\nWrite the query. " in a.prompt)
    assert "By its words the question asks for this much of the SQL:" in generate
    assert r'question "\"top 3\": rows in order, 3 of them"' in generate


async def test_the_schema_is_searched_for_a_table_that_is_not_there(empty_database: OwnDatabase) -> None:
    unknown = "SELECT name FROM haulers"
    found = said(action="DONE", words="", table="", columns=["carriers.name"])
    answers = (
        *ways("recap", unknown),
        to("search_schema", found),
        to("repair", wrote("SELECT name FROM carriers ORDER BY name")),
    )
    model = MockServer(answers)
    async with served_models(
        empty_database, FLEET, model, model_strategy="recap", effort="balanced"
    ) as served:
        assert await rows(served.connection, "ASK 'which haulers are there?'") == [("North",), ("South",)]
    (searched,) = [a.prompt for a in model.asked if "Each answer of yours is one step" in a.prompt]
    assert 'relation \\"haulers\\" does not exist' in searched


async def test_a_right_query_survives_an_objection(empty_database: OwnDatabase) -> None:
    """What a validator objects to stays a rival beside what became of it."""
    other = "SELECT name FROM carriers ORDER BY name DESC"
    answers = (
        to("generate", wrote(LATE)),
        Answer(match="You review SQL", text=said(sound=True, problems=[])),
        to(
            "answer",
            said(answers=False, not_needed=[], problems=[{"words": "late", "fault": "it shows one carrier"}]),
            times=1,
        ),
        to("answer", said(answers=True, not_needed=[], problems=[])),
        to("repair", wrote(other)),
    )
    model = MockServer(answers)
    async with served_models(
        empty_database, FLEET, model, review="answer", effort="fast", on_ambiguity="error"
    ) as served:
        with pytest.raises(psycopg.Error) as refused:
            await rows(served.connection, "ASK 'which carriers were late?'")
    assert refused.value.sqlstate == "NL001"
    told = str(refused.value.diag.message_detail)
    assert "status = 'L'" in told
    assert "ORDER BY" in told
