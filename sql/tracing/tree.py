"""PostgreSQL's parse tree: parsing one query, copying and walking it.

Owns: the few operations every pass needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from pglast import ast, parse_sql
from pglast.enums import SetOperation, SQLValueFunctionOp
from pglast.parser import ParseError

from askwire.core.errors import RefusedByGate
from askwire.sql.parsing import MACHINE
from askwire.sql.printing import CHILD_FIELDS, set_field
from askwire.sql.safety.limits import check_limits

PREFIX: Final = "_aw_"
"""How every name that a pass adds begins; a query that already uses it cannot be traced."""


class Untraceable(Exception):
    """A query that row tracing cannot follow; `reason` is one phrase."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def parse_query(sql: str) -> Any:
    """The tree of exactly one SELECT, VALUES, TABLE or WITH query; raises Untraceable for anything else."""
    if PREFIX in sql.lower():
        raise Untraceable(f"it uses a name that begins with {PREFIX}")
    try:
        check_limits(sql, MACHINE)
        statements = parse_sql(sql)
    except RefusedByGate as error:
        raise Untraceable(error.message) from None
    except ParseError as error:
        raise Untraceable(f"it does not parse: {error.args[0]}") from None
    if len(statements) != 1 or not isinstance(statements[0].stmt, ast.SelectStmt):
        raise Untraceable("it is not one query")
    return statements[0].stmt


def is_a(node: Any, *kinds: type[ast.Node]) -> bool:
    """Isinstance that leaves the static type alone: pglast declares every attribute of a node optional."""
    return isinstance(node, kinds)


def copy_tree(node: Any) -> Any:
    """A deep copy that shares nothing but leaves (deepcopy takes five times as long)."""
    if isinstance(node, tuple):
        return tuple([copy_tree(n) for n in node])
    return copy_node(node, copy_tree) if isinstance(node, ast.Node) else node


def copy_node(node: Any, copy: Callable[[Any], Any]) -> Any:
    """A copy of one node; `copy` makes those of its fields that are nodes or lists."""
    new = object.__new__(type(node))
    for name in node.__slots__:
        value = getattr(node, name)
        set_field(new, name, copy(value) if isinstance(value, (ast.Node, tuple)) else value)
    return new


def children(node: Any) -> Iterator[ast.Node]:
    """The nodes directly below one, in the order of its fields."""
    for name in CHILD_FIELDS[type(node)] or ():
        yield from _nodes(getattr(node, name))


def _nodes(value: Any) -> Iterator[ast.Node]:
    if isinstance(value, ast.Node):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _nodes(part)


def walk(value: Any, *, into_queries: bool = True) -> Iterator[ast.Node]:
    """All nodes of a tree, parents first. `into_queries` false: not below a nested SelectStmt."""
    pending: list[Any] = [value]
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind is tuple:
            pending.extend(node[::-1])
            continue
        fields = CHILD_FIELDS[kind]
        if fields is None:
            continue
        yield node
        if into_queries or kind is not ast.SelectStmt:
            for name in reversed(fields):
                below = getattr(node, name)
                if below is not None:
                    pending.append(below)


def strings(parts: Any) -> tuple[str, ...]:
    """The texts of a list of String nodes, other nodes left out."""
    return tuple(p.sval for p in parts or () if is_a(p, ast.String))


def is_set_operation(query: Any) -> bool:
    """Whether it is UNION, INTERSECT or EXCEPT of two queries."""
    return bool(query.op != SetOperation.SETOP_NONE)


def output_name(target: Any) -> str:
    """The column name PostgreSQL gives an item of the select list (FigureColname in parse_target.c)."""
    name: str = target.name or _figure(target.val)[0]
    return name or "?column?"


_SQL_VALUE_NAMES: Final = {
    SQLValueFunctionOp.SVFOP_CURRENT_DATE: "current_date",
    SQLValueFunctionOp.SVFOP_CURRENT_TIME: "current_time",
    SQLValueFunctionOp.SVFOP_CURRENT_TIME_N: "current_time",
    SQLValueFunctionOp.SVFOP_CURRENT_TIMESTAMP: "current_timestamp",
    SQLValueFunctionOp.SVFOP_CURRENT_TIMESTAMP_N: "current_timestamp",
    SQLValueFunctionOp.SVFOP_LOCALTIME: "localtime",
    SQLValueFunctionOp.SVFOP_LOCALTIME_N: "localtime",
    SQLValueFunctionOp.SVFOP_LOCALTIMESTAMP: "localtimestamp",
    SQLValueFunctionOp.SVFOP_LOCALTIMESTAMP_N: "localtimestamp",
    SQLValueFunctionOp.SVFOP_CURRENT_ROLE: "current_role",
    SQLValueFunctionOp.SVFOP_CURRENT_USER: "current_user",
    SQLValueFunctionOp.SVFOP_USER: "user",
    SQLValueFunctionOp.SVFOP_SESSION_USER: "session_user",
    SQLValueFunctionOp.SVFOP_CURRENT_CATALOG: "current_catalog",
    SQLValueFunctionOp.SVFOP_CURRENT_SCHEMA: "current_schema",
}


def _figure(node: Any) -> tuple[str, int]:
    """A name and how good it is: 2 a real one, 1 a weak one (a type's), 0 none."""
    match type(node).__name__:
        case "ColumnRef" | "FuncCall":
            names = strings(node.fields if is_a(node, ast.ColumnRef) else node.funcname)
            return (names[-1], 2) if names else ("", 0)
        case "A_Indirection":
            names = strings(node.indirection)
            return (names[-1], 2) if names else _figure(node.arg)
        case "A_Expr" if node.kind.name == "AEXPR_NULLIF":
            return "nullif", 2
        case "TypeCast":
            name, strength = _figure(node.arg)
            if strength <= 1 and node.typeName is not None:
                return strings(node.typeName.names)[-1], 1
            return name, strength
        case "CollateClause":
            return _figure(node.arg)
        case "GroupingFunc":
            return "grouping", 2
        case "SubLink":
            return _figure_sublink(node)
        case "CaseExpr":
            name, strength = _figure(node.defresult)
            return (name, strength) if strength > 1 else ("case", 1)
        case "A_ArrayExpr":
            return "array", 2
        case "RowExpr":
            return "row", 2
        case "CoalesceExpr":
            return "coalesce", 2
        case "MinMaxExpr":
            return ("greatest" if node.op.name == "IS_GREATEST" else "least"), 2
        case "SQLValueFunction":
            return _SQL_VALUE_NAMES[node.op], 2
        case _:
            return "", 0


def _figure_sublink(node: Any) -> tuple[str, int]:
    match node.subLinkType.name:
        case "EXISTS_SUBLINK":
            return "exists", 2
        case "ARRAY_SUBLINK":
            return "array", 2
        case "EXPR_SUBLINK":
            query = node.subselect
            while is_set_operation(query):
                query = query.larg
            if query.targetList:
                target = query.targetList[0]
                return (target.name, 2) if target.name else _figure(target.val)
    return "", 0
