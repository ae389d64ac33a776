"""What the question puts in quotes stands in the SQL."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from askwire.core.types import Span
from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.wording import QUOTED, Wording

_WORD: Final = re.compile(r"\w+")
_STEM_LENGTH: Final = 4
_SMALL_WORDS: Final = frozenset({"a", "an", "and", "if", "in", "is", "of", "or", "the", "to"})
_MEANING: Final = re.compile(r"([^.;,=]+?) refers? to [^.;]*?= *'([^']+)'")


def extract(wording: Wording) -> Iterable[Constraint]:
    """'papers by "Ann Lee"'; of the hint, the values behind phrases that the question uses."""
    for found in QUOTED.finditer(wording.question.text):
        group = found.lastindex or 0
        yield from _demand(wording.span(found, group), found[group])
    for found in _MEANING.finditer(wording.question.evidence):
        phrase = found[1].strip().lower().strip("'\"")
        start = wording.plain.find(phrase)
        if phrase and start >= 0:
            end = start + len(phrase)
            yield from _demand(Span(start, end, wording.question.text[start:end]), found[2])


def _demand(span: Span, text: str) -> Iterable[Constraint]:
    words = tuple(w for w in map(str.lower, _WORD.findall(text)) if w not in _SMALL_WORDS)
    if words:
        message = f'the question names "{text}", and the SQL does not use it'
        yield Constraint("quoted", (span,), message, values=(text,), words=words)


def holds(constraint: Constraint, evidence: Evidence) -> bool:
    """Every word stands in a live constant or name.

    Word by word, because one name may be spread over two columns, and by the first letters, because the value
    in the data may be spelled a little differently.
    """
    effects = evidence.effects
    written = " ".join((*effects.texts, *effects.numbers, *effects.names)).lower()
    return all(word[:_STEM_LENGTH] in written for word in constraint.words)


RULE: Final = ConstraintRule("quoted", extract, holds)
