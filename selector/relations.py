"""The relations a statement names, and how much two statements share.

Owns: that alone. Must not know: what the relations hold.
"""

from __future__ import annotations

from typing import Any

from pglast import ast, parse_sql
from pglast.parser import ParseError
from pglast.visitors import Visitor


def relations(sql: str) -> frozenset[str]:
    """The names of the relations in a statement, without schemas; empty for what does not parse."""
    try:
        statements = parse_sql(sql)
    except ParseError:
        return frozenset()
    finder = _Relations()
    for statement in statements:
        finder(statement)
    return frozenset(finder.found)


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Of all names in either, the share in both (Jaccard); 0 when there are none."""
    either = one | other
    return len(one & other) / len(either) if either else 0.0


class _Relations(Visitor):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def visit_RangeVar(self, _ancestors: Any, node: ast.RangeVar) -> None:  # noqa: N802 - pglast's naming
        self.found.add(node.relname or "")
