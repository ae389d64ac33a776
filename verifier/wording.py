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

_MEANING: Final = (
    "Top Bottom Best Worst Most Least Highest Lowest Largest Smallest Longest Shortest Biggest Greatest"
    " Oldest Youngest Latest Earliest Newest First Last Both Only Never Not No Nothing Without Except Average"
    " Mean Total Sum Count Different Unique Each Every More Less Over Under Above Below Between Before After"
)
_TRIGGERS: Final = frozenset(_MEANING.split())
_SMALL: Final = r"(?:(?:of|the|and|in|to|a|for|on) )*"
_RUN: Final = re.compile(rf"(?<=[a-z,] )[A-Z][\w'’]*(?: {_SMALL}(?:[A-Z][\w'’]*|\d+\b))+")
"""Words with capitals inside of a sentence, small words between them."""
_PLAIN: Final = 0.5

_COUNTED: Final = "zero one two three four five six seven eight nine ten eleven twelve"
NUMBER_WORDS: Final = {word: value for value, word in enumerate(_COUNTED.split())}
MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
)
"""A month in lower case, written out or not: a number beside it is a day or a year."""
_TIMES: Final = (12, 24, 60, 100, 1000, 1440, 3600, 86400, 0.01, 0.001)
"""How many months are a year, minutes an hour, cents a dollar, metres a centimetre, …"""
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
    """A question with its hint; `plain` is the text, as long as before, without quotations and titles."""

    question: Question

    @cached_property
    def plain(self) -> str:
        """The text in lower case; what stands in quotes is blotted out: it is no word of the question.

        So is a title without quotes, 'songs of the album Top 10 Hits', unless everything has capitals.
        """
        text = self.question.text.replace("’", "'")
        blotted = QUOTED.sub(lambda m: _UNLIKELY * len(m[0]), text)
        rest = _RUN.sub("", blotted).split()
        if rest and sum(word[0].islower() for word in rest) >= _PLAIN * len(rest):
            blotted = _RUN.sub(_untitled, blotted)
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


def _untitled(match: re.Match[str]) -> str:
    """A run of capitals blotted out if it reads as a title: two names or more, one of them a word of ours."""
    names = [word for word in match[0].split() if word[0].isupper()]
    return _UNLIKELY * len(match[0]) if len(names) > 1 and _TRIGGERS & set(names) else match[0]


def in_other_units(value: float) -> set[float]:
    """The number, and what a column may hold for it: 24 for 2 years, 2000 for 20 dollars, 1.9 for 190 cm."""
    return {value, *(round(value * times, 6) for times in _TIMES)}


def number(text: str) -> float:
    """The value of '1,200', '3.5' or 'three'."""
    word = NUMBER_WORDS.get(text)
    return float(word) if word is not None else float(text.replace(",", ""))
