"""Ways to change a query a little, class by class; each is a mistake that a writer of SQL can make.

Owns: which places of a tree can be changed, and how. A class is a function that yields, for one tree, every
change of its kind as (what changes, a function that changes it); the order is fixed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, TypeAlias

from pglast import ast, enums

from askwire.bench.separation.equivalence import (
    groups_by_key,
    has_outer_join,
    is_never_null,
    is_strict_on,
    repeats_nothing,
    right_alias,
)
from askwire.bench.separation.places import Place, places, selects
from askwire.sql.catalog import Catalog, Relation

Change: TypeAlias = tuple[str, Callable[[], None]]
Finder: TypeAlias = "Callable[[ast.Node, Catalog | None], Iterator[Change]]"

_COMPARED: Final = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_AGGREGATES: Final = {"sum": "avg", "avg": "sum", "min": "max", "max": "min"}
_JOINS: Final[Mapping[enums.JoinType | None, tuple[tuple[enums.JoinType, str], ...]]] = {
    enums.JoinType.JOIN_INNER: ((enums.JoinType.JOIN_LEFT, "LEFT"), (enums.JoinType.JOIN_FULL, "FULL")),
    enums.JoinType.JOIN_LEFT: ((enums.JoinType.JOIN_INNER, "INNER"), (enums.JoinType.JOIN_RIGHT, "RIGHT")),
    enums.JoinType.JOIN_RIGHT: ((enums.JoinType.JOIN_INNER, "INNER"), (enums.JoinType.JOIN_LEFT, "LEFT")),
    enums.JoinType.JOIN_FULL: ((enums.JoinType.JOIN_INNER, "INNER"), (enums.JoinType.JOIN_LEFT, "LEFT")),
}
_INNER_AND_LEFT: Final = {enums.JoinType.JOIN_INNER, enums.JoinType.JOIN_LEFT}
_SET_OPERATIONS: Final = {
    enums.SetOperation.SETOP_UNION: "UNION",
    enums.SetOperation.SETOP_INTERSECT: "INTERSECT",
    enums.SetOperation.SETOP_EXCEPT: "EXCEPT",
}


def filters(root: ast.Node, _catalog: Catalog | None) -> Iterator[Change]:
    """`WHERE a AND b` → `WHERE b`, `WHERE NOT a AND b`, `WHERE a OR b`; the same in HAVING."""
    for place in _conditions(root):
        condition = place.node
        parts = [place]
        if isinstance(condition, ast.BoolExpr) and condition.boolop != enums.BoolExprType.NOT_EXPR:
            parts = [Place(condition, "args", i) for i in range(len(condition.args or ()))]
            is_and = condition.boolop == enums.BoolExprType.AND_EXPR
            yield "AND ↔ OR", _set(condition, "boolop", enums.BoolExprType(is_and))
        for part in parts:
            yield "a condition dropped", _drop(part, of=place)
            yield "a condition negated", _negate(part)


def boundaries(root: ast.Node, _catalog: Catalog | None) -> Iterator[Change]:
    """`<` ↔ `<=`, `>` ↔ `>=`, and `BETWEEN a AND b` → `>= a AND < b`."""
    for place in places(root):
        node = place.node
        if not isinstance(node, ast.A_Expr):
            continue
        if _is_operation(node) and _operator(node) in _COMPARED:
            other = _COMPARED[_operator(node)]
            yield f"{_operator(node)} became {other}", _set(node, "name", (ast.String(other),))
        elif node.kind == enums.A_Expr_Kind.AEXPR_BETWEEN:
            yield "BETWEEN without its end", _half_open(place)


def constants(root: ast.Node, _catalog: Catalog | None) -> Iterator[Change]:
    """Whole numbers that something is compared with, ± 1."""
    for place in places(root):
        node = place.node
        compared = isinstance(place.owner, ast.A_Expr) and _is_operation(place.owner)
        if compared and isinstance(node, ast.A_Const) and isinstance(node.val, ast.Integer):
            for step in (1, -1):
                yield f"a constant {step:+d}", _set(node, "val", ast.Integer((node.val.ival or 0) + step))


def join_kinds(root: ast.Node, _catalog: Catalog | None) -> Iterator[Change]:
    """INNER, LEFT, RIGHT and FULL for one another; CROSS and NATURAL joins stay."""
    # inner queries come later, and take their own joins from the outer ones
    where = {id(p.node): select.whereClause for select in selects(root) for p in places(select)}
    for place in places(root):
        node = place.node
        if not isinstance(node, ast.JoinExpr) or (node.quals is None and not node.usingClause):
            continue
        alias = right_alias(node)
        strict = bool(alias) and is_strict_on(where.get(id(node)), alias)
        for kind, name in _JOINS.get(node.jointype, ()):
            if not (strict and {node.jointype, kind} == _INNER_AND_LEFT):
                yield f"a join became {name}", _set(node, "jointype", kind)


def join_keys(root: ast.Node, catalog: Catalog | None) -> Iterator[Change]:
    """`a.id = b.a_id` → `a.id = b.other`, another column of b with a type that can be compared."""
    if catalog is None:
        return
    relations = _by_alias(root, catalog)
    for place in places(root):
        node = place.node
        if not (isinstance(node, ast.A_Expr) and _is_operation(node)):
            continue
        if _operator(node) != "=" or not (_is_column(node.lexpr) and _is_column(node.rexpr)):
            continue
        for side in ("rexpr", "lexpr"):
            fields = getattr(node, side).fields
            relation = relations.get(fields[0].sval) if len(fields) == 2 else None
            other = _other_column(relation, fields[-1].sval) if relation else None
            if other:
                changed = ast.ColumnRef(fields=(fields[0], ast.String(other)))
                yield f"a join on {other}", _set(node, side, changed)


def distinct(root: ast.Node, catalog: Catalog | None) -> Iterator[Change]:
    """SELECT ↔ SELECT DISTINCT, and `f(x)` ↔ `f(DISTINCT x)` for count, sum and avg."""
    for select in selects(root):
        relations = _by_alias(select, catalog) if catalog else {}
        if select.targetList is None or repeats_nothing(root, select, relations):
            continue
        if select.distinctClause:
            yield "DISTINCT dropped", _set(select, "distinctClause", None)
        else:
            yield "DISTINCT added", _set(select, "distinctClause", (None,))
    for call in _calls(root, "count", "sum", "avg"):
        if call.args:
            word = "dropped from" if call.agg_distinct else "added to"
            yield f"DISTINCT {word} {_name(call)}", _set(call, "agg_distinct", not call.agg_distinct)


def aggregates(root: ast.Node, catalog: Catalog | None) -> Iterator[Change]:
    """One aggregate for another: sum ↔ avg, min ↔ max, `count(x)` ↔ `count(*)`."""
    for call in _calls(root, *_AGGREGATES):
        other = _AGGREGATES[_name(call)]
        yield f"{_name(call)} became {other}", _set(call, "funcname", (ast.String(other),))
    nullable = _nullable_column(root, catalog) if catalog else None
    for call in _calls(root, "count"):
        if call.args and not call.agg_distinct and _is_never_null(call.args[0], root, catalog):
            continue
        if call.args:
            yield "count(column) became count(*)", _star(call)
        elif nullable:
            yield "count(*) became count(column)", _counted(call, nullable)


def groupings(root: ast.Node, catalog: Catalog | None) -> Iterator[Change]:
    """One column more or fewer in GROUP BY; a column that is dropped leaves the output too."""
    for select in selects(root):
        group = select.groupClause or ()
        if len(group) > 1:
            for index in range(len(group)):
                yield "a grouping column dropped", _ungroup(select, index)
        if group and catalog:
            known = {c.fields[-1].sval for c in group if _is_column(c)}
            relations = _by_alias(select, catalog)
            for alias, relation in relations.items():
                if groups_by_key(group, alias, relations):
                    continue
                more = next((c.name for c in relation.columns if c.name not in known), None)
                if more:
                    column = ast.ColumnRef(fields=(ast.String(alias), ast.String(more)))
                    yield f"grouped by {more} too", _set(select, "groupClause", (*group, column))
                break


def set_operations(root: ast.Node, _catalog: Catalog | None) -> Iterator[Change]:
    """UNION, INTERSECT and EXCEPT for one another, ALL added or dropped, the sides of EXCEPT swapped."""
    for select in selects(root):
        if select.op not in _SET_OPERATIONS:
            continue
        for other, name in _SET_OPERATIONS.items():
            if other != select.op:
                yield f"{_SET_OPERATIONS[select.op]} became {name}", _set(select, "op", other)
        yield ("ALL dropped" if select.all else "ALL added"), _set(select, "all", not select.all)
        if select.op == enums.SetOperation.SETOP_EXCEPT:
            yield "the sides of EXCEPT swapped", _swap(select)


def null_handling(root: ast.Node, catalog: Catalog | None) -> Iterator[Change]:
    """IS NULL ↔ IS NOT NULL, `<>` → IS DISTINCT FROM, `avg(x)` → `avg(coalesce(x, 0))`."""
    for place in places(root):
        node = place.node
        if isinstance(node, ast.NullTest):
            kinds = enums.NullTestType
            is_null = node.nulltesttype == kinds.IS_NULL
            other = kinds.IS_NOT_NULL if is_null else kinds.IS_NULL
            yield "IS NULL ↔ IS NOT NULL", _set(node, "nulltesttype", other)
        elif isinstance(node, ast.A_Expr) and _is_operation(node) and _operator(node) == "<>":
            if _is_never_null(node.lexpr, root, catalog) and _is_never_null(node.rexpr, root, catalog):
                continue
            yield "<> became IS DISTINCT FROM", _distinct_from(node)
    for call in _calls(root, "avg", "min"):
        if call.args and not _is_never_null(call.args[0], root, catalog):
            zero = ast.A_Const(val=ast.Integer(0))
            changed = ast.CoalesceExpr(args=(call.args[0], zero))
            yield f"NULL became 0 in {_name(call)}", _set(call, "args", (changed,))


def orderings(root: ast.Node, catalog: Catalog | None) -> Iterator[Change]:
    """ASC ↔ DESC, NULLS FIRST ↔ LAST, one of several sort keys dropped (none left would leave ties only)."""
    for place in places(root):
        node = place.node
        if isinstance(node, ast.SortBy):
            descends = node.sortby_dir == enums.SortByDir.SORTBY_DESC
            other = enums.SortByDir.SORTBY_ASC if descends else enums.SortByDir.SORTBY_DESC
            yield "ASC ↔ DESC", _set(node, "sortby_dir", other)
            first = node.sortby_nulls == enums.SortByNulls.SORTBY_NULLS_FIRST
            first = first or (descends and node.sortby_nulls == enums.SortByNulls.SORTBY_NULLS_DEFAULT)
            nulls = enums.SortByNulls
            other_nulls = nulls.SORTBY_NULLS_LAST if first else nulls.SORTBY_NULLS_FIRST
            if not _is_never_null(node.node, root, catalog):
                yield "NULLS FIRST ↔ LAST", _set(node, "sortby_nulls", other_nulls)
            if isinstance(place.owner, ast.SelectStmt) and len(place.owner.sortClause or ()) > 1:
                yield "a sort key dropped", place.put


def limits(root: ast.Node, _catalog: Catalog | None) -> Iterator[Change]:
    """LIMIT ± 1 and no LIMIT."""
    for select in selects(root):
        count = select.limitCount
        if not (isinstance(count, ast.A_Const) and isinstance(count.val, ast.Integer)):
            continue
        held = count.val.ival or 0
        for step in (1, -1):
            if held + step > 0:
                yield f"LIMIT {step:+d}", _set(count, "val", ast.Integer(held + step))
        yield "LIMIT dropped", _unlimited(select)


CLASSES: Final[Mapping[str, Finder]] = {
    "filter": filters,
    "boundary": boundaries,
    "constant": constants,
    "join kind": join_kinds,
    "join key": join_keys,
    "distinct": distinct,
    "aggregate": aggregates,
    "grouping": groupings,
    "set operation": set_operations,
    "null": null_handling,
    "ordering": orderings,
    "limit": limits,
}
"""The classes of mutants by name, in the order in which they are made."""


# --- what stands where


def _conditions(root: ast.Node) -> Iterator[Place]:
    for select in selects(root):
        for attribute in ("whereClause", "havingClause"):
            if getattr(select, attribute) is not None:
                yield Place(select, attribute)


def _operator(node: ast.A_Expr) -> str:
    return str((node.name or ())[-1].sval)


def _is_operation(node: ast.A_Expr) -> bool:
    return node.kind == enums.A_Expr_Kind.AEXPR_OP


def _is_column(node: Any) -> bool:
    return isinstance(node, ast.ColumnRef) and isinstance((node.fields or ())[-1], ast.String)


def _name(call: ast.FuncCall) -> str:
    return str((call.funcname or ())[-1].sval)


def _calls(root: ast.Node, *names: str) -> list[ast.FuncCall]:
    """Calls of these aggregates; a window's are left alone, few changes of them run."""
    found = (p.node for p in places(root) if isinstance(p.node, ast.FuncCall))
    return [c for c in found if _name(c) in names and c.over is None]


