"""Comparisons and aggregates over types that PostgreSQL does not convert by itself."""

from __future__ import annotations

from typing import Any, Final

from pglast import ast, enums

from askwire.sql.catalog import Column
from askwire.sql.printing import to_sql
from askwire.sql.tracing.tree import is_a, strings, walk
from askwire.verifier.repair.broken import BrokenStatement, references

_NUMERIC: Final = ("pg_catalog", "numeric")
_TEXT: Final = ("text",)
_ORDERS: Final = frozenset({"<", ">", "<=", ">="})
_EQUAL: Final = frozenset({"=", "<>"})
_ARITHMETIC: Final = frozenset({"+", "-", "*", "/", "%"})
_OF_NUMBERS: Final = frozenset({"sum", "avg", "round", "abs", "ceil", "floor", "stddev", "variance"})
_LIKES: Final = frozenset({enums.A_Expr_Kind.AEXPR_LIKE, enums.A_Expr_Kind.AEXPR_ILIKE})


def casts(broken: BrokenStatement) -> str | None:
    """Text that holds numbers is compared as what it is compared with.

    `WHERE flag = 1` over a text column becomes `WHERE flag = '1'`; `year > 2010` and `avg(age)` over text
    columns become `CAST(year AS numeric) > 2010` and `avg(CAST(age AS numeric))`; a number equal to a text
    column is cast to text; `born LIKE '1990%'` over a date becomes `CAST(born AS text) LIKE '1990%'`; 0 and
    1 beside a boolean become false and true.
    """
    scopes = broken.resolved()
    if scopes is None:
        return None
    columns = {id(r.node): r.column for r in references(scopes)}
    changed = False
    for node in list(walk(scopes.query)):
        if isinstance(node, ast.A_Expr):
            changed |= _expression(node, columns)
        elif isinstance(node, ast.SubLink):
            changed |= _membership(node, columns)
        elif isinstance(node, ast.FuncCall) and strings(node.funcname)[-1:] and node.args:
            argument = node.args[0]
            if strings(node.funcname)[-1] in _OF_NUMBERS and _category(argument, columns) == "S":
                node.args = (cast(argument, _NUMERIC), *node.args[1:])
                changed = True
    return to_sql(scopes.query) if changed else None


def cast(node: Any, type_name: tuple[str, ...]) -> ast.TypeCast:
    """CAST (node AS type)."""
    names = tuple(ast.String(sval=name) for name in type_name)
    return ast.TypeCast(arg=node, typeName=ast.TypeName(names=names, typemod=-1, setof=False, pct_type=False))


def _expression(node: Any, columns: dict[int, Column | None]) -> bool:
    operator = str(strings(node.name)[-1]) if node.name else ""
    if node.kind in _LIKES:
        if _category(node.lexpr, columns) in {"N", "D", "B"}:
            node.lexpr = cast(node.lexpr, _TEXT)
            return True
        return False
    if node.kind == enums.A_Expr_Kind.AEXPR_IN and isinstance(node.rexpr, tuple):
        if _category(node.lexpr, columns) == "S" and any(_category(v, columns) == "N" for v in node.rexpr):
            node.rexpr = tuple(_as_text(v) for v in node.rexpr)
            return True
        return False
    if node.kind == enums.A_Expr_Kind.AEXPR_BETWEEN:
        if _category(node.lexpr, columns) == "S" and any(_category(v, columns) == "N" for v in node.rexpr):
            node.lexpr = cast(node.lexpr, _NUMERIC)
            return True
        return False
    if node.kind != enums.A_Expr_Kind.AEXPR_OP or node.lexpr is None or node.rexpr is None:
        return False
    left, right = _category(node.lexpr, columns), _category(node.rexpr, columns)
    if {left, right} == {"B", "N"}:
        return _boolean(node, left == "B")
    if operator in _EQUAL and {left, right} == {"S", "N"}:
        side = "rexpr" if right == "N" else "lexpr"
        setattr(node, side, _as_text(getattr(node, side)))
        return True
    if (operator in _ORDERS and {left, right} == {"S", "N"}) or (
        operator in _ARITHMETIC and "S" in {left, right} and {left, right} <= {"S", "N", ""}
    ):
        for side, category in (("lexpr", left), ("rexpr", right)):
            if category == "S":
                setattr(node, side, cast(getattr(node, side), _NUMERIC))
        return True
    return False


def _membership(node: Any, columns: dict[int, Column | None]) -> bool:
    """Text that is looked for among numbers, or a number among text: both as text."""
    if node.subLinkType != enums.SubLinkType.ANY_SUBLINK or not node.subselect.targetList:
        return False
    target = node.subselect.targetList[0]
    left, right = _category(node.testexpr, columns), _category(target.val, columns)
    if {left, right} != {"S", "N"}:
        return False
    if left == "N":
        node.testexpr = cast(node.testexpr, _TEXT)
    else:
        target.val = cast(target.val, _TEXT)
    return True


def _as_text(node: Any) -> Any:
    """A number as text: a constant as a literal, all else by a cast."""
    if isinstance(node, ast.A_Const):
        if isinstance(node.val, ast.Integer):
            return ast.A_Const(isnull=False, val=ast.String(sval=str(node.val.ival)))
        if isinstance(node.val, ast.Float):
            return ast.A_Const(isnull=False, val=ast.String(sval=node.val.fval))
        return node
    return cast(node, _TEXT)


def _boolean(node: Any, left: bool) -> bool:
    side = "rexpr" if left else "lexpr"
    constant = getattr(node, side)
    if (
        not is_a(constant, ast.A_Const)
        or not is_a(constant.val, ast.Integer)
        or constant.val.ival not in {0, 1}
    ):
        return False
    setattr(node, side, ast.A_Const(isnull=False, val=ast.Boolean(boolval=constant.val.ival == 1)))
    return True


def _category(node: Any, columns: dict[int, Column | None]) -> str:
    """pg_type.typcategory of an expression, as far as its form tells: '' where it does not."""
    match node:
        case ast.ColumnRef():
            column = columns.get(id(node))
            return column.category if column is not None else ""
        case ast.A_Const(val=ast.Integer() | ast.Float()):
            return "N"
        case ast.A_Const(val=ast.Boolean()):
            return "B"
        case ast.FuncCall() if strings(node.funcname)[-1] in {
            "count",
            "sum",
            "avg",
            "length",
            "abs",
            "round",
        }:
            return "N"
        case ast.FuncCall() if strings(node.funcname)[-1] in {"max", "min"} and node.args:
            return _category(node.args[0], columns)
        case ast.FuncCall() if strings(node.funcname)[-1] in {
            "lower",
            "upper",
            "to_char",
            "substr",
            "substring",
            "trim",
        }:
            return "S"
        case ast.SubLink() if node.subLinkType == enums.SubLinkType.EXPR_SUBLINK:
            query: Any = node.subselect
            return _category(query.targetList[0].val, columns) if query.targetList else ""
        case _:
            return ""
