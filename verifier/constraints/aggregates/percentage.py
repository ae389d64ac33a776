"""Shares: 'percentage', 'ratio of', 'proportion'."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.wording import Wording

_ASKS: Final = re.compile(
    r"(?<!\d )(?<!\d)%(?= of\b)"
    r"|(?<!\d )(?<!\d)\b(?:percentages?|percent|proportions?|ratios?|fraction of|share of)\b(?! (?:off"
    r"|points?)\b)"
    r"|\b(?:conversion|churn|retention|growth|success|failure|default|bounce|click-through"
    r"|completion) rates?\b"
)
_STORED: Final = re.compile(r"perc|pct|ratio|proportion|share|fraction|rate|discount")


def extract(wording: Wording) -> Iterable[Constraint]:
    """'What percentage of orders', 'the ratio of wins to losses', 'conversion rate'."""
    found = wording.search(_ASKS)
    if found is not None:
        span = wording.span(found)
        yield Constraint(
            "percentage", (span,), f'the question asks for "{span.text}", and the SQL divides nothing'
        )


def holds(_constraint: Constraint, evidence: Evidence) -> bool:
    """A division, the average of a condition, percent_rank; or a stored share: nothing is counted."""
    effects = evidence.effects
    return (
        bool(effects.divisions)
        or not effects.called("count", "sum", shown=True)
        or effects.called("avg", "percent_rank", "cume_dist")
        or any(_STORED.search(text.lower()) for text in effects.said)
    )


RULE: Final = ConstraintRule("percentage", extract, holds)
