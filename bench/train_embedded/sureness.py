"""Fits the confidence of best proposals: a logistic model of `planner.embedded.ranking.confidence`'s signals.

Owns: the pairs it learns from, and its descent. It learns from rankings by weights that have not seen the
question's database. Deterministic: Newton's steps from zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from askwire.bench.train_embedded.collect import Outcome
from askwire.planner.embedded.ranking.confidence import SIGNALS, signals
from askwire.planner.embedded.ranking.uncovered_words import KINDS

MAX_WEIGHTS: Final = {
    "nothing_named": -1.5,
    "words_unplaced": 0.0,
    "output_unlike": 0.0,
    "merged": 0.0,
    "lost_symbols": 0.0,
    "guessed": 0.0,
    "unnamed_tables": 0.0,
    "encoding": 0.0,
    "repaired": 0.0,
    "keys_undecided": -1.8,
    "role_idle": -1.5,
    "unit_assumed": -0.4,
    **{f"left:{kind}": 0.0 for kind in KINDS},
    "left:value": -4.0,
    "left:which": -2.0,
    "left:linked": -1.5,
    "left:word": -1.2,
    "left:symbol": -1.0,
    "left:verb": -0.6,
    "left:again": -0.5,
}
"""At most these weights, whatever a fit says: nothing that speaks against an answer raises its confidence,
and a word that has no place is asked about, not passed over. Spider's questions say more words that need no
place than people do."""


@dataclass(frozen=True)
class _Best:
    score: float
    features: dict[str, float]


def _as_ranked(score: float, outcome: Outcome) -> _Best:
    return _Best(score, {**outcome.features, **outcome.left})


def fit_confidence(
    rankings: Sequence[Sequence[tuple[float, Outcome]]], *, pull: float = 2.0, steps: int = 30
) -> dict[str, float]:
    """Weights by signal, `bias` among them; `pull` is the strength of the quadratic pull to zero."""
    rows, right = [], []
    for ranking in rankings:
        if ranking:
            best = [_as_ranked(s, o) for s, o in ranking[:15]]
            rows.append([1.0, *(signals(best)[name] for name in SIGNALS)])
            right.append(float(ranking[0][1].right))
    x, y = np.array(rows), np.array(right)
    held = {1 + SIGNALS.index(name): most for name, most in MAX_WEIGHTS.items()}
    weights = np.zeros(x.shape[1])
    free = np.ones(x.shape[1], dtype=bool)
    for _ in range(len(held)):
        for _ in range(steps):
            p = 1.0 / (1.0 + np.exp(-np.clip(x @ weights, -30, 30)))
            slope = x.T @ (y - p) - pull * weights * (np.arange(len(weights)) > 0)
            curve = (x * (p * (1 - p))[:, None]).T @ x + pull * np.eye(x.shape[1])
            step = np.zeros(len(weights))
            step[free] = np.linalg.solve(curve[np.ix_(free, free)], slope[free])
            weights = weights + step
        for place, most in held.items():
            if weights[place] > most:
                weights[place], free[place] = most, False
    return dict(zip(("bias", *SIGNALS), (round(float(w), 4) for w in weights), strict=True))
