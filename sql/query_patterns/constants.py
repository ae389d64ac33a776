"""Constants in a query that do not describe anybody's data, and may be kept where others are left out.

Owns: which they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pglast import ast
from pglast.enums import A_Expr_Kind

from askwire.sql.tracing.tree import is_a, walk

_UNITS: Final = frozenset({"1", "10", "100", "1000", "1000000", "7", "12", "24", "60", "3600", "86400"})
"""Cents in an amount, minutes in an hour, months in a year."""
_WHOLES: Final = frozenset({"1", "100"})
"""Of which a part is taken: `1 - discount`, `100 - percent`."""
_PARTS_OF_TIME: Final = frozenset({"extract", "date_trunc", "date_part"})


def harmless(constant: Any) -> bool:
    """NULL and truth values."""
    return bool(constant.isnull) or is_a(constant.val, ast.Boolean)


def units_in(value: Any) -> frozenset[int]:
    """The constants (by `id`) of an output that say how it is reckoned: a factor like 100.0, a 0 for NULL.

    `sum(cents) / 100.0`, `sum(price * (1 - discount))`, `coalesce(sum(a), 0)`, `sum(a) / nullif(b, 0)`,
    `avg(extract(epoch FROM b - a))`.
    """
    return frozenset(id(constant) for constant in _units(value))


def _units(value: Any) -> Iterator[Any]:
    node: Any
    for node in walk(value, into_queries=False):
        if is_a(node, ast.CoalesceExpr):
            yield from (part for part in node.args if _digits(part) == "0")
        if is_a(node, ast.FuncCall) and node.funcname[-1].sval in _PARTS_OF_TIME:
            yield from (part for part in node.args[:1] if is_a(part, ast.A_Const))
        if not is_a(node, ast.A_Expr):
            continue
        if node.kind == A_Expr_Kind.AEXPR_NULLIF and _digits(node.rexpr) == "0":
            yield node.rexpr
        if node.kind == A_Expr_Kind.AEXPR_OP and node.name[-1].sval in {"*", "/"}:
            yield from (part for part in (node.lexpr, node.rexpr) if _digits(part) in _UNITS)
        if node.kind == A_Expr_Kind.AEXPR_OP and node.name[-1].sval in {"+", "-"}:
            yield from (part for part in (node.lexpr, node.rexpr) if _digits(part) in _WHOLES)


def _digits(node: Any) -> str:
    """A number without the places that are 0; '' for anything else."""
    if not is_a(node, ast.A_Const) or node.isnull:
        return ""
    if is_a(node.val, ast.Integer):
        return str(node.val.ival)
    if is_a(node.val, ast.Float):
        text: str = node.val.fval
        return text.rstrip("0").rstrip(".") if "." in text else text
    return ""
