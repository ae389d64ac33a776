"""Sums: 'total sales', 'the sum of', 'combined'."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.wording import Wording

_ASKS: Final = re.compile(r"\b(?:totals?|sum|summed|summation|combined(?! with)|altogether|in total)\b")
_STORED: Final = re.compile(r"tot|sum|overall|combin|all")


def extract(wording: Wording) -> Iterable[Constraint]:
    """'The total amount', 'the sum of all payments'."""
    found = wording.search(_ASKS)
    if found is not None:
        span = wording.span(found)
        yield Constraint(
            "summation", (span,), f'the question asks for "{span.text}", and the SQL adds nothing up'
        )


def holds(_constraint: Constraint, evidence: Evidence) -> bool:
    """sum, a count ('the total number'), columns added up in a row, or a stored total."""
    effects = evidence.effects
    return effects.called("sum", "count") or any(
        _STORED.search(text.lower()) for text in (*effects.names, *effects.texts)
    )


RULE: Final = ConstraintRule("summation", extract, holds)
