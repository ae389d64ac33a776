"""The same statement, written differently: what must not change the gate's verdict.

Owns: rewritings of a statement's text that keep its meaning for PostgreSQL (comments, case, quoting, escapes,
nesting), and some that break it (look-alike bytes), which only a refused statement may get.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final, TypeAlias

from pglast import parser

Disguise: TypeAlias = Callable[[str, Random], str]

_COMMENTS: Final = (" /**/ ", "/* ; DROP */", " --x'\n", "\n\t\f", "/* /* in */ out */", " -- /*\n")


def disguised(sql: str, random: Random, *, hostile: bool) -> tuple[str, str]:
    """One rewriting: its class, and the text."""
    classes: Sequence[str] = tuple(KEEPING) + (tuple(BREAKING) if hostile else ())
    name = random.choice(classes)
    return name, (KEEPING.get(name) or BREAKING[name])(sql, random)


def _pieces(sql: str) -> list[tuple[str, str, str]]:
    """(what stands before a token, the token, its name), comments left out; nothing where it cannot be read.

    What is no ASCII is left alone: a token's place is counted in bytes.
    """
    if not sql.isascii():
        return []
    try:
        tokens = parser.scan(sql)
    except parser.ParseError:
        return []
    pieces: list[tuple[str, str, str]] = []
    end = 0
    for token in tokens:
        if token.name not in ("SQL_COMMENT", "C_COMMENT"):
            pieces.append((sql[end : token.start], sql[token.start : token.end + 1], token.name))
            end = token.end + 1
    return [*pieces, (sql[end:], "", "")]


def _comments(sql: str, random: Random) -> str:
    pieces = _pieces(sql)
    if not pieces:
        return sql
    # between two string literals white space means something
    return "".join(
        (random.choice(_COMMENTS) if before.isspace() and name != "SCONST" else before) + token
        for before, token, name in pieces
    )


def _case(sql: str, random: Random) -> str:
    return _each(sql, lambda token: "".join(random.choice((c.lower(), c.upper())) for c in token))


def _quoted(sql: str, _random: Random) -> str:
    return _each(sql, lambda token: f'"{token.lower()}"', "IDENT")


def _escaped(sql: str, random: Random) -> str:
    def escape(token: str) -> str:
        shown = "".join(f"\\{ord(c):04x}" if random.random() < 0.5 else c for c in token.lower())
        return f' U&"{shown}"'

    return _each(sql, escape, "IDENT")


def _strings(sql: str, random: Random) -> str:
    pieces = _pieces(sql)
    changed = [
        before + _hidden(token, random) if name == "SCONST" and token[0] == "'" else before + token
        for before, token, name in pieces
    ]
    return "".join(changed) or sql


def _hidden(literal: str, random: Random) -> str:
    text = literal[1:-1].replace("''", "'")
    if not text.isprintable():
        return literal
    if random.random() < 0.5:
        return " E'" + "".join(f"\\x{ord(c):02x}" for c in text) + "'"
    return " U&'" + "".join(f"\\{ord(c):04x}" for c in text) + "'"


def _each(sql: str, change: Callable[[str], str], only: str = "") -> str:
    """Every token that is a bare word, changed."""
    pieces = _pieces(sql)
    return (
        "".join(
            before + (change(token) if _is_word(token) and name and (not only or name == only) else token)
            for before, token, name in pieces
        )
        or sql
    )


def _is_word(token: str) -> bool:
    return bool(token) and (token[0].isalpha() or token[0] == "_") and "'" not in token and "$" not in token


def _nested(sql: str, random: Random) -> str:
    inner = sql.strip().rstrip(";")
    return random.choice(
        (
            "({})",
            "((({})))",
            "SELECT * FROM ({}\n) AS nested",
            "WITH nested AS ({}\n) SELECT count(*) FROM nested",
            "SELECT 1 WHERE EXISTS ({}\n)",
            "SELECT (SELECT count(*) FROM ({}\n) AS deep) FROM (VALUES (1)) AS v",
            "WITH RECURSIVE nested AS MATERIALIZED ({}\n) TABLE nested",
        )
    ).replace("{}", inner)


_ALIKE: Final = (
    (" ", "\u00a0"),
    (" ", "\u200b "),
    ("(", "\uff08"),
    ("s", "\u017f"),
    ("'", "\u2019"),
    (";", "\u037e"),
)


def _look_alikes(sql: str, random: Random) -> str:
    """Bytes that look like others or like nothing, outside quotes: in them they are other data."""
    if random.random() < 0.5:
        return random.choice(("\ufeff" + sql, sql + "\0", sql + "\x1a", "\u2060" + sql))
    plain, look_alike = random.choice(_ALIKE)
    parts = sql.split("'")
    return "'".join(
        part.replace(plain, look_alike) if number % 2 == 0 else part for number, part in enumerate(parts)
    )


KEEPING: Final[Mapping[str, Disguise]] = {
    "comments": _comments,
    "case": _case,
    "quoting": _quoted,
    "unicode escapes": _escaped,
    "string escapes": _strings,
    "nesting": _nested,
}
BREAKING: Final[Mapping[str, Disguise]] = {"encodings": _look_alikes}
