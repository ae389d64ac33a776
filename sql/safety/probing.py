"""What may be read of a relation though nobody asked for it: looks at values, as askwire sends them.

Owns: that such a look runs nothing of a user's and reaches no other server. Must not know: SQL, settings;
what an operator allows besides is for queries that somebody asked for, and that passed the gate.
"""

from __future__ import annotations

from askwire.sql.catalog import Relation
from askwire.sql.safety.functions import reviewed


def quiet(relation: Relation) -> bool:
    """Whether reading its rows runs only reviewed functions of pg_catalog and reaches no foreign table.

    Views, row-level security policies and what is inherited may run functions with the asker's privileges
    (`Relation.runs`), and a foreign table opens a connection to another server.
    """
    return relation.kind != "f" and not relation.reaches_foreign and all(map(reviewed, relation.runs))
