"""NOT IN over a subquery that may return NULL."""

from __future__ import annotations

from pglast import ast, enums

from askwire.sql.tracing.tree import strings, walk
from askwire.verifier.lints.linted import Finding, Linted, conjuncts


def not_in_null(linted: Linted) -> Finding | None:
    """`id NOT IN (SELECT manager FROM t)` is never true once a manager is NULL.

    A result with rows shows that no NULL was met; then nothing is claimed.
    """
    looked = False
    for node in walk(linted.subject.statement):
        if not isinstance(node, ast.BoolExpr) or node.boolop != enums.BoolExprType.NOT_EXPR:
            continue
        link = (node.args or (None,))[0]
        if not isinstance(link, ast.SubLink) or link.subLinkType != enums.SubLinkType.ANY_SUBLINK:
            continue
        query = link.subselect
        if not isinstance(query, ast.SelectStmt) or len(query.targetList or ()) != 1:
            continue
        target = (query.targetList or ())[0].val
        looked = True
        found = linted.column(target)
        if found is None or found[1].not_null or _known(query, found[1].name) or _found_something(linted):
            continue
        return Finding(f"NOT IN is never true once {found[0].name}.{found[1].name} is NULL; add IS NOT NULL")
    return Finding() if looked else None


def _known(query: ast.SelectStmt, column: str) -> bool:
    """Whether the subquery's conditions leave no NULL of the column: any plain condition on it does."""
    for condition in conjuncts(query.whereClause):
        is_null = isinstance(condition, ast.NullTest) and condition.nulltesttype == enums.NullTestType.IS_NULL
        for node in walk(condition, into_queries=False):
            if isinstance(node, ast.ColumnRef) and strings(node.fields)[-1:] == (column,) and not is_null:
                return True
    return False


def _found_something(linted: Linted) -> bool:
    if linted.result is None:
        return False
    return any(cell not in (None, "0") for row in linted.result.rows for cell in row)