def _by_alias(root: ast.Node, catalog: Catalog) -> dict[str, Relation]:
    """The base relations in the FROM clauses below `root`, by the name that columns are qualified with."""
    found: dict[str, Relation] = {}
    for place in places(root):
        node = place.node
        if isinstance(node, ast.RangeVar) and node.relname:
            relation = catalog.find(node.relname, node.schemaname or "")
            if relation:
                alias = node.alias.aliasname if node.alias else None
                found.setdefault(alias or node.relname, relation)
    return found


def _is_never_null(node: Any, root: ast.Node, catalog: Catalog | None) -> bool:
    relations = _by_alias(root, catalog) if catalog and not has_outer_join(root) else {}
    return is_never_null(node, relations)


def _other_column(relation: Relation, name: str) -> str | None:
    """The next column of the same category, round the end."""
    column = relation.by_name.get(name)
    if column is None:
        return None
    alike = [c.name for c in relation.columns if c.category == column.category]
    ring: Sequence[tuple[str, str]] = [*pairwise([*alike, alike[0]])]
    return next((after for before, after in ring if before == name and after != name), None)


def _nullable_column(root: ast.Node, catalog: Catalog) -> ast.ColumnRef | None:
    for alias, relation in _by_alias(root, catalog).items():
        for column in relation.columns:
            if not column.not_null:
                return ast.ColumnRef(fields=(ast.String(alias), ast.String(column.name)))
    return None


