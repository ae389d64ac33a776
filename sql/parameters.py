"""Where a text sets parameters of one prefix: SET, ALTER ROLE … SET, and set_config with a literal name.

Owns: finding them by PostgreSQL's own grammar. Must not know: which parameters there are, or what they mean.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pglast import ast
from pglast.enums import VariableSetKind
from pglast.visitors import Ancestor, Visitor

from askwire.sql.reading import CLIENT, parsed

_SETS: Final = re.compile(r"set(?:_config)?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Assignment:
    """A parameter's name behind the prefix, folded, and what it is set to.

    `value` is None where that is no plain constant, or where the parameter is reset. `start` is where the
    name stands in the text, -1 where that is not known.
    """

    name: str
    value: str | None
    start: int = -1


def find_assignments(text: str, prefix: str) -> tuple[Assignment, ...]:
    """What a text sets of `prefix.…`, in order; nothing in a text that does not parse.

    >>> find_assignments("SET askwire.notices = off", "askwire")
    (Assignment(name='notices', value='off', start=4),)
    """
    written = re.compile(rf"\b{re.escape(prefix)}\s*\.", re.IGNORECASE)
    if not (_SETS.search(text) and written.search(text)):
        return ()
    statements = parsed(text, CLIENT)
    collector = _Collector(f"{prefix.lower()}.")
    for statement in statements:
        collector(statement)
    places = [match.start() for match in written.finditer(text)]
    # as many places as names: each is where it seems to be
    starts = places if len(places) == len(collector.found) else [-1] * len(collector.found)
    return tuple(Assignment(n, v, s) for (n, v), s in zip(collector.found, starts, strict=True))


class _Collector(Visitor):
    """Collects names behind the prefix, and values."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self.found: list[tuple[str, str | None]] = []

    def visit_VariableSetStmt(  # noqa: N802 - pglast's
        self, _ancestors: Ancestor, node: ast.VariableSetStmt
    ) -> None:
        value = None
        if node.kind == VariableSetKind.VAR_SET_VALUE:
            values = [_constant(item) for item in node.args or ()]
            value = ", ".join(v for v in values if v is not None) if None not in values else None
        self._note(node.name, value)

    def visit_FuncCall(self, _ancestors: Ancestor, node: ast.FuncCall) -> None:  # noqa: N802 - pglast's
        names = [getattr(part, "sval", "") for part in node.funcname or ()]
        arguments = node.args or ()
        if names[-1:] == ["set_config"] and names[:-1] in ([], ["pg_catalog"]) and len(arguments) == 3:
            self._note(_constant(arguments[0]), _constant(arguments[1]))

    def _note(self, name: str | None, value: str | None) -> None:
        folded = (name or "").lower()
        if folded.startswith(self._prefix):
            self.found.append((folded.removeprefix(self._prefix), value))


def _constant(node: object) -> str | None:
    """A literal as SET reads it."""
    value = node.val if isinstance(node, ast.A_Const) else None
    if isinstance(value, ast.String):
        return value.sval
    if isinstance(value, ast.Integer):
        return str(value.ival)
    return value.fval if isinstance(value, ast.Float) else None
