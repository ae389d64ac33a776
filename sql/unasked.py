"""Constants of a machine-written query that its question does not name.

Owns: telling which constants came from elsewhere, and leaving them out of a text. Such a constant was found
in somebody's data or worked out from the day of the question: SQL that holds one may not serve other
sessions, or other days. Dates that follow from the question's words ("in 2024") are its own. Errs on the side
of calling a constant foreign.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final

from askwire.sql.literals import LiteralError, string_value
from askwire.sql.named_times import NamedTimes, named_times
from askwire.sql.scan import STRING_KINDS, Kind, Token, significant
from askwire.sql.statements import fold

_WORDS: Final = re.compile(r"\w+")
_DATE: Final = re.compile(r"[0-9]{1,4}[-/.][0-9]{1,2}(?:[-/.][0-9]{1,4})?(?:[ Tt].*)?|[0-9]{1,2}:[0-9]{2}.*")
_NAMED_TIME: Final = re.compile(
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
)
_INTERVAL: Final = re.compile(
    "(?:[+-]?[0-9.]+ ?(?:microsecond|millisecond|second|minute|hour|day|week|month|mon|quarter|year|decade)s?"
    ",? ?)+"
)
_FIELD: Final = re.compile(
    "century|day|decade|dow|doy|epoch|hour|isodow|isoyear|(?:micro|milli)?seconds?|millennium|minute|month"
    "|quarter|timezone|week|year"
)
_FORMAT: Final = re.compile(
    r"(?:FM|Y,YYY|YYYY|YYY|YY|IYYY|MM|MONTH|Month|month|MON|Mon|mon|DDD|DD|DAY|Day|day|DY|Dy|dy|D|HH24|HH12|HH"
    r"|MI|SS|MS|US|AM|PM|WW|IW|W|Q|9|0|G|TZ|[\W_]|\"[^\"]*\")+"
)
_NUMBER_WORDS: Final = {
    word: str(number)
    for number, words in enumerate(
        (
            ("zero", "no", "none", "never"),
            ("one", "first", "once", "single", "a", "an"),
            ("two", "second", "twice", "both", "pair", "couple"),
            *(("three", "third"), ("four", "fourth"), ("five", "fifth"), ("six", "sixth")),
            *(("seven", "seventh"), ("eight", "eighth"), ("nine", "ninth"), ("ten", "tenth")),
            *(("eleven", "eleventh"), ("twelve", "twelfth", "dozen")),
        )
    )
    for word in words
}
_COUNTING: Final = frozenset(("limit", "offset", "first", "next", "fetch", "by"))
_ARITHMETIC: Final = frozenset("+-*/%^")
_OPERAND: Final = re.compile(r".*[\w)\]\"']", re.DOTALL)
_FORMATTING: Final = frozenset(("to_char", "to_date", "to_timestamp", "to_number"))
_ORDER_OPERATORS: Final = frozenset((">", ">=", "<", "<="))
_PRECISION_CALLS: Final = re.compile(
    "round|trunc|left|right|substr|substring|lpad|rpad|ntile|lag|lead|nth_value|numeric|decimal|varchar|char"
    "|character|bpchar|split_part|width_bucket|percentile_cont|percentile_disc|power"
)
"""Functions and types whose plain numbers say how, not what."""


class _Meaning(Enum):
    VALUE = "somebody's data"
    DATE = "a time"
    EITHER = "either"


@dataclass(frozen=True, slots=True)
class UnaskedParts:
    """What a query holds that its question does not name.

    `dated`: a constant that may hold for one day only, a date or a number that may stand for one. `foreign`
    are the constants, as written in the SQL, that may be somebody's data.
    """

    dated: bool = False
    foreign: tuple[str, ...] = ()


@lru_cache(maxsize=64)
def unasked(sql: str, question: str) -> UnaskedParts:
    """The constants of `sql` that do not come from `question` (or its evidence, appended to it).

    `SELECT … WHERE state = 'CA' LIMIT 3` for "three customers in California": `foreign` is `('CA',)` with
    its quotes. A constant is the question's when its words stand there in a row, whatever their case.
    """
    dated = False
    foreign: list[str] = []
    for token, meaning in _found(sql, question):
        dated = dated or meaning is not _Meaning.VALUE
        if meaning is not _Meaning.DATE:
            foreign.append(sql[token.start : token.end])
    return UnaskedParts(dated, tuple(foreign))


def foreign_spans(sql: str, question: str) -> tuple[tuple[int, int], ...]:
    """Where the constants of `unasked(…).foreign` stand: characters, the end exclusive."""
    found = _found(sql, question)
    return tuple((token.start, token.end) for token, meaning in found if meaning is not _Meaning.DATE)


def without_unasked(sql: str, question: str) -> str:
    """`sql` with `'…'` instead of each constant that the question does not name; for showing only."""
    pieces: list[str] = []
    position = 0
    for token, _ in _found(sql, question):
        pieces += (sql[position : token.start], "'…'" if token.kind in STRING_KINDS else "…")
        position = token.end
    return "".join(pieces) + sql[position:]


def _found(sql: str, question: str) -> Iterator[tuple[Token, _Meaning]]:
    """Each constant that the question does not name."""
    return ((token, meaning) for token, meaning, _ in _looked_at(sql, question) if meaning is not None)


class Source(Enum):
    """Where a constant comes from."""

    QUESTION = "the question"
    DATA = "the data"
    DAY = "the day"


def sources(sql: str, question: str) -> Iterator[tuple[Token, Source]]:
    """The constants of a query that say what is asked for, in order, and where each of them comes from.

    Those that say how and not what are left out: `LIMIT 1` for "the oldest", formats, intervals.
    """
    for token, meaning, named in _looked_at(sql, question):
        if meaning is None and named:
            yield token, Source.QUESTION
        elif meaning is not None:
            yield token, Source.DAY if meaning is _Meaning.DATE else Source.DATA


def _looked_at(sql: str, question: str) -> Iterator[tuple[Token, _Meaning | None, bool]]:
    """Each constant: what it may be, None where it is no concern, and whether the question names it."""
    said = _normal(question)
    numbers = set(re.findall(r"[0-9]+(?:\.[0-9]+)?", question.replace(",", "")))
    numbers |= {_NUMBER_WORDS[word] for word in said.split() if word in _NUMBER_WORDS}
    times = named_times(question, numbers)
    before = earlier = ""
    calls: list[str] = []
    for token in significant(sql):
        source = sql[token.start : token.end]
        word = fold(source) if token.kind is Kind.IDENTIFIER else source
        if token.kind in STRING_KINDS:
            meaning = _meaning(sql, token, said, times, calls[-1] if calls else "")
            yield token, meaning, meaning is None and _names(sql, token, said, times)
        elif token.kind is Kind.NUMBER:
            # a sign is part of the number, an operator between two operands is not
            signed = before in _ARITHMETIC and not _OPERAND.fullmatch(earlier)
            plain = _is_plain(source, "" if signed else before, calls[-1] if calls else "", numbers)
            yield token, None if plain else _Meaning.EITHER, source in numbers
        elif source == "(":
            calls.append(before)
        elif source == ")" and calls:
            calls.pop()
        earlier, before = before, word


def _meaning(sql: str, token: Token, said: str, times: NamedTimes, call: str) -> _Meaning | None:
    """None: the constant is the question's own, or says how, not what; `call` is the function around it."""
    try:
        value = string_value(sql, token)
    except LiteralError:
        return _Meaning.VALUE
    folded = value.strip().lower()
    if not folded or f" {_normal(value)} " in f" {said} ":
        return None
    if call in _FORMATTING and not folded.isdigit() and _FORMAT.fullmatch(value):
        return None
    if folded.isdigit() or _NAMED_TIME.fullmatch(folded):
        return None if not folded.isdigit() and times.hold(folded) else _Meaning.EITHER
    if _FIELD.fullmatch(folded) or _INTERVAL.fullmatch(folded):
        return None
    if _DATE.fullmatch(folded):
        return None if times.hold(folded) else _Meaning.DATE
    return _Meaning.VALUE


def _names(sql: str, token: Token, said: str, times: NamedTimes) -> bool:
    """Whether the question's words hold a constant that is no concern, or it follows from them."""
    value = string_value(sql, token)
    words = _normal(value)
    if _FIELD.fullmatch(words):
        return False
    return (bool(words) and f" {words} " in f" {said} ") or times.hold(value)


def _is_plain(source: str, before: str, call: str, numbers: set[str]) -> bool:
    """Whether a number is the question's own, or says how and not what."""
    if (
        source in numbers
        or source == "0"
        or before in _COUNTING
        or before in _ARITHMETIC
        or _PRECISION_CALLS.fullmatch(call)
    ):
        return True
    return source == "1" and (before in _ORDER_OPERATORS or before in ("select", "then", "else"))


def _normal(text: str) -> str:
    return " ".join(_WORDS.findall(text.casefold()))
