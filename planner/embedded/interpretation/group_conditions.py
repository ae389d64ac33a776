"""Conditions on how many there are: rows of a group, totals of one, elements that an array holds.

Owns: these conditions in the intermediate form; and, where the first of groups are asked for by how many rows
they have, leaving out rows without a value.
"""

from __future__ import annotations

from askwire.planner.embedded.grammar.atoms import Comparison, CountCondition
from askwire.planner.embedded.interpretation.operands import OPPOSITE, Operands, Unusable
from askwire.planner.embedded.linking.linker import Option
from askwire.planner.embedded.logical_form.expressions import ELEMENTS, JSON_ELEMENTS
from askwire.planner.embedded.logical_form.ir import (
    AnyOf,
    Compare,
    Condition,
    Literal,
    NullTest,
    Query,
    Term,
    condition_columns,
)
from askwire.planner.embedded.schema.schema_index import SchemaIndex, is_flag


def counted(
    index: SchemaIndex,
    option: Option | None,
    atom: CountCondition,
    tables: set[int],
    part: tuple[Condition, ...] = (),
) -> list[Condition]:
    """'with at least 2 M0': a condition on the group, of whose rows `tables` tell where they come from.

    With a percentage, on how many of them satisfy `part`. Raises Unusable where nothing can be counted.
    """
    if atom.percent:
        if option is None or not option.table or not part:
            raise Unusable
        read = {index.columns[c].table for condition in part for c in condition_columns(condition)}
        if read != {option.index}:
            raise Unusable
        tables.add(option.index)
        share = Term(aggregate="share", of=option.index, part=part, percent=True)
        plain = atom.percent.replace(".", "").isdigit()
        return [Compare(share, atom.operator, Literal(atom.percent, "number" if plain else "reckoned"))]
    term = Term(aggregate="count")
    if option is not None:
        table = option.index if option.table else index.columns[option.index].table
        tables.add(table)
        if not option.table and is_flag(index.columns[option.index]):
            raise Unusable  # of yes and no there are never more than two
        if not option.table and not index.columns[option.index].key:
            term = Term(option.index, "count", distinct=True)
        else:
            term = Term(aggregate="count", of=table)
    return compared(term, atom)


def compared(term: Term, atom: CountCondition) -> list[Condition]:
    """A number against what an atom says of it."""
    number = Literal(str(atom.number), "number")
    if atom.operator == "between":
        return [Compare(term, ">=", number), Compare(term, "<=", Literal(str(atom.high), "number"))]
    return [Compare(term, atom.operator, number)]


def aggregate_of(index: SchemaIndex, option: Option | None, atom: Comparison) -> str:
    """The aggregate that a comparison is of: its own, or that which a measure people name stands for."""
    if atom.aggregate or option is None or option.table or option.index not in index.measured:
        return atom.aggregate
    return index.measured[option.index].aggregate


def grouped(
    index: SchemaIndex, option: Option | None, atom: Comparison, operands: Operands
) -> list[Condition]:
    """'whose average M0 is above 5': conditions on an aggregate of the group, in the unit of the column.

    Raises Unusable where it has none.
    """
    bounds = [o for o in (atom.operand, atom.high) if o is not None]
    if option is None or option.table or any(o.kind != "N" for o in bounds):
        raise Unusable
    if option.factor is None or option.operator != "/":
        numbers = [operands.in_its_unit(o, option.index) for o in bounds]
    else:
        numbers = [operands.text(o) for o in bounds]
    term = Term(
        option.index, aggregate_of(index, option, atom), factor=option.factor, operator=option.operator
    )
    literals = [Literal(n, "number") for n in numbers]
    if atom.operator != "between":
        operator = OPPOSITE[atom.operator] if atom.negated else atom.operator
        return [Compare(term, operator, literals[0])]
    low, high = literals[0], literals[-1]
    if atom.negated:
        return [AnyOf(((Compare(term, "<", low),), (Compare(term, ">", high),)))]
    return [Compare(term, ">=", low), Compare(term, "<=", high)]


def elements(index: SchemaIndex, option: Option | None) -> Term | None:
    """How many an array of the row itself holds, None of what is no array."""
    if option is None or option.table:
        return None
    if index.columns[option.index].kind != "array" and not index.columns[option.index].between:
        return None
    within = index.columns[option.index].column.within
    return Term(option.index, unit=JSON_ELEMENTS if within else ELEMENTS)


def of_known_groups(index: SchemaIndex, query: Query) -> Query:
    """The query without the group of rows that have no value; the same where that group cannot be first.

    'Which director has the most titles' is not answered by NULL.
    """
    counted = any(term.aggregate == "count" for term, _ in query.order)
    if not counted or not query.group or query.limit is None or query.partition:
        return query
    columns = [term.column for term in query.group if term.column is not None]
    if any(index.columns[column].primary for column in columns):
        return query
    unknown = (NullTest(c, negated=True) for c in columns if index.columns[c].column.null_share > 0)
    kept = [condition for condition in unknown if condition not in query.where]
    return query.with_(where=(*query.where, *kept)) if kept else query
