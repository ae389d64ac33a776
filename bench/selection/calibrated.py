"""What a stated error rate costs: thresholds from half of a pool's questions, held against the other half.

Owns: the splits and the figures. A split takes half of the databases' questions at random; error and coverage
are means over splits. Must not know: how a threshold is found.

    python -m askwire.bench.selection.calibrated --dsn DSN --questions questions.jsonl \
        --pool experts.jsonl.gz [--experts a,b] [--cache F] [--ship selector/calibrated.json]

`--ship` writes the curves that stand in where nothing is recorded yet: by rate the least support, among
several experts and for the embedded engine alone, from all questions.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any, Final

from askwire.bench.failure import BenchFailure
from askwire.bench.question_files import read_gold
from askwire.bench.selection.cache import Cache
from askwire.bench.selection.judged import outcomes
from askwire.bench.selection.pool import Pooled, read_pool
from askwire.bench.selection.run import try_all
from askwire.bench.selection.strategies import learn
from askwire.selector.calibration import Outcome, calibrate
from askwire.selector.posterior import Posterior

RATES: Final = (0.02, 0.05, 0.1, 0.15)
SHIPPED: Final = (0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.125, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)
SPLITS: Final = 200


def figures(recorded: Sequence[Outcome], splits: int = SPLITS) -> list[dict[str, Any]]:
    """For each rate: the error among answers and the share answered, in percent, on questions not seen."""
    told = []
    for rate in RATES:
        errors, coverages = [], []
        for seed in range(splits):
            shuffled = list(recorded)
            random.Random(seed).shuffle(shuffled)  # noqa: S311 - no secret
            half = len(shuffled) // 2
            found = calibrate(shuffled[:half], rate)
            if found is None:
                raise BenchFailure("too few questions to calibrate on")
            answered = [o for o in shuffled[half:] if found.answers(o.support)]
            coverages.append(len(answered) / (len(shuffled) - half))
            if answered:
                errors.append(sum(not o.right for o in answered) / len(answered))
        told.append(
            {
                "max_error": round(100 * rate, 1),
                "error": round(100 * sum(errors) / len(errors), 2) if errors else None,
                "coverage": round(100 * sum(coverages) / len(coverages), 1),
            }
        )
    return told


def main() -> int:
    """Print one JSON object."""
    parser = argparse.ArgumentParser(prog="calibrated", description="What a stated error rate costs.")
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--experts", default="")
    parser.add_argument("--questions", required=True, type=Path)
    parser.add_argument("--pool", required=True, type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--ship", type=Path, help="write the curves that come with askwire")
    options = parser.parse_args()
    try:
        pool = read_pool(options.pool, [e for e in options.experts.split(",") if e])
        recorded = record(options, pool)
        if options.ship:
            alone = record(options, [replace(pooled, proposals=()) for pooled in pool])
            shipped = {"votes": curve(recorded), "confidence": curve(alone)}
            options.ship.write_text(json.dumps(shipped, indent=1) + "\n", encoding="utf-8")
    except BenchFailure as failure:
        print(f"askwire: {failure}", file=sys.stderr)  # noqa: T201
        return 1
    print(json.dumps({"questions": len(recorded), "rates": figures(recorded)}))  # noqa: T201
    return 0


def record(options: argparse.Namespace, pool: Sequence[Pooled]) -> list[Outcome]:
    """The support of what the posterior chooses for each question, and whether it is right."""
    with Cache(options.cache) as cache:
        tried = asyncio.run(try_all(options.dsn, pool, cache, engine=True, verified=True))
    right = outcomes(tried, read_gold(options.questions), options.dsn)
    strategy = Posterior(learn([one.case for one in tried]))
    recorded = []
    for one in tried:
        if one.case.clusters:
            best = asyncio.run(strategy.rank(one.case))[0]
            correct = right[one.pooled.id, best.cluster.representative.sql]
            recorded.append(Outcome(best.support, correct))
    return recorded


def curve(recorded: Sequence[Outcome]) -> list[tuple[float, float | None]]:
    """By rate the least support that holds it; None where none does."""
    found = [(rate, calibrate(recorded, rate)) for rate in SHIPPED]
    return [(r, round(c.threshold, 6) if c and isfinite(c.threshold) else None) for r, c in found]


if __name__ == "__main__":
    sys.exit(main())
