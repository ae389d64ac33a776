"""A text compared with a number that stands for a row of another relation."""

from __future__ import annotations

from typing import Any

from pglast import ast, enums

from askwire.sql.catalog import Catalog, Column, Relation
from askwire.sql.printing import to_sql
from askwire.sql.tracing.tree import strings, walk
from askwire.verifier.joining import implied_target
from askwire.verifier.repair.broken import BrokenStatement, Reference, references
from askwire.verifier.repair.mends.casts import cast
from askwire.verifier.repair.mends.replacing import put


def linked_labels(broken: BrokenStatement) -> str | None:
    """A number that refers to a row is compared with that row's name.

    `SELECT count(*) FROM flights WHERE airline = 'JetBlue'` over a numeric `flights.airline` and a table
    `airlines(id, airline)` becomes `… WHERE flights.airline IN (SELECT airlines.id FROM airlines WHERE
    airlines.airline = 'JetBlue')`. The relation is the one that a foreign key names, or the column's own
    name; a number that refers to nothing is compared as text, which is what SQLite does.
    """
    scopes = broken.resolved()
    if scopes is None:
        return None
    found = {id(r.node): r for r in references(scopes)}
    changed = False
    instead: dict[int, Any] = {}
    for node in walk(scopes.query):
        if not isinstance(node, ast.A_Expr) or node.kind != enums.A_Expr_Kind.AEXPR_OP:
            continue
        if strings(node.name)[-1:] not in {("=",), ("<>",)}:
            continue
        if isinstance(node.rexpr, ast.ColumnRef):
            node.lexpr, node.rexpr = node.rexpr, node.lexpr
        reference = found.get(id(node.lexpr))
        column = reference.column if reference is not None else None
        if reference is None or column is None or column.category != "N" or not _words(node.rexpr):
            continue
        changed = True
        constant: Any = node.rexpr
        label = _label(reference, column, broken.catalog, constant.val.sval)
        if label is None:
            node.lexpr = cast(node.lexpr, ("text",))
        else:
            instead[id(node)] = _look_up(node, *label)
    put(scopes.query, instead)
    return to_sql(scopes.query) if changed else None


def _words(node: Any) -> bool:
    """Whether it is a text that no number is written as."""
    if not isinstance(node, ast.A_Const) or not isinstance(node.val, ast.String):
        return False
    return not (node.val.sval or "").strip().replace(".", "").replace("-", "").isdigit()


def _label(
    reference: Reference, column: Column, catalog: Catalog, value: str
) -> tuple[Relation, str, str] | None:
    """The relation referred to, its key, and the column that holds its name."""
    owner = reference.items[0].relation
    if owner is None:
        return None
    for key in owner.foreign_keys:
        target = catalog.by_oid.get(key.target)
        if key.columns == (column.name,) and target is not None:
            return _named(target, key.target_columns[0], column.name, value)
    implied = implied_target(column, owner, catalog)
    if implied is None:
        return None
    return _named(implied, implied.primary_key[0], column.name, value)


def _named(target: Relation, key: str, written: str, value: str) -> tuple[Relation, str, str] | None:
    texts = [c for c in target.columns if c.category == "S"]
    for column in texts:
        if value in column.common_values:
            return target, key, column.name
    chosen = next((c for c in texts if c.name == written), None)
    chosen = chosen or next((c for c in texts if "name" in c.name.lower()), None)
    chosen = chosen or (texts[0] if len(texts) == 1 else None)
    return (target, key, chosen.name) if chosen else None


def _look_up(node: Any, relation: Relation, key: str, label: str) -> Any:
    equal = ast.A_Expr(
        kind=enums.A_Expr_Kind.AEXPR_OP,
        name=(ast.String(sval="="),),
        lexpr=_column(relation.name, label),
        rexpr=node.rexpr,
    )
    query = ast.SelectStmt(
        targetList=(ast.ResTarget(val=_column(relation.name, key)),),
        fromClause=(ast.RangeVar(relname=relation.name, inh=True, relpersistence="p"),),
        whereClause=equal,
        op=enums.SetOperation.SETOP_NONE,
        limitOption=enums.LimitOption.LIMIT_OPTION_DEFAULT,
        all=False,
        groupDistinct=False,
    )
    denied = strings(node.name)[-1] == "<>"
    link = ast.SubLink(
        subLinkType=enums.SubLinkType.ANY_SUBLINK, subLinkId=0, testexpr=node.lexpr, subselect=query
    )
    return ast.BoolExpr(boolop=enums.BoolExprType.NOT_EXPR, args=(link,)) if denied else link


def _column(qualifier: str, name: str) -> ast.ColumnRef:
    return ast.ColumnRef(fields=(ast.String(sval=qualifier), ast.String(sval=name)))
