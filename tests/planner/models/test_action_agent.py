"""ReCAP's actions over the steps of a plan: what each is shown, and how the loop ends."""

from __future__ import annotations

from typing import Any

import pytest
from doubles.model_stages import said, staged, to, wrote
from servers.databases import Database

from askwire.llm.budget import Limits

SHOP = """
CREATE TABLE orders (id int PRIMARY KEY, state text, amount numeric);
INSERT INTO orders SELECT g, (ARRAY['CA', 'NY', NULL])[1 + g % 3], g FROM generate_series(1, 100) g;
"""
ASKED = "how many orders went to California?"
SQL = "SELECT count(*) FROM orders WHERE state = 'CA'"
RECAP: dict[str, Any] = {"model_strategy": "recap", "model_critiques": "0"}
PLANNED = to(
    "plan",
    said(steps=["find the state", "count its orders"], columns=[{"name": "count", "type": "bigint"}]),
)


def act(action: str, sql: str = "", thought: str = "", **more: int) -> Any:
    return to("act", said(thought=thought, action=action, sql=sql, reading="as asked"), **more)


async def test_each_step_of_the_plan_is_at_hand_until_its_query_has_run(database: Database) -> None:
    script = (
        PLANNED,
        act("RUN", "SELECT nope FROM orders", "see states", times=1),
        act("RUN", "SELECT DISTINCT state FROM orders", times=1),
        act("FINISH", SQL),
    )
    async with staged(database, SHOP, ASKED, *script, **RECAP) as at:
        (found,) = await at.propose()
        assert (found.sql, found.reading) == (SQL, "as asked")
        first, second, third = at.prompts("act")
        assert 'own words "1 of 2: find the state"' in first
        assert "Actions left: 4." in first
        assert 'own words "1 of 2: find the state"' in second
        assert 'own words "see states"' in second
        assert 'sqlstate "42703"' in second
        assert 'own words "2 of 2: count its orders"' in third
        assert 'row "CA"' in third
        assert at.steps == {"plan": 1, "act": 3}


@pytest.mark.parametrize(
    "script",
    [
        [act("RUN", "SELECT DISTINCT state FROM orders")],
        [act("RUN", "DROP TABLE orders")],
        [to("act", "I am thinking about it.")],
        [act("WAIT")],
        [act("FINISH", "")],
        [to("act", "", status=500)],
        [act("RUN", f"SELECT {n} FROM orders LIMIT 1", times=1) for n in range(9)],
    ],
    ids=["repeats", "forbidden", "prose", "no action", "no query", "fails", "never ends"],
)
async def test_where_it_does_not_end_the_query_is_written_from_what_was_found(
    database: Database, script: list[Any]
) -> None:
    async with staged(database, SHOP, ASKED, PLANNED, *script, to("generate", wrote(SQL)), **RECAP) as at:
        (found,) = await at.propose()
        assert found.sql == SQL
        assert at.steps["act"] <= 4
        assert at.steps["generate"] == 1
        if script[0].text and "DISTINCT" in script[0].text:
            assert 'row "CA"' in at.prompts("generate")[0]


async def test_without_a_plan_nothing_is_acted_upon(database: Database) -> None:
    async with staged(
        database, SHOP, ASKED, to("generate", wrote(SQL)), **{**RECAP, "model_plan": "off"}
    ) as at:
        await at.propose()
        assert at.steps == {"generate": 1}


async def test_below_rows_nothing_is_run(database: Database) -> None:
    script = (PLANNED, to("generate", wrote(SQL)))
    async with staged(database, SHOP, ASKED, *script, egress="schema", **RECAP) as at:
        await at.propose()
        assert at.steps == {"plan": 1, "generate": 1}


async def test_the_budget_of_the_query_is_kept(database: Database) -> None:
    many = [act("RUN", f"SELECT {n} FROM orders LIMIT 1", times=1) for n in range(9)]
    script = (PLANNED, *many, to("generate", wrote(SQL)))
    async with staged(database, SHOP, ASKED, *script, limits=Limits(calls=3), **RECAP) as at:
        (found,) = await at.propose()
        assert found.sql == SQL
        assert at.planning.purse.spent.calls <= 3
