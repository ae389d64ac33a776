"""Rows that are kept though they count as deleted: 'how many accounts' are those that are not.

Owns: which columns say that a row is deleted, and the queries that leave such rows out. The rows that are
listed, counted or added up are meant, and those that are denied; what is only joined stays as it is: an order
keeps its customer's name.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from askwire.language.text import listed
from askwire.planner.embedded.grammar.encode import EncodedQuestion
from askwire.planner.embedded.logical_form.ir import (
    Compare,
    Condition,
    Literal,
    Member,
    NullTest,
    Query,
    Term,
    condition_columns,
)
from askwire.planner.embedded.schema.elements import yes_values
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_NAMES: Final = frozenset(
    {("deleted",), ("deleted", "date"), ("be", "deleted"), ("deleted", "flag"), ("delete", "flag")}
)
_SPEAKS_OF_THEM: Final = frozenset(
    listed("deleted delete removed including include includes archived erased ever history historical")
)
"""Words behind which rows that were deleted may be meant."""


def without_deleted(index: SchemaIndex, encoded: EncodedQuestion, query: Query) -> Query:
    """The query without the rows that count as deleted, unless the question speaks of such rows.

    SELECT count(*) FROM accounts → SELECT count(*) FROM accounts WHERE deleted_at IS NULL
    """
    if any(t.lower in _SPEAKS_OF_THEM for t in encoded.tokens):
        return query
    return _kept(index, query)


def _kept(index: SchemaIndex, query: Query) -> Query:
    where = tuple(
        replace(c, query=_kept(index, c.query)) if isinstance(c, Member) and c.negated else c
        for c in query.where
    )
    table = _listed(index, query)
    still = None if table is None else _still_there(index, table)
    told = {c for condition in query.where for c in condition_columns(condition)}
    if still is not None and told.isdisjoint(condition_columns(still)):
        where = (*where, still)
    return query if where == query.where else query.with_(where=where)


def _listed(index: SchemaIndex, query: Query) -> int | None:
    """The table whose rows a query lists, counts or adds up."""
    if query.star is not None:
        return query.star
    measured = [t for t in query.select if t.aggregate] or list(query.select)
    tables = [t.of if t.column is None else index.columns[t.column].table for t in measured]
    return tables[0] if tables else None


def _still_there(index: SchemaIndex, table: int) -> Condition | None:
    """The condition that a row of a table is not deleted; None where nothing tells."""
    for number in index.tables[table].columns:
        column = index.columns[number]
        if column.full not in _NAMES or column.key:
            continue
        if column.kind == "time":
            return NullTest(number) if column.column.optional else None
        if column.kind == "boolean":
            return Compare(Term(number), "IS NOT", Literal("true", "number"))
        values = yes_values(column)
        if values is not None and values[1]:
            kind = "number" if column.kind == "number" else "text"
            return Compare(Term(number), "=", Literal(values[1], kind))
    return None
