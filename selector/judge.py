"""The seam of duels: who says which of two statements answers the question.

Owns: the Protocols, and doubles that rule as a test says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Protocol

from askwire.core.types import Question, Verdict
from askwire.selector.instances import Instance


class Ruling(Enum):
    """The outcome of a duel, with the points that the first gets in a tournament."""

    FIRST = 1.0
    DRAW = 0.5
    SECOND = 0.0


class Judge(Protocol):
    """One way to tell which of two statements is right."""

    @property
    def name(self) -> str:
        """The name its reliability is kept under."""

    async def rule(
        self, question: Question, first: Verdict, second: Verdict, instance: Instance | None
    ) -> Ruling:
        """Which is right, on a few rows on which they differ (None: none were found)."""


Because = Callable[[str], None]
"""Told in a phrase, without values, why a ruling is what it is."""


def unsaid(_why: str) -> None:
    """For rulings whose reasons no one wants to know."""


class Chooser(Protocol):
    """One way to choose among several statements at once."""

    async def choose(self, question: Question, verdicts: Sequence[Verdict]) -> int | None:
        """The place of the best one; None when it cannot say."""
