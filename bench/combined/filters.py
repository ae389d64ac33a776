"""What narrows the records of a question: adjectives, values, measures, parents' conditions and times.

Owns: the filters of a record, each with its words and its SQL.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from askwire.bench.combined.records import Category, Measure, Parent, Record, Time


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


def filters(record: Record, chance: Random) -> list[Filter]:
    """The filters that a record takes; `chance` chooses months and quarters."""
    found = list(_times(record.time, chance))
    for category in record.categories:
        found.extend(_values(category))
    for measure in record.measures:
        found.extend(_bounds(measure))
    for parent in record.parents:
        kind = "parent" if len(parent.joins) == 1 else "grandparent"
        found.extend(Filter(kind, parent, where, phrase) for phrase, where in parent.conditions)
    return found


def _values(category: Category) -> Iterator[Filter]:
    untimed = category.has_own_time
    for value, other in zip(category.values, [*category.values[1:], category.values[0]], strict=True):
        where = f"{category.column} = '{value}'"
        either = f"{category.column} IN ('{value}', '{other}')"
        if category.adjective:
            yield Filter("adjective", category, where, value, adjective=True, untimed=untimed)
        for phrase in category.phrases:
            yield Filter("value", category, where, phrase.format(value), untimed=untimed)
            yield Filter("either", category, either, phrase.format(f"{value} or {other}"), untimed=untimed)
        no = f"with a {category.noun} other than {value}"
        yield Filter("other", category, f"{category.column} <> '{value}'", no, untimed=untimed)


def _bounds(measure: Measure) -> Iterator[Filter]:
    noun, bound, column = measure.noun, measure.bound, f"t.{measure.column}"
    article = "an" if noun[0] in "aeiou" else "a"
    yield Filter("above", measure, f"{column} > {bound}", f"with {article} {noun} above {bound}")
    yield Filter("above", measure, f"{column} > {bound}", f"whose {noun} is more than {bound}")
    yield Filter("below", measure, f"{column} < {bound}", f"with {article} {noun} below {bound}")
    between = f"{column} BETWEEN {bound} AND {2 * bound}"
    yield Filter("between", measure, between, f"with {article} {noun} between {bound} and {2 * bound}")


def _times(time: Time, chance: Random) -> Iterator[Filter]:
    year, month, quarter = time.year, chance.randint(2, 11), chance.randint(1, 4)
    name, before = calendar.month_name[month], calendar.month_name[month - 1]
    first, after = f"{year}-{month:02}-01", f"{year}-{month + 1:02}-01"
    ends = [f"{year}-01-01", f"{year}-04-01", f"{year}-07-01", f"{year}-10-01", f"{year + 1}-01-01"]
    for kind, words, start, end in (
        ("year", f"in {year}", ends[0], ends[4]),
        ("quarter", f"in Q{quarter} {year}", ends[quarter - 1], ends[quarter]),
        ("half", f"in the first half of {year}", ends[0], ends[2]),
        ("month", f"in {name} {year}", first, after),
        ("months", f"between {before} and {name} {year}", f"{year}-{month - 1:02}-01", after),
        ("since", f"since {name} {year}", first, ""),
        ("until", f"before {name} {year}", "", first),
    ):
        bounds = [f"t.{time.column} {sign} DATE '{day}'" for sign, day in ((">=", start), ("<", end)) if day]
        for phrase in (words, f"{time.dated} {words}"):
            yield Filter(kind, time, " AND ".join(bounds), phrase, leads=phrase == words)
