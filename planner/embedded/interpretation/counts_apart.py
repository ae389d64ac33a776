"""Counts of things that have nothing to do with each other: 'how many trucks and how many trailers'.

Owns: the query of two numbers of whole tables, each counted alone; and that of rows counted beside a sum over
what belongs to some of them.
"""

from __future__ import annotations

from dataclasses import replace

from askwire.planner.embedded.logical_form.ir import Query, Term, condition_columns
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.schema_index import SchemaIndex


def counts_apart(index: SchemaIndex, graph: JoinGraph, query: Query) -> Query | None:
    """The query with every count but the first as a number of its own, where all rows are counted.

    Joined, trucks without a trip and trailers without one would be left out. None where keys to such rows
    are counted instead, or where a time is asked for, which each would have of its own.
    """
    tables = [_counted(index, term) for term in query.select]
    keys = [_is_key(index, graph, term) for term in query.select]
    both = all(table is not None or key for table, key in zip(tables, keys, strict=True))
    if len(tables) < 2 or not both or query.group or query.combine:
        return query
    if any(keys) or len({*tables}) < len(tables) or _is_dated(index, query):
        return None
    if replace(query, select=(), tables=frozenset()) != Query(()):
        return query
    others = (Term(rows_of=table) for table in tables[1:])
    return query.with_(select=(Term(aggregate="count", of=tables[0]), *others), tables=frozenset(tables[:1]))


def _counted(index: SchemaIndex, term: Term) -> int | None:
    """The table whose rows a term counts."""
    if term == Term(aggregate="count", of=term.of):
        return term.of
    key = None if term.column is None else index.columns[term.column]
    own = key is not None and key.primary and not key.foreign
    return key.table if key and own and term == Term(term.column, "count", distinct=True) else None


def _is_dated(index: SchemaIndex, query: Query) -> bool:
    read = {c for condition in query.where for c in condition_columns(condition)}
    return any(index.columns[c].kind == "time" for c in read)


def _is_key(index: SchemaIndex, graph: JoinGraph, term: Term) -> bool:
    """Whether a term counts the rows of another table by a key to them."""
    if term.column is None or term != Term(term.column, "count", distinct=True):
        return False
    edges = graph.neighbours(index.columns[term.column].table)
    return any([own for own, _ in e.on] == [term.column] for e in edges)


def all_counted(index: SchemaIndex, graph: JoinGraph, query: Query) -> Query:
    """The query with all rows counted, where a sum beside the count is of what some of them lack.

    'bookings and revenue per hotel' counts bookings without a charge as well.
    """
    figures = [t for t in query.select if t.aggregate]
    counts = [t for t in figures if t.aggregate == "count" and not t.part]
    if len(counts) != 1 or len(figures) < 2 or query.having or query.combine or query.partition:
        return query
    if query.outer is not None or query.over or query.limit is not None:
        return query
    table = counts[0].of if counts[0].column is None else index.columns[counts[0].column].table
    if table is None or (counts[0].column is not None and not index.columns[counts[0].column].primary):
        return query
    measured = {index.columns[c].table for t in figures if t not in counts for c in t.columns()}
    grouped = {index.columns[c].table for t in query.group for c in t.columns()}
    read = {index.columns[c].table for k in query.where for c in condition_columns(k)} | grouped
    keys = [e for e in graph.neighbours(table) if e.left == table and e.right in grouped]
    if any(not index.columns[own].column.not_null for e in keys for own, _ in e.on):
        return query  # rows of no group would be one
    below = {t for t in measured | read | query.tables if not graph.to_one(table, t)}
    theirs = all(graph.to_one(t, table) for t in below) and not below & (read | (query.tables - measured))
    return query.with_(outer=table) if below and theirs else query
