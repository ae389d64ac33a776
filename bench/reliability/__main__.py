"""`python -m askwire.bench.reliability --sources FILE --cache FOLDER [--out selector/confidence.json]`.

Owns: arguments, and the file that is written. FILE lists the questions and where they are asked
(`sources.Source`); what was asked and judged is kept in FOLDER, and is not asked again.

The last line printed is one JSON object: answers and how many are right by level and source, of fits that
leave the database out (`database_left_out`) and of fits that leave the whole source out
(`source_left_out`); and right, wrong and refused as the questions were asked and by the new probabilities.
With `--out` the fit on all sources is written. Exit code 1 where a level does not hold on databases left out.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from askwire.bench.failure import BenchFailure
from askwire.bench.reliability.fit import Model, fitted, left_out, source_left_out
from askwire.bench.reliability.levels import by_source, ended, error_rates, holds
from askwire.bench.reliability.outcomes import Outcome, outcomes
from askwire.bench.reliability.sources import read_sources
from askwire.selector.confidence import probability

LICENCE: Final = (
    "Fitted on outcomes of questions of Spider's training set (https://yale-lily.github.io/spider), "
    "CC BY-SA 4.0, among others; this file carries the same licence."
)


def main() -> int:
    """Ask what is not asked yet, fit, and report."""
    parser = argparse.ArgumentParser(prog="reliability", description="Whether stated confidence is true.")
    parser.add_argument("--sources", required=True, type=Path, help="TOML: the questions and where to ask")
    parser.add_argument("--cache", required=True, type=Path, help="a folder for predictions and outcomes")
    parser.add_argument("--out", type=Path, help="where the fit goes: selector/confidence.json")
    parser.add_argument("--jobs", type=int, default=2, help="connections asking at once (default 2)")
    options = parser.parse_args()
    try:
        sources = read_sources(options.sources)
        found = [one for source in sources for one in outcomes(source, options.cache, options.jobs)]
    except BenchFailure as failure:
        print(f"askwire: {failure}", file=sys.stderr)  # noqa: T201
        return 1
    weight = {source.name: source.weight for source in sources}
    judged = _judged(found, left_out(found, weight))
    told = {
        "database_left_out": by_source(judged),
        "source_left_out": by_source(_judged(found, source_left_out(found, weight))),
        "ended": ended(judged),
    }
    if options.out:
        model = {"licence": LICENCE, "error_rates": error_rates(judged), **fitted(found, weight)}
        options.out.write_text(json.dumps(model).replace(', [["', ',\n [["') + "\n", "utf-8")
    print(json.dumps(told))  # noqa: T201
    return int(not holds(told["database_left_out"]["all"]))


def _judged(found: Sequence[Outcome], models: Sequence[Model]) -> list[tuple[Outcome, float]]:
    return [(one, probability(one.signals or {}, model)) for one, model in zip(found, models, strict=True)]


if __name__ == "__main__":
    sys.exit(main())
