"""A scanner of PostgreSQL's lexical rules over str.

Owns: where each token of a text begins and ends, and of which kind it is. Follows `scan.l` of PostgreSQL 18
(comments, quoting, operators, `$n`); where releases differ, a text either scans alike or is a syntax error on
the server.

The scan is linear in the text, accepts any text, and covers it without gaps: joining the tokens gives the
text back. What the server would refuse (an unterminated literal) is a token whose `closed` is false.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import Final, NamedTuple


class Kind(Enum):
    """What a token is. `STRING` to `DOLLAR` are the forms of a string constant."""

    SPACE = "space"
    COMMENT = "comment"
    IDENTIFIER = "identifier"
    QUOTED_IDENTIFIER = "quoted_identifier"
    UNICODE_IDENTIFIER = "unicode_identifier"
    STRING = "string"
    ESCAPE_STRING = "escape_string"
    UNICODE_STRING = "unicode_string"
    NATIONAL_STRING = "national_string"
    DOLLAR = "dollar"
    BIT_STRING = "bit_string"
    HEX_STRING = "hex_string"
    NUMBER = "number"
    PARAMETER = "parameter"
    OPERATOR = "operator"
    PUNCTUATION = "punctuation"
    OTHER = "other"


class Token(NamedTuple):
    """One token: characters `start` to `end` (exclusive) of the text.

    `closed` is false when the text ends inside a comment, a quoted identifier or a string constant. A
    string constant continued on another line (`'a'` newline `'b'`) is one token.
    """

    kind: Kind
    start: int
    end: int
    closed: bool = True


_LETTER: Final = r"[A-Za-z_\x80-\U0010ffff]"
_DIGITS: Final = r"[0-9](?:_?[0-9])*"
_EXPONENT: Final = rf"(?:[eE][+-]?{_DIGITS})?"

# The first alternative that matches at a place is the longest rule of scan.l there. A letter and a quote
# come before identifiers; comments before operators, whose runs end where a comment begins.
_TOKEN: Final = re.compile(
    rf"""
    (?P<space>[ \t\n\r\f\v]+)
  | (?P<comment>--[^\n\r]*)
  | (?P<block_comment>/\*)
  | (?P<unicode_identifier>[uU]&")
  | (?P<unicode_string>[uU]&')
  | (?P<escape_string>[eE]')
  | (?P<bit_string>[bB]')
  | (?P<hex_string>[xX]')
  | (?P<national_string>[nN]')
  | (?P<identifier>{_LETTER}[A-Za-z0-9_$\x80-\U0010ffff]*)
  | (?P<number>0[xX](?:_?[0-9A-Fa-f])+ | 0[oO](?:_?[0-7])+ | 0[bB](?:_?[01])+
      | {_DIGITS}(?:\.(?!\.)(?:{_DIGITS})?)?{_EXPONENT} | \.{_DIGITS}{_EXPONENT})
  | (?P<string>')
  | (?P<quoted_identifier>")
  | (?P<dollar>\$(?:{_LETTER}[A-Za-z0-9_\x80-\U0010ffff]*)?\$)
  | (?P<parameter>\$[0-9]+)
  | (?P<operator>(?:(?!--|/\*)[~!@\#^&|`?+\-*/%<>=])+)
  | (?P<punctuation>::|:=|\.\.|[,()\[\].;:])
  | (?P<other>[\s\S])
    """,
    re.VERBOSE,
)

# Bodies cannot fail and so never backtrack; whether the closing quote follows is looked at afterwards.
_PLAIN_BODY: Final = re.compile(r"(?:[^']+|'')*")
_ESCAPE_BODY: Final = re.compile(r"(?:[^'\\]+|''|\\[\s\S])*")
_BIT_BODY: Final = re.compile(r"[^']*")  # a doubled quote is no quote there
_IDENTIFIER_BODY: Final = re.compile(r'(?:[^"]+|"")*')
_COMMENT_EDGE: Final = re.compile(r"/\*|\*/")

CONTINUATION: Final = re.compile(
    r"[ \t\f\v]*(?:--[^\n\r]*)?[\n\r](?:[ \t\n\r\f\v]*--[^\n\r]*[\n\r])*[ \t\n\r\f\v]*'",
)
"""What joins two quoted parts into one string constant: white space with a newline, and `--` comments."""

# A name before a quote or & may be the prefix of a string, digits before a letter part of a longer number:
# those are left to _TOKEN. The count bounds the memory of the match.
_PLAIN_RUN: Final = re.compile(
    rf"(?:[ \t\n\r\f\v,.=<>+*%^|&~!@#?:\[\]()]+|{_LETTER}[A-Za-z0-9_$\x80-\U0010ffff]*+(?!['\"&])"
    rf"|[0-9]++(?![A-Za-z_\x80-\U0010ffff])|'[^'\\]*+'){{1,1000}}"
)
_OPERATOR_SPECIALS: Final = frozenset("~!@#^&|`?%")
_QUOTED: Final = {
    Kind.STRING: _PLAIN_BODY,
    Kind.ESCAPE_STRING: _ESCAPE_BODY,
    Kind.UNICODE_STRING: _PLAIN_BODY,
    Kind.NATIONAL_STRING: _PLAIN_BODY,
    Kind.BIT_STRING: _BIT_BODY,
    Kind.HEX_STRING: _BIT_BODY,
}
_KINDS: Final = {kind.value: kind for kind in Kind}

STRING_KINDS: Final = frozenset(
    (Kind.STRING, Kind.ESCAPE_STRING, Kind.UNICODE_STRING, Kind.NATIONAL_STRING, Kind.DOLLAR)
)
"""The kinds whose value is text (bit strings are not)."""


def scan(text: str, *, start: int = 0, standard_conforming_strings: bool = True) -> Iterator[Token]:
    """The tokens of `text` in order, white space and comments included; lazily, and for any text.

    `start` must be where a token begins. With `standard_conforming_strings` off, `'…'` follows the rules of
    `E'…'`.
    """
    position, length = start, len(text)
    match_token = _TOKEN.match
    while position < length:
        match = match_token(text, position)
        assert match is not None  # noqa: S101 (the last alternative takes any character)
        group, end, closed = match.lastgroup or "other", match.end(), True
        if group == "block_comment":
            kind = Kind.COMMENT
            end, closed = _block_comment(text, end)
        elif group == "dollar":
            kind = Kind.DOLLAR
            found = text.find(match.group(), end)
            end, closed = (found + len(match.group()), True) if found >= 0 else (length, False)
        elif group == "operator":
            kind = Kind.OPERATOR
            head = _operator_length(match.group())
            # What is cut off an operator is a run of signs, each a token of its own.
            for sign in range(position + head, end):
                yield Token(kind, position, sign)
                position = sign
        else:
            kind = _KINDS[group]
            if kind in _QUOTED:
                body = _QUOTED[kind]
                if kind is Kind.STRING and not standard_conforming_strings:
                    body = _ESCAPE_BODY
                end, closed = _quoted(text, end, body)
            elif kind in (Kind.QUOTED_IDENTIFIER, Kind.UNICODE_IDENTIFIER):
                end, closed = _close(text, _body_end(_IDENTIFIER_BODY, text, end), '"')
        yield Token(kind, position, end, closed)
        position = end


def skip_plain(text: str, position: int) -> int:
    """Where a run of plain tokens ends that begins at `position`, a token's beginning; maybe at once.

    Plain are names, numbers, simple strings, white space and punctuation but for `;`: what a search for the
    ends of statements passes over. Several times as fast as reading the tokens one by one.
    """
    match = _PLAIN_RUN.match(text, position)
    return match.end() if match else position


def significant(text: str, *, start: int = 0, standard_conforming_strings: bool = True) -> Iterator[Token]:
    """The tokens of `text` without white space and comments; an unterminated comment is kept."""
    for token in scan(text, start=start, standard_conforming_strings=standard_conforming_strings):
        if token.kind is Kind.SPACE or (token.kind is Kind.COMMENT and token.closed):
            continue
        yield token


def parts(text: str, token: Token, *, standard_conforming_strings: bool = True) -> Iterator[tuple[int, int]]:
    """The spans between the quotes of a string constant, one per continued part.

    `'a'` newline `'b'` has two parts; a dollar-quoted constant has one. Defined for closed tokens.
    """
    if token.kind is Kind.DOLLAR:
        tag = text.index("$", token.start + 1) + 1 - token.start
        yield token.start + tag, token.end - tag
        return
    escapes = token.kind is Kind.ESCAPE_STRING or (
        token.kind is Kind.STRING and not standard_conforming_strings
    )
    position = text.index("'", token.start) + 1
    while position <= token.end:
        end = _body_end(_ESCAPE_BODY if escapes else _PLAIN_BODY, text, position)
        yield position, end
        more = CONTINUATION.match(text, end + 1)
        if more is None:
            return
        position = more.end()


def _block_comment(text: str, position: int) -> tuple[int, bool]:
    """Where the comment ends whose `/*` ends at `position`; comments nest."""
    depth = 1
    for edge in _COMMENT_EDGE.finditer(text, position):
        depth += 1 if edge.group() == "/*" else -1
        if depth == 0:
            return edge.end(), True
    return len(text), False


def _body_end(body: re.Pattern[str], text: str, position: int) -> int:
    match = body.match(text, position)
    return match.end() if match else position


def _close(text: str, position: int, quote: str) -> tuple[int, bool]:
    return (position + 1, True) if text.startswith(quote, position) else (len(text), False)


def _quoted(text: str, position: int, body: re.Pattern[str]) -> tuple[int, bool]:
    """Where the constant ends whose first part begins at `position`, continued parts included."""
    while True:
        end, closed = _close(text, _body_end(body, text, position), "'")
        more = CONTINUATION.match(text, end) if closed else None
        if more is None:
            return end, closed
        position = more.end()


def _operator_length(run: str) -> int:
    """How many characters of a run are one operator: signs at its end belong only to special ones."""
    if len(run) == 1 or run[-1] not in "+-" or not _OPERATOR_SPECIALS.isdisjoint(run[:-1]):
        return len(run)
    return max(len(run.rstrip("+-")), 1)
