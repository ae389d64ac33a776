"""The chart of a result that has one: a label and a number, a time and a number, two numbers.

Owns: which chart a result has, by its columns' types and names, and its geometry in percent. `note` says what
is not drawn.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from askwire.core.types import Cell, ResultColumn, Row
from askwire.proxy.console.questions.answers import Kind

MOST_BARS: Final = 24
MOST_POINTS: Final = 2000
_LONGEST_LABEL: Final = 60
_KEY_NAME: Final = re.compile(r"(^|_)(id|key|uuid)$", re.IGNORECASE)
_TIME_STEP_NAME: Final = re.compile(r"(^|_)(year|quarter|month|week|day|hour|weekday|dow)s?$", re.IGNORECASE)
_TOP, _HEIGHT = 8.0, 78.0
"""Where values are drawn, in percent from the top."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar from `x`, `width` long, in percent."""

    label: str
    text: str
    x: float
    width: float
    below: bool


@dataclass(frozen=True, slots=True)
class Bars:
    """A label and a number."""

    title: str
    bars: tuple[Bar, ...]
    note: str
    name: str = "bars"


@dataclass(frozen=True, slots=True)
class Tick:
    """A value of an axis and where it stands, in percent."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Plot:
    """A line or points: `path` in a box of 100 by 100; `ticks` are of y, `ends` of x."""

    name: str
    title: str
    path: str
    ticks: tuple[Tick, ...]
    ends: tuple[str, str]
    note: str


Chart = Bars | Plot


def drawn(
    columns: Sequence[ResultColumn], kinds: Sequence[Kind], rows: Sequence[Row], *, more: bool
) -> Chart | None:
    """The chart of these rows, None where they have none; `more`: there are further rows, not at hand."""
    places = [n for n, c in enumerate(columns) if not _KEY_NAME.search(c.name)]
    numbers = [n for n in places if kinds[n] == "number"]
    labels = [n for n in places if kinds[n] in ("text", "bool")]
    moments = [n for n in places if kinds[n] == "moment"]
    if len(numbers) + len(labels) + len(moments) != len(places) or not numbers:
        return None
    steps = [n for n in numbers if _TIME_STEP_NAME.search(columns[n].name)]
    if len(numbers) == 1 and 1 <= len(labels) <= 2 and not moments:
        return _bars(columns, labels, numbers[0], rows, more=more)
    if labels:
        return None
    if len(moments) == 1 and len(numbers) == 1:
        return _plot(columns, moments[0], numbers[0], rows, of_time=True, more=more)
    if len(numbers) == 2 and not moments:
        x, y = (steps[0], next(n for n in numbers if n != steps[0])) if len(steps) == 1 else numbers
        return _plot(columns, x, y, rows, of_time=False, line=len(steps) == 1, more=more)
    return None


def _bars(
    columns: Sequence[ResultColumn], labels: Sequence[int], number: int, rows: Sequence[Row], *, more: bool
) -> Bars | None:
    found = [(row, value) for row in rows if (value := _number(row[number])) is not None]
    shown = found[:MOST_BARS]
    if len(shown) < 2:
        return None
    low = min(0.0, *(value for _, value in shown))
    span = (max(0.0, *(value for _, value in shown)) - low) or 1.0
    zero = -low / span
    bars = []
    for row, value in shown:
        label = " ".join("NULL" if row[n] is None else _short(str(row[n])) for n in labels)
        x = zero if value >= 0 else zero + value / span
        width = abs(value) / span
        bars.append(Bar(label, str(row[number]), round(100 * x, 2), round(100 * width, 2), below=value < 0))
    title = f"{columns[number].name} by {' and '.join(columns[n].name for n in labels)}"
    note = _note(len(shown), len(found), len(rows), more=more)
    return Bars(title, tuple(bars), note)


def _plot(
    columns: Sequence[ResultColumn],
    x: int,
    y: int,
    rows: Sequence[Row],
    *,
    of_time: bool,
    line: bool = True,
    more: bool,
) -> Plot | None:
    read = _moment if of_time else _number
    found = [
        (at, value, str(row[x]))
        for row in rows
        if (at := read(row[x])) is not None and (value := _number(row[y])) is not None
    ]
    if len(found) < 2:
        return None
    shown = sorted(found[:MOST_POINTS])
    places = [at for at, _, _ in shown]
    line = line and len(set(places)) == len(places)
    left, right = places[0], places[-1]
    values = [value for _, value, _ in shown]
    marks = _nice(min(0.0, *values) if line and min(values) >= 0 else min(values), max(values))
    low, high = min(marks[0], *values), max(marks[-1], *values)
    if not (math.isfinite(high - low) and math.isfinite(right - left)):
        return None

    def across(at: float) -> float:
        return round(100 * (at - left) / (right - left), 2) if right > left else 50.0

    def down(value: float) -> float:
        return round(100 * (high - value) / (high - low), 2) if high > low else 50.0

    spots = [(across(at), down(value)) for at, value, _ in shown]
    if line:
        path = "M" + "L".join(f"{a} {b}" for a, b in spots)
    else:
        path = "".join(f"M{a} {b}h0" for a, b in dict.fromkeys(spots))
    x_title, y_title = columns[x].name, columns[y].name
    title = f"{y_title} over {x_title}" if line else f"{y_title} against {x_title}"
    ticks = tuple(Tick(round(_TOP + _HEIGHT * down(mark) / 100, 2), _brief(mark)) for mark in marks)
    note = _note(len(shown), len(found), len(rows), more=more)
    kind = "line" if line else "points"
    return Plot(kind, title, path, ticks, (shown[0][2], shown[-1][2]), note)


def _nice(low: float, high: float) -> list[float]:
    """Three to five round values from about the lowest to about the highest."""
    span = high - low
    if not math.isfinite(span) or span <= 0:
        return [low]
    rough = span / 3
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough)
    first = math.floor(low / step)
    last = math.ceil(high / step)
    return [n * step for n in range(first, last + 1)][:8] if abs(first) < 1e15 else [low, high]


def _note(shown: int, drawable: int, rows: int, *, more: bool) -> str:
    parts = []
    if shown < drawable:
        parts.append(f"The first {shown} of {drawable} rows are drawn.")
    if drawable < rows:
        gone = rows - drawable
        parts.append(f"{gone} {'row has' if gone == 1 else 'rows have'} no value to draw.")
    if more:
        parts.append("Rows that are not shown below are not drawn.")
    return " ".join(parts)


def _number(cell: Cell) -> float | None:
    try:
        value = float(str(cell).replace("$", "").replace(",", "")) if cell is not None else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _moment(cell: Cell) -> float | None:
    """Seconds, of a date or time as PostgreSQL writes it with DateStyle ISO."""
    try:
        at = datetime.fromisoformat(str(cell))
    except ValueError:
        return None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


def _short(text: str) -> str:
    flat = " ".join(text.split()) or "(empty)"
    return flat if len(flat) <= _LONGEST_LABEL else flat[: _LONGEST_LABEL - 1] + "…"


def _brief(value: float) -> str:
    """A number of an axis: '2500', '15k', '2M'."""
    if abs(value) < 10_000:
        return f"{value:.6g}"
    factor, letter = next(unit for unit in _UNITS if abs(value) >= unit[0])
    return f"{value / factor:.4g}{letter}"


_UNITS: Final = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k"))
