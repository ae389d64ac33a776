"""An aggregate of an aggregate."""

from __future__ import annotations

from pglast import ast, enums

from askwire.sql.printing import to_sql
from askwire.sql.tracing.tree import walk
from askwire.verifier.repair.broken import BrokenStatement
from askwire.verifier.repair.mends.group_by import is_aggregate


def nested_aggregates(broken: BrokenStatement) -> str | None:
    """The inner aggregate is computed first, in a subquery.

    `SELECT max(count(*)) FROM t GROUP BY a` becomes `SELECT max(n) FROM (SELECT count(*) AS n FROM t GROUP
    BY a) AS each_group`.
    """
    tree = broken.parsed()
    if tree is None:
        return None
    changed = False
    for node in list(walk(tree)):
        if not isinstance(node, ast.SelectStmt) or len(node.targetList or ()) != 1 or not node.groupClause:
            continue
        target = node.targetList[0]  # type: ignore[index]
        outer = target.val
        if not isinstance(outer, ast.FuncCall) or not is_aggregate(outer) or len(outer.args or ()) != 1:
            continue
        inner = outer.args[0]  # type: ignore[index]
        if not isinstance(inner, ast.FuncCall) or not is_aggregate(inner):
            continue
        grouped = ast.SelectStmt(
            targetList=(ast.ResTarget(name="n", val=inner),),
            fromClause=node.fromClause,
            whereClause=node.whereClause,
            groupClause=node.groupClause,
            havingClause=node.havingClause,
            op=enums.SetOperation.SETOP_NONE,
            limitOption=enums.LimitOption.LIMIT_OPTION_DEFAULT,
            all=False,
            groupDistinct=False,
        )
        outer.args = (ast.ColumnRef(fields=(ast.String(sval="n"),)),)
        node.fromClause = (
            ast.RangeSubselect(lateral=False, subquery=grouped, alias=ast.Alias(aliasname="each_group")),
        )
        node.whereClause = node.groupClause = node.havingClause = None
        changed = True
    return to_sql(tree) if changed else None
