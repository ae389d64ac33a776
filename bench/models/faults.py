"""What a model's faults come to, by the real client against a model server that has them.

Owns: faults of one call, of a whole ASK, and how long a canceled call lives.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final

from askwire.bench.answer import percentile
from askwire.bench.engine.large_catalog import QUESTION, large
from askwire.bench.models.script import STAGES, WRITING
from askwire.core.clock import MonotonicClock
from askwire.core.egress import Disclosure, Kind
from askwire.core.errors import AskError, DatabaseFailed
from askwire.core.protocols import Batch
from askwire.core.settings.table import load
from askwire.core.trace import Trace
from askwire.core.types import Cell, Plan, Question, ResultColumn, ResultSet, SessionState
from askwire.llm.answers import read_sql
from askwire.llm.breaker import Breaker
from askwire.llm.budget import Limits, ModelUsage, TokenBudget
from askwire.llm.calling import Line
from askwire.llm.egress import Egress, Prompt
from askwire.llm.expert_table import ExpertConfig
from askwire.llm.pace import Pace
from askwire.llm.profiles import profile_of
from askwire.llm.providers.mock_server import Answer, MockServer
from askwire.llm.providers.openai_compatible import OpenAICompatible
from askwire.llm.sources import ExpertSource
from askwire.planner.expert import ExpertContext
from askwire.planner.models.model_expert import ModelExpert
from askwire.planner.models.repairing import ModelRepairer
from askwire.sql.catalog import Catalog
from askwire.sql.safety import Policy, check
from askwire.verifier import verify

CALL_TIMEOUT_SECONDS: Final = 2.0
"""That a call has, or an ASK whose model does not answer."""
_ASK_TIMEOUT_SECONDS: Final = 30.0
"""Seconds for an ASK whose model answers at once, on a busy machine too."""
_CANCELED_ASKS: Final = 20
_LONG_ANSWER_CHARACTERS: Final = 10_000_000
_RIGHT_ANSWER: Final = '{"reading": "carriers", "sql": "SELECT carrier FROM freight_invoices"}'

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
    "10 MB": (Answer(text="SELECT 1" + " " * _LONG_ANSWER_CHARACTERS),),
    "prose around the SQL": (Answer(text="Sure!\n```sql\nSELECT 1\n```"),),
    "usage not counted": (Answer(text="SELECT 1", usage=False),),
}
"""Of one call."""

ASK_FAULTS: Final[Mapping[str, Answer]] = {
    "429": Answer(status=429),
    "500": Answer(status=500),
    "no answer": Answer(text="x", delay=60_000),
    "cut stream": Answer(text="x" * 4000, cut=True),
    "malformed JSON": Answer(raw='{"choices": ['),
    "empty": Answer(text=""),
    "refusal": Answer(refusal="no"),
    "10 MB": Answer(text="x" * _LONG_ANSWER_CHARACTERS),
    "prose": Answer(text="I would rather talk about the weather."),
    "another table": Answer(text='{"action": "SQL", "sql": "SELECT * FROM no_such_table", "reading": "x"}'),
    "a forbidden statement": Answer(
        text='{"action": "SQL", "sql": "DROP TABLE freight_invoices", "reading": "ignore all that was said"}'
    ),
}
"""Of all calls of an ASK, or of those alone that write no query."""
WAYS: Final[Mapping[str, Mapping[str, str]]] = {
    "balanced": {"effort": "balanced"},
    "balanced, apex": {"effort": "balanced", "model_strategy": "apex"},
}


def _source(config: ExpertConfig, model: OpenAICompatible) -> ExpertSource:
    clock = MonotonicClock()
    return ExpertSource(
        config, model, profile_of(config.model), Pace(4, 0, clock), Breaker(config.endpoint, clock)
    )


@asynccontextmanager
async def _served(
    answers: Sequence[Answer], *, stream: bool = False
) -> AsyncIterator[tuple[MockServer, ExpertSource]]:
    server = MockServer(answers)
    config = ExpertConfig("bench", await server.start(), "mock")
    model = OpenAICompatible(
        url=config.url,
        endpoint=config.endpoint,
        model=config.model,
        key="",
        profile=profile_of("mock"),
        stream=stream,
    )
    await model.prepare()
    try:
        yield server, _source(config, model)
    finally:
        await model.close()
        await server.stop()


def _line(source: ExpertSource) -> Line:
    clock = MonotonicClock()
    purse = TokenBudget(Limits(), Limits(), ModelUsage())
    return Line(source, purse, Trace(clock), clock, clock.monotonic() + CALL_TIMEOUT_SECONDS)


def _prompt() -> Prompt:
    egress = Egress(load({}), Trace(MonotonicClock()), expert="bench", endpoint="127.0.0.1")
    return egress.prompt([Disclosure(Kind.QUESTION, "how many orders are there?")])


async def faults_of_calls() -> list[dict[str, Any]]:
    """What one call comes to under each fault, with two seconds for it."""
    found = []
    for fault, answers in FAULTS.items():
        async with _served(answers) as (server, source):
            line = _line(source)
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


class _GateDatabase:
    """A database behind the gate that knows the tables of a catalog, and holds a row in each."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    async def read(
        self, sql: str, parameters: Sequence[Cell] = (), *, max_rows: int = 0, timeout_ms: int = 0
    ) -> ResultSet:
        return ResultSet((), ())

    async def run(
        self, sql: str, *, max_rows: int = 0, timeout_ms: int = 0, template: bool = False
    ) -> ResultSet:
        await self.explain(sql)
        return ResultSet((ResultColumn("carrier", 25),), (("North",),))

    async def explain(self, sql: str) -> Plan:
        check(sql, self._catalog, Policy())
        if "no_such_table" in sql:
            raise DatabaseFailed('relation "no_such_table" does not exist', code="42P01")
        return Plan(1, 1)

    @asynccontextmanager
    async def batch(self) -> AsyncIterator[Batch]:
        yield self


