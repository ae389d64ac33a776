"""Ranks: 'rank the players by', 'what is the rank of each'."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.effects import RANKS
from askwire.verifier.wording import Wording

_ASKS: Final = re.compile(
    r"\brank(?:ed|s|ing|ings)?\b|\bposition of each\b|\bstandings\b|\bpercentiles?\b|\bquartiles?\b"
)
_STORED: Final = re.compile(r"rank|position|standing|place|percentile|quartile|order|result|point")


def extract(wording: Wording) -> Iterable[Constraint]:
    """'Rank the salespeople by revenue', 'and the rank of each'."""
    found = wording.search(_ASKS)
    if found is not None:
        span = wording.span(found)
        message = f'the question asks for "{span.text}": the SQL needs a rank or an order'
        yield Constraint("ranking", (span,), message)


def holds(_constraint: Constraint, evidence: Evidence) -> bool:
    """A window's rank, an ORDER BY, a percentile, or a stored rank."""
    effects = evidence.effects
    return (
        effects.called(*RANKS, "percentile_cont", "percentile_disc")
        or any(o.keys for o in effects.orderings)
        or any(_STORED.search(text.lower()) for text in (*effects.names, *effects.texts))
    )


RULE: Final = ConstraintRule("ranking", extract, holds)
