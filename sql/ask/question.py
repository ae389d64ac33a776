"""Reading one ASK: `ASK [(options)] 'question'`, and `ask('question' [, 'options'])` among the items of FROM.

Owns: the literal, the parameter and the options of an ASK, and what is wrong with them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from askwire.core.errors import AskSyntaxError
from askwire.sql.ask.options import AskOptions, read_options
from askwire.sql.literals import LiteralError, is_uescape_character, string_value
from askwire.sql.scan import STRING_KINDS, Kind, Token
from askwire.sql.statements import Reader, split, unterminated

_LARGEST_PARAMETER: Final = 65535
_FORM: Final = "Write ASK 'question', or ASK (option, …) 'question'."
_CALL_FORM: Final = "Write ask('question'), or ask('question', 'option, …')."


@dataclass(frozen=True, slots=True)
class AskText:
    """What one ASK says, and where it ends; `parameter` is n for `$n`, else None."""

    end: int
    question: str
    options: AskOptions
    parameter: int | None


def read_keyword(reader: Reader, standard_conforming_strings: bool) -> AskText:
    """Read `ASK [(options)] 'question'`; the reader stands at the word and stops after the question."""
    reader.take()
    options = AskOptions()
    if reader.at("("):
        options = read_options(reader, standard_conforming_strings=standard_conforming_strings)
    question, parameter, end = _read_question(reader, standard_conforming_strings, _FORM)
    return AskText(end, question, options, parameter)


def read_call(reader: Reader, standard_conforming_strings: bool) -> AskText:
    """Read `ask('question' [, 'options'])`; the reader stands at the name and stops after the `)`."""
    reader.take()
    reader.take()
    question, parameter, _ = _read_question(reader, standard_conforming_strings, _CALL_FORM)
    _skip_cast(reader)
    options = AskOptions()
    if reader.at(","):
        reader.take()
        options = _options_of_text(reader, standard_conforming_strings)
        _skip_cast(reader)
    closing = reader.peek()
    if closing is None or not reader.at(")"):
        reader.fail(_CALL_FORM)
    reader.take()
    return AskText(closing.end, question, options, parameter)


def _read_question(
    reader: Reader, standard_conforming_strings: bool, form: str
) -> tuple[str, int | None, int]:
    token = reader.peek()
    if token is None or (token.closed and token.kind not in {*STRING_KINDS, Kind.PARAMETER}):
        reader.fail(form)
    if token.kind is Kind.PARAMETER:
        reader.take()
        return "", _parameter(reader.source(token), token), token.end
    question, end = _read_text(reader, standard_conforming_strings)
    if not question.strip():
        raise AskSyntaxError("the question of an ASK must not be empty", hint=form, position=token.start + 1)
    return question, None, end


def _skip_cast(reader: Reader) -> None:
    """Tools that write SQL again give a string constant its type: `ask('q'::text)`."""
    token = reader.peek()
    if token is not None and reader.source(token) == "::":
        reader.take()
        if not reader.at_word("text", "varchar"):
            reader.fail(_CALL_FORM)
        reader.take()


def _options_of_text(reader: Reader, standard_conforming_strings: bool) -> AskOptions:
    """The options in a string constant, written as in the parentheses of the keyword form."""
    token = reader.peek()
    if token is None or (token.closed and token.kind not in STRING_KINDS):
        reader.fail("Write the options of ask() as a string constant.")
    text, _ = _read_text(reader, standard_conforming_strings)
    if not text.strip():
        return AskOptions()
    statements = list(split(f"({text}\n)"))
    try:
        inner = Reader(replace(statements[0], terminator=None))
        options = read_options(inner, standard_conforming_strings=True)
        if len(statements) > 1 or inner.peek() is not None:
            inner.fail()
    except AskSyntaxError as error:
        # Positions inside the constant are not characters of the user's text.
        raise AskSyntaxError(error.message, hint=error.hint, position=token.start + 1) from None
    return options


def _parameter(source: str, token: Token) -> int:
    digits = source[1:].lstrip("0")
    if not digits:
        raise AskSyntaxError("there is no parameter $0", position=token.start + 1)
    if len(digits) > 5 or int(digits) > _LARGEST_PARAMETER:
        raise AskSyntaxError("parameter number too large", position=token.start + 1)
    return int(digits)


def read_text(reader: Reader, standard_conforming_strings: bool, form: str) -> str:
    """Read a string constant; anything else is a syntax error with `form` as its hint."""
    token = reader.peek()
    if token is None or (token.closed and token.kind not in STRING_KINDS):
        reader.fail(form)
    return _read_text(reader, standard_conforming_strings)[0]


def _read_text(reader: Reader, standard_conforming_strings: bool) -> tuple[str, int]:
    """What the string constant at the reader says and where it ends, its UESCAPE clause included."""
    token = reader.take()
    assert token is not None  # noqa: S101 (the caller looked)
    if not token.closed:
        raise unterminated(token)
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
        value = string_value(
            reader.text,
            token,
            standard_conforming_strings=standard_conforming_strings,
            uescape=uescape,
        )
    except LiteralError as error:
        raise AskSyntaxError(error.message, hint=error.hint, position=error.offset + 1) from None
    return value, end
