"""Conditions on what every week or every day has again: weekdays and times of the day.

Owns: how such a comparison is written in logical form. The grammar's `times_of_day` reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from askwire.planner.embedded.grammar.atoms import Comparison
from askwire.planner.embedded.logical_form.expressions import DAY_NUMBER
from askwire.planner.embedded.logical_form.ir import AnyOf, Compare, Condition, Literal, Term
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_OPPOSITE: Final = {"=": "<>", ">=": "<", "<=": ">", ">": "<=", "<": ">="}


def recurring(index: SchemaIndex, number: int, atom: Comparison, bounds: Sequence[str]) -> list[Condition]:
    """The conditions of such a comparison; none where the column tells no day, or no time of the day."""
    column = index.columns[number].column
    fits = column.type_name.startswith("timestamp") or (
        column.type_name == "date" if atom.unit == DAY_NUMBER else column.type_name.startswith("time")
    )
    if not fits:
        return []
    term = Term(number, unit=atom.unit)
    kind = "number" if atom.unit == DAY_NUMBER else "text"
    if atom.operator == "between":
        return _span(term, bounds[0], bounds[1], negated=atom.negated)
    operator = _OPPOSITE[atom.operator] if atom.negated else atom.operator
    return [Compare(term, operator, Literal(bounds[0], kind))]


def _span(term: Term, low: str, high: str, *, negated: bool) -> list[Condition]:
    """The times from one to the other; through midnight where the day ends between them."""
    if negated:
        low, high = high, low
    after, before = Compare(term, ">=", Literal(low, "text")), Compare(term, "<", Literal(high, "text"))
    return [after, before] if low < high else [AnyOf(((after,), (before,)))]
