"""Expressions of time → half-open ranges of dates.

Owns: 'March 2024', 'last quarter', 'past 30 days', '2024-03-01'. `today` is the session's date, never the
clock's.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from askwire.language.text import Token, listed

_MONTHS: Final = {
    name[:size]: number
    for number, name in enumerate(
        listed(
            """
    january february march april may june july august september october november december
    """
        ),
        1,
    )
    for size in (3, len(name))
} | {"sept": 9}
_ORDINALS: Final = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
_UNITS: Final = ("day", "week", "month", "quarter", "year")


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """Tokens `start` to `end` mean the time from `low` (inclusive) to `high` (exclusive).

    `month` is set for a month without a year, which recurs every year; `yearless` for it and for parts of a
    year without one. `moment` is what a date with a time of day says: '2018-03-17 07:13:53'.
    """

    start: int
    end: int
    low: dt.date
    high: dt.date
    month: int = 0
    relative: bool = False
    yearless: bool = False
    moment: str = ""

    def in_year(self, year: int) -> TimeSpan | None:
        """The same of another year; None of a day that it does not have."""
        try:
            low = self.low.replace(year=year)
            return replace(self, low=low, high=self.high.replace(year=year + self.high.year - self.low.year))
        except ValueError:
            return None


def add_months(day: dt.date, months: int) -> dt.date:
    """The first of the month that lies `months` after that of `day`."""
    place = day.year * 12 + day.month - 1 + months
    return dt.date(max(1, min(9998, place // 12)), place % 12 + 1, 1)


def period(unit: str, day: dt.date, shift: int = 0, count: int = 1) -> tuple[dt.date, dt.date]:
    """The calendar period of `unit` around `day`, moved by `shift` periods and `count` periods long."""
    if unit == "day":
        low = day + dt.timedelta(days=shift)
        return low, low + dt.timedelta(days=count)
    if unit == "week":
        low = day - dt.timedelta(days=day.weekday()) + dt.timedelta(weeks=shift)
        return low, low + dt.timedelta(weeks=count)
    size = {"month": 1, "quarter": 3, "year": 12}[unit]
    first = day.replace(day=1, month=(day.month - 1) // size * size + 1)
    return add_months(first, shift * size), add_months(first, (shift + count) * size)


def year_range(year: int) -> tuple[dt.date, dt.date]:
    """The year as a range; years outside 1..9998 are clamped."""
    year = max(1, min(9998, year))
    return dt.date(year, 1, 1), dt.date(year + 1, 1, 1)


def _iso(text: str) -> dt.date | None:
    try:
        if "/" in text:
            month, day, year = (int(p) for p in text.split("/"))
            return dt.date(year, month, day) if month <= 12 else dt.date(year, day, month)
        year, month, day = (int(p) for p in text[:10].split("-"))
        return dt.date(year, month, day)
    except ValueError:
        return None


def _year(token: Token | None) -> int | None:
    if token is None or token.kind != "number" or not token.lemma.isdigit() or len(token.lemma) != 4:
        return None
    year = int(token.lemma)
    return year if 1500 <= year <= 2200 else None


_BEFORE_MAY: Final = frozenset(
    {"in", "of", "for", "from", "since", "during", "until", "till", "before", "after", "through", "between"}
    | {"by", "last", "this", "next", "every", "each", "early", "late", "mid"}
)


def _is_may(tokens: Sequence[Token], at: int) -> bool:
    """Whether a 'may' that is not written as a name is the month: 'in may', 'may 2024', 'april and may'."""
    if at + 1 < len(tokens) and _year(tokens[at + 1]) is not None:
        return True
    before = [token.lower for token in tokens[max(0, at - 2) : at]]
    if before and before[-1] in {"and", "or", "to"}:
        return before[0] in _MONTHS or (len(before) == 2 and _year(tokens[at - 2]) is not None)
    return bool(before) and before[-1] in _BEFORE_MAY


def _named_month(tokens: Sequence[Token], at: int, today: dt.date) -> TimeSpan | None:
    """'March 2024', 'March 3rd, 2024', '3 March 2024', 'March'."""
    month = _MONTHS.get(tokens[at].lower)
    if month is None or (tokens[at].text == "may" and not _is_may(tokens, at)):
        return None
    after = [tokens[i] if i < len(tokens) else None for i in range(at + 1, at + 4)]
    rest = [t for t in after if t is not None]
    start, day, end = at, 0, at + 1
    if rest and rest[0].kind == "number" and _year(rest[0]) is None and rest[0].lemma.isdigit():
        day, end, rest = int(rest[0].lemma), end + 1, rest[1:]
    elif at > 0 and tokens[at - 1].kind == "number" and tokens[at - 1].lemma.isdigit():
        day = int(tokens[at - 1].lemma)
        start = at - 1
        if not 1 <= day <= 31:
            start, day = at, 0
    if rest and rest[0].lower in {",", "of"} and len(rest) > 1 and _year(rest[1]):
        end, rest = end + 1, rest[1:]
    year = _year(rest[0]) if rest else None
    if year is not None:
        end += 1
    try:
        if day:
            low = dt.date(year or today.year, month, day)
            return TimeSpan(start, end, low, low + dt.timedelta(days=1), yearless=year is None)
        low = dt.date(year or today.year, month, 1)
        if year is None and low > today:
            low = dt.date(today.year - 1, month, 1)
        return TimeSpan(start, end, low, add_months(low, 1), 0 if year else month, yearless=year is None)
    except ValueError:
        return None


def _relative(tokens: Sequence[Token], at: int, today: dt.date) -> TimeSpan | None:
    """'today', 'last year', 'this month', 'past 30 days', '3 days ago', 'Q2 2024'."""
    word = tokens[at].lower
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    third = tokens[at + 2] if at + 2 < len(tokens) else None
    if word in {"today", "yesterday", "tomorrow"}:
        low, high = period("day", today, {"today": 0, "yesterday": -1, "tomorrow": 1}[word])
        return TimeSpan(at, at + 1, low, high, relative=True)
    if word in {"last", "past", "previous", "this", "current", "next"} and following is not None:
        if following.lemma in _UNITS and following.lower == following.lemma:
            shift = {"this": 0, "current": 0, "next": 1}.get(word, -1)
            low, high = period(following.lemma, today, shift)
            return TimeSpan(at, at + 2, low, high, relative=True)
        if following.kind == "number" and following.lemma.isdigit() and third and third.lemma in _UNITS:
            count = min(int(following.lemma), 3000)
            tomorrow = today + dt.timedelta(days=1)
            if third.lemma in {"day", "week"}:
                back = count * (1 if third.lemma == "day" else 7)
                return TimeSpan(at, at + 3, today - dt.timedelta(days=back), tomorrow, relative=True)
            months = count * {"month": 1, "quarter": 3, "year": 12}[third.lemma]
            first = add_months(today, -months)
            day = min(today.day, (add_months(first, 1) - first).days)
            return TimeSpan(at, at + 3, first.replace(day=day), tomorrow, relative=True)
    return None


_PERIOD_MONTHS: Final = {"quarter": 3, "half": 6}
_BEFORE_TIMES: Final = frozenset({"in", "during", "for", "since", "from", "until", "through", "to", "and"})
_BESIDE_YEARS: Final = frozenset({"of", "the", ",", "year", "in", "-", "/", "'s"})


def _counted_months(tokens: Sequence[Token], at: int) -> int:
    """How many months 'the first three months' or 'last two quarters' are, and 0 of other words."""
    if len(tokens) < at + 3 or tokens[at].lower not in {"first", "last", "final"}:
        return 0
    count, size = tokens[at + 1], {"month": 1, "quarter": 3}.get(tokens[at + 2].lemma, 0)
    months = int(count.lemma) * size if count.kind == "number" and count.lemma.isdigit() else 0
    return months if months < 12 else 0


def _part_of_year(tokens: Sequence[Token], at: int, today: dt.date) -> TimeSpan | None:
    """'Q2 2024', 'the second quarter of last year', '1st half of 2023', 'the first three months of 2023'."""
    word, following = tokens[at].lower, tokens[at + 1].lower if at + 1 < len(tokens) else ""
    end, counted = at + 2, _counted_months(tokens, at)
    if re.fullmatch(r"q[1-4]|h[12]", word):
        place, size, end = int(word[1]), 3 if word[0] == "q" else 6, at + 1
    elif word == "quarter" and re.fullmatch(r"[1-4]", following):
        place, size = int(following), 3
    elif following in _PERIOD_MONTHS and (word in _ORDINALS or word == "last"):
        size = _PERIOD_MONTHS[following]
        place = _ORDINALS.get(word, 12 // size)
    elif counted:
        place, size, end = 1, counted, at + 3
    else:
        return None
    after = end
    while after < len(tokens) and tokens[after].lower in _BESIDE_YEARS:
        after += 1
    before = at - 1
    while before >= 0 and tokens[before].lower in _BESIDE_YEARS - {"of", "in"}:
        before -= 1
    start, year, yearless = at, today.year, False
    last = _relative(tokens, after, today) if after < len(tokens) else None
    if after < len(tokens) and (said := _year(tokens[after])):
        year, end = said, after + 1
    elif last is not None and last.end == after + 2 and tokens[after + 1].lower == "year":
        year, end = last.low.year, last.end
    elif before >= 0 and (said := _year(tokens[before])):
        year, start = said, before
    elif word == "last" or counted:
        return None  # 'last quarter' is the one before this, and 'first two months' have no year
    elif word[0] == "h" and not (at and tokens[at - 1].lower in _BEFORE_TIMES):
        return None  # 'average h1' is of a thing that is called so
    else:
        yearless = True
    first = 13 - size if counted and word != "first" else place * size - size + 1
    if first + size > 13:
        return None
    low = dt.date(year, first, 1)
    if yearless and low > today:
        low = low.replace(year=year - 1)
    return TimeSpan(start, end, low, add_months(low, size), yearless=yearless)


_INCLUSIVE_WORDS: Final = frozenset({"inclusive", "including", "includes", "include"})
_EXCLUSIVE_WORDS: Final = frozenset({"exclusive", "excluding", "not", "without"})


def _about_the_end(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether only 'inclusive of', 'not including the' or the like stands between two times."""
    between = [t.lower for t in tokens[start:end] if t.lower not in {",", "(", "of", "the", "but"}]
    return bool(between) and set(between) <= _INCLUSIVE_WORDS | _EXCLUSIVE_WORDS


