"""The prompts of a model as they leave, against golden files, and the stages around them.

After a deliberate change: `ASKWIRE_GOLDEN=write pytest tests/planner/models/test_model_expert.py`.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from enum import Enum
from pathlib import Path

import pytest
from data.shop_catalog import CUSTOMERS, SHOP, EmptyBatch, Still, planning
from doubles.model_doubles import source

from askwire.bench.engine.large_catalog import large
from askwire.bench.models.scripted_model import Answer, ScriptedModel
from askwire.core.errors import ModelFailed, NoExpert
from askwire.core.protocols import Batch
from askwire.core.types import Question, ResultColumn, ResultSet
from askwire.llm.estimate import tokens
from askwire.planner.expert import ExpertContext
from askwire.planner.models.expert_task import PROMPTS, load
from askwire.planner.models.first_drafts import used_relations
from askwire.planner.models.model_expert import ModelExpert
from askwire.planner.models.repairing import ModelRepairer

GOLDEN = Path(__file__).parent / "golden"
PROBE = (
    '{"action": "probe", "sql": "SELECT DISTINCT state FROM customers LIMIT 5", '
    '"columns": ["orders.shipped"]}'
)
DONE = '{"action": "done", "sql": "", "columns": [], "values": []}'
SQL = "SELECT count(*) FROM orders"
WROTE = f'{{"reading": "orders", "sql": "{SQL}"}}'


class Trouble(Enum):
    EMPTY = "no result"


class RepairRequest:
    """A request for repair."""

    question = Question("how many orders went to California?")
    proposed = SQL
    sql = "SELECT count(*) FROM orders WHERE state = 'California'"
    trouble = Trouble.EMPTY
    message = 'column "state" does not exist'
    violations = ("return one number",)
    attempts = (SQL,)
    hint = "Spell values as the data does."


def expert(answers: list[Answer], **changed: object) -> tuple[ModelExpert, ScriptedModel]:
    model = ScriptedModel(answers)
    return ModelExpert(source(model, **changed), Still()), model


def asked(**given: str) -> ExpertContext:
    return planning("how many orders went to California?", SHOP, **given)


@pytest.mark.parametrize("level", ["schema", "rows"])
async def test_prompts_are_as_in_the_golden_files(level: str) -> None:
    looks = [PROBE, DONE] if level == "rows" else []
    one, model = expert([*looks, WROTE, WROTE])
    of = asked(egress=level)
    (candidate,) = await one.propose(of)
    assert (candidate.sql, candidate.reading, candidate.expert) == (SQL, "orders", "local")
    repairer = ModelRepairer([one], of)
    request = RepairRequest()
    if level == "schema":
        request.sql = SQL  # with a constant of unknown origin there is no prompt: see below
    assert await repairer.repair(request) == SQL
    names = ["probe-1", "probe-2", "generate", "repair"] if level == "rows" else ["generate", "repair"]
    for name, call in zip(names, model.calls, strict=True):
        file = GOLDEN / f"{level}-{name}.txt"
        if os.environ.get("ASKWIRE_GOLDEN") == "write":
            file.write_text(call.text + "\n", encoding="utf-8")
        assert call.text + "\n" == file.read_text(encoding="utf-8"), file.name


def test_every_prompt_begins_alike() -> None:
    files = load()
    assert set(files) == set(PROMPTS)
    writing = ("probe", "generate", "repair", "explore", "plan", "critique")
    assert len({files[name].text.partition("{{notes}}")[0] for name in writing}) == 1
    assert len({files[name].text.partition("{{findings}}")[0] for name in writing[:4]}) == 1
    assert files["paths"].text.startswith(files["generate"].text.partition("{{notes}}")[0])
    assert len({files[name].text.partition("Name ")[0] for name in ("prune_drop", "prune_keep")}) == 1
    assert len({files[name].text.partition("{{role}}")[0] for name in ("profile", "decide")}) == 1


async def test_below_rows_a_mended_query_with_a_found_value_is_not_sent_back() -> None:
    one, model = expert([WROTE, WROTE])
    of = asked(egress="schema")
    await one.propose(of)
    request = RepairRequest()
    request.sql = "SELECT count(*) FROM orders WHERE state = 'CA'"
    assert await ModelRepairer([one], of).repair(request) is None
    assert len(model.calls) == 1


async def test_who_did_not_write_it_does_not_repair_it_and_repairs_end() -> None:
    one, model = expert([WROTE] * 9)
    of = asked(effort="fast")
    repairer = ModelRepairer([one], of)
    assert await repairer.repair(RepairRequest()) is None
    await one.propose(of)
    foreign = RepairRequest()
    foreign.proposed = "SELECT 1"
    assert await repairer.repair(foreign) is None
    own = RepairRequest()
    own.sql = SQL
    assert [await repairer.repair(own) for _ in range(3)] == [SQL, None, None]
    assert len(model.calls) == 2


async def test_looks_end_before_the_planned_tokens_are_exceeded() -> None:
    looks = [PROBE.replace("LIMIT 5", f"LIMIT {n}") for n in range(9)]
    one, model = expert([*looks[:5], WROTE])
    of = asked(egress="rows")
    await one.propose(of)
    assert len(model.calls) == 6, "five looks on a small schema, then the query"
    assert sum(tokens(call.text) for call in model.calls) <= 6000


@pytest.mark.slow
async def test_on_a_large_schema_it_looks_once_in_balanced_and_sees_more_in_thorough() -> None:
    catalog = large(900)
    one, model = expert([PROBE, WROTE])
    await one.propose(planning("freight invoices", catalog, egress="rows"))
    assert len(model.calls) == 2
    assert sum(tokens(call.text) for call in model.calls) <= 6000
    one, model = expert([DONE, WROTE], context=32_000)
    of = planning("freight invoices", catalog, egress="rows", effort="thorough", model_linking="off")
    await one.propose(of)
    assert [tokens(call.text) + call.max_tokens <= 32_000 for call in model.calls] == [True, True]
    assert tokens(model.calls[-1].text) > 10_000


@pytest.mark.parametrize(("tables", "looks"), [(4, 3), (8, 2), (12, 1), (18, 1)])
async def test_in_balanced_a_second_look_is_left_out_where_only_that_keeps_to_6000_tokens(
    tables: int, looks: int
) -> None:
    catalog = large(420)
    catalog = replace(catalog, relations=catalog.relations[420 - tables :])
    one, model = expert([*(PROBE.replace("5", f"{n}") for n in range(5, 5 + looks)), WROTE])
    await one.propose(planning("freight invoices", catalog, egress="rows"))
    assert len(model.calls) == looks + 1
    assert sum(tokens(call.text) for call in model.calls) <= 6000


class _Wide(EmptyBatch):
    """A database whose rows are long."""

    async def run(
        self, sql: str, *, max_rows: int = 0, timeout_ms: int = 0, template: bool = False
    ) -> ResultSet:
        columns = tuple(ResultColumn(f"attribute_{n}", 25) for n in range(12))
        return ResultSet(columns, (("a value of some length, as people write them",) * 12,) * 10)


class _WideDatabase:
    @asynccontextmanager
    async def batch(self) -> AsyncIterator[Batch]:
        yield _Wide()


async def test_rows_are_read_of_what_the_question_may_be_about() -> None:
    """`ssev` reads rows of each table, as its paper does."""
    away = replace(CUSTOMERS, oid=9, name="weather", primary_key=())
    catalog = replace(SHOP, relations=(*SHOP.relations, away))
    for strategy, read in (("auto", False), ("ssev", True)):
        one, model = expert([WROTE, WROTE])
        await one.propose(planning("how many orders?", catalog, egress="rows", model_strategy=strategy))
        assert "orders has no rows" in model.calls[0].text
        assert ("weather has no rows" in model.calls[0].text) is read


@pytest.mark.parametrize("tables", [4, 8, 18])
async def test_what_looks_return_is_told_as_far_as_6000_tokens_hold_it(tables: int) -> None:
    catalog = large(420)
    catalog = replace(catalog, relations=catalog.relations[420 - tables :])
    one, model = expert([*(PROBE.replace("5", f"{n}") for n in range(5, 8)), WROTE, WROTE, WROTE])
    of = replace(planning("freight invoices", catalog, egress="rows"), executor=_WideDatabase())
    await one.propose(of)
    assert sum(tokens(call.text) for call in model.calls) <= 6000
    assert any(event.name == "probing told less" for event in of.trace) is (tables > 8)
    assert model.calls[-1].text.count("a value of some length") >= 12, "a row is shown in any case"


async def test_looks_leave_enough_of_the_budget_for_the_query() -> None:
    one, model = expert([WROTE])
    of = planning("freight invoices", large(900), egress="rows", ask_tokens="6000")
    (candidate,) = await one.propose(of)
    assert candidate.sql == SQL
    assert len(model.calls) == 1


@pytest.mark.slow
async def test_a_model_with_a_small_window_is_shown_what_fits() -> None:
    one, model = expert([WROTE], context=4000, max_tokens=500)
    await one.propose(planning("freight invoices", large(900), effort="thorough", model_linking="off"))
    assert tokens(model.calls[0].text) + model.calls[0].max_tokens <= 4000


async def test_a_model_that_fails_while_looking_may_still_write() -> None:
    one, _ = expert([ModelFailed("cut", kind="cut off"), WROTE])
    (candidate,) = await one.propose(asked(egress="rows"))
    assert candidate.sql == SQL


async def test_a_model_that_repeats_a_look_is_not_asked_for_more() -> None:
    one, model = expert([PROBE, PROBE, WROTE])
    await one.propose(asked(egress="rows"))
    assert len(model.calls) == 3


async def test_nothing_leaves_where_nothing_may() -> None:
    one, model = expert([WROTE], egress="none")
    with pytest.raises(NoExpert, match="egress is none"):
        await one.propose(asked(egress="rows"))
    assert model.calls == []


async def test_a_second_round_keeps_both_and_fails_without_harm() -> None:
    second = '{"reading": "r", "sql": "SELECT count(id) FROM orders"}'
    one, model = expert([WROTE, second], style="ssev")
    first, other = await one.propose(asked())
    assert (first.sql, other.sql) == ("SELECT count(id) FROM orders", SQL)
    assert "customers(" not in model.calls[1].text
    one, _ = expert([WROTE, ModelFailed("down", kind="server error")], style="ssev")
    (kept,) = await one.propose(asked())
    assert kept.sql == SQL


def test_relations_of_a_statement() -> None:
    sql = "WITH x AS (SELECT * FROM public.orders) SELECT * FROM x JOIN (SELECT 1) y ON true, nothing"
    assert [r.name for r in used_relations([sql, "no sql"], SHOP)] == ["orders"]
