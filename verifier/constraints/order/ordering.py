"""A demanded order: 'sorted by age', 'in descending order', 'alphabetically', 'largest overrun first'."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.constraints.order.superlatives import said_first, way_of
from askwire.verifier.wording import Wording

_ASKS: Final = re.compile(
    r"\b(?:sort|sorted|sorting|arrange|arranged)\b"
    r"|\border(?:ed)? (?:\w+ ){0,4}by\b(?! (?:\w+ )?(?:customer|client|user|people)\w*)"
    r"|\bin (?:the )?(?:(?:\w+ ){0,2})order of\b"
    r"|\bin (?:an? |the )?(?:\w+ )?(?:ascending|descending|ascend|descend|decreasing|increasing"
    r"|alphabetical|alphabetic"
    r"|lexicographical|lexicographic|chronological|reverse)\b"
    r"|\b(?:alphabetically|chronologically)\b"
)
_DESCENDING: Final = re.compile(
    r"\b(?:descending|descend|decreasing|reverse)\b|\bfrom (?:the )?(?:most|highest|largest|high|latest)\b"
)
_ASCENDING: Final = re.compile(
    r"\b(?:ascending|ascend|increasing|alphabetical|alphabetic|alphabetically|lexicographical"
    r"|lexicographic)\b"
)
_MEANS: Final = {"desc": ", descending", "asc": ", ascending", "": ""}


def extract(wording: Wording) -> Iterable[Constraint]:
    """The order, and its way where exactly one is named; `operator` says that its first row was described."""
    first = said_first(wording.plain)
    if first is not None:
        span, direction = wording.span(first, 1), way_of(first)
        message = f'the question says "{span.text}": the SQL needs an ORDER BY{_MEANS[direction]}'
        yield Constraint("ordering", (span,), message, direction=direction, operator="first")
        return
    found = wording.search(_ASKS)
    if found is None:
        return
    down, up = wording.search(_DESCENDING), wording.search(_ASCENDING)
    direction = "desc" if down and not up else "asc" if up and not down else ""
    span = wording.span(found)
    message = f'the question says "{span.text}": the SQL needs an ORDER BY{_MEANS[direction]}'
    yield Constraint("ordering", (span,), message, direction=direction)


def holds(constraint: Constraint, evidence: Evidence) -> bool:
    """An ORDER BY of the answer itself, or of what a LIMIT keeps, going that way for one of its keys."""
    wanted = constraint.direction
    return any(
        o.keys and (not wanted or any(descending == (wanted == "desc") for _, descending in o.keys))
        for o in evidence.effects.orderings
    )


RULE: Final = ConstraintRule("ordering", extract, holds)
