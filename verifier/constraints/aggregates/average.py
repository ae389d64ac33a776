"""Averages: 'average', 'mean', 'on average'."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.wording import Wording

_ASKS: Final = re.compile(
    r"\b(?:averages?|avg|mean(?= (?:of|value|\w+ of)|s\b))\b"
    r"|\btypical(?= (?:amount|price|cost|value|number|age|size|length|duration|salary))\b"
)
_STORED: Final = re.compile(r"avg|average|mean")


def extract(wording: Wording) -> Iterable[Constraint]:
    """'The average age', 'more than the mean of all prices'."""
    found = wording.search(_ASKS)
    if found is not None:
        span = wording.span(found)
        message = f'the question asks for "{span.text}", and the SQL takes no average'
        yield Constraint("average", (span,), message, words=(found[0].split()[0],))


def holds(constraint: Constraint, evidence: Evidence) -> bool:
    """avg, a sum or count divided, a percentile, or a stored average."""
    effects = evidence.effects
    return (
        effects.called("avg", "percentile_cont", "percentile_disc", "regr_avgx", "regr_avgy")
        or any(effects.calls_in(node) & {"sum", "count"} for node, _ in effects.divisions)
        or any(_STORED.search(text.lower()) or constraint.words[0] in text.lower() for text in effects.said)
    )


RULE: Final = ConstraintRule("average", extract, holds)
