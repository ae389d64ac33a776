"""One query set otherwise than its writer set it: for reading, and for a narrow place.

Owns: line breaks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from pglast import prettify

from askwire.sql.parsing import parsed
from askwire.sql.scan import Token, significant


def laid_out(sql: str) -> str:
    """The query over several lines, a clause on each; the text itself where it does not parse."""
    try:
        return prettify(sql, comma_at_eoln=True) if parsed(sql) else sql.strip()
    except (NotImplementedError, RecursionError):
        return sql.strip()


_CLAUSES: Final = frozenset(
    (
        *("from", "where", "group", "having", "window", "order", "limit", "offset", "fetch"),
        *("union", "intersect", "except", "with"),
    )
)
_PARTS: Final = frozenset(("join", "left", "right", "full", "inner", "cross", "natural", "and", "or"))
_JOINING: Final = frozenset(("left", "right", "full", "inner", "outer", "cross", "natural"))


def folded(sql: str, width: int) -> str:
    """The query with line breaks instead of spaces: before its clauses, and where a line gets long.

    `SELECT name FROM products WHERE stock = 0` has three lines. Nothing else changes, so that it is the same
    query whatever it holds; a text with comments or line breaks of its own stays as it is.
    """
    tokens = list(significant(sql))
    if not tokens or any(sql[a.end : b.start].strip(" ") for a, b in pairwise(tokens)):
        return sql
    lines: list[str] = []
    for clause in _clauses(sql, tokens):
        whole = " ".join(clause)
        pieces = [whole] if len(whole) <= width else _shorter(clause, width)
        lines += _filled(pieces, width)
    return "\n".join(lines)


def _clauses(sql: str, tokens: Sequence[Token]) -> Iterator[list[str]]:
    """The parts of each clause, as they are between the spaces that may become line breaks."""
    clause, part, depth, before = list[str](), sql[tokens[0].start : tokens[0].end], 0, ""
    for earlier, token in pairwise(tokens):
        gap, word = sql[earlier.end : token.start], sql[token.start : token.end]
        depth += (word == "(") - (word == ")")
        folded_word = word.lower() if gap and depth == 0 else ""
        if folded_word in _CLAUSES and before != "distinct":
            yield [*clause, part]
            clause, part = [], word
        elif folded_word in _PARTS and before not in _JOINING:
            clause, part = [*clause, part], word
        else:
            part += gap + word
        before = word.lower()
    yield [*clause, part]


def _shorter(parts: Sequence[str], width: int) -> Iterator[str]:
    """The parts, those that are too long for a line word by word."""
    for part in parts:
        if len(part) + 2 <= width:
            yield part
        else:
            yield from _words(part)


def _words(part: str) -> Iterator[str]:
    """What stands between spaces outside of constants and quoted names."""
    tokens = list(significant(part))
    word = part[tokens[0].start : tokens[0].end]
    for earlier, token in pairwise(tokens):
        if earlier.end < token.start:
            yield word
            word = ""
        word += part[token.start : token.end]
    yield word


def _filled(pieces: Iterable[str], width: int) -> list[str]:
    """Lines of as many pieces as they hold; all but the first are indented."""
    lines: list[str] = []
    for piece in pieces:
        if lines and len(lines[-1]) + 1 + len(piece) <= width:
            lines[-1] += f" {piece}"
        else:
            lines.append(f"  {piece}" if lines else piece)
    return lines