# --- what is done


@dataclass(frozen=True, slots=True)
class _Steps:
    """Changes made together."""

    steps: tuple[Callable[[], None], ...]

    def __call__(self) -> None:
        for step in self.steps:
            step()


def _set(node: ast.Node, attribute: str, value: object) -> Callable[[], None]:
    return lambda: setattr(node, attribute, value)


def _drop(part: Place, *, of: Place) -> Callable[[], None]:
    def change() -> None:
        part.put()
        condition = of.node
        if part is not of and len(condition.args) == 1:
            of.put(condition.args[0])

    return change


def _negate(part: Place) -> Callable[[], None]:
    return lambda: part.put(ast.BoolExpr(boolop=enums.BoolExprType.NOT_EXPR, args=(part.node,)))


def _half_open(place: Place) -> Callable[[], None]:
    def change() -> None:
        node = place.node
        low, high = node.rexpr
        ends = (
            ast.A_Expr(kind=enums.A_Expr_Kind.AEXPR_OP, name=(ast.String(sign),), lexpr=node.lexpr, rexpr=end)
            for sign, end in ((">=", low), ("<", high))
        )
        place.put(ast.BoolExpr(boolop=enums.BoolExprType.AND_EXPR, args=tuple(ends)))

    return change


def _distinct_from(node: ast.A_Expr) -> Callable[[], None]:
    kind = _set(node, "kind", enums.A_Expr_Kind.AEXPR_DISTINCT)
    return _Steps((kind, _set(node, "name", (ast.String("="),))))


