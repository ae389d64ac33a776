"""Extremes: 'the highest salary', 'the most orders', 'the cheapest room'."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.constraints.order.superlatives import (
    ASCENDING,
    DESCENDING,
    PACED,
    UNSURE,
    finds_end,
    paced,
    unsorted,
)
from askwire.verifier.wording import Wording

_ASKS: Final = re.compile(
    rf"(?<!\bat )(?<!\bat the )(?<!\bat the very )\b({'|'.join([*DESCENDING, *ASCENDING, *PACED])})\b"
    rf"(?! (?:of|recent\w*|likely|poorly|than)\b| (?:\d|two|three|four|five|ten))"
)
_TENURE: Final = re.compile(r"(?:work|serv|been|employed|stay)\w* (?:for )?(?:the )?\Z")
_ROUNDED: Final = re.compile(r"\bround\w*[^.?]{0,40} to the nearest\b")
_HINTED: Final = re.compile(r"\b(?:min|max|minimum|maximum|asc|ascending|desc|descending|lowest|highest)\b")
"""Words of a hint that say which end is meant."""
_SHORT: Final = {"maximum": "max", "minimum": "min", "max": "max", "min": "min"}


def extract(wording: Wording) -> Iterable[Constraint]:
    """One constraint for each way that superlatives point; not 'at least'; 'highest rank' points nowhere.

    'Largest overrun first' only sorts. Nowhere point 'fastest', of which what is measured tells the end, and
    a word whose end the hint names.
    """
    seen: set[str] = set()
    hinted = _HINTED.search(wording.question.evidence.lower())
    plain = _ROUNDED.sub(lambda m: " " * len(m[0]), unsorted(wording.plain))
    for found in _ASKS.finditer(plain):
        word = found[1]
        direction = "" if word in PACED or hinted else "desc" if word in DESCENDING else "asc"
        if UNSURE.match(plain[found.end() :]) or _TENURE.search(plain[: found.start()]):
            direction = ""
        if direction not in seen:
            seen.add(direction)
            span = wording.span(found, 1)
            means = {"desc": "descending, or max", "asc": "ascending, or min", "": "max or min"}[direction]
            message = f'the question asks for "{span.text}": the SQL needs an ORDER BY ({means})'
            words = (_SHORT.get(word, word), word.removesuffix("est"))
            yield Constraint("extreme", (span,), message, direction=direction, words=words)


def holds(constraint: Constraint, evidence: Evidence) -> bool:
    """An end of an order is found, or a name has the word (max_speed, high_degree, 'Most Popular')."""
    effects = evidence.effects
    word, stem = constraint.words
    if any(word in text.lower() for text in (*effects.names, *effects.texts)):
        return True
    if any(stem in name.split("_") for name in effects.names):
        return True
    return finds_end(effects, paced(effects, word) if word in PACED else constraint.direction)


RULE: Final = ConstraintRule("extreme", extract, holds)
