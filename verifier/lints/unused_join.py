"""A joined relation that changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pglast import ast, enums

from askwire.sql.tracing.scopes import Item, Scope
from askwire.sql.tracing.tree import children, strings, walk
from askwire.verifier.lints.linted import Finding, LintSubject, conjuncts, item_of, joins, operator


def unused_join(linted: LintSubject) -> Finding | None:
    """A relation that shows no column, filters no row and multiplies none is not needed.

    Only where keys prove it: joined over a foreign key whose columns are NOT NULL, on the key it refers to
    and nothing else. It does no harm; it tells that the SQL may be about something else.
    """
    looked = False
    for level in linted.levels:
        for join in joins(level):
            if join.jointype != enums.JoinType.JOIN_INNER or join.isNatural or join.usingClause:
                continue
            for side in (join.larg, join.rarg):
                item = next((i for i in level.items if i.node is side and i.relation is not None), None)
                if item is None:
                    continue
                looked = True
                if _follows_key(item, join, level) and not _used(item, join, level):
                    return Finding(
                        f"{item.name} is joined and then not used; leave it out, or use what was meant of it"
                    )
    return Finding() if looked else None


def _follows_key(item: Item, join: Any, level: Scope) -> bool:
    pairs: dict[str, tuple[Item, str]] = {}
    for condition in conjuncts(join.quals):
        if operator(condition) != "=":
            return False
        own, other = condition.lexpr, condition.rexpr
        if item_of(other, level) is item:
            own, other = other, own
        theirs = item_of(other, level)
        if item_of(own, level) is not item or theirs is None or theirs is item:
            return False
        pairs[strings(own.fields)[-1]] = theirs, strings(other.fields)[-1]
    owners = {id(o): o for o, _ in pairs.values()}
    if len(owners) != 1 or item.relation is None:
        return False
    owner = next(iter(owners.values())).relation
    if owner is None:
        return False
    return any(
        key.target == item.relation.oid
        and {t: c for c, t in zip(key.columns, key.target_columns, strict=True)}
        == {t: c for t, (_, c) in pairs.items()}
        and all(owner.by_name[c].not_null for c in key.columns if c in owner.by_name)
        for key in owner.foreign_keys
    )


def _used(item: Item, join: Any, level: Scope) -> bool:
    """Whether anything outside of the join's own condition refers to the item."""
    own = {id(n) for n in walk(join.quals)}
    for node in _references(level.query):
        if id(node) in own:
            continue
        names = strings(node.fields)
        if isinstance(node.fields[-1], ast.A_Star):
            if not names or names[-1] == item.name:
                return True
        elif (len(names) > 1 and names[-2] == item.name) or (len(names) == 1 and names[0] in item.columns):
            return True
    return False


def _references(query: Any) -> Iterator[Any]:
    for part in children(query):
        for node in walk(part):
            if isinstance(node, ast.ColumnRef):
                yield node
