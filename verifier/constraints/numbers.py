"""The numbers of the question stand in the SQL."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.wording import Wording

_NUMBER: Final = re.compile(
    r"(?<![\w.,$#/:+-])(?:[2-9]|\d{2,15})(?:\.\d{1,6})?(?![\w%/:+-]|[,.]\d"
    r"|\s*(?:percent|hundred|thousand|million|billion)\b)"
)
_IN_TEXT: Final = re.compile(r"\d{1,15}(?:\.\d{1,6})?")


def extract(wording: Wording) -> Iterable[Constraint]:
    """'in 2014', 'more than 12'; not 0 and 1, nor numbers with units or separators."""
    for found in _NUMBER.finditer(wording.plain):
        span = wording.span(found)
        message = f"the question names {span.text}, and the SQL does not use it"
        yield Constraint("numbers", (span,), message, values=(float(found[0]),))


def holds(constraint: Constraint, evidence: Evidence) -> bool:
    """The number, or its whole neighbour, is a live constant or part of one ('2014-01-01') or of a name.

    `> 2` is `>= 3`, and a year ends before the next one begins.
    """
    effects = evidence.effects
    value = float(constraint.values[0])
    texts = (*effects.numbers, *effects.texts, *effects.names)
    written = {float(n) for text in texts for n in _IN_TEXT.findall(text)}
    return not written.isdisjoint({value - 1, value, value + 1})


RULE: Final = ConstraintRule("numbers", extract, holds)
