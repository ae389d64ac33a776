"""Names that differ from the catalog's only in case."""

from __future__ import annotations

from typing import Any

from pglast import ast

from askwire.sql.printing import to_sql
from askwire.sql.tracing.tree import strings, walk
from askwire.verifier.repair.broken import BrokenStatement, in_reach, references


def identifier_case(broken: BrokenStatement) -> str | None:
    """A relation, alias or column is written as the catalog has it.

    `SELECT "Name" FROM "City" AS "T1"` over a table `city(name)` becomes `SELECT name FROM city AS "T1"`,
    and `SELECT Name FROM t` over a table `t("Name")` becomes `SELECT "Name" FROM t`. A name that two things
    have but for case is left alone.
    """
    tree = broken.parsed()
    if tree is None:
        return None
    changed = _relations(tree, broken)
    scopes = BrokenStatement(to_sql(tree), broken.catalog).resolved() if changed else broken.resolved()
    if scopes is None:
        return to_sql(tree) if changed else None
    for reference in references(scopes):
        if reference.items or reference.known:
            continue
        items = in_reach(reference.level)
        if reference.qualifier:
            wanted = reference.qualifier.lower()
            items = [i for i in items if i.name.lower() == wanted]
        found = {(i.name, c) for i in items for c in i.columns if c.lower() == reference.name.lower()}
        if len(found) != 1 and not (found and not reference.qualifier and len({c for _, c in found}) == 1):
            continue
        name, column = next(iter(found))
        fields: tuple[Any, ...] = (ast.String(sval=column),)
        if reference.qualifier:
            fields = (ast.String(sval=name), *fields)
        reference.node.fields = fields
        changed = True
    return to_sql(scopes.query) if changed else None


def _relations(tree: Any, broken: BrokenStatement) -> bool:
    changed = False
    ctes = {n.ctename for n in walk(tree) if isinstance(n, ast.CommonTableExpr)}
    spelled: dict[str, set[str]] = {}
    for relation in broken.catalog:
        if relation.on_path:
            spelled.setdefault(relation.name.lower(), set()).add(relation.name)
    renamed: dict[str, str] = {}
    for node in walk(tree):
        if not isinstance(node, ast.RangeVar) or node.schemaname or node.relname is None:
            continue
        if node.relname in ctes or broken.catalog.find(node.relname) is not None:
            continue
        names = spelled.get(node.relname.lower(), set())
        if len(names) == 1:
            (name,) = names
            if node.alias is None:
                renamed[node.relname] = name
            node.relname = name
            changed = True
    for node in walk(tree):
        if isinstance(node, ast.ColumnRef):
            parts = strings(node.fields)
            if len(parts) > 1 and len(parts) == len(node.fields or ()) and parts[-2] in renamed:
                node.fields = (ast.String(sval=renamed[parts[-2]]), ast.String(sval=parts[-1]))
    return changed
