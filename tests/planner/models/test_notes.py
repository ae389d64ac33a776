"""Notes: what further makers may tell a model, where it stands, and what becomes of one that fails."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from doubles.model_stages import acted, said, staged, to, wrote
from servers.databases import Database

from askwire.core.beside import on_loop
from askwire.core.egress import Disclosure, Kind
from askwire.core.errors import DatabaseFailed, ModelFailed
from askwire.llm.budget import Limits
from askwire.llm.prompts import read_prompt
from askwire.planner.models.course import COURSES
from askwire.planner.models.expert_task import ExpertTask
from askwire.planner.models.model_expert import noted
from askwire.planner.models.notes import Note, SoFar, note_of

SHOP = "CREATE TABLE orders (id int PRIMARY KEY, state text); INSERT INTO orders VALUES (1, 'CA');"
ASKED = "how many orders?"
SQL = "SELECT count(*) FROM orders"
FILE = read_prompt("note_tip", '+++\n[inputs]\ntips = "data"\n+++\nWhat has helped before:\n{{tips}}')


class Tips:
    """A maker of notes."""

    def __init__(self, text: str = "count what is asked for", failure: Exception | None = None) -> None:
        self.name = "tips"
        self._text = text
        self._failure = failure
        self.told: list[SoFar] = []

    async def note(self, asking: ExpertTask, so_far: SoFar) -> Note | None:
        self.told.append(so_far)
        if self._failure:
            raise self._failure
        tips = [Disclosure(Kind.COMMENT, self._text), Disclosure(Kind.VALUE, "state is CA")]
        return note_of(FILE, tips=tips if self._text else [])


async def test_a_note_stands_in_every_prompt_behind_the_question_and_its_version_in_the_trace(
    database: Database,
) -> None:
    script = (
        to("probe", said(action="done", sql="", columns=[], values=[])),
        to("generate", wrote(SQL)),
    )
    async with staged(database, SHOP, ASKED, *script, noting=[Tips()]) as at:
        await at.propose()
        for prompt in (*at.prompts("probe"), *at.prompts("generate")):
            told = prompt.partition('question "how many orders?"')[2].lstrip()
            assert told.startswith('What has helped before:\ncomment "count what is asked for"\nvalue ')
        called = [e.data for e in at.planning.trace if e.stage == "model"]
        assert called[-1]["notes"] == f"note_tip@{FILE.digest}"


async def test_what_a_note_holds_passes_the_door(database: Database) -> None:
    async with staged(
        database, SHOP, ASKED, to("generate", wrote(SQL)), noting=[Tips()], egress="schema"
    ) as at:
        await at.propose()
        (prompt,) = at.prompts("generate")
        assert "count what is asked for" in prompt
        assert "state is CA" not in prompt


async def test_makers_know_the_plan_and_the_ways_to_do_it(database: Database) -> None:
    tips = Tips()
    script = (
        to("logical_plan", said(steps=["count them"])),
        to("paths", said(steps=[{"paths": ["count(*)", "a sum"], "keywords": ["count", "Sum"]}])),
        to("explore", acted("SQL", sql=SQL)),
    )
    async with staged(database, SHOP, ASKED, *script, noting=[tips], model_strategy="apex") as at:
        await at.propose()
    (so_far,) = tips.told
    assert so_far.steps == ("count them",)
    assert so_far.paths == ("step 1: count(*); or a sum",)
    assert so_far.keywords == ("COUNT", "SUM")
    assert [r.name for r in so_far.shown.relations] == ["orders"]


NONE: dict[str, Any] = {
    "says nothing": Tips(""),
    "is too long": Tips("x" * 100_000),
    "fails": Tips(failure=ModelFailed("no", kind="timeout")),
    "cannot read": Tips(failure=DatabaseFailed("no", code="42501")),
}


@pytest.mark.parametrize("kind", NONE)
async def test_a_maker_that_has_none_costs_nothing(database: Database, kind: str) -> None:
    async with staged(
        database,
        SHOP,
        ASKED,
        to("generate", wrote(SQL)),
        noting=[NONE[kind], Tips("the other")],
        effort="fast",
    ) as at:
        (found,) = await at.propose()
        assert found.sql == SQL
        (prompt,) = at.prompts("generate")
        assert "the other" in prompt


async def _never() -> None:
    await asyncio.Event().wait()


async def test_a_maker_that_never_ends_is_left_at_its_share_of_the_time(database: Database) -> None:
    class Endless(Tips):
        async def note(self, asking: ExpertTask, so_far: SoFar) -> Note | None:
            await on_loop(_never())
            return None

    async with staged(
        database, SHOP, ASKED, to("generate", wrote(SQL)), noting=[Endless()], effort="fast", seconds=2
    ) as at:
        (found,) = await at.propose()
        assert found.sql == SQL


@pytest.mark.parametrize(
    "limits", [Limits(calls=1), Limits(calls=3), Limits(tokens=3200), Limits(tokens=6000)]
)
@pytest.mark.parametrize("strategy", ["pv-sql", "apex", "ssev", "recap"])
async def test_what_can_be_done_without_leaves_the_budget_for_the_query(
    database: Database, strategy: str, limits: Limits
) -> None:
    look = said(action="probe", sql="SELECT 1", columns=[], values=[])
    script = (
        to("probe", look),
        to("explore", acted("SQL", sql=SQL)),
        to("logical_plan", said(steps=["count"])),
        to("plan", said(steps=["count"], columns=[])),
        to("critique", said(sound=False, trouble="more")),
        to("generate", wrote(SQL)),
        to("prune_drop", said(tables=[], columns=[])),
        to("prune_keep", said(tables=["orders"], columns=[])),
        to("paths", said(steps=[])),
        to("roles", said(tables=[])),
        to("profile", said(queries=[])),
        to("decide", said(relevant=True, columns=[], summary="")),
        to("synthesize", said(tables=[], rejected=[], queries=[], done=True)),
    )
    async with staged(
        database,
        SHOP,
        ASKED,
        *script,
        limits=limits,
        model_strategy=strategy,
        model_linking="always",
        effort="thorough",
    ) as at:
        (found,) = await at.propose()
        assert found.sql == SQL
        assert at.planning.purse.spent.calls <= (limits.calls or 99)
        assert at.planning.purse.spent.tokens <= (limits.tokens or 99_999)


@pytest.mark.parametrize("shown", [200, 400, 700, 2500])
def test_in_balanced_notes_leave_the_least_looks_and_the_query_within_the_bound(shown: int) -> None:
    """PV-SQL's prompts come to 3.8k tokens on BIRD; what is shown besides must not make more of them."""
    course = COURSES["balanced"]["auto"]
    most = noted(course, shown)
    assert most >= 500, "never so few that nothing can be said"
    prompts = (course.least + 1) * (most + shown + 540)
    assert prompts <= course.prompt_tokens or most == 500


@pytest.mark.parametrize(
    ("effort", "strategy"), [("fast", "auto"), ("balanced", "apex"), ("thorough", "auto")]
)
def test_elsewhere_they_have_what_there_is(effort: str, strategy: str) -> None:
    assert noted(COURSES[effort][strategy], 400) >= 4000


async def test_a_maker_is_told_how_much_room_is_left(database: Database) -> None:
    first, second = Tips("count what is asked for " * 20), Tips()
    async with staged(
        database, SHOP, ASKED, to("generate", wrote(SQL)), noting=[first, second], effort="fast"
    ) as at:
        await at.propose()
    (one,), (other,) = first.told, second.told
    assert one.room - other.room > 100
    assert replace(one, room=300).bound(1000) == 240
    assert replace(one, room=300).bound(1000, 0.8) == 180
    assert one.bound(1000) == 1000
