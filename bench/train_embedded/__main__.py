"""`python -m askwire.bench.train_embedded --dsn DSN --questions FILE --out weights.json`.

Owns: arguments and the file that is written. The questions are Spider's training set on PostgreSQL, one
schema per database; what is written carries its licence.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import Final

from askwire.bench.train_embedded.collect import Outcome, asked_by_database, outcomes, spread
from askwire.bench.train_embedded.fit import fit

LICENCE: Final = (
    "Weights fitted on Spider's training questions (https://yale-lily.github.io/spider), CC BY-SA 4.0; "
    "this file carries the same licence."
)


def main() -> int:
    """Collect outcomes and fit; 0 when the weights are written."""
    parser = argparse.ArgumentParser(prog="train_embedded", description="Fit the embedded engine's ranker.")
    parser.add_argument("--dsn", required=True, help="the PostgreSQL database with the training schemas")
    parser.add_argument("--questions", required=True, type=Path, help="its questions with gold SQL")
    parser.add_argument("--out", required=True, type=Path, help="where the weights go")
    parser.add_argument("--databases", type=int, default=0, help="only the first so many (0: all)")
    parser.add_argument("--questions-each", type=int, default=0, help="at most so many per database (0: all)")
    options = parser.parse_args()
    groups: list[list[Outcome]] = []
    databases = list(asked_by_database(options.questions).items())
    for number, (db_id, questions) in enumerate(databases[: options.databases or None], 1):
        print(f"\r{number}/{len(databases)} {db_id:40}", end="", file=sys.stderr)  # noqa: T201
        wanted = spread(questions, options.questions_each)
        groups += asyncio.run(outcomes(options.dsn, db_id, wanted))
    prior: dict[str, float] = json.loads(Path(__file__).with_name("prior.json").read_text("utf-8"))
    weights = dict(sorted(fit(groups, prior).items()))
    options.out.write_text(json.dumps({"licence": LICENCE, "rank": weights}, indent=0) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
