"""Weighted majority with feedback: after each answer the right one is revealed, and weights follow.

Owns: the multiplicative update, rounds in many orders, mistakes, and the bounds they are held against. With
n experts, the best of which errs m times, the weighted majority errs at most 2(1+ε)m + (2 ln n)/ε times (ε
at most 1/2). The figures are of a setting in which every answer is judged at once; without feedback see
`select --strategy wma`, whose weights come from agreement. A mistake is an answer that is not right; an
expert whose statement failed is wrong.

    python -m askwire.bench.selection.online --dsn DSN --questions questions.jsonl --pool experts.jsonl.gz \
        [--experts a,b] [--orders 20] [--cache F]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from askwire.bench.failure import BenchFailure
from askwire.bench.question_files import read_gold
from askwire.bench.selection.cache import Cache
from askwire.bench.selection.judged import Right, outcomes
from askwire.bench.selection.pool import read_pool
from askwire.bench.selection.run import TriedQuestion, try_all
from askwire.selector.weighted_majority import Weights, votes

EPSILON: Final = 0.5
"""The largest step; `best_epsilon` gives the one for a known number of rounds."""


@dataclass(frozen=True, slots=True)
class Round:
    """One question: the experts behind each answer, the place of the right answer, and who was wrong."""

    tried: TriedQuestion
    right: tuple[bool, ...]
    wrong: frozenset[str]


@dataclass(frozen=True, slots=True)
class MistakeCounts:
    """Mistakes of the vote, mistakes to expect of the draw, and those of the best expert."""

    voted: int
    drawn: float
    best: int


def rounds(tried: Sequence[TriedQuestion], right: Right) -> tuple[list[Round], list[str]]:
    """The rounds of a pool and its experts; a question for which an expert has no statement counts too."""
    experts = sorted({v.candidate.expert for one in tried for v in one.case.verdicts})
    made = []
    for one in tried:
        good = {
            v.candidate.expert
            for cluster in one.case.clusters
            for v in cluster.verdicts
            if right[one.pooled.id, v.sql]
        }
        answers = tuple(right[one.pooled.id, c.representative.sql] for c in one.case.clusters)
        made.append(Round(one, answers, frozenset(experts) - good))
    return made, experts


def play(made: Sequence[Round], experts: Sequence[str], epsilon: float) -> MistakeCounts:
    """All rounds in the given order."""
    weights: dict[str, float] = {}
    voted, drawn = 0, 0.0
    for one in made:
        support = votes(one.tried.case, weights)
        winner = max(range(len(support)), key=support.__getitem__, default=None)
        voted += winner is None or not one.right[winner]
        total = sum(weights.get(expert, 1.0) for expert in experts)
        drawn += sum(weights.get(expert, 1.0) for expert in one.wrong) / total
        weights = updated(weights, experts, one.wrong, epsilon)
    best = min(sum(expert in one.wrong for one in made) for expert in experts)
    return MistakeCounts(voted, drawn, best)


def updated(
    weights: Weights, experts: Iterable[str], wrong: Collection[str], epsilon: float = EPSILON
) -> dict[str, float]:
    """The weights after a round: those of the experts that were wrong times 1 - ε.

    Scaled so that the largest is 1, which changes no vote; none falls below what a float can tell from 0.
    """
    changed = {e: weights.get(e, 1.0) * (1 - epsilon if e in wrong else 1.0) for e in experts}
    most = max(changed.values(), default=1.0)
    return {expert: max(weight / most, 1e-300) for expert, weight in changed.items()}


def best_epsilon(experts: int, mistakes: int) -> float:
    """The ε that makes the bound smallest when the best of so many experts errs so often."""
    return min(0.5, math.sqrt(math.log(max(experts, 2)) / max(mistakes, 1)))


def mistake_bound(experts: int, mistakes: int, epsilon: float) -> float:
    """The most mistakes of the weighted majority: 2(1+ε)m + (2 ln n)/ε."""
    return 2 * (1 + epsilon) * mistakes + 2 * math.log(experts) / epsilon


def randomized_bound(experts: int, mistakes: int, epsilon: float) -> float:
    """The most mistakes to expect of the randomised form: (1+ε)m + (ln n)/ε."""
    return (1 + epsilon) * mistakes + math.log(experts) / epsilon


def figures(made: Sequence[Round], experts: Sequence[str], orders: int) -> dict[str, Any]:
    """Means over orders, and whether the bounds held in each."""
    least = min(sum(expert in one.wrong for one in made) for expert in experts)
    epsilon = best_epsilon(len(experts), least)
    played = []
    for seed in range(orders):
        shuffled = list(made)
        random.Random(seed).shuffle(shuffled)  # noqa: S311 - no secret
        played.append(play(shuffled, experts, epsilon))
    bounds = mistake_bound(len(experts), least, epsilon), randomized_bound(len(experts), least, epsilon)
    count = len(made)
    return {
        "questions": count,
        "experts": len(experts),
        "orders": orders,
        "epsilon": round(epsilon, 3),
        "best_expert": round(100 - 100 * least / count, 2),
        "wma": round(100 - 100 * sum(p.voted for p in played) / orders / count, 2),
        "rwma": round(100 - 100 * sum(p.drawn for p in played) / orders / count, 2),
        "most_mistakes": [max(p.voted for p in played), round(max(p.drawn for p in played), 1)],
        "bounds": [round(bound, 1) for bound in bounds],
        "within": all(p.voted <= bounds[0] and p.drawn <= bounds[1] for p in played),
    }


def main() -> int:
    """Print one JSON object."""
    parser = argparse.ArgumentParser(prog="select_online", description="Weighted majority with feedback.")
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--experts", default="")
    parser.add_argument("--questions", required=True, type=Path)
    parser.add_argument("--pool", required=True, type=Path)
    parser.add_argument("--orders", type=int, default=20)
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    try:
        pool = read_pool(options.pool, [e for e in options.experts.split(",") if e])
        golds = read_gold(options.questions)
        with Cache(options.cache) as cache:
            tried = asyncio.run(try_all(options.dsn, pool, cache))
        made, experts = rounds(tried, outcomes(tried, golds, options.dsn))
    except BenchFailure as failure:
        print(f"askwire: {failure}", file=sys.stderr)  # noqa: T201
        return 1
    print(json.dumps(figures(made, experts, options.orders)))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
