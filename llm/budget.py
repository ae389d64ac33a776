"""What an ASK may spend on models: tokens, money and calls, of its own and of its role's day.

A call is reserved before it is made, at what it may cost at most as far as can be shown, and settled when its
usage is known: several experts draw on one purse at once, and none starts what the purse cannot pay. Owns:
that count.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Final

from askwire.core.errors import BudgetSpent
from askwire.core.protocols import Usage

MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """Of a million tokens of prompts and of answers, in any currency."""

    tokens_in: float = 0.0
    tokens_out: float = 0.0

    def of(self, usage: Usage) -> float:
        """What a call cost. What was cached counts in full: discounts differ, and this bounds."""
        return (usage.prompt_tokens * self.tokens_in + usage.completion_tokens * self.tokens_out) / MILLION


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """A sum of calls, tokens and money."""

    calls: int = 0
    tokens: int = 0
    cost: float = 0.0

    def __add__(self, other: ModelUsage) -> ModelUsage:
        return ModelUsage(self.calls + other.calls, self.tokens + other.tokens, self.cost + other.cost)

    def __sub__(self, other: ModelUsage) -> ModelUsage:
        return ModelUsage(self.calls - other.calls, self.tokens - other.tokens, self.cost - other.cost)


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that may be spent; 0 is no limit. `whose` is what the error calls it."""

    calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    whose: str = "this ASK"
    prefix: str = "ask"

    def check(self, spending: ModelUsage) -> None:
        """Raises BudgetSpent where spending would exceed a limit."""
        for name, most, much in (
            ("calls", self.calls, spending.calls),
            ("tokens", self.tokens, spending.tokens),
            ("cost", self.cost, spending.cost),
        ):
            if most and much > most:
                raise BudgetSpent(
                    f"the budget of {self.whose} is spent",
                    detail=f"The next call of a model would exceed {most:g} {name} ({self.prefix}_{name}).",
                    hint="The embedded engine needs no budget."
                    if self.prefix == "day"
                    else "Ask with a larger BUDGET, where the configuration allows it, or with less effort.",
                )


@dataclass(frozen=True, slots=True)
class Remainder:
    """Calls and tokens that are left; infinite where nothing bounds them."""

    calls: float = inf
    tokens: float = inf


def _left(*bounds: tuple[int, int]) -> float:
    """The least that is left of limits, each given with what is spent of it; 0 is no limit."""
    return min((max(0, most - much) for most, much in bounds if most), default=inf)


class TokenBudget:
    """What one ASK may spend, shared by all its experts; `day` is what its role has spent before today."""

    def __init__(self, own: Limits, daily: Limits, day: ModelUsage = ModelUsage()) -> None:
        self._own = own
        self._daily = daily
        self._day = day
        self._reserved = ModelUsage()
        self.spent = ModelUsage()

    @property
    def left(self) -> Remainder:
        """What may still be begun, the day's limits counted too."""
        after = self.spent + self._reserved
        return Remainder(
            _left((self._own.calls, after.calls), (self._daily.calls, self._day.calls + after.calls)),
            _left((self._own.tokens, after.tokens), (self._daily.tokens, self._day.tokens + after.tokens)),
        )

    def reserve(self, prompt_tokens: int, answer_tokens: int, price: Price) -> ModelUsage:
        """Set aside what a call may come to; raises BudgetSpent where that is too much."""
        most = Usage(prompt_tokens, answer_tokens)
        call = ModelUsage(1, prompt_tokens + answer_tokens, price.of(most))
        after = self.spent + self._reserved + call
        self._own.check(after)
        self._daily.check(self._day + after)
        self._reserved += call
        return call

    def settle(self, reserved: ModelUsage, usage: Usage, price: Price) -> ModelUsage:
        """Put what a call came to instead of what was set aside; what it came to."""
        self._reserved -= reserved
        real = ModelUsage(1, usage.prompt_tokens + usage.completion_tokens, price.of(usage))
        self.spent += real
        return real

    def release(self, reserved: ModelUsage) -> None:
        """Give back what was set aside for a call that used nothing."""
        self._reserved -= reserved
