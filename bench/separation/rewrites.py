"""Rewrites of a query that cannot change what it answers: whatever says that the two differ is mistaken.

Owns: the ways to say the same otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from pglast import ast, enums

from askwire.bench.separation.mutations import Change, Finder
from askwire.bench.separation.places import Place, places, selects
from askwire.sql.catalog import Catalog

_FLIPPED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "="}


def _put(node: Any, **attributes: Any) -> Callable[[], None]:
    def apply() -> None:
        for name, value in attributes.items():
            setattr(node, name, value)

    return apply


def _expressions(root: ast.Node, kind: enums.A_Expr_Kind) -> Iterator[tuple[Place, Any]]:
    """The operations of a kind, each with its place."""
    return ((p, p.node) for p in places(root) if isinstance(p.node, ast.A_Expr) and p.node.kind == kind)


def _is_star(target: Any) -> bool:
    fields = getattr(getattr(target, "val", None), "fields", None) or ()
    return any(isinstance(one, ast.A_Star) for one in fields)


def _has_star(root: ast.Node) -> bool:
    return any(isinstance(p.node, ast.ResTarget) and _is_star(p.node) for p in places(root))


def conditions(root: ast.Node, _catalog: Catalog | None) -> Iterator[Change]:
    """`a AND b` → `b AND a`; the same with OR."""
    for place in places(root):
        node = place.node
        if isinstance(node, ast.BoolExpr) and node.boolop != enums.BoolExprType.NOT_EXPR:
            yield "conditions in another order", _put(node, args=tuple(reversed(node.args or ())))


def comparisons(root: ast.Node, _catalog: Catalog | None) -> Iterator[Change]:
    """`a < b` → `b > a`."""
    for _, node in _expressions(root, enums.A_Expr_Kind.AEXPR_OP):
        operator = node.name[-1].sval
        if node.lexpr is not None and operator in _FLIPPED:
            flipped = (ast.String(_FLIPPED[operator]),)
            yield "sides exchanged", _put(node, name=flipped, lexpr=node.rexpr, rexpr=node.lexpr)


def ranges(root: ast.Node, _catalog: Catalog | None) -> Iterator[Change]:
    """`x BETWEEN a AND b` → `x >= a AND x <= b`."""
    for place, node in _expressions(root, enums.A_Expr_Kind.AEXPR_BETWEEN):
        low, high = node.rexpr
        sides = (_operation(">=", node.lexpr, low), _operation("<=", node.lexpr, high))
        both = ast.BoolExpr(boolop=enums.BoolExprType.AND_EXPR, args=sides)
        yield "BETWEEN written out", partial(place.put, both)


def lists(root: ast.Node, _catalog: Catalog | None) -> Iterator[Change]:
    """`x IN (a, b)` → `x = a OR x = b`."""
    for place, node in _expressions(root, enums.A_Expr_Kind.AEXPR_IN):
        if node.name[-1].sval == "=" and len(node.rexpr) > 1:
            sides = tuple(_operation("=", node.lexpr, one) for one in node.rexpr)
            either = ast.BoolExpr(boolop=enums.BoolExprType.OR_EXPR, args=sides)
            yield "IN written out", partial(place.put, either)


def _operation(operator: str, left: Any, right: Any) -> ast.A_Expr:
    return ast.A_Expr(enums.A_Expr_Kind.AEXPR_OP, (ast.String(operator),), left, right)


def joins(root: ast.Node, _catalog: Catalog | None) -> Iterator[Change]:
    """`a JOIN b ON c` → `b JOIN a ON c`, and `a, b WHERE c`."""
    if _has_star(root):
        return
    for place in places(root):
        node = place.node
        if _is_inner(node):
            yield "join sides exchanged", _put(node, larg=node.rarg, rarg=node.larg)
    for select in selects(root):
        sources = tuple(select.fromClause or ())
        for number, item in enumerate(sources):
            if _is_inner(item) and item.quals is not None:
                apart = (*sources[:number], item.larg, item.rarg, *sources[number + 1 :])
                kept = tuple(c for c in (item.quals, select.whereClause) if c is not None)
                where = (
                    kept[0] if len(kept) == 1 else ast.BoolExpr(boolop=enums.BoolExprType.AND_EXPR, args=kept)
                )
                yield "join as a condition", _put(select, fromClause=apart, whereClause=where)


def _is_inner(node: Any) -> bool:
    return (
        isinstance(node, ast.JoinExpr)
        and node.jointype == enums.JoinType.JOIN_INNER
        and not node.isNatural
        and not node.usingClause
        and node.alias is None
    )


def distinct(root: ast.Node, _catalog: Catalog | None) -> Iterator[Change]:
    """`SELECT DISTINCT a` → `SELECT a … GROUP BY a`."""
    for select in selects(root):
        shown = select.targetList or ()
        plain = all(isinstance(target.val, ast.ColumnRef) and not _is_star(target) for target in shown)
        if select.distinctClause == (None,) and plain and not select.groupClause and not select.sortClause:
            keys = tuple(target.val for target in shown)
            yield "DISTINCT as groups", _put(select, distinctClause=None, groupClause=keys)


def counts(root: ast.Node, _catalog: Catalog | None) -> Iterator[Change]:
    """`count(*)` → `count(1)`."""
    for place in places(root):
        node = place.node
        if isinstance(node, ast.FuncCall) and node.agg_star:
            one = ast.A_Const(val=ast.Integer(1))
            yield "count(1)", _put(node, agg_star=False, args=(one,))


def nested(root: ast.Node, _catalog: Catalog | None) -> Iterator[Change]:
    """`q` → `SELECT * FROM (q) AS inner_query`."""
    query = getattr(root, "stmt", None)
    if isinstance(query, ast.SelectStmt):
        star = ast.ResTarget(val=ast.ColumnRef(fields=(ast.A_Star(),)))
        source = ast.RangeSubselect(lateral=False, subquery=query, alias=ast.Alias("inner_query"))
        around = ast.SelectStmt(targetList=(star,), fromClause=(source,), op=enums.SetOperation.SETOP_NONE)
        yield "as a subquery", _put(root, stmt=around)


REWRITES: Final[Mapping[str, Finder]] = MappingProxyType(
    {
        "conditions": conditions,
        "comparisons": comparisons,
        "ranges": ranges,
        "lists": lists,
        "joins": joins,
        "distinct": distinct,
        "counts": counts,
        "nested": nested,
    }
)
