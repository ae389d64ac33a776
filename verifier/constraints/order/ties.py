"""Ties: 'including ties', 'all that share the highest'."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.wording import Wording

_ASKS: Final = re.compile(
    r"\b(?:includ\w+|with|keep\w*|counting|show\w*|return\w*|list\w*) (?:all |any |the )?ties\b"
    r"|\ball (?:those )?tied\b"
)


def extract(wording: Wording) -> Iterable[Constraint]:
    """'the top 3, including ties'."""
    found = wording.search(_ASKS)
    if found is not None:
        span = wording.span(found)
        message = (
            f'the question says "{span.text}", and LIMIT cuts ties off: use FETCH FIRST … WITH TIES or rank()'
        )
        yield Constraint("ties", (span,), message)


def holds(_constraint: Constraint, evidence: Evidence) -> bool:
    """No ordered LIMIT of the answer without WITH TIES, and no row_number() compared."""
    effects = evidence.effects
    cut = any(o.limit is not None and o.keys and not o.ties for o in effects.orderings)
    return not cut and not effects.called("row_number")


RULE: Final = ConstraintRule("ties", extract, holds)
