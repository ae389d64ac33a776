"""What is equal for two texts of one query: spaces, letter case, parentheses and aliases of tables aside.

Owns: that form, for counting and comparing; no one runs it.

    select o.ID from orders as o where (o.amount > 1)
    SELECT orders.id FROM orders WHERE orders.amount > 1        → the same
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from pglast import ast

from askwire.sql.parsing import parsed
from askwire.sql.printing import to_sql
from askwire.sql.tracing.tree import PREFIX, is_a, walk

_DECLARING: Final = (ast.RangeVar, ast.RangeSubselect, ast.RangeFunction, ast.JoinExpr, ast.RangeTableFunc)


def query_form(sql: str) -> str:
    """The form of a text; of one that does not parse, the text with single spaces."""
    try:
        found = parsed(sql)
        if not found:
            return " ".join(sql.split())
        if PREFIX not in sql.lower():
            _rename(found)
        return to_sql(found)
    except (NotImplementedError, RecursionError):
        return " ".join(sql.split())


def _rename(statements: tuple[ast.RawStmt, ...]) -> None:
    """Number the names by which tables and subqueries are referred to, in the order they stand in.

    Only what is declared once, with no names for its columns, and is never a value of its own: there the new
    name can mean nothing else.
    """
    nodes = list(walk(statements))
    declared = [(node, name) for node in nodes if is_a(node, *_DECLARING) and (name := _name(node))]
    times = Counter(name for _, name in declared)
    references = [node for node in nodes if is_a(node, ast.ColumnRef)]
    whole = {_first(node) for node in references if _length(node) == 1}
    numbered: dict[str, str] = {}
    for node, name in declared:
        if times[name] > 1 or name in whole or not is_a(node, ast.RangeVar, ast.RangeSubselect):
            continue
        alias: Any = getattr(node, "alias", None)
        if alias is not None and alias.colnames:
            continue
        numbered[name] = f"{PREFIX}{len(numbered) + 1}"
        node.alias = ast.Alias(aliasname=numbered[name])
    for node in references:
        if _length(node) == 2 and _first(node) in numbered:
            fields: Any = node.fields  # type: ignore[attr-defined]
            node.fields = (ast.String(sval=numbered[_first(node)]), *fields[1:])


def _name(node: Any) -> str:
    """What an item of FROM is referred to by; '' where that is nothing."""
    if node.alias is not None:
        return node.alias.aliasname or ""
    return (node.relname or "") if is_a(node, ast.RangeVar) else ""


def _first(node: Any) -> str:
    first = node.fields[0]
    return first.sval if is_a(first, ast.String) else ""


def _length(node: Any) -> int:
    return len(node.fields)
