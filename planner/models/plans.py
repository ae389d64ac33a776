"""Plans: the steps that lead to an answer, before anybody writes SQL.

`logical_plan` knows no schema: N drafts, merged (APEX-SQL, section 3.2.1). `step_plan` knows what is shown
and says which columns the result has; it is criticised and made again (ReCAPAgent-SQL, sections 3.3.1 and
3.3.3). `realisations` lists the ways in which SQL can do the steps (APEX-SQL, section 3.3.1). Owns: these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from askwire.core.egress import Disclosure, Kind
from askwire.core.errors import BudgetSpent, ModelFailed, NoExpert
from askwire.core.protocols import Completion
from askwire.llm.answers import read_object, read_objects, read_text, read_texts
from askwire.planner.models.expert_task import ExpertTask, drafts, side_by_side
from askwire.planner.models.schema_text import ShownSchema

MERGED_DRAFTS: Final = 2
"""Logical plans that are merged (N)."""
DRAFT_TEMPERATURE: Final = 0.8
MERGE_TEMPERATURE: Final = 0.2
_MAX_STEPS: Final = 10
_MAX_STEP_CHARACTERS: Final = 300
_MAX_COLUMNS: Final = 30
_LIST: Final = {"type": "array", "items": {"type": "string"}}

STEPS: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": {"steps": _LIST},
    "required": ["steps"],
    "additionalProperties": False,
}
PLAN: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": {
        "steps": _LIST,
        "columns": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "type": {"type": "string"}},
                "required": ["name", "type"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["steps", "columns"],
    "additionalProperties": False,
}
CRITIQUE: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": {"sound": {"type": "boolean"}, "trouble": {"type": "string"}},
    "required": ["sound", "trouble"],
    "additionalProperties": False,
}
PATHS: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": {
        "steps": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"paths": _LIST, "keywords": _LIST},
                "required": ["paths", "keywords"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["steps"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Plan:
    """Steps, and the columns that the result should have: `name type`, none where no one said."""

    steps: tuple[str, ...]
    columns: tuple[str, ...] = ()
    critiques: int = 0


@dataclass(frozen=True)
class Realisations:
    """Per step the ways in which SQL can do it, in one line, and all operations that these name."""

    paths: tuple[str, ...]
    keywords: tuple[str, ...]


async def logical_plan(asking: ExpertTask) -> Plan:
    """Steps that name no table: `MERGED_DRAFTS` of them, merged.

    One draft that fails leaves the others; a merge that fails leaves the longest draft. Raises the first
    failure where every draft fails, ModelFailed where none has steps.
    """

    async def draft() -> Completion | NoExpert | BudgetSpent:
        try:
            return await asking.ask(
                "logical_plan", {"question": asking.question}, STEPS, temperature=DRAFT_TEMPERATURE
            )
        except (NoExpert, BudgetSpent) as error:
            return error

    answers = await side_by_side(draft() for _ in range(MERGED_DRAFTS))
    failures = [answer for answer in answers if not isinstance(answer, Completion)]
    if len(failures) == len(answers):
        raise failures[0]
    found = [_steps(answer.text) for answer in answers if isinstance(answer, Completion)]
    plans = list(dict.fromkeys(steps for steps in found if steps))
    if not plans:
        raise _no_plan(asking)
    if len(plans) == 1:
        return Plan(plans[0])
    told = [
        Disclosure(Kind.DRAFT, f"plan {number}: {step}")
        for number, steps in enumerate(plans, 1)
        for step in steps
    ]
    inputs = {"question": asking.question, "plans": told}
    merged = await asking.attempt(
        "merge_plans", asking.ask("merge_plans", inputs, STEPS, temperature=MERGE_TEMPERATURE), 1.0
    )
    return Plan((_steps(merged.text) if merged else ()) or max(plans, key=len))


def _steps(text: str) -> tuple[str, ...]:
    return read_texts(read_object(text), "steps", _MAX_STEPS, _MAX_STEP_CHARACTERS)


def _no_plan(asking: ExpertTask) -> ModelFailed:
    return ModelFailed(f'expert "{asking.line.source.name}" made no plan', kind="malformed answer")


async def step_plan(asking: ExpertTask, shown: ShownSchema) -> Plan:
    """Steps over what is shown, with the columns of the result, criticised as often as the course has it.

    Each critique that finds the plan wanting has it made again; one that fails leaves it. Raises ModelFailed,
    NoExpert and BudgetSpent where there is no plan.
    """
    plan = await _planned(asking, shown, Plan(()), "")
    for number in range(asking.course.critiques):
        inputs = {**_common(asking, shown), "steps": _told(plan)}
        judged = await asking.attempt("critique", asking.ask("critique", inputs, CRITIQUE), 1.0)
        document = read_object(judged.text) if judged else None
        trouble = read_text(document, "trouble", 800)
        if document is None or document.get("sound") is True or not trouble:
            break
        again = await asking.attempt("plan", _planned(asking, shown, plan, trouble), 1.0)
        if again is None:
            break
        plan = replace(again, critiques=number + 1)
    return plan


async def _planned(asking: ExpertTask, shown: ShownSchema, before: Plan, trouble: str) -> Plan:
    inputs = {
        **_common(asking, shown),
        "steps": _told(before) if trouble else (),
        "trouble": drafts([trouble] if trouble else [], 800),
    }
    step = "plan again" if trouble else "plan"
    document = read_object((await asking.ask("plan", inputs, PLAN, step=step)).text)
    steps = read_texts(document, "steps", _MAX_STEPS, _MAX_STEP_CHARACTERS)
    if not steps:
        raise _no_plan(asking)
    return Plan(steps, _columns(document))


def _columns(document: Mapping[str, Any] | None) -> tuple[str, ...]:
    named = (
        (read_text(one, "name", 80), read_text(one, "type", 40))
        for one in read_objects(document, "columns", _MAX_COLUMNS)
    )
    return tuple(f"{name} {kind}".strip() for name, kind in named if name)


def _common(asking: ExpertTask, shown: ShownSchema) -> dict[str, Sequence[Disclosure]]:
    return {"schema": shown.parts, "question": asking.question, "notes": ()}


def _told(plan: Plan) -> list[Disclosure]:
    return drafts([*plan.steps, *(["result: " + ", ".join(plan.columns)] if plan.columns else [])])


async def realisations(asking: ExpertTask, shown: ShownSchema, steps: Sequence[str]) -> Realisations:
    """The ways in which SQL can do these steps; raises ModelFailed, NoExpert, BudgetSpent."""
    inputs = {"schema": shown.parts, "question": asking.question, "steps": drafts(steps)}
    document = read_object((await asking.ask("paths", inputs, PATHS)).text)
    lines: list[str] = []
    keywords: dict[str, None] = {}
    for number, entry in enumerate(read_objects(document, "steps", _MAX_STEPS), 1):
        ways = read_texts(entry, "paths", 4, 120)
        if ways:
            lines.append(f"step {number}: " + "; or ".join(ways))
        keywords |= dict.fromkeys(word.upper() for word in read_texts(entry, "keywords", 12, 40))
    return Realisations(tuple(lines), tuple(keywords))
