"""Whether probabilities are true: answers of recorded systems of different strength, held against gold.

Owns: the figures. Each system of a pool answers beside the embedded engine and by itself, groups of several
drawn by a seed do so together, and all of them. Calibration: the logistic curves that make probabilities with
votes true, one for each number of models, alone and beside the engine, are fitted on all databases but one,
and held against that one; `ece` is the expected calibration error over ten bins. Error rates: thresholds from
half of the questions, held against the other half; error and coverage are means over splits.

    python -m askwire.bench.selection.calibrated --dsn DSN --questions questions.jsonl \
        --pool experts.jsonl.gz [--experts a,b] [--cache F] [--ship selector/calibrated.json]

`--ship` writes the curves that come with askwire: the logistic ones, and by error rate the least probability.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
import sys
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

import numpy as np

from askwire.bench.failure import BenchFailure
from askwire.bench.question_files import read_gold
from askwire.bench.selection.cache import Cache
from askwire.bench.selection.judged import Right, outcomes
from askwire.bench.selection.pool import read_pool
from askwire.bench.selection.run import ENGINE, TriedQuestion, try_all
from askwire.bench.selection.strategies import learn
from askwire.core.types import Cluster
from askwire.selector.calibration import Outcome, calibrate
from askwire.selector.posterior import Posterior
from askwire.selector.strategy import Case

Votes = Sequence[Sequence[tuple[float, float]]]
"""Slopes and shifts: by the number of models less one, for models alone and beside the engine."""
ALL: Final = "all"
_STEPS: Final = 3000
_LEARNING_RATE: Final = 0.3
_ODDS_SCALE: Final = 5.0
ERROR_RATES: Final = (0.02, 0.05, 0.1, 0.15)
SHIPPED_ERROR_RATES: Final = (0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.125, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)
SPLITS: Final = 200
GROUPS: Final = ((2, 12), (3, 10), (5, 4), (8, 2))
"""So many systems together, and so many groups of them."""
MAX_MODELS: Final = 4
"""Models that vote together from which on one curve is fitted for all numbers."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Experts that answer together."""

    name: str
    experts: frozenset[str]


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer before calibration; `models` voted, 0 where no vote speaks for the answer.

    `beside`: the engine proposed something too.
    """

    panel: str
    db_id: str
    probability: float
    models: int
    beside: bool
    right: bool


def figures(recorded: Sequence[Outcome], splits: int = SPLITS) -> list[dict[str, Any]]:
    """For each rate: the error among answers and the share answered, in percent, on questions not seen."""
    told = []
    for rate in ERROR_RATES:
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
    parser = argparse.ArgumentParser(prog="calibrated", description="Whether probabilities are true.")
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--experts", default="")
    parser.add_argument("--questions", required=True, type=Path)
    parser.add_argument("--pool", required=True, type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--ship", type=Path, help="write the curves that come with askwire")
    options = parser.parse_args()
    try:
        pool = read_pool(options.pool, [e for e in options.experts.split(",") if e])
        with Cache(options.cache) as cache:
            tried = asyncio.run(try_all(options.dsn, pool, cache, engine=True, verified=True))
        right = outcomes(tried, read_gold(options.questions), options.dsn)
    except BenchFailure as failure:
        print(f"askwire: {failure}", file=sys.stderr)  # noqa: T201
        return 1
    answers = [answer for panel in panels(tried) for answer in answered(tried, right, panel)]
    votes = logistics(answers)
    together = [mapped(one, votes) for one in answers if one.panel == ALL]
    if options.ship:
        curves = {"votes": votes, "confidence": curve(together)}
        options.ship.write_text(json.dumps(curves, indent=1) + "\n", encoding="utf-8")
    held_out = left_out(answers)
    key = attrgetter("models", "beside")
    told = {
        "answers": len(answers),
        "logistic": votes,
        "ece": round(ece(held_out), 3),
        "ece_by_models": {
            f"{models} {'beside' if beside else 'alone'}": round(
                ece([o for a, o in zip(answers, held_out, strict=True) if key(a) == (models, beside)]), 3
            )
            for models, beside in sorted(set(map(key, answers)))
        },
        "ece_by_panel": {
            panel: round(ece([o for a, o in zip(answers, held_out, strict=True) if a.panel == panel]), 3)
            for panel in dict.fromkeys(one.panel for one in answers)
        },
        "rates": figures(together),
    }
    print(json.dumps(told))  # noqa: T201
    return 0


def panels(tried: Sequence[TriedQuestion]) -> list[Panel]:
    """Each expert and groups of several, with the engine and without, the engine by itself, and all."""
    experts = sorted({v.candidate.expert for t in tried for v in t.case.verdicts} - {ENGINE})
    drawn = random.Random(0)  # noqa: S311 - no secret
    groups = [frozenset({expert}) for expert in experts]
    groups += [
        frozenset(drawn.sample(experts, size))
        for size, many in GROUPS
        if size < len(experts)
        for _ in range(many)
    ]
    named = {"+".join(sorted(group)): group for group in groups}
    alone = [Panel(f"{name} alone", group) for name, group in named.items()]
    beside = [Panel(name, group | {ENGINE}) for name, group in named.items()]
    return [*alone, *beside, Panel(ENGINE, frozenset({ENGINE})), Panel(ALL, frozenset({*experts, ENGINE}))]


def answered(tried: Sequence[TriedQuestion], right: Right, panel: Panel) -> list[Answer]:
    """What the posterior chooses for each question among one panel's candidates."""
    cases = [among(one.case, panel.experts) for one in tried]
    strategy = Posterior(learn(cases))
    found = []
    for one, case in zip(tried, cases, strict=True):
        ranking = asyncio.run(strategy.rank(case))
        if ranking:
            best = ranking[0]
            correct = right[one.pooled.id, best.cluster.representative.sql]
            voted = best.terms.get("votes", 0.0) > 0
            experts = {v.candidate.expert for c in case.clusters for v in c.verdicts}
            models = len(experts - {ENGINE}) if voted else 0
            beside = ENGINE in experts
            found.append(Answer(panel.name, one.pooled.db_id, best.support, models, beside, correct))
    return found


