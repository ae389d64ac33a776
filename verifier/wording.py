"""The question as rules read it: quoted parts out of the way, spans at hand.

Owns: what of the text is a quotation, number words, and cutting spans. Must not know: what any word demands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from askwire.core.types import Question, Span

QUOTED: Final = re.compile(
    r"\"([^\"]+)\"|(?<!\w)'([^']+(?:'(?=\w)[^']+)*)'(?!\w)|“([^”]+)”|‘([^’]+)’(?!\w)|(?<!\w)``([^`']+)''"
)
"""Text in quotes; an apostrophe inside a word neither opens nor closes them."""

_COUNTED: Final = "zero one two three four five six seven eight nine ten eleven twelve"
NUMBER_WORDS: Final = {word: value for value, word in enumerate(_COUNTED.split())}
_WORD: Final = re.compile(r"[a-z']+")
_SENTENCE: Final = 5
_COMMON_WORDS: Final = (
    "the a an of what which who whose how show list find give for with are by from and or that return count"
    " tell all each many much when where does did there has have"
)
_COMMON: Final = frozenset(_COMMON_WORDS.split())
_UNLIKELY: Final = "\x00"


@dataclass(frozen=True)
class Wording:
    """A question with its hint; `plain` is the text, as long as before, with quoted parts blotted out."""

    question: Question

    @cached_property
    def plain(self) -> str:
        """The text in lower case; what stands in quotes is not to be read as words of the question."""
        text = self.question.text.replace("’", "'")
        blotted = QUOTED.sub(lambda m: _UNLIKELY * len(m[0]), text)
        lowered = blotted.lower()
        return lowered if len(lowered) == len(text) else blotted

    @cached_property
    def english(self) -> bool:
        """Whether it can be read: a sentence without one common English word is in another language."""
        words = _WORD.findall(self.plain)
        return len(words) < _SENTENCE or not _COMMON.isdisjoint(words)

    def search(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The first place where the plain text has the pattern."""
        return pattern.search(self.plain)

    def span(self, match: re.Match[str], group: int = 0) -> Span:
        """The part of the question that a match (or one group of it) covers, as the asker wrote it."""
        start, end = match.span(group)
        return Span(start, end, self.question.text[start:end])


def number(text: str) -> float:
    """The value of '1,200', '3.5' or 'three'."""
    word = NUMBER_WORDS.get(text)
    return float(word) if word is not None else float(text.replace(",", ""))
