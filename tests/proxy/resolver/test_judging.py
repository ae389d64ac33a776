"""The judge that an operator names: asked about rows of a duel, and worth what it has proved to be."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest
from doubles.asked import AskedServer, asked_server, listen, rows
from doubles.model_doubles import source
from doubles.scripted_expert import Says
from servers.running_proxy import OwnDatabase

from askwire.core.clock import MonotonicClock
from askwire.core.records import AskedTrace
from askwire.core.settings.table import load
from askwire.llm.scripted import ScriptedModel
from askwire.proxy.resolver.judging import Judges, _PastDuel
from askwire.selector.judge import Ruling
from askwire.selector.sandbox.running import Sandbox, SandboxOff
from askwire.selector.tournament import Duel

DOGS = "SELECT name FROM pets WHERE kind = 'dog' ORDER BY name"
OLD = "SELECT name FROM pets WHERE age > 3 ORDER BY name"


@pytest.fixture
def pets(empty_database: OwnDatabase) -> OwnDatabase:
    with empty_database.owner() as connection:
        connection.execute("CREATE TABLE pets (id int PRIMARY KEY, name text, kind text, age int)")
        connection.execute("INSERT INTO pets VALUES (1, 'Rex', 'dog', 2), (2, 'Tom', 'cat', 9)")
    return empty_database


async def answer(prompt: str) -> str:
    """The model's own answer on the rows: the old ones."""
    row = "Tom" if "Tom" in prompt else ""
    return json.dumps({"workout": "…", "answer": [[row]] if row else []})


@asynccontextmanager
async def judged(pets: OwnDatabase, model: ScriptedModel, **given: str) -> AsyncIterator[AskedServer]:
    settings: dict[str, Any] = {"judge": "local", "egress": "rows", "on_ambiguity": "best", "pins": "off"}
    async with asked_server(pets, **(settings | given)) as asked:
        asked.experts = (Says("dogs", DOGS), Says("old", OLD))
        asked.resolver.pipeline.judging = Judges([source(model)], asked.resolver.pipeline.clock)
        yield asked
        await asked.resolver.pipeline.judging.close()


def guessed(asked: AskedServer, role: str = "postgres") -> None:
    """Let the judge have named either side of clear duels as often."""
    who = (asked.database.name, role, role, "rows:local")
    rulings = [
        _PastDuel("?", Duel(0, 1, 0.95, ruling))
        for ruling in (Ruling.FIRST, Ruling.SECOND)
        for _ in range(100)
    ]
    asked.resolver.pipeline.judging._rulings.setdefault(who, deque(maxlen=500)).extend(rulings)


async def test_the_ruling_of_a_new_judge_decides(pets: OwnDatabase) -> None:
    model = ScriptedModel([answer] * 6)
    async with judged(pets, model, on_ambiguity="error") as asked, asked.connection() as connection:
        told = listen(connection)
        assert await rows(connection, "ASK 'who is it'") == [("Tom",)]
        assert "The judge named it in 1 of 1 duel" in told[-1][1]
        # against more votes as well: who lost every duel is not the answer
        asked.experts = (*asked.experts, Says("more dogs", DOGS))
        assert await rows(connection, "ASK 'who is it now'") == [("Tom",)]
    assert "pets {" in model.calls[0].text


async def test_a_judge_that_guesses_has_lost_its_word(pets: OwnDatabase) -> None:
    model = ScriptedModel([answer] * 9)
    async with judged(pets, model) as asked, asked.connection() as connection:
        guessed(asked, "somebody else")
        assert await rows(connection, "ASK 'who is it'") == [("Tom",)]
        guessed(asked)
        assert await rows(connection, "ASK 'who is it'") == [("Rex",)]


async def test_feedback_tells_what_a_judge_is_worth(pets: OwnDatabase) -> None:
    async with judged(pets, ScriptedModel([answer] * 99)) as asked, asked.connection() as connection:
        worths = []
        for number in range(4):
            # whose weights feedback has not moved yet
            asked.experts = (Says(f"dogs {number}", DOGS), Says(f"old {number}", OLD))
            found = await rows(connection, f"ASK 'who is it, {number}'")
            # the judge names the old one, and the dog was meant
            await rows(connection, f"ASK CHOOSE {2 if found == [('Tom',)] else 1}")
            trace, *_ = await asked.store.find(AskedTrace, {}, timeout=20)
            (told,) = [s for s in json.loads(trace.document) if s["name"] == "judge"]
            assert told["judged"] == number
            worths.append(told["worth"])
        assert worths == sorted(worths, reverse=True)
        assert worths[0] > 1 > worths[1] > 0.4 > worths[3]


KINDS = "SELECT name FROM pets WHERE kind IN ('dog', 'cat') ORDER BY name"


