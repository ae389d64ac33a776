"""How much a failed check counts, measured on recorded predictions.

Owns: the constants. `./ask bench verify` prints them (`odds`); docs/evaluation.md tells from which data these
came.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

ODDS: Final[Mapping[str, float]] = MappingProxyType(
    {
        "temporal": 0.117,
        "columns": 0.051,
        "not_empty": 0.283,
        "not_zero": 0.132,
        "literal_occurs": 0.062,
        "literal_spelled": 0.088,
        "sole_answer": 0.054,
    }
)
"""By rule: the share of right predictions that fail it, over that of wrong ones."""

UNMEASURED: Final = 0.1
"""For a demand of the question that hardly ever failed where it was measured."""

EVIDENCE_ODDS: Final = 0.5
"""For what an answer shows, measured as little: the right answer may look like that."""

OPINIONS: Final = frozenset({"critique", "demands", "answer"})
"""Checks that are what a model thinks (`verifier.review`): evidence at most, whatever it says."""


def odds_of(rule: str, unmeasured: float = UNMEASURED) -> float:
    """What a failure multiplies the odds of a candidate by."""
    return ODDS.get(rule, unmeasured)
