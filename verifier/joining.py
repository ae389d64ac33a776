"""Bringing one more relation into a FROM clause along a foreign key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pglast import ast, enums

from askwire.sql.catalog import Catalog, Column, Relation
from askwire.sql.tracing.scopes import Item, Scope
from askwire.sql.tracing.tree import walk


@dataclass(frozen=True, eq=False)
class Link:
    """A relation one foreign key away from a FROM item; `pairs` are (the item's column, the relation's)."""

    item: Item
    relation: Relation
    pairs: tuple[tuple[str, str], ...]
    one: bool
    """Whether each row of the item meets at most one row of the relation."""


def links(level: Scope, catalog: Catalog) -> Iterator[Link]:
    """The relations one foreign key away from the items of a level, those that multiply no rows first."""
    others: list[Link] = []
    for item in level.items:
        relation = item.relation
        if relation is None or item.hidden:
            continue
        for key in relation.foreign_keys:
            target = catalog.by_oid.get(key.target)
            if target is not None:
                yield Link(item, target, tuple(zip(key.columns, key.target_columns, strict=True)), True)
        for other in catalog:
            for key in other.foreign_keys:
                if key.target == relation.oid:
                    pairs = tuple(zip(key.target_columns, key.columns, strict=True))
                    others.append(Link(item, other, pairs, False))
    yield from others
    for item in level.items:
        if item.relation is None or item.hidden:
            continue
        for column in item.relation.columns:
            target = implied_target(column, item.relation, catalog)
            if target is not None:
                yield Link(item, target, ((column.name, target.primary_key[0]),), True)


def implied_target(column: Column, owner: Relation, catalog: Catalog) -> Relation | None:
    """The relation whose rows a number stands for by its name alone: `airline` for `airlines`.

    Its primary key must be one number, and no foreign key says what the column refers to.
    """
    if column.category != "N" or any(column.name in key.columns for key in owner.foreign_keys):
        return None
    stem = _stem(column.name)
    found = [r for r in catalog if r.on_path and r.oid != owner.oid and stem and _stem(r.name) == stem]
    if len(found) != 1 or len(found[0].primary_key) != 1:
        return None
    key = found[0].by_name.get(found[0].primary_key[0])
    return found[0] if key is not None and key.category == "N" else None


def _stem(name: str) -> str:
    return name.lower().removesuffix("_id").removesuffix("id").removesuffix("s")


def join(level: Scope, link: Link) -> str | None:
    """Add the relation of a link to a level's FROM clause; its name there, None where that is taken."""
    name = link.relation.name
    if any(i.name == name for i in level.items):
        return None
    quals: Any = tuple(
        ast.A_Expr(
            kind=enums.A_Expr_Kind.AEXPR_OP,
            name=(ast.String(sval="="),),
            lexpr=_column(link.item.name, own),
            rexpr=_column(name, other),
        )
        for own, other in link.pairs
    )
    condition = quals[0] if len(quals) == 1 else ast.BoolExpr(boolop=enums.BoolExprType.AND_EXPR, args=quals)
    schema = None if link.relation.on_path else link.relation.schema
    added = ast.RangeVar(relname=name, schemaname=schema, inh=True, relpersistence="p")
    query = level.query
    query.fromClause = tuple(
        ast.JoinExpr(
            jointype=enums.JoinType.JOIN_INNER,
            isNatural=False,
            larg=part,
            rarg=added,
            quals=condition,
            rtindex=0,
        )
        if any(node is link.item.node for node in walk(part))
        else part
        for part in query.fromClause
    )
    return name


def _column(qualifier: str, name: str) -> ast.ColumnRef:
    return ast.ColumnRef(fields=(ast.String(sval=qualifier), ast.String(sval=name)))
