"""A strategy whose two best clusters duel, each ruling weighed by what its judge has proved to be worth.

Owns: which clusters duel, and the sum. Must not know: how the ranking before the duel was made.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from askwire.selector.judge import Judge, Ruling
from askwire.selector.judge_rates import JudgeRates
from askwire.selector.strategy import Case, Standing, Strategy
from askwire.selector.tournament import duel


class Dueling:
    """Another strategy's ranking, with a duel between its first two where it is not clear.

    A duel is held when the second has at least `contested` of the support of both. Support moves by the
    ruling's worth in log-odds; a judge whose rates say nothing (the default) moves nothing. `ruled` is told
    of each ruling, with the favourite's share of the support of both.
    """

    def __init__(
        self,
        base: Strategy,
        judge: Judge,
        rates: JudgeRates | None = None,
        *,
        contested: float = 0.02,
        ruled: Callable[[float, Ruling], None] | None = None,
    ) -> None:
        self._base = base
        self._judge = judge
        self._rates = rates or JudgeRates()
        self._contested = contested
        self._ruled = ruled

    @property
    def name(self) -> str:
        """The base's name with the judge's."""
        return f"{self._base.name}+{self._judge.name}"

    async def rank(self, case: Case) -> list[Standing]:
        """The base's ranking after the duel."""
        standings = await self._base.rank(case)
        ruling = await self.ruling(case, standings)
        if ruling is None:
            return standings
        first, second, *others = standings
        both = first.support + second.support
        if self._ruled is not None:
            self._ruled(first.support / both, ruling)
        share = 1 / (1 + math.exp(-_log_odds(first.support, both) - self._rates.worth(ruling)))
        moved = [replace(first, support=both * share), replace(second, support=both * (1 - share))]
        return sorted([*moved, *others], key=lambda s: s.support, reverse=True)

    async def ruling(self, case: Case, standings: list[Standing]) -> Ruling | None:
        """What the judge says of the first two; None when it is not asked."""
        if len(standings) < 2:
            return None
        first, second = standings[:2]
        if second.support < self._contested * (first.support + second.support) or not second.support:
            return None
        return await duel(case, first.cluster, second.cluster, self._judge)


def _log_odds(part: float, whole: float) -> float:
    return math.log(part / (whole - part))
