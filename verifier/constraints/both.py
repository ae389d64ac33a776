"""Two things at once: 'both "rock" and "jazz"', 'who won in 2010 and also in 2012'."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.effects import number_of
from askwire.verifier.wording import Wording

_ASKS: Final = re.compile(
    r"\b(?:have|has|had|in|at|on|with|for|speak|use|uses|used|contain|contains|played|participated in|won"
    r"|took|taken|take|attended"
    r"|to|from|by|like|likes|are|is|of) both\b(?! (?:sides|genders|sexes|teams)\b)(?=[^,.?]*\band\b)"
)


def extract(wording: Wording) -> Iterable[Constraint]:
    """'both A and B' behind a verb or preposition; in 'both the name and the age' it asks for two columns."""
    found = wording.search(_ASKS)
    if found is not None:
        span = wording.span(found)
        message = (
            f'the question says "{span.text}": the SQL must ask for the two things together (INTERSECT, two'
            f" EXISTS)"
        )
        yield Constraint("both", (span,), message)


def holds(_constraint: Constraint, evidence: Evidence) -> bool:
    """INTERSECT, two sublinks, a table read twice, HAVING count = 2, or conditions on two columns."""
    effects = evidence.effects
    if "intersect" in {s[:9] for s in effects.sets} or len(effects.sublinks) > 1:
        return True
    if any(n > 1 for n in Counter(effects.relations).values()):
        return True
    if any(c.place == "having" and number_of(c.right) in {1.0, 2.0} for c in effects.comparisons):
        return True
    filtered = {
        c.name for e in effects.comparisons if e.place == "filter" for c in effects.columns_in(e.left)
    }
    return (
        len(filtered) > 1
        or any(c.place == "having" for c in effects.comparisons)
        or effects.called("bool_or", "every")
    )


RULE: Final = ConstraintRule("both", extract, holds)
