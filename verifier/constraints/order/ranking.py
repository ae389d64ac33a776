"""Ranks: 'rank the players by', 'what is the rank of each'."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.effects import RANKS
from askwire.verifier.wording import Wording

_ASKS: Final = re.compile(
    r"\brank(?:ed|s|ing|ings)?\b|\bposition of each\b"
    r"|\bplaced (?:first|second|third|last|\d+(?:st|nd|rd|th))\b"
    r"|\bstandings?\b(?! (?:room|order|at))|\bpercentiles?\b|\bquartiles?\b"
)
_SHOWN: Final = re.compile(
    r"\b(?:(?:and|with|including|show|give|assign|compute|calculate|add|what is) (?:a |the |their |its )?"
    r"|position of each|(?:their|its) )rank(?:s|ing|ings)?\b(?! (?:by|from|according|in)\b)"
)
"""A rank that the answer is to show."""
_STORED: Final = re.compile(r"rank|position|standing|place|percentile|quartile|order|result|point")


def extract(wording: Wording) -> Iterable[Constraint]:
    """'Rank the salespeople by revenue', 'and the rank of each'."""
    found = wording.search(_ASKS)
    if found is not None:
        span = wording.span(found)
        message = f'the question asks for "{span.text}": the SQL needs a rank or an order'
        shown = wording.search(_SHOWN) is not None
        if shown:
            message = (
                f'the question asks for "{span.text}": the SQL must show a rank, as rank() OVER gives it'
            )
        yield Constraint("ranking", (span,), message, operator="shown" if shown else "")


def holds(constraint: Constraint, evidence: Evidence) -> bool:
    """A window's rank, a percentile, a stored rank; an ORDER BY where no rank has to be shown."""
    effects = evidence.effects
    return (
        effects.called(*RANKS, "percentile_cont", "percentile_disc")
        or (not constraint.operator and any(o.keys for o in effects.orderings))
        or any(_STORED.search(text.lower()) for text in effects.said)
    )


RULE: Final = ConstraintRule("ranking", extract, holds)
