"""ASKs where none can be: in statements that store code without running it, and bare in an expression.

Owns: finding them, in a body that is a string constant too. No answer can be meant where a text is kept for
later; PostgreSQL's own words for it are those of a syntax error, or of a type that does not exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final

from askwire.core.errors import AskSyntaxError
from askwire.sql.ask.site import Form
from askwire.sql.ask.tokens import Tokens
from askwire.sql.literals import LiteralError, string_value
from askwire.sql.scan import STRING_KINDS, Kind, Token, parts
from askwire.sql.statements import Statement, fold, split

_HINT: Final = "Write the SQL that ASK (SQL) 'question' returns."
_ROUTINES: Final = frozenset(("function", "procedure"))
_LANGUAGES: Final = frozenset(("sql", "plpgsql"))
_MAX_CHARACTERS: Final = 64 * 1024
"""Characters up to which a text is shown how an ASK in an expression is written; it is a courtesy."""

_NEAR: Final = re.compile(r"""(?i:ask)\s*['$(/-]|"\s*\(""")
"""What a body must hold for an ASK to be in it, by the name of the keyword form."""

_NOT_CALLS: Final = frozenset(("execute", "call", "into", "on"))
"""What may stand before a name and parentheses that are no call of a function."""

_BEFORE_CALLS: Final = frozenset(("from", "join", "lateral"))


class StoringStatement(Enum):
    """A statement that keeps code, or an expression, and what is said of an ASK in it."""

    ROUTINE = "an ASK is not possible in the body of a function"
    BLOCK = "an ASK is not possible in the code of DO"
    RULE = "an ASK is not possible in a rule"
    EXPRESSION = "an ASK in an expression must be in parentheses"
    ARGUMENT = "ask() can only be used in FROM"


_HINTS: Final = {
    StoringStatement.EXPRESSION: "Write (ASK 'question').",
    StoringStatement.ARGUMENT: "Write (ASK 'question') in an expression, or SELECT * FROM ask('question').",
}


@dataclass(frozen=True, slots=True)
class MisplacedAsk:
    """One ASK where none can be; `start` is its character in the text, from 0.

    A `keyword` form is a constant where a type called ask exists, a `function` a call where a function is;
    `defines`: the statement itself makes that function.
    """

    start: int
    form: Form
    storing: StoringStatement
    defines: bool = False

    @property
    def error(self) -> AskSyntaxError:
        """What its writer is shown."""
        return AskSyntaxError(
            self.storing.value, hint=_HINTS.get(self.storing, _HINT), position=self.start + 1
        )


def storing(statement: Statement) -> StoringStatement | None:
    """Whether a statement keeps code, and which."""
    words = [
        fold(statement.text[token.start : token.end]) if token.kind is Kind.IDENTIFIER else ""
        for token in statement.tokens[:4]
    ]
    if words[:1] == ["do"]:
        return StoringStatement.BLOCK
    if words[:1] != ["create"]:
        return None
    kind = words[3:] if words[1:3] == ["or", "replace"] else words[1:2]
    if not kind:
        return None
    return (
        StoringStatement.ROUTINE
        if kind[0] in _ROUTINES
        else StoringStatement.RULE
        if kind[0] == "rule"
        else None
    )


def find_misplaced(
    text: str, *, standard_conforming_strings: bool = True, function_name: str = "ask"
) -> tuple[MisplacedAsk, ...]:
    """The ASKs of a message that stand in code to be kept, in order; linear in the text, raises nothing."""
    found: list[MisplacedAsk] = []
    for statement in split(text, standard_conforming_strings=standard_conforming_strings):
        kept = storing(statement)
        if kept is not None:
            found += _in_statement(statement, kept, function_name)
    return tuple(found)


def find_bare(text: str, *, function_name: str = "ask") -> tuple[MisplacedAsk, ...]:
    """What looks like an ASK in the expressions of a message that has none, in order; raises nothing.

    `SELECT ASK 'q'` and `SELECT ask('q')`, which PostgreSQL takes for a constant and a call.
    """
    found: list[MisplacedAsk] = []
    if len(text) > _MAX_CHARACTERS:
        return ()
    for statement in split(text):
        if storing(statement) is None:
            tokens = Tokens(statement)
            for number, token in enumerate(tokens.all):
                if "." in (tokens.at(number - 1), tokens.at(number + 1)):
                    continue
                if tokens.words[number] == "ask" and tokens.constant_after(number) >= 0:
                    found.append(MisplacedAsk(token.start, "keyword", StoringStatement.EXPRESSION))
                elif (
                    tokens.calls(number, function_name)
                    and tokens.all[number + 2].kind in STRING_KINDS
                    and tokens.at(number - 1) not in _NOT_CALLS
                ):
                    found.append(MisplacedAsk(token.start, "function", StoringStatement.ARGUMENT))
    return tuple(found)


def _in_statement(statement: Statement, kept: StoringStatement, function: str) -> Iterator[MisplacedAsk]:
    tokens = Tokens(statement)
    name = ""
    if kept is StoringStatement.ROUTINE:
        named = next(number for number, word in enumerate(tokens.words) if word in _ROUTINES) + 1
        while tokens.at(named + 1) == ".":
            named += 2
        name = tokens.name(named) if named < len(tokens.all) else ""
    defines = bool(function) and name == function
    for start, form in _in_code(tokens, function):
        yield MisplacedAsk(start, form, kept, defines)
    if kept is StoringStatement.RULE or not _is_sql(tokens, kept):
        return
    for number, token in enumerate(tokens.all):
        if token.kind in STRING_KINDS and token.closed and _is_body(tokens, number, kept):
            for start, form in _in_body(statement, token, function):
                yield MisplacedAsk(start, form, kept, defines)


def _is_sql(tokens: Tokens, kept: StoringStatement) -> bool:
    """Whether the body is in a language whose queries are read here."""
    for number, word in enumerate(tokens.words):
        if word == "language" and tokens.at(number - 1) != "." and number + 1 < len(tokens.all):
            source = tokens.source(number + 1)
            return fold(source.strip("'\"")) in _LANGUAGES
    return kept is StoringStatement.BLOCK


def _is_body(tokens: Tokens, number: int, kept: StoringStatement) -> bool:
    before = tokens.at(number - 1)
    return before == "as" if kept is StoringStatement.ROUTINE else before != "language"


def _in_code(tokens: Tokens, function: str) -> Iterator[tuple[int, Form]]:
    for number, token in enumerate(tokens.all):
        if tokens.at(number - 1) == "." or tokens.at(number + 1) == ".":
            continue
        if tokens.words[number] == "ask" and tokens.constant_after(number) >= 0:
            yield token.start, "keyword"
        elif tokens.at(number - 1) in _BEFORE_CALLS and tokens.calls(number, function):
            yield token.start, "function"


def _in_body(statement: Statement, body: Token, function: str) -> Iterator[tuple[int, Form]]:
    conforming = statement.standard_conforming_strings
    try:
        code = string_value(statement.text, body, standard_conforming_strings=conforming)
    except LiteralError:
        return
    if not (_NEAR.search(code) or re.search(rf"(?i){re.escape(function)}\s*\(", code)):
        return
    begins = body.start
    if body.kind is Kind.DOLLAR:
        ((begins, _),) = parts(statement.text, body)
    for inner in split(code):
        for start, form in _in_code(Tokens(inner), function):
            # a constant in quotes doubles some characters, so that it is pointed at as a whole
            yield (begins + start if body.kind is Kind.DOLLAR else body.start), form
