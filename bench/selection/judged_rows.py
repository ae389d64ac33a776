"""The rows that a judge is shown: how often there are any, can be ruled on, and leave no relation empty.

Owns: the pairs (the two largest answers of each question of a pool), and the figures of three ways to look
for rows: any difference (`strict`), one that a judge sees, with a row of each relation (`few`), and the
paper's draws (`drawn`). Reads no gold SQL.

    python -m askwire.bench.selection.judged_rows --dsn DSN --pool experts.jsonl.gz \
        [--experts a,b] [--cache F]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final

from askwire.bench.connection import DirectExecutor, connected, read_catalog
from askwire.bench.failure import BenchFailure
from askwire.bench.selection.cache import Cache
from askwire.bench.selection.pool import read_pool
from askwire.bench.selection.run import TriedQuestion, try_all
from askwire.selector.instances import Separation, separate
from askwire.selector.tournament import by_size
from askwire.sql.canonical.normal_form import JUDGED, same

WAYS: Final[Mapping[str, Mapping[str, Any]]] = {
    "strict": {},
    "few": {"comparison": JUDGED, "fair": True},
    "drawn": {"comparison": JUDGED, "fair": True, "drawn": True},
}


async def searched(tried: Sequence[TriedQuestion], dsn: str) -> dict[str, list[Separation]]:
    """What each way finds for each pair."""
    found: dict[str, list[Separation]] = {way: [] for way in WAYS}
    for db_id in dict.fromkeys(one.pooled.db_id for one in tried):
        async with connected(dsn, db_id) as connection:
            executor = DirectExecutor(connection)
            catalog = await read_catalog(executor)
            for one in tried:
                if one.pooled.db_id == db_id and len(one.case.clusters) > 1:
                    first, second = (c.representative.sql for c in by_size(one.case.clusters)[:2])
                    for way, options in WAYS.items():
                        found[way].append(await separate(first, second, catalog, executor, **options))
    return found


def figures(found: Sequence[Separation]) -> dict[str, Any]:
    """Of the pairs: those without rows, with rows on which no judge can rule, with an empty relation."""
    instances = [i for one in found if (i := one.instance or one.witness) is not None]
    times = sorted(one.statistics.milliseconds for one in found)
    return {
        "pairs": len(found),
        "no_rows": len(found) - len(instances),
        "forced_draws": sum(same(i.answers[0], i.answers[1], JUDGED) for i in instances),
        "relation_empty": sum(not all(table.rows for table in i.tables) for i in instances),
        "rows_p50": median(i.size for i in instances) if instances else None,
        "ms_p50": round(times[len(times) // 2], 1) if times else None,
        "ms_p95": round(times[len(times) * 95 // 100], 1) if times else None,
    }


def main() -> int:
    """Print a line per way, and one JSON object last."""
    parser = argparse.ArgumentParser(prog="judged_rows", description="The rows that a judge is shown.")
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--experts", default="")
    parser.add_argument("--pool", required=True, type=Path)
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    try:
        pool = read_pool(options.pool, [e for e in options.experts.split(",") if e])
        with Cache(options.cache) as cache:
            tried = asyncio.run(try_all(options.dsn, pool, cache, engine=True, verified=True))
        found = asyncio.run(searched(tried, options.dsn))
    except BenchFailure as failure:
        print(f"askwire: {failure}", file=sys.stderr)  # noqa: T201
        return 1
    told = {way: figures(separations) for way, separations in found.items()}
    for way, line in told.items():
        print(way, line)  # noqa: T201
    print(json.dumps(told))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
