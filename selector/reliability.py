"""How far experts can be relied on, learnt from their answers beside all other evidence, or from outcomes.

Owns: the estimate (one rate per expert, by expectation and maximization after Dawid and Skene: how likely
each answer is right given the rates, and the rates that follow from it), how much two experts repeat each
other, and what one vote is worth. An expert that answers otherwise than the embedded engine where that is
sure, or whose statements say little of the question, soon has a low rate; one that agrees keeps a high one.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from types import MappingProxyType
from typing import Final, TypeAlias

Pair: TypeAlias = tuple[str, str]

UNKNOWN_EXPERT_RATE: Final = 0.97
"""The rate of an expert of which nothing is known: a capable model's queries were right in 21 of 24 and 14 of
16 questions of a trial, and nearly all that was wrong was the recorded answer's fault."""
PRIOR_QUESTIONS: Final = 10
"""Questions' worth of that rate that each expert begins with."""
_DOUBT_QUESTIONS: Final = 16
"""The same beside it where any outcomes are known: a few words must not let one overrule two."""
LEAST, MOST = 0.02, 0.997
"""The bounds of a rate: no expert is ignored or beyond doubt."""
CHANCE_AGREEMENT: Final = 1 / 20
"""How likely an expert that is wrong gives one certain answer of those that others give."""
UNKNOWN_CORRELATION: Final = 0.5
"""How much two experts of which nothing is known repeat each other: language models err alike."""
_MAX_ROUNDS: Final = 30
_PRIOR_DISAGREEMENTS: Final = 8
"""Disagreements with the majority that a pair is given at `UNKNOWN_CORRELATION` before any is seen."""


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to a question: `odds`, what all evidence but votes says for it, and who voted for it.

    `odds` are log-odds against none of the answers being right. `voters` have a share of their vote each: an
    expert with several candidates divides its vote.
    """

    odds: float
    voters: Mapping[str, float]


Ballot: TypeAlias = Sequence[Option]
"""One question: its answers. An expert whose candidates all failed has voted for none of them."""


@dataclass(frozen=True)
class Reliability:
    """`rates`: how often an expert is right. `repeats`: how often two give the same minority answer."""

    rates: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    repeats: Mapping[Pair, float] = field(default_factory=lambda: MappingProxyType({}))

    def rate(self, expert: str) -> float:
        """How often the expert is right."""
        return self.rates.get(expert, UNKNOWN_EXPERT_RATE)

    def worth(self, experts: Sequence[str]) -> dict[str, float]:
        """The log-odds that each expert's vote gives an answer when all of these vote.

        The log-odds of its rate and those against agreement by chance, divided by the number of experts it
        amounts to together with those that repeat it.
        """
        return {
            expert: _vote(self.rate(expert))
            / (1 + sum(self._repeated(expert, other) for other in experts if other != expert))
            for expert in experts
        }

    def _repeated(self, one: str, other: str) -> float:
        return self.repeats.get((min(one, other), max(one, other)), UNKNOWN_CORRELATION)


def _vote(rate: float) -> float:
    rate = min(MOST, max(LEAST, rate))
    return math.log(rate / (1 - rate)) - math.log(CHANCE_AGREEMENT)


def estimate(
    ballots: Sequence[Ballot],
    outcomes: Mapping[str, tuple[int, int]] = MappingProxyType({}),
    before: Mapping[str, tuple[float, int]] = MappingProxyType({}),
) -> Reliability:
    """Rates and repetitions from agreement.

    `outcomes` are known counts (right, wrong) of an expert; `before` is what was estimated of it, by this
    function and with these outcomes, from ballots that are not at hand any more: its rate, and of how many
    questions.
    """
    voting = {expert for ballot in ballots for option in ballot for expert in option.voters}
    experts = sorted(voting | set(outcomes) | set(before))
    repeats = MappingProxyType(_repeats(ballots))
    believed = PRIOR_QUESTIONS + (_DOUBT_QUESTIONS if any(map(sum, outcomes.values())) else 0)
    had = {
        e: _credited(rate, count, outcomes.get(e, (0, 0)), believed) for e, (rate, count) in before.items()
    }
    counts = {e: float(count) for e, (_, count) in before.items()}
    rates = {
        e: _rate(had.get(e, 0.0), counts.get(e, 0.0), outcomes.get(e, (0, 0)), believed) for e in experts
    }
    for _ in range(_MAX_ROUNDS if voting else 0):
        credited, asked = defaultdict(float, had), defaultdict(float, counts)
        known = Reliability(rates, repeats)
        for ballot in ballots:
            for option, share in zip(ballot, shares(ballot, known), strict=True):
                for expert, part in option.voters.items():
                    credited[expert] += part * share
                    asked[expert] += part
        rates = {e: _rate(credited[e], asked[e], outcomes.get(e, (0, 0)), believed) for e in experts}
    return Reliability(MappingProxyType(rates), repeats)


def _rate(credited: float, asked: float, known: tuple[int, int], believed: int) -> float:
    right, wrong = known
    return (credited + UNKNOWN_EXPERT_RATE * believed + right) / (asked + believed + right + wrong)


def _credited(rate: float, asked: float, known: tuple[int, int], believed: int) -> float:
    """Of how many of these questions an expert of this `_rate` was right."""
    right, wrong = known
    credited = rate * (asked + believed + right + wrong) - UNKNOWN_EXPERT_RATE * believed - right
    return max(0.0, min(asked, credited))


def shares(ballot: Ballot, known: Reliability) -> list[float]:
    """How likely each answer of a ballot is right, given the rates; what they lack to 1 is none of them."""
    voting = list(dict.fromkeys(expert for option in ballot for expert in option.voters))
    worth = known.worth(voting)
    odds = [option.odds + sum(worth[e] * part for e, part in option.voters.items()) for option in ballot]
    most = max([0.0, *odds])
    found = [math.exp(value - most) for value in odds]
    total = sum(found) + math.exp(-most)
    return [share / total for share in found]


def _repeats(ballots: Sequence[Ballot]) -> dict[Pair, float]:
    """Of the questions on which neither of two experts is with the majority: how often they agree."""
    apart: Counter[Pair] = Counter()
    agreed: Counter[Pair] = Counter()
    for ballot in ballots:
        groups = sorted((sorted(option.voters) for option in ballot), key=len, reverse=True)[1:]
        for group in groups:
            agreed.update(combinations(group, 2))
        # an expert with several candidates may stand in several groups
        apart.update(combinations(sorted({expert for group in groups for expert in group}), 2))
    return {
        pair: (agreed[pair] + _PRIOR_DISAGREEMENTS * UNKNOWN_CORRELATION) / (count + _PRIOR_DISAGREEMENTS)
        for pair, count in apart.items()
    }
