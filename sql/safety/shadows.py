"""Names that an object of a user could take over, and writing them so that it cannot.

`lower(name)` means `public.lower(varchar)` where someone made one: overloads of every schema on search_path
compete by argument types. Such names are written `pg_catalog.lower(name)` and `OPERATOR(pg_catalog.=)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pglast import ast, parser
from pglast.enums import A_Expr_Kind, BoolExprType, SubLinkType

from askwire.sql.catalog import Column
from askwire.sql.printing import to_sql
from askwire.sql.qualified import FIRST_USER_OID
from askwire.sql.safety.inspection import Inspection
from askwire.sql.safety.nodes import CHILDREN, STRUCTURE, Node, of

_PG_CATALOG: Final = "pg_catalog"
_MIN_NODE_LIMIT: Final = 500
_MAX_GROWTH: Final = 8
"""How many times as many nodes a statement of more than `_MIN_NODE_LIMIT` may become: forms that name no
operator are written as comparisons, with an operand in two places, and nested ones double at every
level."""


def _holds_others(column: Column) -> bool:
    if column.category == "A":
        return column.type_oid >= FIRST_USER_OID
    return column.category in "CR" and column.type_oid >= FIRST_USER_OID


class ShadowedNames:
    """The names of one statement that must be qualified."""

    def __init__(self, inspection: Inspection) -> None:
        objects = inspection.catalog.objects
        columns = [c for relation in inspection.relations.values() for c in relation.columns]
        touched = frozenset(column.type_oid for column in columns)
        # Values of other types than a column's: a row used as a value, a cast, and what a row, a range or an
        # array of such holds.
        anything = inspection.row_values or inspection.own_types or any(map(_holds_others, columns))

        def reachable(name: str, names: frozenset[str], typed: Mapping[str, frozenset[int]]) -> bool:
            if name not in names:
                return False
            needed = typed.get(name)
            return needed is None or anything or name in inspection.untyped or not needed.isdisjoint(touched)

        # A call f(x) is a cast where f is a type's name.
        self.functions = frozenset(
            name
            for name in inspection.functions
            if name in objects.types or reachable(name, objects.functions, objects.typed_functions)
        )
        self.operators = frozenset(
            name
            for name in inspection.operators
            if reachable(name, objects.operators, objects.typed_operators)
        )
        self.types = frozenset(inspection.types) & objects.types

    def __bool__(self) -> bool:
        return bool(self.functions or self.operators or self.types)

    def names(self) -> str:
        """The names for a message, in order."""
        return ", ".join(sorted((*self.functions, *self.operators, *self.types)))

    def first(self, inspection: Inspection) -> int | None:
        """Where the text names one of them first."""
        named = (
            *(inspection.functions.get(name) for name in self.functions),
            *(inspection.operators.get(name) for name in self.operators),
            *(inspection.types.get(name) for name in self.types),
        )
        return min((location for location in named if location is not None), default=None)


def qualified(inspection: Inspection, sql: str, shadowed: ShadowedNames) -> str:
    """The statement with every shadowed name written out.

    `a = 1 AND lower(b) IN ('x')` becomes
    `a OPERATOR(pg_catalog.=) 1 AND pg_catalog.lower(b) OPERATOR(pg_catalog.=) 'x'`.
    Raises `RefusedByGate` where the syntax has no place for a schema, or the text would change its meaning.
    """
    for name, (syntax, location) in inspection.unqualifiable.items():
        if name in shadowed.operators:
            inspection.refuse(
                f"{syntax} uses operator {name}, which an object outside pg_catalog could take over",
                location,
                f"Write a comparison with OPERATOR(pg_catalog.{name}) instead.",
            )
    statement = parser.parse_sql(sql)
    before = _weight(statement, {})
    rewritten = _rewrite(statement, shadowed)
    if _weight(rewritten, {}) > max(_MIN_NODE_LIMIT, _MAX_GROWTH * before):
        inspection.refuse(
            f"the SQL is too long when these names get their schema: {shadowed.names()}",
            shadowed.first(inspection),
            "Do not nest NULLIF, BETWEEN, IN and CASE in one another so deeply.",
        )
    text = to_sql(rewritten)
    # The printer must have said what the tree says: the tree of its text is the same.
    if parser.parse_sql(text) != rewritten:
        inspection.refuse(
            f"these names could be taken over by objects outside pg_catalog: {shadowed.names()}",
            shadowed.first(inspection),
            "Write them with the schema pg_catalog.",
        )
    return text


def _weight(node: Node, known: dict[int, int]) -> int:
    """How many nodes a tree is printed as, where one that stands in several places counts in each."""
    if isinstance(node, tuple):
        return sum(_weight(item, known) for item in node)
    if not of(node, ast.Node):
        return 0
    if id(node) not in known:
        slots = [getattr(node, slot) for slot in node.__slots__]
        known[id(node)] = 1 + sum(_weight(child, known) for child in slots)
    return known[id(node)]


def _rewrite(node: Node, shadowed: ShadowedNames) -> Node:
    if isinstance(node, tuple):
        return tuple(_rewrite(item, shadowed) for item in node)
    if type(node) not in CHILDREN and type(node) not in STRUCTURE:
        return node
    for slot in type(node).__slots__:
        child = getattr(node, slot)
        if isinstance(child, tuple | ast.Node):
            setattr(node, slot, _rewrite(child, shadowed))
    if of(node, ast.FuncCall):
        if len(node.funcname) == 1 and node.funcname[0].sval in shadowed.functions:
            node.funcname = (ast.String(sval=_PG_CATALOG), *node.funcname)
    elif of(node, ast.TypeName):
        if len(node.names) == 1 and node.names[0].sval in shadowed.types:
            node.names = (ast.String(sval=_PG_CATALOG), *node.names)
    elif of(node, ast.SubLink) and node.subLinkType in (SubLinkType.ANY_SUBLINK, SubLinkType.ALL_SUBLINK):
        if node.operName is not None:
            node.operName = _name(node.operName, shadowed)
        elif "=" in shadowed.operators:
            node.operName = _operator("=")
    elif of(node, ast.CaseExpr) and node.arg is not None and "=" in shadowed.operators:
        for when in node.args:
            when.expr = _comparison("=", node.arg, when.expr)
        node.arg = None
    elif of(node, ast.A_Expr):
        return _expression(node, shadowed)
    return node


def _name(parts: tuple[Node, ...], shadowed: ShadowedNames) -> tuple[Node, ...]:
    if len(parts) == 1 and parts[0].sval in shadowed.operators:
        return _operator(parts[0].sval)
    return parts


def _operator(name: str) -> tuple[Node, ...]:
    return (ast.String(sval=_PG_CATALOG), ast.String(sval=name))


def _comparison(name: str, left: Node, right: Node) -> Node:
    return ast.A_Expr(kind=A_Expr_Kind.AEXPR_OP, name=_operator(name), lexpr=left, rexpr=right)


def _expression(node: Node, shadowed: ShadowedNames) -> Node:
    """One operator expression; forms that cannot name a schema become the comparisons they stand for."""
    left, right = node.lexpr, node.rexpr
    match node.kind:
        case A_Expr_Kind.AEXPR_IN if not shadowed.operators.isdisjoint(("=", "<>")):
            negated = node.name[0].sval == "<>"
            return _joined(
                BoolExprType.AND_EXPR if negated else BoolExprType.OR_EXPR,
                [_comparison("<>" if negated else "=", left, item) for item in right],
            )
        case A_Expr_Kind.AEXPR_BETWEEN if not shadowed.operators.isdisjoint((">=", "<=")):
            return _joined(
                BoolExprType.AND_EXPR, [_comparison(">=", left, right[0]), _comparison("<=", left, right[1])]
            )
        case A_Expr_Kind.AEXPR_NOT_BETWEEN if not shadowed.operators.isdisjoint(("<", ">")):
            return _joined(
                BoolExprType.OR_EXPR, [_comparison("<", left, right[0]), _comparison(">", left, right[1])]
            )
        case A_Expr_Kind.AEXPR_NULLIF if "=" in shadowed.operators:
            null = ast.A_Const(isnull=True)
            equal = ast.CaseWhen(expr=_comparison("=", left, right), result=null)
            return ast.CaseExpr(args=(equal,), defresult=left)
        case A_Expr_Kind.AEXPR_LIKE | A_Expr_Kind.AEXPR_ILIKE | A_Expr_Kind.AEXPR_SIMILAR if (
            node.name[0].sval in shadowed.operators
        ):
            return _comparison(node.name[0].sval, left, right)
        case A_Expr_Kind.AEXPR_OP | A_Expr_Kind.AEXPR_OP_ANY | A_Expr_Kind.AEXPR_OP_ALL:
            node.name = _name(node.name, shadowed)
    return node


def _joined(operation: BoolExprType, parts: list[Node]) -> Node:
    return parts[0] if len(parts) == 1 else ast.BoolExpr(boolop=operation, args=tuple(parts))
