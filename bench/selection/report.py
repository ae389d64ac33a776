"""What a run of `select` gains over another: right answers, recovered and lost ones, and how sure that is.

Owns: the figures, from predictions and gold SQL, after both runs have ended. A question is recoverable when
the baseline is wrong and some system of the pool is right. The interval is a paired bootstrap over databases.

    python -m askwire.bench.selection.report --dsn DSN --questions questions.jsonl --pool experts.jsonl.gz \
        [--experts a,b] --baseline majority.jsonl --predictions posterior.jsonl
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any, Final

import psycopg

from askwire.bench.execution import Rows, Runner, StatementFailed, comparable
from askwire.bench.failure import BenchFailure
from askwire.bench.question_files import Gold, read_gold, read_predicted
from askwire.bench.selection.pool import PoolQuestion, read_pool
from askwire.bench.splits import part_of

RESAMPLES: Final = 10_000
_MAX_ROWS: Final = 100_000
_MAX_PERMUTED_COLUMNS: Final = 6
"""Columns whose orders are all tried when column order does not count."""


@dataclass(frozen=True, slots=True)
class StrategyOutcome:
    """One question: whether the baseline, the strategy, and any system of the pool are right."""

    db_id: str
    baseline: bool
    chosen: bool
    any_right: bool


def judge(
    golds: Sequence[Gold],
    pool: Sequence[PoolQuestion],
    baseline: Mapping[str, str | None],
    chosen: Mapping[str, str | None],
    dsn: str,
    *,
    loose: bool = False,
) -> list[StrategyOutcome]:
    """Every question of the pool, in the order of `golds`."""
    pooled = {one.id: one for one in pool}
    by_database: dict[str, list[Gold]] = defaultdict(list)
    for gold in golds:
        if gold.id in pooled:
            by_database[gold.db_id].append(gold)
    found = []
    for db_id, group in by_database.items():
        with Runner(dsn, db_id, timeout=10.0) as runner:
            for gold in group:
                right = _right(gold, runner, same_loose if loose else same)
                proposals = {sql for _, sql in pooled[gold.id].proposals}
                found.append(
                    StrategyOutcome(
                        db_id,
                        right(baseline.get(gold.id)),
                        right(chosen.get(gold.id)),
                        any(map(right, sorted(proposals))),
                    )
                )
    return found


Same = Callable[[Rows, Rows, bool], bool]


def same(one: Rows, other: Rows, ordered: bool) -> bool:
    """Equal rows, in any order unless `ordered`."""
    return comparable(one, ordered=ordered) == comparable(other, ordered=ordered)


def same_loose(one: Rows, other: Rows, ordered: bool) -> bool:
    """Equal under some order of the columns."""
    if same(one, other, ordered):
        return True
    if not one or not other or len(one) != len(other) or len(one[0]) != len(other[0]):
        return False
    return any(
        same(one, [tuple(r[c] for c in order) for r in other], ordered) for order in _orders(one, other)
    )


def _orders(one: Rows, other: Rows) -> Iterator[tuple[int, ...]]:
    """The orders of the second's columns in which each column holds what the first's holds."""
    ours, theirs = ([Counter(column) for column in zip(*rows, strict=True)] for rows in (one, other))
    if len(ours) <= _MAX_PERMUTED_COLUMNS:
        for order in permutations(range(len(ours))):
            if all(ours[n] == theirs[c] for n, c in enumerate(order)):
                yield order


def _right(gold: Gold, runner: Runner, equal: Same) -> Callable[[str | None], bool]:
    """Whether a statement gives an acceptable answer."""
    wanted = []
    for text in gold.golds:
        try:
            wanted.append(runner.run(text, cap=_MAX_ROWS))
        except StatementFailed:
            continue
    known: dict[str, bool] = {}

    def right(sql: str | None) -> bool:
        if not sql:
            return False
        if sql not in known:
            try:
                rows = runner.run(sql, cap=_MAX_ROWS)
            except StatementFailed:
                known[sql] = False
            else:
                known[sql] = any(equal(rows, other, gold.ordered) for other in wanted)
        return known[sql]

    return right


def figures(judged: Sequence[StrategyOutcome]) -> dict[str, Any]:
    """Percentages, the net gain in points with its 95 % interval, and counts of what was won and lost."""
    recoverable = [x for x in judged if x.any_right and not x.baseline]
    kept = [x for x in judged if x.baseline]
    low, high = interval(judged)
    return {
        "questions": len(judged),
        "baseline": _percent(len(kept), len(judged)),
        "right": _percent(sum(x.chosen for x in judged), len(judged)),
        "oracle": _percent(sum(x.any_right for x in judged), len(judged)),
        "gain": _percent(sum(x.chosen - x.baseline for x in judged), len(judged)),
        "interval": [low, high],
        "recovered": f"{sum(x.chosen for x in recoverable)}/{len(recoverable)}",
        "lost": f"{sum(not x.chosen for x in kept)}/{len(kept)}",
    }


def interval(judged: Sequence[StrategyOutcome], resamples: int = RESAMPLES) -> tuple[float, float]:
    """The 95 % interval of the gain in points: databases are drawn with replacement, pairs stay together."""
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for x in judged:
        totals[x.db_id][0] += x.chosen - x.baseline
        totals[x.db_id][1] += 1
    databases = [totals[db_id] for db_id in sorted(totals)]
    if not databases:
        return 0.0, 0.0
    drawn = random.Random(9)  # noqa: S311 - no secret
    gains = []
    for _ in range(resamples):
        sample = drawn.choices(databases, k=len(databases))
        gains.append(100 * sum(gain for gain, _ in sample) / sum(count for _, count in sample))
    gains.sort()
    return round(gains[int(0.025 * resamples)], 2), round(gains[int(0.975 * resamples) - 1], 2)


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None


def main() -> int:
    """Print one JSON object: strict and loose figures of all databases, strict ones by part and database."""
    parser = argparse.ArgumentParser(prog="select_report", description="What one run gains over another.")
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--experts", default="", help="only these systems count as the pool")
    for name in ("questions", "pool", "baseline", "predictions"):
        parser.add_argument(f"--{name}", required=True, type=Path)
    options = parser.parse_args()
    try:
        golds = read_gold(options.questions)
        pool = read_pool(options.pool, [e for e in options.experts.split(",") if e])
        runs = [
            {i: predicted.sql for i, predicted in read_predicted(path).items()}
            for path in (options.baseline, options.predictions)
        ]
        strict = judge(golds, pool, runs[0], runs[1], options.dsn)
        loose = judge(golds, pool, runs[0], runs[1], options.dsn, loose=True)
    except (BenchFailure, psycopg.Error) as failure:
        print(f"askwire: {str(failure).strip()}", file=sys.stderr)  # noqa: T201
        return 1
    told = {"strict": figures(strict), "loose": figures(loose)}
    for part in ("tuning", "reporting"):
        told[part] = figures([x for x in strict if part_of(x.db_id) == part])
    told["gain_by_database"] = {
        db_id: sum(x.chosen - x.baseline for x in strict if x.db_id == db_id)
        for db_id in sorted({x.db_id for x in strict})
    }
    print(json.dumps(told))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
