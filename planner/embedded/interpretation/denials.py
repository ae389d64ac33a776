"""What is denied of rows that have no value: empty keys, and columns that are not known.

Owns: which rows a denial leaves out that are meant, and what the notice says of the others.

A key that is empty leads to nothing: a product without a supplier is not from supplier X, and an order
without an employee has none. A column that is empty is not known: customers whose state is unknown are left
out of 'customers not from California', as SQL does, and that is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from askwire.planner.embedded.interpretation.contradictions import columns_read
from askwire.planner.embedded.logical_form.ir import (
    AnyOf,
    Compare,
    Condition,
    Literal,
    Member,
    NullTest,
    Query,
    Term,
    columns_of,
)
from askwire.planner.embedded.schema.joins import Edge, JoinGraph
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_AFFIRMED = {"<>": "=", "NOT ILIKE": "ILIKE", "HAS NOT": "HAS"}


def with_empty_keys(index: SchemaIndex, graph: JoinGraph, query: Query) -> Query:
    """The query with the rows whose keys are empty where what they lead to is denied.

    products JOIN suppliers WHERE suppliers.name <> 'X'
    → WHERE supplier_id NOT IN (SELECT id FROM suppliers WHERE name = 'X') OR supplier_id IS NULL
    orders WHERE employee_id NOT IN (SELECT id FROM employees) → WHERE employee_id IS NULL
    """
    query = query.with_(select=tuple(_of_parts(index, term) for term in query.select))
    if not any(map(_denies, query.where)):
        return query
    where: list[Condition] = []
    dropped: set[int] = set()
    for condition in query.where:
        if isinstance(condition, Member) and condition.negated:
            where.append(_or_empty(index, condition))
            continue
        edge = _key_to(index, graph, query, condition) if isinstance(condition, Compare) else None
        if edge is None or not isinstance(condition, Compare):
            where.append(condition)
            continue
        dropped.add(edge.right)
        held = replace(condition, operator=_AFFIRMED[condition.operator])
        mine, theirs = edge.on[0]
        where.append(_or_empty(index, Member(mine, Query(select=(Term(theirs),), where=(held,)), True)))
    return query.with_(where=tuple(where), tables=query.tables - dropped)


def _of_parts(index: SchemaIndex, term: Term) -> Term:
    """A share or a difference of rows whose keys may be empty."""

    def filled(part: tuple[Condition, ...]) -> tuple[Condition, ...]:
        return tuple(_or_empty(index, c) if isinstance(c, Member) and c.negated else c for c in part)

    parts = filled(term.part), filled(term.against)
    return term if parts == (term.part, term.against) else replace(term, part=parts[0], against=parts[1])


def may_lack(index: SchemaIndex, graph: JoinGraph, entity: int, table: int) -> bool:
    """Whether a row may have several rows of another table, or none."""
    if not graph.to_one(entity, table):
        return True
    edges = [e for e in graph.neighbours(entity) if e.left == entity and e.right == table]
    return any(index.columns[left].column.may_be_empty for e in edges for left, _ in e.on)


def _denies(condition: Condition) -> bool:
    if isinstance(condition, Member):
        return condition.negated
    return isinstance(condition, Compare) and condition.operator in _AFFIRMED


def _or_empty(index: SchemaIndex, member: Member) -> Condition:
    """A row is not among others as well where its key leads to none."""
    column = index.columns[member.column]
    inner = member.query
    key = inner.select[0].column if len(inner.select) == 1 else None
    leads = key is not None and index.columns[key].primary
    undeclared = key is not None and leads and index.columns[key].table != column.table
    if not (column.foreign or undeclared) or column.primary or not column.column.may_be_empty:
        return member
    anything = not (inner.where or inner.having or inner.group or inner.combine or inner.limit is not None)
    alone = key is not None and inner.tables <= {index.columns[key].table}
    if anything and alone and leads and column.foreign:
        return NullTest(member.column)
    return AnyOf(((member,), (NullTest(member.column),)))


def _key_to(index: SchemaIndex, graph: JoinGraph, query: Query, condition: Compare) -> Edge | None:
    """The key that may be empty by which the denied column's table is reached, and that alone."""
    if condition.operator not in _AFFIRMED or not isinstance(condition.right, Literal):
        return None
    if condition.term.column is None or condition.term.aggregate:
        return None
    table = index.columns[condition.term.column].table
    rest = query.with_(where=tuple(c for c in query.where if c is not condition), tables=frozenset())
    used = {index.columns[c].table for c in columns_of(rest)} | (query.tables - {table})
    used.update(() if query.star is None else {query.star})
    used.update(t.of for t in query.select if t.of is not None and t.of != table)
    if table in used or not used or query.combine is not None:
        return None
    edges = [
        e
        for e in graph.neighbours(table)
        if e.right == table and e.left in used and e.left != table and len(e.on) == 1
    ]
    if len(edges) != 1 or not index.columns[edges[0].on[0][0]].column.may_be_empty:
        return None
    return edges[0]


def not_known(index: SchemaIndex, query: Query) -> list[str]:
    """What the notice says of rows that a denial leaves out because a column of theirs is empty."""
    told: list[str] = []
    for condition in _plain(query.where):
        if not isinstance(condition, Compare) or condition.operator not in _AFFIRMED:
            continue
        for number in columns_read(condition):
            entry = index.columns[number]
            relation = index.tables[entry.table].relation
            if not entry.column.may_be_empty:
                continue
            rows = round(relation.estimated_rows * entry.column.null_share)
            known = entry.column.null_share > 0 and rows > 0
            several = f"about {rows} of {round(relation.estimated_rows)} rows" if known else "rows"
            told.append(f"{several} of {relation.name} have no {entry.column.name}, and are left out")
    return list(dict.fromkeys(told))


def _plain(conditions: Sequence[Condition]) -> Iterator[Condition]:
    for condition in conditions:
        if isinstance(condition, AnyOf):
            if any(isinstance(c, NullTest) and not c.negated for part in condition.parts for c in part):
                continue
            for part in condition.parts:
                yield from _plain(part)
        else:
            yield condition
