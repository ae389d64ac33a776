"""Times that follow from a question's own words: they are the same on every day.

Owns: telling a date that "in March 2024" stands for from one that was worked out from the day of the
question. Errs on the side of the latter: a question with a word like "last" or "ago" has no such times, and a
date needs its year, and its day unless a month begins or ends there, in the question.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

_RELATIVE: Final = re.compile(
    r"\b(?:to(?:day|night|morrow)|yesterday|now(?:adays)?|current(?:ly)?|this|these|last|past|previous(?:ly)?"
    r"|prior|next|coming|upcoming|recent(?:ly)?|ago|so\s+far|to\s+date|yet|[ymqw]td|rolling|trailing|moment"
    r"|present(?:ly)?|overdue|aged?|old(?:er)?|young(?:er)?)\b"
)
"""Words whose meaning may depend on the day."""

_NOT_RELATIVE: Final = re.compile(
    r"\b(?:last|next|previous)\s+(?:(?:\w+\s+){1,3}(?:of|in)\s+(?:\w+\s+)?[12]\d{3}\b|names?\b)|\bprior\s+to\b"
)
"""Where such words do not: "the last quarter of 2024", "last names"."""

_YEAR: Final = re.compile(r"(?<!\d)([12]\d{3})(s?)(?!\d)")
_ISO: Final = re.compile(
    r"([12]\d{3})-(\d{1,2})(?:-(\d{1,2}))?"
    r"(?:[ T](\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?",
    re.IGNORECASE,
)
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ENDS: Final = frozenset(((0, 0), (23, 59)))
"""Hours and minutes at which a day begins and ends."""


@dataclass(frozen=True, slots=True)
class NamedTimes:
    """The times that a question names; none where it speaks of the day it is asked on.

    `numbers` are all numbers in the question, spelled-out ones included, as digits without leading zeros.
    """

    years: frozenset[int] = frozenset()
    months: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()

    def hold(self, value: str) -> bool:
        """Whether a date or a month, as SQL writes it, follows: '2025-01-01' does from "in 2024"."""
        found = _ISO.fullmatch(value.strip())
        if found is None:
            return value.strip().lower()[:3] in self.months
        year, month, day, hour, minute = (int(part or 0) for part in found.groups())
        if (hour, minute) not in _ENDS and str(hour) not in self.numbers:
            return False
        try:
            named = date(year, month, day or 1)
        except ValueError:
            return False
        # the end of a time is often written as the day after
        return self._names(named) or self._names(named - timedelta(days=1))

    def _names(self, day: date) -> bool:
        if day.year not in self.years:
            return False
        return day.day in (1, monthrange(day.year, day.month)[1]) or str(day.day) in self.numbers


def named_times(question: str, numbers: Collection[str]) -> NamedTimes:
    """The times that a question names, given the numbers in it."""
    text = question.lower()
    if _RELATIVE.search(_NOT_RELATIVE.sub(" ", text)):
        return NamedTimes()
    years: set[int] = set()
    for year, decade in _YEAR.findall(text):
        years.update(range(int(year), int(year) + 10) if decade and year.endswith("0") else (int(year),))
    months = {word[:3] for word in re.findall(r"[a-z]+", text)} & set(_MONTHS)
    plain = {number.lstrip("0") or "0" for number in numbers}
    return NamedTimes(frozenset(years), frozenset(months), frozenset(plain))
