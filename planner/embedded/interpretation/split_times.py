"""Times kept in pieces: a year, a month and a day in columns of their own.

Owns: which columns are pieces of one time, and conditions over them.
"""

from __future__ import annotations

import calendar
import datetime as dt
from dataclasses import dataclass
from typing import Final

from askwire.planner.embedded.logical_form.ir import AnyOf, Compare, Condition, Literal, Term
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex

_UNITS: Final = ("year", "month", "day")
_MONTHS: Final = tuple(name.lower() for name in calendar.month_name)


@dataclass(frozen=True)
class Pieces:
    """The columns that hold the year, the month and the day of one time; None where there is none."""

    year: int
    month: ColumnEntry | None
    day: int | None

    def during(self, low: dt.date, high: dt.date) -> list[Condition] | None:
        """That the time lies from `low` up to `high` (exclusive); None where the pieces cannot say it."""
        last = high - dt.timedelta(days=1)
        if (low.month, low.day, last.month, last.day) == (1, 1, 12, 31):
            return [_is(self.year, low.year)] if low.year == last.year else self._years(low.year, last.year)
        if low.year != last.year:
            return self._across(low, last)
        year = _is(self.year, low.year)
        if low.day == 1 and high.day == 1:
            if low.month == last.month:
                month = self.of_month(low.month)
                return None if month is None else [year, month]
            return [year, *_between(self._month, low.month, last.month)] if self._numbered() else None
        month = self.of_month(low.month)
        if low.month != last.month or self.day is None or month is None:
            return None
        return [year, month, *_between(self.day, low.day, last.day)]

    def of_month(self, month: int) -> Condition | None:
        """That it lies in a month of any year."""
        if self.month is None:
            return None
        if self.month.kind == "number":
            return _is(self.month.index, month)
        name = _MONTHS[month]
        for value in self.month.column.common_values:
            said = value.strip().lower().rstrip(".")
            if said in {name, name[:3]} or (said.isdigit() and int(said) == month):
                return Compare(Term(self.month.index), "=", Literal(value, "text"))
        return None

    def of_days(self, low: dt.date, high: dt.date) -> list[Condition] | None:
        """That it lies on the days from `low` up to `high` (exclusive) of any year."""
        found = self.during(low, high)
        return found[1:] if found and found[0] == _is(self.year, low.year) else None

    def since(self, low: dt.date) -> list[Condition] | None:
        """That it lies at or after `low`."""
        return self._beyond(low, ">")

    def until(self, high: dt.date) -> list[Condition] | None:
        """That it lies before `high`."""
        return self._beyond(high - dt.timedelta(days=1), "<")

    def _beyond(self, day: dt.date, operator: str) -> list[Condition] | None:
        edge = (1, 1) if operator == ">" else (12, 31)
        if (day.month, day.day) == edge:
            return [Compare(Term(self.year), operator + "=", _number(day.year))]
        whole = day.day == 1 if operator == ">" else (day + dt.timedelta(days=1)).day == 1
        if not self._numbered() or not (whole or self.day is not None):
            return None
        later: list[tuple[Condition, ...]] = [(Compare(Term(self.year), operator, _number(day.year)),)]
        year = _is(self.year, day.year)
        if whole or self.day is None:
            later.append((year, Compare(Term(self._month), operator + "=", _number(day.month))))
        else:
            later.append((year, Compare(Term(self._month), operator, _number(day.month))))
            month = _is(self._month, day.month)
            later.append((year, month, Compare(Term(self.day), operator + "=", _number(day.day))))
        return [AnyOf(tuple(later))]

    @property
    def _month(self) -> int:
        if self.month is None:
            raise ValueError("no column holds the month")
        return self.month.index

    def _numbered(self) -> bool:
        """Whether months are numbers, which have an order."""
        return self.month is not None and self.month.kind == "number"

    def _years(self, first: int, last: int) -> list[Condition]:
        return _between(self.year, first, last)

    def _across(self, low: dt.date, last: dt.date) -> list[Condition] | None:
        since, until = self.since(low), self.until(last + dt.timedelta(days=1))
        return None if since is None or until is None else [*since, *until]


def pieces(index: SchemaIndex, number: int) -> Pieces | None:
    """The pieces that a column of years belongs to: columns of its table that differ in the unit alone."""
    column = index.columns[number]
    if "year" not in column.full:
        return None
    rest = tuple(w for w in column.full if w != "year")
    found: dict[str, ColumnEntry] = {}
    for other in index.tables[column.table].columns:
        entry = index.columns[other]
        for unit in _UNITS[1:]:
            if unit in entry.full and tuple(w for w in entry.full if w != unit) == rest and not entry.codes:
                found.setdefault(unit, entry)
    month, day = found.get("month"), found.get("day")
    return Pieces(number, month, day.index if day is not None and day.kind == "number" else None)


def _number(value: int) -> Literal:
    return Literal(str(value), "number")


def _is(column: int, value: int) -> Condition:
    return Compare(Term(column), "=", _number(value))


def _between(column: int, low: int, high: int) -> list[Condition]:
    if low == high:
        return [_is(column, low)]
    return [Compare(Term(column), ">=", _number(low)), Compare(Term(column), "<=", _number(high))]
