"""Sums over rows that a join multiplied."""

from __future__ import annotations

from typing import Any, Final

from pglast import ast

from askwire.sql.catalog import Relation
from askwire.sql.tracing.scopes import Item, Scope
from askwire.sql.tracing.tree import strings, walk
from askwire.verifier.lints.linted import (
    Finding,
    LintSubject,
    call_name,
    calls,
    conditions,
    item_of,
    joins,
    operator,
)

_MULTIPLIED: Final = frozenset({"sum", "avg"})


def fan_out(linted: LintSubject) -> Finding | None:
    """`sum(o.total)` over orders joined with their lines counts each order once per line.

    Decided by keys: the other side must be reached over all columns of one of its unique keys. MIN, MAX and
    DISTINCT do not mind, and counting joined rows is what a count over a join is mostly for.
    """
    looked = False
    for level in linted.levels:
        if len(level.items) < 2:
            continue
        for call in (c for part in _shown(level.query) for c in calls(part)):
            if (
                call_name(call) not in _MULTIPLIED
                or call.agg_distinct
                or call.over is not None
                or not call.args
            ):
                continue
            of = {item_of(n, level) for n in walk(call.args[0]) if isinstance(n, ast.ColumnRef)}
            if len(of) != 1 or (item := of.pop()) is None or item.relation is None:
                continue
            looked = True
            other = _multiplier(item, level)
            if other is not None:
                return Finding(
                    f"{call_name(call)} takes each row of {item.name} once per joined row of {other.name};"
                    " aggregate before joining, or filter with EXISTS"
                )
    return Finding() if looked else None


def _shown(query: Any) -> list[Any]:
    return [*(query.targetList or ()), *(query.sortClause or ()), query.havingClause]


def _multiplier(item: Item, level: Scope) -> Item | None:
    """An item of which several rows may meet one row of `item`; None where there is none, or no one knows."""
    equal = _equalities(level)
    items = [i for i in level.items if not i.hidden and not isinstance(i.node, ast.JoinExpr)]
    today = _held_to_today(level)
    reached = {item.name}
    grown = True
    while grown:
        grown = False
        for other in items:
            if other.name in reached:
                continue
            bound = {mine for mine, of, theirs in equal if of == other.name and theirs in {*reached, ""}}
            if _unique(other.relation, bound) or (bound and other.name in today):
                reached.add(other.name)
                grown = True
    for other in items:
        if other.name in reached:
            continue
        relation = other.relation
        if relation is None or not (relation.primary_key or relation.unique_keys or relation.foreign_keys):
            return None
        if not any(of == other.name for _, of, _ in equal):
            return None  # a cross join is another lint's
        return other
    return None


def _held_to_today(level: Scope) -> set[str]:
    """The items of which only rows are read that have begun and not ended: one at a time, as periods go."""
    begun: set[str] = set()
    going_on: set[str] = set()
    for condition in conditions(level):
        parts = (condition.args or ()) if isinstance(condition, ast.BoolExpr) else (condition,)
        if any(not isinstance(part, ast.NullTest) and not _with_today(part) for part in parts):
            continue
        for part in parts:
            item = item_of(part.lexpr, level) if _with_today(part) else None
            if item is not None:
                (begun if operator(part) == "<=" else going_on).add(item.name)
    return begun & going_on


def _with_today(node: Any) -> bool:
    return operator(node) in {"<=", ">="} and isinstance(node.rexpr, ast.SQLValueFunction)


def _equalities(level: Scope) -> list[tuple[str, str, str]]:
    """(column, its item, the item it equals or '' for a constant) of each equality."""
    found: list[tuple[str, str, str]] = []
    for condition in conditions(level):
        if operator(condition) != "=":
            continue
        sides = condition.lexpr, condition.rexpr
        for one, other in (sides, sides[::-1]):
            item = item_of(one, level)
            if item is None:
                continue
            if isinstance(other, ast.ColumnRef):
                theirs = item_of(other, level)
                if theirs is not None and theirs is not item:
                    found.append((strings(one.fields)[-1], item.name, theirs.name))
            elif isinstance(other, ast.A_Const):
                found.append((strings(one.fields)[-1], item.name, ""))
    for node in joins(level):
        for name in strings(node.usingClause):
            having = [i for i in level.items if name in i.columns and not i.hidden]
            found += [(name, a.name, b.name) for a in having for b in having if a is not b]
    return found


def _unique(relation: Relation | None, columns: set[str]) -> bool:
    if relation is None:
        return False
    keys = [k for k in (relation.primary_key, *relation.unique_keys) if k]
    if any(set(key) <= columns for key in keys):
        return True
    return any(relation.by_name[c].distinct == -1 for c in columns if c in relation.by_name)
