"""The rows that one query's conditions keep and the other's do not, when both join the same relations.

Owns: recognising the same FROM clause under other aliases and another join order, and the query for the
difference.

    SELECT name FROM singer s WHERE age > 20    and    SELECT count(*) FROM singer WHERE age >= 20
 →  SELECT concat_ws(…) AS l FROM singer AS t WHERE t.age > 20 AND (t.age >= 20) IS NOT TRUE
    SELECT concat_ws(…) AS l FROM singer AS t WHERE t.age >= 20 AND (t.age > 20) IS NOT TRUE
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pglast import ast
from pglast.enums import JoinType

from askwire.sql.printing import to_sql
from askwire.sql.tracing.identity import RECORD_SQL, Source, token
from askwire.sql.tracing.scopes import Scope, Scopes
from askwire.sql.tracing.tree import copy_tree, is_set_operation, strings, walk


@dataclass(frozen=True)
class _JoinClause:
    """A FROM clause of inner joins: relations by canonical alias, and all conditions as SQL."""

    relations: Mapping[str, Source]
    conditions: tuple[str, ...]


def difference(first: Scopes, second: Scopes, sources: Mapping[int, Source]) -> list[str]:
    """Queries for the lineage of rows that one keeps and the other does not; empty where it does not apply.

    Applies to two single query levels whose FROM clauses are inner joins of the same relations. One query
    for each direction, so that the planner has the conditions of the query whose rows it lists.
    """
    both = _alike(first, second, sources)
    if both is None:
        return []
    head = _head(both[0])
    found = []
    for kept, dropped in (both, both[::-1]):
        more = [f"({c})" for c in dropped.conditions if c not in kept.conditions]
        if more:
            where = [f"({c})" for c in kept.conditions]
            found.append(head + " AND ".join([*where, f"({' AND '.join(more)}) IS NOT TRUE"]))
    return found


def either(first: Scopes, second: Scopes, sources: Mapping[int, Source]) -> str:
    """The same in one query for both directions; empty where it does not apply.

    One pass over a large table finds a rare row, whichever of the two keeps it.
    """
    both = _alike(first, second, sources)
    if both is None:
        return ""
    one, two = both
    shared = [f"({c})" for c in one.conditions if c in two.conditions]
    own = [
        " AND ".join(f"({c})" for c in kept.conditions if c not in other.conditions) or "true"
        for kept, other in (both, both[::-1])
    ]
    if own[0] == own[1]:
        return ""
    parts = [*shared, f"(({own[0]}) IS TRUE) <> (({own[1]}) IS TRUE)"]
    return _head(one) + " AND ".join(parts)


def _alike(
    first: Scopes, second: Scopes, sources: Mapping[int, Source]
) -> tuple[_JoinClause, _JoinClause] | None:
    """The FROM clauses of both where they join the same."""
    one, two = (_joined(s, sources) for s in (first, second))
    return None if one is None or two is None or one.relations != two.relations else (one, two)


def _head(joined: _JoinClause) -> str:
    tables = ", ".join(f"{of.qualified} AS {alias}" for alias, of in joined.relations.items())
    tokens = ", ".join(token(of, alias) for alias, of in joined.relations.items())
    return f"SELECT pg_catalog.concat_ws({RECORD_SQL}, {tokens}) AS l FROM {tables} WHERE "


def _joined(scopes: Scopes, sources: Mapping[int, Source]) -> _JoinClause | None:
    query: Any = scopes.query
    if is_set_operation(query) or query.withClause is not None or not query.fromClause:
        return None
    scope = scopes.scope(query)
    conditions: list[Any] = []
    if not all(_flatten(node, conditions) for node in query.fromClause):
        return None
    relations: dict[str, Source] = {}
    renamed: dict[str, str] = {}
    seen: Counter[int] = Counter()
    for item in sorted(scope.items, key=lambda i: i.relation.oid if i.relation else 0):
        if item.relation is None or item.columns != tuple(c.name for c in item.relation.columns):
            return None
        alias = f"_aw_t{item.relation.oid}_{seen[item.relation.oid]}"
        seen[item.relation.oid] += 1
        relations[alias] = sources[item.relation.oid]
        renamed[item.name] = alias
    if query.whereClause is not None:
        _conjuncts(query.whereClause, conditions)
    if _redefines(conditions, renamed):
        return None
    texts = tuple(dict.fromkeys(to_sql(_rename(copy_tree(c), renamed, scope)) for c in conditions))
    return _JoinClause(relations, texts)


def _flatten(node: Any, conditions: list[Any]) -> bool:
    if isinstance(node, ast.RangeVar):
        return True
    if (
        not isinstance(node, ast.JoinExpr)
        or node.jointype != JoinType.JOIN_INNER
        or node.isNatural
        or node.usingClause
        or node.alias is not None
    ):
        return False
    if node.quals is not None:
        _conjuncts(node.quals, conditions)
    return _flatten(node.larg, conditions) and _flatten(node.rarg, conditions)


def _conjuncts(node: Any, conditions: list[Any]) -> None:
    if isinstance(node, ast.BoolExpr) and node.boolop is not None and node.boolop.name == "AND_EXPR":
        for part in node.args or ():
            _conjuncts(part, conditions)
    else:
        conditions.append(node)


def _redefines(conditions: list[Any], renamed: Mapping[str, str]) -> bool:
    """Whether a nested query gives one of the names a meaning of its own."""
    for node in walk(tuple(conditions)):
        if isinstance(node, ast.RangeVar):
            name = (node.alias.aliasname if node.alias is not None else node.relname) or ""
            if name in renamed:
                return True
        elif isinstance(node, (ast.RangeSubselect, ast.RangeFunction)) and node.alias is not None:
            redefined = node.alias.aliasname in renamed
            if redefined:
                return True
    return False


def _rename(condition: Any, renamed: Mapping[str, str], scope: Scope) -> Any:
    for node in walk(condition, into_queries=False):
        if isinstance(node, ast.ColumnRef) and len(strings(node.fields)) == 1 and len(node.fields or ()) == 1:
            item = scope.find(strings(node.fields)[0])
            if item is not None:
                node.fields = (ast.String(sval=renamed[item.name]), *(node.fields or ()))
    for node in walk(condition):
        if isinstance(node, ast.ColumnRef) and len(node.fields or ()) >= 2:
            fields = node.fields or ()
            qualifier = getattr(fields[-2], "sval", "")
            if qualifier in renamed:
                node.fields = (ast.String(sval=renamed[qualifier]), fields[-1])
    return condition
