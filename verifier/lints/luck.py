"""Rows that depend on luck."""

from __future__ import annotations

from typing import Any

from pglast import ast, enums

from askwire.sql.tracing.tree import is_a, is_set_operation, walk
from askwire.verifier.lints.linted import Finding, LintSubject, call_name


def luck(linted: LintSubject) -> Finding | None:
    """LIMIT and DISTINCT ON keep whichever rows come first; without ORDER BY, anything may.

    A LIMIT inside of EXISTS, and one over a single row, choose nothing.
    """
    looked = False
    inside_exists = {
        id(n.subselect)
        for n in walk(linted.subject.statement)
        if isinstance(n, ast.SubLink) and n.subLinkType == enums.SubLinkType.EXISTS_SUBLINK
    }
    for node in walk(linted.subject.statement):
        if not isinstance(node, ast.SelectStmt) or id(node) in inside_exists:
            continue
        firsts = bool(node.distinctClause) and any(node.distinctClause or ())
        if node.limitCount is None and not firsts:
            continue
        looked = True
        if node.sortClause or _one_row(node):
            continue
        what = "DISTINCT ON" if firsts else "LIMIT"
        return Finding(f"{what} without ORDER BY keeps whichever rows come first; say which")
    return Finding() if looked else None


def _one_row(query: Any) -> bool:
    if is_set_operation(query) or query.groupClause:
        return False
    targets = [t.val for t in query.targetList or ()]
    return bool(targets) and all(
        is_a(t, ast.FuncCall) and call_name(t) in {"count", "sum", "avg", "min", "max"} and t.over is None
        for t in targets
    )
