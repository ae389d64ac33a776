"""Walking expressions: every node must be of a known kind, every name on a list.

The walk keeps its own stack; only queries inside queries recurse, and their nesting is limited.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from pglast import ast
from pglast.enums import A_Expr_Kind, SubLinkType

from askwire.sql.literals import quote_identifier
from askwire.sql.safety import allowed
from askwire.sql.safety.arguments import check_arguments, check_json_path, check_like, check_pattern
from askwire.sql.safety.constants import number_constant
from askwire.sql.safety.functions import review
from askwire.sql.safety.inspection import Inspection
from askwire.sql.safety.names import Columns, Scope
from askwire.sql.safety.nodes import CHILDREN, Node, of, reason_against
from askwire.sql.safety.positions import first_location

Query = Callable[[Inspection, Node, Scope | None], Columns]

_PG_CATALOG: Final = "pg_catalog"
_JSON_WORDS: Final = frozenset(
    (
        *("json", "json_scalar", "json_serialize", "json_object", "json_array", "json_objectagg"),
        *("json_arrayagg", "json_value", "json_query", "json_exists"),
    )
)
"""Words that are syntax in newer releases and calls of a function of that name in older ones."""
_MAX_PADDED_LENGTH: Final = 10_000


def walk(inspection: Inspection, nodes: Node, scope: Scope, query: Query) -> None:
    """Check expressions (a node, or any nesting of sequences of nodes) at one level of names.

    `query` checks a query found inside. Raises `RefusedByGate`.
    """
    stack: list[tuple[Node, int]] = [(nodes, 0)]
    limit = inspection.policy.max_depth
    while stack:
        node, depth = stack.pop()
        if node is None:
            continue
        if isinstance(node, tuple | list):
            stack.extend((item, depth) for item in reversed(node))
            continue
        if depth > limit:
            inspection.refuse(f"expressions nest deeper than {limit} levels", first_location(node))
        children = CHILDREN.get(type(node))
        if children is None:
            inspection.refuse(reason_against(node), first_location(node))
        if of(node, ast.SubLink):
            _sublink(inspection, node)
            query(inspection, node.subselect, scope)
        else:
            check = _CHECKS.get(type(node))
            if check is not None:
                check(inspection, node, scope)
        stack.extend((getattr(node, child), depth + 1) for child in reversed(children))


def output_name(value: Node) -> str:
    """The name of an output column without AS where it is beyond doubt, else '' (parse_target.c)."""
    if of(value, ast.ColumnRef) and of(value.fields[-1], ast.String):
        return str(value.fields[-1].sval)
    if of(value, ast.FuncCall):
        return str(value.funcname[-1].sval)
    return ""


def _name(nodes: tuple[Node, ...]) -> str:
    return ".".join(node.sval for node in nodes)


def _column(inspection: Inspection, node: Node, scope: Scope) -> None:
    fields = node.fields
    if of(fields[-1], ast.A_Star):
        inspection.whole_rows = inspection.row_values = True
        return
    name = fields[-1].sval
    inspection.columns_named.add(name)
    if len(fields) == 1:
        # A single name is a column or a whole row, never a call.
        if scope.source(name) is not None:
            inspection.whole_rows = inspection.row_values = True
        return
    if len(fields) > 3:
        inspection.refuse(f'"{_name(fields)}" names a database', node.location)
    schema = fields[0].sval if len(fields) == 3 else ""
    source = scope.source(fields[-2].sval, schema)
    if source is None:
        inspection.refuse(f'missing FROM-clause entry for table "{fields[-2].sval}"', node.location)
    objects = inspection.catalog.objects
    if source.is_system and name not in objects.functions and name not in objects.types:
        return
    if not source.has(name) or (source.is_function and name in objects.functions):
        inspection.refuse(
            f'"{_name(fields)}" is not a known column, and would call a function', node.location
        )


def _indirection(inspection: Inspection, node: Node, _scope: Scope) -> None:
    for step in node.indirection:
        if of(step, ast.String):
            inspection.refuse(f'".{step.sval}" of an expression could call a function', first_location(node))
        if of(step, ast.A_Star):
            inspection.whole_rows = True


def _function(inspection: Inspection, node: Node, _scope: Scope) -> None:
    names = [part.sval for part in node.funcname]
    name = names[-1]
    shown = ".".join(names)
    if len(names) > 2:
        inspection.refuse(f'"{shown}" names a database', node.location)
    if len(names) == 2 and names[0] != _PG_CATALOG:
        if shown not in inspection.policy.allowed_functions:
            inspection.refuse(
                f'function "{shown}" is not allowed',
                node.location,
                "The operator can allow functions by name: allowed_functions.",
            )
        return
    if name not in review().allowed:
        inspection.refuse(f'function "{shown}" is not allowed', node.location)
    if len(names) == 1:
        inspection.functions.setdefault(name, node.location)
        if all(map(is_untyped, node.args or ())):
            inspection.untyped.add(name)
    check_arguments(inspection, node, name)


def _operator(inspection: Inspection, node: Node, _scope: Scope) -> None:
    implied = allowed.IMPLIED.get(node.kind)
    if implied is not None:
        untyped = all(map(is_untyped, _operands(node)))
        for name in implied:
            inspection.use_operator(name, node.location, syntax=_SYNTAX.get(node.kind, ""))
            if untyped:
                inspection.untyped.add(name)
        return
    name = _operator_name(inspection, node.name, node.location, _operands(node))
    if node.lexpr is not None and node.kind != A_Expr_Kind.AEXPR_SIMILAR and name in allowed.PATTERN:
        _each(inspection, node, check_pattern)
    elif name in allowed.JSON_PATH:
        check_json_path(inspection, node.rexpr, node.location, required=name == "@?")
        check_json_path(inspection, node.lexpr, node.location, required=False)
        if node.kind != A_Expr_Kind.AEXPR_OP:
            inspection.refuse(f"operator {name} with ANY or ALL is not allowed", node.location)
    elif node.kind in (A_Expr_Kind.AEXPR_LIKE, A_Expr_Kind.AEXPR_ILIKE):
        check_like(inspection, node.rexpr, node.location)


_SYNTAX: Final = {
    A_Expr_Kind.AEXPR_DISTINCT: "IS DISTINCT FROM",
    A_Expr_Kind.AEXPR_NOT_DISTINCT: "IS NOT DISTINCT FROM",
    A_Expr_Kind.AEXPR_BETWEEN_SYM: "BETWEEN SYMMETRIC",
    A_Expr_Kind.AEXPR_NOT_BETWEEN_SYM: "NOT BETWEEN SYMMETRIC",
}


def _operator_name(
    inspection: Inspection, parts: tuple[Node, ...], location: int | None, operands: tuple[Node, ...]
) -> str:
    """The operator's own name, checked; '' for one the administrator allows."""
    shown = _name(parts)
    if len(parts) > 1 and (len(parts) > 2 or parts[0].sval != _PG_CATALOG):
        if shown not in inspection.policy.allowed_operators:
            inspection.refuse(
                f"operator {shown} is not allowed",
                location,
                "The operator can allow operators by name: allowed_operators.",
            )
        return ""
    name = str(parts[-1].sval)
    if name not in allowed.OPERATORS:
        inspection.refuse(f"operator {shown} is not allowed", location)
    if len(parts) == 1:
        inspection.use_operator(name, location)
        if all(map(is_untyped, operands)):
            inspection.untyped.add(name)
    return name


