"""Groups of which there are no rows: 'orders per customer, including customers without orders'.

Owns: the query that shows them with a count of 0.
"""

from __future__ import annotations

from typing import Final

from askwire.planner.embedded.logical_form.ir import Condition, Query, Term, condition_columns
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.schema_index import SchemaIndex

WITH_NONE: Final = "with_none"
"""The flag of a frame that asks for groups without rows as well."""


def with_none(index: SchemaIndex, graph: JoinGraph, query: Query) -> Query | None:
    """The query with its groups that count nothing; None where it does not count rows for rows of one table.

    SELECT c.name, count(*) FROM customers AS c JOIN orders AS o … GROUP BY c.id, c.name
    → SELECT c.name, count(o.id) FROM customers AS c LEFT JOIN orders AS o … GROUP BY c.id, c.name
    """
    counted = [t for t in query.select if t.aggregate]
    groups = {index.columns[t.column].table for t in query.group if t.column is not None and not t.unit}
    plain = len(groups) == 1 and not any(t.unit for t in query.group)
    if len(counted) != 1 or counted[0].aggregate != "count" or not plain or query.having or query.combine:
        return None
    (group,) = groups
    if any(t.column is None or index.columns[t.column].table != group for t in query.group):
        return None
    (term,) = counted
    table = term.of if term.column is None else index.columns[term.column].table
    if table is None or table == group or not graph.to_one(table, group) or query.limit is not None:
        return None
    if not any(e.left == table and e.right == group for e in graph.neighbours(table)):
        return None  # what stands between may be what is said to be lacking
    read = {index.columns[c].table for w in (*query.where, *term.part) for c in condition_columns(w)}
    if (read | query.tables) - {table, group}:
        return None  # rows of a third table would restrict nothing here, and count the others several times
    key = next((c for c in index.tables[table].columns if index.columns[c].primary), None)
    key = key if key is not None else index.tables[table].columns[0]
    if not (index.columns[key].primary or index.columns[key].column.not_null):
        return None
    own = tuple(c for c in query.where if _is_of(index, c, group))
    part = tuple(c for c in query.where if c not in own)
    shown = Term(key, "count", distinct=term.distinct, part=part)
    return query.with_(
        select=tuple(shown if t == term else t for t in query.select),
        where=own,
        order=tuple((shown if t == term else t, d) for t, d in query.order),
        outer=group,
    )


def _is_of(index: SchemaIndex, condition: Condition, table: int) -> bool:
    return all(index.columns[c].table == table for c in condition_columns(condition))
