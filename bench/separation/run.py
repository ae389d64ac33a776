"""A run over pairs of queries: what of them is told apart, at what cost, and whether it holds.

Owns: the order of things, the lines written per pair, resumption, and the figures. Gold SQL, where it is
given, is one more query of a pair and nothing else.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from askwire.bench.answer import percentile
from askwire.bench.connection import DirectExecutor, connected, read_catalog
from askwire.bench.progress import Progress
from askwire.bench.question_files import read_lines
from askwire.bench.separation.audit import Audit, Auditor
from askwire.bench.separation.big_schema import SCHEMA, big_pairs, build
from askwire.bench.separation.pairs import (
    BIG,
    MUTANTS,
    POOL,
    Answers,
    OwnTimes,
    Pair,
    Question,
    mutant_pairs,
    pool_pairs,
)
from askwire.bench.separation.thresholds import counts_to_a_number
from askwire.core.errors import AskError
from askwire.selector.instances import Budget, Outcome, Separation, separate
from askwire.sql.catalog import Catalog

MAX_GLANCE_ROWS: Final = 8
"""Rows that a reader, or a model, takes in at a glance."""
_CANDIDATE_TIMEOUT_SECONDS: Final = 30.0
"""Seconds for a candidate by itself: to know whether answers differ, and for comparison."""

_TRIPS: Final = 3

Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SeparationTask:
    """What to measure: the questions of a pool, mutants of their queries, the large schema's pairs.

    `limit` stops after so many pairs; `sample` takes about so many, as many of each schema.
    """

    questions: Sequence[Question] = ()
    mutants: int = 0
    big: bool = False
    limit: int | None = None
    sample: int | None = None
    budget: Budget = field(default_factory=Budget)


async def run(
    dsn: str,
    asked: SeparationTask,
    out: Path | None = None,
    *,
    progress: Callable[[str, int], Progress] = Progress,
) -> dict[str, Any]:
    """Separate every pair that `out` does not hold yet, append a line for each, and return the figures.

    Raises psycopg.Error when the server cannot be reached; KeyboardInterrupt passes, and all lines are in
    the file then.
    """
    log = _Log(out)
    if asked.big:
        build(dsn)
    schemas = sorted({q.schema for q in asked.questions})
    left = asked.limit
    for schema in [*schemas, *([SCHEMA] if asked.big else [])]:
        if left == 0:
            break
        async with connected(dsn, schema) as connection:
            # as in the asker's own session: what is asked on the side does not take other processes
            await connection.execute("SET max_parallel_workers_per_gather = 0")
            executor = DirectExecutor(connection)
            catalog = await read_catalog(executor)
            pairs = _pairs(dsn, asked, schema, catalog)[:left]
            left = None if left is None else left - len(pairs)
            todo = [pair for pair in pairs if pair.key not in log]
            log.keep(pairs)
            with (
                progress(schema, len(todo)) as bar,
                closing(Auditor(dsn, schema)) as auditor,
                closing(OwnTimes(dsn, schema, timeout=_CANDIDATE_TIMEOUT_SECONDS)) as times,
            ):
                for pair in todo:
                    timed = replace(pair, own_ms=times.both(pair)) if pair.own_ms is None else pair
                    trip = await _round_trip(executor)
                    log.add(await _measure(timed, catalog, executor, auditor, asked.budget, trip))
                    bar.step()
    return figures(log.lines)


def _pairs(dsn: str, asked: SeparationTask, schema: str, catalog: Catalog) -> list[Pair]:
    if asked.big and schema == SCHEMA:
        return [Pair(BIG, pair.kind, schema, pair.first, pair.second) for pair in big_pairs()]
    share = -(-asked.mutants // len({q.schema for q in asked.questions}))
    with closing(Answers(dsn, schema, timeout=_CANDIDATE_TIMEOUT_SECONDS)) as answers:
        found = pool_pairs(asked.questions, answers, schema)
        found += mutant_pairs(asked.questions, answers, catalog, schema, share)
    if asked.sample is None:
        return found
    most = -(-asked.sample // len({q.schema for q in asked.questions}))
    drawn = {pair.key for pair in sorted(found, key=lambda pair: pair.key)[:most]}
    return [pair for pair in found if pair.key in drawn]


async def _measure(
    pair: Pair,
    catalog: Catalog,
    executor: DirectExecutor,
    auditor: Auditor,
    budget: Budget,
    round_trip: float,
) -> Line:
    executor.statements, executor.longest_ms, executor.spent_ms = 0, 0.0, 0.0
    line: Line = {
        "key": pair.key,
        "origin": pair.origin,
        "kind": pair.kind,
        "schema": pair.schema,
        "first": pair.first,
        "second": pair.second,
        "differ": pair.differ,
        "tied": pair.tied,
        "own_ms": None if pair.own_ms is None else round(pair.own_ms, 2),
    }
    began, used, served = time.perf_counter(), time.process_time(), executor.server_seconds()
    try:
        found = await separate(pair.first, pair.second, catalog, executor, budget)
    except AskError as error:
        return line | {"outcome": "error", "reason": f"{error.code}: {error.message}"}
    took = round((time.perf_counter() - began) * 1000, 2)
    searched, served = time.process_time() - used, executor.server_seconds() - served
    return line | {
        "outcome": found.outcome.value,
        "reason": found.reason,
        "step": found.step,
        "ms": took,
        "cpu_ms": round((searched + served) * 1000, 2),
        "server_cpu_ms": round(served * 1000, 2),
        "statement_ms": round(executor.spent_ms, 2),
        "round_trip_ms": round_trip,
        "statements": executor.statements,
        "longest_ms": round(executor.longest_ms, 1),
        "by_value": list(found.by_value),
        **_instance_line(found, auditor),
    }


async def _round_trip(executor: DirectExecutor) -> float:
    """Milliseconds that an empty statement takes with what frames it: the least of a few."""
    async with executor.batch() as batch:
        took = []
        for _ in range(_TRIPS):
            before = batch.spent_ms
            await batch.read("SELECT")
            took.append(batch.spent_ms - before)
    return round(min(took), 3)


def _instance_line(found: Separation, auditor: Auditor) -> Line:
    instance = found.instance or found.witness
    if instance is None:
        return {}
    audit = auditor.audit(found)
    rows = [{"table": table.name, "cells": row.cells} for table, row in instance]
    return {
        "rows": instance.size,
        "instance": rows,
        "claims_minimal": instance.minimal,
        "open_answers": bool(instance.open_answers),
        "holds": audit.holds,
        "reported": audit.reported,
        "minimal": audit.minimal,
        "audit": _objections(audit, made_up=instance.synthetic),
    }


def _objections(audit: Audit, *, made_up: bool) -> list[str]:
    objections = {
        audit.error: bool(audit.error),
        "the answers do not differ in every order": not audit.separates and not audit.error,
        "a row is not in the database": audit.real is False and not made_up,
        "a row refers to one that is left out": not audit.kept,
        "an answer that is said to be the only one is not": not audit.reported,
    }
    return [objection for objection, holds in objections.items() if holds]


class _Log:
    """The lines of a run, those of earlier ones in the same file included."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._known: dict[str, Line] = {}
        self.lines: list[Line] = []
        if path is not None and path.exists():
            whole, newline, cut = path.read_bytes().rpartition(b"\n")
            if cut:
                path.write_bytes(whole + newline)
            self._known = {line["key"]: line for line in read_lines(path)}

    def __contains__(self, key: str) -> bool:
        return key in self._known

    def keep(self, pairs: Sequence[Pair]) -> None:
        """Count the lines of these pairs that are there already."""
        self.lines += [self._known[pair.key] for pair in pairs if pair.key in self]

    def add(self, line: Line) -> None:
        """Count a line and write it at once."""
        self.lines.append(line)
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


