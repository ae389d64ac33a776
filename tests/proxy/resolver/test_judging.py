"""The judge that an operator names: asked about rows of a duel, and worth what it has proved to be."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from doubles.asked import AskedServer, Connection, asked_server, listen, rows
from doubles.model_doubles import source
from doubles.scripted_expert import Says
from servers.databases import Database
from servers.running_proxy import OwnDatabase
from servers.store_servers import listening, until

from askwire.bench.models.scripted_model import ScriptedModel
from askwire.core.clock import MonotonicClock
from askwire.core.protocols import Change, Store
from askwire.core.records import AskedTrace, Feedback, JudgeRuling
from askwire.core.settings.table import load
from askwire.proxy.memory.judge_rulings import with_outcome
from askwire.proxy.resolver.judging import Judges
from askwire.selector.sandbox.running import Sandbox, SandboxOff
from askwire.store import MemoryStore, SqliteStore, sqlite
from askwire.store.postgres.store import PostgresStore
from askwire.store.retention import Retention

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


def judged(pets: OwnDatabase, model: ScriptedModel, **given: str) -> AbstractAsyncContextManager[AskedServer]:
    return judged_over(None, pets, model, "mock", given)


@asynccontextmanager
async def judged_over(
    store: Store | None, pets: OwnDatabase, model: ScriptedModel, named: str, given: dict[str, str]
) -> AsyncIterator[AskedServer]:
    settings = {"judge": "local", "egress": "rows", "on_ambiguity": "best", "pins": "off"}
    async with asked_server(pets, store, None, **(settings | given)) as asked:
        asked.experts = (Says("dogs", DOGS), Says("old", OLD))
        judge = source(model)
        judge = replace(judge, config=replace(judge.config, model=named))
        asked.resolver.pipeline.judging = Judges([judge], asked.resolver.pipeline.clock)
        yield asked
        await asked.resolver.pipeline.judging.close()


def guessed(asked: AskedServer, role: str = "postgres") -> None:
    """Let the judge have named either side of clear duels as often, in another process."""
    who = (role, asked.resolver.memories.server, asked.database.name, role, "rows:local=mock")
    asked.store.put(*(JudgeRuling(f"{role} {n}", n, *who, 0.95, n % 2 == 0, 1.0) for n in range(200)))
    asked.resolver.memories.judge_rulings.heard(Change())


async def what_was_known(connection: Connection, question: str) -> dict[str, Any]:
    """What an ASK knew of its judge: rulings, how many of them were judged, and worth."""
    ((report,),) = await rows(connection, f"ASK (WHY, FORMAT JSON) '{question}'")
    (told,) = [step for step in report["trace"] if step["name"] == "judge"]
    return cast("dict[str, Any]", told)


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
        rulings = await asked.store.find(JudgeRuling, timeout=20)
        counts = [one.counts for one in reversed(rulings)]
        assert counts[0] == 1.0
        assert [0 < count < 1 for count in counts[1:]] == [True] * (len(counts) - 1)
        assert len(counts) > 1
        # where somebody said which of the two was right, the ruling counts in full
        last = rulings[0]
        assert with_outcome(last, {last.favourite: True}) == replace(last, prior=1.0, counts=1.0)
        assert with_outcome(last, {last.rival: True}) == replace(last, prior=0.0, counts=1.0)
        assert with_outcome(last, {last.favourite: False, last.rival: False}) is last


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


# -- it lasts ------------------------------------------------------------------------------------------------


EVERYTHING = Retention(0, 0, 0)


@pytest.fixture(params=["sqlite", "postgres"])
def opened(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], Store]:
    """Open the same store once more, as another process does."""
    monkeypatch.setattr(sqlite, "_LOOK_INTERVAL_SECONDS", 0.02)
    if request.param == "sqlite":
        return lambda: SqliteStore(tmp_path / "store.sqlite", retention=EVERYTHING)
    url = request.getfixturevalue("database").dsn()
    return lambda: PostgresStore(url, retention=EVERYTHING)


@asynccontextmanager
async def process(
    pets: OwnDatabase, store: Store, named: str = "mock", **given: str
) -> AsyncIterator[AskedServer]:
    """A server with a judge that names the old one, over a store that ends with it."""
    async with judged_over(store, pets, ScriptedModel([answer] * 99), named, given) as asked:
        if isinstance(store, PostgresStore):
            await listening(store)
        yield asked
    await store.close()


async def test_a_judge_that_was_wrong_is_not_heard_after_a_restart(
    pets: OwnDatabase, opened: Callable[[], Store]
) -> None:
    async with process(pets, opened()) as asked, asked.connection() as connection:
        for number in range(3):
            # whose weights feedback has not moved yet
            asked.experts = (Says(f"dogs {number}", DOGS), Says(f"old {number}", OLD))
            found = await rows(connection, f"ASK 'who is it, {number}'")
            # the dog was meant
            await rows(connection, f"ASK CHOOSE {2 if found == [('Tom',)] else 1}")
    async with process(pets, opened()) as asked, asked.connection() as connection:
        told = await what_was_known(connection, "who is it")
        assert (told["rulings"], told["judged"], told["decides"]) == (3, 3, False)
        # what is taken back does not count for them any more
        await rows(connection, "ASK FORGET 'who is it, 1'")
        told = await what_was_known(connection, "who is it now")
        assert (told["rulings"], told["judged"]) == (4, 2)
    # another model is another judge
    async with process(pets, opened(), "better") as asked, asked.connection() as connection:
        told = await what_was_known(connection, "who is it")
        assert (told["rulings"], told["decides"]) == (0, True)


async def test_processes_that_share_a_store_know_of_each_others_rulings(
    pets: OwnDatabase, opened: Callable[[], Store]
) -> None:
    # two experts that never agree are believed less with every ASK of either process
    answered = {"answer_confidence": "0"}
    async with (
        process(pets, opened(), **answered) as one,
        process(pets, opened(), **answered) as two,
        one.connection() as here,
        two.connection() as there,
    ):

        async def asks(connection: Connection, what: str) -> None:
            for number in range(3):
                await rows(connection, f"ASK '{what} {number}'")

        # both at once, and neither takes the place of what the other learnt
        await asyncio.gather(asks(here, "who is it here"), asks(there, "who is it there"))
        for connection in (here, there):
            async with asyncio.timeout(20):
                while True:
                    told = await what_was_known(connection, "who is it")
                    kept = await one.store.find(JudgeRuling, timeout=20)
                    if told["rulings"] == len(kept) - 1:
                        break
            assert told["rulings"] >= 6
        # in the other it is not heard either
        guessed(one)
        await until(lambda: not one.store.status.waiting)
        async with asyncio.timeout(20):
            while (await what_was_known(there, "who is it"))["decides"]:
                pass


async def test_feedback_given_to_another_process_counts_for_rulings_here(
    pets: OwnDatabase, opened: Callable[[], Store]
) -> None:
    async with (
        process(pets, opened()) as one,
        process(pets, opened()) as two,
        one.connection() as here,
        two.connection() as there,
    ):

        async def judged_there(count: int) -> None:
            async with asyncio.timeout(60):
                while (await what_was_known(there, "who is it there"))["judged"] != count:
                    pass

        found = await rows(here, "ASK 'who is it here'")
        async with asyncio.timeout(20):
            while (await what_was_known(there, "who is it there"))["rulings"] < 2:
                pass
        await judged_there(0)
        await rows(here, f"ASK CHOOSE {2 if found == [('Tom',)] else 1}")
        await judged_there(1)
        await rows(here, "ASK FORGET 'who is it here'")
        await judged_there(0)


async def test_an_ask_reads_feedback_on_new_rulings_alone(
    pets: OwnDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = MemoryStore()
    async with process(pets, store) as asked, asked.connection() as connection:
        for number in range(3):
            asked.experts = (Says(f"dogs {number}", DOGS), Says(f"old {number}", OLD))
            found = await rows(connection, f"ASK 'who is it, {number}'")
            await rows(connection, f"ASK CHOOSE {2 if found == [('Tom',)] else 1}")
        (said, *_) = await store.find(Feedback)
        store.put(*(replace(said, key=str(n), question=f"who is number {n}") for n in range(300)))
        read: list[Feedback] = []
        find = store.find

        async def counted(kind: Any, *given: Any, **named: Any) -> Any:
            kept = await find(kind, *given, **named)
            read.extend(one for one in kept if isinstance(one, Feedback))
            return kept

        monkeypatch.setattr(store, "find", counted)
        for number, most in enumerate((3, 0)):
            assert (await what_was_known(connection, f"who is it now, {number}"))["judged"] == 3
            assert len(read) == most
            read.clear()


async def test_rulings_that_are_removed_count_no_more(pets: OwnDatabase, database: Database) -> None:
    first, second = (PostgresStore(database.dsn(), retention=EVERYTHING) for _ in range(2))
    async with process(pets, first) as one, process(pets, second) as two, two.connection() as there:
        guessed(one)
        kept = await one.store.find(JudgeRuling, timeout=20)
        assert not (await what_was_known(there, "who is it"))["decides"]
        for ruling in kept:
            one.store.remove(JudgeRuling, ruling.key)
        async with asyncio.timeout(20):
            while not (await what_was_known(there, "who is it"))["decides"]:
                pass


async def test_a_store_that_is_down_costs_no_answer_and_no_ruling(pets: OwnDatabase) -> None:
    store = MemoryStore()
    store.trouble = "disk on fire"
    async with process(pets, store) as asked, asked.connection() as connection:
        for number in range(3):
            assert await rows(connection, f"ASK 'who is it, {number}'") == [("Tom",)]
        store.trouble = ""
        guessed(asked)
        told = await what_was_known(connection, "who is it")
        assert (told["rulings"], told["decides"]) == (203, False)


@pytest.mark.parametrize("why", ["row-level security", "history is off", ""])
async def test_of_a_private_ask_no_digest_is_kept(pets: OwnDatabase, why: str) -> None:
    store = MemoryStore()
    given = {"history": "off"} if why == "history is off" else {}
    role = f"reader_{pets.name}"
    with pets.owner() as owner:
        owner.execute(f"CREATE ROLE {role} LOGIN; GRANT SELECT ON pets TO {role}".encode())
        if why == "row-level security":
            owner.execute("ALTER TABLE pets ENABLE ROW LEVEL SECURITY")
            owner.execute("CREATE POLICY everyone ON pets USING (true)")
    try:
        async with process(pets, store, **given) as asked, asked.connection(role) as connection:
            await rows(connection, "ASK 'who is it'")
            (ruling,) = await store.find(JudgeRuling)
            assert (bool(ruling.favourite), bool(ruling.rival)) == (not why, not why)
            assert (ruling.role, ruling.upheld) == (role, False)
    finally:
        with pets.owner() as owner:
            owner.execute(f"DROP OWNED BY {role}; DROP ROLE {role}".encode())
