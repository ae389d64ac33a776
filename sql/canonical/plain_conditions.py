"""One spelling for conditions that say the same, as people and definitions of views write them.

Owns: truth values, NULL tests, and casts of text to text.

    fake = false, NOT fake, fake IS FALSE → NOT fake
    (state)::text <> 'void'::text → state <> 'void'
"""

from __future__ import annotations

from typing import Any, Final

from pglast import ast
from pglast.enums import A_Expr_Kind, BoolExprType, BoolTestType, NullTestType

from askwire.sql.catalog import Relation
from askwire.sql.tracing.tree import is_a

_TEXT_TYPES: Final = frozenset({"text", "varchar", "bpchar"})


def plainly(condition: Any, home: Relation) -> Any:
    """One spelling for conditions that say the same: of truth values, and of texts that were cast to text."""
    truth = _truth(condition, home)
    if truth is not None:
        column, meant = truth
        return column if meant else ast.BoolExpr(boolop=BoolExprType.NOT_EXPR, args=(column,))
    if is_a(condition, ast.BoolExpr) and condition.boolop == BoolExprType.NOT_EXPR:
        (inner,) = condition.args
        if is_a(inner, ast.NullTest):
            other = {
                NullTestType.IS_NULL: NullTestType.IS_NOT_NULL,
                NullTestType.IS_NOT_NULL: NullTestType.IS_NULL,
            }
            return ast.NullTest(arg=inner.arg, nulltesttype=other[inner.nulltesttype], argisrow=False)
    if is_a(condition, ast.A_Expr):
        return ast.A_Expr(
            kind=condition.kind,
            name=condition.name,
            lexpr=_uncast(condition.lexpr, home),
            rexpr=_uncast(condition.rexpr, home),
        )
    return condition


def _truth(condition: Any, home: Relation) -> tuple[Any, bool] | None:
    """The column of truth values that a condition asks for, and whether it must be true."""
    if is_a(condition, ast.ColumnRef):
        return condition, True
    if is_a(condition, ast.BoolExpr) and condition.boolop == BoolExprType.NOT_EXPR:
        found = _truth(condition.args[0], home)
        return (found[0], not found[1]) if found else None
    if is_a(condition, ast.BooleanTest) and is_a(condition.arg, ast.ColumnRef):
        meant = {BoolTestType.IS_TRUE: True, BoolTestType.IS_FALSE: False}.get(condition.booltesttype)
        column = home.by_name.get(condition.arg.fields[-1].sval)
        if meant is None and column is not None and column.not_null:
            # of a column that is never NULL this is the same
            opposite = {BoolTestType.IS_NOT_TRUE: False, BoolTestType.IS_NOT_FALSE: True}
            meant = opposite.get(condition.booltesttype)
        return None if meant is None else (condition.arg, meant)
    if is_a(condition, ast.A_Expr) and condition.kind == A_Expr_Kind.AEXPR_OP:
        value = _boolean(condition.rexpr)
        if value is not None and is_a(condition.lexpr, ast.ColumnRef):
            return {"=": (condition.lexpr, value), "<>": (condition.lexpr, not value)}.get(
                condition.name[-1].sval
            )
    return None


def _boolean(node: Any) -> bool | None:
    if is_a(node, ast.A_Const) and not node.isnull and is_a(node.val, ast.Boolean):
        return bool(node.val.boolval)
    return None


def _uncast(node: Any, home: Relation) -> Any:
    """A text that a view's definition casts to text, as it was written."""
    if isinstance(node, tuple):
        return tuple(_uncast(part, home) for part in node)
    if not is_a(node, ast.TypeCast) or node.typeName.names[-1].sval not in _TEXT_TYPES:
        return node
    if is_a(node.arg, ast.A_Const) and is_a(node.arg.val, ast.String):
        return node.arg
    if is_a(node.arg, ast.ColumnRef):
        column = home.by_name.get(node.arg.fields[-1].sval)
        return node.arg if column is not None and column.category == "S" else node
    return node
