"""One call as an ASK makes it: paid, paced, tried again where that is safe, ended at the deadline."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from doubles.model_doubles import Hand, Monotonic, free, line, prompt, source
from doubles.time_bounds import Stopwatch

from askwire.bench.models.scripted_model import ScriptedModel
from askwire.core.errors import BudgetSpent, ModelFailed
from askwire.core.protocols import Usage
from askwire.llm.breaker import MAX_FAILURES, PAUSE_SECONDS, Breaker
from askwire.llm.budget import Limits, ModelUsage, Price, TokenBudget
from askwire.llm.calling import MAX_TRIES, Line
from askwire.llm.estimate import tokens
from askwire.llm.ledger import Ledger
from askwire.llm.pace import Pace
from askwire.store import MemoryStore

BUSY = ModelFailed("busy", kind="rate limit", again=True)
DOWN = ModelFailed("down", kind="server error", again=True)
CUT = ModelFailed("cut", kind="cut off")


def called(one: Line) -> list[dict[str, Any]]:
    return [dict(event.data) for event in one.trace]


async def test_a_call_is_recorded_with_what_it_used_and_whatever_it_is_told() -> None:
    one = line(source(ScriptedModel(["SELECT 1"]), price_in=2.0, price_out=4.0))
    completion = await one.ask(prompt(), stage="generate", file="generate", version="abc")
    assert completion.text == "SELECT 1"
    (event,) = called(one)
    assert (event["expert"], event["step"], event["outcome"], event["tries"]) == (
        "local",
        "generate",
        "answered",
        1,
    )
    assert (event["file"], event["version"], event["estimated"]) == ("generate", "abc", True)
    used = Usage(event["prompt_tokens"], event["completion_tokens"])
    assert one.purse.spent == ModelUsage(1, used.prompt_tokens + used.completion_tokens, Price(2, 4).of(used))


@pytest.mark.parametrize("failures", [1, 2])
async def test_what_is_safe_is_tried_again(failures: int) -> None:
    model = ScriptedModel([*[BUSY] * failures, "SELECT 1"])
    one = line(source(model))
    await one.ask(prompt(), stage="generate")
    assert called(one)[0]["tries"] == failures + 1
    assert len({call.text for call in model.calls}) == 1


async def test_it_is_tried_three_times_and_no_more() -> None:
    model = ScriptedModel([DOWN] * 9)
    one = line(source(model))
    with pytest.raises(ModelFailed, match="down"):
        await one.ask(prompt(), stage="generate")
    assert len(model.calls) == MAX_TRIES
    assert one.purse.spent == ModelUsage()


@pytest.mark.parametrize("kind", ["cut off", "malformed answer", "empty answer", "refusal"])
async def test_what_the_endpoint_may_have_worked_on_is_not_sent_again_and_is_paid_for(kind: str) -> None:
    model = ScriptedModel([ModelFailed("nothing", kind=kind), "SELECT 1"])
    one = line(source(model))
    with pytest.raises(ModelFailed, match="nothing"):
        await one.ask(prompt(), stage="generate")
    assert len(model.calls) == 1
    assert one.purse.spent == ModelUsage(1, tokens(prompt().text), 0.0)


async def test_a_wait_that_ends_after_the_deadline_is_not_begun() -> None:
    model = ScriptedModel([ModelFailed("busy", kind="rate limit", again=True, after=30), "SELECT 1"])
    one = line(source(model), seconds=5)
    taken = Stopwatch()
    with pytest.raises(ModelFailed, match="busy"):
        await one.ask(prompt(), stage="generate")
    assert taken.within(4)
    assert len(model.calls) == 1


async def test_no_call_begins_when_the_time_is_up() -> None:
    model = ScriptedModel(["SELECT 1"])
    with pytest.raises(BudgetSpent, match='no time is left to ask expert "local"'):
        await line(source(model), seconds=0).ask(prompt(), stage="generate")
    assert model.calls == []


async def test_a_call_may_take_as_long_as_is_left_and_no_longer_than_the_expert_s_own_limit() -> None:
    model = ScriptedModel(["1", "2"])
    await line(source(model, timeout=7000), seconds=60).ask(prompt(), stage="generate")
    await line(source(model, timeout=7000), seconds=3).ask(prompt(), stage="generate")
    assert model.calls[0].timeout == 7
    assert 2 < model.calls[1].timeout <= 3


async def test_waiting_for_a_turn_ends_at_the_deadline() -> None:
    async def forever(_text: str) -> str:
        await asyncio.Event().wait()
        return ""

    where = source(ScriptedModel([forever, "SELECT 1"]), concurrency=1)
    first = asyncio.create_task(line(where, seconds=60).ask(prompt(), stage="generate"))
    await asyncio.sleep(0)
    second = line(where, seconds=0.1)
    with pytest.raises(BudgetSpent):
        await second.ask(prompt(), stage="generate")
    assert second.purse.spent == ModelUsage()
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_a_purse_that_cannot_pay_lets_nothing_begin() -> None:
    model = ScriptedModel(["SELECT 1"])
    purse = TokenBudget(Limits(tokens=500), Limits(), ModelUsage())
    with pytest.raises(BudgetSpent) as caught:
        await line(source(model), purse=purse).ask(prompt(), stage="generate")
    assert "ask_tokens" in caught.value.detail
    assert model.calls == []


async def test_experts_at_once_cannot_spend_the_same_money() -> None:
    purse = TokenBudget(Limits(calls=3), Limits(), ModelUsage())
    where = source(ScriptedModel(["1"] * 9), concurrency=9)
    answers = await asyncio.gather(
        *(line(where, purse=purse).ask(prompt(), stage="generate") for _ in range(9)), return_exceptions=True
    )
    assert sum(isinstance(answer, BudgetSpent) for answer in answers) == 6
    assert purse.spent.calls == 3


def test_what_a_day_has_seen_counts_and_says_whose_it_is() -> None:
    daily = Limits(cost=1.0, whose="this role for today", prefix="day")
    purse = TokenBudget(Limits(), daily, ModelUsage(cost=0.9))
    kept = purse.reserve(40_000, 0, Price(tokens_in=1.0))
    with pytest.raises(BudgetSpent, match="the budget of this role for today is spent"):
        purse.reserve(70_000, 0, Price(tokens_in=1.0))
    purse.release(kept)
    purse.settle(purse.reserve(70_000, 0, Price(tokens_in=1.0)), Usage(10, 0), Price(tokens_in=1.0))
    assert purse.spent == ModelUsage(1, 10, 0.00001)


async def test_a_day_is_the_role_s_in_all_processes_that_share_a_store() -> None:
    store, now = MemoryStore(), [1_700_000_000.0]
    one, other = (Ledger(store, lambda: now[0]) for _ in range(2))
    one.add("db", "ada", ModelUsage(1, 100, 0.5))
    one.add("db", "ada", ModelUsage(1, 50, 0.25))
    other.add("db", "ada", ModelUsage(2, 10, 0.0))
    one.add("db", "bob", ModelUsage(9, 9, 9.0))
    assert await one.spent("db", "ada") == await other.spent("db", "ada") == ModelUsage(4, 160, 0.75)
    store.trouble = "the disk is gone"
    assert await one.spent("db", "ada") == ModelUsage(2, 150, 0.75)
    store.trouble = ""
    now[0] += 86_400
    assert await one.spent("db", "ada") == ModelUsage()


def test_a_breaker_opens_after_failures_in_a_row_and_one_call_decides() -> None:
    clock = Hand()
    breaker = Breaker("host:1", clock)
    for number in range(MAX_FAILURES):
        breaker.enter()
        if number == 1:
            breaker.succeeded()
        else:
            breaker.failed()
    breaker.enter()
    for _ in range(2):
        breaker.failed()
    with pytest.raises(ModelFailed, match="left alone after 5 failures") as caught:
        breaker.enter()
    assert caught.value.kind == "breaker"
    clock.now += PAUSE_SECONDS
    breaker.enter()
    with pytest.raises(ModelFailed):
        breaker.enter()
    breaker.failed()
    with pytest.raises(ModelFailed):
        breaker.enter()
    clock.now += PAUSE_SECONDS
    breaker.enter()
    breaker.succeeded()
    breaker.enter()


async def test_an_endpoint_that_fails_is_left_alone() -> None:
    model = ScriptedModel([CUT] * 99)
    where = source(model)
    for _ in range(MAX_FAILURES + 3):
        with pytest.raises(ModelFailed):
            await line(where).ask(prompt(), stage="generate")
    assert len(model.calls) == MAX_FAILURES


@pytest.mark.parametrize("kind", ["rate limit", "refusal", "rejected", "empty answer"])
async def test_being_busy_refusing_or_saying_nothing_is_not_failing(kind: str) -> None:
    model = ScriptedModel([ModelFailed("no", kind=kind)] * 9 + ["1"])
    where = source(model)
    for _ in range(9):
        with pytest.raises(ModelFailed):
            await line(where).ask(prompt(), stage="generate")
    await line(where).ask(prompt(), stage="generate")


LATE = ModelFailed("late", kind="timeout")


@pytest.mark.parametrize(
    ("seconds", "limit", "counts"),
    [
        (2.0, 20_000, False),
        (9.5, 20_000, False),
        (12.0, 20_000, True),
        (60.0, 3000, True),
        (2.0, 2000, False),
    ],
    ids=["a short ASK", "nearly fair", "fair", "the expert's own limit", "a bit less than the expert's"],
)
async def test_only_a_call_that_had_its_time_counts_against_the_endpoint(
    seconds: float, limit: int, counts: bool
) -> None:
    where = source(ScriptedModel([LATE] * MAX_FAILURES + ["1"]), timeout=limit)
    for _ in range(MAX_FAILURES):
        with pytest.raises(ModelFailed, match="late"):
            await line(where, seconds=seconds).ask(prompt(), stage="generate")
    assert where.breaker.is_open == counts
    if not counts:
        await line(where, seconds=60).ask(prompt(), stage="generate")


async def test_a_short_call_that_ends_early_does_not_keep_the_breaker_from_trying_again() -> None:
    clock = Hand()
    where = replace(source(ScriptedModel([LATE, "1"])), breaker=Breaker("host:1", clock))
    for _ in range(MAX_FAILURES):
        where.breaker.failed()
    clock.now += PAUSE_SECONDS
    with pytest.raises(ModelFailed, match="late"):
        await line(where, seconds=1).ask(prompt(), stage="generate")
    await line(where, seconds=60).ask(prompt(), stage="generate")


async def test_a_canceled_call_frees_its_turn_and_is_paid_for() -> None:
    begun = asyncio.Event()

    async def forever(_text: str) -> str:
        begun.set()
        await asyncio.Event().wait()
        return ""

    where = source(ScriptedModel([forever, "SELECT 1"]), concurrency=1)
    one = line(where)
    call = asyncio.create_task(one.ask(prompt(), stage="generate"))
    await begun.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert called(one)[0]["outcome"] == "canceled"
    assert one.purse.spent.calls == 1
    await line(where).ask(prompt(), stage="generate")


async def test_a_rate_spreads_calls_after_a_first_burst() -> None:
    clock = Hand()
    pace = Pace(10, 60, clock)
    waits = [max(0.0, pace._slot()) for _ in range(18)]
    assert waits[:15] == [0.0] * 15
    assert waits[16:] == [1.0, 2.0]
    clock.now += 60
    assert pace._slot() <= 0


async def test_without_a_rate_nobody_waits() -> None:
    pace = Pace(1, 0, Monotonic())
    taken = Stopwatch()
    for _ in range(100):
        async with pace.turn():
            pass
    assert taken.within(1)
    assert free().spent == ModelUsage()
