"""The question as rules read it: quoted parts out of the way, spans at hand.

Owns: what of the text is a quotation, number words, and cutting spans.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from askwire.core.types import Question, Span

QUOTED: Final = re.compile(
    r"\"([^\"]+)\"|(?<!\w)'([^']+(?:'(?=\w)[^']+)*)'(?!\w)|“([^”]+)”|‘([^’]+)’(?!\w)|(?<!\w)``([^`']+)''"
)
"""Text in quotes; an apostrophe inside a word neither opens nor closes them."""

_CONSTRAINT_WORDS: Final = (
    "Top Bottom Best Worst Most Least Highest Lowest Largest Smallest Longest Shortest Biggest Greatest"
    " Oldest Youngest Latest Earliest Newest First Last Both Only Never Not No Nothing Without Except Average"
    " Mean Total Sum Count Different Unique Each Every More Less Over Under Above Below Between Before After"
)
_TRIGGERS: Final = frozenset(_CONSTRAINT_WORDS.split())
_SMALL_WORDS: Final = r"(?:(?:of|the|and|in|to|a|for|on) )*"
_CAPITALIZED_WORDS: Final = re.compile(rf"(?<=[a-z,] )[A-Z][\w'’]*(?: {_SMALL_WORDS}(?:[A-Z][\w'’]*|\d+\b))+")
"""Words with capitals inside of a sentence, small words between them."""
_MIN_LOWERCASE_SHARE: Final = 0.5

_COUNTED: Final = "zero one two three four five six seven eight nine ten eleven twelve"
NUMBER_WORDS: Final = {word: value for value, word in enumerate(_COUNTED.split())}
MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
)
"""A month in lower case, written out or not: a number beside it is a day or a year."""
_SCALES: Final = (
    (r"years?|yrs?", (12, 4, 52, 365)),
    (r"quarters?", (3,)),
    (r"months?", (30, 1 / 12)),
    (r"weeks?", (7, 168)),
    (r"days?", (24, 1440, 86400, 1 / 7)),
    (r"hours?|hrs?|h", (60, 3600, 3_600_000, 1 / 24)),
    (r"min(?:ute)?s?", (60, 60_000, 1 / 60)),
    (r"sec(?:ond)?s?|s", (1000, 1 / 60, 1 / 3600)),
    (r"ms|milliseconds?", (0.001,)),
    (r"dollars?|euros?|pounds?|usd|eur|gbp|bucks", (100, 0.001)),
    (r"cents?|pence", (0.01,)),
    (r"km|kilomet(?:er|re)s?", (1000,)),
    (r"m|met(?:er|re)s?", (100, 1000, 0.001)),
    (r"cm|centimet(?:er|re)s?", (0.01, 10)),
    (r"mm|millimet(?:er|re)s?", (0.1, 0.001)),
    (r"miles?|mi|mph", (1.609344, 1609.344)),
    (r"feet|foot|ft", (12, 0.3048, 30.48, 304.8)),
    (r"inch(?:es)?|in", (2.54, 25.4, 0.0254)),
    (r"pounds?|lbs?", (0.45359237, 453.59237)),
    (r"ounces?|oz", (28.349523, 0.028349523)),
    (r"t|tons?|tonnes?|kg|kilos?|kilograms?|g|grams?|mg|milligrams?", (1000, 0.001)),
    (r"l|lit(?:er|re)s?|ml|millilit(?:er|re)s?|cl|centilit(?:er|re)s?", (1000, 100, 10, 0.1, 0.01, 0.001)),
    (r"[kmgt]b|(?:kilo|mega|giga|tera)?bytes?", (1000, 1024, 0.001, 1 / 1024)),
    (r"[kmg]w(?:h)?|watts?|w", (1000, 0.001)),
    (r"%|percent|per cent", (0.01,)),
)
"""Units that a question may say, and how many of another one, in which a column may be, are one of them."""
_UNITS: Final = tuple((re.compile(rf"[\s-]*(?:{pattern})(?![a-z])"), times) for pattern, times in _SCALES)
_IN_DOLLARS: Final = re.compile(r"[$€£]\s*\Z")
_MONEY: Final = (100, 0.001)
_WORD: Final = re.compile(r"[a-z']+")
_MIN_SENTENCE_WORDS: Final = 5
_COMMON_WORDS: Final = (
    "the a an of what which who whose how show list find give for with are by from and or that return count"
    " tell all each many much when where does did there has have"
)
_COMMON_WORD_SET: Final = frozenset(_COMMON_WORDS.split())
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
        rest = _CAPITALIZED_WORDS.sub("", blotted).split()
        if rest and sum(word[0].islower() for word in rest) >= _MIN_LOWERCASE_SHARE * len(rest):
            blotted = _CAPITALIZED_WORDS.sub(_untitled, blotted)
        lowered = blotted.lower()
        return lowered if len(lowered) == len(text) else blotted

    @cached_property
    def english(self) -> bool:
        """Whether it can be read: a sentence without one common English word is in another language."""
        words = _WORD.findall(self.plain)
        return len(words) < _MIN_SENTENCE_WORDS or not _COMMON_WORD_SET.isdisjoint(words)

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


def in_other_units(plain: str, start: int, end: int, value: float) -> tuple[float, ...]:
    """What a column may hold for a number of the question, at `start` to `end` of its plain text.

    24 for '2 years', 2000 for '$20', 1.9 for '190 cm'; nothing where no unit is said with the number.
    """
    times: tuple[float, ...] = ()
    if _IN_DOLLARS.search(plain, max(0, start - 2), start):
        times += _MONEY
    for pattern, scales in _UNITS:
        if pattern.match(plain, end):
            times += scales
    return tuple(round(value * scale, 6) for scale in times)


def among(value: float, others: Iterable[float]) -> bool:
    """Whether a number is one of others, as it is rounded to a column's unit."""
    return any(math.isclose(value, other, rel_tol=1e-3) for other in others)


def number(text: str) -> float:
    """The value of '1,200', '3.5' or 'three'."""
    word = NUMBER_WORDS.get(text)
    return float(word) if word is not None else float(text.replace(",", ""))