def _each(inspection: Inspection, node: Node, check: Callable[[Inspection, Node, int | None], None]) -> None:
    """Check the right side of an operator, or every element of the array that ANY or ALL has there."""
    elements: tuple[Node, ...] = (node.rexpr,)
    if node.kind in (A_Expr_Kind.AEXPR_OP_ANY, A_Expr_Kind.AEXPR_OP_ALL):
        elements = node.rexpr.elements or () if of(node.rexpr, ast.A_ArrayExpr) else (None,)
    for element in elements:
        check(inspection, element, node.location)


def _sublink(inspection: Inspection, node: Node) -> None:
    if node.subLinkType not in (SubLinkType.ANY_SUBLINK, SubLinkType.ALL_SUBLINK):
        return
    if not node.operName:
        inspection.use_operator("=", node.location)
        return
    name = _operator_name(inspection, node.operName, node.location, (node.testexpr,))
    if name in allowed.PATTERN or name in allowed.JSON_PATH:
        inspection.refuse(f"operator {name} with a subquery is not allowed", node.location)


def _row(inspection: Inspection, _node: Node, _scope: Scope) -> None:
    inspection.row_values = True


def _operands(node: Node) -> tuple[Node, ...]:
    """The operands of an operator; of a list on its right side the elements."""
    right = node.rexpr.elements if of(node.rexpr, ast.A_ArrayExpr) else node.rexpr
    sides = (*(right if isinstance(right, tuple) else (right,)), node.lexpr)
    return tuple(side for side in sides if side is not None)


