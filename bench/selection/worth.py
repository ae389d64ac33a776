"""How fast a judge's worth follows its rulings: coins that lose their word, and good judges that keep it.

Owns: made-up records of rulings, by a seed. Needs no database. A line per case: after how many rulings a coin
has lost its word, and from when on its worth stays below 0.1 (median and 90th percentile of the runs); and in
how many of 100 runs a judge of a known accuracy has its word after so many rulings.

    python -m askwire.bench.selection.worth
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

from askwire.selector.judge import Ruling
from askwire.selector.judge_rates import learn

RUNS: Final = 100
MAX_RULINGS: Final = 400
FAVOURITE_RATES: Final = (0.55, 0.8, 0.95)
"""How likely favourites are right, alike often."""
NEGLIGIBLE_LOG_ODDS: Final = 0.1
"""A worth that moves next to nothing, in log-odds."""
RULING_COUNTS: Final = (10, 30, 100, 200)

Record = list[tuple[float, Ruling]]


def record(
    accuracy: float, count: int, seed: int, priors: Sequence[float], *, judged: bool = False
) -> Record:
    """Rulings of a judge that is right so often; `judged`: people said each time which reading was right."""
    drawn = random.Random(seed)  # noqa: S311 - no secret
    made = []
    for _ in range(count):
        prior = drawn.choice(list(priors))
        favourite = drawn.random() < prior
        first = (drawn.random() < accuracy) == favourite
        known = float(favourite) if judged else prior
        made.append((known, Ruling.FIRST if first else Ruling.SECOND))
    return made


def coin(priors: Sequence[float], *, judged: bool) -> dict[str, Any]:
    """How many rulings it takes to know a coin."""
    lost, idle = [], []
    for seed in range(RUNS):
        tossed = record(0.5, MAX_RULINGS, seed, priors, judged=judged)
        rates = [learn(tossed[:n]) for n in range(1, MAX_RULINGS)]
        lost.append(_first(rates, lambda rate: not rate.decides))
        worths = [abs(rate.worth(Ruling.SECOND)) for rate in rates]
        idle.append(max((n for n, worth in enumerate(worths, 1) if worth > NEGLIGIBLE_LOG_ODDS), default=0))
    return {"coin": list(priors), "judged": judged, "word_lost": _spread(lost), "idle": _spread(idle)}


def keeps(accuracy: float) -> dict[str, Any]:
    """In how many runs a judge has its word after so many rulings."""
    runs = [
        [learn(record(accuracy, count, seed, FAVOURITE_RATES)).decides for count in RULING_COUNTS]
        for seed in range(RUNS)
    ]
    return {
        "accuracy": accuracy,
        "rulings": RULING_COUNTS,
        "has_its_word": [sum(run) for run in zip(*runs, strict=True)],
    }


def _first(rates: Sequence[Any], holds: Callable[[Any], bool]) -> int:
    return next((n for n, rate in enumerate(rates, 1) if holds(rate)), MAX_RULINGS)


def _spread(counts: Sequence[int]) -> tuple[int, int]:
    """The median and the 90th percentile."""
    ordered = sorted(counts)
    return ordered[len(ordered) // 2], ordered[len(ordered) * 9 // 10]


def main() -> int:
    """Print a line per case, and one JSON object last."""
    coins = [coin(priors, judged=judged) for priors in (FAVOURITE_RATES, (0.65,)) for judged in (False, True)]
    told = [*coins, *map(keeps, (0.8, 0.9))]
    for line in told:
        print(line)  # noqa: T201
    print(json.dumps(told))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
