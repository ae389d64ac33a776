"""What a mention may be, for the rules.

Owns: the kinds, and which of them a mention is of in one schema.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.lexicon import ENDS, HELD, IRREGULAR_VERBS, NOT_ADDED, PERCENT_WORDS
from askwire.language.text import PARTICIPLE, listed, singular
from askwire.planner.embedded.grammar import implicit_entities
from askwire.planner.embedded.linking.linker import Mention
from askwire.planner.embedded.linking.units import holding
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex, is_flag
from askwire.planner.embedded.schema.somebody import is_person

KINDS: Final = {
    "table": "may name a table",
    "table!": "rather names a table than a column",
    "named": "is what a table is called, and nothing is called so more exactly",
    "nameless": "rather names a table whose rows have numbers and codes, and no names",
    "person": "may name a table of people",
    "column": "may name a column",
    "column!": "rather names a column than a table",
    "key": "may name a key",
    "numeric": "may name a column of numbers that is no key",
    "numeric!": "most likely names such a column",
    "percent": "may name a column of percentages",
    "time": "may name a column of times or years",
    "moment": "may name the time at which something was done, if it was ('shipped')",
    "happening": "names what was done when a time was kept, and no table ('admissions', of `adm_dt`)",
    "flag": "may name a column that says yes or no",
    "optional": "may name a column that can be empty",
    "averaged": "names a column of numbers that are averages by its name ('average salary')",
    "extent": "names a column that says how many or how much there is: employees, seats, a weight in kg",
    "rated": "names a column of numbers that do not add up, by its name ('life expectancy')",
    "held": "names an amount that something has all along ('salary', 'stock'), by name or unit",
    "summed": "names a column of numbers that are totals by its name",
}
"""Every kind, and what it says of a mention."""
_TIMES: Final = frozenset(
    {"year", "date", "founded", "established", "built", "opened", "constructed", "completed", "launched"}
)
"""Words in the name of a column that holds when something was, as a number even: a year."""
_OF_TIME: Final = frozenset(
    listed("date time day week month quarter year hour moment stamp period start end")
)
_MANY: Final = frozenset(listed("count number quantity population area headcount"))
_NO_EXTENTS: Final = frozenset({"part", "warmth", "money"})
_BULK: Final = frozenset({"mass", "area", "volume"})
_LASTING: Final = frozenset(listed("duration length runtime time delay"))
_LAST_WORD: Final = re.compile(r"[A-Z]?[a-z]+$")
MIN_TABLE_SCORE: Final = 0.5
MIN_COLUMN_SCORE: Final = 0.5
MIN_TIME_SCORE: Final = 0.55
MIN_NEAREST_SCORE: Final = 0.6
"""The least score at which the best column tells whether a mention is a flag, a moment, or optional."""
MIN_SURE_SCORE: Final = 0.7
KEY_SHARE: Final = 0.8
"""What a key counts against a table that is called alike."""


def kinds_of(index: SchemaIndex, mention: Mention) -> frozenset[str]:
    """The kinds of a mention."""
    tables = [o.score for o in mention.options if o.table and not o.label]
    columns = [(o.score, index.columns[o.index]) for o in mention.options if not o.table]
    free = [s for s, c in columns if not c.key]
    found = {"column"} if any(o.label for o in mention.options) else set()
    state = len(mention.words) == 1 and mention.words[0] in ENDS  # who is active is no activity
    unlike_table = state or not (tables and tables[0] >= MIN_SURE_SCORE)
    if tables and tables[0] >= MIN_TABLE_SCORE:
        found.add("table")
        first = next(o for o in mention.options if o.table and not o.label)
        if is_person(index, first.index):
            found.add("person")
        labels = [index.columns[c] for c in index.labels[first.index]]
        if all(c.key or c.kind != "text" for c in labels):
            found.add("nameless")
    if mention.options and implicit_entities.outright(mention):
        found.add("named")
    if (free and free[0] >= MIN_COLUMN_SCORE) or (
        columns and columns[0][0] >= MIN_COLUMN_SCORE and unlike_table
    ):
        found.add("column")
    nearest = columns[0][1] if columns and columns[0][0] >= MIN_NEAREST_SCORE else None
    done = PARTICIPLE.fullmatch(mention.words[-1]) is not None
    if nearest is not None and unlike_table:
        if is_flag(nearest):
            found.add("flag")
        if nearest.kind == "time" and nearest.column.optional and done:
            found.add("moment")
    if done and any(s >= MIN_SURE_SCORE and c.kind == "time" and c.column.optional for s, c in columns):
        found.add("moment")
    if any(_is_time(c) for s, c in columns if s >= MIN_TIME_SCORE):
        found.add("time")
    if unlike_table and not done and _is_happening(index, mention):
        found.add("happening")
    if nearest is not None and nearest.column.optional:
        found.add("optional")
    if any(c.key for _, c in columns):
        found.add("key")
    measured = [s for s, c in columns if c.kind == "number" and not c.key and s >= MIN_TIME_SCORE]
    if measured:
        found.add("numeric")
    if any(s >= MIN_SURE_SCORE and c.kind == "number" and PERCENT_WORDS & {*c.full} for s, c in columns[:2]):
        found.add("percent")
    if measured and measured[0] >= columns[0][0] - 0.15:
        found.add("numeric!")
    if mention.options and not mention.options[0].table:
        called = index.columns[mention.options[0].index]
        if called.kind == "number" and {"average", "mean"} & set(called.full):
            found.add("averaged")
        part = len(called.full) > 1 and called.full[-1] in PERCENT_WORDS  # a revenue share, but no shares
        added = not (part or NOT_ADDED & set(called.full)) or "total" in called.full
        if called.kind == "number" and not added:
            found.add("rated")
        if called.kind == "number" and (HELD & set(called.full) or _is_trait(index, called)):
            found.add("held")
        if "numeric" in found and _is_extent(called):
            found.add("extent")
        if called.kind == "number" and "total" in called.full:
            found.add("summed")
    best_table = tables[0] if tables else 0.0
    best_column = free[0] if free else columns[0][0] * KEY_SHARE if columns else 0.0
    if best_table > best_column + 0.05:
        found.add("table!")
    elif best_column > best_table:
        found.add("column!")
    return frozenset(found)


def _is_time(column: ColumnEntry) -> bool:
    """Whether a column says when something was: by its kind, its name, or as `took_office` with years."""
    verb = column.full[0]
    done = len(column.full) > 1 and (verb in IRREGULAR_VERBS or PARTICIPLE.fullmatch(verb) is not None)
    years = done and column.column.category == "S" and column.column.numeric
    return column.kind == "time" or bool(_TIMES & {*column.full}) or years


def _is_happening(index: SchemaIndex, mention: Mention) -> bool:
    """Whether one word names before all else a column of times, and is none for a time."""
    if len(mention.words) != 1 or mention.words[0] in _OF_TIME or mention.words[0] in ENDS:
        return False
    best = mention.options[0] if mention.options else None
    return (
        best is not None
        and not best.table
        and best.score >= MIN_SURE_SCORE
        and index.columns[best.index].kind == "time"
    )


def _is_trait(index: SchemaIndex, column: ColumnEntry) -> bool:
    """Whether a column says how long or how large a thing with a name is: the length of a film."""
    labels = (index.columns[c] for c in index.labels[column.table])
    if not any(c.kind == "text" and not c.key for c in labels):
        return False
    unit = holding(column).unit
    return bool(_LASTING & {*column.full}) or (unit is not None and unit.kind != "money")


def _is_extent(column: ColumnEntry) -> bool:
    """Whether a column counts things (`employees`, `seat_cnt`), or holds an amount of some unit."""
    last = _LAST_WORD.search(column.column.name)
    many = last is not None and singular(last.group().lower()) != last.group().lower()
    if _TIMES & {*column.full}:
        return False
    held = holding(column)
    if held.unit is not None and held.unit.kind in {"time", "months"}:
        return many or bool(_LASTING & {*column.full})  # an hour of the day is no number of hours
    if held.unit is not None and held.unit.kind not in _NO_EXTENTS:
        return True
    return many or bool(_MANY & {*column.full} or _BULK & {*held.kinds})
