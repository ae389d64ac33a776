"""`python -m askwire.bench.train_embedded --dsn DSN --questions FILE --out weights.json`.

Owns: arguments and the file that is written. The questions are Spider's training set on PostgreSQL, one
schema per database; what is written carries its licence.

Fitted on the databases for tuning (`bench.splits`): their questions, some of them in other words, and some
asked of schemas under shorter names. The last line printed is one JSON object: figures of folds that leave
databases out, as the questions are and both other ways, and of the databases for reporting, there also by a
fit that is not held to an earlier one.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Final

from askwire.bench.progress import Progress
from askwire.bench.splits import part_of
from askwire.bench.train_embedded.collect import (
    WAYS,
    QuestionProposals,
    asked_by_database,
    collect,
    parts,
    prior,
    read,
    write,
)
from askwire.bench.train_embedded.fit import EARLIER_FIT_PULL, earlier, fit
from askwire.bench.train_embedded.folds import figures, left_out, ranked
from askwire.bench.train_embedded.sureness import fit_confidence

LICENCE: Final = (
    "Weights fitted on Spider's training questions (https://yale-lily.github.io/spider), CC BY-SA 4.0; "
    "this file carries the same licence."
)


def main() -> int:
    """Collect outcomes and fit; 0 when the weights are written."""
    parser = argparse.ArgumentParser(prog="train_embedded", description="Fit the embedded engine's ranker.")
    parser.add_argument("--dsn", required=True, help="the PostgreSQL database with the training schemas")
    parser.add_argument("--questions", required=True, type=Path, help="its questions with gold SQL")
    parser.add_argument(
        "--copies", default="", help="the database with schemas under shorter names (disguise)"
    )
    parser.add_argument("--out", required=True, type=Path, help="where the weights go")
    parser.add_argument("--outcomes", type=Path, help="where outcomes are kept; read from there if it exists")
    parser.add_argument("--cache", type=Path, help="a folder for digests of results, for runs after this one")
    parser.add_argument("--jobs", type=int, default=2, help="processes that collect (default: %(default)s)")
    parser.add_argument("--databases", type=int, default=0, help="only the first so many (0: all)")
    options = parser.parse_args()
    askings = _askings(options)
    tuning = [a for a in askings if part_of(a.db_id) == "tuning"]
    reporting = [a for a in askings if part_of(a.db_id) == "reporting"]
    apart = left_out(tuning, prior())
    weights = dict(sorted(fit([a.outcomes for a in tuning], earlier(), pull=EARLIER_FIT_PULL).items()))
    sure = fit_confidence(apart)
    told = {"licence": LICENCE, "rank": weights, "confidence": sure}
    options.out.write_text(json.dumps(told, indent=0) + "\n", "utf-8")
    measured = {
        way or "left_out": figures([r for a, r in zip(tuning, apart, strict=True) if a.way == way])
        for way in ("", *WAYS)
    }
    measured["reporting"] = figures([ranked(a, weights) for a in reporting])
    free = fit([a.outcomes for a in tuning], prior())
    measured["reporting_free"] = figures([ranked(a, free) for a in reporting])
    print(json.dumps(measured))  # noqa: T201
    return 0


def _askings(options: argparse.Namespace) -> list[QuestionProposals]:
    if options.outcomes is not None and options.outcomes.exists():
        return read(options.outcomes)
    questions = asked_by_database(options.questions)
    chosen = dict(list(questions.items())[: options.databases or None])
    askings: list[QuestionProposals] = []
    wanted = parts(options.dsn, chosen, options.copies)
    with Progress("collecting", sum(len(part.questions) for part in wanted)) as bar:
        for part in wanted:
            for found in collect(part, options.cache, options.jobs):
                askings += found
                bar.step()
    if options.outcomes is not None:
        write(options.outcomes, askings)
    return askings


if __name__ == "__main__":
    sys.exit(main())
