"""A question for the top k has k in its SQL."""

from __future__ import annotations

import re
from typing import Final

from askwire.core.types import Check
from askwire.verifier.constants import constants
from askwire.verifier.subject import Subject

_WORDS: Final = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_K: Final = rf"(\d{{1,3}}|{'|'.join(_WORDS)})"
_MOST: Final = (
    r"(?:most|least|highest|lowest|largest|smallest|youngest|oldest|biggest|longest|shortest|best|worst|fewest"
    r"|cheapest|greatest|earliest|latest|tallest|heaviest|fastest|newest|top|busiest)"
)
_ASKS: Final = r"(?:the|which|what|show|list|find|give|return|of)"
_NOT_A_COUNT: Final = r"(?! ?(?:percent|%|\d))"
_NOT_A_SPAN: Final = (
    r"(?! ?(?:percent|%|\d|(?:\w+ )?(?:years?|quarters?|months?|weeks?|days?|hours?|minutes?|seconds?)\b))"
)
_PATTERNS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:top|bottom|best|worst)\s+{_K}\b{_NOT_A_COUNT}",
        rf"\b(?:first|last)\s+{_K}\b{_NOT_A_SPAN}",
        rf"\b{_ASKS}\s+{_K}\s+{_MOST}\b",
        rf"\b{_ASKS}\s+{_K}\s+(?:\w+\s+){{1,2}}(?:with|that|which|who|having|have|has)"
        rf"(?: (?:have|has|had|received|won))? the {_MOST}\b",
    )
)


def top_k(subject: Subject) -> Check | None:
    """'top 3 products' asks for LIMIT 3, or a rank compared with 3: the number stands in the statement.

    k = 1 is left alone (a maximum needs no number), and so are ties: how many rows come back says nothing.
    """
    found = next(filter(None, (p.search(subject.question.text) for p in _PATTERNS)), None)
    if found is None:
        return None
    word = found[1].lower()
    k = _WORDS.index(word) + 2 if word in _WORDS else int(word)
    if k < 2:
        return None
    numbers = constants(subject.statement).numbers
    held = str(k) in numbers or str(k + 1) in numbers  # rank() < k + 1
    message = "" if held else f'the question asks for "{found[0]}", and the SQL has no limit of {k}'
    return Check("top_k", held, message, odds=0.05)
