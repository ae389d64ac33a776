"""Columns shown beside aggregates and not grouped by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pglast import ast, enums

from askwire.sql.printing import to_sql
from askwire.sql.tracing.scopes import Item, Scope, Scopes
from askwire.sql.tracing.tree import children, strings, walk
from askwire.verifier.repair.broken import BrokenStatement, references

AGGREGATES: Final = frozenset(
    (
        *("count", "sum", "avg", "min", "max", "stddev", "variance"),
        *("string_agg", "array_agg", "bool_and", "bool_or", "every", "any_value"),
    )
)


def group_by(broken: BrokenStatement) -> str | None:
    """GROUP BY takes in what is shown beside it; a maximum's own row is shown by ordering.

    `SELECT o.name, count(*) FROM owners o JOIN dogs d ON o.id = d.owner GROUP BY d.owner` becomes `… GROUP
    BY d.owner, o.name`. Without a GROUP BY, `SELECT name, max(age) FROM dogs` becomes `SELECT name, age AS
    max FROM dogs ORDER BY age DESC NULLS LAST LIMIT 1`, as SQLite reads it.
    """
    scopes = broken.resolved()
    if scopes is None:
        return None
    changed = False
    for level in scopes.levels.values():
        query = level.query
        if query.op != enums.SetOperation.SETOP_NONE or not (query.groupClause or _aggregates(query)):
            continue
        missing = _missing(level, scopes)
        if not missing:
            continue
        if not query.groupClause and _row_of_extreme(query):
            changed = True
            continue
        query.groupClause = (*(query.groupClause or ()), *missing)
        changed = True
    return to_sql(scopes.query) if changed else None


def _aggregates(query: Any) -> list[ast.FuncCall]:
    parts = [*(query.targetList or ()), *(query.sortClause or ()), query.havingClause]
    return [
        n
        for p in parts
        if p is not None
        for n in walk(p, into_queries=False)
        if isinstance(n, ast.FuncCall) and is_aggregate(n)
    ]


def is_aggregate(node: Any) -> bool:
    """Whether a call is of an aggregate, not over a window."""
    names = strings(node.funcname)
    return bool(names) and names[-1] in AGGREGATES and node.over is None


def _missing(level: Scope, scopes: Scopes) -> list[ast.ColumnRef]:
    """The columns of this level that stand outside of aggregates and are not grouped by, each once."""
    query = level.query
    if any(not isinstance(g, ast.ColumnRef) for g in query.groupClause or ()):
        return []
    refs = {id(r.node): r for r in references(scopes) if r.level is level}
    grouped: set[tuple[str, str]] = set()
    shown = {t.name: t.val for t in query.targetList or () if t.name}
    for part in query.groupClause or ():
        names = strings(part.fields)
        value = shown.get(names[0]) if len(names) == 1 else None
        made = refs.get(id(value if isinstance(value, ast.ColumnRef) else part))
        if made is not None and len(made.items) == 1:
            grouped.add((made.items[0].name, made.name))
    missing: dict[tuple[str, str], ast.ColumnRef] = {}
    for part in (*(query.targetList or ()), query.havingClause, *(query.sortClause or ())):
        for node in _outside(part):
            if node.fields and isinstance(node.fields[-1], ast.A_Star):
                for item in level.items:
                    for column in item.columns:
                        _add(item, column, grouped, missing)
                continue
            made = refs.get(id(node))
            if made is not None and len(made.items) == 1 and not made.known and made.items[0] in level.items:
                _add(made.items[0], made.name, grouped, missing)
    return list(missing.values())


def _add(
    item: Item, column: str, grouped: set[tuple[str, str]], missing: dict[tuple[str, str], ast.ColumnRef]
) -> None:
    key = item.relation.primary_key if item.relation else ()
    determined = bool(key) and all((item.name, k) in grouped for k in key)
    if (item.name, column) not in grouped and not determined:
        fields = (ast.String(sval=item.name), ast.String(sval=column))
        missing.setdefault((item.name, column), ast.ColumnRef(fields=fields))


def _outside(node: Any) -> Iterator[ast.ColumnRef]:
    """The column references of an expression that stand outside of aggregates and subqueries."""
    if (
        node is None
        or isinstance(node, ast.SelectStmt)
        or (isinstance(node, ast.FuncCall) and is_aggregate(node))
    ):
        return
    if isinstance(node, ast.ColumnRef):
        yield node
        return
    for child in children(node):
        yield from _outside(child)


def _row_of_extreme(query: Any) -> bool:
    """Turn `a, max(b)` into `a, b` of the row where b is largest; whether it was such a query."""
    calls = [t for t in query.targetList or () if isinstance(t.val, ast.FuncCall) and is_aggregate(t.val)]
    if (
        len(calls) != 1
        or len(_aggregates(query)) != 1
        or query.sortClause
        or query.limitCount
        or query.havingClause
    ):
        return False
    call = calls[0].val
    name = strings(call.funcname)[-1]
    if name not in {"max", "min"} or call.agg_distinct or not isinstance(call.args[0], ast.ColumnRef):
        return False
    calls[0].name = calls[0].name or name
    calls[0].val = call.args[0]
    descends = name == "max"
    query.sortClause = (
        ast.SortBy(
            node=call.args[0],
            sortby_dir=enums.SortByDir.SORTBY_DESC if descends else enums.SortByDir.SORTBY_ASC,
            sortby_nulls=enums.SortByNulls.SORTBY_NULLS_LAST
            if descends
            else enums.SortByNulls.SORTBY_NULLS_DEFAULT,
        ),
    )
    query.limitCount = ast.A_Const(isnull=False, val=ast.Integer(ival=1))
    query.limitOption = enums.LimitOption.LIMIT_OPTION_COUNT
    return True
