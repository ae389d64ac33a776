"""Rows that are kept and hidden: deleted for the people, and still in the table.

Owns: the condition for the rows that are shown, where a column's comment says that its values hide rows.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from askwire.planner.embedded.interpretation.in_force import counted_where
from askwire.planner.embedded.logical_form.ir import (
    Compare,
    Condition,
    Literal,
    Member,
    NullTest,
    Query,
    Term,
    columns_of,
    condition_columns,
)
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_SAID: Final = re.compile(r"\b(?:delet|remov|archiv|hidden\b|hide\b)", re.I)
"""Where a question speaks of such rows, it decides itself."""


def without_hidden(index: SchemaIndex, query: Query, table: int, question: str) -> Query:
    """The query without the hidden rows of a table, and of those in which rows are looked up.

    Where rows are listed or counted, those of all tables that are read: 'contacts of each account'. An amount
    is not less because a customer was deleted later.
    """
    if _SAID.search(question) or query.combine is not None or not index.hiding:
        return query
    where = tuple(_looked_up(index, c, question) for c in query.where)
    asked = {c for k in (*query.where, *query.having) for c in condition_columns(k)}
    tables = {table}
    terms = (*query.select, *(term for term, _ in query.order))
    if all(t.aggregate in {"", "count"} for t in terms):
        tables |= {index.columns[c].table for c in columns_of(query)} | query.tables
        tables |= {t.of for t in terms if t.of is not None}
    hiding = sorted(index.hiding[t] for t in tables & index.hiding.keys())
    added = tuple(_shown(index, c) for c in hiding if c not in asked)
    query = query.with_(where=where)
    if query.outer is not None and added:
        return counted_where(index, query, added)
    return query.with_(where=(*where, *added))


def with_hidden(index: SchemaIndex, query: Query) -> Query:
    """The query without what `without_hidden` added: it restricts nothing that the question speaks of."""
    added = [_shown(index, hiding) for hiding in index.hiding.values()]
    kept = tuple(c for c in query.where if c not in added)
    return query if len(kept) == len(query.where) else query.with_(where=kept)


def _looked_up(index: SchemaIndex, condition: Condition, question: str) -> Condition:
    if not isinstance(condition, Member):
        return condition
    inner = condition.query
    tables = {index.columns[c].table for c in columns_of(inner)} | inner.tables
    if len(tables) != 1:
        return condition
    return replace(condition, query=without_hidden(index, inner, tables.pop(), question))


def _shown(index: SchemaIndex, hiding: int) -> Condition:
    if index.columns[hiding].column.type_name == "boolean":
        return Compare(Term(hiding), "=", Literal("false", "number"))
    return NullTest(hiding)
