"""FROM items that no condition ties together."""

from __future__ import annotations

from pglast import ast

from askwire.sql.tracing.scopes import Item, Scope
from askwire.sql.tracing.tree import walk
from askwire.verifier.lints.linted import Finding, LintSubject, conditions, item_of, joins


def cross_join(linted: LintSubject) -> Finding | None:
    """`FROM a, b` without a condition between the two pairs every row with every other.

    A subquery or WITH query of one row may stand beside anything.
    """
    looked = False
    for level in linted.levels:
        items = [i for i in level.items if not i.hidden and not isinstance(i.node, ast.JoinExpr)]
        tied = [i for i in items if i.relation is not None]
        if len(items) < 2 or any(j.isNatural or j.usingClause for j in joins(level)):
            continue
        looked = True
        groups = _groups(items, level)
        apart = [g for g in groups if any(i in tied for i in g)]
        if len(apart) > 1:
            first, second = apart[0][0].name, apart[1][0].name
            return Finding(f"no condition ties {second} to {first}, so that all their rows meet; join them")
    return Finding() if looked else None


def _groups(items: list[Item], level: Scope) -> list[list[Item]]:
    group = {id(i): [i] for i in items}
    for condition in conditions(level):
        named = {
            id(item): item
            for node in walk(condition)
            if isinstance(node, ast.ColumnRef) and (item := item_of(node, level)) is not None
        }
        of = [i for i in named.values() if id(i) in group]
        for other in of[1:]:
            first, second = group[id(of[0])], group[id(other)]
            if first is not second:
                first += second
                for item in second:
                    group[id(item)] = first
    return list({id(g): g for g in group.values()}.values())
