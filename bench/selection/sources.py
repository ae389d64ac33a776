"""What each source of evidence is right about by itself: duels in which one of two answers is right.

Owns: which duels there are (every two clusters of a question of which one is right, `--tuning` databases only
or all), and for each source how often it speaks and is right then. Reads gold SQL: nothing here selects.

    python -m askwire.bench.selection.sources --dsn DSN --questions questions.jsonl --pool experts.jsonl.gz \
        [--experts a,b] [--tuning] [--cache F]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from askwire.bench.failure import BenchFailure
from askwire.bench.question_files import read_gold
from askwire.bench.selection.cache import Cache
from askwire.bench.selection.judged import Right, outcomes
from askwire.bench.selection.pool import read_pool
from askwire.bench.selection.run import TriedQuestion, try_all
from askwire.bench.selection.strategies import learn
from askwire.bench.splits import part_of
from askwire.core.types import Cluster
from askwire.selector.posterior import Posterior, Worth

MIN_SPEAKING_LOG_ODDS: Final = 0.1
_EVEN_WORTH: Final = Worth(traits=dict.fromkeys(Worth().traits, 1.0))

Said = tuple[str, bool]
"""A source, and whether it spoke for the right one."""


def told(tried: Sequence[TriedQuestion], right: Right) -> tuple[int, list[Said]]:
    """The number of duels, and what every source of the posterior said in them."""
    posterior = Posterior(learn([one.case for one in tried]), _EVEN_WORTH)
    duels, said = 0, []
    for one in tried:
        scored, _ = posterior.score(one.case)
        for better, worse in _duels([(c, right[one.pooled.id, c.representative.sql]) for c, _ in scored]):
            duels += 1
            ours, theirs = scored[better], scored[worse]
            for source in ours[1]:
                lead = ours[1][source] - theirs[1][source]
                if abs(lead) >= MIN_SPEAKING_LOG_ODDS:
                    said.append((source, lead > 0))
            failed = [{c.rule for c in s[0].representative.checks if not c.held} for s in (theirs, ours)]
            said += [(f"check {rule}", True) for rule in failed[0] - failed[1]]
            said += [(f"check {rule}", False) for rule in failed[1] - failed[0]]
    return duels, said


def _duels(clusters: Sequence[tuple[Cluster, bool]]) -> Iterator[tuple[int, int]]:
    """Places of a right and a wrong cluster."""
    for i, j in combinations(range(len(clusters)), 2):
        if clusters[i][1] != clusters[j][1]:
            yield (i, j) if clusters[i][1] else (j, i)


def table(duels: int, said: Sequence[Said]) -> dict[str, dict[str, Any]]:
    """By source: duels it spoke in, the share of all, and the share in which it was right."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for source, was_right in said:
        counts[source][0] += 1
        counts[source][1] += was_right
    return {
        source: {
            "spoke": spoke,
            "coverage": round(100 * spoke / duels, 1),
            "right": round(100 * was_right / spoke, 1),
        }
        for source, (spoke, was_right) in sorted(counts.items())
    }


def main() -> int:
    """Print a line per source, and one JSON object last."""
    parser = argparse.ArgumentParser(prog="select_sources", description="What each source is right about.")
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--experts", default="")
    parser.add_argument("--questions", required=True, type=Path)
    parser.add_argument("--pool", required=True, type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--tuning", action="store_true", help="only the databases the weights were set on")
    options = parser.parse_args()
    try:
        pool = read_pool(options.pool, [e for e in options.experts.split(",") if e])
        golds = read_gold(options.questions)
        with Cache(options.cache) as cache:
            tried = asyncio.run(try_all(options.dsn, pool, cache, verified=True))
        if options.tuning:
            tried = [one for one in tried if part_of(one.pooled.db_id) == "tuning"]
        right = outcomes(tried, golds, options.dsn)
        found = table(*told(tried, right))
    except BenchFailure as failure:
        print(f"askwire: {failure}", file=sys.stderr)  # noqa: T201
        return 1
    for source, figures in found.items():
        print(f"{source:24}", *(f"{name} {value:>6}" for name, value in figures.items()))  # noqa: T201
    print(json.dumps(found))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
