"""The numbers of the question stand in the SQL."""

from __future__ import annotations

import re
from typing import Final

from askwire.core.types import Check
from askwire.verifier.constants import constants
from askwire.verifier.subject import Subject

_QUOTED: Final = re.compile(r"\"[^\"]*\"|(?<!\w)'[^']*'|“[^”]*”|‘[^’]*’")
_NUMBER: Final = re.compile(
    r"(?<![\w.,$#/:+-])(?:[2-9]|\d{2,15})(?:\.\d{1,6})?(?![\w%/:+-]|[,.]\d|\s*(?:percent|hundred|thousand|million|billion)\b)"
)
_IN_TEXT: Final = re.compile(r"\d{1,15}(?:\.\d{1,6})?")


def numbers_used(subject: Subject) -> Check | None:
    """'in 2014', 'more than 12': the number is a constant of the statement, or part of one ('2014-01-01').

    It may be part of a name too (line_2). A neighbouring whole number does as well: `> 2` is `>= 3`, and a
    year ends before the next one begins. Quoted words, 0 and 1, and numbers with units or separators are
    left alone.
    """
    wanted = _NUMBER.findall(_QUOTED.sub(" ", subject.question.text))
    if not wanted:
        return None
    found = constants(subject.statement)
    texts = (*found.numbers, *found.texts, *found.names)
    written = {float(n) for text in texts for n in _IN_TEXT.findall(text)}
    missing = [n for n in wanted if not {float(n) - 1, float(n), float(n) + 1} & written]
    message = f"the SQL does not use {', '.join(missing)}" if missing else ""
    return Check("numbers_used", not missing, message, odds=0.05)
