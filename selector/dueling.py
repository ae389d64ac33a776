"""A strategy whose best clusters duel, each ruling weighed by what its judge has proved to be worth.

Owns: which clusters duel, in which order, and the sum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from askwire.selector.calibration import shipped
from askwire.selector.judge import Judge, Ruling
from askwire.selector.judge_rates import JudgeRates, learn
from askwire.selector.strategy import Case, RankedCluster, Strategy, because
from askwire.selector.tournament import Duel, Ruled, duel, unheard


class DuelingStrategy:
    """Another strategy's ranking, after duels between those that have a chance.

    Of the first `most` clusters each meets each (with 2: champion against challenger), the best supported
    first; who has less than `contested` of the support that it and the first have together stays out. The
    first duel is always held, the others as long as `goes_on` says so.

    Of two that duel the odds move by the ruling's worth in log-odds, half of it to either side, so that a win
    counts against third ones as well: as if a judge between two wrong ones were halfway between its rates.
    Draws, and a judge whose rates are silent, move nothing: then the support that was there decides.
    `rates` are those of the average judge on rows unless given. `ruled` is called with each duel.
    """

    def __init__(
        self,
        base: Strategy,
        judge: Judge,
        rates: JudgeRates | None = None,
        *,
        most: int = 2,
        contested: float = 0.02,
        ruled: Ruled = unheard,
        goes_on: Callable[[], bool] = lambda: True,
    ) -> None:
        self._base = base
        self._judge = judge
        self._rates = rates or learn(())
        self._most = most
        self._contested = contested
        self._ruled = ruled
        self._goes_on = goes_on

    @property
    def name(self) -> str:
        """The base's name with the judge's."""
        return f"{self._base.name}+{self._judge.name}"

    async def rank(self, case: Case) -> list[RankedCluster]:
        """The base's ranking after the duels."""
        standings = await self._base.rank(case)
        held = await self.duels(case, standings)
        if not held:
            return standings
        after = moved(standings, held, self._rates)
        return because(after, _named(standings, after[0], held))

    async def duels(self, case: Case, standings: Sequence[RankedCluster]) -> list[Duel]:
        """What the judge says of those that have a chance."""
        held: list[Duel] = []
        for one, other in combinations(range(self._contenders(standings)), 2):
            if held and not self._goes_on():
                break
            ahead, behind = standings[one], standings[other]
            favourite = _favourite(ahead, behind, _evidence_counts(standings))
            ruling = await duel(case, ahead.cluster, behind.cluster, self._judge)
            between = ahead.cluster.representative.sql, behind.cluster.representative.sql
            counts = 1.0 if (one, other) == (0, 1) else _either(ahead, behind)
            held.append(Duel(one, other, favourite, ruling, between, counts))
            self._ruled(held[-1])
        return held

    def _contenders(self, standings: Sequence[RankedCluster]) -> int:
        """How many, from the first on, have a chance against the first."""
        counts = _evidence_counts(standings)
        chances = [
            standing.support > 0 and 1 - _favourite(standings[0], standing, counts) >= self._contested
            for standing in standings[: self._most]
        ]
        return chances.index(False) if False in chances else len(chances)


def _evidence_counts(standings: Sequence[RankedCluster]) -> float:
    """What log-odds of support count beside a ruling: less than 1 where votes made probabilities.

    Experts err alike, so their votes are surer than they are right (`calibration.with_votes`).
    """
    voted = any(s.confidence is not None and "votes" in s.terms for s in standings)
    if not voted:
        return 1.0
    candidates = [v.candidate for s in standings for v in s.cluster.verdicts]
    models = {c.expert for c in candidates if c.confidence is None}
    return shipped().of_models(len(models), len(models) < len({c.expert for c in candidates}))[0]


def _either(one: RankedCluster, other: RankedCluster) -> float:
    """The probability that one of two is right."""
    return min(1.0, sum(s.support if s.confidence is None else s.confidence for s in (one, other)))


def _favourite(ahead: RankedCluster, behind: RankedCluster, counts: float) -> float:
    """The probability that the first of two is right, where one is."""
    return float(1 / (1 + (behind.support / ahead.support) ** counts))


def _named(before: Sequence[RankedCluster], first: RankedCluster, held: Sequence[Duel]) -> str:
    """Why duels brought a reading to the first place; '' where it stood there before."""
    place = next(n for n, standing in enumerate(before) if standing.cluster is first.cluster)
    if place == 0:
        return ""
    met = [one for one in held if place in (one.first, one.second)]
    won = sum(one.ruling is (Ruling.FIRST if one.first == place else Ruling.SECOND) for one in met)
    return f"the judge named it in {won} of {len(met)} duel{'' if len(met) == 1 else 's'}"


def moved(standings: Sequence[RankedCluster], held: Sequence[Duel], rates: JudgeRates) -> list[RankedCluster]:
    """The ranking after duels; those that duelled share among them what they had together.

    Who lost every duel, to a judge whose word counts, stands at least a ruling's worth behind the best of the
    others. Confidences move by what the rulings are worth, and by no more: a reading that is first because
    the better supported one lost to it may be less likely than that one.
    """
    counts = _evidence_counts(standings)
    part = {place for one in held for place in (one.first, one.second)}
    won = dict.fromkeys(part, 0.0)
    for one in held:
        worth = rates.worth(one.ruling) / counts
        won[one.first] += worth / 2
        won[one.second] -= worth / 2
    odds = {place: math.log(standings[place].support) + won[place] for place in part}
    likely = _shares(odds)
    beaten = _beaten(held, rates) if rates.decides else {}
    best = max((odds[place] for place in part if place not in beaten), default=math.inf)
    for place, behind in beaten.items():
        odds[place] = min(odds[place], best - behind)
    weights = _shares(odds)
    support = sum(standings[place].support for place in part)
    confidences = [standings[place].confidence for place in part]
    confidence = None if None in confidences else sum(c or 0.0 for c in confidences)
    after = [
        replace(
            standing,
            support=support * weights[place],
            confidence=standing.confidence if confidence is None else confidence * likely[place],
            terms={**standing.terms, "duels": won[place]},
        )
        if place in part
        else standing
        for place, standing in enumerate(standings)
    ]
    return sorted(after, key=lambda standing: standing.support, reverse=True)


def _shares(odds: Mapping[int, float]) -> dict[int, float]:
    """The parts of a whole that log-odds give."""
    most = max(odds.values())
    weights = {place: math.exp(value - most) for place, value in odds.items()}
    return {place: weight / sum(weights.values()) for place, weight in weights.items()}


def _beaten(held: Sequence[Duel], rates: JudgeRates) -> dict[int, float]:
    """The places that lost every duel, and the least that a ruling against each is worth."""
    lost: dict[int, list[float]] = {}
    for one in held:
        worth = rates.worth(one.ruling)
        lost.setdefault(one.first, []).append(-worth)
        lost.setdefault(one.second, []).append(worth)
    return {place: min(against) for place, against in lost.items() if min(against) > 0}
