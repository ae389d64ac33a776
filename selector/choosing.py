"""Strategies in which someone chooses among all representatives at once.

Owns: when the chooser is asked.
"""

from __future__ import annotations

from askwire.selector.judge import Chooser
from askwire.selector.strategy import Case, RankedCluster, because, ranked


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
