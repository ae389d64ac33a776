"""The order of a query level, and which rows its windows look at, apart from its select list.

Owns: what sort items and windows mean where the select list is another.
"""

from __future__ import annotations

from typing import Any

from pglast import ast

from askwire.sql.printing import to_sql
from askwire.sql.tracing.aggregates import is_aggregated
from askwire.sql.tracing.scopes import star_of
from askwire.sql.tracing.tree import copy_tree, is_a, walk


def order_by(query: Any) -> str:
    """ORDER BY without reference to the select list; empty where groups, not rows, are ordered."""
    if not query.sortClause:
        return ""
    order = copy_tree(query.sortClause)
    for by in order:
        by.node = _sort_expression(by.node, query)
    if is_aggregated(query):
        return ""
    return " ORDER BY " + ", ".join(to_sql(by) for by in order)


def _sort_expression(node: Any, query: Any) -> Any:
    """What a sort item means without the select list: positions and output names become expressions."""
    targets = query.targetList or ()
    if isinstance(node, ast.A_Const) and isinstance(node.val, ast.Integer):
        position = int(node.val.ival or 0)
        if 1 <= position <= len(targets) and star_of(targets[position - 1]) is None:
            return targets[position - 1].val
    if is_a(node, ast.ColumnRef) and len(node.fields) == 1:
        for target in targets:
            if target.name and target.name == getattr(node.fields[0], "sval", None):
                return target.val
    return node


def partitions(query: Any) -> list[str]:
    """What the windows of a query level are partitioned by, '' for nothing; each once, in order."""
    found: set[str] = set()
    named = {w.name: w for w in query.windowClause or ()}
    for node in walk((query.targetList, query.sortClause), into_queries=False):
        if isinstance(node, ast.FuncCall) and node.over is not None:
            over = named.get(node.over.name, node.over) if node.over.name else node.over
            while over.refname and over.refname in named:
                over = named[over.refname]
            found.add(", ".join(to_sql(e) for e in over.partitionClause or ()))
    return sorted(found)
