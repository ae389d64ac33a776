"""Relations that do not exist."""

from __future__ import annotations

from pglast import ast

from askwire.sql.printing import to_sql
from askwire.sql.tracing.tree import strings, walk
from askwire.verifier.repair.broken import BrokenStatement


def unknown_tables(broken: BrokenStatement) -> str | None:
    """A relation that the catalog lacks becomes the one with the nearest name.

    `SELECT count(*) FROM professional` over a table `professionals` becomes `SELECT count(*) FROM
    professionals`.
    """
    tree = broken.parsed()
    if tree is None:
        return None
    ctes = {n.ctename for n in walk(tree) if isinstance(n, ast.CommonTableExpr)}
    known = [r.name for r in broken.catalog if r.on_path]
    renamed: dict[str, str] = {}
    changed = False
    for node in walk(tree):
        if not isinstance(node, ast.RangeVar) or node.schemaname or node.relname is None:
            continue
        if node.relname in ctes or broken.catalog.find(node.relname) is not None:
            continue
        name = broken.nearest(node.relname, known)
        if name is None:
            return None
        if node.alias is None:
            renamed[node.relname] = name
        node.relname = name
        changed = True
    if not changed:
        return None
    for node in walk(tree):
        if isinstance(node, ast.ColumnRef) and len(node.fields or ()) > 1:
            parts = strings(node.fields)
            if parts and parts[0] in renamed:
                node.fields = (ast.String(sval=renamed[parts[0]]), *(node.fields or ())[1:])
    return to_sql(tree)
