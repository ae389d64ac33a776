"""Where an answer depends on the order of tied rows: two variants that break ties in opposite ways.

Owns: which query levels take some of several rows, and the two variants. Equal answers of both mean that no
tie shows in the answer.

    SELECT name FROM singer ORDER BY age LIMIT 1
 →  SELECT name FROM singer ORDER BY age, 1 LIMIT 1    and    … ORDER BY age, 1 DESC LIMIT 1

A scalar sublink that could give several rows, which is an error, takes its first row instead: where there
are several, the variants differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from pglast import ast
from pglast.enums import CoercionForm, LimitOption, SortByDir, SortByNulls, SubLinkType

from askwire.sql.printing import to_sql
from askwire.sql.tracing.aggregates import ORDER_DEPENDENT, is_aggregated
from askwire.sql.tracing.scopes import Scopes
from askwire.sql.tracing.tree import copy_tree, is_a, is_set_operation, strings, walk


def is_ordered(query: Any) -> bool:
    """Whether the answer's rows have an order that the query asks for."""
    return bool(query.sortClause)


def takes_some(query: Any) -> bool:
    """Whether some level keeps some of several rows, or numbers them, by an order that can have ties."""
    for node in walk(query):
        if isinstance(node, ast.SelectStmt) and _cuts(node):
            return True
        if isinstance(node, ast.FuncCall) and (
            node.over is not None or strings(node.funcname)[-1] in ORDER_DEPENDENT
        ):
            return True
    return any(True for _ in _scalars(query))


def cuts_below(query: Any) -> bool:
    """Whether a level below the outermost one keeps some of several rows."""
    nodes = (n for n in walk(query) if n is not query)
    return any(True for _ in _scalars(query)) or any(
        isinstance(n, ast.SelectStmt) and _cuts(n) for n in nodes
    )


def tie_broken(query: Any, scopes: Scopes, *, ordered: bool) -> tuple[str, str]:
    """Two texts whose cutting levels order their rows further by all output columns: up, and down.

    With `ordered` the outermost level does so too. `query` may be a shadow of the query of `scopes`.
    """
    text = to_sql(
        _broken(query, scopes, ordered=ordered, keys=lambda _, width: [_key(i) for i in range(1, width + 1)])
    )
    return _directed(text, down=False), _directed(text, down=True)


def with_ties(query: Any) -> tuple[str, str]:
    """A query with all rows that tie for its answer, and one with those that tie for its first row.

    Empty where a LIMIT without OFFSET at the outermost level is not all that may cut between tied rows.
    Without an order all rows tie.
    """
    if not (query.limitCount and _cuts(query)) or query.limitOffset or cuts_below(query):
        return "", ""
    new = copy_tree(query)
    if not query.sortClause:
        new.limitCount, new.limitOption = None, LimitOption.LIMIT_OPTION_DEFAULT
        return to_sql(new), to_sql(new)
    new.limitOption = LimitOption.LIMIT_OPTION_WITH_TIES
    best = to_sql(new)
    new.limitCount = ast.A_Const(val=ast.Integer(ival=1), isnull=False)
    return best, to_sql(new)


def tie_shuffled(query: Any, scopes: Scopes, *, salts: int, ordered: bool) -> tuple[str, ...]:
    """Texts of a shadow whose cutting levels order tied rows by a hash of their columns and the instance.

    Each text has a salt of its own. They run only within `evaluation`, whose instances are numbered: the same
    rows given many times come out in as many orders. DISTINCT levels and set operations, which order by
    output columns only, use these.
    """

    def keys(level: Any, width: int) -> list[ast.SortBy]:
        if level.distinctClause is not None or is_set_operation(level) or level.valuesLists:
            return [_key(i) for i in range(1, width + 1)]
        whole = ast.RowExpr(
            args=tuple(copy_tree(t.val) for t in level.targetList or ()),
            row_format=CoercionForm.COERCE_EXPLICIT_CALL,
        )
        number = ast.ColumnRef(fields=tuple(ast.String(sval=n) for n in INSTANCE))
        parts = (_cast(whole), _cast(number), ast.A_Const(val=ast.String(sval=_SALT), isnull=False))
        return [_by(_call("md5", (_call("concat", parts),)))]

    text = to_sql(_broken(query, scopes, ordered=ordered, keys=keys))
    return tuple(_directed(text.replace(_SALT, f" {salt}"), down=bool(salt % 2)) for salt in range(salts))


def _directed(text: str, *, down: bool) -> str:
    """The sort keys that stand for output columns, as positions."""
    return _KEY.sub(r"\1 DESC" if down else r"\1", text)


def _call(name: str, arguments: tuple[ast.Node, ...]) -> ast.FuncCall:
    return ast.FuncCall(funcname=(ast.String(sval="pg_catalog"), ast.String(sval=name)), args=arguments)


def _cast(node: ast.Node) -> ast.TypeCast:
    return ast.TypeCast(arg=node, typeName=_TEXT)


def _broken(
    query: Any, scopes: Scopes, *, ordered: bool, keys: Callable[[Any, int], list[ast.SortBy]]
) -> Any:
    new = copy_tree(query)
    widths = {id(a): len(scopes.output(b)) for a, b in zip(_levels(new), _levels(scopes.query), strict=True)}
    for level in _scalars(new):
        level.limitCount = ast.A_Const(val=ast.Integer(ival=1), isnull=False)
        level.limitOption = LimitOption.LIMIT_OPTION_COUNT
    for level in _levels(new):
        if _cuts(level) or (ordered and level is new):
            level.sortClause = (*(level.sortClause or ()), *keys(level, widths[id(level)]))
    return new


def _scalars(query: Any) -> Iterator[Any]:
    """The queries of scalar sublinks that nothing keeps from giving several rows."""
    nodes: Iterator[Any] = walk(query)
    for node in nodes:
        if is_a(node, ast.SubLink) and node.subLinkType == SubLinkType.EXPR_SUBLINK:
            level: Any = node.subselect
            grouped = is_set_operation(level) or level.groupClause or not is_aggregated(level)
            if level.limitCount is None and grouped:
                yield level


def _levels(query: Any) -> list[Any]:
    return [n for n in walk(query) if isinstance(n, ast.SelectStmt)]


def _cuts(level: Any) -> bool:
    if level.limitOption is not None and level.limitOption.name == "LIMIT_OPTION_WITH_TIES":
        return False
    if level.limitCount is not None or level.limitOffset is not None:
        return True
    return bool(level.distinctClause) and level.distinctClause[0] is not None


def _key(number: int) -> ast.SortBy:
    """Stands for an output column until its direction is known: printing takes longer than replacing."""
    return _by(ast.ColumnRef(fields=(ast.String(sval=f"_aw_key_{number}"),)))


def _by(node: ast.Node) -> ast.SortBy:
    return ast.SortBy(
        node=node,
        sortby_dir=SortByDir.SORTBY_DEFAULT,
        sortby_nulls=SortByNulls.SORTBY_NULLS_DEFAULT,
    )


_KEY: Final = re.compile(r"\b_aw_key_(\d+)\b")
_SALT: Final = "_aw_salt"
INSTANCE: Final = ("_aw_b", "i")
"""The number of an instance within `evaluation`."""
_TEXT: Final = ast.TypeName(names=(ast.String(sval="pg_catalog"), ast.String(sval="text")), typemod=-1)