def among(case: Case, experts: Collection[str]) -> Case:
    """The case with the candidates of these experts only."""
    kept = [tuple(v for v in c.verdicts if v.candidate.expert in experts) for c in case.clusters]
    failed = [v for v in case.failed if v.candidate.expert in experts]
    return replace(case, clusters=[Cluster(verdicts) for verdicts in kept if verdicts], failed=failed)


def logistics(answers: Sequence[Answer]) -> Votes:
    """The curves for each number of models that voted, the last for `MAX_MODELS` and more."""
    return [
        tuple(
            logistic([one for one in answers if one.models and _place(one) == (models, beside)])
            for beside in (False, True)
        )
        for models in range(MAX_MODELS)
    ]


def _place(one: Answer) -> tuple[int, bool]:
    """Where the curve of an answer stands."""
    return min(one.models, MAX_MODELS) - 1, one.beside


def logistic(voted: Sequence[Answer]) -> tuple[float, float]:
    """Slope and shift of the curve from log-odds to the share of these answers that are right."""
    if not voted:
        return 1.0, 0.0
    odds = np.array([_odds(one.probability) for one in voted]) / _ODDS_SCALE
    right = np.array([float(one.right) for one in voted])
    slope, shift = 1.0, 0.0
    for _ in range(_STEPS):
        miss = right - 1 / (1 + np.exp(-(slope * odds + shift)))
        slope, shift = (
            slope + _LEARNING_RATE * float((miss * odds).mean()),
            shift + _LEARNING_RATE * float(miss.mean()),
        )
    return round(slope / _ODDS_SCALE, 3), round(shift, 3)


def _odds(probability: float) -> float:
    bounded = max(1e-5, min(1 - 1e-5, probability))
    return math.log(bounded / (1 - bounded))


def mapped(one: Answer, votes: Votes) -> Outcome:
    """An answer's probability after the curve of so many models."""
    if not one.models:
        return Outcome(one.probability, one.right)
    models, beside = _place(one)
    slope, shift = votes[models][beside]
    told = 1 / (1 + math.exp(-(slope * _odds(one.probability) + shift)))
    return Outcome(min(one.probability, told), one.right)


def left_out(answers: Sequence[Answer]) -> list[Outcome]:
    """Each answer's probability by the curves that were fitted on all other databases."""
    curves = {
        db_id: logistics([other for other in answers if other.db_id != db_id])
        for db_id in dict.fromkeys(one.db_id for one in answers)
    }
    return [mapped(one, curves[one.db_id]) for one in answers]


def ece(recorded: Sequence[Outcome]) -> float:
    """The expected calibration error over ten bins of probability."""
    bins: dict[int, list[Outcome]] = defaultdict(list)
    for one in recorded:
        bins[min(9, int(10 * one.support))].append(one)
    apart = (abs(sum(o.support - o.right for o in found)) for found in bins.values())
    return sum(apart) / max(1, len(recorded))


def curve(recorded: Sequence[Outcome]) -> list[tuple[float, float | None]]:
    """By rate the least probability that holds it; None where none does."""
    found = [(rate, calibrate(recorded, rate)) for rate in SHIPPED_ERROR_RATES]
    return [(r, round(c.threshold, 6) if c and isfinite(c.threshold) else None) for r, c in found]


if __name__ == "__main__":
    sys.exit(main())
