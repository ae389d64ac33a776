"""Strategies that count candidates: the majority, and a majority whose ties a chooser breaks.

Owns: when the chooser is asked.
"""

from __future__ import annotations

from askwire.selector.judge import Chooser
from askwire.selector.strategy import Case, RankedCluster, because, ranked


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


class ApexSelect:
    """The majority of results; the chooser is asked only to break a tie (APEX-SQL's answer selection)."""

    name = "apex"

    def __init__(self, chooser: Chooser) -> None:
        self._chooser = chooser

    async def rank(self, case: Case) -> list[RankedCluster]:
        """The clusters by size, ties in the order the chooser gives them."""
        support = [float(len(cluster.verdicts)) for cluster in case.clusters]
        tied = [n for n, size in enumerate(support) if size == max(support)]
        reason = ""
        if len(tied) > 1:
            offered = [case.clusters[n].representative for n in tied]
            chosen = await self._chooser.choose(case.question, offered)
            if chosen is None:
                reason = f"{len(tied)} answers have as many votes; the judge named none, the first stands"
            else:
                support[tied[chosen]] += 0.5
                reason = f"{len(tied)} answers have as many votes, and the judge chose this one"
        return because(ranked(case.clusters, support), reason)
