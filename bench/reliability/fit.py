"""Fits the trees that turn an answer's signals into a probability: boosted, small, each signal against it.

Owns: the objective, its descent, and fits that leave databases out. Deterministic. Along each signal the
probability never rises: where a signal speaks for an answer in the data, it is passed over, because that says
more of the data than of answers.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from askwire.bench.reliability.outcomes import Outcome

FOLDS: Final = 10
ROUNDS: Final = 90
DEPTH: Final = 2
LEARNING_RATE: Final = 0.1
LEAF_PULL: Final = 8.0
"""The strength of the quadratic pull of each leaf to zero, in questions."""
MIN_SIDE_CURVATURE: Final = 4.0
"""The curvature that both sides of a split must have: four answers of even odds are one."""

Tree = list[Any]
"""A leaf's log-odds, or [signal, threshold, tree up to it, tree beyond it]."""
Model = dict[str, Any]
"""`bias` in log-odds, and `trees` whose leaves are added to it."""


def fitted(outcomes: Sequence[Outcome], weight: Mapping[str, float]) -> Model:
    """The model of these outcomes; `weight` is what the answers of a source count together."""
    taught = [o for o in outcomes if o.signals is not None and weight.get(o.source)]
    share = Counter(o.source for o in taught)
    names = sorted({name for o in taught for name in o.signals or ()})
    x = np.array([[(o.signals or {}).get(name, 0.0) for name in names] for o in taught])
    y = np.array([float(o.right) for o in taught])
    counts = np.array([weight[o.source] / share[o.source] for o in taught])
    mean = float(np.average(y, weights=counts))
    bias = float(np.log(mean / (1 - mean)))
    orders = np.argsort(x, axis=0, kind="stable")
    odds, trees = np.full(len(y), bias), []
    for _ in range(ROUNDS):
        p = 1.0 / (1.0 + np.exp(-odds))
        slope, curve = counts * (y - p), counts * p * (1 - p)
        grown = _grown(_Data(x, slope, curve, orders), np.ones(len(y), dtype=bool), DEPTH, -np.inf, np.inf)
        odds += _leaves(grown, x)
        trees.append(_named(grown, names))
    return {"bias": round(bias, 4), "trees": trees}


class _Data:
    def __init__(self, x: Any, slope: Any, curve: Any, orders: Any) -> None:
        self.x, self.slope, self.curve, self.orders = x, slope, curve, orders


def _grown(data: _Data, rows: Any, depth: int, least: float, most: float) -> Any:
    value = float(data.slope[rows].sum() / (data.curve[rows].sum() + LEAF_PULL))
    split = _split(data, rows) if depth else None
    if split is None:
        return LEARNING_RATE * float(np.clip(value, least, most))
    signal, threshold = split
    below = rows & (data.x[:, signal] <= threshold)
    beyond = rows & ~below
    values = [float(data.slope[s].sum() / (data.curve[s].sum() + LEAF_PULL)) for s in (below, beyond)]
    middle = float(np.clip(sum(values) / 2, least, most))
    return [
        signal,
        threshold,
        _grown(data, below, depth - 1, middle, most),
        _grown(data, beyond, depth - 1, least, middle),
    ]


def _split(data: _Data, rows: Any) -> tuple[int, float] | None:
    """The signal and threshold that tell most apart, the lower side being right more often."""
    best, found = 1e-9, None
    total, weight = data.slope[rows].sum(), data.curve[rows].sum()
    for signal in range(data.x.shape[1]):
        order = data.orders[:, signal]
        order = order[rows[order]]
        values = data.x[order, signal]
        if values[0] == values[-1]:
            continue
        slope = np.cumsum(data.slope[order])[:-1]
        curve = np.cumsum(data.curve[order])[:-1]
        allowed = (
            (values[1:] > values[:-1]) & (curve > MIN_SIDE_CURVATURE) & (weight - curve > MIN_SIDE_CURVATURE)
        )
        allowed &= slope / (curve + LEAF_PULL) > (total - slope) / (weight - curve + LEAF_PULL)
        if not allowed.any():
            continue
        gain = slope**2 / (curve + LEAF_PULL) + (total - slope) ** 2 / (weight - curve + LEAF_PULL)
        gain = np.where(allowed, gain - total**2 / (weight + LEAF_PULL), -1.0)
        place = int(np.argmax(gain))
        if gain[place] > best:
            best, found = float(gain[place]), (signal, float((values[place] + values[place + 1]) / 2))
    return found


def _leaves(tree: Any, x: Any) -> Any:
    if not isinstance(tree, list):
        return np.full(len(x), tree)
    signal, threshold, below, beyond = tree
    return np.where(x[:, signal] <= threshold, _leaves(below, x), _leaves(beyond, x))


def _named(tree: Any, names: Sequence[str]) -> Any:
    if not isinstance(tree, list):
        return round(tree, 4)
    signal, threshold, below, beyond = tree
    return [names[signal], round(threshold, 4), _named(below, names), _named(beyond, names)]


def fold_of(database: str) -> int:
    """The fold of a database, by a hash of its name: the same in every source that has it."""
    return int(hashlib.sha1(f"fold {database}".encode(), usedforsecurity=False).hexdigest(), 16) % FOLDS


def left_out(outcomes: Sequence[Outcome], weight: Mapping[str, float]) -> list[Model]:
    """For each outcome the model of a fit that has not seen its database."""
    by_fold: dict[int, Model] = {}
    for fold in sorted({fold_of(o.database) for o in outcomes}):
        by_fold[fold] = fitted([o for o in outcomes if fold_of(o.database) != fold], weight)
    return [by_fold[fold_of(o.database)] for o in outcomes]


def source_left_out(outcomes: Sequence[Outcome], weight: Mapping[str, float]) -> list[Model]:
    """The same by fits that have not seen any question of the source, nor its databases elsewhere."""
    databases: dict[str, set[str]] = defaultdict(set)
    for o in outcomes:
        databases[o.source].add(o.database)
    by_source = {
        source: fitted([o for o in outcomes if o.source != source and o.database not in known], weight)
        for source, known in databases.items()
    }
    return [by_source[o.source] for o in outcomes]
