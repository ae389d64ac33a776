"""The constants a query compares columns with, and how many rows its conditions count.

Owns: finding comparisons of a column of a base relation with a constant, through casts, BETWEEN, IN and LIKE.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from pglast import ast
from pglast.enums import A_Expr_Kind

from askwire.sql.tracing.scopes import Scopes
from askwire.sql.tracing.tree import is_a, strings, walk


@dataclass(frozen=True, slots=True)
class Boundary:
    """Column `column` of relation `oid` is compared with a constant of this text, by this operator.

    The operator is that with the column on the left; '=' for LIKE, IN and whatever is none of the six.
    """

    oid: int
    column: str
    text: str
    operator: str = "="


_MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "<>": "<>"}
MAX_COUNTED_ROWS: Final = 10
"""What is a small number of rows."""


def boundaries(scopes: Scopes) -> list[Boundary]:
    """The comparisons of columns with constants, in the order of the query."""
    found: dict[Boundary, None] = {}
    nodes: Iterator[Any] = walk(scopes.query)
    for node in nodes:
        if not is_a(node, ast.A_Expr):
            continue
        written = strings(node.name)[-1] if node.kind == A_Expr_Kind.AEXPR_OP else "="
        operator = written if written in _MIRRORED else "="
        sides = [(node.lexpr, node.rexpr, operator), (node.rexpr, node.lexpr, _MIRRORED[operator])]
        for side, other, said in sides:
            known = scopes.columns.get(id(_bare(side)))
            if known is not None:
                found.update({Boundary(*known, text, said): None for text in _constants(other)})
    return list(found)


def counts(scopes: Scopes, most: int = MAX_COUNTED_ROWS) -> list[int]:
    """Whole numbers up to `most` that the query compares counts with, or limits its rows to."""
    found: dict[int, None] = {}
    for level in scopes.levels.values():
        query = level.query
        nodes: Iterator[Any] = walk(
            tuple(p for p in (query.havingClause, query.limitCount, query.whereClause) if p is not None),
            into_queries=False,
        )
        for node in nodes:
            if is_a(node, ast.A_Const) and is_a(node.val, ast.Integer):
                number = int(node.val.ival or 0)
                if 0 < number <= most:
                    found[number] = None
    return list(found)


def _bare(node: Any) -> Any:
    """A column below casts and calls of one argument (lower(name), age::text)."""
    while True:
        if is_a(node, ast.TypeCast):
            node = node.arg
        elif is_a(node, ast.FuncCall) and len(node.args or ()) == 1:
            node = node.args[0]
        else:
            return node


def _constants(node: Any) -> Iterator[str]:
    if isinstance(node, tuple):
        for part in node:
            yield from _constants(part)
    elif is_a(node, ast.TypeCast):
        yield from _constants(node.arg)
    elif is_a(node, ast.FuncCall) and strings(node.funcname)[-1] in {"lower", "upper", "date"}:
        yield from _constants(node.args)
    elif is_a(node, ast.A_ArrayExpr):
        yield from _constants(node.elements)
    elif is_a(node, ast.A_Expr) and node.lexpr is None:
        yield from (f"-{text}" for text in _constants(node.rexpr))
    elif is_a(node, ast.A_Const) and not node.isnull:
        value = node.val
        if is_a(value, ast.Integer):
            yield str(value.ival or 0)
        elif is_a(value, ast.Float):
            yield str(value.fval)
        elif is_a(value, ast.String):
            yield str(value.sval).replace("%", "").replace("_", "")
            yield str(value.sval)
        elif is_a(value, ast.Boolean):
            yield "t" if value.boolval else "f"
