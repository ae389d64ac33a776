"""SQL as a page shows it: laid out by PostgreSQL's grammar, its words in colours.

Owns: which parts get which class; a text that is too long or does not parse is shown as it is.
"""

from __future__ import annotations

from typing import Final

from markupsafe import Markup, escape
from pglast.parser import ParseError, scan

from askwire.sql.presentation.layout import laid_out

MAX_SQL_CHARACTERS: Final = 4_000
"""Characters that are laid out; of a longer text only so many are shown."""

_KINDS: Final = {"RESERVED_KEYWORD": "kw", "COL_NAME_KEYWORD": "kw", "TYPE_FUNC_NAME_KEYWORD": "kw"}
_TOKENS: Final = {"SCONST": "str", "USCONST": "str", "ICONST": "num", "FCONST": "num"}
_UNRESERVED: Final = frozenset(
    ("BY", "WITH", "OVER", "PARTITION", "ROWS", "RANGE", "FILTER", "WITHIN", "FIRST")
)


def shown(sql: str, most: int = MAX_SQL_CHARACTERS) -> Markup:
    """A statement over several lines, or the beginning of one that is longer than `most`."""
    if len(sql) > most:
        return Markup("{}\n<i>… {} more characters</i>").format(sql[:most], f"{len(sql) - most:,}")
    return coloured(laid_out(sql))


def coloured(sql: str) -> Markup:
    """The same text with its keywords and constants marked."""
    try:
        tokens = scan(sql)
    except ParseError:
        return escape(sql)
    parts: list[Markup] = []
    at = 0
    for token in tokens:
        word = sql[token.start : token.end + 1]
        kind = _TOKENS.get(token.name) or _KINDS.get(token.kind)
        if not kind and token.kind == "UNRESERVED_KEYWORD" and word.upper() in _UNRESERVED:
            kind = "kw"
        if kind:
            parts += [escape(sql[at : token.start]), Markup('<b class="{}">{}</b>').format(kind, word)]
            at = token.end + 1
    return Markup("").join([*parts, escape(sql[at:])])
