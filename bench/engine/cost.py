"""What the embedded engine costs: processor time per question, and what an index takes in time and memory.

Owns: the run in this process, without a proxy and without trying candidates, and the indexes of large made-up
schemas.
"""

from __future__ import annotations

import asyncio
import gc
import hashlib
import json
import time
import tracemalloc
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from statistics import median
from typing import Any, Final

from askwire.bench.answer import percentile
from askwire.bench.connection import DirectExecutor, connected, read_catalog
from askwire.bench.engine.large_catalog import as_rows, large
from askwire.bench.progress import Progress
from askwire.bench.question_files import BenchQuestion
from askwire.bench.train_embedded.collect import TODAY
from askwire.core.clock import MonotonicClock
from askwire.core.errors import AskError
from askwire.core.settings.table import load
from askwire.core.trace import Trace
from askwire.core.types import Question, SessionState
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.schemas import Schemas
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Column
from askwire.sql.introspection.catalog_rows import BuiltCatalog, Introspection

SIZES: Final = ((300, 12), (300, 30), (1000, 30))
"""Tables and columns of the schemas that are indexed."""
ALTERED: Final = 5
"""Times that one table is altered, of which the median counts."""
REFRESHED: Final = (100, 12)
MOST_REFRESHED: Final = 200
"""The schema of which one table is altered so often, to see whether memory grows."""


def measure(dsn: str, questions: Sequence[BenchQuestion]) -> dict[str, Any]:
    """Milliseconds of processor time per question and per index, megabytes per index.

    Of an index `catalog_cpu_ms` is for the catalog from rows of the system catalogs, `cpu_ms` for its index;
    `altered_…` the same after one table got another column. `mb_after_alterations` is for many of these.

    `proposals` is a digest of all that was proposed: the same before and after a change that only makes
    things faster.
    """
    return asyncio.run(_questions(dsn, questions)) | {
        "indexes": {f"{tables} tables of {columns}": _index(tables, columns) for tables, columns in SIZES},
        "mb_after_alterations": _growth(),
    }


async def _questions(dsn: str, questions: Sequence[BenchQuestion]) -> dict[str, Any]:
    by_schema: dict[str, list[BenchQuestion]] = defaultdict(list)
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
    planning = ExpertContext(question, catalog, session, load(), executor, Trace(MonotonicClock()))
    try:
        return [candidate.sql for candidate in await engine.propose(planning)]
    except AskError as error:
        return [error.code]


def _index(tables: int, columns: int) -> dict[str, Any]:
    """Of one schema: its catalog and its index, made first and after one ALTER TABLE."""
    catalog = large(tables, columns)
    made = _IndexedSchema()
    first = made.again(catalog)
    after = [made.again(_wider(catalog, number)) for number in range(ALTERED)]
    tracemalloc.start()
    kept = Schemas()
    kept.schema(catalog, True)
    size, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return {
        "catalog_cpu_ms": round(first[0] * 1000),
        "cpu_ms": round(first[1] * 1000),
        "altered_catalog_cpu_ms": round(median(a for a, _ in after) * 1000),
        "altered_cpu_ms": round(median(b for _, b in after) * 1000),
        "mb": round(size / 2**20, 1),
        "peak_mb": round(peak / 2**20, 1),
    }


def _growth() -> dict[str, float]:
    """Megabytes after so many times ALTER TABLE."""
    catalog = large(*REFRESHED)
    found = {}
    tracemalloc.start()
    made = _IndexedSchema()
    made.again(catalog)
    for number in range(1, MOST_REFRESHED + 1):
        made.again(_wider(catalog, number))
        if number * 2 in {MOST_REFRESHED, 2 * MOST_REFRESHED}:
            gc.collect()
            found[str(number)] = round(tracemalloc.get_traced_memory()[0] / 2**20, 2)
    tracemalloc.stop()
    return found


def _wider(catalog: Catalog, number: int) -> Catalog:
    """The catalog after ALTER TABLE … ADD COLUMN of one table in its middle."""
    middle = catalog.relations[len(catalog.relations) // 2]
    more = Column(f"remark_{number:04}", "text", 25, "S", len(middle.columns) + 1)
    wider = replace(middle, columns=(*middle.columns, more))
    return replace(catalog, relations=tuple(wider if r is middle else r for r in catalog))


class _IndexedSchema:
    """An engine, and what was made of a schema for it last."""

    def __init__(self) -> None:
        self._built: BuiltCatalog | None = None
        self._schemas = Schemas()

    def again(self, catalog: Catalog) -> tuple[float, float]:
        """Seconds of processor time for the catalog from its rows, and for the index of it."""
        relations, attachments, statistics = as_rows(catalog)
        session = SessionState("", "", "", catalog.search_path, 0, TODAY)
        began = time.process_time()
        told = Introspection(relations, attachments)
        unchanged = told.unchanged(self._built) if self._built else frozenset[int]()
        self._built = told.build(session, statistics, "", self._built, unchanged)
        made = time.process_time()
        self._schemas.schema(self._built.catalog, True)
        return made - began, time.process_time() - made
