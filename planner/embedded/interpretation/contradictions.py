"""Conditions against one another: which cannot hold of one row, and what a negation denies.

Owns: reading conditions and atoms, making none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from askwire.planner.embedded.grammar.atoms import (
    Atom,
    Comparison,
    Contains,
    FlagCondition,
    Frame,
    HintCondition,
    IsNull,
    IsValue,
)
from askwire.planner.embedded.logical_form.ir import (
    Compare,
    Condition,
    Literal,
    Member,
    NullTest,
    Query,
    StatedCondition,
    Term,
    columns_of,
)
from askwire.planner.embedded.schema.elements import FRACTIONS, ColumnEntry, different
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_ABOVE: Final = frozenset({">", ">="})
_BELOW: Final = frozenset({"<", "<="})


def contradiction(where: Sequence[Condition]) -> tuple[Condition, Condition] | None:
    """Two conditions that no row satisfies together, which one thing may still satisfy through two rows."""
    plain = [(c, c.right) for c in where if isinstance(c, Compare) and isinstance(c.right, Literal)]
    for at, (first, left) in enumerate(plain):
        for second, right in plain[at + 1 :]:
            if first.term != second.term:
                continue
            if first.operator == second.operator == "=" and left != right:
                return first, second
            above, below = (first, second) if first.operator in _ABOVE else (second, first)
            if left.kind != right.kind or above.operator not in _ABOVE or below.operator not in _BELOW:
                continue
            order = _order(left, right) * (1 if above is first else -1)
            if order > 0 or (order == 0 and {above.operator, below.operator} != {">=", "<="}):
                return first, second
    return None


def is_range(condition: Condition) -> bool:
    """Whether a condition is a bound on one side: above, or below."""
    return isinstance(condition, Compare) and condition.operator in _ABOVE | _BELOW


def holds_nothing(where: Sequence[Condition]) -> bool:
    """Whether a column is compared that is to be empty."""
    empty = {c.column for c in where if isinstance(c, NullTest) and not c.negated}
    return any(isinstance(c, Compare) and empty.intersection(c.term.columns()) for c in where)


def _order(left: Literal, right: Literal) -> int:
    """Below, at or above 0 as one literal comes before another; times are written as ISO 8601."""
    if left.kind == "number":
        low, high = float(left.value), float(right.value)
        return (low > high) - (low < high)
    return (left.value > right.value) - (left.value < right.value)


def shut_out(index: SchemaIndex, graph: JoinGraph, query: Query) -> bool:
    """Whether a query reads rows of which it wants none: customers and their orders, without any order.

    So it does where it puts together by its month what has no date.
    """
    empty = {c.column for c in query.where if isinstance(c, NullTest) and not c.negated}
    if any(term.unit and term.column in empty for term in query.group):
        return True
    denied = [c for c in query.where if isinstance(c, Member) and c.negated and not _restricted(c.query)]
    less = query.combine[1] if query.combine is not None and query.combine[0] == "EXCEPT" else None
    if not denied and less is None:
        return False
    read = {index.columns[c].table for c in columns_of(query)} | query.tables
    tree = graph.tree(sorted(read))
    read = read if tree is None else {*tree.tables}
    if less is not None and not (less.where or less.having or less.limit):
        # of those with such products, who has none at all
        taken = {index.columns[c].table for c in columns_of(less)} | less.tables
        if len(taken) > 1 and taken <= read:
            return True
    for condition in denied:
        table = index.columns[condition.column].table
        for term in condition.query.select:
            other = table if term.column is None else index.columns[term.column].table
            ways = sum(e.left == other and e.right == table for e in graph.neighbours(other))
            if other != table and other in read and ways == 1:
                return True
    return False


def counts_one(index: SchemaIndex, graph: JoinGraph, query: Query) -> bool:
    """Whether a query counts rows of which there cannot be two: departments for each department.

    So it is where rows are grouped by the key of a table, and no other table that is read has several rows
    for one of that. Aggregates of two queries have no rows in common either.
    """
    if query.combine is not None and query.combine[0] != "UNION" and all(t.aggregate for t in query.select):
        return True
    if not any(t.aggregate == "count" and t.column is None for t in query.select) or query.over:
        return False
    read = {index.columns[c].table for c in columns_of(query)} | query.tables
    counted = (*query.select, *(t for t, _ in query.order), *_compared(query.having))
    read |= {t.of for t in counted if t.of is not None}
    held = {t.column for t in query.group if not t.unit}
    return any(
        all(t == other or graph.to_one(t, other) for other in read)
        for t in read
        if (key := [c for c in index.tables[t].columns if index.columns[c].primary]) and held.issuperset(key)
    )


def _compared(conditions: Sequence[Condition]) -> list[Term]:
    return [c.term for c in conditions if isinstance(c, Compare)]


def _restricted(query: Query) -> bool:
    """Whether a query leaves rows out; `IS NOT NULL` leaves out none that an IN could find."""
    conditions = any(not (isinstance(c, NullTest) and c.negated) for c in query.where)
    return conditions or bool(query.having or query.combine or query.tables)


def affirmed(atom: Atom) -> Atom:
    """The atom without its 'not'."""
    if isinstance(atom, (Comparison, IsValue, Contains, IsNull, FlagCondition, HintCondition)):
        return replace(atom, negated=False)
    return atom


def columns_read(condition: Condition) -> Iterable[int]:
    """The columns that a condition restricts."""
    if isinstance(condition, Compare):
        yield from condition.term.columns()
    elif isinstance(condition, (Member, NullTest)):
        yield condition.column
    elif isinstance(condition, StatedCondition):
        yield from condition.columns()
    else:
        for part in condition.parts:
            for inner in part:
                yield from columns_read(inner)


def of_values(index: SchemaIndex, frame: Frame, query: Query) -> bool:
    """'which countries have no stadium …': whether what is denied is denied of all rows of a value."""
    if frame.sorts or frame.superlative or frame.groups or frame.limit is not None:
        return False
    if frame.entities or not frame.outputs or any(o.owner is not None for o in frame.outputs):
        return False
    for term in query.select:
        column = None if term.column is None else index.columns[term.column]
        if column is None or column.key or column.kind not in {"text", "enum"}:
            return False
        if column.index in index.labels[column.table] or column.column.distinct == -1.0:
            return False
    return True


_MIN_DISTINCT_SHARE: Final = 0.95
"""The share of different values from which on a column tells the rows of its table apart."""


def one_each(
    index: SchemaIndex,
    graph: JoinGraph,
    column: int,
    query: Query,
    entity: int | None,
    *,
    ranges: bool = False,
) -> bool:
    """Whether each thing that is shown has one value of a column, which is not an array of them.

    'the area of Chad and Mali': where a name tells the rows of its table apart, each has its own. Where
    `ranges` of it are asked for, it names no row: 'investors of firms above 500 and of firms below 200'.
    """
    entry = index.columns[column]
    if not ranges and (entity is None or entity == entry.table):
        rows = index.tables[entry.table].relation.estimated_rows
        apart = different(entry, rows) >= _MIN_DISTINCT_SHARE * rows > 0
        shown = {index.columns[t.column].table for t in query.select if t.column is not None}
        if apart and shown == {entry.table}:
            return True
    shown = rows_shown(index, graph, query, entity)
    return entry.kind != "array" and any(graph.to_one(t, entry.table) for t in shown)


def rows_shown(index: SchemaIndex, graph: JoinGraph, query: Query, entity: int | None) -> set[int]:
    """The tables of which each row is counted, or shown by its name or its measure.

    So they are in 'orders per month of customers in Rome and Oslo', 'gallons bought at Pilot and Speedco'.
    """
    counts = [t for t in query.select if t.aggregate == "count"]
    if counts:
        tables = {_counted_by(index, graph, t, entity if query.group else None) for t in counts}
        return {t for t in tables if t is not None}
    shown = [index.columns[t.column] for t in query.select if t.column is not None and not t.aggregate]
    return {c.table for c in shown if c.index in _naming(index, c.table) or _is_measure(c)}


def _naming(index: SchemaIndex, table: int) -> tuple[int, ...]:
    return (*index.labels[table], *index.tables[table].columns[:1])


def _is_measure(column: ColumnEntry) -> bool:
    """Whether a column holds amounts, which two rows share by chance alone."""
    return column.kind == "number" and not column.key and column.column.type_name.startswith(FRACTIONS)


def _counted_by(index: SchemaIndex, graph: JoinGraph, term: Term, rows: int | None) -> int | None:
    """The table whose rows a count counts, else `rows`; None where it counts the values of a column."""
    if term.column is None:
        return rows if term.of is None else term.of
    entry = index.columns[term.column]
    if entry.primary or not term.distinct:
        return entry.table
    keys = (e for e in graph.neighbours(entry.table) if e.left == entry.table and e.on[0][0] == term.column)
    return next((e.right for e in keys), None)
