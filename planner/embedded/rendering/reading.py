"""Intermediate form → one phrase that says what the SQL answers.

Owns: the wording of readings. Must not know: scores.
"""

from __future__ import annotations

from dataclasses import replace

from askwire.planner.embedded.logical_form.ir import (
    Compare,
    Condition,
    Literal,
    Member,
    Missing,
    Query,
    Stated,
    Term,
)
from askwire.planner.embedded.logical_form.reckoning import SINCE
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_OPERATORS = {
    "=": "is",
    "<>": "is not",
    ">": "is above",
    "<": "is below",
    ">=": "is at least",
    "<=": "is at most",
    "HAS": "holds",
    "HAS NOT": "does not hold",
    "ILIKE": "matches",
    "NOT ILIKE": "does not match",
}
_SIGNS = {"*": "×", "-": "−", "/": "÷"}
_AGGREGATES = {
    "avg": "average",
    "sum": "total",
    "max": "largest",
    "min": "smallest",
    "median": "median",
}
_WINDOWS = {
    "whole": "{} in percent of the whole",
    "part": "{} as a share of the whole",
    "running": "running total of {}",
    "change": "change of {}",
    "growth": "growth of {} in percent",
}


def reading(index: SchemaIndex, query: Query) -> str:
    """One phrase, without a full stop: 'customers.name, number of rows per customers.name, most first'."""
    if query.star is not None:
        text = f"all of {index.tables[query.star].relation.name}"
    else:
        text = ", ".join(_term(index, t) for t in query.select)
    if query.distinct:
        text = f"distinct {text}"
    shown = [t for t in query.group if t in query.select] or list(query.group)
    if query.group:
        text += " per " + ", ".join(_term(index, t) for t in shown)
    conditions = [_condition(index, c) for c in (*query.where, *query.having)]
    if conditions:
        text += " where " + " and ".join(conditions)
    if query.combine:
        joint = {"INTERSECT": "and also", "EXCEPT": "but not", "UNION": "together with"}[query.combine[0]]
        inner = [_condition(index, c) for c in query.combine[1].where]
        text += f", {joint} where " + " and ".join(inner or ["any"])
    if query.order:
        term, descending = query.order[0]
        many = f"the first {query.limit} " if query.limit is not None else ""
        many = f"number {query.offset + 1} " if query.offset else many
        text += f", {many}by {_term(index, term)}{', largest first' if descending else ''}"
    if query.partition:
        text += ", for each " + ", ".join(_term(index, t) for t in query.partition)
    if query.over:
        over = {"count": "number", "median": "median"}.get(query.over, "average over all")
        return f"{over} of: {text}"
    return text


def measure(index: SchemaIndex, number: int) -> str:
    """What a measure with a name is, its columns without their tables: `sum(quantity * unit_price)`."""
    whole = index.measured[number].whole
    return "".join(index.columns[p].column.name if isinstance(p, int) else p for p in whole)


def _column(index: SchemaIndex, number: int) -> str:
    column = index.columns[number]
    role = index.tables[column.table].role
    if role is not None and role.source == role.target:
        return f"{role.words[0]}.{column.column.name}"
    return f"{index.tables[column.table].relation.name}.{column.column.name}"


def _term(index: SchemaIndex, term: Term) -> str:
    if term.window:
        return _WINDOWS[term.window].format(_term(index, replace(term, window="")))
    if term.aggregate == "ratio":
        part, against = (" and ".join(_condition(index, c) for c in cs) for cs in (term.part, term.against))
        return f"number of rows where {part} for each where {against}"
    if term.aggregate == "share":
        part = " and ".join(_condition(index, c) for c in term.part)
        return f"{'percentage' if term.percent else 'share'} of rows where {part}"
    if term.column is None:
        return f"number of {index.tables[term.of].relation.name}" if term.of is not None else "number of rows"
    if term.column in index.measured:
        named = index.measured[term.column].name.replace("_", " ")
        other = "" if term.aggregate == index.measured[term.column].aggregate else term.aggregate
        return " ".join(
            filter(None, (_AGGREGATES.get(other, other), f"{named} ({measure(index, term.column)})"))
        )
    text = _column(index, term.column)
    if term.factor is not None:
        text = f"{text} {_SIGNS[term.operator]} {_column(index, term.factor)}"
    if term.unit and term.factor is not None:
        text += f" in {term.unit}s"
    elif term.unit == SINCE:
        many = f"{_AGGREGATES[term.aggregate]} {text}" if term.aggregate else text
        return f"days since {many}"
    elif term.unit:
        text = f"{term.unit} of {text}"
    if term.aggregate == "count":
        return f"number of {'different ' if term.distinct else ''}{text}"
    if term.per is not None:
        return f"{_AGGREGATES[term.aggregate]} {text} per {_column(index, term.per)}"
    return f"{_AGGREGATES[term.aggregate]} {text}" if term.aggregate else text


def _condition(index: SchemaIndex, condition: Condition) -> str:
    if isinstance(condition, Compare):
        left = _term(index, condition.term)
        right = condition.right
        if isinstance(right, Literal):
            shown = right.value if right.kind in {"number", "reckoned"} else f"'{right.value}'"
            if right.kind == "ago":
                shown = f"{right.value}s ago"
        elif isinstance(right, Term):
            shown = _term(index, right)
        else:
            shown = "the " + ", ".join(_term(index, t) for t in right.select)
        return f"{left} {_OPERATORS.get(condition.operator, condition.operator)} {shown}"
    if isinstance(condition, Member):
        inner = reading(index, condition.query)
        return f"{_column(index, condition.column)} is {'not ' if condition.negated else ''}among ({inner})"
    if isinstance(condition, Missing):
        return f"{_column(index, condition.column)} is {'known' if condition.negated else 'missing'}"
    if isinstance(condition, Stated):
        return "".join(_column(index, p) if isinstance(p, int) else p for p in condition.parts)
    return "(" + " or ".join(" and ".join(_condition(index, c) for c in p) for p in condition.parts) + ")"
