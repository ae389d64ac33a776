"""Mentions of what a number with a unit measures.

Owns: which columns a unit and an adjective may speak of ('longer than 12 metres', 'over 30 minutes').
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from askwire.language.lexicon import ATTRIBUTES
from askwire.planner.embedded.grammar.encode import EncodedQuestion
from askwire.planner.embedded.linking import implicit_columns, units
from askwire.planner.embedded.linking.linker import MAX_OPTIONS, Linker, Mention, Option
from askwire.planner.embedded.logical_form.ir import AnyOf, Compare, Condition, Literal, Query
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_CONVERTED: Final = frozenset({"length", "mass", "time", "speed"})
"""Kinds of units between which values are converted."""
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?")
UNNAMED_SHARE: Final = 0.7
"""What a column keeps that holds the unit, where the adjective speaks of others by name."""
SILENT_WORD_SHARE: Final = 0.9
"""What a column keeps for a word of its name that is not said: 'rental' of the duration of rentals."""
MIN_COLUMN_SCORE: Final = 0.5
"""The least score at which a mention may name a column of the unit."""


def in_unit(linker: Linker, encoded: EncodedQuestion, number: int, adjective: str) -> Mention:
    """A mention of the columns that hold what the number's unit measures, as the adjective says if any."""
    unit = encoded.measured[number]
    meant = implicit_columns.attribute(linker, ATTRIBUTES[adjective][0]) if adjective in ATTRIBUTES else None
    named = {o.index: o.score for o in meant.options} if meant is not None else {}
    spoken = {token.lemma for token in encoded.tokens}
    options = []
    for score, column in units.there(linker.index, unit):
        fit = score * (1.0 if not named else UNNAMED_SHARE + (1.0 - UNNAMED_SHARE) * named.get(column, 0.0))
        words = linker.index.columns[column].words
        silent = sum(not units.measures(word) and word not in spoken for word in words)
        options.append(Option(False, column, fit * SILENT_WORD_SHARE ** min(silent, 2)))
    options.sort(key=lambda o: (-o.score, o.index))
    return Mention(-1, -1, tuple(options[: 2 * MAX_OPTIONS]), (unit.name,))


def held_in(linker: Linker, name: str) -> Mention:
    """A mention of the columns that hold numbers of just a unit: 'square foot', 'kilometre'."""
    unit = units.called(name)
    if unit is None:
        return Mention(-1, -1, (), (name,))
    columns = (linker.index.columns[c] for _, c in units.there(linker.index, unit))
    kept = [c for c in columns if (held := units.holding(c).unit) is not None and held.size == unit.size]
    return Mention(
        -1, -1, tuple(Option(False, c.index, units.KNOWN_UNIT_SCORE) for c in kept[:MAX_OPTIONS]), (name,)
    )


def fits(index: SchemaIndex, encoded: EncodedQuestion, mention: int, number: int) -> bool:
    """Whether a mention may name a column that holds what has the number's unit."""
    unit = encoded.measured.get(number)
    if unit is None:
        return True
    columns = [(o.score, index.columns[o.index]) for o in encoded.mentions[mention].options if not o.table]
    return any(
        s >= MIN_COLUMN_SCORE and c.kind == "number" and not units.contradicts(c, unit) for s, c in columns
    )


def told(index: SchemaIndex, encoded: EncodedQuestion, query: Query) -> Iterator[tuple[int, int, str]]:
    """The numbers that columns hold in another unit than the question says: (first token, end, as held)."""
    compared = [
        (index.columns[c.term.column], c.right.value)
        for c in _comparisons((*query.where, *query.having, *_parts(query)))
        if c.term.column is not None and isinstance(c.right, Literal)
    ]
    for number, token in enumerate(encoded.numbers):
        unit = encoded.measured.get(number)
        held = (
            (value, units.unit_of(column, token.lemma, unit))
            for column, value in compared
            if value != token.lemma and units.converted(column, token.lemma, unit) == value
        )
        value, into = next(held, ("", None))
        places = {(t.start, t.text): at for at, t in enumerate(encoded.tokens)}
        start = places.get((token.start, token.text))  # of two in one, that of the first
        if into is not None and start is not None:
            end = start + 1
            while end in encoded.unit_words:
                end += 1
            yield start, end, f"{value} {into.name}"


def unproven(index: SchemaIndex, encoded: EncodedQuestion, query: Query) -> bool:
    """Whether a number with a unit is compared with a column of no known unit, and no value bears it out.

    'trips over 30 minutes' of a duration in who knows what: where all known values are greater, it is none
    in minutes.
    """
    said = {
        token.lemma: unit.name
        for number, token in enumerate(encoded.numbers)
        if (unit := encoded.measured.get(number)) is not None and unit.kind in _CONVERTED
    }
    for condition in _comparisons((*query.where, *query.having, *_parts(query))):
        column = None if condition.term.column is None else index.columns[condition.term.column]
        if column is None or condition.term.unit or not isinstance(condition.right, Literal):
            continue
        if column.kind == "number" and condition.right.value in said and not units.holding(column).unit:
            values = [float(v) for v in column.column.common_values if _NUMBER.fullmatch(v)]
            bound = float(condition.right.value)
            if not (any(v < bound for v in values) and any(v > bound for v in values)):
                return True
    return False


def _parts(query: Query) -> list[Condition]:
    """The conditions by which what is shown is a part of a whole."""
    return [c for t in query.select for c in (*t.part, *t.against)]


def _comparisons(conditions: Sequence[Condition]) -> Iterator[Compare]:
    for condition in conditions:
        if isinstance(condition, Compare):
            yield condition
        elif isinstance(condition, AnyOf):
            for part in condition.parts:
                yield from _comparisons(part)
