"""Outcomes: each question asked once through the wire, the best answer's signals, and whether it is right.

Owns: asking, judging, and the cache of both. What is kept in the cache is kept for good: another engine wants
another folder, or an empty one.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from pglast import ast

from askwire.bench.answer import answer
from askwire.bench.asker import WireAsker
from askwire.bench.execution import Rows, Runner, StatementFailed, comparable
from askwire.bench.progress import Progress
from askwire.bench.proxy_process import ProxyProcess
from askwire.bench.question_files import read_asked, read_lines
from askwire.bench.reliability.sources import Source, written
from askwire.sql.literals import quote_identifier
from askwire.sql.parsing import parsed
from askwire.sql.tracing.tree import walk

_TIMEOUT_SECONDS: Final = 10.0
_MAX_ROWS: Final = 20_000
_MAX_PROJECTED_COLUMNS: Final = 8
"""Columns of an answer of which projections are tried."""


@dataclass(frozen=True)
class Outcome:
    """The best answer to one question: its signals, whether it is right, and how the ASK ended.

    `signals` is None where there was no candidate; `answered` whether rows came, with `confidence`.
    `in_other_order`: it would be right if its columns stood in another order.
    """

    source: str
    database: str
    id: str
    signals: Mapping[str, float] | None
    right: bool
    answered: bool
    confidence: float | None
    error: str = ""
    in_other_order: bool = False


def outcomes(source: Source, cache: Path, jobs: int = 2) -> list[Outcome]:
    """The outcomes of a source; from the cache where they are there."""
    cache.mkdir(parents=True, exist_ok=True)
    kept = cache / f"{source.name}.outcomes.jsonl"
    if not kept.exists():
        lines = source.lines(without=on_empty_tables(source))
        found = _judged(source, lines, _asked(source, lines, cache, jobs))
        written([asdict(one) for one in found], kept)
    return [Outcome(**line) for line in read_lines(kept)]


def on_empty_tables(source: Source) -> frozenset[str]:
    """The ids of questions (of those that are `trivial`) whose gold SQL reads a table without rows.

    What is asked of other tables counts though its answer is empty: that no one did so is an answer.
    """
    found = set()
    by_schema: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in read_lines(source.questions):
        if line.get("trivial"):
            by_schema[source.at(line, gold=True), line["db_id"]].append(line)
    for (dsn, schema), lines in by_schema.items():
        rows: dict[str, bool] = {}
        with Runner(dsn, schema, timeout=_TIMEOUT_SECONDS) as runner:
            for line in lines:
                for table in _tables(line["gold_sql"]):
                    if table not in rows:
                        rows[table] = _has_rows(runner, table)
                    if not rows[table]:
                        found.add(str(line["id"]))
    return frozenset(found)


def _tables(sql: str) -> set[str]:
    read = (node for node in walk(parsed(sql)) if isinstance(node, ast.RangeVar))
    return {".".join(quote_identifier(part) for part in (t.schemaname, t.relname) if part) for t in read}


def _has_rows(runner: Runner, table: str) -> bool:
    try:
        return bool(runner.run(f"SELECT FROM {table} LIMIT 1"))
    except StatementFailed:
        return True  # the name of a WITH


def _asked(
    source: Source, taken: Sequence[dict[str, Any]], cache: Path, jobs: int
) -> dict[str, dict[str, Any]]:
    """Predictions by id; an interrupted run goes on where it ended."""
    by_place: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in taken:
        by_place[source.at(line)].append(line)
    found = {}
    for number, (dsn, lines) in enumerate(by_place.items()):
        questions = cache / f"{source.name}.{number}.questions.jsonl"
        out = cache / f"{source.name}.{number}.predictions.jsonl"
        written(lines, questions)
        with ProxyProcess(dsn, {"store": "memory"}) as proxy:
            answer(
                read_asked(questions),
                out,
                lambda proxy=proxy: WireAsker(proxy.conninfo),  # type: ignore[misc]
                jobs=jobs,
                progress=lambda total: Progress(source.name, total),
            )
        found.update({line["id"]: line for line in read_lines(out)})
    return found


def _judged(
    source: Source, asked: Sequence[dict[str, Any]], predictions: Mapping[str, dict[str, Any]]
) -> list[Outcome]:
    found = []
    by_schema: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in asked:
        by_schema[source.at(line), source.at(line, gold=True), line["db_id"]].append(line)
    for (dsn, gold_dsn, schema), lines in by_schema.items():
        with (
            Runner(dsn, schema, timeout=_TIMEOUT_SECONDS) as runner,
            Runner(gold_dsn, schema, timeout=_TIMEOUT_SECONDS) as gold_runner,
        ):
            for line in lines:
                told = predictions[line["id"]]
                best = told["best_sql"]
                right, permuted = _judge(source, line, best, runner, gold_runner) if best else (False, False)
                found.append(
                    Outcome(
                        source.name,
                        source.database(line),
                        line["id"],
                        told["signals"],
                        right,
                        not told["error"],
                        told["confidence"],
                        told["error"]["code"] if told["error"] else "",
                        permuted,
                    )
                )
    return found


def _judge(
    source: Source, line: Mapping[str, Any], best: str, runner: Runner, gold: Runner
) -> tuple[bool, bool]:
    """Whether an answer is right, and whether it is but for the order of its columns."""
    try:
        rows = runner.run(best, cap=_MAX_ROWS)
    except StatementFailed:
        return False, False
    ordered, permuted = bool(line.get("ordered")), False
    for text in line.get("golds") or [line["gold_sql"]]:
        try:
            wanted = gold.run(text, cap=_MAX_ROWS)
        except StatementFailed:
            continue
        if comparable(rows, ordered=ordered) == comparable(wanted, ordered=ordered):
            return True, False
        if source.projection and _shows(rows, wanted):
            return True, False
        permuted = permuted or (bool(rows) and _width(rows) == _width(wanted) and _shows(rows, wanted))
    return False, permuted


def _width(rows: Rows) -> int:
    return len(rows[0]) if rows else 0


def _shows(rows: Rows, wanted: Rows) -> bool:
    """Whether some columns of an answer, in some order, are the rows wanted."""
    if len(rows) != len(wanted) or not wanted:
        return len(rows) == len(wanted)
    want = Counter(tuple(map(_rounded, row)) for row in wanted)
    narrow = [tuple(map(_rounded, row[:_MAX_PROJECTED_COLUMNS])) for row in rows]
    return any(
        Counter(tuple(row[place] for place in places) for row in narrow) == want
        for places in itertools.permutations(range(len(narrow[0])), len(wanted[0]))
    )


def _rounded(value: Any) -> Any:
    try:
        return round(float(value), 1)
    except (TypeError, ValueError):
        return value
