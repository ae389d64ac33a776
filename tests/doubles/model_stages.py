"""What tests of a model's stages share: which prompt is which, an answer to each, and a database behind them.

A stage runs through the real client against a mock server, and its queries through the gate on a real
PostgreSQL.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
from doubles.model_doubles import Monotonic, config, mocked, source
from doubles.postgres_executor import PostgresBatch, PostgresExecutor, session_state
from servers.databases import ANALYZED, Database

from askwire.core.settings.table import load
from askwire.core.trace import Trace
from askwire.core.types import Candidate, Question
from askwire.llm.budget import Limits, ModelUsage, TokenBudget
from askwire.llm.providers.mock_server import Answer, MockServer
from askwire.planner.catalogs import Catalogs
from askwire.planner.expert import ExpertContext
from askwire.planner.models.model_expert import ModelExpert
from askwire.sql.catalog import Catalog
from askwire.sql.safety import Policy, check

MATCH = {
    "probe": r"Before the query is written you may look",
    "probe_or_write": r"\nWhere nothing is unclear, write the query now\.",
    "generate": r"\nWrite the query\. ",
    "repair": r"\nWrite it anew\. ",
    "explore": r"each answer of yours is one action",
    "confirm": r"You check SQL for PostgreSQL",
    "act": r"You follow the plan, one step after the other",
    "plan": r"\nPlan the query before",
    "critique": r"\nJudge the plan",
    "logical_plan": r"\nTake it apart into the steps",
    "merge_plans": r"\nMake one list of steps",
    "paths": r"\nSay for each step how SQL can do it",
    "prune_drop": r"\nName what certainly has nothing to do",
    "prune_keep": r"\nName everything that the query may need",
    "roles": r"\nSay for each table that the query may need",
    "profile": r"\nWrite three to eight small queries",
    "decide": r"\nDoes the query need the table\?",
    "synthesize": r"\nChoose the columns that the query needs",
    "search_schema": r"Each answer of yours is one step",
    "demands": r"\nList what a query has to do",
    "demands_met": r"\nWhich of the demands",
    "review": r"You review SQL for PostgreSQL before it runs",
    "answer": r"\nDoes the result answer the question",
}
"""What tells the prompts apart, by their file."""


def said(**document: object) -> str:
    """An answer as JSON."""
    return json.dumps(document)


def wrote(sql: str, reading: str = "as asked") -> str:
    """The answer that writes a query."""
    return said(reading=reading, sql=sql)


def to(prompt: str, text: str = "", **more: Any) -> Answer:
    """What the mock server answers to a prompt of this name."""
    return Answer(match=MATCH[prompt], text=text, **more)


def acted(action: str, **document: object) -> str:
    """An action of the exploring agent; queries may be texts."""
    queries = [{"why": "to see", "sql": sql} for sql in document.pop("queries", ())]  # type: ignore[attr-defined]
    return said(
        **{"action": action, "queries": queries, "thoughts": "", "sql": "", "reading": "", **document}
    )


class InTurn:
    """An executor whose batches wait for each other, as those of a session do."""

    def __init__(self, executor: PostgresExecutor) -> None:
        self._executor = executor
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def batch(self) -> AsyncIterator[PostgresBatch]:
        async with self._turn, self._executor.batch() as batch:
            yield batch


@dataclass
class Stage:
    """One question of a real database, and an expert whose model answers as scripted."""

    planning: ExpertContext
    experts: list[ModelExpert]
    server: MockServer
    proposed: list[Candidate] = field(default_factory=list)

    @property
    def steps(self) -> Counter[str]:
        """The calls of the model, by step."""
        return Counter(str(e.data["step"]) for e in self.planning.trace if e.stage == "model")

    def events(self, name: str) -> list[dict[str, Any]]:
        """Events of the planner's in the trace."""
        return [dict(e.data) for e in self.planning.trace if e.stage == "planner" and e.name == name]

    def prompts(self, name: str) -> list[str]:
        """The prompts of this name that the server was asked."""
        return [a.prompt for a in self.server.asked if re.search(MATCH[name], a.prompt)]

    async def propose(self) -> list[Candidate]:
        """What the first expert proposes."""
        self.proposed = list(await self.experts[0].propose(self.planning))
        return self.proposed


@asynccontextmanager
async def staged(
    database: Database,
    schema: str,
    question: str,
    *answers: Answer,
    expert: dict[str, Any] | None = None,
    experts: int = 1,
    seconds: float | None = None,
    evidence: str = "",
    limits: Limits | None = None,
    noting: Sequence[Any] = (),
    **given: str,
) -> AsyncIterator[Stage]:
    """A stage over `schema` and nothing else ('': what is there); rows may leave unless settings differ."""
    settings = load({"egress": "rows", **given})
    changed = expert or {}
    async with (
        mocked(*answers, **changed) as mock,
        await psycopg.AsyncConnection.connect(database.dsn(), autocommit=True) as conn,
    ):
        if schema:
            await conn.execute(f"DROP SCHEMA public CASCADE; CREATE SCHEMA public; {schema}")
        await conn.execute(ANALYZED)
        session = await session_state(conn)
        plain = PostgresExecutor(conn)
        async with plain.batch() as batch:
            catalog: Catalog = await Catalogs(Monotonic()).load(batch, session, "test")
        executor = InTurn(PostgresExecutor(conn, lambda sql: check(sql, catalog, Policy()).sql))
        clock = Monotonic()
        deadline = None if seconds is None else clock.monotonic() + seconds
        planning = ExpertContext(
            Question(question, evidence),
            catalog,
            session,
            settings,
            executor,
            Trace(clock),
            purse=TokenBudget(limits or Limits(), Limits(), ModelUsage()),
            propose_by=deadline,
            end=deadline,
        )
        names = [config().name, *(f"other{n}" for n in range(1, experts))]
        made = [
            ModelExpert(source(mock.model, url=mock.url, **{**changed, "name": name}), clock, noting=noting)
            for name in names
        ]
        yield Stage(planning, made, mock.server)
