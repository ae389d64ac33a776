"""Groups that have a name, where the first of them are asked for by how many rows they have.

Owns: leaving out rows without a value: 'which director has the most titles' is not answered by NULL.
"""

from __future__ import annotations

from askwire.planner.embedded.logical_form.ir import NullTest, Query
from askwire.planner.embedded.schema.schema_index import SchemaIndex


def of_known_groups(index: SchemaIndex, query: Query) -> Query:
    """The query without the group of rows that have no value; the same where that group cannot be first."""
    counted = any(term.aggregate == "count" for term, _ in query.order)
    if not counted or not query.group or query.limit is None or query.partition:
        return query
    columns = [term.column for term in query.group if term.column is not None]
    if any(index.columns[column].primary for column in columns):
        return query
    unknown = (NullTest(c, negated=True) for c in columns if index.columns[c].column.null_share > 0)
    kept = [condition for condition in unknown if condition not in query.where]
    return query.with_(where=(*query.where, *kept)) if kept else query
