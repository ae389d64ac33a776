"""Leave one database out: the worth of evidence fitted on all databases but one, and used on that one.

Owns: the fit (a conditional logit over the clusters of each question: how likely is a right one, given what
each kind of evidence says), and a run in which no question is answered with a worth that was fitted on its
own database. Reads gold SQL for the fit; the predictions are scored by `report`, like any others. Must not
know: what the evidence is.

    python -m askwire.bench.selection.fit --dsn DSN --questions questions.jsonl --pool experts.jsonl.gz \
        --out predictions.jsonl [--experts a,b] [--cache F] [--strength 5]

The last line is one JSON object: by database the factors on the shipped worth. Far from 1 they would say that
what is shipped does not hold for other databases.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from askwire.bench.failure import BenchFailure
from askwire.bench.question_files import read_gold
from askwire.bench.selection.cache import Cache
from askwire.bench.selection.judged import Right, outcomes
from askwire.bench.selection.pool import read_pool
from askwire.bench.selection.run import Tried, try_all
from askwire.bench.selection.strategies import learn
from askwire.selector.posterior import SHIPPED, Posterior, Worth

STEPS: Final = 300
_RATE: Final = 0.3

Factors = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Lesson:
    """One question with a right and a wrong cluster: what each kind says of each, and which are right."""

    db_id: str
    said: Sequence[Mapping[str, float]]
    right: Sequence[bool]


def lessons(tried: Sequence[Tried], right: Right) -> list[Lesson]:
    """The questions that can teach something."""
    posterior = Posterior(learn([one.case for one in tried]))
    found = []
    for one in tried:
        scored = posterior.score(one.case) if one.case.clusters else []
        judged = [right[one.pooled.id, cluster.representative.sql] for cluster, _ in scored]
        if any(judged) and not all(judged):
            found.append(Lesson(one.pooled.db_id, [_by_kind(parts) for _, parts in scored], judged))
    return found


def _by_kind(parts: Mapping[str, float]) -> Factors:
    """What each kind says; all checks are one kind, whether or not they may overturn by themselves."""
    kinds = dict(parts)
    weak = kinds.pop("weak checks", 0.0)
    return kinds | {"checks": kinds.get("checks", 0.0) + weak}


def fitted(taught: Sequence[Lesson], strength: float) -> Factors:
    """Factors on each kind of evidence; `strength` holds them to 1, in questions' worth."""
    kinds = sorted({kind for lesson in taught for parts in lesson.said for kind in parts})
    if not taught:
        return dict.fromkeys(kinds, 1.0)
    most = max(len(lesson.said) for lesson in taught)
    said = np.zeros((len(taught), most, len(kinds)))
    there = np.full((len(taught), most), -1e9)
    right = np.zeros((len(taught), most))
    for n, lesson in enumerate(taught):
        for c, parts in enumerate(lesson.said):
            said[n, c] = [parts.get(kind, 0.0) for kind in kinds]
            there[n, c], right[n, c] = 0.0, float(lesson.right[c])
    factors = np.ones(len(kinds))
    for _ in range(STEPS):
        shares = _softmax(said @ factors + there)
        among = shares * right
        among /= among.sum(axis=1, keepdims=True)
        slope = np.einsum("nc,nck->k", among - shares, said) - strength * (factors - 1)
        factors = np.maximum(0.0, factors + _RATE / len(taught) * slope)
    return {kind: round(float(factor), 3) for kind, factor in zip(kinds, factors, strict=True)}


def _softmax(scores: Any) -> Any:
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def scaled(factors: Factors, worth: Worth = SHIPPED) -> Worth:
    """A worth with each kind's multiplied; confidence goes with the votes that it is added to."""
    votes = factors.get("votes", 1.0)
    return replace(
        worth,
        votes=worth.votes * votes,
        confidence=worth.confidence * votes,
        checks=worth.checks * factors.get("checks", 1.0),
        empty=worth.empty * factors.get("empty", 1.0),
        traits={trait: value * factors.get(trait, 1.0) for trait, value in worth.traits.items()},
    )


def run(
    tried: Sequence[Tried], right: Right, strength: float
) -> tuple[list[dict[str, Any]], dict[str, Factors]]:
    """The predictions, each with what the other databases taught, and the factors by database left out."""
    taught = lessons(tried, right)
    experts = learn([one.case for one in tried])
    factors = {
        db_id: fitted([lesson for lesson in taught if lesson.db_id != db_id], strength)
        for db_id in dict.fromkeys(one.pooled.db_id for one in tried)
    }
    predicted = []
    for one in tried:
        strategy = Posterior(experts, scaled(factors[one.pooled.db_id]))
        ranking = asyncio.run(strategy.rank(one.case)) if one.case.clusters else []
        sql = ranking[0].cluster.representative.sql if ranking else None
        predicted.append({"id": one.pooled.id, "sql": sql})
    return predicted, factors


def main() -> int:
    """Write the predictions and print the factors."""
    parser = argparse.ArgumentParser(prog="fit", description="Leave one database out.")
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--experts", default="")
    for name in ("questions", "pool", "out"):
        parser.add_argument(f"--{name}", required=True, type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--strength", type=float, default=5.0)
    options = parser.parse_args()
    try:
        pool = read_pool(options.pool, [e for e in options.experts.split(",") if e])
        with Cache(options.cache) as cache:
            tried = asyncio.run(try_all(options.dsn, pool, cache, engine=True, verified=True))
        right = outcomes(tried, read_gold(options.questions), options.dsn)
        predicted, factors = run(tried, right, options.strength)
    except BenchFailure as failure:
        print(f"askwire: {failure}", file=sys.stderr)  # noqa: T201
        return 1
    lines = (json.dumps(line, ensure_ascii=False) + "\n" for line in predicted)
    options.out.write_text("".join(lines), encoding="utf-8")
    print(json.dumps({"questions": len(predicted), "factors": factors}))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
