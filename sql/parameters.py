"""Where a text sets or shows parameters of one prefix: SET, ALTER ROLE … SET, set_config, and SHOW.

Owns: finding them, by PostgreSQL's own grammar.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pglast import ast
from pglast.enums import VariableSetKind
from pglast.visitors import Ancestor, Visitor

from askwire.sql.parsing import CLIENT, parsed
from askwire.sql.scan import Kind, Token
from askwire.sql.statements import fold, split

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


@dataclass(frozen=True, slots=True)
class ShowStatement:
    """A statement `SHOW prefix.name`: characters `start` to `end` (exclusive); the name is folded."""

    name: str
    start: int
    end: int


_SHOWS: Final = re.compile(r"show\b", re.IGNORECASE)


def find_shown(text: str, prefix: str) -> tuple[ShowStatement, ...]:
    """The statements of a text that show a parameter of `prefix.…`, in order.

    >>> find_shown("SHOW askwire.notices", "askwire")
    (Shown(name='notices', start=0, end=20),)
    """
    if not (_SHOWS.search(text) and prefix in text.lower()):
        return ()
    found = []
    for statement in split(text):
        first, *others = statement.tokens
        if fold(text[first.start : first.end]) != "show" or not others:
            continue
        words = [_word(text, token) for token in others]
        name = "".join(words).lower()
        if name.startswith(f"{prefix}."):
            found.append(ShowStatement(name.removeprefix(f"{prefix}."), first.start, others[-1].end))
    return tuple(found)


def _word(text: str, token: Token) -> str:
    """A part of a parameter's name as PostgreSQL reads it; what is none makes a name that there is not."""
    source = text[token.start : token.end]
    if token.kind is Kind.QUOTED_IDENTIFIER:
        return source[1:-1].replace('""', '"')
    return fold(source) if token.kind is Kind.IDENTIFIER or source == "." else f"\0{source}"


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
