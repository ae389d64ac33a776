"""Views in a query: replaced by what they say, where that reads no more than the view itself allows.

Owns: the query for view definitions, when a definition may stand for the view, and putting it in its place.

    SELECT name FROM adults AS a
 →  SELECT name FROM (SELECT id, name FROM people WHERE age > 17) AS a
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pglast import ast

from askwire.core.types import ResultSet
from askwire.sql.catalog import Catalog, Relation
from askwire.sql.qualified import EQ, NE
from askwire.sql.tracing.scopes import Scopes, resolve
from askwire.sql.tracing.tree import Untraceable, copy_node, copy_tree, is_a, parse_query

DEFINITIONS: Final = f"""
WITH RECURSIVE reached(view, oid) AS (
    SELECT v, v FROM pg_catalog.unnest($1::pg_catalog.oid[]) v
    UNION
    SELECT reached.view, d.refobjid
    FROM reached
    JOIN pg_catalog.pg_rewrite r ON r.ev_class {EQ} reached.oid
    JOIN pg_catalog.pg_depend d ON d.classid {EQ} 'pg_catalog.pg_rewrite'::pg_catalog.regclass::pg_catalog.oid
        AND d.objid {EQ} r.oid
        AND d.refclassid {EQ} 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid
)
SELECT c.oid, pg_catalog.pg_get_viewdef(c.oid),
    COALESCE(c.reloptions OPERATOR(pg_catalog.&&)
        '{{security_invoker=true,security_invoker=on}}'::pg_catalog.text[], false),
    COALESCE(c.reloptions OPERATOR(pg_catalog.&&)
        '{{security_barrier=true,security_barrier=on}}'::pg_catalog.text[], false),
    (SELECT pg_catalog.bool_or(b.relrowsecurity) FROM reached x JOIN pg_catalog.pg_class b ON b.oid {EQ} x.oid
        WHERE x.view {EQ} c.oid),
    (SELECT pg_catalog.json_agg(x.oid::pg_catalog.int8) FROM reached x
        WHERE x.view {EQ} c.oid AND x.oid {NE} c.oid)
FROM pg_catalog.pg_class c
WHERE c.oid {EQ} ANY (SELECT oid FROM reached) AND c.relkind {EQ} 'v'
"""
"""Definitions of the views `$1` and of the views they read."""


@dataclass(frozen=True, slots=True)
class View:
    """A view's definition, and the OIDs of all relations it reads, through other views too."""

    definition: str
    open: bool
    """Reading what it reads is no more than the asker may do, as far as the view's own options say."""
    reaches: frozenset[int]


def read_views(result: ResultSet) -> dict[int, View]:
    """What `DEFINITIONS` returned, by OID."""
    views = {}
    for oid, definition, invoker, barrier, secured, reached in result.rows:
        views[int(oid or 0)] = View(
            (definition or "").rstrip().removesuffix(";"),
            invoker == "t" or (barrier != "t" and secured != "t"),
            frozenset(json.loads(reached or "[]") or ()),
        )
    return views


def inline(scopes: Scopes, views: Mapping[int, View], catalog: Catalog) -> Any:
    """The query with open views replaced by their definitions, one level deep; None when there are none."""
    replaced = {
        node: definition
        for node, relation in scopes.relations.items()
        if (definition := _definition(relation, views, catalog)) is not None
    }
    return _replace(scopes.query, scopes, replaced) if replaced else None


def check_apart(relations: Iterable[Relation], views: Mapping[int, View]) -> None:
    """Raise Untraceable when relations that are treated as independent share rows.

    A view that is not inlined is a relation of its own; beside what it reads, or beside another view of the
    same, its rows would contradict the others. So would those of a partition, or of a table that inherits,
    beside what they are a part of.
    """
    known = list({r.oid: r for r in relations}.values())
    beneath = {r.oid: views[r.oid].reaches if r.oid in views else frozenset() for r in known}
    for relation in known:
        above = next((r for r in known if relation.oid in r.children), None)
        if above is not None:
            is_part = "is a partition of" if above.kind == "p" else "inherits from"
            raise Untraceable(f"one reads {relation.name} and a table that it {is_part}")
        for other in known:
            if other.oid != relation.oid and beneath[relation.oid] & {other.oid, *beneath[other.oid]}:
                raise Untraceable(f"one reads the view {relation.name} and one reads what it is made of")


def _definition(relation: Relation, views: Mapping[int, View], catalog: Catalog) -> Any:
    view = views.get(relation.oid)
    if view is None or not view.open:
        return None
    try:
        query = parse_query(view.definition)
        scopes = resolve(query, catalog)
    except Untraceable:
        return None
    if any(r.row_security for r in scopes.base_relations):
        return None
    return query if len(scopes.output(query)) == len(relation.columns) else None


def _replace(node: Any, scopes: Scopes, replaced: Mapping[int, Any]) -> Any:
    if isinstance(node, tuple):
        return tuple([_replace(n, scopes, replaced) for n in node])
    if not isinstance(node, ast.Node):
        return node
    if id(node) in replaced:
        relation = scopes.relations[id(node)]
        alias: Any = getattr(node, "alias", None)
        names = [n.sval for n in alias.colnames or ()] if alias is not None else []
        columns = [*names, *(c.name for c in relation.columns[len(names) :])]
        return ast.RangeSubselect(
            lateral=False,
            subquery=copy_tree(replaced[id(node)]),
            alias=ast.Alias(
                aliasname=alias.aliasname if alias is not None else relation.name,
                colnames=tuple(ast.String(sval=c) for c in columns),
            ),
        )
    new = copy_node(node, lambda value: _replace(value, scopes, replaced))
    if is_a(new, ast.ColumnRef) and len(new.fields) > 2:
        # schema.view.column: what stands for the view has no schema
        replaced_names = {scopes.relations[n].name for n in replaced}
        new.fields = new.fields[-2:] if new.fields[-2].sval in replaced_names else new.fields
    return new
