"""Columns that two FROM items have."""

from __future__ import annotations

from typing import Any

from pglast import ast, enums

from askwire.sql.printing import to_sql
from askwire.sql.tracing.scopes import Item, Scope
from askwire.sql.tracing.tree import children, strings, walk
from askwire.verifier.repair.broken import BrokenStatement, Reference, point, references


def ambiguous_columns(broken: BrokenStatement) -> str | None:
    """An ambiguous column is qualified by what the join means.

    `SELECT id FROM owners o JOIN dogs d ON o.id = d.owner_id` becomes `SELECT o.id FROM owners AS o …`: the
    item whose own name for it is joined on or grouped by comes first, then the side with the key, then the
    order of FROM.
    """
    scopes = broken.resolved()
    if scopes is None:
        return None
    changed = False
    for reference in references(scopes):
        if len(reference.items) > 1 and not reference.known and not reference.qualifier:
            point(reference.node, _meant(reference), reference.name)
            changed = True
    return to_sql(scopes.query) if changed else None


def _meant(reference: Reference) -> Item:
    written = _written(reference.level, reference.name)

    def merit(item: Item) -> tuple[bool, bool, bool]:
        relation = item.relation
        category = (
            relation.by_name[reference.name].category
            if relation and reference.name in relation.by_name
            else ""
        )
        keyed = relation is not None and relation.primary_key == (reference.name,)
        return item.name in written, _fits(reference, category), keyed

    return max(reference.items, key=merit)  # the first of equals: FROM's own order


def _written(level: Scope, column: str) -> set[str]:
    """The qualifiers under which this level groups by the column."""
    found = set()
    for part in level.query.groupClause or ():
        names = strings(part.fields) if isinstance(part, ast.ColumnRef) else ()
        if len(names) > 1 and names[-1] == column:
            found.add(names[-2])
    return found


def _fits(reference: Reference, category: str) -> bool:
    """Whether a column of this category can be compared with the constant that it stands beside."""
    for part in children(reference.level.query):
        for node in walk(part, into_queries=False):
            if isinstance(node, ast.A_Expr) and node.kind == enums.A_Expr_Kind.AEXPR_OP:
                sides: tuple[Any, Any] = (node.lexpr, node.rexpr)
                if any(s is reference.node for s in sides):
                    other = next(s for s in sides if s is not reference.node)
                    if isinstance(other, ast.A_Const) and isinstance(other.val, ast.String):
                        return category in {"S", "D", "E"}
                    if isinstance(other, ast.A_Const):
                        return category == "N"
    return True