def is_untyped(node: Node) -> bool:
    """Whether an argument is a literal that takes the type of whatever parameter it is given to."""
    while of(node, ast.CollateClause, ast.NamedArgExpr):
        node = node.arg
    return of(node, ast.A_Const) and (node.isnull or of(node.val, ast.String))


def _case(inspection: Inspection, node: Node, _scope: Scope) -> None:
    if node.arg is not None:
        inspection.use_operator("=", node.location)
        if is_untyped(node.arg):
            inspection.untyped.add("=")


def _sort(inspection: Inspection, node: Node, _scope: Scope) -> None:
    if node.useOp:
        inspection.refuse("ORDER BY … USING is not allowed", first_location(node))


def _type(inspection: Inspection, node: Node, _scope: Scope) -> None:
    names = [part.sval for part in node.names]
    shown = ".".join(names)
    if node.setof or node.pct_type:
        inspection.refuse(f'type "{shown}" is not allowed', node.location)
    own = len(names) == 1 or (len(names) == 2 and names[0] == _PG_CATALOG)
    if own and names[-1] in allowed.TYPES:
        if len(names) == 1:
            inspection.types.setdefault(names[-1], node.location)
        if names[-1] in allowed.PADDED:
            _padding(inspection, node)
        return
    if shown in inspection.policy.allowed_types or _is_plain_enum(inspection, names):
        inspection.own_types = True
        return
    inspection.refuse(
        f'type "{shown}" is not allowed',
        node.location,
        "The operator can allow types by name: allowed_types.",
    )


def _padding(inspection: Inspection, node: Node) -> None:
    for modifier in node.typmods or ():
        length = number_constant(modifier)
        if length is None or length > _MAX_PADDED_LENGTH:
            inspection.refuse(f'the length of type "{node.names[-1].sval}" is too large', node.location)


def _is_plain_enum(inspection: Inspection, names: list[str]) -> bool:
    """Whether it names an enum type of a readable column, and nothing that runs code when cast to."""
    oid = inspection.catalog.enum_types.get(".".join(map(quote_identifier, names)))
    objects = inspection.catalog.objects
    # A domain over an enum has the enum's labels, and checks of its own.
    return oid is not None and oid not in objects.type_runs and names[-1] not in objects.domains


def _collation(inspection: Inspection, node: Node, _scope: Scope) -> None:
    if len(node.collname) > 1 and node.collname[0].sval != _PG_CATALOG:
        inspection.refuse(f'collation "{_name(node.collname)}" is not allowed', node.location)


def _json(inspection: Inspection, node: Node, _scope: Scope) -> None:
    if not _JSON_WORDS.isdisjoint(inspection.catalog.objects.functions):
        inspection.refuse(
            "SQL/JSON syntax is not allowed where a function is called like it",
            first_location(node),
        )


def _json_query(inspection: Inspection, node: Node, scope: Scope) -> None:
    _json(inspection, node, scope)
    check_json_path(inspection, node.pathspec, node.location, required=True)


_CHECKS: Final[Mapping[type, Callable[[Inspection, Node, Scope], None]]] = {
    ast.ColumnRef: _column,
    ast.A_Indirection: _indirection,
    ast.FuncCall: _function,
    ast.RowExpr: _row,
    ast.A_Expr: _operator,
    ast.CaseExpr: _case,
    ast.SortBy: _sort,
    ast.TypeName: _type,
    ast.CollateClause: _collation,
    ast.JsonFuncExpr: _json_query,
    ast.JsonArrayAgg: _json,
    ast.JsonArrayConstructor: _json,
    ast.JsonObjectAgg: _json,
    ast.JsonObjectConstructor: _json,
    ast.JsonParseExpr: _json,
    ast.JsonScalarExpr: _json,
    ast.JsonSerializeExpr: _json,
}
