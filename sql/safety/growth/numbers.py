"""How many digits numbers can have: a short text says 131,072, and arithmetic on such looks at no clock.

`SELECT 2.5 ^ 300000, 2.5 ^ 300001, …` works on for half a second each, all within one row. Owns: a bound from
above on the digits of literals, powers and texts that are read as numbers. Columns count as what they usually
hold.
"""

from __future__ import annotations

import re
from typing import Final

from pglast import ast
from pglast.enums import A_Expr_Kind

from askwire.sql.safety.constants import number_constant
from askwire.sql.safety.nodes import PARTS, Node, of

MAX_DIGITS: Final = 147_455.0
"""A numeric has 131,072 digits before the point and 16,383 behind it at most."""

MAX_EXPONENTIAL_DIGITS: Final = 3_700.0
"""What exp() comes to, or a power whose exponent is no whole number (numeric.c bounds both)."""

TOO_MANY_DIGITS: Final = (
    "its numbers could have very many digits",
    "Cast the base and the factors to double precision, or use constant exponents.",
)
"""What it is refused for, and what to do instead."""

_MAX_SMALL_INTEGER: Final = 100
_EXPONENT: Final = re.compile(
    r"(?<![0-9a-z._])[\d._]+e([+-]?\d[\d_]{1,8})(?![0-9a-z])", re.IGNORECASE | re.ASCII
)
_EXPONENT_WRITERS: Final = frozenset(
    ("concat", "concat_ws", "format", "string_agg", "chr", "md5", "encode", "to_hex", "reverse", "unistr")
)
"""Functions that may write an exponent out of what has none."""


def written(text: str) -> float:
    """The digits of the longest number that a text says, also in JSON or an array, and its characters."""
    said = (abs(int(exponent.replace("_", ""))) for exponent in _EXPONENT.findall(text))
    return min(max(said, default=0), MAX_DIGITS) + len(text)


def literal(node: Node) -> str:
    """The text of a number that is too large or too exact for an integer, else ''."""
    return str(node.val.fval or "") if of(node, ast.A_Const) and of(node.val, ast.Float) else ""


def few_times(exponent: Node) -> bool:
    """Whether a power is a few multiplications and no more."""
    number = number_constant(exponent)
    return number is not None and number.is_integer() and abs(number) <= _MAX_SMALL_INTEGER


def power(base: float, exponent: Node) -> float:
    """The digits of a power, from those of its base."""
    number = number_constant(exponent)
    if number is None:
        return MAX_DIGITS
    if not number.is_integer():
        return MAX_EXPONENTIAL_DIGITS
    return min(max(base, 1.0) * max(abs(number), 1.0), MAX_DIGITS)


def may_say_exponent(node: Node) -> bool:
    """Whether a text that is put together may say '1e131071' where it is read as a number."""
    if of(node, ast.A_Const, ast.ColumnRef):
        return False
    pending: list[Node] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, tuple):
            pending.extend(part)
        elif of(part, ast.A_Const):
            if of(part.val, ast.String) and any(map(str.isdigit, part.val.sval or "")):
                return True
        elif of(part, ast.Node):
            if of(part, ast.FuncCall) and part.funcname[-1].sval in _EXPONENT_WRITERS:
                return True
            if of(part, ast.A_Expr) and part.name[-1].sval == "||":
                return True
            pending.extend(getattr(part, name) for name in PARTS.get(type(part), ()))
    return False


def outputs(query: Node) -> list[float | None]:
    """The digits of each output of a query that is surely a number, as PostgreSQL takes types from it."""
    values = query.valuesLists[0] if query.valuesLists else [t.val for t in query.targetList or ()]
    return [_of_number(value) for value in values]


def _of_number(node: Node) -> float | None:
    if of(node, ast.A_Const):
        if of(node.val, ast.Integer):
            return _INTEGER_DIGITS
        return MAX_DIGITS if of(node.val, ast.Float) else None
    if of(node, ast.TypeCast):
        name = "" if node.typeName.arrayBounds else node.typeName.names[-1].sval
        return MAX_DIGITS if name == "numeric" else _INTEGER_DIGITS if name in _SHORT_TYPES else None
    if of(node, ast.A_Expr) and node.kind == A_Expr_Kind.AEXPR_OP and node.name[-1].sval in _ARITHMETIC:
        # jsonb - 1 is jsonb: the left side says what a difference is
        sides = (node.lexpr or node.rexpr,) if node.name[-1].sval == "-" else (node.lexpr, node.rexpr)
        return MAX_DIGITS if any(_of_number(side) is not None for side in sides if side is not None) else None
    return None


_INTEGER_DIGITS: Final = 20.0
_SHORT_TYPES: Final = frozenset(("int2", "int4", "int8", "float4", "float8"))
_ARITHMETIC: Final = frozenset("+-*/%")


def is_double(*nodes: Node) -> bool:
    """Whether one of them is cast to double precision: arithmetic with it is then, and takes no time."""
    return any(of(node, ast.TypeCast) and shortens(node.typeName) for node in nodes)


def shortens(type_name: Node) -> bool:
    """Whether a cast to this type leaves a few digits of a number."""
    return not type_name.arrayBounds and type_name.names[-1].sval in ("float4", "float8")
