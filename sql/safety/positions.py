"""Where in a text the thing stands that a refusal is about.

Owns: characters, from 0, of nodes, of clauses whose nodes do not say where they are, and of syntax errors.
Only what is refused is looked at here.
"""

from __future__ import annotations

import re
from typing import Final

from pglast import parser

from askwire.core.errors import RefusedByGate
from askwire.sql.safety.nodes import PARTS, Node
from askwire.sql.scan import significant
from askwire.sql.statements import fold

_NOT_ASCII: Final = re.compile(r"[^\x00-\x7f]")
_STRENGTHS: Final = frozenset(("update", "share", "no", "key"))


def refusal(
    reason: str,
    location: int | None = None,
    hint: str = "",
    error: type[RefusedByGate] = RefusedByGate,
) -> RefusedByGate:
    """The error for a reason, whose detail names the character; `location` counts from 0."""
    detail = f"At character {location + 1} of the SQL." if location is not None and location >= 0 else ""
    return error(reason, detail=detail, hint=hint)


def first_location(node: Node) -> int | None:
    """Where the first part of a node stands that says where it is; None when none does."""
    lowest: int | None = None
    pending: list[Node] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, tuple):
            pending.extend(part)
            continue
        location = getattr(part, "location", None)
        if isinstance(location, int) and location >= 0 and (lowest is None or location < lowest):
            lowest = location
        pending.extend(getattr(part, name) for name in PARTS.get(type(part), ()))
    return lowest


def nth_of(sql: str, part: str, number: int) -> int:
    """Where a text holds a part for the nth time; it holds it so often."""
    place = -len(part)
    for _ in range(number):
        place = sql.index(part, place + len(part))
    return place


def of_locking(sql: str) -> int | None:
    """Where a text says FOR UPDATE or FOR SHARE first."""
    before = ""
    start = 0
    for token in significant(sql):
        word = fold(sql[token.start : token.end])
        if before == "for" and word in _STRENGTHS:
            return start
        before, start = word, token.start
    return None


def of_syntax_error(sql: str, error: parser.ParseError) -> int | None:
    """Where a text does not parse; its end where that is what was not expected.

    None where the scanner gives no place, as for bytes that are no character.
    """
    if not sql.isascii():
        # behind characters of several bytes the parser's places come out wrong
        try:
            parser.parse_sql(_NOT_ASCII.sub("_", sql))
        except parser.ParseError as other:
            error = other
        else:
            return None
    place = error.args[1] if len(error.args) > 1 else None
    if place is None and str(error.args[0]).endswith("at end of input"):
        return len(sql)
    return place
