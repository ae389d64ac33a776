"""What selection makes of feedback: whose counts for whom, once, and an error rate that answers keep to."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from data.pets import CATS, DOGS, PETS, filled
from doubles.asked import AskedServer, asked_server, rows
from doubles.scripted_expert import Says
from servers.running_proxy import OwnDatabase

from askwire.core.errors import StoreFailed
from askwire.core.records import CalibrationOutcome, ExpertWeight, Feedback
from askwire.proxy.memory.expert_weights import counted
from askwire.store import MemoryStore

TABLES = f"""{PETS}
CREATE ROLE reader LOGIN;
CREATE ROLE other LOGIN;
CREATE ROLE team;
GRANT SELECT ON pets TO reader, other, team;
GRANT team TO reader, other;
"""


@pytest.fixture
def pets(empty_database: OwnDatabase) -> Iterator[OwnDatabase]:
    with filled(empty_database, TABLES, "reader", "other", "team") as database:
        yield database


@pytest.fixture
async def asked(pets: OwnDatabase) -> AsyncIterator[AskedServer]:
    async with asked_server(
        pets, operators="postgres", on_ambiguity="best", answer_confidence="0"
    ) as running:
        running.experts = (Says("dogs", DOGS), Says("cats", CATS))
        yield running


async def weights(asked: AskedServer) -> dict[tuple[str, str, str], tuple[int, int]]:
    found = await asked.store.find(ExpertWeight, {}, timeout=20)
    return {(w.role, w.acting_as, w.expert): (w.right, w.wrong) for w in found if w.right or w.wrong}


async def say_wrong(connection: psycopg.AsyncConnection[tuple[object, ...]], times: int) -> None:
    """So often that the first expert is wrong."""
    connection.prepare_threshold = None
    for n in range(times):
        await rows(connection, f"ASK (EXPERTS 'dogs') 'question {n} of many'")
        await rows(connection, "ASK WRONG")


async def test_what_a_role_says_changes_what_it_is_answered(asked: AskedServer) -> None:
    async with asked.connection("reader") as reader:
        assert await rows(reader, "ASK 'some pets'") == [("Ada",), ("Rex",)]
        await say_wrong(reader, 6)
        assert await rows(reader, "ASK 'some other pets'") == [("Tom",)]
        # and it can be taken back
        for n in range(6):
            await rows(reader, f"ASK FORGET 'question {n} of many'")
        assert await rows(reader, "ASK 'pets once more'") == [("Ada",), ("Rex",)]
    assert await weights(asked) == {}


async def test_what_a_role_says_reaches_no_other(asked: AskedServer) -> None:
    async with asked.connection("reader") as reader, asked.connection("other") as other:
        await say_wrong(reader, 6)
        assert await rows(reader, "ASK 'some pets'") == [("Tom",)]
        assert await rows(other, "ASK 'some pets'") == [("Ada",), ("Rex",)]
        # nor those who act as the same role behind another login
        await reader.execute("SET ROLE team")
        await other.execute("SET ROLE team")
        await say_wrong(reader, 6)
        assert await rows(reader, "ASK 'a pet'") == [("Tom",)]
        assert await rows(other, "ASK 'a pet'") == [("Ada",), ("Rex",)]
        theirs = await rows(other, "SELECT role FROM ask.experts WHERE wrong > 0")
        assert theirs == []
    assert {who[:2] for who in await weights(asked)} == {("reader", "reader"), ("reader", "team")}


async def test_what_an_operator_says_reaches_everybody(asked: AskedServer) -> None:
    async with asked.connection() as operator, asked.connection("other") as other:
        await say_wrong(operator, 6)
        assert await rows(other, "ASK 'some pets'") == [("Tom",)]
        shown = await rows(
            other, 'SELECT role, acting_as, expert, "right", wrong FROM ask.experts WHERE wrong > 0'
        )
        assert shown == [(None, None, "dogs", 0, 6)]


async def test_saying_it_again_counts_once(asked: AskedServer) -> None:
    async with asked.connection("reader") as reader:
        await rows(reader, "ASK (FRESH) 'some pets'")
        for _ in range(5):
            await rows(reader, "ASK WRONG")
        assert await weights(asked) == {("reader", "reader", "dogs"): (0, 1)}
        assert len(await asked.store.find(CalibrationOutcome, {}, timeout=20)) == 1
        # what is said last holds, of whatever was answered then
        assert await rows(reader, "ASK (FRESH) 'some pets'") == [("Tom",)]
        await rows(reader, "ASK RIGHT")
        assert await weights(asked) == {
            ("reader", "reader", "dogs"): (0, 1),
            ("reader", "reader", "cats"): (1, 0),
        }


async def test_feedback_is_about_the_last_ask_alone(asked: AskedServer) -> None:
    async with asked.connection("reader") as reader:
        await rows(reader, "ASK 'some pets'")
        with pytest.raises(psycopg.Error):
            await rows(reader, "ASK (EXPERTS 'nobody') 'something else'")
        with pytest.raises(psycopg.Error) as failed:
            await rows(reader, "ASK WRONG")
        assert failed.value.sqlstate == "NL007"
    assert await weights(asked) == {}


async def test_under_row_level_security_feedback_stays_in_its_session(asked: AskedServer) -> None:
    async with asked.connection() as owner:
        await owner.execute("ALTER TABLE pets ENABLE ROW LEVEL SECURITY")
        await owner.execute("CREATE POLICY everyone ON pets USING (true)")
    async with asked.connection("reader") as reader:
        await say_wrong(reader, 6)
        assert await rows(reader, "ASK 'some pets'") == [("Ada",), ("Rex",)]
    assert await weights(asked) == {}
    assert await asked.store.find(CalibrationOutcome, {}, timeout=20) == []
    async with asked.connection() as operator:
        await say_wrong(operator, 1)
    assert await weights(asked) == {("", "", "dogs"): (0, 1)}


async def test_an_expert_agreed_with_more_often_counts_more(pets: OwnDatabase) -> None:
    """Without any feedback: who is mostly with the others outweighs who is not."""
    async with asked_server(pets, pins="off", on_ambiguity="best", answer_confidence="0") as asked:
        a, b = Says("a", DOGS), Says("b", CATS)
        asked.experts = (a, b, Says("c", CATS), Says("d", CATS))
        async with asked.connection("reader") as reader:
            for n in range(60):
                await rows(reader, f"ASK 'question {n}'")
            asked.experts = (a, b)
            assert await rows(reader, "ASK 'which one'") == [("Tom",)]
            # it is this role's experience, and no one else's
            async with asked.connection("other") as other:
                assert await rows(other, "ASK 'which one'") == [("Ada",), ("Rex",)]


async def test_a_model_that_contradicts_sure_answers_soon_has_no_vote_and_everybody_can_see_it(
    pets: OwnDatabase,
) -> None:
    """A restart forgets nothing of it; another role has its own experience.

    Of an expert whose queries all fail no answer is known: nothing is estimated of it.
    """
    store = MemoryStore()
    seen = "SELECT expert, estimated < 0.5, answered > 20, failed > 20 FROM ask.experts ORDER BY 1"
    async with (
        asked_server(pets, store, pins="off", on_ambiguity="best") as asked,
        asked.connection("reader") as reader,
    ):
        asked.experts = (Says("model", CATS), Says("sure", DOGS, 0.85), Says("broken", "SELECT nothing"))
        reader.prepare_threshold = None
        answers = []
        for _ in range(24):
            # for a while neither has enough behind it to be given
            with suppress(psycopg.errors.Error):
                answers.append(await rows(reader, "ASK 'names of dogs'"))
        assert answers[-12:] == [[("Ada",), ("Rex",)]] * 12
        await asked.resolver.memories.history.settled()
        assert await rows(reader, seen) == [("broken", None, False, True), ("model", True, True, False)]
    async with asked_server(pets, store, pins="off", on_ambiguity="best") as asked:
        asked.experts = (Says("model", CATS), Says("sure", DOGS, 0.6))
        async with asked.connection("reader") as reader, asked.connection("other") as other:
            assert await rows(reader, "ASK 'names of dogs'") == [("Ada",), ("Rex",)]
            assert await rows(other, seen) == []


async def test_feedback_waits_until_all_of_it_is_read_and_counts_it_beside_the_loop(
    asked: AskedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """10,000 pieces take longer than an ASK waits for the store."""
    find, loop, threads = asked.store.find, threading.get_ident(), set()

    async def slow(kind: Any, *given: Any, timeout: float = 0.25, **more: Any) -> Any:  # noqa: ASYNC109
        if kind is Feedback and timeout < 1:
            raise StoreFailed("the store cannot be read in time")
        return await find(kind, *given, timeout=timeout, **more)

    def noting(given: Sequence[Feedback]) -> object:
        threads.add(threading.get_ident())
        return counted(given)

    async with asked.connection("reader") as reader:
        monkeypatch.setattr(asked.store, "find", slow)
        monkeypatch.setattr("askwire.proxy.memory.expert_weights.counted", noting)
        await rows(reader, "ASK (EXPERTS 'dogs') 'which dogs'")
        await rows(reader, "ASK WRONG")
        monkeypatch.undo()
        assert await weights(asked) == {("reader", "reader", "dogs"): (0, 1)}
        assert threads
        assert loop not in threads


def outcome(n: int, right: bool, **given: object) -> CalibrationOutcome:
    made = CalibrationOutcome(f"k{n}", float(n), "reader", "", "", n / 1000, right, "reader", True)
    return replace(made, **given)  # type: ignore[arg-type]


async def of(asked: AskedServer, *outcomes: CalibrationOutcome) -> None:
    server, database = asked.resolver.memories.server, asked.database.name
    asked.store.put(*(replace(o, server=server, database=database) for o in outcomes))


async def test_answers_keep_to_a_stated_error_rate(asked: AskedServer) -> None:
    async with asked.connection("reader") as reader, asked.connection("other") as other:
        told = "SELECT state, outcomes, wrong, max_error FROM ask.calibration"
        assert await rows(reader, told) == [("uncalibrated", 0, 0, 1.0)]
        assert await rows(reader, "ASK 'some pets'") == [("Ada",), ("Rex",)]
        # two experts that disagree: by the curve that comes with askwire this is wrong far too often
        await reader.execute("SET askwire.max_error = 0.05")
        with pytest.raises(psycopg.Error) as failed:
            await rows(reader, "ASK 'some pets'")
        assert failed.value.sqlstate == "NL003"
        assert "figures from other databases" in (failed.value.diag.message_detail or "")
        # outcomes that earlier versions recorded on another scale do not count
        await of(asked, *(outcome(n, right=True, confident=False) for n in range(200)))
        assert await rows(reader, told) == [("uncalibrated", 0, 0, 0.05)]
        # with outcomes enough the recorded ones decide, for anyone who they are of
        await of(asked, *(outcome(n, right=True) for n in range(200)))
        assert await rows(reader, told) == [("calibrated", 200, 0, 0.05)]
        assert await rows(reader, "ASK 'some pets again'") == [("Ada",), ("Rex",)]
        await other.execute("SET askwire.max_error = 0.05")
        assert await rows(other, told) == [("uncalibrated", 0, 0, 0.05)]
        with pytest.raises(psycopg.Error):
            await rows(other, "ASK 'some pets'")
        # wrong ones raise what is asked for, beyond what this answer has
        await of(asked, *(outcome(n, right=False) for n in range(450, 600)))
        with pytest.raises(psycopg.Error) as failed:
            await rows(reader, "ASK 'some pets, please'")
        assert "recorded feedback" in (failed.value.diag.message_detail or "")


async def test_a_session_can_only_ask_for_fewer_errors(pets: OwnDatabase) -> None:
    async with asked_server(pets, max_error="0.01", on_ambiguity="best") as asked:
        asked.experts = (Says("dogs", DOGS), Says("cats", CATS))
        async with asked.connection("reader") as reader:
            await reader.execute("SET askwire.max_error = 1")
            with pytest.raises(psycopg.Error) as failed:
                await rows(reader, "ASK 'some pets'")
            assert failed.value.sqlstate == "NL003"


def test_who_feedback_counts_for() -> None:
    def said(n: int, **given: object) -> Feedback:
        base = Feedback(f"f{n}", float(n), "s", "r", "a", "h", "d", f"asked {n}", "q", "wrong", "SELECT 1")
        return replace(base, experts=json.dumps({"e": bool(n % 2)}), **given)  # type: ignore[arg-type]

    assert counted([said(1), said(2)]) == [(("r", "a"), {"e": False})]
    assert counted([said(2), said(1)]) == [(("r", "a"), {"e": False})]
    assert counted([said(1, approved_by="r")]) == [(("", ""), {"e": True})]
    # an operator's judgement of another's ASK, outside of a session
    assert counted([said(1, session="", role="op")]) == [(("", "a"), {"e": True})]
    assert counted([said(1), said(2, role="other")]) == [
        (("r", "a"), {"e": True}),
        (("other", "a"), {"e": False}),
    ]


def test_a_word_on_sql_that_no_expert_proposed_leaves_the_experts_alone() -> None:
    def said(n: int, said: str, sql: str, experts: str) -> Feedback:
        return Feedback(
            f"f{n}", float(n), "s", "r", "a", "h", "d", f"asked {n}", "q", said, sql, experts=experts
        )

    wrong = said(1, "wrong", "SELECT 1", '{"e": 0}')
    assert counted([wrong, said(2, "right", "SELECT 2", "{}")]) == [(("r", "a"), {"e": False})]
    assert counted([wrong, said(2, "wrong", "SELECT 2", "{}")]) == [(("r", "a"), {"e": False})]
    # what is taken back in substance does not hold any more
    assert counted([wrong, said(2, "right", "SELECT 1", "{}")]) == [(("r", "a"), {})]
    chosen = said(1, "chosen", "SELECT 1", '{"e": 1}')
    assert counted([chosen, said(2, "right", "SELECT 1", "{}")]) == [(("r", "a"), {"e": True})]
    assert counted([chosen, said(2, "wrong", "SELECT 1", "{}")]) == [(("r", "a"), {})]
    assert counted([said(1, "right", "SELECT 1", "{}")]) == [(("r", "a"), {})]
