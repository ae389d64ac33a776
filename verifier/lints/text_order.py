"""Text that holds numbers or dates, ordered as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from pglast import ast, enums

from askwire.sql.catalog import Column, Relation
from askwire.sql.tracing.tree import walk
from askwire.verifier.lints.linted import Finding, LintSubject, call_name, operator

_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?\Z")
_DATE: Final = re.compile(r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\Z")
SAID: Final = "{relation}.{column} holds {what} and is ordered as text; cast it"
_ORDERS: Final = frozenset({"<", ">", "<=", ">="})


def text_order(linted: LintSubject) -> Finding | None:
    """`ORDER BY age` over text puts '9' behind '10'; cast it.

    Decided by the column's most common values: numbers of different lengths, or dates that do not begin with
    the year. Text of equal length orders as what it holds.
    """
    looked = False
    for relation, column in ordered_text(linted):
        looked = True
        what = holding(column.common_values)
        if what:
            return Finding(SAID.format(relation=relation.name, column=column.name, what=what))
    return Finding() if looked else None


def ordered_text(linted: LintSubject) -> Iterator[tuple[Relation, Column]]:
    """The text columns whose order matters to the statement."""
    for node in _ordered(linted):
        found = linted.column(node)
        if found is not None and found[1].category == "S":
            yield found


def _ordered(linted: LintSubject) -> Iterator[Any]:
    """The expressions whose order matters: sort keys, sides of < and >, arguments of MIN and MAX."""
    for node in walk(linted.subject.statement):
        if isinstance(node, ast.SortBy):
            yield node.node
        elif isinstance(node, ast.FuncCall) and call_name(node) in {"max", "min"} and node.args:
            yield node.args[0]
        elif isinstance(node, ast.A_Expr) and (
            operator(node) in _ORDERS or node.kind == enums.A_Expr_Kind.AEXPR_BETWEEN
        ):
            yield node.lexpr
            yield node.rexpr


def holding(texts: Iterable[str]) -> str:
    """What else than text these values are: 'numbers', 'dates', or '' for neither, and for too few."""
    values = [v.strip() for v in texts if v.strip()]
    if len(values) < 2:
        return ""
    if all(map(_NUMBER.match, values)) and len({len(v.partition(".")[0]) for v in values}) > 1:
        return "numbers"
    return "dates" if all(map(_DATE.match, values)) else ""
