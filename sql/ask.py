"""The ASK grammar: where a text asks a question, what it asks, and putting SQL in its place.

Owns: recognising ASK over the tokens of a message, its literal and its options, and the substitution of
the chosen SQL. Works before any parse, because `FROM (ASK 'q')` is no SQL until the ASK is replaced.
Must not know: how a question becomes SQL, or how messages travel.

A place where an ASK may stand is one recogniser over the tokens of a statement; `_RECOGNISERS` lists them.
Today there is one: ASK as a whole statement.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from askwire.core.errors import AskSyntaxError
from askwire.sql.ask_options import AskOptions, read_options
from askwire.sql.literals import LiteralError, is_uescape_character, string_value
from askwire.sql.scan import STRING_KINDS, Kind, Token, significant
from askwire.sql.statements import Reader, Statement, fold, split, unterminated

__all__ = ["AskOptions", "AskSite", "find_asks", "might_hold_ask", "substitute"]

# The word on its own. Only ASCII letters fold: PostgreSQL does not read U+017F as an s.
_WORD: Final = re.compile(r"(?<![A-Za-z_\x80-\U0010ffff])[aA][sS][kK](?![A-Za-z0-9_$\x80-\U0010ffff])")
_LARGEST_PARAMETER: Final = 65535
_FORM: Final = "Write ASK 'question', or ASK (option, …) 'question'."


@dataclass(frozen=True, slots=True)
class AskSite:
    """One ASK in a text: characters `start` to `end` (exclusive, without `;`), counted from 0.

    `parameter` is n for `ASK $n`, whose question is the bound value; `question` is then ''.
    `statement_index` and `statement_count` place it among the non-empty statements of the message.
    """

    start: int
    end: int
    question: str
    options: AskOptions
    parameter: int | None
    statement_index: int
    statement_count: int


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    question: str
    options: AskOptions
    parameter: int | None


_Recogniser = Callable[[Statement], Iterator[_Found]]


def might_hold_ask(payload: bytes) -> bool:
    """Whether the bytes can hold an ASK at all; cheap, and never false for a message that does."""
    return b"ask" in payload.lower()


def find_asks(text: str, *, standard_conforming_strings: bool = True) -> tuple[AskSite, ...]:
    """The ASKs of a message in order; empty when there are none.

    Raises `core.errors.AskSyntaxError` with a position in `text` for an ASK that is malformed, and nothing
    else, for any text. A text that does not use the word is not scanned.
    """
    if _WORD.search(text) is None:
        return ()
    statements = list(split(text, standard_conforming_strings=standard_conforming_strings))
    return tuple(
        AskSite(
            found.start,
            found.end,
            found.question,
            found.options,
            found.parameter,
            statement.index,
            len(statements),
        )
        for statement in statements
        for recognise in _RECOGNISERS
        for found in recognise(statement)
    )


def substitute(text: str, replacements: Sequence[tuple[AskSite, str]]) -> str:
    """`text` with `(SQL)` in the place of each ASK and every other character as it was.

    `ASK 'how many'; COMMIT` becomes `(SELECT count(*) FROM t); COMMIT`. A `;` or comment at the end of the
    SQL is left out, so that the closing parenthesis stands. Raises ValueError when two sites overlap.
    """
    pieces: list[str] = []
    position = 0
    for site, sql in sorted(replacements, key=lambda pair: pair[0].start):
        if site.start < position:
            raise ValueError("two ASKs of one text overlap")
        pieces += (text[position : site.start], "(", _body(sql), ")")
        position = site.end
    pieces.append(text[position:])
    return "".join(pieces)


def _body(sql: str) -> str:
    end = 0
    for token in significant(sql):
        if not (token.kind is Kind.PUNCTUATION and sql[token.start : token.end] == ";"):
            end = token.end
    return sql[:end]


def _whole_statement(statement: Statement) -> Iterator[_Found]:
    """`ASK [(options)] 'question'` as a statement of its own.

    No statement of PostgreSQL begins with the unquoted word ASK, so one that does is ours.
    """
    first = statement.first
    if first.kind is Kind.IDENTIFIER and fold(statement.text[first.start : first.end]) == "ask":
        reader = Reader(statement)
        yield _read_ask(reader, statement.standard_conforming_strings)
        if reader.peek() is not None:
            reader.fail()


_RECOGNISERS: Final[tuple[_Recogniser, ...]] = (_whole_statement,)


def _read_ask(reader: Reader, standard_conforming_strings: bool) -> _Found:
    """Read one ASK; the reader stands at the word and stops after the question."""
    word = reader.take()
    assert word is not None  # noqa: S101 (the caller looked)
    options = AskOptions()
    if reader.at("("):
        options = read_options(reader, standard_conforming_strings=standard_conforming_strings)
    token = reader.peek()
    if token is None or (token.closed and token.kind not in {*STRING_KINDS, Kind.PARAMETER}):
        reader.fail(_FORM)
    if not token.closed:
        raise unterminated(token)
    reader.take()
    if token.kind is Kind.PARAMETER:
        return _Found(word.start, token.end, "", options, _parameter(reader.source(token), token))
    question, end = _read_question(reader, token, standard_conforming_strings)
    if not question.strip():
        raise AskSyntaxError("the question of an ASK must not be empty", hint=_FORM, position=token.start + 1)
    return _Found(word.start, end, question, options, None)


def _parameter(source: str, token: Token) -> int:
    digits = source[1:].lstrip("0")
    if not digits:
        raise AskSyntaxError("there is no parameter $0", position=token.start + 1)
    if len(digits) > 5 or int(digits) > _LARGEST_PARAMETER:
        raise AskSyntaxError("parameter number too large", position=token.start + 1)
    return int(digits)


def _read_question(reader: Reader, token: Token, standard_conforming_strings: bool) -> tuple[str, int]:
    """What the literal says and where it ends, its UESCAPE clause included."""
    uescape, end = "\\", token.end
    if token.kind is Kind.UNICODE_STRING and reader.at_word("uescape"):
        reader.take()
        clause = reader.peek()
        if clause is None or clause.kind is not Kind.STRING or not clause.closed:
            reader.fail("UESCAPE must be followed by a simple string literal.")
        uescape = reader.source(clause)[1:-1]
        if not is_uescape_character(uescape):
            raise AskSyntaxError("invalid Unicode escape character", position=clause.start + 1)
        reader.take()
        end = clause.end
    try:
        question = string_value(
            reader.text,
            token,
            standard_conforming_strings=standard_conforming_strings,
            uescape=uescape,
        )
    except LiteralError as error:
        raise AskSyntaxError(error.message, hint=error.hint, position=error.offset + 1) from None
    return question, end
