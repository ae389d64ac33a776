"""One question asked in one way: what a model proposes, tried and chosen as an ASK does.

Owns: that course, without a server and without time limits, so that it comes to the same again. Must not
know: files, other questions, gold SQL.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from askwire.bench.connection import Connection, DirectExecutor
from askwire.bench.question_files import Asked
from askwire.core.clock import MonotonicClock
from askwire.core.errors import AskError
from askwire.core.protocols import Batch
from askwire.core.settings import ASK_CALLS, ASK_COST, ASK_TOKENS, REVIEW, Settings
from askwire.core.trace import Trace
from askwire.core.types import Choice, Question, SessionState, Verdict
from askwire.llm.budget import Limits, Purse, Spending
from askwire.llm.sources import ExpertSource
from askwire.planner.expert import Planning
from askwire.planner.models.model_expert import ModelExpert
from askwire.planner.models.notes import Noting
from askwire.planner.models.ranking import Ranker
from askwire.planner.models.repairing import ModelRepairer
from askwire.selector import select
from askwire.sql.catalog import Catalog
from askwire.sql.safety import Policy, check
from askwire.verifier import verify
from askwire.verifier.review.desk import Desk
from askwire.verifier.review.desk import load as load_reviews
from askwire.verifier.review.model_reviewer import ModelReviewer


@dataclass(frozen=True)
class Place:
    """A schema that questions are asked of; `today` is the day that was when they were first asked."""

    catalog: Catalog
    today: str
    ranker: Ranker
    noting: tuple[Noting, ...]


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
    one: Asked, source: ExpertSource, settings: Settings, connection: Connection, place: Place
) -> dict[str, Any]:
    """The line of one question: its query or why there is none, and what that took, in calls and tokens."""
    clock = MonotonicClock()
    catalog = place.catalog
    trace = Trace(clock)
    executor = _InTurn(DirectExecutor(connection, lambda sql: check(sql, catalog, Policy()).sql))
    planning = Planning(
        Question(one.question, one.evidence),
        catalog,
        SessionState("bench", "bench", "bench", catalog.search_path, _version(connection), place.today),
        settings,
        executor,
        trace,
        purse=Purse(
            Limits(settings[ASK_CALLS], settings[ASK_TOKENS], settings[ASK_COST]), Limits(), Spending()
        ),
    )
    expert = ModelExpert(source, clock, ranker=place.ranker, noting=place.noting)
    verdicts: Sequence[Verdict] = ()
    choice: Choice | None = None
    error: dict[str, str] | None = None
    try:
        candidates = await expert.propose(planning)
        verdicts = await verify(
            planning.question,
            candidates,
            executor,
            settings,
            trace,
            catalog=catalog,
            repairer=ModelRepairer([expert], planning),
            reviewer=_reviewer(expert, planning),
        )
        choice = await select(planning.question, verdicts, settings, trace)
    except AskError as failed:
        error = {"code": failed.code}
    ran = [verdict.sql for verdict in verdicts if verdict.ran]
    spent = planning.purse.spent
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
        "cost": round(spent.cost, 6),
    }


def _reviewer(expert: ModelExpert, planning: Planning) -> ModelReviewer | None:
    """The model as a reviewer, where a way says so (`review`)."""
    known = expert.for_repair(planning)
    if known is None or not planning.settings[REVIEW]:
        return None
    desk = Desk(known.asking.line, known.asking.egress, load_reviews(), known.schema, known.wrote)
    return ModelReviewer([desk], planning.settings[REVIEW], planning.trace)


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def _version(connection: Connection) -> int:
    return connection.info.server_version
