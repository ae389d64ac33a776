"""The numbers of the question stand in the SQL."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from contextlib import suppress
from itertools import combinations
from typing import Final

from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence, other_units
from askwire.verifier.wording import MONTH, Wording, among, in_other_units

_NUMBER: Final = re.compile(
    r"(?<![\w.,$#/:+-])(?:[2-9]|\d{2,15})(?:\.\d{1,6})?(?![\w%/:+-]|[,.]\d"
    r"|\s*(?:percent|hundred|thousand|million|billion|[ap]\.?m|o'clock)\b)"
)
_DAY_BEFORE: Final = re.compile(rf"\s+(?:of\s+)?{MONTH}")
_DAY_AFTER: Final = re.compile(rf"\b{MONTH}\.?\s+\Z")
_MONTH_DISTANCE: Final = 16
"""Characters in front of a day in which its month stands."""
_SPAN: Final = re.compile(r"\s+(?:hour|day|week|month)s?\b")
_RENAMED_SPANS: Final = frozenset({7, 12, 14, 21, 24, 28, 36, 48, 52})
"""Spans with another name: 12 months are a year, 14 days two weeks, 48 hours two days."""
_AGO: Final = re.compile(r"\s+(hour|day|week|month|quarter|year)s?(?:\s+ago)?\b")
_DAYS: Final = {
    "hour": (0.0, 0.1),
    "day": (1.0, 1.0),
    "week": (7.0, 7.0),
    "month": (28.0, 31.0),
    "quarter": (89.0, 92.0),
    "year": (365.0, 366.0),
}
_MAX_DATES: Final = 20
_BEFORE_SPAN: Final = re.compile(r"\b(?:last|past|previous|preceding|next|coming)\s+\Z")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_LAST_DAY: Final = 31
_IN_TEXT: Final = re.compile(r"\d{1,15}(?:\.\d{1,6})?")


def extract(wording: Wording) -> Iterable[Constraint]:
    """'in 2014', 'more than 12'; not 0 and 1, nor numbers with units or separators, nor days of a month.

    'by January 31' may be `< '2024-02-01'`, and 'the last 12 months' `interval '1 year'`. A span told from
    today ('the last 30 days') may stand as the dates on which it begins and ends.
    """
    for found in _NUMBER.finditer(wording.plain):
        if _renamed(wording.plain, found):
            continue
        span = wording.span(found)
        message = f"the question names {span.text}, and the SQL does not use it"
        value = float(found[0])
        others = in_other_units(wording.plain, found.start(), found.end(), value)
        days = _from_today(wording.plain, found)
        yield Constraint("numbers", (span,), message, values=(value,), others=others, days=days)


def _renamed(plain: str, found: re.Match[str]) -> bool:
    """Whether a number is a day of a month, or a span that has another name."""
    value = float(found[0])
    if value <= _LAST_DAY and (
        _DAY_BEFORE.match(plain, found.end())
        or _DAY_AFTER.search(plain, max(0, found.start() - _MONTH_DISTANCE), found.start())
    ):
        return True
    return value in _RENAMED_SPANS and _SPAN.match(plain, found.end()) is not None


def _from_today(plain: str, found: re.Match[str]) -> tuple[int, int] | None:
    """How many days two dates lie apart that stand for 'the past 30 days', (0, 0) for one: '3 weeks ago'."""
    unit = _AGO.match(plain, found.end())
    if unit is None:
        return None
    if unit[0].endswith("ago"):
        return 0, 0
    if not _BEFORE_SPAN.search(plain, max(0, found.start() - _MONTH_DISTANCE), found.start()):
        return None
    least, most = _DAYS[unit[1]]
    # the day or month that has begun may count, or not
    return int(float(found[0]) * least) - 1, int((float(found[0]) + 1) * most)


def _dated(texts: Iterable[str], days: tuple[int, int]) -> bool:
    """Whether dates stand instead of a span of so many days."""
    dates = set()
    for text in texts:
        if found := _DAY.match(text):
            with suppress(ValueError):
                dates.add(dt.date.fromisoformat(found[0]))
    if days == (0, 0):
        return bool(dates)
    return any(days[0] <= (b - a).days <= days[1] for a, b in combinations(sorted(dates)[:_MAX_DATES], 2))


def holds(constraint: Constraint, evidence: Evidence) -> bool:
    """The number, or its whole neighbour, is a live constant or part of one ('2014-01-01') or of a name.

    `> 2` is `>= 3`, and a year ends before the next one begins. In another unit it may stand where the
    question says the unit, or a column's name says cents.
    """
    effects = evidence.effects
    value = float(constraint.values[0])
    if constraint.days and _dated(effects.texts, constraint.days):
        return True
    texts = (*effects.numbers, *effects.texts, *effects.names)
    written = {float(n) for text in texts for n in _IN_TEXT.findall(text)}
    if not written.isdisjoint({value - 1, value, value + 1}):
        return True
    others = other_units(constraint, effects)
    return any(among(number, others) for number in written)


RULE: Final = ConstraintRule("numbers", extract, holds)
