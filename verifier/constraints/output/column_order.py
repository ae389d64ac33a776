"""A demanded order of the output columns: 'the name, the age and the city, in that order'."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.constraints.output.columns import enumerated
from askwire.verifier.wording import Wording

_ASKS: Final = re.compile(r"\bin (?:that|this|the (?:given|same|stated|listed|named)) order\b")
_SORTED: Final = re.compile(r"\b(?:sort|order|rank|arrang)\w* (?:\w+ ){0,3}by\b")
_WORD: Final = re.compile(r"[a-z]+")
_STEM_LENGTH: Final = 4


def extract(wording: Wording) -> Iterable[Constraint]:
    """Only where the question says so: the order in which it happens to name things binds no one."""
    found = wording.search(_ASKS)
    if found is None or wording.search(_SORTED) is not None:
        return
    items, _, end = enumerated(wording.plain)
    if len(items) > 1 and end <= found.start():
        span = wording.span(found)
        message = f'the question wants {", ".join(items)}, "{span.text}": the SQL shows them in another'
        yield Constraint("column_order", (span,), message, words=items)


def holds(constraint: Constraint, evidence: Evidence) -> bool:
    """The columns that the words name come in their order; what cannot be told apart is not judged."""
    effects = evidence.effects
    if effects.star:
        return True
    shown = [_stems(output.name) for output in effects.outputs]
    places = []
    for item in constraint.words:
        fits = [len(_stems(item) & stems) for stems in shown]
        best = max(fits, default=0)
        if not best or fits.count(best) != 1:
            return True
        places.append(fits.index(best))
    return len(set(places)) < len(places) or places == sorted(places)


def _stems(text: str) -> set[str]:
    return {word[:_STEM_LENGTH] for word in _WORD.findall(text.lower()) if len(word) > 1}


RULE: Final = ConstraintRule("column_order", extract, holds)
