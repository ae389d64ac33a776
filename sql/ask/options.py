"""The options of an ASK: `ASK (SQL, TIMEOUT '30s') 'question'`, written as EXPLAIN's are.

Owns: which options exist, how their values are read, and which exclude each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal

from askwire.core.errors import AskSyntaxError
from askwire.core.settings.confidence_levels import LEVELS
from askwire.core.settings.parsing import parse_bool, parse_duration, parse_experts
from askwire.sql.literals import LiteralError, string_value
from askwire.sql.scan import STRING_KINDS, Kind, Token
from askwire.sql.statements import Reader, fold, unterminated

Format = Literal["text", "json"]


@dataclass(frozen=True, slots=True)
class AskOptions:
    """What the user set in parentheses; None and '' mean "not given".

    `sql` returns the chosen SQL and runs nothing; `why` returns the decision report, in `format`; `choices`
    returns the rival readings and the rows on which they differ;
    `candidates` asks for that many; `timeout_ms` bounds the ASK in milliseconds; `evidence` is a hint in
    the user's words; `fresh` works the question out again, whatever SQL it had before; `budget` is how many
    tokens models may use for it, `experts` names those that are asked, separated by commas; `accept` is the
    least level of confidence of an answer.
    """

    sql: bool = False
    why: bool = False
    choices: bool = False
    fresh: bool = False
    format: Format = "text"
    candidates: int | None = None
    timeout_ms: int | None = None
    evidence: str = ""
    budget: int | None = None
    experts: str = ""
    accept: str = ""


@dataclass(frozen=True, slots=True)
class _Value:
    """An option's value: its text (None when left out) and whether a string constant gave it."""

    text: str | None
    quoted: bool = False


_LARGEST_INTEGER: Final = 2**31 - 1


def read_options(reader: Reader, *, standard_conforming_strings: bool) -> AskOptions:
    """Read `(name [value], …)`; the reader stands at the `(`. Raises `AskSyntaxError`."""
    options, seen = AskOptions(), set[str]()
    # The whole list is read first: what is no list at all is said before what is wrong with an option.
    for name, value, offset in _read_list(reader, standard_conforming_strings):
        if name not in _OPTIONS:
            raise AskSyntaxError(
                f'unrecognized ASK option "{name}"',
                hint=f"Options are {', '.join(n.upper() for n in _OPTIONS)}.",
                position=offset + 1,
            )
        if name in seen:
            raise AskSyntaxError("conflicting or redundant options", position=offset + 1)
        seen.add(name)
        try:
            options = _OPTIONS[name](options, value)
        except ValueError as error:
            raise AskSyntaxError(str(error), position=offset + 1) from None
        reports = [word for word in ("SQL", "WHY", "CHOICES") if getattr(options, word.lower())]
        if len(reports) > 1:
            both = " and ".join(reports)
            raise AskSyntaxError(f"ASK options {both} cannot be used together", position=offset + 1)
    return options


def _read_list(reader: Reader, standard_conforming_strings: bool) -> list[tuple[str, _Value, int]]:
    """Each option's name, its value, and where in the text it begins."""
    options: list[tuple[str, _Value, int]] = []
    while not options or reader.at(","):
        if len(options) > len(_OPTIONS):
            raise AskSyntaxError("conflicting or redundant options", position=options[-1][2] + 1)
        reader.take()
        token = reader.peek()
        if token is not None and token.closed and token.kind in STRING_KINDS:
            reader.fail("Write the question after the parentheses: ASK (SQL) 'question'; or leave them out.")
        if token is None or token.kind not in (Kind.IDENTIFIER, Kind.QUOTED_IDENTIFIER) or not token.closed:
            reader.fail()
        reader.take()
        value = _read_value(reader, standard_conforming_strings)
        options.append((_name(reader.source(token), token), value, token.start))
    if not reader.at(")"):
        reader.fail()
    reader.take()
    return options


def _name(source: str, token: Token) -> str:
    if token.kind is Kind.QUOTED_IDENTIFIER:
        return source[1:-1].replace('""', '"')
    return fold(source)


def _read_value(reader: Reader, standard_conforming_strings: bool) -> _Value:
    token = reader.peek()
    if token is None or reader.at(",") or reader.at(")"):
        return _Value(None)
    if not token.closed:
        raise unterminated(token)
    source = reader.source(token)
    if token.kind in STRING_KINDS:
        reader.take()
        try:
            value = string_value(reader.text, token, standard_conforming_strings=standard_conforming_strings)
        except LiteralError as error:
            raise AskSyntaxError(error.message, hint=error.hint, position=error.offset + 1) from None
        return _Value(value, quoted=True)
    if token.kind in (Kind.IDENTIFIER, Kind.NUMBER):
        reader.take()
        return _Value(fold(source))
    if token.kind is not Kind.OPERATOR or source not in ("+", "-"):
        reader.fail()
    reader.take()
    number = reader.peek()
    if number is None or number.kind is not Kind.NUMBER:
        reader.fail()
    reader.take()
    return _Value(source.removeprefix("+") + reader.source(number))


