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
    """The query without the hidden rows of a table, and of those in which rows are looked up."""
    if _SAID.search(question) or query.combine is not None:
        return query
    where = tuple(_looked_up(index, c, question) for c in query.where)
    asked = {c for k in (*query.where, *query.having) for c in condition_columns(k)}
    hiding = index.hiding.get(table)
    query = query.with_(where=where)
    if hiding is None or hiding in asked:
        return query
    if query.outer is not None:
        return counted_where(index, query, (_shown(index, hiding),))
    return query.with_(where=(*where, _shown(index, hiding)))


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