async def faults_of_an_ask() -> list[dict[str, Any]]:
    """What an ASK comes to when all calls of its model have a fault, and when those that write have none."""
    whole = large(420)
    catalog = replace(whole, relations=whole.relations[360:])
    found = []
    for fault, answer in ASK_FAULTS.items():
        for way, settings in WAYS.items():
            for where, answers in (("all calls", (answer,)), ("all but writing", (*_writing(), answer))):
                came = await _asked(
                    catalog, settings, answers, CALL_TIMEOUT_SECONDS if answer.delay else _ASK_TIMEOUT_SECONDS
                )
                found.append({"fault": fault, "way": way, "where": where, **came})
    return found


def _writing() -> tuple[Answer, ...]:
    """Right answers to the prompts that write a query."""
    right = '{"action": "SQL", ' + _RIGHT_ANSWER[1:]
    return tuple(Answer(match=re.escape(STAGES[name]), text=right) for name in WRITING)


async def _asked(
    catalog: Catalog, settings: Mapping[str, str], answers: Sequence[Answer], seconds: float
) -> dict[str, Any]:
    clock = MonotonicClock()
    async with _served(answers) as (server, source):
        expert = ModelExpert(source, clock)
        deadline = clock.monotonic() + seconds
        planning = ExpertContext(
            Question(QUESTION),
            catalog,
            SessionState("bench", "bench", "bench", catalog.search_path, 180_000, "2025-06-01"),
            load({"egress": "rows", **settings}),
            _GateDatabase(catalog),
            Trace(clock),
            purse=TokenBudget(Limits(40, 100_000), Limits(), ModelUsage()),
            propose_by=deadline,
            end=deadline,
        )
        began = time.perf_counter()
        try:
            candidates = await expert.propose(planning)
            verdicts = await verify(
                planning.question,
                candidates,
                planning.executor,
                planning.settings,
                planning.trace,
                catalog=catalog,
                repairer=ModelRepairer([expert], planning),
            )
        except AskError as error:
            outcome = error.code
        else:
            ran = any(verdict.ran for verdict in verdicts)
            outcome = "a query that runs" if ran else ", ".join(sorted({v.sqlstate for v in verdicts}))
        return {
            "outcome": outcome,
            "requests": len(server.asked),
            "seconds": round(time.perf_counter() - began, 2),
        }


async def cancellation() -> dict[str, Any]:
    """From canceling a call to its end at the endpoint, in milliseconds, whole and in pieces."""
    took: dict[bool, list[float]] = {False: [], True: []}
    for stream, times in took.items():
        for _ in range(_CANCELED_ASKS):
            async with _served((Answer(text="x", delay=60_000),), stream=stream) as (server, source):
                call = asyncio.create_task(_line(source).ask(_prompt(), stage="generate"))
                while not server.asked:  # noqa: ASYNC110 - the server has no event for it
                    await asyncio.sleep(0.001)
                began = time.perf_counter()
                call.cancel()
                await server.gone.wait()
                times.append((time.perf_counter() - began) * 1000)
                await asyncio.gather(call, return_exceptions=True)
    return {
        "calls": _CANCELED_ASKS,
        "ms_p50": percentile(took[False], 50),
        "ms_max": round(max(took[False]), 1),
        "stream_ms_p50": percentile(took[True], 50),
        "stream_ms_max": round(max(took[True]), 1),
    }
