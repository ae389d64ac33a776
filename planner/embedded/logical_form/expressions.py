"""What is reckoned from columns, as SQL text: units of time, ages, spans, medians, running totals.

Owns: the expressions around a column or an aggregate.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

DAY_NUMBER: Final = "weekday number"
MONTH_NUMBER: Final = "month number"
QUARTER_NUMBER: Final = "quarter number"
NUMBERED: Final = {"month": MONTH_NUMBER, "quarter": QUARTER_NUMBER}
"""The units that come again in every year."""
TIME_OF_DAY: Final = "time of day"
AGE: Final = "age"
SINCE: Final = "days since"
ELEMENTS: Final = "number of elements"
JSON_ELEMENTS: Final = "number of JSON elements"
"""How many an array holds: none where there is no array."""
SPANS: Final = {"day": 86_400, "hour": 3600, "minute": 60, "second": 1}
"""Units in which a span of time is shown, in seconds."""

_PLAIN: Final = r"""(?:[^()'"]|"[^"]*"|'[^']*')"""
_INNER: Final = rf"(?:{_PLAIN}|\((?:{_PLAIN}|\({_PLAIN}*\))*\))*"
"""Text within brackets, with brackets of its own."""
_CALL: Final = re.compile(rf"\w+\({_INNER}\)")
"""One call of a function, which an operator behind it takes whole."""
_TOTAL: Final = re.compile(
    rf"\b(?:sum|count)\({_INNER}\)(?: filter \({_INNER}\))?|\bcoalesce\(A, 0(?:\.0*)?\)|\(A(?: [+-] A)*\)",
    re.IGNORECASE,
)
_SUMS: Final = re.compile(r"A(?: [*/] [\d.]+)?(?: [+-] A(?: [*/] [\d.]+)?)*")


_TIMES: Final = re.compile(r"\w+ as ([*/] [\d.]+)")


def scaled(unit: str, factor: Decimal) -> str:
    """The unit of a number that is kept in another: 'minute as / 60.0' of what is kept in seconds."""
    if factor >= 1:
        return f"{unit} as * {factor.normalize():f}"
    return f"{unit} as / {(1 / factor).quantize(Decimal('0.1')):f}"


def of_unit(text: str, unit: str) -> str:
    """A time in a unit: `date_trunc('month', ordered_at)::date`, `extract(year FROM age(born))::int`."""
    if unit == "year":
        return f"extract(year FROM {text})::int"
    if unit == "hour of day":
        return f"extract(hour FROM {text})::int"
    if unit == "weekday":
        return f"to_char({text}, 'FMDay')"
    if unit == DAY_NUMBER:
        return f"extract(isodow FROM {text})::int"
    if unit == MONTH_NUMBER:
        return f"extract(month FROM {text})::int"
    if unit == QUARTER_NUMBER:
        return f"extract(quarter FROM {text})::int"
    if unit == TIME_OF_DAY:
        return f"{text}::time"
    if unit == ELEMENTS:
        return f"coalesce(cardinality({text}), 0)"
    if unit == JSON_ELEMENTS:
        return f"CASE jsonb_typeof({text}) WHEN 'array' THEN jsonb_array_length({text}) ELSE 0 END"
    if unit == AGE:
        return f"extract(year FROM age({text}))::int"
    if (factor := _TIMES.fullmatch(unit)) is not None:
        return f"{text} {factor[1]}"
    cut = f"date_trunc('{unit}', {text})"
    return cut if unit == "hour" else f"{cut}::date"


def of_day(type_name: str) -> bool:
    """Whether a type is that of times of the day, of no certain one."""
    return type_name.startswith(("time ", "time(", "timetz"))


def span(later: tuple[str, str], earlier: tuple[str, str], unit: str, *, exact: bool = False) -> str:
    """The time from the second to the first, each (text, type), in a unit: whole days, or parts of hours.

    `exact` days are not whole where both are times of a day: what is averaged or compared.
    From a time of the day it is to the next such time: from ten at night to six are eight hours.
    """
    if of_day(later[1]):
        first, second = (
            t if kind.startswith("time without") else f"{t}::time" for t, kind in (later, earlier)
        )
        return f"mod(extract(epoch FROM {first} - {second}) + 86400, 86400) / {SPANS[unit]}"
    exact = exact and all(kind.startswith("timestamp") for _, kind in (later, earlier))
    if unit == "day" and not exact:
        first, second = (t if kind == "date" else f"{t}::date" for t, kind in (later, earlier))
        return f"{first} - {second}"
    first, second = (t if kind.startswith("timestamp") else f"{t}::timestamp" for t, kind in (later, earlier))
    return f"extract(epoch FROM {first} - {second}) / {SPANS[unit]}"


def aggregated(text: str, aggregate: str, *, distinct: bool) -> str:
    """An aggregate of an expression; the median is that between the two in the middle."""
    if aggregate == "median":
        return f"percentile_cont(0.5) WITHIN GROUP (ORDER BY {text})"
    return f"{aggregate}({'DISTINCT ' if distinct else ''}{text})"


def days_since(text: str) -> str:
    """How many days ago a time was."""
    return f"current_date - {text}::date"


def share(part: str, summed: str = "", *, percent: bool) -> str:
    """The part of all rows that satisfies a condition, or of what `summed` comes to."""
    whole = f"sum({summed})" if summed else "count(*)"
    counted = f"{whole} FILTER (WHERE {part})"
    if percent:
        return f"100.0 * {counted} / nullif({whole}, 0)"
    return f"{counted}::numeric / nullif({whole}, 0)"


def ratio(part: str, against: str, summed: str = "") -> str:
    """How many rows of one kind there are for each of another, or what `summed` comes to for each."""
    whole = f"sum({summed})" if summed else "count(*)"
    return f"{whole} FILTER (WHERE {part})::numeric / nullif({whole} FILTER (WHERE {against}), 0)"


def difference(part: str, against: str, text: str, aggregate: str, *, of: str = "") -> str:
    """What an aggregate comes to of rows of one kind, less what it comes to of those of another.

    As it is, or in percent of what it comes to of either: NULL where there is none of it.
    """
    one, other = (f"{aggregate}({text or '*'}) FILTER (WHERE {such})" for such in (part, against))
    if of:
        first, second = (
            f"coalesce({each}, 0)" if aggregate == "sum" and such != of else each
            for each, such in ((one, part), (other, against))
        )
        return f"100.0 * ({first} - {second}) / nullif({one if of == part else other}, 0)"
    if aggregate == "sum":
        return f"coalesce({one}, 0) - coalesce({other}, 0)"
    return f"{one} - {other}"


def windowed(text: str, window: str, along: str, beside: Sequence[str]) -> str:
    """An aggregate seen beside those of other groups, in the order of `along`, among groups of `beside`.

    'whole' and 'part' are its share of all of them, in percent or of one; 'running' what there was up to it;
    'change' and 'growth' what came to the one before, as it is and in percent.
    """
    of = f"PARTITION BY {', '.join(beside)}" if beside else ""
    over = f"OVER ({' '.join(p for p in (of, f'ORDER BY {along}' if along else '') if p)})"
    whole = text if _CALL.fullmatch(text) else f"({text})"
    if window == "whole":
        return f"100.0 * {whole} / nullif(sum({text}) {over}, 0)"
    if window == "part":
        return f"{whole}::numeric / nullif(sum({text}) {over}, 0)"
    if window == "running":
        return f"sum({text}) {over}"
    before = f"lag({text}) {over}"
    if window == "growth":
        return f"100.0 * ({whole} - {before}) / nullif({before}, 0)"
    return f"{whole} - {before}"


def adds_up(text: str) -> bool:
    """Whether an aggregate of all is the sum of what it is of each group, with shares and totals so far.

    So it is of sums and of counts, of their sums and differences, and of either times a number; not of ratios
    and averages.
    """
    while (shorter := _TOTAL.sub("A", text)) != text:
        text = shorter
    return _SUMS.fullmatch(text) is not None


def ago(number: str, unit: str) -> str:
    """The moment that lies so many units before today."""
    return f"current_date - interval '{number} {unit}{'' if number == '1' else 's'}'"
