"""Which of the numbers shown have a fraction to round, where a question says to how many digits."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from askwire.planner.embedded.logical_form.ir import Query, Term, is_of_keys
from askwire.planner.embedded.schema.elements import FRACTIONS
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_CALL: Final = re.compile(r"\w+\([^()]*\)")
_MEANS: Final = frozenset({"avg", "median"})


def rounded(index: SchemaIndex, term: Term, text: str, query: Query) -> str:
    """The SQL of a term of the select list, rounded where the query says so and it has a fraction.

    What is sorted by as it is shown stays whole, as PostgreSQL asks of DISTINCT and set operations.
    """
    if query.places is None or query.distinct or query.combine or not _has_fraction(index, term):
        return text
    return to_places(text, query.places)


def to_places(text: str, places: int) -> str:
    """A number of any type, rounded."""
    number = text if _CALL.fullmatch(text) else f"({text})"
    return f"round({number}::numeric{f', {places}' if places else ''})"


def _has_fraction(index: SchemaIndex, term: Term) -> bool:
    if term.window or term.rows_of is not None or term.aggregate in {"share", "ratio"} or is_of_keys(term):
        return True
    if term.column is None or term.aggregate == "count":
        return False
    if term.aggregate == "difference":
        return term.percent or _has_fraction(index, replace(term, aggregate=term.each))
    if term.column in index.measured:
        return True
    entry = index.columns[term.column]
    if term.per is not None or (term.factor is not None and term.operator == "/"):
        return True
    if term.factor is not None and entry.kind == "time":
        return bool(term.unit) and (term.unit != "day" or term.aggregate in _MEANS)
    if entry.kind != "number" and not entry.cast:
        return False
    kept = entry.column.type_name.startswith(FRACTIONS) or entry.cast
    return term.aggregate in _MEANS or (kept and not term.unit)
