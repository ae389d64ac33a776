"""How far a judge can be relied on: what is known of judges of its kind, and what its own rulings show.

Owns: what is known of the two kinds of judges (`ROWS`, `CODE`), how rulings and outcomes move it, and what a
ruling is then worth. A judge that is shown to guess is worth nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from askwire.selector.judge import Ruling


@dataclass(frozen=True, slots=True)
class Kind:
    """A judge as it may turn out to be: how often it names the favourite when that is right, and when wrong.

    `share` is how many of such judges are of this kind.
    """

    favourite_right: float
    favourite_wrong: float
    share: float


Kinds = tuple[Kind, ...]

ROWS: Final[Kinds] = (
    Kind(0.5, 0.5, 0.20),
    Kind(0.8, 0.2, 0.35),
    Kind(0.9, 0.1, 0.30),
    Kind(0.97, 0.03, 0.15),
)
"""Judges that work out the answer on separating rows: right in 80 % of their duels on average.

A published model of 30 billion parameters is right on a hard instance in 65 to 77 % of its answers, which is
72 to 87 % for the majority of three; a capable reader in our trial was right in 16 of 16 duels. One judge in
five guesses. docs/selection.md has the sources.
"""
CODE: Final[Kinds] = (Kind(0.5, 0.5, 0.20), Kind(0.97, 0.786, 0.50), Kind(0.9, 0.1, 0.30))
"""Judges that compute the answer on a made database.

The second is DPC with a model of 7 billion parameters (its Table 4): it keeps 97 % of right majorities and
overrules 21.4 % of wrong ones. The third is a model as good as the middling judge on rows.
"""
MIN_DECIDING_LOG_ODDS: Final = 1.0
"""Log-odds of an overruling from which on a judge's word counts as one; that of a judge that is right in 73 %
of its duels. Measured with simulated judges (docs/selection.md)."""
_MAX_RULING_LOG_ODDS: Final = 2.5
"""The most one ruling is worth, in log-odds."""


@dataclass(frozen=True, slots=True)
class JudgeRates:
    """`favourite_right`, `favourite_wrong`: how often the favourite is named in either case; draws apart."""

    favourite_right: float = 0.5
    favourite_wrong: float = 0.5

    def worth(self, ruling: Ruling) -> float:
        """Log-odds that a ruling gives the favourite, which is the first of the duel; 0 for a draw."""
        if ruling is Ruling.DRAW:
            return 0.0
        named, otherwise = self.favourite_right, self.favourite_wrong
        if ruling is Ruling.SECOND:
            named, otherwise = 1 - named, 1 - otherwise
        return max(-_MAX_RULING_LOG_ODDS, min(_MAX_RULING_LOG_ODDS, math.log(named / otherwise)))

    @property
    def decides(self) -> bool:
        """Whether the judge's word is worth enough that who loses every duel is not the answer."""
        return -self.worth(Ruling.SECOND) >= MIN_DECIDING_LOG_ODDS


class Rulings:
    """Rulings of a judge, one after the other, and the rates behind them; see `learn`."""

    def __init__(self, kinds: Kinds = ROWS) -> None:
        self._kinds = kinds
        self._logs = [math.log(kind.share) for kind in kinds]

    def add(self, prior: float, ruling: Ruling, count: float = 1.0) -> None:
        """One ruling, with the probability that the favourite is the right one, and how much it counts."""
        if ruling is Ruling.DRAW:
            return
        for place, kind in enumerate(self._kinds):
            first = prior * kind.favourite_right + (1 - prior) * kind.favourite_wrong
            self._logs[place] += count * math.log(first if ruling is Ruling.FIRST else 1 - first)

    @property
    def rates(self) -> JudgeRates:
        """What the rulings so far say of the judge."""
        most = max(self._logs)
        weights = [math.exp(value - most) for value in self._logs]
        kinds = self._kinds
        return JudgeRates(
            sum(w * k.favourite_right for w, k in zip(weights, kinds, strict=True)) / sum(weights),
            sum(w * k.favourite_wrong for w, k in zip(weights, kinds, strict=True)) / sum(weights),
        )


def learn(
    duels: Sequence[tuple[float, Ruling]], kinds: Kinds = ROWS, counts: Sequence[float] = ()
) -> JudgeRates:
    """The rates behind rulings; each comes with the probability that the favourite is the right one.

    The probability is 0 or 1 where the outcome is known, else what all other evidence says, for a duel one of
    whose sides is right. Without rulings: the rates of the average judge. A judge that agrees with favourites
    is believed the more: only overrulings against the odds, and outcomes, tell a guesser. `counts` says for
    each duel how much it counts, 1 unless given.
    """
    rulings = Rulings(kinds)
    for (prior, ruling), count in zip(duels, counts or (1.0,) * len(duels), strict=True):
        rulings.add(prior, ruling, count)
    return rulings.rates
