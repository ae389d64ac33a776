"""How large an expression can become when the planner puts subqueries in the place of what they name.

Owns: a bound from above on the nodes of a planned query, by the names of outputs: a column of a relation
counts one, an output what its expression names. Twenty-four levels of `SELECT x || x AS x FROM (…)` are a
kilobyte of text and sixteen million nodes, and PostgreSQL hears no cancel while it makes them. Must not know:
what is allowed otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pglast import ast

from askwire.core.errors import RefusedByGate

MAX_NODES: Final = 50_000

_Weights = Mapping[str, int]
_ALL: Final = "*"


def check_expansion(statement: Any) -> None:
    """Raise `RefusedByGate` for a query that could become larger than `MAX_NODES`."""
    if isinstance(statement, ast.SelectStmt):
        _query(statement, {})


def _query(query: Any, ctes: Mapping[str, _Weights]) -> _Weights:
    """The weights of a query's outputs by name, that of the heaviest under `*`."""
    if query.withClause is not None:
        known = dict(ctes)
        for cte in query.withClause.ctes:
            if isinstance(cte.ctequery, ast.SelectStmt):
                known[cte.ctename] = _renamed(_query(cte.ctequery, known), cte.aliascolnames)
        ctes = known
    if query.larg is not None:
        left, right = _query(query.larg, ctes), _query(query.rarg, ctes)
        return {name: max(left.get(name, 1), right.get(name, right[_ALL])) for name in left}
    items: list[tuple[str, _Weights]] = []
    for item in query.fromClause or ():
        items += _items(item, ctes)
    outputs: dict[str, int] = {_ALL: 1}
    total = 0
    for target in query.targetList or ():
        weight = _weight(target.val, items, ctes)
        total += weight
        name = target.name or _named(target.val)
        if name == _ALL:
            for _, columns in items:
                outputs.update({n: max(w, outputs.get(n, 1)) for n, w in columns.items()})
        else:
            outputs[name] = max(weight, outputs.get(name, 1))
        outputs[_ALL] = max(outputs[_ALL], weight)
    for clause in (
        query.whereClause,
        query.groupClause,
        query.havingClause,
        query.sortClause,
        query.valuesLists,
    ):
        total += _weight(clause, items, ctes)
    _bound(total)
    return outputs


def _items(item: Any, ctes: Mapping[str, _Weights]) -> Iterator[tuple[str, _Weights]]:
    if isinstance(item, ast.JoinExpr):
        inside = [*_items(item.larg, ctes), *_items(item.rarg, ctes)]
        _bound(_weight(item.quals, inside, ctes))
        yield from inside
        if item.alias is not None:
            merged: dict[str, int] = {}
            for _, columns in inside:
                merged.update({n: max(w, merged.get(n, 1)) for n, w in columns.items()})
            yield str(item.alias.aliasname), merged
    elif isinstance(item, ast.RangeSubselect):
        alias = item.alias
        columns = _query(item.subquery, ctes)
        yield str(alias.aliasname if alias else ""), _renamed(columns, alias.colnames if alias else None)
    elif isinstance(item, ast.RangeVar):
        alias = item.alias
        columns = ctes.get(item.relname or "", {}) if not item.schemaname else {}
        name = alias.aliasname if alias else item.relname
        yield str(name), _renamed(columns, alias.colnames if alias else None)


def _renamed(columns: _Weights, names: Any) -> _Weights:
    """Columns under other names: each as heavy as the heaviest, because the order is not followed."""
    if not names:
        return columns
    heaviest = max(columns.values(), default=1)
    return {**columns, **{part.sval: heaviest for part in names}, _ALL: heaviest}


def _named(node: Any) -> str:
    if isinstance(node, ast.ColumnRef):
        last: Any = (node.fields or ())[-1]
        return str(last.sval) if isinstance(last, ast.String) else _ALL
    return "?column?"


def _weight(node: Any, items: list[tuple[str, _Weights]], ctes: Mapping[str, _Weights]) -> int:
    """The nodes of an expression, with what its columns stand for."""
    total = 0
    pending: list[Any] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, tuple):
            pending.extend(part)
        elif isinstance(part, ast.ColumnRef):
            total += _column(part, items)
        elif isinstance(part, ast.SelectStmt):
            # what it takes from around it weighs there as well
            total += _inner(part, items, ctes)
        elif isinstance(part, ast.Node):
            total += 1
            pending.extend(getattr(part, name) for name in type(part).__slots__)  # type: ignore[attr-defined]
        _bound(total)
    return total


def _inner(query: Any, items: list[tuple[str, _Weights]], ctes: Mapping[str, _Weights]) -> int:
    outer = {n: w for _, columns in items for n, w in columns.items()}
    found = _query(query, ctes)
    return max(found.values(), default=1) + max(outer.values(), default=1)


def _column(reference: Any, items: list[tuple[str, _Weights]]) -> int:
    names = [str(part.sval) for part in reference.fields if isinstance(part, ast.String)]
    if len(names) < len(reference.fields):
        return max((columns.get(_ALL, 1) for _, columns in items), default=1)
    if len(names) > 1:
        within = [columns for name, columns in items if name == names[-2]]
    else:
        within = [columns for _, columns in items]
    return max((columns.get(names[-1], 1) for columns in within), default=1)


def _bound(weight: int) -> None:
    if weight > MAX_NODES:
        raise RefusedByGate(f"the SQL could become larger than {MAX_NODES} nodes when it is planned")