def _boolean(name: str, value: _Value) -> bool:
    if value.text is None:
        return True
    try:
        return parse_bool(value.text)
    except ValueError:
        raise ValueError(f"{name} requires a Boolean value") from None


def _set_sql(options: AskOptions, value: _Value) -> AskOptions:
    return replace(options, sql=_boolean("SQL", value))


def _set_why(options: AskOptions, value: _Value) -> AskOptions:
    return replace(options, why=_boolean("WHY", value))


def _set_fresh(options: AskOptions, value: _Value) -> AskOptions:
    return replace(options, fresh=_boolean("FRESH", value))


def _set_choices(options: AskOptions, value: _Value) -> AskOptions:
    return replace(options, choices=_boolean("CHOICES", value))


def _set_format(options: AskOptions, value: _Value) -> AskOptions:
    if value.text is None:
        raise ValueError("FORMAT requires a parameter")
    word = value.text.lower()
    if word == "text":
        return replace(options, format="text")
    if word == "json":
        return replace(options, format="json")
    raise ValueError(f'unrecognized value for ASK option "format": "{value.text}"')


def _positive(name: str, value: _Value) -> int:
    text = value.text or ""
    # A longer run of digits is out of range whatever it says, and need not be converted to be refused.
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 10 else 0
    if not 1 <= number <= _LARGEST_INTEGER:
        raise ValueError(f"{name} requires a positive integer value")
    return number


def _set_candidates(options: AskOptions, value: _Value) -> AskOptions:
    return replace(options, candidates=_positive("CANDIDATES", value))


def _set_budget(options: AskOptions, value: _Value) -> AskOptions:
    return replace(options, budget=_positive("BUDGET", value))


def _set_timeout(options: AskOptions, value: _Value) -> AskOptions:
    if value.text is None:
        raise ValueError("TIMEOUT requires a parameter")
    try:
        milliseconds = parse_duration(value.text)
    except (ValueError, OverflowError):
        milliseconds = 0
    if not 1 <= milliseconds <= _LARGEST_INTEGER:
        raise ValueError(f'invalid value for ASK option "timeout": "{value.text}"')
    return replace(options, timeout_ms=milliseconds)


def _set_evidence(options: AskOptions, value: _Value) -> AskOptions:
    if value.text is None or not value.quoted:
        raise ValueError("EVIDENCE requires a string constant")
    return replace(options, evidence=value.text)


def _set_experts(options: AskOptions, value: _Value) -> AskOptions:
    if value.text is None or not value.quoted or not parse_experts(value.text):
        raise ValueError("EXPERTS requires names in a string constant")
    return replace(options, experts=value.text)


def _set_accept(options: AskOptions, value: _Value) -> AskOptions:
    level = (value.text or "").lower()
    if level not in LEVELS:
        raise ValueError(f"ACCEPT requires a level of confidence: {', '.join(LEVELS)}")
    return replace(options, accept=level)


OPTION_HELP: Final = {
    "sql": ("SQL", "returns the chosen SQL as one row and runs nothing"),
    "why": ("WHY", "returns the steps of the decision as rows"),
    "choices": ("CHOICES", "returns all readings, and rows on which they give different results"),
    "fresh": ("FRESH", "ignores the SQL that is kept for this question, and works it out again"),
    "format": ("FORMAT JSON", "with WHY: one JSON value instead of rows"),
    "candidates": ("CANDIDATES 5", "asks for so many candidate queries"),
    "timeout": ("TIMEOUT '10s'", "ends the ASK with NL005 after this time"),
    "evidence": ("EVIDENCE 'late means status = ''L'''", "explains words of the question"),
    "budget": ("BUDGET 4000", "tokens that models may use for this question"),
    "experts": ("EXPERTS 'embedded, local'", "asks these experts only"),
    "accept": ("ACCEPT MEDIUM", "the lowest level of confidence that this statement accepts"),
}
"""By name of option, how to write it and what it does."""

_OPTIONS: Final[dict[str, Callable[[AskOptions, _Value], AskOptions]]] = {
    "sql": _set_sql,
    "why": _set_why,
    "choices": _set_choices,
    "fresh": _set_fresh,
    "format": _set_format,
    "candidates": _set_candidates,
    "timeout": _set_timeout,
    "evidence": _set_evidence,
    "budget": _set_budget,
    "experts": _set_experts,
    "accept": _set_accept,
}