def _star(call: ast.FuncCall) -> Callable[[], None]:
    return _Steps((_set(call, "args", None), _set(call, "agg_star", True), _set(call, "agg_distinct", False)))


def _counted(call: ast.FuncCall, column: ast.ColumnRef) -> Callable[[], None]:
    return _Steps((_set(call, "args", (column,)), _set(call, "agg_star", False)))


def _ungroup(select: ast.SelectStmt, index: int) -> Callable[[], None]:
    def change() -> None:
        dropped = (select.groupClause or ())[index]
        Place(select, "groupClause", index).put()
        if not _is_column(dropped):
            return
        name = dropped.fields[-1].sval
        kept = tuple(
            t for t in select.targetList or () if not (_is_column(t.val) and t.val.fields[-1].sval == name)
        )
        if kept:
            select.targetList = kept

    return change


def _swap(select: ast.SelectStmt) -> Callable[[], None]:
    left, right = select.larg, select.rarg
    return _Steps((_set(select, "larg", right), _set(select, "rarg", left)))


def _unlimited(select: ast.SelectStmt) -> Callable[[], None]:
    limit_option = _set(select, "limitOption", enums.LimitOption.LIMIT_OPTION_DEFAULT)
    return _Steps((_set(select, "limitCount", None), limit_option))
