"""Sums over rows that a join multiplied."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from pglast import ast, enums

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


_OF_TODAY: Final = frozenset(
    {
        enums.SQLValueFunctionOp.SVFOP_CURRENT_DATE,
        enums.SQLValueFunctionOp.SVFOP_CURRENT_TIMESTAMP,
        enums.SQLValueFunctionOp.SVFOP_LOCALTIMESTAMP,
    }
)


def _held_to_today(level: Scope) -> set[str]:
    """The items of which only rows are read that have begun and not ended: one at a time, as periods go."""
    begun: set[tuple[str, str]] = set()
    going_on: set[tuple[str, str]] = set()
    for condition in conditions(level):
        if _is_today(getattr(condition, "lexpr", None)) and isinstance(condition.rexpr, tuple):
            if condition.kind == enums.A_Expr_Kind.AEXPR_BETWEEN:
                begun |= _columns(condition.rexpr[:1], level)
                going_on |= _columns(condition.rexpr[1:], level)
        elif (until := _without_null_test(condition)) is not None and _is_today(until.rexpr):
            found = going_on if operator(until) in {">=", ">"} else begun
            if found is going_on or (operator(until) in {"<=", "<"} and until is condition):
                found |= _columns([until.lexpr], level)
    return {item for item, begin in begun for other, end in going_on if item == other and begin != end}


def _without_null_test(condition: Any) -> Any:
    """`a >= b` of itself, or of `a IS NULL OR a >= b`; None for anything else."""
    if operator(condition):
        return condition
    if not isinstance(condition, ast.BoolExpr) or condition.boolop != enums.BoolExprType.OR_EXPR:
        return None
    parts = condition.args or ()
    tests = [p for p in parts if isinstance(p, ast.NullTest)]
    compared = [p for p in parts if operator(p)]
    if len(parts) != 2 or len(tests) != 1 or len(compared) != 1:
        return None
    empty = tests[0].nulltesttype == enums.NullTestType.IS_NULL
    return compared[0] if empty and tests[0].arg == compared[0].lexpr else None


def _is_today(node: Any) -> bool:
    return isinstance(node, ast.SQLValueFunction) and node.op in _OF_TODAY


def _columns(nodes: Iterable[Any], level: Scope) -> set[tuple[str, str]]:
    """(item, column) of those that are columns."""
    found = ((node, item_of(node, level)) for node in nodes)
    return {(item.name, strings(node.fields)[-1]) for node, item in found if item is not None}


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
