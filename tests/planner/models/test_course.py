"""What a model does, as effort, strategy and single settings choose it; the ablations, row by row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import repeat

import pytest
from data.shop_catalog import EmptyBatch, Still, planning
from doubles.model_doubles import source
from doubles.model_stages import MATCH, acted, said, wrote

from askwire.bench.engine.large_catalog import QUESTION, large
from askwire.bench.live.ablations import ABLATIONS, Ablation
from askwire.bench.models.scripted_model import ScriptedModel
from askwire.core.errors import DatabaseFailed
from askwire.core.protocols import Batch
from askwire.core.settings.models import MODEL_SETTINGS, STRATEGIES
from askwire.core.settings.table import REVIEW, TABLE, load
from askwire.core.types import Plan, ResultColumn, ResultSet
from askwire.planner.models.course import CHOICES, COURSES, PipelineConfig, course_of
from askwire.planner.models.model_expert import ModelExpert
from askwire.planner.models.ranking import Ranker
from askwire.planner.models.repairing import ModelRepairer
from askwire.planner.models.retrieval.makers import makers
from askwire.sql.catalog import Catalog
from askwire.verifier import verify
from askwire.verifier.review.desk import Desk
from askwire.verifier.review.desk import load as load_reviews
from askwire.verifier.review.model_reviewer import ModelReviewer

LARGE = large(420)
RANKER = Ranker()
"""Keeps the index of a catalog of which many tests ask."""
SOME = replace(LARGE, relations=LARGE.relations[360:])
"""Too much to be shown in `balanced`."""
FEW = replace(LARGE, relations=LARGE.relations[414:])
REVIEWS = load_reviews()
RIGHT = "SELECT carrier FROM freight_invoices"
WRONG = "SELECT haulier FROM freight_invoices"


TOLD = ("guided", "demonstrated", "consulted", "looked up", "cells")
"""Events of the trace, one for each kind of thing that is shown besides schema and findings."""


class _ObligingModel:
    """A model that answers every prompt, always with a further look until it may take none."""

    def __init__(self) -> None:
        self.looks = 0

    async def answer(self, text: str) -> str:
        name = next(n for n, pattern in MATCH.items() if re.search(pattern, f"\n{text}"))
        if name.startswith("probe"):
            self.looks += 1
            look = f"SELECT {self.looks} FROM freight_invoices LIMIT 1"
            return said(action="probe", sql=look, columns=[], values=[])
        if name == "explore":
            return acted("SQL", sql=WRONG)
        if name == "act":
            return said(thought="x", action="FINISH", sql=WRONG, reading="as asked")
        if name in ("generate", "repair"):
            return wrote(WRONG if name == "generate" else RIGHT)
        if name == "search_schema":
            return said(action="DONE", words="", table="", columns=["freight_invoices.carrier"])
        if name in ("demands", "demands_met"):
            return said(demands=["the carrier is shown"]) if name == "demands" else said(unmet=[1])
        if name in ("review", "answer"):
            return said(sound=True, answers=True, problems=[], not_needed=[])
        return said(
            steps=["find the invoices"]
            if name != "paths"
            else [{"paths": ["a scan"], "keywords": ["where"]}],
            tables=["freight_invoices"]
            if name == "prune_keep"
            else []
            if name == "prune_drop"
            else [{"table": "freight_invoices", "roles": ["target"], "why": "x", "columns": ["carrier"]}],
            columns=[],
            rejected=[],
            queries=[{"why": "x", "sql": "SELECT 1 FROM freight_invoices"}] if name == "profile" else [],
            relevant=True,
            summary="invoices",
            done=True,
            sound=False,
            trouble="be clearer",
        )


class _Wrongly(EmptyBatch):
    """A database that knows no column `haulier`, and one invoice."""

    async def run(
        self, sql: str, *, max_rows: int = 0, timeout_ms: int = 0, template: bool = False
    ) -> ResultSet:
        await self.explain(sql)
        return ResultSet((ResultColumn("carrier", 25),), (("North",),))

    async def explain(self, sql: str) -> Plan:
        if "haulier" in sql:
            raise DatabaseFailed('column "haulier" does not exist', code="42703")
        return Plan(1, 1)


class _Database:
    @asynccontextmanager
    async def batch(self) -> AsyncIterator[Batch]:
        yield _Wrongly()


async def ran(settings: dict[str, str], catalog: Catalog = SOME) -> Counter[str]:
    """The stages that run: calls by step, what was decided between them, and what was shown besides."""
    model = ScriptedModel(repeat(_ObligingModel().answer))
    expert = ModelExpert(source(model), Still(), ranker=RANKER, noting=makers())
    of = replace(planning(QUESTION, catalog, egress="rows", **settings), executor=_Database())
    candidates = await expert.propose(of)
    repairer = ModelRepairer([expert], of)
    known = expert.for_repair(of)
    strategies = of.settings[REVIEW] | (known.asking.course.opinions if known else frozenset())
    desks = (
        [Desk(known.asking.line, known.asking.egress, REVIEWS, known.schema, known.wrote)] if known else []
    )
    reviewer = ModelReviewer(desks, strategies, of.trace) if strategies else None
    await verify(
        of.question, candidates, of.executor, of.settings, of.trace, repairer=repairer, reviewer=reviewer
    )
    steps = Counter(str(e.data["step"]) for e in of.trace if e.stage == "model")
    steps.update(f"second: {e.data['second']}" for e in of.trace if e.name == "first drafts")
    steps.update(f"told: {e.name}" for e in of.trace if e.name in TOLD)
    steps.update("demanded by rule" for e in of.trace if e.name == "demanded")
    return steps


def _row(ablation: Ablation) -> str:
    return f"{ablation.strategy}, {ablation.table}, {ablation.row}"


@pytest.mark.parametrize("ablation", ABLATIONS, ids=_row)
@pytest.mark.slow
async def test_an_ablation_is_settings_that_change_what_runs(ablation: Ablation) -> None:
    assert set(ablation.settings) <= set(TABLE)
    load(ablation.settings)
    compared = next((one for one in ABLATIONS if one.name == ablation.of), None)
    catalog = FEW if ablation.strategy in ("ssev", "pv-sql") else SOME
    base = {"model_strategy": ablation.strategy, "effort": ablation.effort or "balanced"}
    plain = {"effort": (compared.effort if compared else "") or "balanced"} if not ablation.settings else {}
    whole = await ran({**base, **plain, **(compared.settings if compared else {})}, catalog)
    without = await ran({**base, **ablation.settings}, catalog)
    same = compared is ablation or (not ablation.settings and not ablation.effort)
    assert (whole == without) is same


EXPECTED: dict[tuple[str, str], set[str]] = {
    ("fast", "auto"): {"generate"},
    ("balanced", "auto"): {"probe_or_write", "generate"},
    ("balanced", "pv-sql"): {"probe", "generate"},
    ("balanced", "apex"): {
        *("logical_plan", "prune_drop", "prune_keep", "roles", "profile", "decide", "synthesize"),
        *("paths", "explore", "explore, forced"),
    },
    ("balanced", "ssev"): {"generate", "generate again", "second: union"},
    ("balanced", "recap"): {
        *("plan", "plan again", "critique", "act", "search_schema"),
        *("review critique", "review answer"),
    },
    ("thorough", "auto"): {
        *("prune_drop", "prune_keep", "roles", "profile", "decide", "synthesize"),
        *("probe_or_write", "generate", "search_schema", "second: union"),
    },
    ("thorough", "ssev"): {"generate", "generate again", "second: union", "refine"},
}


@pytest.mark.parametrize(("effort", "strategy"), EXPECTED)
@pytest.mark.slow
async def test_effort_and_strategy_choose_the_stages(effort: str, strategy: str) -> None:
    found = set(await ran({"effort": effort, "model_strategy": strategy}, LARGE))
    told = {name for name in found if name.startswith("told: ")}
    assert found - {"repair"} - told == EXPECTED[effort, strategy]
    assert "repair" in found


BESIDES: dict[tuple[str, str], set[str]] = {
    ("fast", "auto"): {"consulted", "cells"},
    ("balanced", "auto"): {"consulted", "demonstrated", "cells"},
    ("thorough", "auto"): {"consulted", "demonstrated", "guided", "looked up", "cells"},
    ("balanced", "pv-sql"): set(),
    ("balanced", "apex"): {"consulted", "guided"},
    ("balanced", "ssev"): {"cells", "demonstrated"},
    ("balanced", "recap"): {"consulted", "looked up"},
}


@pytest.mark.parametrize(("effort", "strategy"), BESIDES)
async def test_effort_and_strategy_choose_what_is_told_besides(effort: str, strategy: str) -> None:
    found = await ran({"effort": effort, "model_strategy": strategy}, FEW)
    assert {name for name in TOLD if found[f"told: {name}"]} == BESIDES[effort, strategy]


@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_fast_is_one_call_whatever_is_chosen(strategy: str) -> None:
    settings = {
        "model_probing": "apex",
        "model_plan": "steps",
        "model_linking": "always",
        "model_second": "own",
    }
    found = await ran({"effort": "fast", "model_strategy": strategy, **settings, "repairs": "0"})
    assert found == {"generate": 1, "told: consulted": 1, "told: cells": 1}


def test_every_setting_of_models_but_the_strategy_is_a_choice_of_the_course() -> None:
    assert {s.name for s in CHOICES.values()} == {
        s.name for s in MODEL_SETTINGS if s.name.startswith("model_") and s.name != "model_strategy"
    }
    assert set(CHOICES) <= set(PipelineConfig.__dataclass_fields__)
    assert {s for table in COURSES.values() for s in table} == {"auto", *STRATEGIES}


@pytest.mark.parametrize("name", CHOICES)
def test_a_setting_changes_its_choice_and_no_other(name: str) -> None:
    setting = CHOICES[name]
    tried: Sequence[str] = ("off", "on", "7", "own", "prune", "keep", "logical", "apex", "embedding", "both")
    values = [value for value in tried if _reads(name, value)]
    plain = course_of(load({}), "apex")
    for value in values:
        changed = course_of(load({setting.name: value}), "apex")
        same = replace(changed, **{name: getattr(plain, name)})
        assert same == plain
    assert any(course_of(load({setting.name: v}), "apex") != plain for v in values)


def _reads(name: str, value: str) -> bool:
    try:
        CHOICES[name].parse(value)
    except ValueError:
        return False
    return True


def test_a_session_chooses_a_strategy_where_the_operator_has_not() -> None:
    assert course_of(load({}).for_session({"model_strategy": "ssev"}), "auto").second == "union"
    bound = load({"model_strategy": "pv-sql"}).for_session({"model_strategy": "ssev"})
    assert course_of(bound, "auto").second == "off"
    assert course_of(load({}).for_session({"model_cells": "9"}), "auto").cells == 1, "the operator's alone"
