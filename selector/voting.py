"""Strategies that need nothing but the candidates: a lot, the first that runs, the majority.

Owns: the baselines every other strategy is measured against.
"""

from __future__ import annotations

import hashlib

from askwire.core.types import Cluster
from askwire.selector.strategy import Case, RankedCluster, because, ranked


class RandomChoice:
    """One candidate by lot, those that cannot run included; the lot hangs on `seed` and the question alone.

    A baseline: an answer is never drawn by lot.
    """

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    async def rank(self, case: Case) -> list[RankedCluster]:
        """The cluster of the candidate drawn first; a cluster of its own for one that did not run."""
        drawn = hashlib.sha256(f"{self._seed}\0{case.question.text}".encode()).digest()
        verdicts = case.verdicts
        chosen = verdicts[int.from_bytes(drawn[:8], "big") % len(verdicts)]
        if chosen in case.failed:
            rest = [RankedCluster(cluster, 0.0) for cluster in case.clusters]
            return [RankedCluster(Cluster((chosen,)), 1.0), *rest]
        return ranked(case.clusters, [float(chosen in cluster.verdicts) for cluster in case.clusters])


class ExecutionGuided:
    """The first candidate that runs; with `rows` the first that returns any, where one does."""

    name = "execution-guided"

    def __init__(self, *, rows: bool = False) -> None:
        self._rows = rows

    async def rank(self, case: Case) -> list[RankedCluster]:
        """The clusters in the order of their first candidates."""
        count = len(case.clusters)
        return ranked(
            case.clusters,
            [
                count - place + (2 * count if not self._rows or _has_rows(cluster) else 0)
                for place, cluster in enumerate(case.clusters)
            ],
        )


def _has_rows(cluster: Cluster) -> bool:
    result = cluster.representative.result
    return result is not None and bool(result.rows)


class Majority:
    """The answer most candidates give (self-consistency); among equals the one given first."""

    name = "majority"

    async def rank(self, case: Case) -> list[RankedCluster]:
        """The clusters by size."""
        standings = ranked(case.clusters, [float(len(cluster.verdicts)) for cluster in case.clusters])
        sizes = [len(standing.cluster.verdicts) for standing in standings]
        if len(sizes) < 2:
            return standings
        level = "; another answer has as many, and this one came first" if sizes[0] == sizes[1] else ""
        return because(standings, f"{sizes[0]} of {sum(sizes)} candidates give this answer{level}")
