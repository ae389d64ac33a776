"""What models are shown about people's own queries, and under which policy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from doubles.model_stages import Stage, staged, to, wrote
from servers.databases import Database

from askwire.planner.models.retrieval.query_log import QueryLogNotes
from askwire.sql.query_patterns.extraction import observed
from askwire.sql.query_patterns.patterns import QueryPatterns

SCHEMA = """
CREATE TABLE users (id int PRIMARY KEY, name text, gone_on date, kind text);
CREATE TABLE payments (payer int, quantity int, price numeric);
CREATE TABLE secrets (id int, hidden_on date);
"""
WRITTEN = (
    ("SELECT count(*) FROM users WHERE gone_on IS NULL AND kind <> 'robot'", ""),
    ("SELECT name FROM users WHERE gone_on IS NULL AND kind <> 'robot'", ""),
    (
        "SELECT name, sum(quantity * price) AS revenue FROM users JOIN payments ON payer = id"
        " WHERE gone_on IS NULL AND kind <> 'robot' GROUP BY 1",
        "",
    ),
    ("SELECT sum(quantity * price) AS revenue FROM payments", "earned"),
)
SQL = "SELECT count(*) FROM users"
ASKED = "how many users?"


async def told(at: Stage) -> list[str]:
    query_patterns = QueryPatterns()
    for sql, view in WRITTEN:
        query_patterns.add(observed(sql, at.planning.catalog, literals=True, view=view))
    at.planning = replace(at.planning, query_patterns=query_patterns)
    await at.propose()
    lines = at.prompts("generate")[0].splitlines()
    return [line for line in lines if " quer" in line]


@pytest.mark.parametrize("level", ["schema", "rows"])
async def test_filters_measures_and_joins_are_told_with_how_often(database: Database, level: str) -> None:
    settings: dict[str, Any] = {"egress": level, "model_probing": "off"}
    async with staged(
        database, SCHEMA, ASKED, to("generate", wrote(SQL)), noting=[QueryLogNotes()], **settings
    ) as at:
        lines = await told(at)
        assert 'sql "users: users.gone_on IS NULL, in 3 of 3 queries"' in lines
        assert (
            'sql "revenue: sum(payments.quantity * payments.price), in one query and the view earned"'
            in lines
        )
        assert 'sql "payments.payer = users.id, in one query"' in lines
        (event,) = at.events("customs told")
        assert (event["measures"], event["joins"]) == (1, 1)


@pytest.mark.parametrize(("level", "shown"), [("schema", False), ("rows", True)])
async def test_constants_of_a_habit_are_data(database: Database, level: str, shown: bool) -> None:
    settings: dict[str, Any] = {"egress": level, "model_probing": "off"}
    async with staged(
        database, SCHEMA, ASKED, to("generate", wrote(SQL)), noting=[QueryLogNotes()], **settings
    ) as at:
        await told(at)
        assert ("robot" in at.prompts("generate")[0]) is shown


async def test_a_session_without_habits_is_told_nothing(database: Database) -> None:
    async with staged(
        database, SCHEMA, ASKED, to("generate", wrote(SQL)), noting=[QueryLogNotes()], model_probing="off"
    ) as at:
        await at.propose()
        assert not at.events("customs told")
        assert "people's own queries" not in at.prompts("generate")[0]
