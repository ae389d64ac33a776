"""A comparison with one value, where there are several."""

from __future__ import annotations

from typing import Any

from pglast import ast, enums

from askwire.sql.printing import to_sql
from askwire.sql.tracing.tree import strings, walk
from askwire.verifier.repair.broken import BrokenStatement
from askwire.verifier.repair.mends.replacing import put


def one_of_many(broken: BrokenStatement) -> str | None:
    """Equal to a subquery of several rows means equal to one of them.

    `WHERE airport = (SELECT code FROM airports WHERE city = 'Ames')` becomes `WHERE airport IN (SELECT …)`.
    Only equality is read so: `< (several rows)` could mean any or all of them.
    """
    tree = broken.parsed()
    if tree is None:
        return None
    instead: dict[int, Any] = {}
    for node in list(walk(tree)):
        if (
            not isinstance(node, ast.A_Expr)
            or node.kind != enums.A_Expr_Kind.AEXPR_OP
            or strings(node.name) != ("=",)
        ):
            continue
        link = node.rexpr
        if not isinstance(link, ast.SubLink) or link.subLinkType != enums.SubLinkType.EXPR_SUBLINK:
            continue
        query = link.subselect
        if not isinstance(query, ast.SelectStmt) or _one_row(query):
            continue
        link.subLinkType = enums.SubLinkType.ANY_SUBLINK
        link.testexpr = node.lexpr
        instead[id(node)] = link
    if not instead:
        return None
    put(tree, instead)
    return to_sql(tree)


def _one_row(query: ast.SelectStmt) -> bool:
    """Whether the subquery shows an aggregate of all rows, or has a LIMIT."""
    if query.limitCount is not None:
        return True
    calls = [t.val for t in query.targetList or () if isinstance(t.val, ast.FuncCall)]
    return bool(calls) and not query.groupClause