def figures(lines: Sequence[Line]) -> dict[str, Any]:
    """All figures of a run by origin.

    Pairs that are equal on the database, and pairs whose answers may coincide when ties under a LIMIT fall
    another way, are counted apart.
    """
    return {origin: _figures([x for x in lines if x["origin"] == origin]) for origin in _origins(lines)}


def _origins(lines: Sequence[Line]) -> Iterator[str]:
    found = {line["origin"] for line in lines}
    return (origin for origin in (POOL, MUTANTS, BIG) if origin in found)


def _figures(lines: Sequence[Line]) -> dict[str, Any]:
    tied = [x for x in lines if x["tied"]]
    differing = [x for x in lines if x["differ"] is not False and not x["tied"]]
    equal = [x for x in lines if x["differ"] is False]
    separated = [x for x in differing if x["outcome"] == Outcome.SEPARATED]
    shown = [x for x in lines if "holds" in x]
    costs = [x for x in differing if "ms" in x]
    sizes = [x["rows"] for x in separated]
    uncounted = [x["rows"] for x in separated if not any(map(counts_to_a_number, (x["first"], x["second"])))]
    figures = {
        "pairs": len(differing),
        "attempted": _percent(sum(not _not_attempted(x) for x in differing), len(differing)),
        "separated": _percent(len(separated), len(differing)),
        "tie_order": sum(x["outcome"] == Outcome.TIE_ORDER for x in differing),
        "tied_pairs": len(tied),
        "tied_separated": sum(x["outcome"] == Outcome.SEPARATED for x in tied),
        "false": sum(not x["holds"] for x in shown),
        "audited": len(shown),
        "other_answers": sum(not x["reported"] for x in shown),
        "open_answers": sum(x.get("open_answers", False) for x in shown),
        "claims_minimal": _percent(sum(x["claims_minimal"] for x in shown), len(shown)),
        "not_minimal": sum(x["minimal"] is False for x in shown if x["claims_minimal"]),
        "rows_p50": percentile(sizes, 50),
        "rows_p95": percentile(sizes, 95),
        "within_8": _percent(sum(size <= MAX_GLANCE_ROWS for size in sizes), len(sizes)),
        "within_8_uncounted": _percent(sum(size <= MAX_GLANCE_ROWS for size in uncounted), len(uncounted)),
        **_percentiles("ms", [x["ms"] for x in costs]),
        **_percentiles("statement_ms", [x["statement_ms"] for x in costs if "statement_ms" in x]),
        **_percentiles("round_trip_ms", [x["round_trip_ms"] for x in costs if "round_trip_ms" in x]),
        **_percentiles("cpu_ms", [x["cpu_ms"] for x in costs if "cpu_ms" in x]),
        **_percentiles("server_cpu_ms", [x["server_cpu_ms"] for x in costs if "server_cpu_ms" in x]),
        **_percentiles("own_ms", [x["own_ms"] for x in costs if x["own_ms"] is not None]),
        **_percentiles("statements", [x["statements"] for x in costs]),
        "longest_statement_ms": max((x["longest_ms"] for x in costs), default=None),
        "within_2s": _percent(
            sum(x["outcome"] == Outcome.SEPARATED and x["ms"] <= 2000 for x in costs), len(differing)
        ),
        "steps": dict(Counter(x["step"] for x in separated).most_common()),
    }
    if any(x["kind"] for x in differing):
        figures["by_kind"] = _by_kind(differing)
    if equal:
        witnessed = [x for x in equal if x["outcome"] == Outcome.EQUAL and "holds" in x]
        figures |= {
            "equal_pairs": len(equal),
            "witnessed": _percent(len(witnessed), len(equal)),
            "told_apart": _percent(sum("holds" in x for x in equal), len(equal)),
            **_percentiles("equal_ms", [x["ms"] for x in equal if "ms" in x]),
        }
    return figures


def _by_kind(lines: Sequence[Line]) -> Mapping[str, str]:
    made = Counter(x["kind"] for x in lines)
    separated = Counter(x["kind"] for x in lines if x["outcome"] == Outcome.SEPARATED)
    return {kind: f"{separated[kind]}/{count}" for kind, count in made.items()}


def _not_attempted(line: Line) -> bool:
    """What is refused or cannot be traced is given up before anything is sent."""
    return bool(line["outcome"] == "error" or not line.get("statements"))


def _percentiles(name: str, values: Sequence[float]) -> dict[str, float | None]:
    return {f"{name}_p50": percentile(values, 50), f"{name}_p95": percentile(values, 95)}


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None
