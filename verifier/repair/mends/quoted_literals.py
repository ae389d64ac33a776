"""Text in double quotes that names no column."""

from __future__ import annotations

from typing import Any

from pglast import ast, enums

from askwire.sql.printing import to_sql
from askwire.sql.tracing.tree import walk
from askwire.verifier.repair.broken import BrokenStatement, in_reach, references
from askwire.verifier.repair.mends.replacing import put


def quoted_literals(broken: BrokenStatement) -> str | None:
    """A quoted identifier that no FROM item has is the string it is in SQLite and MySQL.

    `SELECT name FROM city WHERE country = "Cuba" AND name LIKE "a%"` becomes `SELECT name FROM city WHERE
    country = 'Cuba' AND name ILIKE 'a%'`: who quotes text so writes for a database whose LIKE ignores case.
    """
    scopes = broken.resolved()
    if scopes is None:
        return None
    text = broken.sql.encode()
    changed: dict[int, Any] = {}
    for reference in references(scopes):
        node = reference.node
        if reference.items or reference.known or reference.qualifier or node.location is None:
            continue
        if not _quoted(broken.sql, text, node.location):
            continue
        lower = reference.name.lower()
        if any(c.lower() == lower for item in in_reach(reference.level) for c in item.columns):
            continue
        changed[id(node)] = ast.A_Const(isnull=False, val=ast.String(sval=reference.name))
    if not changed:
        return None
    put(scopes.query, changed)
    ignore_case(scopes.query)
    return to_sql(scopes.query)


def ignore_case(query: Any) -> bool:
    """Make every LIKE of a tree an ILIKE; whether there was one."""
    found = False
    for node in walk(query):
        if isinstance(node, ast.A_Expr) and node.kind == enums.A_Expr_Kind.AEXPR_LIKE and node.name:
            node.kind = enums.A_Expr_Kind.AEXPR_ILIKE
            negated = str(node.name[0].sval).startswith("!")
            node.name = (ast.String(sval="!~~*" if negated else "~~*"),)
            found = True
    return found


def _quoted(sql: str, text: bytes, location: int) -> bool:
    """Whether a quoted identifier begins there."""
    if len(text) == len(sql):
        return sql[location : location + 1] == '"'
    return '"' in (sql[location : location + 1], text[location : location + 1].decode("utf-8", "replace"))
