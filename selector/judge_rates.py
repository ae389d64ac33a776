"""How far a judge can be relied on, learnt from its rulings alone.

Owns: two rates per judge (how often it names the favourite when the favourite is right, and when the other
is), their estimate by expectation and maximisation, and what a ruling is then worth. A judge that flatters
favourites, or is no better than a coin, learns itself a worth near 0; one that is mostly wrong is read the
other way round. Must not know: who judges, or what about.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from askwire.selector.judge import Ruling

_ROUNDS: Final = 40
_BELIEVED: Final = 12.0
"""Duels' worth of doubt that each rate starts with: the one at one half, the other as if the judge were as
good at telling favourites that are wrong, of which there are few to learn from."""
_MOST: Final = 2.5
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
        return max(-_MOST, min(_MOST, math.log(named / otherwise)))


def learn(duels: Sequence[tuple[float, Ruling]]) -> JudgeRates:
    """The rates behind rulings; each comes with the probability that the favourite is the right one.

    The probability is what all other evidence says, for a duel one of whose sides is right.
    """
    spoken = [(prior, ruling is Ruling.FIRST) for prior, ruling in duels if ruling is not Ruling.DRAW]
    right = wrong = 0.5
    for _ in range(_ROUNDS):
        named = [0.0, 0.0]
        seen = [0.0, 0.0]
        for prior, first in spoken:
            one = prior * (right if first else 1 - right)
            other = (1 - prior) * (wrong if first else 1 - wrong)
            share = one / (one + other) if one + other else prior
            for side, part in enumerate((share, 1 - share)):
                seen[side] += part
                named[side] += part * first
        right = (named[0] + _BELIEVED / 2) / (seen[0] + _BELIEVED)
        wrong = (named[1] + _BELIEVED * (1 - right)) / (seen[1] + _BELIEVED)
    return JudgeRates(right, wrong)
