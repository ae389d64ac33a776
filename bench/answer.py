"""A run: every question of a file asked once, predictions written in the file's order.

Owns: workers, order, resumption, timing. A line is written as soon as all before it are, so an interrupted
run leaves a file that the next run continues.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any

import psycopg

from askwire.bench.asker import Asker, prediction
from askwire.bench.failure import BenchFailure
from askwire.bench.progress import Progress
from askwire.bench.question_files import BenchQuestion, read_lines


@dataclass
class Run:
    """What one run has seen; latencies in milliseconds, errors by SQLSTATE.

    `choosing` holds the milliseconds that choosing took, and `statements` how many were sent, of every ASK
    whose trace tells them: one that ends before anything was tried has neither.
    """

    kept: int = 0
    asked: int = 0
    answered: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    latencies: list[float] = field(default_factory=list)
    choosing: list[float] = field(default_factory=list)
    statements: list[float] = field(default_factory=list)

    def count(self, line: Mapping[str, Any], milliseconds: float, report: Mapping[str, Any]) -> None:
        """Take one prediction line into account, with the report that it was made of."""
        self.asked += 1
        self.answered += line["sql"] is not None and not line["error"]
        self.latencies.append(milliseconds)
        if line["error"]:
            self.errors[line["error"]["code"]] += 1
        for step in report.get("trace") or ():
            match step["stage"], step["name"]:
                case "selector", "ended":
                    self.choosing.append(step["ms"])
                case "session", "sent":
                    self.statements.append(step["statements"])

    def figures(self) -> dict[str, Any]:
        """The run as one flat object; latencies None when nothing was asked."""
        return {
            "kept": self.kept,
            "asked": self.asked,
            "answered": self.answered,
            "errors": dict(sorted(self.errors.items())),
            "p50_ms": percentile(self.latencies, 50),
            "p95_ms": percentile(self.latencies, 95),
            "choosing_p50_ms": percentile(self.choosing, 50),
            "choosing_p95_ms": percentile(self.choosing, 95),
            "statements_p50": percentile(self.statements, 50),
            "statements_p95": percentile(self.statements, 95),
        }


def percentile(values: Sequence[float], percent: int) -> float | None:
    """A percentile from 1 to 99, interpolated, to a tenth; None of no values."""
    if len(values) < 2:
        return round(values[0], 1) if values else None
    return round(quantiles(values, n=100, method="inclusive")[percent - 1], 1)


def answer(
    questions: Sequence[BenchQuestion],
    out: Path,
    make_asker: Callable[[], Asker],
    *,
    jobs: int = 2,
    refusals_null: bool = False,
    progress: Callable[[int], Progress] = lambda total: Progress("asking", total),
) -> Run:
    """Ask every question that `out` does not answer yet and append the predictions to it.

    Raises BenchFailure when no connection can be made, and passes KeyboardInterrupt on; in both cases all
    lines that could be written in order are in the file.
    """
    kept = _kept(out)
    todo = [asked for asked in questions if asked.id not in kept]
    run = Run(kept=len(questions) - len(todo))
    askers = _Askers(make_asker)
    pool = ThreadPoolExecutor(jobs)
    try:
        with out.open("a", encoding="utf-8") as file, progress(len(todo)) as bar:
            futures = [pool.submit(askers.ask, asked) for asked in todo]
            for asked, future in zip(todo, futures, strict=True):
                report, milliseconds = future.result()
                line = prediction(asked, report, refusals_null=refusals_null)
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
                file.flush()
                run.count(line, milliseconds, report)
                bar.step()
    except psycopg.Error as error:
        raise BenchFailure(f"cannot connect: {str(error).strip()}") from None
    finally:
        # Not waited for: after Ctrl-C an ASK may still be under way, and ends with its connection.
        pool.shutdown(wait=False, cancel_futures=True)
    pool.shutdown()
    askers.close()
    return run


class _Askers:
    """One asker per worker thread."""

    def __init__(self, make_asker: Callable[[], Asker]) -> None:
        self._make = make_asker
        self._of_thread = threading.local()
        self._all: list[Asker] = []

    def ask(self, asked: BenchQuestion) -> tuple[Mapping[str, Any], float]:
        """The report and how many milliseconds it took; connecting is not counted."""
        asker: Asker | None = getattr(self._of_thread, "asker", None)
        if asker is None:
            asker = self._of_thread.asker = self._make()
            self._all.append(asker)
        asker.prepare(asked)
        began = time.perf_counter()
        report = asker.ask(asked)
        return report, (time.perf_counter() - began) * 1000

    def close(self) -> None:
        """Close every asker; only when no thread asks any more."""
        for asker in self._all:
            asker.close()


def _kept(out: Path) -> set[str]:
    """Ids already answered in `out`; a last line that was cut off is removed from the file."""
    if not out.exists():
        return set()
    whole, newline, cut = out.read_bytes().rpartition(b"\n")
    if cut:
        out.write_bytes(whole + newline)
    return {line["id"] for line in read_lines(out)}
