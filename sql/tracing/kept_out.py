"""Rows that NOT IN, NOT EXISTS or IS NULL behind an outer join keep out: whether there are any, and which.

Owns: turning such conditions round.

    WHERE id NOT IN (SELECT singer_id FROM song)  →  WHERE id IN (SELECT singer_id FROM song)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pglast import ast
from pglast.enums import JoinType, NullTestType

from askwire.sql.tracing.tree import is_a, walk


def flip(node: Any) -> Any:
    """The condition with each negated sublink and each IS NULL asserted the other way round."""
    if is_a(node, ast.BoolExpr):
        if _is_negated_sublink(node):
            return node.args[0]
        node.args = tuple(flip(a) for a in node.args)
    elif is_a(node, ast.NullTest):
        node.nulltesttype = NullTestType.IS_NOT_NULL
    return node


def keeps_out(query: Any) -> bool:
    """Whether a level's WHERE keeps rows out by NOT IN, NOT EXISTS, or IS NULL behind an outer join."""
    if query.whereClause is None:
        return False
    outer = any(map(_is_outer_join, walk(query.fromClause or (), into_queries=False)))
    nodes: Iterator[Any] = walk(query.whereClause, into_queries=False)
    return any(
        _is_negated_sublink(n) or (outer and is_a(n, ast.NullTest) and n.nulltesttype == NullTestType.IS_NULL)
        for n in nodes
    )


def _is_outer_join(node: Any) -> bool:
    return is_a(node, ast.JoinExpr) and node.jointype != JoinType.JOIN_INNER


def _is_negated_sublink(node: Any) -> bool:
    return is_a(node, ast.BoolExpr) and node.boolop.name == "NOT_EXPR" and is_a(node.args[0], ast.SubLink)
