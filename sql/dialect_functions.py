"""Functions of other databases that sqlglot leaves as they are, as PostgreSQL's.

Owns: one translation per function. Arguments are nodes of sqlglot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

_NOW: Final = "now"
_UNITS: Final = frozenset({"day", "month", "year", "hour", "minute", "second"})


def postgres_function(node: Any) -> Any:
    """A node that PostgreSQL knows for one that only another database does, else the node itself.

    `julianday(d)` becomes the days of its epoch, `date('now', '-7 days')` `CAST(CURRENT_DATE + INTERVAL '-7
    days' AS date)`, `total(x)` `COALESCE(SUM(x), 0)`, `a GLOB 'x*'` `a LIKE 'x%'`, `substr(a, -2)` `right(a,
    2)`.
    """
    from sqlglot import exp  # noqa: PLC0415 (heavy)

    if isinstance(node, exp.Glob):
        return _glob(node)
    if isinstance(node, exp.Substring) and isinstance(node.args.get("start"), exp.Neg):
        if node.args.get("length") is None:
            return exp.Anonymous(this="right", expressions=[node.this, node.args["start"].this])
        return node
    name, arguments = _call(node)
    make = _FUNCTIONS.get(name)
    made = make([a.sql(dialect="postgres") for a in arguments]) if make else None
    return exp.maybe_parse(made, dialect="postgres") if made else node


def _call(node: Any) -> tuple[str, Sequence[Any]]:
    from sqlglot import exp  # noqa: PLC0415

    if isinstance(node, exp.Anonymous):
        return str(node.this).lower(), node.expressions
    if isinstance(node, (exp.Date, exp.Datetime)):
        parts = [node.this, node.args.get("zone"), node.args.get("expression"), *node.expressions]
        kind = "date" if isinstance(node, exp.Date) else "datetime"
        return kind, [p for p in parts if p is not None]
    return "", ()


def _glob(node: Any) -> Any:
    from sqlglot import exp  # noqa: PLC0415

    pattern = node.expression
    if not isinstance(pattern, exp.Literal) or set(str(pattern.this)) & set("[]%_"):
        return node
    text = str(pattern.this).replace("*", "%").replace("?", "_")
    return exp.Like(**{**node.args, "expression": exp.Literal.string(text)})


def _moment(arguments: Sequence[str], now: str) -> str | None:
    """A point in time with SQLite's modifiers; None where one of them is not known."""
    if not arguments:
        return now
    made = now if arguments[0] == f"'{_NOW}'" else f"CAST({arguments[0]} AS TIMESTAMP)"
    for modifier in arguments[1:]:
        words = modifier.strip("'").split()
        if words[:2] == ["start", "of"] and words[-1] in _UNITS:
            made = f"DATE_TRUNC('{words[-1]}', {made})"
        elif len(words) == 2 and words[1].rstrip("s") in _UNITS:
            made = f"{made} + INTERVAL '{' '.join(words)}'"
        elif words not in (["localtime"], ["utc"]):
            return None
    return made


def _date(arguments: Sequence[str]) -> str | None:
    made = _moment(arguments, "CURRENT_DATE")
    return made if made in (None, "CURRENT_DATE") else f"CAST({made} AS DATE)"


def _datetime(arguments: Sequence[str]) -> str | None:
    return _moment(arguments, "LOCALTIMESTAMP")


def _julianday(arguments: Sequence[str]) -> str | None:
    made = _moment(arguments, "LOCALTIMESTAMP")
    return f"(EXTRACT(EPOCH FROM {made}) / 86400.0 + 2440587.5)" if made else None


def _total(arguments: Sequence[str]) -> str | None:
    return f"COALESCE(SUM({arguments[0]}), 0)" if len(arguments) == 1 else None


_FUNCTIONS: Final[dict[str, Callable[[Sequence[str]], str | None]]] = {
    "date": _date,
    "datetime": _datetime,
    "julianday": _julianday,
    "total": _total,
}
