"""What single columns hold: few different values, a unit in the name, nothing at all, one value only.

Owns: these findings, from statistics and names alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from askwire.files.findings.model import Evidence, Finding, Grade, Kind
from askwire.files.findings.statistics import ANALYZE_SAMPLE_ROWS, Column, Table
from askwire.language.text import listed

MAX_ENUMERATED_VALUES: Final = 20
"""Different values of an enumeration at most."""
_MAX_VALUE_LENGTH: Final = 40
"""Characters of its longest value at most."""
_MIN_ROWS: Final = 10
_MIN_ROWS_PER_VALUE: Final = 3
"""Rows of each value, on average, from which few values are no accident."""

_UNIT_LIST: Final = """
kg kilograms; kgs kilograms; lb pounds; lbs pounds; oz ounces; mg milligrams; tonnes tonnes;
km kilometers; kms kilometers; cm centimeters; mm millimeters; ft feet; mi miles; miles miles; meters meters;
sqft square_feet; sqm square_meters; m2 square_meters; ha hectares; acres acres; ml milliliters;
liters liters; litres liters; gal gallons; kmh kilometers_per_hour; kph kilometers_per_hour;
mph miles_per_hour; kwh kilowatt_hours; mwh megawatt_hours; kw kilowatts; mw megawatts; kb kilobytes;
mb megabytes; gb gigabytes; ms milliseconds; sec seconds; secs seconds; seconds seconds; mins minutes;
minutes minutes; hrs hours; hours hours; days days; weeks weeks; months months; years years;
usd US_dollars; eur euros; gbp British_pounds; jpy yen; chf Swiss_francs; cad Canadian_dollars;
aud Australian_dollars; inr Indian_rupees; cny yuan; dollars US_dollars; cents cents; pct percent;
percent percent; celsius degrees_Celsius; fahrenheit degrees_Fahrenheit; bpm beats_per_minute; mmhg mmHg
"""
_UNITS: Final = {
    short: unit.replace("_", " ") for short, unit in (entry.split() for entry in _UNIT_LIST.split(";"))
}
_IN_COMPANY: Final = {
    "min": ("minutes", frozenset(listed("duration time length runtime elapsed delay wait playing"))),
    "m": ("meters", frozenset(listed("height length depth width distance elevation altitude"))),
    "g": ("grams", frozenset(listed("weight mass fat protein sugar carbs"))),
    "s": ("seconds", frozenset(listed("duration time elapsed delay"))),
    "h": ("hours", frozenset(listed("duration time elapsed"))),
    "c": ("degrees Celsius", frozenset(listed("temp temperature"))),
    "f": ("degrees Fahrenheit", frozenset(listed("temp temperature"))),
    "l": ("liters", frozenset(listed("volume capacity"))),
    "in": ("inches", frozenset(listed("height length width size"))),
}
"""Short endings that are a unit behind these words only."""


def column_findings(table: Table, keys: Collection[str]) -> Iterator[Finding]:
    """What the columns of a table hold; `keys` are those that belong to a key or refer to one."""
    if not table.rows or not table.counted:
        return
    for column in table.columns:
        seen = min(table.rows, ANALYZE_SAMPLE_ROWS)
        evidence = Evidence(seen, distinct=int(column.distinct), sampled=table.sampled)
        where = (table.name, (column.name,))
        if column.filled == 0:
            yield Finding(Kind.EMPTY, Grade.CERTAIN, *where, Evidence(table.rows))
            continue
        if (
            table.rows > 1
            and column.filled == table.rows
            and column.distinct == 1
            and len(column.common) == 1
        ):
            grade = Grade.LIKELY if table.sampled else Grade.CERTAIN
            yield Finding(Kind.CONSTANT, grade, *where, evidence, text=_shown(column.common[0]))
        elif column.name not in keys and _enumerates(column, table):
            values = ", ".join(_shown(v) for v in sorted(column.common))
            yield Finding(Kind.VALUES, Grade.LIKELY, *where, evidence, text=values)
        unit = unit_of(column)
        if unit and column.name not in keys:
            yield Finding(Kind.UNIT, Grade.LIKELY, *where, evidence, text=unit)


def _enumerates(column: Column, table: Table) -> bool:
    """Whether a column of text holds few values, all of which the statistics know."""
    values = column.common
    return (
        column.category == "S"
        and table.rows >= _MIN_ROWS
        and 1 < len(values) <= MAX_ENUMERATED_VALUES
        and len(values) == int(column.distinct)
        and len(values) * _MIN_ROWS_PER_VALUE <= column.filled
        and all(0 < len(v) <= _MAX_VALUE_LENGTH and v.isprintable() for v in values)
    )


def _shown(value: str) -> str:
    return value if len(value) <= _MAX_VALUE_LENGTH else value[: _MAX_VALUE_LENGTH - 1] + "…"


def unit_of(column: Column) -> str:
    """The unit that the name of a number column ends in, in words; '' where it ends in none."""
    if column.category != "N":
        return ""
    pieces = [p for p in column.name.lower().replace("-", "_").split("_") if p]
    if len(pieces) < 2:
        return ""
    short = pieces[-1]
    if short in _IN_COMPANY:
        unit, before = _IN_COMPANY[short]
        return unit if before & set(pieces[:-1]) else ""
    return _UNITS.get(short, "")
