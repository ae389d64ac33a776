"""Functions whose arguments decide how much they make: sizes and patterns must be constants, and are capped.

`format('%1000000000s', 'x')` runs for seconds under any statement_timeout, because nothing inside it looks
at the clock. A size that comes from a row cannot be judged beforehand and is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pglast import ast

from askwire.sql.safety.constants import (
    interval_constant,
    moment_constant,
    number_constant,
    series_length,
    text_constant,
)
from askwire.sql.safety.inspection import Inspection
from askwire.sql.safety.nodes import CHILDREN, Node, of
from askwire.sql.safety.patterns import MAX_WILDCARDS, too_complex

_FORMAT: Final = re.compile(r"%(?:\d+\$)?-?(?P<width>\d+|\*)?(?:\d+\$)?(?P<type>[\s\S])?")
_MAX_WIDTH: Final = 1000
_CENTURY_DAYS: Final = 36_525.0
_INTEGER_FUNCTIONS: Final = frozenset(
    (
        "strpos",
        "position",
        "length",
        "char_length",
        "character_length",
        "octet_length",
        "floor",
        "ceil",
        "round",
    )
)
_MAX_NEEDLE: Final = 1000
_TEXT_MAKERS: Final = frozenset(("repeat", "lpad", "rpad", "format"))
_ARITHMETIC: Final = frozenset("+-*/%")

Check = Callable[[Inspection, Node, str], None]


def check_arguments(inspection: Inspection, call: Node, name: str) -> None:
    """Raise `RefusedByGate` when a function of pg_catalog is called with sizes or patterns out of bounds."""
    check = _CHECKS.get(name)
    if check is None:
        return
    if call.func_variadic or any(of(arg, ast.NamedArgExpr) for arg in call.args or ()):
        inspection.refuse(f'arguments of function "{name}" must be given by position', call.location)
    check(inspection, call, name)


def check_pattern(inspection: Inspection, node: Node, location: int | None) -> None:
    """Refuse a regular expression that is not constant, or too complex."""
    pattern = text_constant(node)
    if pattern is None:
        inspection.refuse("a regular expression must be a constant", location)
    if reason := too_complex(pattern):
        inspection.refuse(f"the regular expression {reason}", location)


def check_json_path(inspection: Inspection, node: Node, location: int | None, *, required: bool) -> None:
    """Refuse a JSON path that matches regular expressions, or (when `required`) is no constant."""
    path = text_constant(node)
    if path is None:
        if required:
            inspection.refuse("a JSON path must be a constant", location)
    elif "like_regex" in path.lower() or "\\" in path:
        inspection.refuse("a JSON path must not use like_regex or escapes", location)


def check_like(inspection: Inspection, node: Node, location: int | None) -> None:
    """Refuse a LIKE pattern with very many wildcards."""
    pattern = text_constant(node)
    if pattern is not None and pattern.count("%") > MAX_WILDCARDS:
        inspection.refuse(f"the LIKE pattern has more than {MAX_WILDCARDS} wildcards", location)


def _size(inspection: Inspection, call: Node, name: str, index: int) -> int:
    args: Sequence[Node] = call.args or ()
    number = number_constant(args[index]) if index < len(args) else None
    if number is None:
        inspection.refuse(f'the size given to function "{name}" must be a constant', call.location)
    if number > inspection.policy.max_text:
        inspection.refuse(f'the size given to function "{name}" is too large', call.location)
    return max(int(number), 1)


def _repeat(inspection: Inspection, call: Node, name: str) -> None:
    times = _size(inspection, call, name, 1)
    unit = text_constant(call.args[0])
    # What is repeated may itself have been repeated, here or in a subquery: all counts multiply.
    inspection.repeated *= times * max(len(unit) if unit else 1, 1)
    if inspection.repeated > inspection.policy.max_text:
        inspection.refuse(f'calls of function "{name}" make too much text', call.location)


def _pad(inspection: Inspection, call: Node, name: str) -> None:
    _size(inspection, call, name, 1)


def _format(inspection: Inspection, call: Node, name: str) -> None:
    template = text_constant(call.args[0]) if call.args else None
    if template is None:
        inspection.refuse('the format given to function "format" must be a constant', call.location)
    for match in _FORMAT.finditer(template):
        width = match["width"]
        if width == "*" or (width and (len(width) > 9 or int(width) > _MAX_WIDTH)) or match["type"] == "*":
            inspection.refuse(
                f'a width given to function "{name}" is too large or no constant', call.location
            )


def _series(inspection: Inspection, call: Node, name: str) -> None:
    rows = series_rows(call)
    if rows is None:
        inspection.refuse(
            f'the bounds and step of "{name}" must be constants, or the step at least a day', call.location
        )
    inspection.series_rows *= max(rows, 1.0)
    if inspection.series_rows > inspection.policy.max_series_rows:
        inspection.refuse(f'"{name}" makes too many rows', call.location)


def series_rows(call: Node) -> float | None:
    """How many rows generate_series makes; None where its arguments do not tell."""
    args: Sequence[Node] = call.args or ()
    if len(args) not in (2, 3):
        return None
    start, stop = number_constant(args[0]), number_constant(args[1])
    if start is not None and stop is not None:
        step = number_constant(args[2]) if len(args) == 3 else 1.0
        return None if not step else (stop - start) / step + 1
    begin, end = moment_constant(args[0]), moment_constant(args[1])
    length = interval_constant(args[2]) if len(args) == 3 else None
    if not length:
        return None
    if begin is not None and end is not None:
        return series_length(begin, end, length)
    # From the first to the last day of the data a century is taken, in steps of the calendar. Such a
    # series is made row by row, within the reach of a time-out.
    return _CENTURY_DAYS / abs(length) if abs(length) >= 1 else None


def _pattern(inspection: Inspection, call: Node, _name: str) -> None:
    args: Sequence[Node] = call.args or ()
    check_pattern(inspection, args[1] if len(args) > 1 else None, call.location)


def _similar(inspection: Inspection, call: Node, _name: str) -> None:
    check_pattern(inspection, (call.args or (None,))[0], call.location)


def _substring(inspection: Inspection, call: Node, _name: str) -> None:
    args: Sequence[Node] = call.args or ()
    # Positions are numbers; with any other argument the second one is a regular expression.
    if len(args) < 2 or any(number_constant(arg) is not None or _makes_integer(arg) for arg in args[1:]):
        return
    check_pattern(inspection, args[1], call.location)


def _makes_integer(node: Node) -> bool:
    """Whether an expression can only be a number, so that substring() takes it for a position."""
    if of(node, ast.A_Expr):
        if len(node.name) != 1 or node.name[0].sval not in _ARITHMETIC:
            return False
        return any(
            number_constant(side) is not None or _makes_integer(side) for side in (node.lexpr, node.rexpr)
        )
    if of(node, ast.FuncCall):
        return node.funcname[-1].sval in _INTEGER_FUNCTIONS
    if of(node, ast.TypeCast):
        return node.typeName.names[-1].sval in ("int2", "int4", "int8") and not node.typeName.arrayBounds
    return False


def _characters(inspection: Inspection, call: Node, name: str) -> None:
    """Sets of characters: each one of the text is compared with each of them, out of a time-out's reach."""
    for node in (call.args or ())[1:]:
        if not of(node, ast.ColumnRef):
            text = text_constant(node)
            if text is None or len(text) > _MAX_NEEDLE:
                inspection.refuse(
                    f'the characters given to function "{name}" must be a constant or a column', call.location
                )


