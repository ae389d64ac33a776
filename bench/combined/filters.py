"""What narrows the records of a question: adjectives, values, measures, parents' conditions and times.

Owns: the filters of a record, each with its words and its SQL.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from askwire.bench.combined.records import Category, Measure, Parent, Record, Time
from askwire.bench.combined.voices import Kind

_ORDINALS: Final = ("", "first", "second", "third", "fourth")


@dataclass(frozen=True, slots=True)
class Filter:
    """One condition: a word before the noun (`adjective`) or a phrase behind it, also first where it `leads`.

    Filters about the same thing are not combined, nor one that is `untimed` with a time.
    """

    kind: str
    about: Category | Measure | Parent | Time
    where: str
    phrase: str
    adjective: bool = False
    leads: bool = False
    untimed: bool = False


def filters(record: Record, kinds: Sequence[Kind], chance: Random) -> list[Filter]:
    """The filters that a record takes; `chance` chooses months and quarters."""
    times = [(record.time, _dates(record.time, chance))]
    values = [(one, names) for one in record.categories for names in _values(one)]
    bounds = [(one, _bounds(one)) for one in record.measures]
    things: dict[str, Sequence[tuple[Category | Measure | Time, dict[str, Any]]]]
    things = {"time": times, "category": values, "measure": bounds}
    found = [
        one for kind in kinds for about, names in things[kind.about] for one in _filled(kind, about, names)
    ]
    for parent in record.parents:
        name = "parent" if len(parent.joins) == 1 else "grandparent"
        found.extend(Filter(name, parent, where, phrase) for phrase, where in parent.conditions)
    return found


def _filled(kind: Kind, about: Category | Measure | Time, names: Mapping[str, Any]) -> Iterator[Filter]:
    """The filters of one kind about one thing: one for each phrase that it takes."""
    if kind.adjective and not (isinstance(about, Category) and about.adjective):
        return
    where = kind.where.format_map(names)
    untimed = isinstance(about, Category) and about.has_own_time
    for phrase in kind.phrases:
        leads = isinstance(about, Time) and "{dated}" not in phrase
        if leads and isinstance(about, Time) and not about.bare:
            continue
        own = next((name for name in ("phrase", "either", "denied") if f"{{{name}}}" in phrase), None)
        for words in names[own] if own else [""]:
            text = phrase.format_map({**names, own: words} if own else names)
            yield Filter(kind.name, about, where, text, kind.adjective, leads, untimed)


def _values(category: Category) -> Iterator[dict[str, Any]]:
    """Placeholders for each value with the next one; a category's own phrases as lists."""
    for value, other in category.pairs:
        yield {
            "column": category.sql,
            "noun": category.noun,
            "value": value,
            "code": category.values[value],
            "other_code": category.values[other],
            "phrase": [phrase.format(value) for phrase in category.phrases],
            "either": [phrase.format(f"{value} or {other}") for phrase in category.phrases],
            "denied": [phrase.format(value) for phrase in category.denied],
        }


def _bounds(measure: Measure) -> dict[str, Any]:
    return {
        "column": f"t.{measure.column}",
        "noun": measure.noun,
        "a": "an" if measure.noun[0] in "aeio" else "a",
        "bound": measure.bound,
        "double": 2 * measure.bound,
    }


def _dates(time: Time, chance: Random) -> dict[str, Any]:
    year, month, quarter = time.year, chance.randint(2, 11), chance.randint(1, 4)
    ends = [f"{year}-01-01", f"{year}-04-01", f"{year}-07-01", f"{year}-10-01", f"{year + 1}-01-01"]
    return {
        "column": f"t.{time.column}",
        "dated": time.dated,
        "year": year,
        "next_year": year + 1,
        "last_year": year - 1,
        "quarter": quarter,
        "ordinal": _ORDINALS[quarter],
        "quarter_start": ends[quarter - 1],
        "quarter_end": ends[quarter],
        "month": calendar.month_name[month],
        "month_start": f"{year}-{month:02}-01",
        "month_end": f"{year}-{month + 1:02}-01",
        "month_before": calendar.month_name[month - 1],
        "month_before_start": f"{year}-{month - 1:02}-01",
    }
