"""Strategies in which the answers of duels decide: SISelection's tournament, DPC's champion and challenger.

Owns: who meets whom, and how points become a ranking. After Kikot et al. (data-aware candidate selection on
separating instances) and Li et al. (DPC).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from askwire.core.types import Cluster, Question, Verdict
from askwire.selector.instances import Instance
from askwire.selector.judge import Judge, Ruling
from askwire.selector.strategy import Case, RankedCluster, because, ranked

MAX_DUELLING: Final = 8
"""Clusters that meet in a tournament, the largest."""


@dataclass(frozen=True, slots=True)
class Duel:
    """One ruling: the places of both in the ranking before, from 0, and the first's share of their support.

    `between` are the two statements. `counts` is how much the ruling says of its judge: 1 for the first two,
    for others the probability that one of them is right, because both may well be wrong.
    """

    first: int
    second: int
    favourite: float
    ruling: Ruling
    between: tuple[str, str] = ("", "")
    counts: float = 1.0


Ruled = Callable[[Duel], None]
"""Is called with each duel that was held."""


def unheard(_duel: Duel) -> None:
    """For strategies whose duels are not recorded."""


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

    def __init__(
        self, judge: Judge, *, needs_rows: bool = True, most: int = MAX_DUELLING, ruled: Ruled = unheard
    ) -> None:
        self._judge = _OnRows(judge) if needs_rows else judge
        self._most = most
        self._ruled = ruled

    async def rank(self, case: Case) -> list[RankedCluster]:
        """The clusters by points."""
        clusters = by_size(case.clusters)
        points = [0.0] * len(clusters)
        for i, j in combinations(range(min(self._most, len(clusters))), 2):
            ruling = await duel(case, clusters[i], clusters[j], self._judge)
            self._ruled(_held(clusters, i, j, ruling))
            points[i] += ruling.value
            points[j] += 1 - ruling.value
        standings = ranked(clusters, points, "points")
        return because(standings, _of_points(standings, min(self._most, len(clusters)) - 1))


def _of_points(standings: Sequence[RankedCluster], duels: int) -> str:
    """Why the first of a tournament is first: by points, or by its size among those with as many."""
    if duels < 1:
        return ""
    best = standings[0].terms["points"]
    level = sum(s.terms["points"] == best for s in standings)
    told = f"{best:g} of {duels} points in duels, 1 for a win and ½ for a draw"
    if level == 1:
        return told
    return (
        f"{told}; {level - 1} more {'has' if level == 2 else 'have'} as many, and most candidates give this"
    )


class ChampionChallenger:
    """The largest cluster keeps its place unless the second largest wins a duel.

    A draw, and rows that tell nothing, leave the champion where it is.
    """

    name = "dpc"

    def __init__(self, judge: Judge, *, needs_rows: bool = True, ruled: Ruled = unheard) -> None:
        self._judge = _OnRows(judge) if needs_rows else judge
        self._ruled = ruled

    async def rank(self, case: Case) -> list[RankedCluster]:
        """The clusters by size, the first two in the order the duel gives."""
        clusters = by_size(case.clusters)
        standings = ranked(clusters, [float(len(cluster.verdicts)) for cluster in clusters])
        if len(standings) < 2:
            return standings
        champion, challenger = standings[:2]
        ruling = await duel(case, champion.cluster, challenger.cluster, self._judge)
        self._ruled(_held(clusters, 0, 1, ruling))
        if ruling is Ruling.SECOND:
            # each keeps the place's share, so that support falls along the ranking
            first = replace(challenger, support=champion.support)
            second = replace(champion, support=challenger.support)
            return because([first, second, *standings[2:]], "the challenger won its duel with the champion")
        how = "won" if ruling is Ruling.FIRST else "drew"
        return because(standings, f"the champion, which most candidates give, {how} its duel")


def _held(clusters: Sequence[Cluster], first: int, second: int, ruling: Ruling) -> Duel:
    """A duel between clusters whose support is their size."""
    one, other = clusters[first], clusters[second]
    favourite = len(one.verdicts) / (len(one.verdicts) + len(other.verdicts))
    return Duel(first, second, favourite, ruling, (one.representative.sql, other.representative.sql))


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


def by_size(clusters: Sequence[Cluster]) -> list[Cluster]:
    """The clusters, the largest first; of equal ones the one given first."""
    return sorted(clusters, key=lambda cluster: len(cluster.verdicts), reverse=True)
