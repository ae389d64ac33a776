"""Where the rows of a table lead by their keys: a line to its order, and on to the customer.

Owns: the tables that are reached so, and in how many steps.
"""

from __future__ import annotations

from askwire.planner.embedded.schema.schema_index import SchemaIndex


def leads_to(index: SchemaIndex, table: int, *, without: int | None = None) -> dict[int, int]:
    """The tables that a table's rows lead to, itself among them, each with the number of keys between.

    No way goes through the table `without`.
    """
    by_oid = {t.relation.oid: t.index for t in index.tables if t.role is None}
    steps, ends = {table: 0}, [table]
    while ends:
        keys = [(end, k.target) for end in ends for k in index.tables[end].relation.foreign_keys]
        found = [(end, by_oid[target]) for end, target in keys if target in by_oid]
        ends = []
        for end, target in found:
            if target not in steps and target != without:
                steps[target] = steps[end] + 1
                ends.append(target)
    return steps
