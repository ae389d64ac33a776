"""One question asked in one way: what models propose, tried and chosen as an ASK does.

Owns: that course, without a server and without time limits, so that it comes to the same again.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from askwire.bench.connection import Connection, DirectExecutor
from askwire.bench.question_files import BenchQuestion
from askwire.core.clock import MonotonicClock
from askwire.core.errors import AskError, NoExpert
from askwire.core.protocols import Batch
from askwire.core.settings.budgets import ASK_CALLS, ASK_COST, ASK_TOKENS
from askwire.core.settings.table import CHECKS, PROBE_MAX_COST, REVIEW, Settings
from askwire.core.trace import Trace
from askwire.core.types import Candidate, Choice, Question, SessionState, Verdict
from askwire.llm.budget import Limits, ModelUsage, TokenBudget
from askwire.llm.sources import ExpertSource
from askwire.planner.expert import ExpertContext
from askwire.planner.merging import merge
from askwire.planner.models.expert_task import side_by_side
from askwire.planner.models.model_expert import ModelExpert
from askwire.planner.models.notes import NoteMaker
from askwire.planner.models.ranking import Ranker
from askwire.planner.models.repairing import ModelRepairer
from askwire.selector import select
from askwire.sql.catalog import Catalog
from askwire.sql.safety import Policy, check
from askwire.verifier import verify
from askwire.verifier.requirements import demands
from askwire.verifier.review.desk import Desk
from askwire.verifier.review.desk import load as load_reviews
from askwire.verifier.review.model_reviewer import ModelReviewer


@dataclass(frozen=True)
class Place:
    """A schema that questions are asked of; `today` is the day that was when they were first asked."""

    catalog: Catalog
    today: str
    ranker: Ranker
    noting: tuple[NoteMaker, ...]


class _InTurn:
    """An executor whose batches wait for each other, as those of a session do."""

    def __init__(self, executor: DirectExecutor) -> None:
        self._executor = executor
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def batch(self) -> AsyncIterator[Batch]:
        """A read-only batch, when it is its turn."""
        async with self._turn, self._executor.batch() as batch:
            yield batch


async def ask(
    one: BenchQuestion,
    sources: Sequence[ExpertSource],
    settings: Settings,
    connection: Connection,
    place: Place,
) -> dict[str, Any]:
    """The line of one question: its query or why there is none, and what that took, in calls and tokens.

    `sent` tells what models were sent from anything else that they could have been. Each expert has what an
    ASK may spend for itself: what it does must not depend on when another one spends.
    """
    clock = MonotonicClock()
    catalog = place.catalog
    trace = Trace(clock)
    executor = _InTurn(
        DirectExecutor(
            connection,
            lambda sql: check(sql, catalog, Policy()).sql,
            max_cost=settings[PROBE_MAX_COST],
        )
    )
    planning = ExpertContext(
        Question(one.question, one.evidence),
        catalog,
        SessionState("bench", "bench", "bench", catalog.search_path, _version(connection), place.today),
        settings,
        executor,
        trace,
        demands=demands(Question(one.question, one.evidence)) if settings[CHECKS] == "rules" else (),
    )
    experts = [ModelExpert(source, clock, ranker=place.ranker, noting=place.noting) for source in sources]
    purses = [TokenBudget(_limits(settings), Limits(), ModelUsage()) for _ in sources]
    plans = [replace(planning, purse=purse) for purse in purses]
    verdicts: Sequence[Verdict] = ()
    choice: Choice | None = None
    error: dict[str, str] | None = None
    try:
        candidates = await _proposed(experts, plans)
        verdicts = await verify(
            planning.question,
            candidates,
            executor,
            settings,
            trace,
            catalog=catalog,
            repairer=ModelRepairer(experts, planning),
            reviewer=_reviewer(experts, planning),
        )
        choice = await select(planning.question, verdicts, settings, trace)
    except AskError as failed:
        error = {"code": failed.code}
    ran = [verdict.sql for verdict in verdicts if verdict.ran]
    called = [event.data for event in trace if event.stage == "model" and event.name == "called"]
    return {
        "id": one.id,
        "db_id": one.db_id,
        "sql": choice.verdict.sql if choice else None,
        "best_sql": choice.verdict.sql if choice else ran[0] if ran else None,
        "confidence": None,
        "error": error,
        "candidates": [{"sql": verdict.sql} for verdict in verdicts],
        "calls": len(called),
        "failed_calls": sum(call["outcome"] != "answered" for call in called),
        "prompt_tokens": sum(_count(call["prompt_tokens"]) for call in called),
        "completion_tokens": sum(_count(call["completion_tokens"]) for call in called),
        "cost": round(sum(purse.spent.cost for purse in purses), 6),
        "sent": _sent(trace),
    }


def _limits(settings: Settings) -> Limits:
    return Limits(settings[ASK_CALLS], settings[ASK_TOKENS], settings[ASK_COST])


async def _proposed(experts: Sequence[ModelExpert], plans: Sequence[ExpertContext]) -> list[Candidate]:
    """The candidates of all experts by turns; raises the first one's reason where no one has any."""

    async def proposed(expert: ModelExpert, planning: ExpertContext) -> Sequence[Candidate] | AskError:
        try:
            return await expert.propose(planning)
        except AskError as error:
            return error

    answers = await side_by_side(map(proposed, experts, plans))
    found = [answer for answer in answers if not isinstance(answer, AskError)]
    candidates = [one for turn in zip_longest(*found) for one in turn if one is not None]
    if not candidates:
        raise next(
            (a for a in answers if isinstance(a, AskError)), NoExpert("no expert has proposed anything")
        )
    merged = await merge(candidates)
    for expert in experts:
        expert.proposed(plans[0], {c.sql for c in merged if c.expert == expert.name})
    return merged


def _sent(trace: Trace) -> str:
    """A digest of all prompts, whatever their order: experts work at the same time."""
    left = sorted(f"{e.data['expert']} {e.data['sha256']}" for e in trace if e.name == "left")
    return hashlib.sha256("\n".join(left).encode()).hexdigest()[:16]


def _reviewer(experts: Sequence[ModelExpert], planning: ExpertContext) -> ModelReviewer | None:
    """The models as reviewers, where a way or its settings say so."""
    known = [w for expert in experts if (w := expert.for_repair(planning)) is not None]
    strategies = planning.settings[REVIEW].union(*(w.asking.course.opinions for w in known))
    if not strategies:
        return None
    prompts = load_reviews()
    desks = [Desk(w.asking.line, w.asking.egress, prompts, w.schema, w.wrote) for w in known]
    return ModelReviewer(desks, strategies, planning.trace)


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def _version(connection: Connection) -> int:
    return connection.info.server_version
