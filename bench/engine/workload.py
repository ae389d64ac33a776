"""What people's queries are worth to the embedded engine: half of the gold as history, half as questions.

Owns: the four ways (with and without foreign keys, with and without history) and their figures. Every second
question's gold is the history, or what a file says that people write (then all questions are asked); of the
questions asked only their text and evidence reach the engine.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from askwire.bench.connection import DirectExecutor, connected, read_catalog
from askwire.bench.execution import Runner, StatementFailed, comparable
from askwire.bench.progress import Progress
from askwire.bench.question_files import BenchQuestion, Gold, read_asked, read_gold, read_lines
from askwire.bench.train_embedded.collect import TODAY
from askwire.core.clock import MonotonicClock
from askwire.core.errors import AskError
from askwire.core.settings.table import ANSWER_CONFIDENCE, load
from askwire.core.trace import Trace
from askwire.core.types import Candidate, Question, SessionState
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog
from askwire.sql.query_patterns.extraction import observed
from askwire.sql.query_patterns.patterns import QueryPatterns

WAYS: Final = ("keys", "keys_history", "no_keys", "no_keys_history")
MIN_SURE_CONFIDENCE: Final = 0.8
"""From this confidence on an answer is shown without a word of doubt."""
_TIMEOUT: Final = 5.0


def measure(
    dsn: str, questions: Path, databases: Sequence[str], history: Path | None = None
) -> dict[str, Any]:
    """By way, in percent of all questions: `best` candidates that are right, `top1` answered and right.

    `wrong` were answered wrongly, `sure_wrong` of these without a word of doubt. `history` is a folder with a
    file of statements for each database, `NAME.sql`.
    """
    asked = {name: q for name, q in _asked(questions).items() if name in databases}
    return asyncio.run(_measure(dsn, asked, history))


def _asked(questions: Path) -> dict[str, list[tuple[BenchQuestion, Gold]]]:
    trivial = {line["id"] for line in read_lines(questions) if line.get("trivial")}
    found: dict[str, list[tuple[BenchQuestion, Gold]]] = defaultdict(list)
    for asked, gold in zip(read_asked(questions), read_gold(questions), strict=True):
        if asked.id not in trivial:
            found[asked.db_id].append((asked, gold))
    return dict(sorted(found.items()))


async def _measure(
    dsn: str, asked: dict[str, list[tuple[BenchQuestion, Gold]]], history: Path | None
) -> dict[str, Any]:
    total: Counter[tuple[str, str]] = Counter()
    count = 0
    by_database: dict[str, Any] = {}
    held_back = {name: q if history else q[1::2] for name, q in asked.items()}
    with Progress("workload", sum(map(len, held_back.values())) * len(WAYS)) as progress:
        for db_id, questions in asked.items():
            told = [gold.golds[0] for _, gold in questions[0::2]]
            if history:
                told = _statements(history / f"{db_id}.sql")
            found = await _database(dsn, db_id, told, held_back[db_id], progress)
            number = len(held_back[db_id])
            by_database[db_id] = {"questions": number} | {way: found[way, "best"] for way in WAYS}
            total.update(found)
            count += number
    shares = {way: {kind: round(100 * total[way, kind] / max(1, count), 1) for kind in KINDS} for way in WAYS}
    return {"questions": count} | shares | {"databases": by_database}


KINDS: Final = ("best", "top1", "wrong", "sure_wrong")


def _statements(path: Path) -> list[str]:
    """The statements of a script, one after the other."""
    return [sql for sql in path.read_text("utf-8").split(";\n") if sql.strip()]


async def _database(
    dsn: str,
    db_id: str,
    told: Sequence[str],
    questions: Sequence[tuple[BenchQuestion, Gold]],
    progress: Progress,
) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    least = load()[ANSWER_CONFIDENCE]
    async with connected(dsn, db_id) as connection:
        executor = DirectExecutor(connection)
        catalog = await read_catalog(executor)
        bare = replace(catalog, relations=tuple(replace(r, foreign_keys=()) for r in catalog))
        query_patterns = QueryPatterns()
        for sql in told:
            query_patterns.add(observed(sql, catalog))
        with Runner(dsn, db_id, timeout=_TIMEOUT) as runner:
            for way, seen, given in zip(
                WAYS,
                (catalog, catalog, bare, bare),
                (None, query_patterns, None, query_patterns),
                strict=True,
            ):
                engine = EmbeddedEngine()
                for asked, gold in questions:
                    best = await _best(engine, asked, seen, given, executor)
                    right = best is not None and _right(runner, best.sql, gold)
                    sure = (best.confidence or 0.0) if best else 0.0
                    found[way, "best"] += right
                    found[way, "top1"] += right and sure >= least
                    found[way, "wrong"] += sure >= least and not right
                    found[way, "sure_wrong"] += sure >= MIN_SURE_CONFIDENCE and not right
                    progress.step()
    return found


async def _best(
    engine: EmbeddedEngine,
    asked: BenchQuestion,
    catalog: Catalog,
    query_patterns: QueryPatterns | None,
    executor: DirectExecutor,
) -> Candidate | None:
    """The engine's best candidate, None where it has none."""
    session = SessionState("", "", "", catalog.search_path, 0, TODAY)
    question = Question(asked.question, asked.evidence)
    planning = ExpertContext(
        question, catalog, session, load(), executor, Trace(MonotonicClock()), query_patterns=query_patterns
    )
    try:
        candidates = await engine.propose(planning)
    except AskError:
        return None
    return candidates[0] if candidates else None


def _right(runner: Runner, sql: str, gold: Gold) -> bool:
    """Whether the answer is that of one of the gold queries."""
    told = _answer(runner, sql, gold)
    return told is not None and any(told == _answer(runner, text, gold) for text in gold.golds)


def _answer(runner: Runner, sql: str, gold: Gold) -> Hashable | None:
    try:
        return comparable(runner.run(sql), ordered=gold.ordered)
    except StatementFailed:
        return None
