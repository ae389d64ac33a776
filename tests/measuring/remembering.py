"""What remembering adds to an ASK: the time that keeping its history, its steps and its pin takes.

    PYTHONPATH=.typing python tests/measuring/remembering.py [--asks 5000] [--every 0.002]

Owns: that measurement. The ASK itself is left out: a decision with eight candidates and sixty steps is made
once, and kept over and over in a SQLite file, while the store's thread writes it. Times are of the asker's
thread, from the call to its return, so waiting for the other thread counts.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from askwire.core.clock import MonotonicClock
from askwire.core.settings.table import load
from askwire.core.trace import Trace
from askwire.core.types import (
    Candidate,
    Choice,
    Cluster,
    Question,
    ResultColumn,
    ResultSet,
    SessionState,
    Verdict,
)
from askwire.proxy.asking.context import AskContext
from askwire.proxy.memory.history import History
from askwire.proxy.memory.pinning import PinKeeper
from askwire.proxy.memory.pins import Pins
from askwire.proxy.reports.report import Decision
from askwire.proxy.session.session_memory import SessionMemory
from askwire.proxy.session.statements.asker import Asker
from askwire.sql.ask import AskOptions
from askwire.sql.catalog import Catalog, Column, Relation
from askwire.store import SqliteStore

_SQL = (
    "SELECT c.name, sum(l.amount) AS revenue FROM customers c JOIN orders o ON o.customer_id = c.id "
    "JOIN order_lines l ON l.order_id = o.id WHERE o.state = 'sent' GROUP BY c.name ORDER BY 2 DESC LIMIT 9"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print one JSON object of figures, times in milliseconds."""
    parser = argparse.ArgumentParser(description="Measure what remembering adds to an ASK.")
    parser.add_argument("--asks", type=int, default=5000, help="how many ASKs are kept (5000)")
    parser.add_argument("--every", type=float, default=0.002, help="seconds between two of them (0.002)")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        figures = asyncio.run(measure(Path(folder) / "store.sqlite", chosen.asks, chosen.every))
    sys.stdout.write(json.dumps(figures) + "\n")
    return 0


_RECORDS = 3
"""Records that an ASK leaves: its row of the history, its steps, and its pin."""


async def measure(path: Path, asks: int, every: float) -> dict[str, float]:
    """Figures for so many ASKs, one every so many seconds; the store is the file at `path`."""
    store = SqliteStore(path)
    history, pins = History(store, time.time), Pins(store, time.time)
    pinning = PinKeeper(pins, _passed, time.time)
    context, decision = _case()
    took: list[float] = []
    cpu: list[float] = []
    later: list[float] = []
    for number in range(asks):
        now = replace(context, question=f"the best customers of orders sent, {number}")
        began, worked = time.perf_counter(), time.thread_time()
        await pinning.keep(now, decision)
        history.answered(now, decision)
        took.append(time.perf_counter() - began)
        cpu.append(time.thread_time() - worked)
        worked = time.thread_time()
        await asyncio.sleep(0)  # what is written down once the answer is on its way
        later.append(time.thread_time() - worked)
        await asyncio.sleep(every)
    for _ in range(6000):  # what is written down later, on a busy machine
        if store.status.written + store.status.waiting + store.status.lost >= _RECORDS * asks:
            break
        await asyncio.sleep(0.01)
    await store.close()
    status = store.status
    size = path.stat().st_size  # noqa: ASYNC240 - nothing else is waiting
    return {
        "asks": asks,
        "p50_ms": _quantile(took, 0.5),
        "p95_ms": _quantile(took, 0.95),
        "p99_ms": _quantile(took, 0.99),
        "cpu_p50_ms": _quantile(cpu, 0.5),
        "cpu_p95_ms": _quantile(cpu, 0.95),
        "later_cpu_p95_ms": _quantile(later, 0.95),
        "written": status.written,
        "lost": status.lost,
        "bytes_per_ask": round(size / asks),
    }


def _quantile(seconds: Sequence[float], share: float) -> float:
    return round(sorted(seconds)[min(len(seconds) - 1, int(share * len(seconds)))] * 1000, 3)


async def _passed(sql: str, _asker: Asker, _catalog: Catalog) -> str:
    return sql


def _case() -> tuple[AskContext, Decision]:
    """An asker of a database with sixty tables, and a decision between eight candidates."""
    session = SessionState("shop", "ada", "ada", ("pg_catalog", "public"), 180000, "2025-11-21")
    columns = tuple(Column(f"column_{n}", "text", 25, "S", n) for n in range(12))
    catalog = Catalog(tuple(Relation(n, "public", f"table_{n}", "r", columns) for n in range(60)))
    context = AskContext(
        Asker(session, load(), hears_notices=True), catalog, "db:5432", SessionMemory(), "", AskOptions()
    )
    rows = ResultSet((ResultColumn("name", 25), ResultColumn("revenue", 1700)), (("Harbor & Sons", "1.50"),))
    verdicts = tuple(
        Verdict(Candidate(f"{_SQL} OFFSET {n}", "embedded", confidence=0.9), f"{_SQL} OFFSET {n}", (), rows)
        for n in range(8)
    )
    trace = Trace(MonotonicClock())
    for number in range(60):
        trace.record("planner", "linked", words=f"word {number}", target=f"table_{number}.column_1", sql=_SQL)
    choice = Choice(verdicts[0], "all 8 readings agree", 0.9, (Cluster(verdicts),))
    return context, Decision(Question("the three best customers"), choice, None, verdicts, trace)


if __name__ == "__main__":
    sys.exit(main())
