"""Division that throws the remainder away."""

from __future__ import annotations

from typing import Any, Final

from pglast import ast

from askwire.sql.tracing.tree import walk
from askwire.verifier.lints.linted import Finding, LintSubject, call_name, operator

_INTEGERS: Final = frozenset({20, 21, 23})


def integer_division(linted: LintSubject) -> Finding | None:
    """`count(*) / (SELECT count(*) …)` of whole numbers is 0 or a whole number; cast one side.

    A plain number as divisor is left alone: `year / 10` may be meant.
    """
    looked = False
    for level in linted.levels:
        for node in walk(_parts(level.query)):
            if operator(node) != "/":
                continue
            looked = True
            left, right = node.lexpr, node.rexpr  # type: ignore[attr-defined]
            if isinstance(right, ast.A_Const):
                continue
            if _whole(left, linted) and _whole(right, linted):
                return Finding("/ between whole numbers drops the fraction; cast one side to numeric")
    return Finding() if looked else None


def _parts(query: Any) -> tuple[Any, ...]:
    return (*(query.targetList or ()), *(query.sortClause or ()), *filter(None, (query.havingClause,)))


def _whole(node: Any, linted: LintSubject) -> bool:
    """Whether an expression is of an integer type, as far as its form tells."""
    match node:
        case ast.A_Const(val=ast.Integer()):
            return True
        case ast.FuncCall() if call_name(node) in {"count", "length"}:
            return True
        case ast.FuncCall() if call_name(node) in {"sum", "max", "min", "abs", "coalesce"} and node.args:
            found = linted.column(node.args[0])
            small = {21, 23} if call_name(node) == "sum" else _INTEGERS  # the sum of bigints is numeric
            if isinstance(node.args[0], ast.CaseExpr):
                results = [w.result for w in node.args[0].args or ()]
                return all(_whole(r, linted) for r in results)
            return found is not None and found[1].type_oid in small
        case ast.ColumnRef():
            found = linted.column(node)
            return found is not None and found[1].type_oid in _INTEGERS
        case ast.A_Expr() if operator(node) in {"+", "-", "*", "/"} and node.lexpr is not None:
            return _whole(node.lexpr, linted) and _whole(node.rexpr, linted)
        case ast.SubLink() if isinstance(node.subselect, ast.SelectStmt) and node.subselect.targetList:
            return _whole(node.subselect.targetList[0].val, linted)
        case _:
            return False
