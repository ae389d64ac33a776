"""Feedback from outside a session: what it changes at the next ASK, for whom, and what it cannot reach."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import psycopg
import pytest
from data.pets import CATS, DOGS
from doubles.asked import AskedServer, asked_server, rows
from servers.running_proxy import OwnDatabase

from askwire.core.errors import NotPossibleHere
from askwire.core.records import AskedTrace, Feedback, HistoryEntry
from askwire.core.types import Candidate
from askwire.planner.expert import ExpertContext


class Two:
    """An expert with two readings, the first a little surer."""

    name = "two"

    async def propose(self, planning: ExpertContext) -> list[Candidate]:
        return [
            Candidate(sql, self.name, score=-n, confidence=0.5 - n / 20) for n, sql in enumerate((DOGS, CATS))
        ]


@pytest.fixture
async def asked(pets: OwnDatabase) -> AsyncIterator[AskedServer]:
    async with asked_server(pets, on_ambiguity="best", ambiguity_margin="0") as running:
        running.experts = (Two(),)
        yield running


async def ask(asked: AskedServer, question: str, user: str = "reader") -> list[tuple[object, ...]]:
    async with asked.connection(user) as connection:
        return await rows(connection, f"ASK '{question}'")


async def latest(asked: AskedServer) -> HistoryEntry:
    return (await asked.history())[0]


async def test_a_reading_chosen_outside_answers_the_role_from_then_on(asked: AskedServer) -> None:
    assert await ask(asked, "dog or cat") == [("Ada",), ("Rex",)]
    await asked.resolver.memories.reviewing.judge((await latest(asked)).key, "chosen", 2, "(console)")
    assert await ask(asked, "dog or cat") == [("Tom",)]
    assert (await latest(asked)).reason == "confirmed before"
    assert await ask(asked, "dog or cat", "postgres") == [("Ada",), ("Rex",)], "no one else gets it"
    await asked.resolver.memories.reviewing.take_back((await asked.store.find(Feedback))[0].asked)
    async with asked.connection("reader") as connection:
        assert await rows(connection, "ASK (FRESH) 'dog or cat'") == [("Ada",), ("Rex",)]


async def test_wrong_has_the_question_asked_anew(asked: AskedServer) -> None:
    await ask(asked, "dog or cat")
    await ask(asked, "dog or cat")
    assert (await latest(asked)).pinned
    await asked.resolver.memories.reviewing.judge((await latest(asked)).key, "wrong", 1, "(console)")
    await ask(asked, "dog or cat")
    assert not (await latest(asked)).pinned


async def test_sql_that_does_not_hold_any_more_is_not_used(asked: AskedServer, pets: OwnDatabase) -> None:
    await ask(asked, "dog or cat")
    await asked.resolver.memories.reviewing.judge((await latest(asked)).key, "right", 1, "(console)")
    with pets.owner() as owner:
        owner.execute("REVOKE SELECT ON pets FROM reader")
    with pytest.raises(psycopg.Error):
        await ask(asked, "dog or cat")


async def test_what_tenants_asked_is_judged_by_themselves_only(asked: AskedServer, pets: OwnDatabase) -> None:
    with pets.owner() as owner:
        owner.execute(
            "ALTER TABLE pets ENABLE ROW LEVEL SECURITY; CREATE POLICY all_rows ON pets USING (true)"
        )
    assert await ask(asked, "dog or cat") == [("Ada",), ("Rex",)]
    row = await latest(asked)
    assert row.private
    assert not await asked.store.find(AskedTrace, {"key": row.key})
    for said in ("chosen", "right", "wrong"):
        with pytest.raises(NotPossibleHere, match="only the session that asked"):
            await asked.resolver.memories.reviewing.judge(row.key, said, 1, "(console)")
    assert not await asked.store.find(Feedback)


async def test_a_constant_that_was_found_in_the_data_stays_in_its_session(asked: AskedServer) -> None:
    assert await ask(asked, "names of the good ones") == [("Ada",), ("Rex",)]
    row = await latest(asked)
    (kept,) = await asked.store.find(AskedTrace, {"key": row.key})
    assert [r["shared"] for r in json.loads(kept.report)["readings"]] == [False, False]
    with pytest.raises(NotPossibleHere):
        await asked.resolver.memories.reviewing.judge(row.key, "right", 1, "(console)")


@pytest.mark.parametrize("kept", ["off", "on"])
async def test_values_of_rows_that_differ_are_kept_where_the_setting_says_so(
    asked: AskedServer, kept: str
) -> None:
    async with asked.connection(options=f"-c askwire.history_rows={kept}") as connection:
        await rows(connection, "ASK (CHOICES) 'dog or cat'")
    (steps,) = await asked.store.find(AskedTrace)
    assert '"compared"' in steps.document
    assert "Rex" not in steps.document, "the operator's default is off, and a session cannot widen it"
    assert "Rex" not in steps.report


async def test_values_of_rows_are_kept_when_the_operator_wants_them(pets: OwnDatabase) -> None:
    async with asked_server(pets, on_ambiguity="best", history_rows="on") as asked:
        asked.experts = (Two(),)
        async with asked.connection() as connection:
            await rows(connection, "ASK (CHOICES) 'dog or cat'")
            await connection.execute("SET askwire.history_rows = off")
            await rows(connection, "ASK (CHOICES, FRESH) 'dog or cat'")
        latest, first = (trace.document for trace in await asked.store.find(AskedTrace))
        assert "Tom" in first or "Rex" in first
        assert "Tom" not in latest
        assert "Rex" not in latest
