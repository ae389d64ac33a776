"""What experts that are models cost besides the model, in processor time and tokens of prompts.

Owns: the runs and the figures, over questions of real databases and over a schema of 900 tables, by a model
that answers from a script.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Any, Final

from askwire.bench.answer import percentile
from askwire.bench.connection import DirectExecutor, connected, read_catalog
from askwire.bench.engine.large_catalog import QUESTION, large
from askwire.bench.failure import BenchFailure
from askwire.bench.models.faults import cancellation, faults_of_an_ask, faults_of_calls
from askwire.bench.models.script import NO_COLUMN, Script
from askwire.bench.models.scripted_model import ScriptedModel
from askwire.bench.progress import Progress
from askwire.bench.question_files import BenchQuestion, read_asked
from askwire.core.clock import MonotonicClock
from askwire.core.errors import ConfigurationError, DatabaseFailed
from askwire.core.protocols import Batch, Executor, Model
from askwire.core.records import Demonstration
from askwire.core.settings.budgets import ASK_CALLS, ASK_TOKENS
from askwire.core.settings.models import STRATEGIES
from askwire.core.settings.table import load
from askwire.core.trace import Trace
from askwire.core.types import Cell, Plan, Question, ResultColumn, ResultSet, SessionState
from askwire.llm.breaker import Breaker
from askwire.llm.budget import Limits, ModelUsage, TokenBudget
from askwire.llm.estimate import tokens
from askwire.llm.expert_table import ExpertConfig
from askwire.llm.pace import Pace
from askwire.llm.profiles import profile_of
from askwire.llm.providers.openai_compatible import check_installed
from askwire.llm.sources import ExpertSource
from askwire.planner.expert import ExpertContext
from askwire.planner.models.model_expert import ModelExpert
from askwire.planner.models.notes import NoteMaker
from askwire.planner.models.ranking import Ranker
from askwire.planner.models.repairing import ModelRepairer
from askwire.planner.models.retrieval.makers import makers
from askwire.sql.catalog import Catalog
from askwire.store import MemoryStore
from askwire.store.documents import Document
from askwire.verifier import verify
from askwire.verifier.review.desk import Desk
from askwire.verifier.review.desk import load as load_reviews
from askwire.verifier.review.model_reviewer import ModelReviewer

CONTEXT_TOKENS: Final = 32_000
WAYS: Final[Mapping[str, Mapping[str, str]]] = {
    "fast": {"effort": "fast"},
    "balanced": {"effort": "balanced"},
    "thorough": {"effort": "thorough"},
    **{f"balanced, {s}": {"effort": "balanced", "model_strategy": s} for s in STRATEGIES},
}
LARGE_WAYS: Final[Mapping[str, Mapping[str, str]]] = {
    **WAYS,
    "thorough, apex": {"effort": "thorough", "model_strategy": "apex"},
    "thorough, apex, no budget": {
        "effort": "thorough",
        "model_strategy": "apex",
        "ask_calls": "0",
        "ask_tokens": "0",
    },
    "thorough, mistaken": {"effort": "thorough"},
}
MISTAKEN: Final = ("balanced, mistaken", "thorough, mistaken")
"""Ways in which the model's first query names a column that is not there."""
NOTED_WAY: Final = "balanced, documents and feedback"
NOTE_SENTENCE: Final = "It is filled every night from the system that the branches work with. "
_TIMED_RUNS: Final = 3


@dataclass
class Tally:
    """Of one way to work: processor milliseconds per ASK, prompt tokens per ASK and per call, calls per ASK.

    `largest` is the most that one prompt and its answer may have together, in tokens; `stages` the prompt
    tokens of each stage of an ASK, `pruned` how many tables went through pruning.
    """

    cpu: list[float] = field(default_factory=list)
    prompts: list[float] = field(default_factory=list)
    steps: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    stages: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    calls: list[float] = field(default_factory=list)
    largest: int = 0
    pruned: float = 0

    def figures(self) -> dict[str, Any]:
        """The tally as one flat object."""
        return {
            "asks": len(self.cpu),
            "cpu_ms_p50": percentile(self.cpu, 50),
            "cpu_ms_p95": percentile(self.cpu, 95),
            "prompt_tokens_p50": percentile(self.prompts, 50),
            "prompt_tokens_p95": percentile(self.prompts, 95),
            "prompt_tokens_max": max(self.prompts, default=None),
            "calls_p50": percentile(self.calls, 50),
            **{f"{step}_tokens_p50": percentile(seen, 50) for step, seen in sorted(self.steps.items())},
        }


