"""Intermediate form → one phrase that says what the SQL answers.

Owns: the wording of readings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from askwire.planner.embedded.logical_form.expressions import SINCE
from askwire.planner.embedded.logical_form.ir import (
    EXISTS,
    Compare,
    Condition,
    Literal,
    Member,
    NullTest,
    Query,
    StatedCondition,
    Term,
    is_of_keys,
)
from askwire.planner.embedded.schema.schema_index import SchemaIndex, is_list
from askwire.sql.presentation.phrases import compared, empty, first_of, within

_OPERATORS = {
    "IS NOT": "is not",
    "HAS": "includes",
    "HAS NOT": "does not include",
    "ILIKE": "matches",
    "NOT ILIKE": "does not match",
}
_LIKE = frozenset({"ILIKE", "NOT ILIKE", "LIKE", "NOT LIKE"})
_TIMES = frozenset({"time", "text"})
_SIGNS = {"*": "×", "-": "−", "/": "÷"}
_AGGREGATES = {
    "avg": "average",
    "sum": "total",
    "max": "largest",
    "min": "smallest",
    "median": "median",
}
_OVER = {
    "avg": "average over all",
    "count": "number",
    "max": "largest",
    "median": "median",
    "min": "smallest",
}
_WINDOWS = {
    "whole": "{} in percent of the whole",
    "part": "{} as a share of the whole",
    "running": "running total of {}",
    "change": "change of {}",
    "growth": "growth of {} in percent",
}


def reading(index: SchemaIndex, query: Query) -> str:
    """One phrase, without a full stop: 'Top 5 products by total order_lines.amount'."""
    if query.each:
        along = tuple(t for t in query.group if t not in query.each)
        of_all = reading(index, query.with_(select=query.select[-1:], group=along, each=()))
        return f"{of_all}, for each {', '.join(_term(index, t) for t in query.select[:-1])}"
    lacking = _lacking(index, query)
    first = bool(query.order and query.limit is not None)
    having = any(isinstance(c, Member) and _related(index, c) for c in query.where)
    any_at_all = query.over == EXISTS
    subject = _subject(index, query, named=first or lacking or having or any_at_all)
    if any_at_all and query.star is not None:
        subject = index.tables[query.star].relation.name
    if query.distinct and not lacking:
        subject = f"distinct {subject}"
    shown = [t for t in query.group if t in query.select] or list(query.group)
    if query.group and not (first and set(shown) <= set(query.select)):
        subject += " per " + ", ".join(dict.fromkeys(_each(index, t) for t in shown))
    text = _first(index, query, subject) if first else subject
    related = [c for c in query.where if isinstance(c, Member) and _related(index, c)]
    text += "".join(f" {_of_table(index, c)}" for c in related if isinstance(c, Member))
    conditions = _conditions(index, [*(c for c in query.where if c not in related), *query.having])
    if lacking and query.combine:
        text += f" without any {_sources(index, query.combine[1], query)}"
        conditions += [f"that {c}" for c in _conditions(index, query.combine[1].where)]
    if conditions:
        text += " where " + " and ".join(conditions)
    if query.combine and not lacking:
        joint = {"INTERSECT": "and also", "EXCEPT": "but not", "UNION": "together with"}[query.combine[0]]
        inner = _conditions(index, query.combine[1].where)
        other = " where " + " and ".join(inner) if inner else f" {_subject(index, query.combine[1])}"
        text += f", {joint}{other}"
    if query.outer is not None:
        text += f", also of {index.tables[query.outer].relation.name} that have none"
    if query.order and not first:
        text += _ordered(index, query)
    if query.partition:
        text += ", for each " + ", ".join(_term(index, t) for t in query.partition)
    if query.places is not None:
        text += f", rounded to {query.places} decimals" if query.places else ", rounded to whole numbers"
    if query.spelled:
        text += ", codes spelled out"
    if any_at_all:
        return f"whether there are any {text}"
    if query.over:
        return f"{_OVER[query.over]} of: {text}"
    return text


def _subject(index: SchemaIndex, query: Query, *, named: bool = False) -> str:
    """What is shown; the name of a table for the columns that name its rows, where `named`."""
    if query.star is not None:
        return f"all of {index.tables[query.star].relation.name}"
    by = {t for t, _ in query.order} if query.limit is not None else set()
    terms = [t for t in query.select if t not in by] or list(query.select)
    plain = [t for t in terms if t == Term(t.column)]
    tables = {index.columns[t.column].table for t in plain if t.column is not None}
    if named and plain == terms and len(tables) == 1:
        (table,) = tables
        if tuple(t.column for t in plain) == index.labels[table] and index.tables[table].role is None:
            return index.tables[table].relation.name
    apart = query.group or query.distinct
    return ", ".join(_each(index, t) if apart else _term(index, t) for t in terms)


def _each(index: SchemaIndex, term: Term) -> str:
    """A term in words; of a column of lists, each element for itself."""
    text = _term(index, term)
    lists = term == Term(term.column) and term.column is not None and is_list(index.columns[term.column])
    return f"{text} (one by one)" if lists else text


def _first(index: SchemaIndex, query: Query, subject: str) -> str:
    """The first few of an order in words."""
    term, descending = query.order[0]
    column = None if term.column is None or term.aggregate == "count" else index.columns[term.column]
    kind = column.kind if column is not None and column.kind in {"time", "text"} else ""
    by = _term(index, term)
    place, many = query.offset + 1, query.limit or 1
    return first_of(many, subject, by, descending=descending, kind=kind, place=place)


def _ordered(index: SchemaIndex, query: Query) -> str:
    """The order of what is shown in full: ', largest first', ', by products.name', ', in order of time'."""
    term, descending = query.order[0]
    if term.unit == "weekday number" or (term.unit and term in query.group and not descending):
        return ", in order of time"
    measured = [t for t in query.select if t.aggregate] == [term]
    if descending:
        return ", largest first" if measured else f", by {_term(index, term)}, largest first"
    return f", by {_term(index, term)}"


def _lacking(index: SchemaIndex, query: Query) -> bool:
    """Whether a set operation takes away the rows that have something of another table."""
    if query.combine is None or query.combine[0] != "EXCEPT":
        return False
    other = query.combine[1]
    return other.select == query.select and bool(_sources(index, other, query)) and not other.having


def _sources(index: SchemaIndex, other: Query, query: Query) -> str:
    """The tables that a query reads beyond those of what it shows."""
    shown = {index.columns[c].table for t in query.select for c in t.columns()}
    return " with ".join(index.tables[t].relation.name for t in sorted(other.tables - shown))


def _related(index: SchemaIndex, member: Member) -> bool:
    """Whether the rows that a list of keys is of are told by their table alone."""
    select = member.query.select
    if len(select) != 1 or select[0].column is None or select[0].aggregate or member.query.having:
        return False
    table = index.columns[select[0].column].table
    return table != index.columns[member.column].table and member.query.limit is None


def _of_table(index: SchemaIndex, member: Member) -> str:
    """'without any orders', 'with orders (orders.placed is in 1997)'."""
    (term,) = member.query.select
    table = index.tables[index.columns[term.column or 0].table].relation.name
    # what a list of keys must not hold is no part of what is asked
    filled = {NullTest(term.column or 0, negated=True)}
    inner = _conditions(index, [c for c in member.query.where if c not in filled])
    said = f" ({' and '.join(inner)})" if inner else ""
    return f"{'without any' if member.negated else 'with'} {table}{said}"


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
    if term.rows_of is not None and not term.aggregate:
        return f"number of all {index.tables[term.rows_of].relation.name}"
    if term.rows_of is not None:
        counted = _term(index, replace(term, rows_of=None))
        return f"{counted} for each of {index.tables[term.rows_of].relation.name}"
    if is_of_keys(term):
        of, each = (index.tables[index.columns[c].table].relation.name for c in term.columns())
        return f"number of {of} for each of {each}"
    if term.aggregate == "ratio":
        part, against = (" and ".join(_condition(index, c) for c in cs) for cs in (term.part, term.against))
        if term.column is not None:
            return f"total {_column(index, term.column)} where {part} for each where {against}"
        return f"number of rows where {part} for each where {against}"
    if term.aggregate == "difference":
        part, against = (" and ".join(_conditions(index, cs)) for cs in (term.part, term.against))
        plain = replace(term, aggregate=term.each, part=(), against=(), each="", percent=False, falling=False)
        whole = _term(index, plain)
        if term.falling:
            return f"fall in percent of {whole} from that where {part} to that where {against}"
        if term.percent:
            return f"change in percent of {whole} where {part} from that where {against}"
        return f"{whole} where {part} less that where {against}"
    if term.aggregate == "share":
        part = " and ".join(_condition(index, c) for c in term.part)
        whole = "rows" if term.column is None else _term(index, replace(term, aggregate="sum", part=()))
        return f"{'percentage' if term.percent else 'share'} of {whole} where {part}"
    if term.part:
        such = " and ".join(_conditions(index, term.part))
        return f"{_term(index, replace(term, part=()))} where {such}"
    if term.column is None:
        return f"number of {index.tables[term.of].relation.name}" if term.of is not None else "number of rows"
    if term.column in index.measured:
        named = index.measured[term.column].name.replace("_", " ")
        other = "" if term.aggregate == index.measured[term.column].aggregate else term.aggregate
        each = (
            f"per {' '.join(index.tables[index.columns[term.per].table].words)}"
            if term.per is not None
            else ""
        )
        whole = f"{named} ({measure(index, term.column)})"
        return " ".join(filter(None, (_AGGREGATES.get(other, other), whole, each)))
    text = _column(index, term.column)
    if term.factor is not None:
        text = f"{text} {_SIGNS[term.operator]} {_column(index, term.factor)}"
    if term.unit and term.factor is not None:
        text += f" in {term.unit}s"
    elif term.unit == SINCE:
        many = f"{_AGGREGATES[term.aggregate]} {text}" if term.aggregate else text
        return f"days since {many}"
    elif " as " in term.unit:
        text += f" in {term.unit.split()[0]}s"
    elif term.unit:
        text = f"{term.unit} of {text}"
    if term.aggregate == "count":
        return f"number of {'different ' if term.distinct else ''}{text}"
    if term.per is not None:
        one = " ".join(index.tables[index.columns[term.per].table].words)
        return f"{_AGGREGATES[term.aggregate]} {text} per {one}"
    return f"{_AGGREGATES[term.aggregate]} {text}" if term.aggregate else text


def _conditions(index: SchemaIndex, conditions: Sequence[Condition]) -> list[str]:
    """Conditions in words; two bounds of one time as the span that they are."""
    said: list[str] = []
    rest = list(conditions)
    while rest:
        condition = rest.pop(0)
        span = ""
        for other in rest:
            span = _span(index, condition, other)
            if span:
                rest.remove(other)
                break
        said.append(span or _condition(index, condition))
    return said


def _span(index: SchemaIndex, low: Condition, high: Condition) -> str:
    """'orders.placed is in 1997' of its two bounds; '' of other conditions."""
    if not (isinstance(low, Compare) and isinstance(high, Compare)) or low.term != high.term:
        return ""
    first, last = low.right, high.right
    if low.operator != ">=" or not (isinstance(first, Literal) and isinstance(last, Literal)):
        return ""
    if high.operator not in {"<", "<="} or first.kind not in _TIMES or last.kind not in _TIMES:
        return ""
    said = within(first.value, last.value, inclusive=high.operator == "<=")
    return f"{_term(index, low.term)} is {said}" if said else ""


def _condition(index: SchemaIndex, condition: Condition) -> str:
    if isinstance(condition, Compare):
        return _comparison(index, condition)
    if isinstance(condition, Member):
        inner = reading(index, condition.query)
        return f"{_column(index, condition.column)} is {'not ' if condition.negated else ''}among ({inner})"
    if isinstance(condition, NullTest):
        return empty(_column(index, condition.column), negated=condition.negated)
    if isinstance(condition, StatedCondition):
        return "".join(_column(index, p) if isinstance(p, int) else p for p in condition.parts)
    return "(" + " or ".join(" and ".join(_conditions(index, p)) for p in condition.parts) + ")"


def _comparison(index: SchemaIndex, condition: Compare) -> str:
    left, operator, right = _term(index, condition.term), condition.operator, condition.right
    if isinstance(right, Literal):
        shown = right.value if right.kind in {"number", "reckoned"} else f"'{right.value}'"
        if right.kind == "ago":
            shown = f"{right.value}s ago"
        if operator in _LIKE and right.kind == "text":
            return f"{left} {_like(right.value, negated=operator.startswith('NOT'))}"
        moment = right.value if right.kind == "time" and not condition.term.unit else None
    else:
        moment = None
        shown = _term(index, right) if isinstance(right, Term) else _value(index, right)
    if operator in _OPERATORS:
        return f"{left} {_OPERATORS[operator]} {shown}"
    return compared(left, operator, shown, moment=moment)


def _value(index: SchemaIndex, query: Query) -> str:
    """The one value of a query: 'the largest film.length'."""
    text = "the " + ", ".join(_term(index, t) for t in query.select)
    if query.alike:
        text += " of the same " + " and ".join(_column(index, c) for c in query.alike)
    conditions = _conditions(index, query.where)
    return f"{text} where {' and '.join(conditions)}" if conditions else text


def _like(pattern: str, *, negated: bool) -> str:
    """A pattern of LIKE in words: 'contains', 'starts with', 'ends with'."""
    inner = pattern.strip("%")
    if "%" in inner or "_" in inner or not inner or pattern == inner:
        return f"{'does not match' if negated else 'matches'} '{pattern}'"
    open_start, open_end = pattern.startswith("%"), pattern.endswith("%")
    verb = "contain" if open_start and open_end else "end with" if open_start else "start with"
    head, _, tail = verb.partition(" ")
    said = f"does not {verb}" if negated else " ".join(filter(None, (f"{head}s", tail)))
    return f"{said} '{inner}'"
