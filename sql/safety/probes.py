"""What may be read of a relation though no one asked for it: looks at values, as askwire sends them.

Owns: that such a look runs nothing of a user's and reaches no other server.
"""

from __future__ import annotations

from askwire.sql.catalog import Catalog, Relation
from askwire.sql.safety.functions import reviewed


def quiet(relation: Relation) -> bool:
    """Whether reading its rows runs only reviewed functions of pg_catalog and reaches no foreign table.

    Views, row-level security policies and what is inherited may run functions with the asker's privileges
    (`Relation.runs`), and a foreign table opens a connection to another server.
    """
    return relation.kind != "f" and not relation.reaches_foreign and all(map(reviewed, relation.runs))


def loud_type(relation: Relation, catalog: Catalog) -> str:
    """The type of a column whose values run what is not reviewed when rows are made of text; '' for none.

    A statement that passed the gate may name none of these columns. Rows that are put together from text run
    input, and the checks of domains, for all of them.
    """
    for column in relation.columns:
        runs = (*catalog.objects.type_runs.get(column.type_oid, ()), *column.converting_runs)
        if not all(map(reviewed, runs)):
            return column.type_name
    return ""
