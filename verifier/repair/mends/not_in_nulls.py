"""NOT IN over a subquery that may return NULL."""

from __future__ import annotations

from pglast import ast, enums

from askwire.sql.printing import to_sql
from askwire.sql.tracing.tree import walk
from askwire.verifier.lints.not_in_null import denied, may_be_null
from askwire.verifier.repair.broken import BrokenStatement


def not_in_nulls(broken: BrokenStatement) -> str | None:
    """NULLs of the subquery exclude nothing.

    `WHERE id NOT IN (SELECT manager FROM t)` becomes `WHERE id NOT IN (SELECT manager FROM t WHERE manager
    IS NOT NULL)`, where `manager` is nullable.
    """
    scopes = broken.resolved()
    if scopes is None:
        return None
    changed = False
    for node in list(walk(scopes.query)):
        link = denied(node)
        if link is None or may_be_null(link, scopes) is None:
            continue
        query = link.subselect
        known = ast.NullTest(
            arg=query.targetList[0].val, nulltesttype=enums.NullTestType.IS_NOT_NULL, argisrow=False
        )
        both = (query.whereClause, known)
        query.whereClause = (
            ast.BoolExpr(boolop=enums.BoolExprType.AND_EXPR, args=both) if query.whereClause else known
        )
        changed = True
    return to_sql(scopes.query) if changed else None