def source(config: ExpertConfig, model: Model) -> ExpertSource:
    """A source over any model."""
    clock = MonotonicClock()
    return ExpertSource(
        config, model, profile_of(config.model), Pace(4, 0, clock), Breaker(config.endpoint, clock)
    )


async def _ask(
    question: str,
    catalog: Catalog,
    executor: Executor,
    way: Mapping[str, str],
    ranker: Ranker,
    tally: Tally,
    noting: Sequence[NoteMaker],
    *,
    mistaken: bool = False,
) -> None:
    """One ASK until its candidates are tried and repaired; the processor time is that of proposing."""
    clock = MonotonicClock()
    trace = Trace(clock)
    model = ScriptedModel(repeat(Script(mistaken=mistaken).answer))
    config = ExpertConfig("bench", "http://127.0.0.1:1/v1", "mock", context=CONTEXT_TOKENS)
    expert = ModelExpert(source(config, model), clock, ranker=ranker, noting=noting)
    # repairs are counted where a query has to be mended: what is wrong with a script's count is silent
    settings = load({"egress": "rows", **({} if mistaken else {"repairs": "0"}), **way})
    planning = ExpertContext(
        Question(question),
        catalog,
        SessionState("bench", "bench", "bench", catalog.search_path, 180_000, "2025-06-01"),
        settings,
        executor,
        trace,
        purse=TokenBudget(Limits(settings[ASK_CALLS], settings[ASK_TOKENS]), Limits(), ModelUsage()),
    )
    began = time.process_time()
    candidates = await expert.propose(planning)
    tally.cpu.append((time.process_time() - began) * 1000)
    await verify(
        planning.question,
        candidates,
        executor,
        settings,
        trace,
        catalog=catalog,
        repairer=ModelRepairer([expert], planning),
        reviewer=_reviewer(expert, planning),
    )
    calls = [event.data for event in trace if event.stage == "model"]
    stages: dict[str, float] = defaultdict(float)
    for call in calls:
        step, sent = str(call["step"]), _number(call["prompt_tokens"])
        tally.steps[step].append(sent)
        stages[step] += sent
    for step, sent in stages.items():
        tally.stages[step].append(sent)
    tally.prompts.append(sum(_number(call["prompt_tokens"]) for call in calls))
    tally.largest = max(tally.largest, *(tokens(call.text) + call.max_tokens for call in model.calls))
    tally.calls.append(len(calls))
    tally.pruned = sum(_number(event.data["relations"]) for event in trace if event.name == "batched")


def _reviewer(expert: ModelExpert, planning: ExpertContext) -> ModelReviewer | None:
    """The model as a reviewer, where its way of working asks for opinions."""
    known = expert.for_repair(planning)
    if known is None or not known.asking.course.opinions:
        return None
    desk = Desk(known.asking.line, known.asking.egress, load_reviews(), known.schema, known.wrote)
    return ModelReviewer([desk], known.asking.course.opinions, planning.trace)


def _number(value: object) -> float:
    return value if isinstance(value, int | float) else 0.0


async def _questions(dsn: str, asked: Sequence[BenchQuestion]) -> dict[str, Any]:
    """Every question once per way, on its own schema, whose index was made by one more before."""
    by_schema: dict[str, list[BenchQuestion]] = defaultdict(list)
    for one in asked:
        by_schema[one.db_id].append(one)
    tallies = {name: Tally() for name in (*WAYS, NOTED_WAY, MISTAKEN[0])}
    plain = makers()
    first = Tally()
    with Progress("asking", len(asked) * len(tallies)) as bar:
        for schema, questions in by_schema.items():
            async with connected(dsn, schema) as connection:
                executor = DirectExecutor(connection)
                catalog = await read_catalog(executor)
                ranker = Ranker()
                await _ask(questions[0].question, catalog, executor, WAYS["fast"], ranker, first, plain)
                told = noted(questions, catalog)
                for name, tally in tallies.items():
                    way, notes = WAYS.get(name, WAYS["balanced"]), told if name == NOTED_WAY else plain
                    for one in questions:
                        mistaken = name in MISTAKEN
                        await _ask(
                            one.question, catalog, executor, way, ranker, tally, notes, mistaken=mistaken
                        )
                        bar.step()
    figures: dict[str, Any] = {name: tally.figures() for name, tally in tallies.items()}
    return {**figures, "first_of_a_schema_cpu_ms_p50": percentile(first.cpu, 50)}