def _behind_date(tokens: Sequence[Token], end: int) -> int:
    """Where a time ends: "today's date" is today."""
    behind = [t.lower for t in tokens[end : end + 2]]
    return end + 2 if behind == ["'s", "date"] else end


def _cut(tokens: Sequence[Token], span: TimeSpan, other: TimeSpan) -> dt.date:
    """The end of a span that takes in another, or leaves it out."""
    left_out = _EXCLUSIVE_WORDS & {t.lower for t in tokens[span.end : other.start]}
    return min(span.high, other.low) if left_out and other.low > span.low else span.high


_DATE_ALONE: Final = re.compile(r"[0-9/-]{8,10}(?:[ T][0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)?")


def _moment(said: str) -> str | None:
    """The date and the time of day of a date that has one; '' for a whole day, None for no time at all."""
    day, apart, clock = said.replace("T", " ").partition(" ")
    if not clock:
        return ""
    try:
        dt.time.fromisoformat(clock.zfill(5) if clock.count(":") == 1 else clock.zfill(8))
    except ValueError:
        return None
    return f"{day}{apart}{clock}"


def time_spans(tokens: Sequence[Token], today: str) -> tuple[TimeSpan, ...]:
    """The expressions of time in a question, left to right; bare years are left to the grammar.

    `today` is an ISO date; the epoch's when it cannot be read.
    """
    day = _iso(today) or dt.date(1970, 1, 1)
    found: list[TimeSpan] = []
    for at, token in enumerate(tokens):
        if found and at < found[-1].end:
            continue
        span = None
        if token.kind == "date" or (token.kind == "quoted" and _DATE_ALONE.fullmatch(token.lemma)):
            low, moment = _iso(token.lemma), _moment(token.lemma)
            if low is not None and moment is not None:
                span = TimeSpan(at, at + 1, low, low + dt.timedelta(days=1), moment=moment)
        elif token.kind == "decade":
            year = int(token.lemma)
            span = TimeSpan(at, at + 1, year_range(year)[0], year_range(year + 9)[1])
        elif token.kind == "word" or token.lower in _ORDINALS:
            span = (
                _part_of_year(tokens, at, day) or _named_month(tokens, at, day) or _relative(tokens, at, day)
            )
        if span is not None and found and _about_the_end(tokens, found[-1].end, span.start):
            # 'in the past 30 days, inclusive of today' says where the time before ends
            end = _behind_date(tokens, span.end)
            found[-1] = replace(found[-1], end=end, high=_cut(tokens, found[-1], span))
        elif span is not None and not (found and span.start < found[-1].end):
            found.append(span)
    return tuple(_with_later_years(tokens, found))


def _with_later_years(tokens: Sequence[Token], found: Sequence[TimeSpan]) -> list[TimeSpan]:
    """'between March and May 2024', 'Q1 and Q2 2023': what has no year takes that behind 'and' or 'to'."""
    spans = list(found)
    for at in range(len(spans) - 2, -1, -1):
        here, after = spans[at], spans[at + 1]
        joined = [t.lower for t in tokens[here.end : after.start]]
        if (
            here.yearless
            and not after.yearless
            and not after.relative
            and joined in (["and"], ["to"], ["through"], ["until"], ["-"], ["or"], [","])
        ):
            later = here.low.month > after.low.month
            moved = here.in_year(after.low.year - later)
            spans[at] = replace(moved, month=0, yearless=False) if moved is not None else here
    return spans
