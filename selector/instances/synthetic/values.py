"""Values that a column could hold: near a constant, absent, or unlike those at hand.

Owns: which made-up values a column's type surely takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Final

from askwire.core.types import Cell
from askwire.sql.catalog import Column

_INTEGERS: Final = {20: 2**63 - 1, 21: 2**15 - 1, 23: 2**31 - 1}
_NUMBERS: Final = frozenset({700, 701, 1700})
_DATE: Final = 1082
_TIMESTAMPS: Final = frozenset({1114, 1184})
_TEXTS: Final = frozenset({25, 1043, 1042})
_NAMES: Final = {
    16: "boolean",
    20: "bigint",
    21: "smallint",
    23: "integer",
    25: "text",
    700: "real",
    701: "double precision",
    1042: "character",
    1043: "character varying",
    1082: "date",
    1114: "timestamp",
    1184: "timestamp",
    1700: "numeric",
}
"""What the names of those types begin with: a column of another name has a domain over the type."""
_LENGTH: Final = re.compile(r"\((\d+)\)$")
_PRECISION: Final = re.compile(r"\((\d+),(-?\d+)\)$")
_DISTANT_STEP: Final = 7_001
"""Added to make a number unlike those at hand."""


def takes_any(column: Column) -> bool:
    """Whether the column takes every value of its base type: a domain has checks, and may refuse NULL."""
    name = _NAMES.get(column.type_oid)
    return name is None or column.type_name.startswith(name)


def is_ordered(column: Column) -> bool:
    """Whether `other` makes values of the column that grow with their number: numbers, days."""
    known = column.type_oid in _INTEGERS or column.type_oid in _NUMBERS
    return takes_any(column) and (known or column.type_oid == _DATE or column.type_oid in _TIMESTAMPS)


def near(column: Column, text: str) -> Iterator[str]:
    """Values at, just below and just above a constant, where the column's type takes them."""
    if not takes_any(column):
        return
    if column.type_oid in _INTEGERS or column.type_oid in _NUMBERS:
        try:
            number = Decimal(text)
        except InvalidOperation:
            return
        if number.is_finite():
            for value in (number, number - 1, number + 1):
                yield from _number(column, value)
        elif column.type_oid in _NUMBERS and not _PRECISION.search(column.type_name):
            yield text
    elif column.type_oid == _DATE or column.type_oid in _TIMESTAMPS:
        yield from _days(column, text)
    elif column.type_oid in _TEXTS:
        for word in _near_words(text):
            yield from _text(column, word)
    elif column.category == "E":
        yield from (label for label in column.enum_labels if label == text)
    elif column.category == "B":
        yield from ("t", "f")


def meeting(column: Column, text: str, operator: str) -> list[str]:
    """Values near a constant, those first that compare with it as the operator says."""
    found = list(near(column, text))
    first = {"<": 1, "<=": 1, ">": 2, ">=": 2, "<>": 2}.get(operator, 0)
    return [*found[first : first + 1], *found[:first], *found[first + 1 :]]


def other(column: Column, cell: Cell, number: int) -> str | None:
    """A value unlike `cell`, and unlike those for other numbers; None when the type is not one we make up."""
    if not takes_any(column):
        return None
    if column.type_oid in _INTEGERS or column.type_oid in _NUMBERS:
        base = Decimal(cell) if cell is not None and _is_number(cell) else Decimal(0)
        for value in (base + _DISTANT_STEP + number, base - _DISTANT_STEP - number, Decimal(number % 50 + 7)):
            for text in _number(column, value):
                return text
    if column.type_oid == _DATE or column.type_oid in _TIMESTAMPS:
        return str(date(2031, 1, 1) + timedelta(days=number))
    if column.type_oid in _TEXTS:
        for word in (f"{cell or 'made up'} {number}", f"x{number}", chr(ord("a") + number % 26)):
            for text in _text(column, word):
                return text
    return None


def ordinary(column: Column) -> Cell:
    """A value for a column of which no row is known; None when NULL is all that can be said."""
    if column.category == "E" and column.enum_labels:
        return column.enum_labels[0]
    return "t" if column.category == "B" and takes_any(column) else other(column, None, 0)


def _number(column: Column, value: Decimal) -> Iterator[str]:
    most = _INTEGERS.get(column.type_oid)
    if most is not None:
        whole = value.to_integral_value()
        if -most <= whole <= most:
            yield str(whole)
        return
    precision = _PRECISION.search(column.type_name)
    if precision:
        digits, scale = int(precision[1]), int(precision[2])
        try:
            # as it would be stored: with more digits it is another number
            value = value.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP)
        except InvalidOperation:
            return
        if abs(value) >= Decimal(10) ** (digits - scale):
            return
    yield f"{value:f}"


def _near_words(text: str) -> tuple[str, ...]:
    """A word and some like it; a whole number that is stored as text has numbers beside it."""
    if text.isascii() and text.isdigit():
        return text, str(int(text) - 1), str(int(text) + 1)
    return text, f"{text}s", f"x{text}", text.swapcase()


def _is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except InvalidOperation:
        return False


def _days(column: Column, text: str) -> Iterator[str]:
    try:
        moment = datetime.fromisoformat(text)
        days = [moment + timedelta(days=d) for d in (0, -1, 1)]
    except (ValueError, OverflowError):
        return
    yield from (str(d.date()) if column.type_oid == _DATE else str(d) for d in days)


def _text(column: Column, value: str) -> Iterator[str]:
    length = _LENGTH.search(column.type_name)
    if "\0" not in value and (length is None or len(value) <= int(length[1])):
        yield value
