"""What the embedded engine costs: processor time per question, and what an index takes in time and memory.

Owns: the run in this process, without a proxy and without trying candidates, and the indexes of large made-up
schemas. Must not know: how right any answer is; no gold is read.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
import tracemalloc
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

from askwire.bench.answer import percentile
from askwire.bench.connection import DirectExecutor, connected, read_catalog
from askwire.bench.large_catalog import large
from askwire.bench.progress import Progress
from askwire.bench.question_files import Asked
from askwire.bench.train_embedded.collect import TODAY
from askwire.core.clock import MonotonicClock
from askwire.core.errors import AskError
from askwire.core.settings import load
from askwire.core.trace import Trace
from askwire.core.types import Question, SessionState
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import Planning
from askwire.sql.catalog import Catalog

SIZES: Final = ((300, 12), (300, 30), (1000, 30))
"""Tables and columns of the schemas that are indexed."""


def measure(dsn: str, questions: Sequence[Asked]) -> dict[str, Any]:
    """Milliseconds of processor time per question and per index, megabytes per index.

    `proposals` is a digest of all that was proposed: the same before and after a change that only makes
    things faster.
    """
    return asyncio.run(_questions(dsn, questions)) | {"indexes": asyncio.run(_indexes())}


async def _questions(dsn: str, questions: Sequence[Asked]) -> dict[str, Any]:
    by_schema: dict[str, list[Asked]] = defaultdict(list)
    for asked in questions:
        by_schema[asked.db_id].append(asked)
    engine = EmbeddedEngine()
    proposed: dict[str, list[str]] = {}
    spent: list[float] = []
    with Progress("engine", len(questions)) as bar:
        for db_id, group in by_schema.items():
            async with connected(dsn, db_id) as connection:
                executor = DirectExecutor(connection)
                catalog = await read_catalog(executor)
                engine.index(catalog, whole=False)
                for asked in group:
                    question = Question(asked.question, asked.evidence)
                    began = time.process_time()
                    proposed[asked.id] = await _proposed(engine, question, catalog, executor)
                    spent.append((time.process_time() - began) * 1000)
                    bar.step()
    told = json.dumps(proposed, sort_keys=True).encode()
    return {
        "questions": len(questions),
        "cpu_ms_p50": percentile(spent, 50),
        "cpu_ms_p95": percentile(spent, 95),
        "cpu_ms_mean": round(sum(spent) / len(spent), 1) if spent else None,
        "proposals": hashlib.sha1(told, usedforsecurity=False).hexdigest(),
    }


async def _proposed(
    engine: EmbeddedEngine, question: Question, catalog: Catalog, executor: DirectExecutor
) -> list[str]:
    session = SessionState("", "", "", catalog.search_path, 0, TODAY)
    planning = Planning(question, catalog, session, load(), executor, Trace(MonotonicClock()))
    try:
        return [candidate.sql for candidate in await engine.propose(planning)]
    except AskError as error:
        return [error.code]


async def _indexes() -> dict[str, Any]:
    found = {}
    for tables, columns in SIZES:
        catalog = large(tables, columns)
        began = time.process_time()
        EmbeddedEngine().index(catalog, whole=True)
        spent = time.process_time() - began
        tracemalloc.start()
        kept = EmbeddedEngine()
        kept.index(catalog, whole=True)
        size, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        found[f"{tables} tables of {columns}"] = {
            "cpu_ms": round(spent * 1000),
            "mb": round(size / 2**20, 1),
            "peak_mb": round(peak / 2**20, 1),
        }
    return found
