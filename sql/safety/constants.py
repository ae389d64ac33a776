"""Reading the constants of a parse tree: numbers, text, moments and intervals.

Only plain forms are read: literals, their casts, signs, and dates plus or minus intervals. What is not read
is not a constant to the gate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite
from typing import Final

from pglast import ast
from pglast.enums import A_Expr_Kind

from askwire.sql.safety.nodes import Node, of

_UNITS: Final = {
    "microsecond": 1e-6 / 86400,
    "millisecond": 1e-3 / 86400,
    "second": 1 / 86400,
    "sec": 1 / 86400,
    "minute": 1 / 1440,
    "min": 1 / 1440,
    "hour": 1 / 24,
    "day": 1.0,
    "week": 7.0,
    "month": 28.0,
    "mon": 28.0,
    "quarter": 84.0,
    "year": 365.0,
    "decade": 3650.0,
}
_INTERVAL: Final = re.compile(r"\s*([+-]?\d{1,9}(?:\.\d{1,6})?)\s*([a-z]+?)s?(?=\s|\Z|[+-]|\d)", re.ASCII)
_MOMENT: Final = re.compile(
    r"\s*(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?)?\s*\Z", re.ASCII
)
_INTEGER: Final = re.compile(r"\s*[+-]?\d{1,18}\s*\Z", re.ASCII)
_TRUNCATED: Final = {
    "year": 366.0, "quarter": 92.0, "month": 31.0, "week": 7.0, "day": 1.0, "hour": 1.0, "minute": 1.0,
}  # fmt: skip
_LATEST_NOW_DAYS: Final = 32_872.0  # 2060-01-01
_NOW_SLACK_DAYS: Final = 14_612.0  # 40 years
_MOMENT_TYPES: Final = frozenset(("date", "timestamp", "timestamptz"))
_INTEGER_TYPES: Final = frozenset(("int2", "int4", "int8", "numeric"))
_TEXT_TYPES: Final = frozenset(("text", "varchar", "name"))


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in time that does not depend on rows, in days, give or take `slack` days.

    Counted from 1970, or from the beginning of the transaction when `relative`.
    """

    days: float
    slack: float
    relative: bool

    def absolute(self) -> Moment:
        """The same counted from 1970: now is somewhere in the years 2020 to 2100."""
        return (
            Moment(self.days + _LATEST_NOW_DAYS, self.slack + _NOW_SLACK_DAYS, relative=False)
            if self.relative
            else self
        )


def series_length(begin: Moment, end: Moment, step: float) -> float:
    """At most how many moments lie from `begin` to `end`, `step` days apart (not 0)."""
    if begin.relative != end.relative:
        begin, end = begin.absolute(), end.absolute()
    slack = begin.slack + end.slack + 1  # a day for time zones
    return max((end.days - begin.days) / step, 0.0) + slack / abs(step) + 1


def text_constant(node: Node) -> str | None:
    """The text of a string literal (a cast to a text type is looked through), or None."""
    if of(node, ast.TypeCast) and _type_of(node) in _TEXT_TYPES:
        node = node.arg
    if of(node, ast.A_Const) and not node.isnull and of(node.val, ast.String):
        return node.val.sval or ""
    return None


def number_constant(node: Node) -> float | None:
    """A number, also one written as a string literal (where a number is what the parameter takes)."""
    sign = 1
    if (
        of(node, ast.A_Expr)
        and node.kind == A_Expr_Kind.AEXPR_OP
        and node.lexpr is None
        and len(node.name) == 1
        and node.name[0].sval in ("-", "+")
    ):
        sign = -1 if node.name[0].sval == "-" else 1
        node = node.rexpr
    if of(node, ast.TypeCast) and _type_of(node) in _INTEGER_TYPES:
        node = node.arg
    if not of(node, ast.A_Const) or node.isnull:
        return None
    value = node.val
    if of(value, ast.Integer):
        return float(sign * (value.ival or 0))
    if of(value, ast.Float):
        try:
            number = sign * float(value.fval)
        except ValueError:
            return None
        return number if isfinite(number) else None
    if of(value, ast.String) and _INTEGER.match(value.sval or ""):
        return float(sign * int(value.sval))
    return None


def interval_constant(node: Node) -> float | None:
    """The least length in days of an interval literal (a month has at least 28), or None."""
    if of(node, ast.TypeCast):
        if _type_of(node) != "interval" or node.typeName.typmods:
            return None
        node = node.arg
    text = text_constant(node)
    if text is None or len(text) > 100:
        return None
    lengths: list[float] = []
    position = 0
    text = text.lower().strip()
    while position < len(text):
        match = _INTERVAL.match(text, position)
        if match is None or match[2] not in _UNITS:
            return None
        lengths.append(float(match[1]) * _UNITS[match[2]])
        position = match.end()
    # '1 month -29 days' can be any short time: only parts of one direction add up to a least length.
    one_way = all(length > 0 for length in lengths) or all(length < 0 for length in lengths)
    return sum(lengths) if lengths and one_way else None


def moment_constant(node: Node) -> Moment | None:
    """A date or timestamp that does not depend on rows: a literal, now() and its like, ± an interval."""
    if of(node, ast.SQLValueFunction):
        return _BEGINNING if node.op.name in _NOW_OPS else None
    if of(node, ast.FuncCall):
        name = node.funcname[-1].sval
        if name in _NOW_FUNCTIONS and not node.args:
            return _BEGINNING
        if name == "date_trunc" and len(node.args or ()) == 2:
            cut = _TRUNCATED.get((text_constant(node.args[0]) or "").lower())
            moment = moment_constant(node.args[1])
            if cut is not None and moment is not None:
                return Moment(moment.days, moment.slack + cut, moment.relative)
        return None
    if of(node, ast.A_Expr):
        return _shifted(node)
    if of(node, ast.TypeCast):
        if _type_of(node) not in _MOMENT_TYPES:
            return None
        return moment_constant(node.arg)
    text = text_constant(node)
    match = _MOMENT.match(text) if text is not None else None
    if match is None:
        return None
    try:
        read = datetime.fromisoformat(f"{match[1]}T{match[2] or '00:00'}").replace(tzinfo=UTC)
    except ValueError:
        return None
    return Moment(read.timestamp() / 86400, 0.0, relative=False)


_BEGINNING: Final = Moment(0.0, 0.0, relative=True)
_NOW_FUNCTIONS: Final = frozenset(("now", "statement_timestamp", "transaction_timestamp"))
_NOW_OPS: Final = frozenset(
    f"SVFOP_{name}{suffix}"
    for name in ("CURRENT_DATE", "CURRENT_TIMESTAMP", "LOCALTIMESTAMP")
    for suffix in ("", "_N")
)


def _shifted(node: Node) -> Moment | None:
    if node.kind != A_Expr_Kind.AEXPR_OP or len(node.name) != 1 or node.name[0].sval not in ("+", "-"):
        return None
    base = moment_constant(node.lexpr)
    shift = interval_constant(node.rexpr)
    if shift is None:
        shift = number_constant(node.rexpr)
    if base is None or shift is None:
        return None
    # The length of a month is taken as its least, which is off by a tenth.
    days = base.days + (shift if node.name[0].sval == "+" else -shift)
    return Moment(days, base.slack + abs(shift) * 0.11, base.relative)


def _type_of(node: Node) -> str:
    """The name of a cast's type when it is a plain one, else ''."""
    name = node.typeName
    if name.arrayBounds or name.setof or name.pct_type:
        return ""
    return str(name.names[-1].sval)
