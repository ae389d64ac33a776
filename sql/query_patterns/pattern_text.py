"""A query as a pattern: what people ask again and again, without the constants they ask it with.

Owns: leaving constants and comments out of a query's text.

    SELECT name FROM pets WHERE kind = 'dog' AND gone IS NULL LIMIT 3 -- for Ann
    SELECT name FROM pets WHERE kind = $1 AND gone IS NULL LIMIT $2
"""

from __future__ import annotations

from itertools import count
from typing import Any

from pglast import ast
from pglast.enums import A_Expr_Kind

from askwire.sql.printing import to_sql
from askwire.sql.query_patterns.constants import harmless, units_in
from askwire.sql.query_patterns.patterns import MAX_QUERY_CHARACTERS
from askwire.sql.tracing.tree import Untraceable, copy_node, is_a, parse_query


def without_literals(sql: str) -> str:
    """The query with parameters instead of its constants; '' for what is not one query.

    NULL, truth values and places in ORDER BY and GROUP BY stay, and of outputs the units they are measured in
    (`sum(cents) / 100`); a list of constants after IN becomes one, so that the same question asked of more
    things is the same text.
    """
    return _written(sql, keep=False)


def with_literals(sql: str) -> str:
    """The query as it is but for comments and spelling; '' for what is not one query."""
    return _written(sql, keep=True)


def _written(sql: str, *, keep: bool) -> str:
    if len(sql) > MAX_QUERY_CHARACTERS:
        return ""
    try:
        query = parse_query(sql.strip().rstrip(";"))
        return to_sql(query if keep else _LiteralRemover().copied(query))
    except (Untraceable, RecursionError):
        return ""


class _LiteralRemover:
    def __init__(self) -> None:
        self._numbers = count(1)
        self._units: frozenset[int] = frozenset()

    def copied(self, node: Any) -> Any:
        """A copy of a part of a tree, each constant replaced by a parameter of its own."""
        if isinstance(node, tuple):
            return tuple([self.copied(part) for part in node])
        if not is_a(node, ast.Node) or is_a(node, ast.TypeName):
            return node  # a type's own numbers, as of numeric(10, 2), are no data
        if id(node) in self._units:
            return node
        if is_a(node, ast.ParamRef) or (is_a(node, ast.A_Const) and not harmless(node)):
            return ast.ParamRef(number=next(self._numbers))
        if is_a(node, ast.SelectStmt):
            self._units |= units_in(node.targetList or ())
        if is_a(node, ast.SortBy) and is_a(node.node, ast.A_Const):
            return node
        if is_a(node, ast.A_Expr) and node.kind == A_Expr_Kind.AEXPR_IN:
            return copy_node(node, self._list_of_one)
        if is_a(node, ast.SelectStmt) and node.groupClause:
            places = tuple(item for item in node.groupClause if is_a(item, ast.A_Const))
            return copy_node(node, lambda part: self._but(part, places))
        return copy_node(node, self.copied)

    def _list_of_one(self, part: Any) -> Any:
        constants = isinstance(part, tuple) and all(is_a(item, ast.A_Const, ast.ParamRef) for item in part)
        return self.copied(part[:1] if constants else part)

    def _but(self, part: Any, places: tuple[Any, ...]) -> Any:
        if isinstance(part, tuple):
            return tuple([item if any(item is p for p in places) else self.copied(item) for item in part])
        return self.copied(part)
