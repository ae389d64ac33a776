"""Per group: 'how many orders for each customer', 'average price per brand'."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.wording import Wording

_AGGREGATED: Final = (
    r"\b(?:how many|number of|count|average|avg|mean|total|sum|maximum|minimum|max|min|highest|lowest"
    r"|largest|smallest|most|oldest"
    r"|youngest)\b"
)
_GROUPED: Final = (
    r"\b(?:for|in|of|by|from|at|on|to|within|across|with|per|does|did|has) (?:each|every)\b"
    r"|\bper (?!cent|capita|year|hour|minute|week|work|month|day)\w+\b"
)
_ASKS: Final = re.compile(rf"{_AGGREGATED}.*?({_GROUPED})|({_GROUPED}).*?{_AGGREGATED}", re.DOTALL)

_ONE_NUMBER: Final = re.compile(
    r"\b(?:average|mean) (?:\w+ )?(?:number|amount|quantity|count)\b|\bon average\b"
)


def extract(wording: Wording) -> Iterable[Constraint]:
    """An aggregate word with 'for each', 'in every', 'per'; 'the average number per order' is one number."""
    found = wording.search(_ASKS)
    if found is not None and wording.search(_ONE_NUMBER) is None:
        span = wording.span(found, 1 if found[1] else 2)
        message = f'the question says "{span.text}": the SQL needs a GROUP BY'
        yield Constraint("per_group", (span,), message)


def holds(_constraint: Constraint, evidence: Evidence) -> bool:
    """GROUP BY, PARTITION BY, DISTINCT ON or a subquery per row; or nothing is aggregated."""
    effects = evidence.effects
    return (
        bool(effects.groups)
        or effects.partitions > 0
        or any(o.firsts for o in effects.orderings)
        or "value" in effects.sublinks
        or any("per" in name for name in effects.names)
        or not effects.called("count", "sum", "avg", "max", "min")
    )


RULE: Final = ConstraintRule("per_group", extract, holds)
