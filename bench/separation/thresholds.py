"""Whether a query holds a count against a number: a few rows cannot reach 'more than twelve'.

Owns: finding such a comparison in a query's tree.
"""

from __future__ import annotations

from typing import Any, Final

from pglast import ast, parse_sql
from pglast.enums import A_Expr_Kind

from askwire.bench.separation.places import places
from askwire.sql.tracing.tree import is_a, strings

_COMPARING: Final = frozenset({"<", "<=", ">", ">=", "=", "<>", "BETWEEN", "NOT BETWEEN"})
_KINDS: Final = frozenset(
    {A_Expr_Kind.AEXPR_OP, A_Expr_Kind.AEXPR_BETWEEN, A_Expr_Kind.AEXPR_NOT_BETWEEN, A_Expr_Kind.AEXPR_IN}
)


def counts_to_a_number(query: str) -> bool:
    """Whether a count is compared with a constant above 1: `HAVING count(*) > 12`, `2 <= (SELECT …)`."""
    return any(
        isinstance(place.node, ast.A_Expr) and _is_threshold(place.node)
        for place in places(parse_sql(query)[0])
    )


def _is_threshold(node: Any) -> bool:
    if node.kind not in _KINDS or strings(node.name)[-1] not in _COMPARING:
        return False
    sides = (node.lexpr, node.rexpr)
    return any(_counts(side) for side in sides) and any(_is_number(side) for side in sides)


def _counts(node: Any) -> bool:
    """Whether an expression is a count, or a subquery that shows one alone."""
    if is_a(node, ast.SubLink):
        shown: tuple[Any, ...] = node.subselect.targetList or ()
        return len(shown) == 1 and all(_counts(target.val) for target in shown)
    return is_a(node, ast.FuncCall) and strings(node.funcname)[-1] == "count"


def _is_number(node: Any) -> bool:
    if isinstance(node, tuple):
        return any(map(_is_number, node))
    return isinstance(node, ast.A_Const) and isinstance(node.val, ast.Integer) and (node.val.ival or 0) > 1