def _needle(inspection: Inspection, call: Node, name: str) -> None:
    """What is searched for in a text: at worst it is compared at every place."""
    for node in call.args or ():
        text = text_constant(node)
        if (text is not None and len(text) > _MAX_NEEDLE) or _makes_text(node):
            inspection.refuse(f'a text given to function "{name}" can be too long', call.location)


def _makes_text(node: Node) -> bool:
    """Whether an expression calls what makes long texts."""
    waiting: list[Node] = [node]
    while waiting:
        found = waiting.pop()
        if isinstance(found, tuple):
            waiting.extend(found)
        elif of(found, ast.FuncCall) and found.funcname[-1].sval in _TEXT_MAKERS:
            return True
        elif type(found) in CHILDREN:
            waiting.extend(getattr(found, child) for child in CHILDREN[type(found)])
    return False


def _json_path(inspection: Inspection, call: Node, _name: str) -> None:
    args: Sequence[Node] = call.args or ()
    check_json_path(inspection, args[1] if len(args) > 1 else None, call.location, required=True)


_CHECKS: Final[Mapping[str, Check]] = {
    "repeat": _repeat,
    "lpad": _pad,
    "rpad": _pad,
    "format": _format,
    "generate_series": _series,
    "substring": _substring,
    "similar_to_escape": _similar,
    **dict.fromkeys(("translate", "btrim", "ltrim", "rtrim"), _characters),
    **dict.fromkeys(
        ("strpos", "position", "replace", "split_part", "string_to_array", "string_to_table"), _needle
    ),
    **dict.fromkeys(
        (
            *("regexp_count", "regexp_instr", "regexp_like", "regexp_match", "regexp_matches"),
            *("regexp_replace", "regexp_split_to_array", "regexp_split_to_table", "regexp_substr"),
        ),
        _pattern,
    ),
    **dict.fromkeys(
        (
            *("jsonb_path_exists", "jsonb_path_exists_tz", "jsonb_path_match", "jsonb_path_match_tz"),
            *("jsonb_path_query", "jsonb_path_query_tz", "jsonb_path_query_array"),
            *("jsonb_path_query_array_tz", "jsonb_path_query_first", "jsonb_path_query_first_tz"),
        ),
        _json_path,
    ),
}
