"""NOT IN over a subquery that may return NULL."""

from __future__ import annotations

from typing import Any

from pglast import ast, enums

from askwire.sql.catalog import Column, Relation
from askwire.sql.tracing.scopes import Scopes
from askwire.sql.tracing.tree import strings, walk
from askwire.verifier.lints.linted import Finding, LintSubject, conjuncts, source


def not_in_null(linted: LintSubject) -> Finding | None:
    """`id NOT IN (SELECT manager FROM t)` is never true once a manager is NULL.

    Silent where the statement ran: there the mend of the same kind has tried whether it matters.
    """
    links = [link for node in walk(linted.subject.statement) if (link := denied(node)) is not None]
    if not links or linted.scopes is None:
        return None
    for link in links if linted.result is None else ():
        found = may_be_null(link, linted.scopes)
        if found is not None:
            name = f"{found[0].name}.{found[1].name}"
            return Finding(f"NOT IN is never true once {name} is NULL; add IS NOT NULL")
    return Finding()


def denied(node: Any) -> Any:
    """The subquery link of `x NOT IN (SELECT one column)`; None for anything else."""
    if not isinstance(node, ast.BoolExpr) or node.boolop != enums.BoolExprType.NOT_EXPR:
        return None
    link: Any = (node.args or (None,))[0]
    if not isinstance(link, ast.SubLink) or link.subLinkType != enums.SubLinkType.ANY_SUBLINK:
        return None
    query: Any = link.subselect
    return link if query.op == enums.SetOperation.SETOP_NONE and len(query.targetList or ()) == 1 else None


def may_be_null(link: Any, scopes: Scopes) -> tuple[Relation, Column] | None:
    """The column that such a subquery shows, where nothing keeps NULLs out of it."""
    found = source(link.subselect.targetList[0].val, scopes)
    if found is None or found[1].not_null or _known(link.subselect, found[1].name):
        return None
    return found


def _known(query: ast.SelectStmt, column: str) -> bool:
    """Whether the subquery's conditions leave no NULL of the column: any plain condition on it does."""
    for condition in conjuncts(query.whereClause):
        is_null = isinstance(condition, ast.NullTest) and condition.nulltesttype == enums.NullTestType.IS_NULL
        for node in walk(condition, into_queries=False):
            if isinstance(node, ast.ColumnRef) and strings(node.fields)[-1:] == (column,) and not is_null:
                return True
    return False
