"""Weighted majority over experts (Littlestone and Warmuth).

Owns: the vote, by the sum of weights or by an expert drawn by weight.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from askwire.core.types import Cluster
from askwire.selector.strategy import Case, RankedCluster, because, ranked

Weights = Mapping[str, float]


class WeightedMajority:
    """The answer with the largest sum of its experts' weights.

    An expert not in `weights` weighs 1. One with several candidates shares its weight among them, those
    that failed included: they keep their part of the vote, which then supports nothing.
    """

    name = "wma"

    def __init__(self, weights: Weights | None = None) -> None:
        self._weights = dict(weights or {})

    async def rank(self, case: Case) -> list[RankedCluster]:
        """The clusters by weight."""
        support = votes(case, self._weights)
        reason = f"{max(support):.2f} of {sum(support):.2f} of the experts' weight" if support else ""
        return because(ranked(case.clusters, support, "weight"), reason)


class RandomizedMajority:
    """The answer of one expert, drawn by weight.

    The draw hangs on `seed`, the question and the weights alone: the same question gets the same draw until
    feedback changes a weight. An expert none of whose candidates can be chosen is not drawn; one with several
    answers by the first of them.
    """

    name = "rwma"

    def __init__(self, weights: Weights | None = None, seed: int = 0) -> None:
        self._weights = dict(weights or {})
        self._seed = seed

    async def rank(self, case: Case) -> list[RankedCluster]:
        """The cluster of the drawn expert first, then the others by weight."""
        place: dict[str, int] = {}
        for number, cluster in enumerate(case.clusters):
            for verdict in cluster.verdicts:
                place.setdefault(verdict.candidate.expert, number)
        experts = sorted(place)
        weights = [self._weights.get(expert, 1.0) for expert in experts]
        drawing = random.Random(f"{self._seed}\0{case.question.text}")  # noqa: S311 - no secret
        (drawn,) = drawing.choices(experts, weights)
        standings = ranked(case.clusters, votes(case, self._weights), "weight")
        chosen = case.clusters[place[drawn]]
        standings.sort(key=lambda standing: standing.cluster is not chosen)
        share = self._weights.get(drawn, 1.0) / sum(weights)
        return because(standings, f"the answer of {drawn}, drawn with probability {share:.2f}")


def votes(case: Case, weights: Weights) -> list[float]:
    """The weight behind each cluster."""
    proposed: dict[str, int] = {}
    for verdict in case.verdicts:
        expert = verdict.candidate.expert
        proposed[expert] = proposed.get(expert, 0) + 1

    def of(cluster: Cluster) -> float:
        experts = (v.candidate.expert for v in cluster.verdicts)
        return sum(weights.get(expert, 1.0) / proposed[expert] for expert in experts)

    return [of(cluster) for cluster in case.clusters]
