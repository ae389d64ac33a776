"""Baselines that others are measured against: a lot, the first candidate that runs, a choice among all.

Owns: these strategies. No ASK is answered by them.
"""

from __future__ import annotations

import hashlib

from askwire.core.types import Cluster
from askwire.selector.judge import Chooser
from askwire.selector.strategy import Case, RankedCluster, ranked


class RandomChoice:
    """One candidate by lot, also those that cannot run; it hangs on `seed` and the question alone."""

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


class MultipleChoice:
    """The chooser decides; where it cannot say, the majority does."""

    name = "multiple-choice"

    def __init__(self, chooser: Chooser) -> None:
        self._chooser = chooser

    async def rank(self, case: Case) -> list[RankedCluster]:
        """The chosen cluster, then the others by size."""
        support = [float(len(cluster.verdicts)) for cluster in case.clusters]
        if len(case.clusters) > 1:
            offered = [cluster.representative for cluster in case.clusters]
            chosen = await self._chooser.choose(case.question, offered)
            if chosen is not None:
                support[chosen] += sum(support)
        return ranked(case.clusters, support)
