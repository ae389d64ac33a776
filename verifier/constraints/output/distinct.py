"""Distinctness: 'different', 'distinct', 'unique', 'without duplicates'."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.wording import Wording

_ASKS: Final = re.compile(
    r"\b(?:different|distinct|unique)\b(?! (?:from|than|to)\b)|\b(?:no|without|remov\w+"
    r"|de-?)\s?(?:any )?duplicates?\b|\bdeduplicat\w+"
)
_COUNTED: Final = re.compile(
    r"\b(?:how many|number of|count(?: of)?)(?: the| all)? (?:different|distinct|unique)\b"
)


def extract(wording: Wording) -> Iterable[Constraint]:
    """'the different countries', 'how many unique visitors'."""
    found = wording.search(_ASKS)
    if found is not None:
        span = wording.span(found)
        counted = wording.search(_COUNTED) is not None
        message = (
            f'the question asks for "{span.text}" values, and the SQL may give the same one more than once'
        )
        yield Constraint("distinct", (span,), message, operator="count" if counted else "")


def holds(constraint: Constraint, evidence: Evidence) -> bool:
    """DISTINCT, GROUP BY, or a set operation; or no row of the answer can occur twice, or none does."""
    effects = evidence.effects
    removes = (
        effects.distinct
        or bool(effects.groups)
        or any(not kind.endswith("all") for kind in effects.sets)
        or any(c.distinct for c in effects.calls)
        or any(o.firsts for o in effects.orderings)
        or any(c.window for c in effects.calls)
    )
    if removes:
        return True
    if constraint.operator == "count" or effects.called("count"):
        # rows of one table are counted as they are: each stands for one thing
        return len(effects.relations) == 1
    if effects.keyed or effects.called("max", "min", "sum", "avg"):
        return True
    result = evidence.result
    return result is not None and len(set(result.rows)) == len(result.rows)


RULE: Final = ConstraintRule("distinct", extract, holds)
