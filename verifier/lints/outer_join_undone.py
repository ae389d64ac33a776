"""LEFT JOIN whose unmatched rows the WHERE clause removes."""

from __future__ import annotations

from typing import Any, Final

from pglast import ast, enums

from askwire.sql.tracing.scopes import Scope
from askwire.sql.tracing.tree import walk
from askwire.verifier.lints.linted import Finding, LintSubject, call_name, conjuncts, item_of, joins

_STRICT: Final = frozenset(
    {"lower", "upper", "btrim", "ltrim", "rtrim", "length", "abs", "round", "date_trunc", "extract"}
)


def outer_join_undone(linted: LintSubject) -> Finding | None:
    """`a LEFT JOIN b … WHERE b.x = 1` keeps no row of `a` without a `b`; the condition belongs into ON."""
    looked = False
    for level in linted.levels:
        for join in joins(level):
            if join.jointype != enums.JoinType.JOIN_LEFT:
                continue
            looked = True
            inside = {id(n) for n in walk(join.rarg, into_queries=False)}
            for condition in conjuncts(level.query.whereClause):
                name = _rejected(condition, level, inside)
                if name:
                    return Finding(
                        f"the condition on {name} in WHERE removes what LEFT JOIN keeps; put it into ON"
                    )
    return Finding() if looked else None


def _rejected(condition: Any, level: Scope, inside: set[int]) -> str:
    """The item of the join's right side whose NULLs the condition rejects, '' for none."""
    if isinstance(condition, ast.NullTest):
        if condition.nulltesttype == enums.NullTestType.IS_NULL:
            return ""
        sides: tuple[Any, ...] = (condition.arg,)
    elif isinstance(condition, ast.A_Expr) and condition.kind not in {
        enums.A_Expr_Kind.AEXPR_DISTINCT,
        enums.A_Expr_Kind.AEXPR_NOT_DISTINCT,
    }:
        sides = (condition.lexpr, condition.rexpr)
    else:
        return ""
    for side in map(_column, sides):
        item = item_of(side, level) if isinstance(side, ast.ColumnRef) else None
        if item is not None and id(item.node) in inside:
            return item.name
    return ""


def _column(node: Any) -> Any:
    """The column inside of casts and of functions that are NULL of NULL: `lower(b.x)` becomes `b.x`."""
    while True:
        if isinstance(node, ast.TypeCast):
            node = node.arg
        elif isinstance(node, ast.FuncCall) and call_name(node) in _STRICT and node.args:
            columns = [arg for arg in node.args if not isinstance(arg, ast.A_Const)]
            if len(columns) != 1:
                return node
            node = columns[0]
        else:
            return node
