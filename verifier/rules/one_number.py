"""A plain 'how many …' is answered by one number."""

from __future__ import annotations

import re
from typing import Final

from askwire.core.types import Check
from askwire.verifier.odds import odds_of
from askwire.verifier.subject import Subject

_HOW_MANY: Final = re.compile(r"^\s*how many\b", re.IGNORECASE)
_MORE_THAN_ONE_ANSWER: Final = re.compile(
    r"\b(?:each|every|per|respectively|different|various|both|either|and|or|also|whose|one|list|show|what"
    r"|which"
    r"|percent\w*|average|by|across|given|for all|most|least)\b|,",
    re.IGNORECASE,
)
_NUMBERS: Final = frozenset({20, 21, 23, 700, 701, 1700})


def one_number(subject: Subject) -> Check | None:
    """'how many orders are there' wants one row with one number.

    Silent when a word hints at groups or at a second thing to show.
    """
    text = subject.question.text
    result = subject.result
    if result is None or not _HOW_MANY.search(text) or _MORE_THAN_ONE_ANSWER.search(text):
        return None
    held = len(result.rows) == 1 and len(result.columns) == 1 and result.columns[0].type_oid in _NUMBERS
    message = "" if held else '"how many" asks for one number, and the result is something else'
    return Check("one_number", held, message, odds=odds_of("one_number"))
