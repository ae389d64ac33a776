"""The wording of readings: comparisons, spans of time, and the first few of an order.

Owns: phrases that the embedded engine's readings and those of a model's SQL share, so that both speak
alike. It takes words and ISO dates and returns words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

COMPARED: Final = {
    "=": "is",
    "<>": "is not",
    "!=": "is not",
    ">": "is above",
    "<": "is below",
    ">=": "is at least",
    "<=": "is at most",
}
_OF_TIMES: Final = {
    "=": "is on",
    "<>": "is not on",
    "!=": "is not on",
    ">": "is later than",
    "<": "is earlier than",
    ">=": "is on or after",
    "<=": "is on or before",
}
_MOMENT: Final = re.compile(r"(?P<day>\d{4}-\d{2}-\d{2})(?:[ T](?P<clock>\d{2}:\d{2}(?::\d{2})?)(?:\.0+)?)?")
_MIDNIGHT: Final = frozenset({"00:00", "00:00:00"})
_MONTHS: Final = tuple(date(2000, month, 1).strftime("%B") for month in range(1, 13))
_QUARTERS: Final = ("first", "second", "third", "fourth")
_QUARTER: Final = 3
_DECEMBER: Final = 12


def compared(left: str, operator: str, right: str, *, moment: str | None = None) -> str:
    """A comparison in words: 'price is above 5'; `moment` is the ISO text of a time on the right.

    compared('joined', '>', …, moment='2024-01-01') → 'joined is later than 1 January 2024'.
    """
    if moment is not None and operator in _OF_TIMES and (said := at(moment)):
        word = COMPARED if operator in {"=", "<>", "!="} and _clock(moment) else _OF_TIMES
        return f"{left} {word[operator]} {said}"
    return f"{left} {COMPARED.get(operator, operator)} {right}"


def empty(left: str, *, negated: bool = False) -> str:
    """A test for NULL in words."""
    return f"{left} is {'not ' if negated else ''}empty"


def at(text: str) -> str:
    """A moment in ISO form as people write it: '1 January 2024'; '' for other text."""
    found = _MOMENT.fullmatch(text)
    day = _day(text)
    if found is None or day is None:
        return ""
    clock = _clock(text)
    return f"{_written(day)}{f' {clock}' if clock else ''}"


def within(low: str, high: str, *, inclusive: bool = False) -> str:
    """The span from `low` to before `high` (to and with it when `inclusive`), '' when they are no days.

    within('1997-01-01', '1998-01-01') → 'in 1997'; 'in March 2024', 'in the first quarter of 2024',
    'on 5 March 2024', 'between 1 and 15 March 2024' where the days are others.
    """
    first, end = _day(low), _day(high)
    if first is None or end is None or _clock(low) or _clock(high):
        return ""
    last = end if inclusive else end - timedelta(days=1)
    if last < first:
        return ""
    return _whole(first, last) or _between(first, last)


def first_of(many: int, subject: str, by: str, *, descending: bool, kind: str = "", place: int = 1) -> str:
    """The first few of an order: 'Top 5 products by total amount', 'Earliest 3 orders by ordered_at'.

    `kind` is 'time' or 'text' where that is known of what orders; `place` asks for one further down.
    """
    if place > 1:
        return f"{subject}, number {place} by {by}{', largest first' if descending else ''}"
    if many == 1:
        extreme = {("time", True): "latest", ("time", False): "earliest", ("text", True): "last"}
        extreme |= {("text", False): "first", ("", True): "largest", ("", False): "smallest"}
        which = extreme[kind, descending]
        return f"{subject} with the {'' if by.startswith(f'{which} ') else f'{which} '}{by}"
    called = {("time", True): "Latest", ("time", False): "Earliest", ("text", True): "Last"}
    called |= {("text", False): "First", ("", True): "Top", ("", False): "Bottom"}
    return f"{called[kind, descending]} {many} {subject} by {by}"


def listed(words: Sequence[str]) -> str:
    """A list in words: 'a, b and c'."""
    return " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else "".join(words)


def _clock(text: str) -> str:
    found = _MOMENT.fullmatch(text)
    clock = found["clock"] if found else None
    return "" if clock is None or clock in _MIDNIGHT else clock


def _day(text: str) -> date | None:
    found = _MOMENT.fullmatch(text)
    try:
        return date.fromisoformat(found["day"]) if found else None
    except ValueError:
        return None


def _written(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def _whole(first: date, last: date) -> str:
    """A span that has a name: a day, a month, a quarter, a year, several years."""
    after = last + timedelta(days=1)
    if first == last:
        return f"on {_written(first)}"
    if first.day != 1 or after.day != 1:
        return ""
    if first.month == 1 and after.month == 1:
        return f"in {first.year}" if first.year == last.year else f"from {first.year} to {last.year}"
    months = (after.year - first.year) * _DECEMBER + after.month - first.month
    if months == 1:
        return f"in {_MONTHS[first.month - 1]} {first.year}"
    if months == _QUARTER and first.month % _QUARTER == 1:
        return f"in the {_QUARTERS[first.month // _QUARTER]} quarter of {first.year}"
    return ""


def _between(first: date, last: date) -> str:
    if (first.year, first.month) == (last.year, last.month):
        return f"between {first.day} and {_written(last)}"
    if first.year == last.year:
        return f"between {first.day} {_MONTHS[first.month - 1]} and {_written(last)}"
    return f"between {_written(first)} and {_written(last)}"
