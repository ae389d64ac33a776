"""String constants and identifiers, both ways: what a literal says, and how to write one.

Owns: the escapes of PostgreSQL's string constants and the quoting of names and values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Final

from askwire.sql.scan import Kind, Token, parts

_BARE_IDENTIFIER: Final = re.compile(r"[a-z_][a-z0-9_]*\Z")
_ESCAPE: Final = re.compile(
    r"""\\(?:(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9A-Fa-f]{1,2})
          |u(?P<short>[0-9A-Fa-f]{4})|U(?P<long>[0-9A-Fa-f]{8})|(?P<char>[\s\S]))|''""",
    re.VERBOSE,
)
_CONTROL: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_NOT_AN_ESCAPE_CHARACTER: Final = frozenset("0123456789abcdefABCDEF+'\" \t\n\r\f\v")


class LiteralError(ValueError):
    """A string constant PostgreSQL would refuse; `offset` is the character it would point at, from 0."""

    def __init__(self, message: str, offset: int, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.hint = hint


@lru_cache(4096)
def quote_identifier(name: str) -> str:
    """`name` as SQL: bare where PostgreSQL reads it back unchanged, else in double quotes.

    Follows `quote_ident`: keywords other than unreserved ones are quoted. Raises ValueError for a name no
    object can have (empty, or holding a NUL).
    """
    if not name or "\0" in name:
        raise ValueError("an identifier is neither empty nor holds a NUL")
    if _BARE_IDENTIFIER.match(name) and name not in _quoted_keywords():
        return name
    return '"' + name.replace('"', '""') + '"'


def quote_literal(text: str) -> str:
    """`text` as a string constant that reads the same whatever `standard_conforming_strings` is.

    Follows `quote_literal`: with a backslash in it, the form is `E'…'`. Raises ValueError for a NUL, which
    no text of PostgreSQL can hold.
    """
    if "\0" in text:
        raise ValueError("a text value cannot hold a NUL")
    quoted = text.replace("'", "''")
    if "\\" in quoted:
        return "E'" + quoted.replace("\\", "\\\\") + "'"
    return f"'{quoted}'"


def array_text(values: Iterable[str | None]) -> str:
    """The text representation of a one-dimensional `text[]`, for a parameter: `{"a","b c",NULL}`."""
    return "{" + ",".join("NULL" if v is None else _array_element(v) for v in values) + "}"


def string_value(
    text: str, token: Token, *, standard_conforming_strings: bool = True, uescape: str = "\\"
) -> str:
    """What the closed string constant `token` of `text` says; raises LiteralError where PostgreSQL would.

    `uescape` is the escape character of `U&'…' UESCAPE '!'`.
    """
    spans = list(parts(text, token, standard_conforming_strings=standard_conforming_strings))
    if token.kind is Kind.DOLLAR:
        value = text[slice(*spans[0])]
    elif token.kind is Kind.ESCAPE_STRING or (token.kind is Kind.STRING and not standard_conforming_strings):
        value = "".join(_unescape(text, start, end) for start, end in spans)
    else:
        value = "".join(text[start:end].replace("''", "'") for start, end in spans)
        if token.kind is Kind.UNICODE_STRING:
            if not standard_conforming_strings:
                raise LiteralError(
                    "unsafe use of string constant with Unicode escapes",
                    token.start,
                    "String constants with Unicode escapes cannot be used when"
                    ' "standard_conforming_strings" is off.',
                )
            value = _unescape_unicode(value, uescape, token.start)
    if "\0" in value:
        raise LiteralError('invalid byte sequence for encoding "UTF8": 0x00', token.start)
    return value


def is_uescape_character(character: str) -> bool:
    """Whether PostgreSQL takes the text as the escape character of UESCAPE."""
    return len(character) == 1 and character not in _NOT_AN_ESCAPE_CHARACTER


@cache
def _quoted_keywords() -> frozenset[str]:
    from pglast import keywords  # noqa: PLC0415 (loading the parser costs more than most callers need)

    return frozenset(
        keywords.RESERVED_KEYWORDS | keywords.TYPE_FUNC_NAME_KEYWORDS | keywords.COL_NAME_KEYWORDS
    )


def _array_element(value: str) -> str:
    if "\0" in value:
        raise ValueError("a text value cannot hold a NUL")
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _unescape(text: str, start: int, end: int) -> str:
    """One part of an `E'…'` constant. Bytes given as octal or hex must be valid UTF-8."""
    pieces: list[str] = []
    raw = bytearray()
    raw_at, high, position = start, 0, start

    def flush() -> None:
        if raw:
            try:
                pieces.append(raw.decode("utf-8"))
            except UnicodeDecodeError as error:
                shown = " ".join(f"0x{byte:02x}" for byte in raw[error.start : error.end])
                raise LiteralError(f'invalid byte sequence for encoding "UTF8": {shown}', raw_at) from None
            raw.clear()

    for match in _ESCAPE.finditer(text, start, end):
        if match.start() > position or match.group() == "''" or match["octal"] is match["hex"] is None:
            flush()
        if high and (match.start() > position or (match["short"] or match["long"]) is None):
            raise LiteralError("invalid Unicode surrogate pair", position)
        pieces.append(text[position : match.start()])
        position = match.end()
        if match["octal"] or match["hex"]:
            raw_at = raw_at if raw else match.start()
            raw.append(int(match["octal"], 8) & 0xFF if match["octal"] else int(match["hex"], 16))
        elif match["short"] or match["long"]:
            high = _code_point(int(match["short"] or match["long"], 16), high, match.start(), pieces)
        elif match["char"] is None:
            pieces.append("'")
        elif match["char"] in "uU":
            raise LiteralError(
                "invalid Unicode escape", match.start(), r"Unicode escapes must be \uXXXX or \UXXXXXXXX."
            )
        else:
            pieces.append(_CONTROL.get(match["char"], match["char"]))
    flush()
    if high:
        raise LiteralError("invalid Unicode surrogate pair", position)
    pieces.append(text[position:end])
    return "".join(pieces)


def _unescape_unicode(value: str, uescape: str, offset: int) -> str:
    escape = re.escape(uescape)
    pattern = re.compile(
        rf"{escape}(?:(?P<same>{escape})|(?P<short>[0-9A-Fa-f]{{4}})|\+(?P<long>[0-9A-Fa-f]{{6}})|)"
    )
    pieces: list[str] = []
    position = high = 0
    for match in pattern.finditer(value):
        if high and match.start() > position:
            raise LiteralError("invalid Unicode surrogate pair", offset)
        pieces.append(value[position : match.start()])
        position = match.end()
        code = match["short"] or match["long"]
        if code:
            high = _code_point(int(code, 16), high, offset, pieces)
        elif high:
            raise LiteralError("invalid Unicode surrogate pair", offset)
        elif match["same"]:
            pieces.append(uescape)
        else:
            raise LiteralError(
                "invalid Unicode escape", offset, r"Unicode escapes must be \XXXX or \+XXXXXX."
            )
    if high:
        raise LiteralError("invalid Unicode surrogate pair", offset)
    pieces.append(value[position:])
    return "".join(pieces)


def _code_point(code: int, high: int, offset: int, pieces: list[str]) -> int:
    """Append what a Unicode escape means; returns the high surrogate still waiting for its pair, or 0."""
    if high:
        if not 0xDC00 <= code <= 0xDFFF:
            raise LiteralError("invalid Unicode surrogate pair", offset)
        pieces.append(chr(0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00)))
        return 0
    if 0xD800 <= code <= 0xDBFF:
        return code
    if 0xDC00 <= code <= 0xDFFF:
        raise LiteralError("invalid Unicode surrogate pair", offset)
    if not 0 < code <= 0x10FFFF:
        raise LiteralError("invalid Unicode escape value", offset)
    pieces.append(chr(code))
    return 0
