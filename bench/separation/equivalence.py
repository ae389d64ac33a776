"""Changes of a query that cannot change its answer: no mutants are made of them.

Owns: what the grammar and the catalog alone can tell. Cautious in one direction only: what is said to be
equivalent is; many equivalent changes are not recognised.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pglast import ast, enums
from pglast.stream import RawStream

from askwire.bench.separation.places import Place, places
from askwire.sql.catalog import Column, Relation

_AGGREGATES = frozenset(("count", "sum", "avg", "min", "max"))
_DEDUPLICATED = (
    enums.SubLinkType.ANY_SUBLINK,
    enums.SubLinkType.ALL_SUBLINK,
    enums.SubLinkType.EXISTS_SUBLINK,
)

Relations = Mapping[str, Relation]
"""The base relations of a query by the name that columns are qualified with."""


def repeats_nothing(root: ast.Node, select: ast.SelectStmt, relations: Relations) -> bool:
    """Whether DISTINCT makes no difference to a SELECT.

    Its rows differ anyway (one row, all grouping columns, a primary key of its only relation), or repetition
    does not count where it stands. `relations` are those of its FROM clause.
    """
    if not select.groupClause and any(map(_is_aggregate, _nodes(select.targetList))):
        return True
    shown = [str(RawStream()(target.val)) for target in select.targetList or ()]
    if select.groupClause:
        return all(str(RawStream()(key)) in shown for key in select.groupClause)
    if len(relations) == 1 and len(select.fromClause or ()) == 1:
        [relation] = relations.values()
        columns = {name.rpartition(".")[2] for name in shown}
        if relation.primary_key and columns.issuperset(relation.primary_key):
            return True
    for place in places(root):
        owner: Any = place.owner
        if place.node is select:
            in_sublink = isinstance(owner, ast.SubLink) and owner.subLinkType in _DEDUPLICATED
            in_set = (
                isinstance(owner, ast.SelectStmt) and place.attribute in ("larg", "rarg") and not owner.all
            )
            return in_sublink or in_set
    return False


def is_never_null(node: Any, relations: Relations) -> bool:
    """Whether an expression is a count, a constant, or a column declared NOT NULL of a single relation.

    Only for queries without outer joins may a column's declaration be relied on: see `has_outer_join`.
    """
    if isinstance(node, ast.A_Const):
        return not node.isnull
    if isinstance(node, ast.FuncCall):
        return str((node.funcname or ())[-1].sval) == "count"
    column = column_of(node, relations)
    return column is not None and column.not_null


def column_of(node: Any, relations: Relations) -> Column | None:
    """The column a reference means, where its qualifier or its being the only one of that name says so."""
    if not isinstance(node, ast.ColumnRef):
        return None
    names = [f.sval for f in node.fields or () if isinstance(f, ast.String)]
    if len(names) == 2:
        relation = relations.get(str(names[0]))
        return relation.by_name.get(str(names[1])) if relation else None
    found = [r.by_name[str(names[0])] for r in relations.values() if names and names[0] in r.by_name]
    return found[0] if len(found) == 1 else None


def has_outer_join(root: ast.Node) -> bool:
    """Whether a join below `root` can fill columns with NULL."""
    joins = (p.node for p in places(root) if isinstance(p.node, ast.JoinExpr))
    return any(join.jointype != enums.JoinType.JOIN_INNER for join in joins)


def is_strict_on(condition: Any, alias: str) -> bool:
    """Whether a WHERE clause lets no row pass in which all columns of `alias` are NULL."""
    if isinstance(condition, ast.BoolExpr) and condition.boolop != enums.BoolExprType.NOT_EXPR:
        enough = any if condition.boolop == enums.BoolExprType.AND_EXPR else all
        return enough(is_strict_on(part, alias) for part in condition.args or ())
    if not isinstance(condition, ast.A_Expr) or condition.kind != enums.A_Expr_Kind.AEXPR_OP:
        return False
    sides = (condition.lexpr, condition.rexpr)
    return any(isinstance(s, ast.ColumnRef) and (s.fields or ())[0].sval == alias for s in sides)


def groups_by_key(group: tuple[Any, ...], alias: str, relations: Relations) -> bool:
    """Whether GROUP BY holds the primary key of `alias`: its other columns change no group."""
    relation = relations[alias]
    names = set()
    for node in group:
        column = column_of(node, relations)
        if column is not None and relation.by_name.get(column.name) is column:
            names.add(column.name)
    return bool(relation.primary_key) and names.issuperset(relation.primary_key)


def _nodes(held: tuple[Any, ...] | None) -> Iterator[Any]:
    for node in held or ():
        if isinstance(node, ast.Node):
            yield node
            yield from (place.node for place in places(node))


def _is_aggregate(node: Any) -> bool:
    named = isinstance(node, ast.FuncCall) and str((node.funcname or ())[-1].sval) in _AGGREGATES
    return named and node.over is None


def right_alias(join: ast.JoinExpr) -> str:
    """The name of what a join has on its right; '' where it is no single relation."""
    right = Place(join, "rarg").node
    if not isinstance(right, ast.RangeVar):
        return ""
    return str((right.alias.aliasname if right.alias else None) or right.relname)
