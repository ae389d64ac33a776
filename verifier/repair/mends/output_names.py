"""Output names where PostgreSQL does not know them."""

from __future__ import annotations

from typing import Any

from askwire.sql.printing import to_sql
from askwire.sql.tracing.tree import copy_tree
from askwire.verifier.repair.broken import BrokenStatement, references
from askwire.verifier.repair.mends.replacing import put


def output_names(broken: BrokenStatement) -> str | None:
    """The name of an output column stands for its expression in WHERE, GROUP BY and HAVING.

    `SELECT a, count(*) AS n FROM t GROUP BY a HAVING n > 3` becomes `… HAVING count(*) > 3`.
    """
    scopes = broken.resolved()
    if scopes is None:
        return None
    instead: dict[int, Any] = {}
    for reference in references(scopes):
        if reference.items or reference.known or reference.qualifier:
            continue
        for target in reference.level.query.targetList or ():
            if target.name is not None and target.name.lower() == reference.name.lower():
                instead[id(reference.node)] = copy_tree(target.val)
    if not instead:
        return None
    put(scopes.query, instead)
    return to_sql(scopes.query)
