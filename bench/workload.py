"""What people's queries are worth to the embedded engine: half of the gold as history, half as questions.

Owns: the four ways (with and without foreign keys, with and without history) and their figures. Every second
question's gold is the history; of the others only question and evidence reach the engine. Must not know: how
habits are used.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from askwire.bench.connection import DirectExecutor, connected, read_catalog
from askwire.bench.execution import Failed, Runner, comparable
from askwire.bench.progress import Progress
from askwire.bench.question_files import Asked, Gold
from askwire.bench.train_embedded.collect import TODAY, asked_by_database
from askwire.core.clock import MonotonicClock
from askwire.core.errors import AskError
from askwire.core.settings import load
from askwire.core.trace import Trace
from askwire.core.types import Question, SessionState
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import Planning
from askwire.sql.catalog import Catalog
from askwire.sql.habits import Habits
from askwire.sql.observing import observed

WAYS: Final = ("keys", "keys_history", "no_keys", "no_keys_history")
_TIMEOUT: Final = 5.0


def measure(dsn: str, questions: Path, databases: Sequence[str]) -> dict[str, Any]:
    """Shares of questions whose best candidate is right, in percent, by way and database."""
    asked = {name: q for name, q in asked_by_database(questions).items() if name in databases}
    return asyncio.run(_measure(dsn, asked))


async def _measure(dsn: str, asked: dict[str, list[tuple[Asked, Gold]]]) -> dict[str, Any]:
    right: Counter[str] = Counter()
    count = 0
    by_database: dict[str, Any] = {}
    with Progress("workload", sum(len(q) // 2 for q in asked.values()) * len(WAYS)) as progress:
        for db_id, questions in asked.items():
            found = await _database(dsn, db_id, questions, progress)
            held_back = len(questions[1::2])
            by_database[db_id] = {"questions": held_back} | {way: found[way] for way in WAYS}
            right.update(found)
            count += held_back
    shares = {way: round(100 * right[way] / count, 1) if count else None for way in WAYS}
    return {"questions": count} | shares | {"databases": by_database}


async def _database(
    dsn: str, db_id: str, questions: Sequence[tuple[Asked, Gold]], progress: Progress
) -> Counter[str]:
    right: Counter[str] = Counter()
    async with connected(dsn, db_id) as connection:
        executor = DirectExecutor(connection)
        catalog = await read_catalog(executor)
        bare = replace(catalog, relations=tuple(replace(r, foreign_keys=()) for r in catalog))
        habits = Habits()
        for _, gold in questions[0::2]:
            habits.add(observed(gold.golds[0], catalog))
        with Runner(dsn, db_id, timeout=_TIMEOUT) as runner:
            for way, seen, history in zip(
                WAYS, (catalog, catalog, bare, bare), (None, habits, None, habits), strict=True
            ):
                engine = EmbeddedEngine()
                for asked, gold in questions[1::2]:
                    best = await _best(engine, asked, seen, history, executor)
                    right[way] += bool(best) and _right(runner, best, gold)
                    progress.step()
    return right


async def _best(
    engine: EmbeddedEngine, asked: Asked, catalog: Catalog, habits: Habits | None, executor: DirectExecutor
) -> str:
    """The SQL of the engine's best candidate; '' where it has none."""
    session = SessionState("", "", "", catalog.search_path, 0, TODAY)
    question = Question(asked.question, asked.evidence)
    planning = Planning(question, catalog, session, load(), executor, Trace(MonotonicClock()), habits=habits)
    try:
        candidates = await engine.propose(planning)
    except AskError:
        return ""
    return candidates[0].sql if candidates else ""


def _right(runner: Runner, sql: str, gold: Gold) -> bool:
    """Whether the answer is that of one of the gold queries."""
    told = _answer(runner, sql, gold)
    return told is not None and any(told == _answer(runner, text, gold) for text in gold.golds)


def _answer(runner: Runner, sql: str, gold: Gold) -> Hashable | None:
    try:
        return comparable(runner.run(sql), ordered=gold.ordered)
    except Failed:
        return None
