"""DISTINCT ordered by what is not shown."""

from __future__ import annotations

from pglast import ast, enums

from askwire.sql.printing import to_sql
from askwire.sql.tracing.tree import is_set_operation, walk
from askwire.verifier.repair.broken import BrokenStatement


def distinct_order(broken: BrokenStatement) -> str | None:
    """Each distinct row stands where its first one would.

    `SELECT DISTINCT name FROM t ORDER BY age DESC` becomes `SELECT name FROM t GROUP BY name ORDER BY
    max(age) DESC`.
    """
    tree = broken.parsed()
    if tree is None:
        return None
    changed = False
    for node in walk(tree):
        if not isinstance(node, ast.SelectStmt) or is_set_operation(node):
            continue
        plain = node.distinctClause is not None and not any(node.distinctClause) and not node.groupClause
        targets = [t.val for t in node.targetList or ()]
        if not plain or not node.sortClause or not all(isinstance(t, ast.ColumnRef) for t in targets):
            continue
        shown = {to_sql(t) for t in targets}
        for key in node.sortClause:
            if isinstance(key.node, ast.ColumnRef) and to_sql(key.node) not in shown:
                descends = key.sortby_dir == enums.SortByDir.SORTBY_DESC
                name = (ast.String(sval="max" if descends else "min"),)
                key.node = ast.FuncCall(
                    funcname=name,
                    args=(key.node,),
                    funcformat=enums.CoercionForm.COERCE_EXPLICIT_CALL,
                    agg_within_group=False,
                    agg_star=False,
                    agg_distinct=False,
                    func_variadic=False,
                )
        node.distinctClause = None
        node.groupClause = tuple(targets)
        changed = True
    return to_sql(tree) if changed else None
