"""Queries whose numbers are set beside others: shares of the whole, ratios, totals so far, changes.

Owns: what becomes of the one aggregate of a query of groups.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Final

from askwire.planner.embedded.grammar.atoms import APART, BY_NUMBER, WITHIN_YEAR, Either, Frame, IsValue
from askwire.planner.embedded.logical_form.expressions import NUMBERED
from askwire.planner.embedded.logical_form.ir import AnyOf, Query, Term

WINDOWS: Final = frozenset({"whole", "part", "running", "change", "growth"})
"""Flags of a frame that ask for an aggregate beside those of other groups (`Term.window`)."""


OF_TWO: Final = frozenset({"ratio", "difference"})
"""Flags of a frame that set two kinds of rows against each other, which one condition tells apart."""

_ROWS_TAKEN: Final = frozenset({"count", "sum", "avg", "max", "min"})
"""Aggregates that can be of some of the rows of a group."""
_TAKEN_AWAY: Final = frozenset({"sum", "avg", "max", "min"})


def set_beside(query: Query, flags: Set[str]) -> Query | None:
    """The query with its one aggregate set beside others; None where it has none, or several."""
    measured = [t for t in query.select if t.aggregate]
    if APART in flags:
        return _apart(query, measured, flags)
    if len(measured) != 1 or query.having or query.combine or query.partition or query.limit is not None:
        return None
    if flags & OF_TWO:
        how = "ratio" if "ratio" in flags else "difference"
        return _of_two(query, measured[0], how, flags)
    window = next(iter(sorted(flags & WINDOWS)))
    shown = [t for t in query.select if not t.aggregate]
    if not query.group or not shown:
        return None
    if window in {"whole", "part"}:
        return _replaced(query, measured[0], replace(measured[0], window=window))
    along = [t for t in shown if t.unit]
    if len(along) != 1:
        return None
    others = tuple(t for t in query.group if t != along[0])
    so_far = replace(measured[0], window=window, along=along[0], beside=others)
    select = (*shown, measured[0], so_far)
    order = tuple((t, False) for t in (*(t for t in shown if t != along[0]), along[0]))
    return query.with_(select=select, order=order)


def medians(query: Query) -> Query | None:
    """The query with the medians of what it shows the averages of; None where it shows none."""
    if query.over:
        return None
    if len(query.select) == 1 and query.select[0].per is not None and not (query.group or query.order):
        each = replace(query.select[0], per=None)
        return query.with_(select=(each,), group=(Term(query.select[0].per),), over="median")
    shown = [t for t in query.select if t.aggregate == "avg"]
    if not shown or any(t.per is not None for t in query.select):
        return None
    for term in shown:
        query = _replaced(query, term, replace(term, aggregate="median"))
    return query


def recurring(frame: Frame) -> str:
    """The unit of a frame's groups: of hours and weekdays those that come again and again."""
    valued = any(isinstance(p, IsValue) for a in frame.atoms if isinstance(a, Either) for p in a.parts)
    again = APART in frame.flags and not valued  # of 'open and closed tickets per month' no months do
    if (again or {BY_NUMBER, WITHIN_YEAR} & frame.flags) and frame.unit in NUMBERED:
        return NUMBERED[frame.unit]  # the Januaries of two years stand in one row, or beside their year
    if frame.unit == "hour" and "hour_exact" not in frame.flags:
        return "hour of day"
    return "weekday" if frame.unit == "day" and "weekday" in frame.flags else frame.unit


def _apart(query: Query, measured: Sequence[Term], flags: Set[str]) -> Query | None:
    """Each aggregate once for every part of the condition that tells the columns apart.

    With 'difference' what the second of two comes to more than the first stands behind them.
    """
    either = [c for c in query.where if isinstance(c, AnyOf)]
    plain = all(t.aggregate in _ROWS_TAKEN and not t.part for t in measured)
    shown = [t for t in query.select if not t.aggregate]
    if len(either) != 1 or not measured or bool(shown) != bool(query.group) or not plain:
        return None
    if query.having or query.combine or query.partition or query.limit is not None or query.over:
        return None
    parts = either[0].parts
    columns = tuple(replace(t, part=part) for t in measured for part in parts)
    if "difference" in flags:
        if len(columns) != 2 or measured[0].factor is not None:  # one figure of two times
            return None
        first, second = parts
        each = measured[0].aggregate
        more = replace(measured[0], aggregate="difference", part=second, against=first, each=each)
        columns = (*columns, replace(more, percent="relative" in flags))
    if not query.group:
        query = query.with_(where=tuple(c for c in query.where if c is not either[0]))
    return query.with_(select=(*shown, *columns), order=tuple((t, False) for t in shown))


def _replaced(query: Query, old: Term, new: Term) -> Query:
    order = tuple((new if t == old else t, d) for t, d in query.order)
    return query.with_(select=tuple(new if t == old else t for t in query.select), order=order)


def _of_two(query: Query, measured: Term, how: str, flags: Set[str]) -> Query | None:
    """Two kinds of rows, one of which must hold: the first for each of the second, or less the second.

    'relative' the difference is shown in percent of the second, 'falling' of the first.
    """
    either = [c for c in query.where if isinstance(c, AnyOf) and len(c.parts) == 2]
    counted = measured.aggregate == "count" and measured.column is None
    summed = measured.aggregate == "sum" and measured.factor is None and measured.per is None
    reckoned = how == "difference" and measured.aggregate in _TAKEN_AWAY and measured.per is None
    if len(either) != 1 or not (summed or counted or reckoned):
        return None
    part, against = either[0].parts
    each = measured.aggregate if how == "difference" else ""
    kept = Term(column=measured.column, of=measured.of) if how == "ratio" else measured
    of_two = replace(kept, aggregate=how, part=part, against=against, each=each)
    of_two = replace(of_two, percent="relative" in flags, falling="falling" in flags)
    where = tuple(c for c in query.where if c is not either[0])
    return _replaced(query.with_(where=where), measured, of_two)
