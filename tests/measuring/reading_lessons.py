"""What an ASK pays for what people taught before it: feedback on other questions, and confirmed SQL.

    PYTHONPATH=.typing python tests/measuring/reading_lessons.py [--dsn postgresql://…] [--rows 100000]

Owns: that measurement. A store is filled with so much feedback, and as many questions with confirmed SQL, all
of one database. Then it is read as an ASK reads it: what became of the readings of a judge's last 1,000
rulings, confirmed SQL of the question, and a paraphrase that has some. Prints a line of JSON for each size:
processor time of this process and time on the clock, in milliseconds, medians. A store that another process
serves has processor time of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, cast

from askwire.core.protocols import Change, R, Store
from askwire.core.records import Demonstration, Feedback, JudgeRuling
from askwire.core.settings.table import load
from askwire.core.types import SessionState
from askwire.proxy.asking.context import AskContext
from askwire.proxy.memory.expert_weights import ExpertWeights
from askwire.proxy.memory.pins import Pins
from askwire.proxy.memory.rejections import Rejections
from askwire.proxy.memory.teaching import Lessons, demonstration_key
from askwire.proxy.session.session_memory import SessionMemory
from askwire.proxy.session.statements.asker import Asker
from askwire.sql.ask import AskOptions
from askwire.sql.catalog import Catalog
from askwire.store import SqliteStore
from askwire.store.postgres.store import PostgresStore
from askwire.store.retention import MAX_RULINGS, Retention
from askwire.store.tables import reading_digest

_PLACE = ("db.example.com:5432", "shop")
_SIZES = (10, 1_000, 10_000, 100_000)
_KEPT_AT_ONCE = 2_000
_TIMES = 7
_ALL = Retention(0, 0, 0)


class _Patient:
    """A store that is given the time it takes."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def find(self, kind: type[R], *given: Any, **named: Any) -> Sequence[R]:
        return await self._store.find(kind, *given, **(named | {"timeout": 600}))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description="Measure what an ASK pays for what was taught before it.")
    parser.add_argument("--dsn", help="a PostgreSQL store to fill, which holds no records; else a file is")
    parser.add_argument("--rows", type=int, default=_SIZES[-1], help="the most rows (100,000)")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_measure(chosen.dsn, Path(folder), chosen.rows))
    return 0


async def _measure(dsn: str | None, folder: Path, most: int) -> None:
    store: Store
    store = PostgresStore(dsn, retention=_ALL) if dsn else SqliteStore(folder / "store", retention=_ALL)
    there = 0
    for size in (size for size in _SIZES if size <= most):
        for first in range(there, size, _KEPT_AT_ONCE):
            numbers = range(first, min(size, first + _KEPT_AT_ONCE))
            await store.keep(*map(_feedback, numbers), *map(_confirmed, numbers), timeout=600)
        there = size
        sys.stdout.write(json.dumps({"rows": size, **await _reading(store)}) + "\n")
    await store.close()


async def _reading(store: Store) -> dict[str, tuple[float, float]]:
    patient = cast("Store", _Patient(store))
    weights = ExpertWeights(patient, time.time)
    lessons = Lessons(patient, Pins(patient, time.time), weights, time.time, Rejections(patient))
    rulings = [_ruling(number) for number in range(MAX_RULINGS)]
    asked = _context("How many dogs over 7?")

    async def after_feedback() -> object:
        weights.heard(Change())
        return await weights.outcomes(asked, rulings)

    operations: dict[str, Callable[[], Awaitable[object]]] = {
        "outcomes": partial(weights.outcomes, asked, rulings),
        "outcomes_after_feedback": after_feedback,
        "confirmed": partial(lessons.sql_for, asked),
        "paraphrase": partial(lessons.asked_before, _context("number of dogs over 7")),
    }
    return {name: await _timed(operation) for name, operation in operations.items()}


async def _timed(operation: Callable[[], Awaitable[object]]) -> tuple[float, float]:
    """Processor time and time on the clock, in milliseconds."""
    took = []
    for _ in range(_TIMES):
        worked, began = time.process_time(), time.perf_counter()
        if not await operation():
            raise AssertionError("nothing was found")
        took.append((time.process_time() - worked, time.perf_counter() - began))
    return round(median(cpu for cpu, _ in took) * 1000, 2), round(median(at for _, at in took) * 1000, 2)


def _asked(number: int) -> tuple[str, str]:
    return f"how many dogs over {number}", f"SELECT count(*) FROM dogs WHERE age > {number}"


def _feedback(number: int) -> Feedback:
    question, sql = _asked(number)
    key, at = f"f{number}", float(number)
    experts = '{"embedded": true}'
    return Feedback(key, at, "s", "ada", "ada", *_PLACE, key, question, "right", sql, experts=experts)


def _confirmed(number: int) -> Demonstration:
    question, sql = _asked(number)
    key = demonstration_key(*_PLACE, "ada", question)
    return Demonstration(key, float(number), "ada", *_PLACE, question, sql)


def _ruling(number: int) -> JudgeRuling:
    question, sql = _asked(number)
    digests = reading_digest(question, sql), reading_digest(question, f"{sql} LIMIT 1")
    return JudgeRuling(f"r{number}", float(number), "ada", *_PLACE, "ada", "rows", 0.9, True, 1.0, *digests)


def _context(question: str) -> AskContext:
    session = SessionState("shop", "ada", "ada", ("pg_catalog", "public"), 180000, "2025-11-21")
    asker = Asker(session, load(), hears_notices=True)
    return AskContext(asker, Catalog(()), _PLACE[0], SessionMemory(), question, AskOptions())


if __name__ == "__main__":
    sys.exit(main())
