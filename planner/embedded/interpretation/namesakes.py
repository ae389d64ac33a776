"""Who did one thing and who did another, told apart though they share a name.

Owns: set operations over names, by keys instead.
"""

from __future__ import annotations

from askwire.planner.embedded.logical_form.ir import Member, Query, Term
from askwire.planner.embedded.schema.schema_index import SchemaIndex


def takes_for_one(index: SchemaIndex, query: Query) -> bool:
    """Whether an INTERSECT compares by names of things that have a key, and several may have one name."""
    if query.combine is None or query.combine[0] != "INTERSECT":
        return False
    shown = [t.column for t in query.select if t.column is not None and not t.aggregate]
    named = {index.columns[c].table for c in shown if c in index.labels[index.columns[c].table]}
    keyed = any(index.tables[t].relation.primary_key for t in named)
    return keyed and not any(unique(index, c) for c in shown)


def unique(index: SchemaIndex, number: int) -> bool:
    """Whether no two rows have the same value of a column, as keys and statistics tell."""
    column = index.columns[number]
    single = len(index.tables[column.table].relation.primary_key) == 1
    return (column.primary and single) or column.column.distinct == -1.0


def both_of(index: SchemaIndex, query: Query) -> Query | None:
    """An INTERSECT over columns of one keyed table as that table's rows whose keys are among both.

    None for other queries.
    """
    if query.combine is None or query.combine[0] != "INTERSECT" or query.group or query.having:
        return None
    other = query.combine[1]
    shown = [t.column for t in query.select if t.column is not None and t == Term(t.column)]
    tables = {index.columns[c].table for c in shown}
    if len(shown) < len(query.select) or len(tables) != 1 or other.group or other.having:
        return None
    table = index.tables[tables.pop()]
    keys = [c for c in table.columns if index.columns[c].primary]
    if len(keys) != 1 or query.star is not None or not {*keys, *index.labels[table.index]} & {*shown}:
        return None  # 'citizenships shared by singers …' are of several singers
    # who plays a role is a row of the table all the same
    base = index.tables[table.role.target] if table.role is not None else table
    shift = table.columns[0] - base.columns[0]
    sides = (
        Member(keys[0] - shift, Query((Term(keys[0]),), where=side.where, tables=side.tables), negated=False)
        for side in (query, other)
    )
    select = tuple(Term(c - shift) for c in shown)
    return Query(select=select, where=tuple(sides), tables=frozenset({base.index}))
