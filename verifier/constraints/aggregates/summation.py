"""Sums: 'total sales', 'the sum of', 'combined'."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.wording import Wording

_ASKS: Final = re.compile(
    r"\b(?:totals?(?! (?:number|count|(?:of |is )?\d+)\b)|sum|summed|summation|combined(?! with)|altogether"
    r"|in total|(?:overall|aggregate)(?= (?:amount|sum|sales|revenue|cost|spend\w*|value|payment\w*)))\b"
    r"(?: (?:of )?(?:the )?(\w{4,}))?(?: (\w{4,}))?"
)
_STORED: Final = re.compile(r"(?:^|_)tot|total|sum|overall|combin")


def extract(wording: Wording) -> Iterable[Constraint]:
    """'The total amount', 'the sum of all payments'."""
    found = wording.search(_ASKS)
    if found is not None:
        span = wording.span(found)
        message = f'the question asks for "{span.text}", and the SQL adds nothing up'
        yield Constraint("summation", (span,), message, words=tuple(filter(None, found.groups())))


def holds(constraint: Constraint, evidence: Evidence) -> bool:
    """sum, a count ('the total number'), columns added up in a row, or a stored total.

    Stored is what is named like a total, or, where nothing is aggregated, like the thing that is summed.
    """
    effects = evidence.effects
    if effects.called("sum", "count") or effects.additions:
        return True
    if any(_STORED.search(text.lower()) for text in effects.said):
        return True
    aggregated = effects.called("avg", "max", "min")
    return not aggregated and any(w[:4] in name for w in constraint.words for name in effects.names)


RULE: Final = ConstraintRule("summation", extract, holds)
