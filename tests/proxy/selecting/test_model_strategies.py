"""Strategies of models through the whole server: chosen, canceled in the middle, with several experts."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from doubles.model_stages import MATCH, acted, said, to, wrote
from doubles.served_models import FLEET, LATE, Connection, served_models
from doubles.soonest import soonest
from servers.running_proxy import OwnDatabase

from askwire.llm.providers.mock_server import Answer, MockServer

ASK: Any = "ASK 'which hauliers ran behind schedule?'"
"""Nothing that the embedded engine is sure to understand."""
WHY: Any = "ASK (WHY, FORMAT JSON) 'which hauliers ran behind schedule?'"
HARBOUR = f"{FLEET} CREATE TABLE menus (id int PRIMARY KEY, dish text);"
"""A table that has nothing to do with it."""
LINKING = (
    to("logical_plan", said(steps=["find what is late"])),
    to("prune_drop", said(tables=["menus"], columns=[])),
    to("prune_keep", said(tables=["carriers", "voyages"], columns=[])),
    to(
        "roles", said(tables=[{"table": t, "roles": ["target"], "why": "x"} for t in ("carriers", "voyages")])
    ),
    to("profile", said(queries=[{"why": "values", "sql": "SELECT DISTINCT status FROM voyages"}])),
    to("decide", said(relevant=True, columns=[], summary="L is late")),
    to("synthesize", said(tables=[], rejected=[], queries=[], done=True)),
    to("paths", said(steps=[{"paths": ["status"], "keywords": ["where"]}])),
)


async def steps(connection: Connection) -> list[str]:
    """The stages that an ASK ran, as WHY tells them."""
    cursor = await connection.execute(WHY)
    ((report,),) = await cursor.fetchall()
    return [e["step"] for e in report["trace"] if e["stage"] == "model" and e["name"] == "called"]


async def test_a_session_chooses_a_strategy_and_an_answer_comes_of_it(database: OwnDatabase) -> None:
    script = (
        to("explore", acted("EXPLORE", queries=["SELECT DISTINCT status FROM voyages"]), times=1),
        to("explore", acted("SQL", sql=LATE), times=1),
        to("explore", acted("CONFIRM"), times=1),
        to("explore", acted("SQL", sql=LATE)),
        to("plan", said(steps=["join", "filter"], columns=[{"name": "name", "type": "text"}])),
        to("critique", said(sound=True, trouble="")),
        to("probe", said(action="done", sql="", columns=[], values=[])),
        to("generate", wrote(LATE)),
    )
    model = MockServer([*LINKING, *script])
    async with served_models(database, HARBOUR, model, experts="", model_linking="always") as served:
        connection = served.connection
        await connection.execute("SET askwire.model_strategy = 'apex'")
        cursor = await connection.execute(ASK)
        assert await cursor.fetchall() == [("North",)]
        found = await steps(connection)
        assert {"logical_plan", "prune_drop", "profile", "decide", "explore"} <= set(found)
        await connection.execute("SET askwire.model_strategy = 'recap'")
        assert {"plan", "critique", "generate"} <= set(await steps(connection))
        await connection.execute("SET askwire.model_strategy = 'ssev'")
        assert not {"plan", "explore", "probe"} & set(await steps(connection))
        await connection.execute("SET askwire.effort = 'fast'")
        assert await steps(connection) == ["generate"]


async def test_first_drafts_of_all_experts_meet_in_one_ask(database: OwnDatabase) -> None:
    one = MockServer([to("generate", wrote("SELECT name FROM carriers"))])
    two = MockServer([to("generate", wrote("SELECT status FROM voyages"))])
    async with served_models(
        database, HARBOUR, one, two, model_strategy="ssev", on_ambiguity="best"
    ) as served:
        await served.connection.execute(ASK)
    for model in (one, two):
        first, second = [asked.prompt for asked in model.asked]
        assert "menus(" in first
        assert "menus(" not in second
        assert 'name "carriers(' in second
        assert 'name "voyages(' in second


@pytest.mark.parametrize("stage", ["logical_plan", "prune_drop", "roles", "profile", "decide", "explore"])
async def test_a_cancel_in_any_stage_ends_all_its_calls_within_100_ms(
    make_database: Callable[[], OwnDatabase], stage: str
) -> None:
    wanted = 2 if stage in ("logical_plan", "profile", "decide") else 1
    settings = {"model_strategy": "apex", "model_linking": "always", "timeout": "0"}

    async def canceled() -> float:
        model = MockServer([to(stage, "x", delay=60_000), *LINKING])
        async with served_models(make_database(), HARBOUR, model, experts="", **settings) as served:
            connection = served.connection
            asking = asyncio.create_task(connection.execute(ASK))
            async with asyncio.timeout(30):
                while sum(stuck_at(a.prompt, stage) for a in model.asked) < wanted:  # noqa: ASYNC110 - no event for it
                    await asyncio.sleep(0.001)
            began = time.perf_counter()
            await connection.cancel_safe()
            async with asyncio.timeout(20):
                while model.hung_up < wanted:  # noqa: ASYNC110 - the server has an event for the first alone
                    await asyncio.sleep(0.001)
            took = time.perf_counter() - began
            with pytest.raises(psycopg.errors.QueryCanceled):
                await asking
            assert await (await connection.execute("SELECT 1")).fetchall() == [(1,)]
            return took

    assert await soonest(canceled, 0.1) < 0.1


def stuck_at(prompt: str, stage: str) -> bool:
    """Whether a prompt is of a stage."""
    return bool(re.search(MATCH[stage], prompt))


async def test_an_endpoint_that_dies_between_stages_leaves_the_engine_alone(database: OwnDatabase) -> None:
    model = MockServer([*LINKING[:3], Answer(status=503)])
    settings = {"model_strategy": "apex", "model_linking": "always"}
    async with served_models(database, HARBOUR, model, experts="", **settings) as served:
        connection = served.connection
        cursor = await connection.execute("ASK 'how many carriers are there?'")
        assert await cursor.fetchall() == [(2,)]
        with pytest.raises(psycopg.Error) as caught:
            await connection.execute("ASK 'which gubbins frobnicate?'")
        assert caught.value.sqlstate == "NL004"
