"""The operators of pg_catalog that machine-written SQL may use, and the types that it may cast to."""

from __future__ import annotations

from typing import Final

from pglast.enums import A_Expr_Kind

OPERATORS: Final = frozenset(
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

TYPES: Final = frozenset(
    (
        *("bool", "bpchar", "bytea", "char", "date", "float4", "float8", "int2", "int4", "int8", "interval"),
        *("json", "jsonb", "money", "name", "numeric", "oid", "text", "time", "timestamp", "timestamptz"),
        *("timetz", "uuid", "varchar", "bit", "varbit", "inet", "cidr", "macaddr", "macaddr8"),
        *("box", "circle", "line", "lseg", "path", "point", "polygon", "tsquery", "tsvector"),
        *("daterange", "int4range", "int8range", "numrange", "tsrange", "tstzrange", "datemultirange"),
        *("int4multirange", "int8multirange", "nummultirange", "tsmultirange", "tstzmultirange"),
    )
)
"""Left out: xml (its parser), reg* (they look names up), jsonpath (regular expressions inside), row and
pseudo-types, and what only the server uses (xid, tid, pg_lsn, refcursor, aclitem, …)."""

PADDED: Final = frozenset(("bpchar", "bit"))
"""Types whose declared length pads the value."""
