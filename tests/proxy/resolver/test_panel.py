"""All experts at once: whose candidates come first, who is waited for, and which failure is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from data.shop_catalog import SHOP, planning
from doubles.model_doubles import Monotonic, source

from askwire.bench.models.scripted_model import Answer, ScriptedModel
from askwire.core.errors import AskError, BeyondEngine, BudgetSpent, DatabaseFailed, ModelFailed, NoExpert
from askwire.core.types import Candidate
from askwire.planner.expert import ExpertContext
from askwire.planner.models.model_expert import ModelExpert
from askwire.proxy.resolver.panel import Panel

CLOCK = Monotonic()
ONE = '{"reading": "r", "sql": "SELECT 1"}'


class Plain:
    """An expert without a model."""

    name = "embedded"

    def __init__(self, outcome: Sequence[str] | AskError) -> None:
        self._outcome = outcome

    async def propose(self, _planning: ExpertContext) -> Sequence[Candidate]:
        if isinstance(self._outcome, AskError):
            raise self._outcome
        return [Candidate(sql, self.name) for sql in self._outcome]


def model(name: str, *answers: Answer) -> ModelExpert:
    return ModelExpert(source(ScriptedModel(answers), name=name), CLOCK)


def panel(plain: Plain, *models: ModelExpert) -> Panel:
    return Panel([plain], models, CLOCK)


def asked(**given: str) -> ExpertContext:
    return planning("how many orders?", SHOP, **given)


async def forever(_text: str) -> str:
    await asyncio.Event().wait()
    return ""


def names(candidates: Sequence[Candidate]) -> list[str]:
    return [candidate.expert for candidate in candidates]


async def test_experts_take_turns_and_models_begin() -> None:
    one = panel(Plain(["SELECT 2", "SELECT 3"]), model("a", ONE), model("b", ONE))
    assert names(await one.propose(asked())) == ["a", "b", "embedded", "embedded"]


async def test_they_work_at_the_same_time() -> None:
    met = asyncio.Barrier(2)

    async def together(_text: str) -> str:
        await met.wait()
        return ONE

    one = panel(Plain([]), model("a", together), model("b", together))
    async with asyncio.timeout(20):
        assert names(await one.propose(asked())) == ["a", "b"]


async def test_a_model_that_is_late_is_dropped_and_the_rest_decide() -> None:
    one = panel(Plain(["SELECT 2"]), model("slow", forever), model("quick", ONE))
    of = replace(asked(), propose_by=CLOCK.monotonic() + 0.2)
    async with asyncio.timeout(20):
        assert names(await one.propose(of)) == ["quick", "embedded"]
    refused = [event.data for event in of.trace if event.name == "refused"]
    assert [data["expert"] for data in refused] == ["slow"]


async def test_where_time_was_short_it_says_how_much_models_have() -> None:
    of = replace(asked(timeout="20s"), propose_by=CLOCK.monotonic() + 0.2)
    with pytest.raises(BudgetSpent) as caught:
        await panel(Plain(BeyondEngine("no")), model("slow", forever)).propose(of)
    assert "45 % of the setting timeout, which is 20 s here" in caught.value.hint
    late = ModelFailed("host:1 did not answer in time", kind="timeout")  # its own clock is the first to end
    with pytest.raises(BudgetSpent) as caught:
        await panel(Plain(BeyondEngine("no")), model("slow", late)).propose(of)
    assert "45 % of the setting timeout, which is 20 s here" in caught.value.hint
    with pytest.raises(NoExpert) as failed:
        await panel(
            Plain(BeyondEngine("no")), model("down", ModelFailed("host:1 failed", kind="server error"))
        ).propose(asked(timeout="20s"))
    assert "timeout" not in failed.value.hint


async def test_the_log_tells_once_that_a_model_fails_and_that_it_answers_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", "askwire.models")
    refused = ModelFailed("host:1 refused the key", kind="rejected")
    one = panel(Plain(["SELECT 2"]), model("a", refused, refused, ONE, forever))
    for _ in range(3):
        await one.propose(asked())
    await one.propose(replace(asked(), propose_by=CLOCK.monotonic() + 1))
    assert [record.getMessage() for record in caplog.records] == [
        'expert "a" has no answer: host:1 refused the key',
        'expert "a" answers again',
        'expert "a" has no answer: no answer in time',
    ]


async def test_what_is_dropped_has_ended() -> None:
    ended = asyncio.Event()

    async def slow(_text: str) -> str:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return ""

    of = replace(asked(), propose_by=CLOCK.monotonic() + 1)
    await panel(Plain(["SELECT 2"]), model("slow", slow)).propose(of)
    assert ended.is_set()


async def test_when_nobody_has_one_a_model_s_reason_is_told_with_the_engine_s() -> None:
    one = panel(Plain(BeyondEngine("the engine does not know how")), model("a"))
    with pytest.raises(NoExpert, match="no further answer") as caught:
        await one.propose(asked())
    assert caught.value.detail == "The embedded engine: the engine does not know how."


async def test_a_spent_budget_is_told_before_an_unreachable_model() -> None:
    one = panel(Plain(BeyondEngine("no")), model("a"), model("b", forever))
    of = replace(asked(), propose_by=CLOCK.monotonic() + 1)
    with pytest.raises(BudgetSpent):
        await one.propose(of)


async def test_without_models_the_engine_s_reason_is_told() -> None:
    with pytest.raises(BeyondEngine, match="no"):
        await panel(Plain(BeyondEngine("no"))).propose(asked())


async def test_a_lost_session_ends_everything() -> None:
    one = panel(Plain(DatabaseFailed("gone", code="08006")), model("slow", forever))
    with pytest.raises(DatabaseFailed):
        await one.propose(asked())


async def test_cancelling_ends_every_expert() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def slow(_text: str) -> str:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return ""

    asking = asyncio.create_task(panel(Plain([]), model("slow", slow)).propose(asked()))
    await begun.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert ended.is_set()


async def test_only_the_named_are_asked() -> None:
    quiet = model("a")
    one = panel(Plain(["SELECT 2"]), quiet)
    assert names(await one.propose(asked(experts="embedded"))) == ["embedded"]
    with pytest.raises(NoExpert, match="no expert of these names") as caught:
        await one.propose(asked(experts="nobody"))
    assert caught.value.hint == "Experts here are a, embedded."
