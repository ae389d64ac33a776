"""What experts that are models cost besides the model, and what becomes of its faults. No model is called.

Owns: the runs and the figures: processor time and prompt tokens over questions of real databases, by a model
that answers from a script; a schema of 900 tables; faults and cancellation against the mock server, by the
real client. Must not know: how right any answer is.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Any, Final

from askwire.bench.answer import percentile
from askwire.bench.connection import DirectExecutor, SystemClock, connected, read_catalog
from askwire.bench.failure import BenchFailure
from askwire.bench.large_catalog import QUESTION, large
from askwire.bench.progress import Progress
from askwire.bench.question_files import Asked, read_asked
from askwire.core.egress import Disclosure, Kind
from askwire.core.errors import AskError, ConfigurationError
from askwire.core.protocols import Batch, Executor, Model
from askwire.core.settings import load
from askwire.core.trace import Trace
from askwire.core.types import Cell, Plan, Question, ResultSet, SessionState
from askwire.llm.answers import read_sql
from askwire.llm.breaker import Breaker
from askwire.llm.budget import Limits, Purse, Spending
from askwire.llm.calling import Line
from askwire.llm.egress import Egress, Prompt
from askwire.llm.estimate import tokens
from askwire.llm.expert_table import ExpertConfig
from askwire.llm.pace import Pace
from askwire.llm.profiles import profile_of
from askwire.llm.providers.mock_server import Answer, MockServer
from askwire.llm.providers.openai_compatible import OpenAICompatible, check_installed
from askwire.llm.scripted import ScriptedModel
from askwire.llm.sources import ExpertSource
from askwire.planner.expert import Planning
from askwire.planner.models.model_expert import ModelExpert
from askwire.planner.models.ranking import Ranker
from askwire.sql.catalog import Catalog

EFFORTS: Final = ("fast", "balanced", "thorough")
LOOKS: Final = 3
"""Looks that the script takes; PV-SQL reports 2.65 on average."""
WINDOW: Final = 32_000
_RELATION: Final = re.compile(r'^name "(\S+?)\(', re.MULTILINE)
_CANCELED: Final = 20


@dataclass
class Tally:
    """Of one effort: processor milliseconds per ASK, prompt tokens per ASK and per step, calls per ASK.

    `largest` is the most that one prompt and its answer may have together, in tokens.
    """

    cpu: list[float] = field(default_factory=list)
    prompts: list[float] = field(default_factory=list)
    steps: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    calls: list[float] = field(default_factory=list)
    largest: int = 0

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


class _Script:
    """Looks at relations that are shown, then writes: the same for every ASK."""

    def __init__(self) -> None:
        self._looked = 0

    async def answer(self, text: str) -> str:
        """What the model says to a prompt; names are taken as the prompt has them, escaped for JSON."""
        found = _RELATION.findall(text)
        if '"action": "probe" or "done"' not in text:
            return f'{{"reading": "a count", "sql": "SELECT count(*) FROM {found[0]}"}}'
        self._looked += 1
        if self._looked > LOOKS:
            return '{"action": "done", "sql": "", "columns": [], "values": []}'
        look = f"SELECT * FROM {found[self._looked % len(found)]} LIMIT {self._looked + 2}"
        return f'{{"action": "probe", "sql": "{look}", "columns": [], "values": []}}'


def _config(url: str = "http://127.0.0.1:1/v1") -> ExpertConfig:
    return ExpertConfig("bench", url, "mock", context=WINDOW)


def _source(config: ExpertConfig, model: Model) -> ExpertSource:
    clock = SystemClock()
    return ExpertSource(
        config, model, profile_of(config.model), Pace(4, 0, clock), Breaker(config.endpoint, clock)
    )


async def _ask(
    question: str, catalog: Catalog, executor: Executor, effort: str, ranker: Ranker, tally: Tally
) -> None:
    clock = SystemClock()
    trace = Trace(clock)
    model = ScriptedModel(repeat(_Script().answer))
    expert = ModelExpert(_source(_config(), model), clock, ranker=ranker)
    planning = Planning(
        Question(question),
        catalog,
        SessionState("bench", "bench", "bench", catalog.search_path, 180_000, "2025-06-01"),
        load({"egress": "rows", "effort": effort}),
        executor,
        trace,
    )
    began = time.process_time()
    await expert.propose(planning)
    tally.cpu.append((time.process_time() - began) * 1000)
    calls = [event.data for event in trace if event.stage == "model"]
    for call in calls:
        tally.steps[str(call["step"])].append(_number(call["prompt_tokens"]))
    tally.prompts.append(sum(_number(call["prompt_tokens"]) for call in calls))
    tally.largest = max(tally.largest, *(tokens(call.text) + call.max_tokens for call in model.calls))
    tally.calls.append(len(calls))


def _number(value: object) -> float:
    return value if isinstance(value, int | float) else 0.0


async def _questions(dsn: str, asked: Sequence[Asked]) -> dict[str, Any]:
    """Every question once per effort, on its own schema, whose index was made by one more before."""
    by_schema: dict[str, list[Asked]] = defaultdict(list)
    for one in asked:
        by_schema[one.db_id].append(one)
    tallies = {effort: Tally() for effort in EFFORTS}
    first = Tally()
    with Progress("asking", len(asked) * len(EFFORTS)) as bar:
        for schema, questions in by_schema.items():
            async with connected(dsn, schema) as connection:
                executor = DirectExecutor(connection)
                catalog = await read_catalog(executor)
                ranker = Ranker()
                await _ask(questions[0].question, catalog, executor, EFFORTS[0], ranker, first)
                for effort, tally in tallies.items():
                    for one in questions:
                        await _ask(one.question, catalog, executor, effort, ranker, tally)
                        bar.step()
    figures: dict[str, Any] = {effort: tally.figures() for effort, tally in tallies.items()}
    return {**figures, "first_of_a_schema_cpu_ms_p50": percentile(first.cpu, 50)}


class _Nothing:
    """A database in which nothing is found: the large catalog has no tables behind it."""

    async def read(
        self, sql: str, parameters: Sequence[Cell] = (), *, max_rows: int = 0, timeout_ms: int = 0
    ) -> ResultSet:
        return ResultSet((), ())

    async def run(self, sql: str, *, max_rows: int = 0, timeout_ms: int = 0) -> ResultSet:
        return ResultSet((), ())

    async def explain(self, sql: str) -> Plan:
        return Plan(1, 1)

    @asynccontextmanager
    async def batch(self) -> AsyncIterator[Batch]:
        yield self


async def _large() -> dict[str, Any]:
    """One question of a schema of 900 tables, in every effort; `largest` is a prompt with its answer."""
    catalog = large(900)
    found: dict[str, Any] = {}
    ranker = Ranker()
    await _ask(QUESTION, catalog, _Nothing(), EFFORTS[0], ranker, Tally())
    for effort in EFFORTS:
        tally = Tally()
        for _ in range(5):
            await _ask(QUESTION, catalog, _Nothing(), effort, ranker, tally)
        found[effort] = {**tally.figures(), "largest": tally.largest, "window": WINDOW}
    return found


FAULTS: Final[dict[str, tuple[Answer, ...]]] = {
    "429 twice, then an answer": (Answer(status=429, times=2), Answer(text="SELECT 1")),
    "429 always, Retry-After: 60": (Answer(status=429, retry_after=60),),
    "500 once, then an answer": (Answer(status=500, times=1), Answer(text="SELECT 1")),
    "503 always": (Answer(status=503),),
    "504": (Answer(status=504),),
    "401": (Answer(status=401),),
    "400 to a JSON schema, then an answer": (Answer(status=400, times=1), Answer(text="SELECT 1")),
    "no answer": (Answer(text="SELECT 1", delay=60_000),),
    "cut in the middle": (Answer(text="x" * 4000, cut=True),),
    "malformed JSON": (Answer(raw='{"choices": ['),),
    "empty answer": (Answer(text=""),),
    "refusal": (Answer(refusal="no"),),
    "prose around the SQL": (Answer(text="Sure!\n```sql\nSELECT 1\n```"),),
    "usage not counted": (Answer(text="SELECT 1", usage=False),),
}
_SECONDS: Final = 2.0


@asynccontextmanager
async def _mocked(answers: Sequence[Answer]) -> AsyncIterator[tuple[MockServer, Line]]:
    server = MockServer(answers)
    config = _config(await server.start())
    model = OpenAICompatible(
        url=config.url, endpoint=config.endpoint, model=config.model, key="", profile=profile_of("mock")
    )
    await model.prepare()
    clock = SystemClock()
    purse = Purse(Limits(), Limits(), Spending())
    deadline = clock.monotonic() + _SECONDS
    try:
        yield server, Line(_source(config, model), purse, Trace(clock), clock, deadline)
    finally:
        await model.close()
        await server.stop()


def _prompt() -> Prompt:
    egress = Egress(load({}), Trace(SystemClock()), expert="bench", endpoint="127.0.0.1")
    return egress.prompt([Disclosure(Kind.QUESTION, "how many orders are there?")])


async def _faults() -> list[dict[str, Any]]:
    """What one call comes to under each fault, with two seconds for it."""
    found = []
    for fault, answers in FAULTS.items():
        async with _mocked(answers) as (server, line):
            sql = ""
            try:
                sql = read_sql((await line.ask(_prompt(), stage="generate", schema={"type": "object"})).text)
            except AskError as error:
                code = error.code
            else:
                code = ""
            (call,) = (event.data for event in line.trace)
        found.append(
            {
                "fault": fault,
                "outcome": call["outcome"],
                "sqlstate": code,
                "sql": sql,
                "requests": len(server.asked),
                "counted_tokens": line.purse.spent.tokens,
                "estimated": call["estimated"],
                "ms": call["took_ms"],
            }
        )
    return found


async def _cancellation() -> dict[str, Any]:
    """From canceling a call to its end at the endpoint, in milliseconds."""
    took = []
    for _ in range(_CANCELED):
        async with _mocked((Answer(text="x", delay=60_000),)) as (server, line):
            call = asyncio.create_task(line.ask(_prompt(), stage="generate"))
            while not server.asked:  # noqa: ASYNC110 - the server has no event for it
                await asyncio.sleep(0.001)
            began = time.perf_counter()
            call.cancel()
            await server.gone.wait()
            took.append((time.perf_counter() - began) * 1000)
            await asyncio.gather(call, return_exceptions=True)
    return {"calls": _CANCELED, "ms_p50": percentile(took, 50), "ms_max": round(max(took), 1)}


def measure(dsn: str, questions: Path, limit: int | None) -> dict[str, Any]:
    """All figures. Raises BenchFailure where what models need is not installed, and psycopg.Error."""
    try:
        check_installed()
    except ConfigurationError as error:
        raise BenchFailure(f"{error.message}. {error.hint}") from None

    async def run() -> dict[str, Any]:
        return {
            "questions": await _questions(dsn, read_asked(questions)[:limit]),
            "tables_900": await _large(),
            "faults": await _faults(),
            "cancellation": await _cancellation(),
        }

    return asyncio.run(run())
