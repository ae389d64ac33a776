"""The operators of pg_catalog that machine-written SQL may use, and those that some syntax uses unnamed."""

from __future__ import annotations

from typing import Final

from pglast.enums import A_Expr_Kind

ALLOWED: Final = frozenset(
    (
        *("+", "-", "*", "/", "%", "^", "|/", "||/", "@", "&", "|", "#", "~", "<<", ">>"),
        *("=", "<>", "<", "<=", ">", ">=", "!=", "||", "^@"),
        *("~~", "!~~", "~~*", "!~~*", "!~", "~*", "!~*"),
        *("->", "->>", "#>", "#>>", "@>", "<@", "?", "?|", "?&", "#-", "@@", "@@@", "@?"),
        *("&&", "-|-", "&<", "&>", "<<=", ">>=", "!!", "<->"),
        *("##", "@-@", "<<|", "|>>", "&<|", "|&>", "<^", ">^", "?#", "?-", "?-|", "?||", "~="),
    )
)
"""All are immutable or depend on the session's time zone only. Left out: the comparisons of record images
and of index operator classes (`*=`, `~<~`)."""

PATTERN: Final = frozenset(("~", "!~", "~*", "!~*"))
"""Operators whose right side is a regular expression (`~` with two sides)."""

JSON_PATH: Final = frozenset(("@?", "@@"))
"""Operators whose right side may be a JSON path."""

IMPLIED: Final = {
    A_Expr_Kind.AEXPR_IN: ("=", "<>"),
    A_Expr_Kind.AEXPR_DISTINCT: ("=",),
    A_Expr_Kind.AEXPR_NOT_DISTINCT: ("=",),
    A_Expr_Kind.AEXPR_NULLIF: ("=",),
    A_Expr_Kind.AEXPR_BETWEEN: (">=", "<="),
    A_Expr_Kind.AEXPR_NOT_BETWEEN: ("<", ">"),
    A_Expr_Kind.AEXPR_BETWEEN_SYM: (">=", "<="),
    A_Expr_Kind.AEXPR_NOT_BETWEEN_SYM: ("<", ">"),
}
"""Operators that an expression looks up by name without its text saying which schema they are from."""