class _SchemaDocuments:
    """Documents about a schema: a section for each table, of the length that people write."""

    def __init__(self, catalog: Catalog) -> None:
        told = (
            f"## {r.name.replace('_', ' ')}\n\nThe table {r.name} holds one row for each. "
            f"Its columns are {', '.join(c.name for c in r.columns)}. {NOTE_SENTENCE * 4}\n"
            for r in catalog.relations
        )
        self._documents = (Document("schema.md", "\n".join(told)),)

    async def read(self) -> Sequence[Document]:
        return self._documents


def noted(questions: Sequence[BenchQuestion], catalog: Catalog) -> tuple[NoteMaker, ...]:
    """Makers of notes that have something to say: documents about all tables, and a confirmed query each.

    What is confirmed are the questions themselves, with a query of the same schema: as similar as can be.
    """
    store = MemoryStore()
    sql = f"SELECT count(*) FROM {catalog.relations[0].name}"
    for n, one in enumerate(questions):
        store.put(Demonstration(str(n), float(n), "bench", "", "bench", one.question, sql))
    return makers(store, "", _SchemaDocuments(catalog))


class _TableDatabase:
    """A database of tables that hold a row each: the large catalog has none behind it."""

    async def read(
        self, sql: str, parameters: Sequence[Cell] = (), *, max_rows: int = 0, timeout_ms: int = 0
    ) -> ResultSet:
        return ResultSet((), ())

    async def run(
        self, sql: str, *, max_rows: int = 0, timeout_ms: int = 0, template: bool = False
    ) -> ResultSet:
        await self.explain(sql)
        columns = tuple(ResultColumn(f"attribute_{n}", 1043) for n in range(12))
        return ResultSet(columns, (("some value of it",) * 12,) * 3)

    async def explain(self, sql: str) -> Plan:
        if NO_COLUMN in sql:
            raise DatabaseFailed(f'column "{NO_COLUMN}" does not exist', code="42703")
        return Plan(1, 1)

    @asynccontextmanager
    async def batch(self) -> AsyncIterator[Batch]:
        yield self


async def tables_900() -> dict[str, Any]:
    """One question of a schema of 900 tables, in every way; `largest` is a prompt with its answer.

    `by_stage` are the prompt tokens of each stage of one ASK, all calls of it together.
    """
    catalog = large(900)
    found: dict[str, Any] = {}
    ranker, noting = Ranker(), makers()
    await _ask(QUESTION, catalog, _TableDatabase(), WAYS["thorough"], ranker, Tally(), noting)
    for name, way in LARGE_WAYS.items():
        tally = Tally()
        for _ in range(_TIMED_RUNS):
            mistaken = name in MISTAKEN
            await _ask(QUESTION, catalog, _TableDatabase(), way, ranker, tally, noting, mistaken=mistaken)
        found[name] = {
            **tally.figures(),
            "largest": tally.largest,
            "window": CONTEXT_TOKENS,
            "pruned": tally.pruned,
            "by_stage": {step: percentile(seen, 50) for step, seen in tally.stages.items()},
        }
    return found


def measure(dsn: str, questions: Path, limit: int | None) -> dict[str, Any]:
    """All figures. Raises BenchFailure where what models need is not installed, and psycopg.Error."""
    try:
        check_installed()
    except ConfigurationError as error:
        raise BenchFailure(f"{error.message}. {error.hint}") from None

    async def run() -> dict[str, Any]:
        return {
            "questions": await _questions(dsn, read_asked(questions)[:limit]),
            "tables_900": await tables_900(),
            "faults": await faults_of_calls(),
            "faults_of_an_ask": await faults_of_an_ask(),
            "cancellation": await cancellation(),
        }

    return asyncio.run(run())
