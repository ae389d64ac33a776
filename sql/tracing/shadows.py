"""A query over a chosen few rows: every base relation replaced by a shadow of the same name space.

Owns: renaming base relations, and what a query loses when its relations have no keys any more.

    SELECT public.s.name, count(*) FROM public.singer AS s GROUP BY s.id
 →  SELECT s.name, count(*) FROM _aw_0 AS s GROUP BY s.id, s.name
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pglast import ast

from askwire.sql.tracing.aggregates import is_aggregated
from askwire.sql.tracing.identity import Source
from askwire.sql.tracing.scopes import Item, Scope, Scopes, star_columns
from askwire.sql.tracing.tree import Untraceable, children, copy_node, copy_tree, strings, walk

VOLATILE: Final = frozenset(
    {"clock_timestamp", "gen_random_uuid", "random", "random_normal", "timeofday", "uuidv4", "uuidv7"}
)
"""Built-in functions that no number of evaluations on the same rows settles."""


def shadowed(scopes: Scopes, sources: Mapping[int, Source]) -> Any:
    """A copy of the query that reads `Source.shadow` instead of each base relation.

    Raises Untraceable where a query depends on what only a real table has.
    """
    extended = {id(query): _dependent(query, scope) for query, scope in _grouped(scopes)}
    return _shadow(scopes.query, scopes, sources, extended)


def _shadow(node: Any, scopes: Scopes, sources: Mapping[int, Source], extended: Mapping[int, Any]) -> Any:
    if isinstance(node, tuple):
        return tuple([_shadow(n, scopes, sources, extended) for n in node])
    if not isinstance(node, ast.Node):
        return node
    if isinstance(node, ast.RangeVar):
        relation = scopes.relations.get(id(node))
        if relation is None:
            return copy_tree(node)
        return ast.RangeVar(
            relname=sources[relation.oid].shadow,
            inh=True,
            relpersistence="p",
            alias=copy_tree(node.alias) or ast.Alias(aliasname=node.relname),
        )
    new = copy_node(node, lambda value: _shadow(value, scopes, sources, extended))
    if isinstance(new, ast.ColumnRef) and len(new.fields or ()) > 2:
        # schema.table.column: the shadow has no schema
        new.fields = (new.fields or ())[-2:]
    added = extended.get(id(node))
    if added:
        new.groupClause = (*(new.groupClause or ()), *added)
    return new


def _grouped(scopes: Scopes) -> list[tuple[Any, Scope]]:
    return [(s.query, s) for s in scopes.levels.values() if s.query.groupClause]


def _dependent(query: Any, scope: Scope) -> list[ast.ColumnRef]:
    """Columns that depend on a grouped primary key: a shadow has none, so they are grouped by as well."""
    items = query.groupClause
    if any(isinstance(n, ast.GroupingSet) for n in items):
        return []
    grouped = [_column(n, scope, query) for n in items]
    known = {c for c in grouped if c is not None}
    added: dict[tuple[str, str], ast.ColumnRef] = {}
    for item in scope.items:
        key = item.relation.primary_key if item.relation else ()
        if not key or item.hidden or not all((item.name, _renamed(item, k)) in known for k in key):
            continue
        dependent = len(added)
        parts = tuple(p for p in (query.targetList, query.havingClause, query.sortClause) if p is not None)
        for node in _ungrouped(parts):
            if isinstance((node.fields or ())[-1], ast.A_Star):
                star = strings(node.fields)[-1:]
                columns = list(star_columns(scope, star[0] if star else ""))
            else:
                columns = [_column(node, scope, query) or ("", "")]
            for column in columns:
                if column[0] == item.name and column not in known:
                    added[column] = _reference(*column)
        if len(added) > dependent and item.relation is not None and item.relation.inherited:
            raise Untraceable(f"it groups {item.name} by a key that does not hold for tables that inherit")
    return list(added.values())


def _ungrouped(parts: Any) -> list[ast.ColumnRef]:
    """The columns a grouped level uses outside of aggregate calls, nested queries included."""
    found: list[ast.ColumnRef] = []
    for node in [parts] if isinstance(parts, ast.Node) else [n for part in parts for n in _top(part)]:
        if isinstance(node, ast.ColumnRef):
            found.append(node)
        elif isinstance(node, ast.FuncCall) and is_aggregated(_level_of(node)):
            continue
        else:
            found.extend(c for child in children(node) for c in _ungrouped(child))
    return found


def _top(part: Any) -> list[ast.Node]:
    return list(part) if isinstance(part, tuple) else [part]


def _level_of(call: ast.FuncCall) -> Any:
    return ast.SelectStmt(targetList=(ast.ResTarget(val=call),))


def _column(node: Any, scope: Scope, query: Any) -> tuple[str, str] | None:
    """The (item, column) of this level that an expression is, through positions and output names."""
    if isinstance(node, ast.A_Const) and isinstance(node.val, ast.Integer):
        position = int(node.val.ival or 0)
        targets = query.targetList or ()
        if 1 <= position <= len(targets):
            return _column(targets[position - 1].val, scope, query)
    if not isinstance(node, ast.ColumnRef):
        return None
    names = strings(node.fields)
    if len(names) != len(node.fields or ()):
        return None
    if len(names) == 1:
        found = scope.find(names[0])
        if found is not None:
            return found.name, names[0]
        for target in query.targetList or ():
            if target.name == names[0]:
                return _column(target.val, scope, query)
        return None
    item = scope.named(names[-2])
    return (item.name, names[-1]) if item is not None else None


def _renamed(item: Item, column: str) -> str:
    """A column of the relation under the name an alias list gives it."""
    relation = item.relation
    if relation is None or column not in relation.by_name:
        return column
    return item.columns[[c.name for c in relation.columns].index(column)]


def _reference(item: str, column: str) -> ast.ColumnRef:
    return ast.ColumnRef(fields=(ast.String(sval=item), ast.String(sval=column)))


def check_shadows(scopes: Scopes) -> None:
    """Raise Untraceable for a query whose answer its rows alone do not determine."""
    for node in walk(scopes.query):
        if isinstance(node, ast.FuncCall):
            name = strings(node.funcname)[-1]
            if name in VOLATILE:
                raise Untraceable(f"it calls {name}, which gives another value each time")
