"""Strategies that let clusters duel: a round robin, and champion against challenger.

Owns: who meets whom, and points. Must not know: how a judge rules, or how rows are found. After Kikot et al.
(tournament on separating instances) and Li et al. (DPC).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from askwire.core.types import Cluster, Question, Verdict
from askwire.selector.instances import Instance
from askwire.selector.judge import Judge, Ruling
from askwire.selector.strategy import Case, Standing, ranked


async def duel(case: Case, first: Cluster, second: Cluster, judge: Judge) -> Ruling:
    """One duel of two clusters' representatives, on rows that tell them apart where there are any."""
    one, other = first.representative, second.representative
    instance: Instance | None = None
    if case.separate is not None:
        found = await case.separate(one.sql, other.sql)
        instance = found.instance or found.witness
    return await judge.rule(case.question, one, other, instance)


class SiTournament:
    """Everyone meets everyone; a win is 1 point, a draw ½.

    Where no rows tell two apart, and `needs_rows`, they draw. Equal points: the larger cluster, then the
    first. At most `most` clusters, the largest, take part; the others follow by size.
    """

    name = "si-tournament"

    def __init__(self, judge: Judge, *, needs_rows: bool = True, most: int = 8) -> None:
        self._judge = judge
        self._needs_rows = needs_rows
        self._most = most

    async def rank(self, case: Case) -> list[Standing]:
        """The clusters by points."""
        clusters = _by_size(case.clusters)
        points = [0.0] * len(clusters)
        judge = _OnRows(self._judge) if self._needs_rows else self._judge
        for i, j in combinations(range(min(self._most, len(clusters))), 2):
            ruling = await duel(case, clusters[i], clusters[j], judge)
            points[i] += ruling.value
            points[j] += 1 - ruling.value
        return ranked(clusters, points)


class ChampionChallenger:
    """The largest cluster keeps its place unless the second largest wins a duel.

    A draw, and rows that tell nothing, leave the champion where it is.
    """

    name = "dpc"

    def __init__(self, judge: Judge, *, needs_rows: bool = True) -> None:
        self._judge = _OnRows(judge) if needs_rows else judge

    async def rank(self, case: Case) -> list[Standing]:
        """The clusters by size, the first two in the order the duel gives."""
        clusters = _by_size(case.clusters)
        support = [float(len(cluster.verdicts)) for cluster in clusters]
        if len(clusters) > 1:
            ruling = await duel(case, clusters[0], clusters[1], self._judge)
            if ruling is Ruling.SECOND:
                clusters[0], clusters[1] = clusters[1], clusters[0]
        return ranked(clusters, support)


class _OnRows:
    """A judge that speaks only where there are rows to look at."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    @property
    def name(self) -> str:
        return self._judge.name

    async def rule(
        self, question: Question, first: Verdict, second: Verdict, instance: Instance | None
    ) -> Ruling:
        if instance is None:
            return Ruling.DRAW
        return await self._judge.rule(question, first, second, instance)


def _by_size(clusters: Sequence[Cluster]) -> list[Cluster]:
    return sorted(clusters, key=lambda cluster: len(cluster.verdicts), reverse=True)
