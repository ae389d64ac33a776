"""How old something is, as conditions on the time from which it is.

Owns: 'older than two years' and 'between 18 and 30' against a date of birth, the year something was built, or
an age.
"""

from __future__ import annotations

from typing import Final

from askwire.planner.embedded.logical_form.expressions import AGE
from askwire.planner.embedded.logical_form.ir import AnyOf, Compare, Condition, Literal, Term
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex

BORN: Final = frozenset({"birth", "birthday", "born", "founded", "built", "established"})
"""Words of the times from which people and buildings count their years."""
_BEFORE: Final = {">": "<", ">=": "<=", "<": ">", "<=": ">="}


def since_birth(column: ColumnEntry) -> bool:
    """Whether a column holds the time from which something counts its years."""
    return column.kind == "time" and bool(BORN & set(column.full))


def aged(
    index: SchemaIndex, number: int, operator: str, bounds: tuple[str, ...], unit: str, *, negated: bool
) -> list[Condition] | None:
    """That what a column tells the age of is so old, by one bound or, for 'between', two; None if it cannot.

    `unit` is 'age' where the question says a number alone: that means years, of what is born or built.
    """
    column = index.columns[number]
    if not all(b.replace(".", "", 1).isdigit() for b in bounds):
        return None
    year = unit in {AGE, "year"}
    if column.kind == "number":
        if not year:
            return None
        if "year" in column.full:  # the year since which it is
            literals = [Literal(f"extract(year FROM current_date)::int - {b}", "reckoned") for b in bounds]
            turned = [Compare(Term(number), _BEFORE.get(o, o), v) for o, v in _sides(operator, literals)]
            return _all(turned, negated=negated)
        literals = [Literal(b, "number") for b in bounds]
        return _all([Compare(Term(number), o, v) for o, v in _sides(operator, literals)], negated=negated)
    if column.kind != "time" or (unit == AGE and not since_birth(column)):
        return None
    exactly = operator in {"between", "=", "<>"}
    if exactly and not year:
        return None
    if exactly or (year and since_birth(column) and bounds[0].isdigit()):
        # completed years: one is 65 until the day on which one is 66
        term = Term(number, unit=AGE)
        literals = [Literal(b, "number") for b in bounds]
        return _all([Compare(term, o, v) for o, v in _sides(operator, literals)], negated=negated)
    moment = Literal(f"{bounds[0]} {'year' if unit == AGE else unit}", "ago")
    return _all([Compare(Term(number), _BEFORE[operator], moment)], negated=negated)


def _sides(operator: str, literals: list[Literal]) -> list[tuple[str, Literal]]:
    if operator == "between":
        return [(">=", literals[0]), ("<=", literals[-1])]
    return [(operator, literals[0])]


_OPPOSITE: Final = {"=": "<>", "<>": "=", ">": "<=", ">=": "<", "<": ">=", "<=": ">"}


def _all(conditions: list[Compare], *, negated: bool) -> list[Condition]:
    """The conditions, or what is so where not all of them hold."""
    if not negated:
        return list(conditions)
    denied = [Compare(c.term, _OPPOSITE[c.operator], c.right) for c in conditions]
    return list(denied) if len(denied) == 1 else [AnyOf(tuple((c,) for c in denied))]
