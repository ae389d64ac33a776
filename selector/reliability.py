"""How far experts can be relied on, learnt from their agreement alone, or from outcomes as well.

Owns: the estimate (one rate per expert, after Dawid and Skene), how much two experts repeat each other, and
the weight that follows for each vote. Must not know: SQL, questions, or how the weights are used.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from types import MappingProxyType
from typing import Final, TypeAlias

Ballot: TypeAlias = Sequence[Sequence[str]]
"""One question: the experts behind each answer, one group per answer. Who has none voted in vain."""
Pair: TypeAlias = tuple[str, str]

UNKNOWN: Final = 0.75
"""The rate of an expert of which nothing is known."""
_BELIEVED: Final = 4
"""Questions' worth of that rate that each expert begins with."""
_DOUBTED: Final = 16
"""The same beside it where outcomes are known of an expert: a few words must not let one overrule two."""
_LEAST, _MOST = 0.3, 0.97
_ROUNDS: Final = 20
_DAMPED: Final = 0.4
"""How much of each vote counts while rates are estimated: experts are not independent, and sums of
independent votes would be sure of too much."""
_SEEN: Final = 8
"""Disagreements with the majority that a pair is given at the mean rate before any is seen."""
_CHANCE: Final = 0.1
"""Repeating each other in so many of the answers that are not the majority's is chance."""


@dataclass(frozen=True)
class Reliability:
    """`rates`: how often an expert is right. `repeats`: how often two give the same minority answer."""

    rates: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    repeats: Mapping[Pair, float] = field(default_factory=lambda: MappingProxyType({}))

    def rate(self, expert: str) -> float:
        """How often the expert is right."""
        return self.rates.get(expert, UNKNOWN)

    def weights(self, experts: Sequence[str]) -> dict[str, float]:
        """What each vote is worth among these experts; they sum to 1.

        The log-odds of an expert's rate, taken between 0.6 and 0.95 (no expert is ignored or beyond doubt),
        divided by the number of experts it amounts to together with those that repeat it.
        """
        raw = {}
        for expert in experts:
            rate = min(0.95, max(0.6, self.rate(expert)))
            copies = 1 + sum(self._repeated(expert, other) for other in experts if other != expert)
            raw[expert] = math.log(rate / (1 - rate)) / copies
        total = sum(raw.values())
        return {expert: weight / total for expert, weight in raw.items()}

    def _repeated(self, one: str, other: str) -> float:
        return max(0.0, self.repeats.get((min(one, other), max(one, other)), 0.0) - _CHANCE)


def estimate(
    ballots: Sequence[Ballot], outcomes: Mapping[str, tuple[int, int]] = MappingProxyType({})
) -> Reliability:
    """Rates and repetitions from agreement; `outcomes` are known counts (right, wrong) of an expert.

    No answer is ever looked at. Experts that always agree cannot be told from experts that are right.
    """
    experts = sorted({expert for ballot in ballots for group in ballot for expert in group} | set(outcomes))
    rates = dict.fromkeys(experts, UNKNOWN)
    believed = _BELIEVED + (_DOUBTED if any(map(sum, outcomes.values())) else 0)
    for _ in range(_ROUNDS if ballots else 0):
        credited: dict[str, float] = dict.fromkeys(experts, 0.0)
        for ballot in ballots:
            for group, share in zip(ballot, _shares(ballot, rates), strict=True):
                for expert in group:
                    credited[expert] += share
        rates = {
            e: _bounded(_rate(credited[e], len(ballots), outcomes.get(e, (0, 0)), believed)) for e in experts
        }
    if not ballots:
        rates = {e: _bounded(_rate(0.0, 0, outcomes.get(e, (0, 0)), believed)) for e in experts}
    return Reliability(MappingProxyType(rates), MappingProxyType(_repeats(ballots)))


def _rate(credited: float, rounds: int, known: tuple[int, int], believed: int) -> float:
    right, wrong = known
    return (credited + UNKNOWN * believed + right) / (rounds + believed + right + wrong)


def _bounded(rate: float) -> float:
    return min(_MOST, max(_LEAST, rate))


def _shares(ballot: Ballot, rates: Mapping[str, float]) -> list[float]:
    """How likely each answer of a ballot is right, given the rates; what they lack to 1 is none of them."""
    others = max(len(ballot) - 1, 2)
    scores = [
        _DAMPED * sum(math.log(rates[expert] * others / (1 - rates[expert])) for expert in group)
        for group in ballot
    ]
    most = max(scores, default=0.0)
    shares = [math.exp(score - most) for score in scores]
    total = sum(shares) + math.exp(-max(most, 0.0))
    return [share / total for share in shares]


def _repeats(ballots: Sequence[Ballot]) -> dict[Pair, float]:
    """Of the questions on which neither of two experts is with the majority: how often they agree."""
    apart: Counter[Pair] = Counter()
    agreed: Counter[Pair] = Counter()
    for ballot in ballots:
        groups = sorted(ballot, key=len, reverse=True)[1:]
        for group in groups:
            for pair in combinations(sorted(group), 2):
                agreed[pair] += 1
        for pair in combinations(sorted(expert for group in groups for expert in group), 2):
            apart[pair] += 1
    mean = sum(agreed.values()) / total if (total := sum(apart.values())) else 0.0
    return {pair: (agreed[pair] + _SEEN * mean) / (count + _SEEN) for pair, count in apart.items()}
