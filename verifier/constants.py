"""The constants and names that stand in a statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pglast import ast
from pglast.visitors import Visitor


@dataclass(frozen=True, slots=True)
class Constants:
    """`numbers` and `texts` are the constants as written, `names` the identifiers of columns, relations."""

    numbers: tuple[str, ...]
    texts: tuple[str, ...]
    names: tuple[str, ...]


def constants(statement: ast.Node) -> Constants:
    """The constants of a statement, at any depth.

    `SELECT a FROM t WHERE b = 'x' LIMIT 3` has the number 3, the text x and the names a, t and b.
    """
    collector = _Collector()
    collector(statement)
    return Constants(tuple(collector.numbers), tuple(collector.texts), tuple(collector.names))


class _Collector(Visitor):
    def __init__(self) -> None:
        super().__init__()
        self.numbers: list[str] = []
        self.texts: list[str] = []
        self.names: list[str] = []

    def visit_A_Const(self, _ancestors: Any, node: ast.A_Const) -> None:  # noqa: N802 - pglast's naming
        match node.val:
            case ast.Integer(ival=number):
                self.numbers.append(str(number))
            case ast.Float(fval=str(number)):
                self.numbers.append(number)
            case ast.String(sval=str(text)):
                self.texts.append(text)

    def visit_ColumnRef(self, _ancestors: Any, node: ast.ColumnRef) -> None:  # noqa: N802
        self.names += [f.sval for f in node.fields or () if isinstance(f, ast.String) and f.sval]

    def visit_RangeVar(self, _ancestors: Any, node: ast.RangeVar) -> None:  # noqa: N802
        self.names.append(node.relname or "")