@pytest.mark.parametrize(
    ("given", "asked_for"),
    [
        ({"effort": "fast"}, 1),
        ({"effort": "balanced"}, 6),
        ({"effort": "thorough"}, 6),
        ({"effort": "balanced", "ask_calls": "3"}, 3),
    ],
)
async def test_each_of_three_readings_meets_each_but_in_fast(
    pets: OwnDatabase, given: dict[str, str], asked_for: int
) -> None:
    model = ScriptedModel([answer] * 12)
    async with judged(pets, model, **given) as asked, asked.connection() as connection:
        asked.experts = (*asked.experts, Says("kinds", KINDS))
        await rows(connection, "ASK 'who is it'")
        (trace,) = await asked.store.find(AskedTrace, {}, timeout=20)
    assert len(model.calls) == asked_for
    held = [s["readings"] for s in json.loads(trace.document) if s["name"] == "ruled"]
    assert held == [[1, 2], [1, 3], [2, 3]][: -(-asked_for // 2)]


async def test_a_judge_learns_most_from_the_duel_of_the_best_two(pets: OwnDatabase) -> None:
    async with judged(pets, ScriptedModel([answer] * 12)) as asked, asked.connection() as connection:
        asked.experts = (*asked.experts, Says("kinds", KINDS))
        await rows(connection, "ASK 'who is it'")
        ((rulings),) = asked.resolver.pipeline.judging._rulings.values()
        counts = [one.counts({}) for one in rulings]
        assert counts[0] == 1.0
        assert [0 < count < 1 for count in counts[1:]] == [True, True]
        # where somebody said which of the two was right, the ruling counts in full
        last = rulings[-1]
        assert last.counts({(last.question, last.duel.between[0]): True}) == 1.0


@pytest.mark.parametrize("given", [{"egress": "schema"}, {"judge": ""}, {"judge": "nobody"}])
async def test_nothing_is_sent_where_it_must_not_be(pets: OwnDatabase, given: dict[str, str]) -> None:
    model = ScriptedModel([answer] * 9)
    async with judged(pets, model, **given) as asked, asked.connection() as connection:
        assert await rows(connection, "ASK 'who is it'") == [("Rex",)]
    assert model.calls == []


async def test_a_judge_that_fails_is_no_error(pets: OwnDatabase) -> None:
    async with judged(pets, ScriptedModel([])) as asked, asked.connection() as connection:
        assert await rows(connection, "ASK 'who is it'") == [("Rex",)]


class NeverReady:
    """A sandbox that does not come to be ready."""

    async def start(self) -> None:
        await asyncio.Event().wait()

    async def close(self) -> None:
        pass


async def test_a_sandbox_that_does_not_start_costs_no_answer(pets: OwnDatabase) -> None:
    model = ScriptedModel([])
    given = {"judge_by": "python", "timeout": "6s"}
    async with judged(pets, model, **given) as asked, asked.connection() as connection:
        asked.resolver.pipeline.judging._sandbox = cast("Sandbox", NeverReady())
        assert await rows(connection, "ASK 'who is it'") == [("Rex",)]
        (trace,) = await asked.store.find(AskedTrace, {}, timeout=20)
    steps = {s["name"]: s for s in json.loads(trace.document)}
    assert steps["no code runs"]["reason"] == "no time is left for it"
    assert (steps["ruled"]["ruling"], steps["ruled"]["why"]) == (
        "draw",
        "no code can be run: no time is left for it",
    )
    assert model.calls == []


async def test_a_judge_that_is_silent_has_half_of_the_time(pets: OwnDatabase) -> None:
    model = ScriptedModel([answer] * 3)
    async with judged(pets, model, timeout="20s") as asked, asked.connection() as connection:
        await rows(connection, "ASK 'who is it'")
    assert all(0 < call.timeout < 9 for call in model.calls)


@pytest.mark.parametrize(("judge_by", "warned"), [("python", 1), ("hand", 0)])
async def test_a_server_says_at_its_start_that_no_code_can_be_run(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, judge_by: str, warned: int
) -> None:
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    judging = Judges([source(ScriptedModel([]))], MonotonicClock())
    await judging.prepare(load({"judge": "local", "judge_by": judge_by}))
    said = [record.getMessage() for record in caplog.records if "Darwin" in record.getMessage()]
    assert len(said) == warned
    await judging.close()


async def test_the_trace_tells_what_choosing_cost(pets: OwnDatabase) -> None:
    async with judged(pets, ScriptedModel([answer] * 6)) as asked, asked.connection() as connection:
        await rows(connection, "ASK 'who is it'")
        (trace,) = await asked.store.find(AskedTrace, {}, timeout=20)
    steps = {(s["stage"], s["name"]): s for s in json.loads(trace.document)}
    ended, sent = steps["selector", "ended"], steps["session", "sent"]
    # the search for rows to show the judge, and its slice
    assert ended["statements"] >= 3
    assert sent["statements"] > ended["statements"]
    assert ended["ms"] > 0


async def test_why_says_what_a_judge_ruled_and_between_which_readings(pets: OwnDatabase) -> None:
    model = ScriptedModel([answer] * 9)
    async with judged(pets, model, pins="on") as asked, asked.connection() as connection:
        says = "SELECT what FROM (ASK (WHY) 'who is it') AS why WHERE step = 'judge'"
        # by the numbers that CHOOSE takes: the one that the judge was for comes first now
        told = (
            "rows:local between reading 2, the first, and reading 1, the second: reading 1 is right; "
            "the model's answer on the rows is the second reading's"
        )
        assert await rows(connection, says) == [(told,)]
        ((report,),) = await rows(connection, "ASK (WHY, FORMAT JSON) 'who is it'")
        assert report["duels"] == [
            {
                "judge": "rows:local",
                "ruling": "second",
                "sql": [DOGS, OLD],
                "why": "the model's answer on the rows is the second reading's",
            }
        ]
        # of a pinned answer: what was ruled when it was worked out
        assert report["pinned"]
        assert await rows(connection, says) == [(told,)]
    assert len(model.calls) == 2


async def test_why_says_why_a_judge_drew(pets: OwnDatabase) -> None:
    model = ScriptedModel([])
    async with judged(pets, model, judge_by="python") as asked, asked.connection() as connection:
        asked.resolver.pipeline.judging._sandbox = cast("Sandbox", Refuses())
        why = await rows(connection, "ASK (WHY) 'who is it'")
    (told,) = [what for step, what in why if step == "judge"]
    assert told.endswith(": a draw; no code can be run: no layer holds")


class Refuses(NeverReady):
    """A sandbox that is off."""

    async def start(self) -> None:
        raise SandboxOff("no layer holds")
