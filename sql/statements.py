"""Splitting a message into its statements, as the server's grammar will.

Owns: where one statement of a (possibly multi-statement) text ends and the next begins, and reading the
tokens of one statement in order. Must not know: what a statement means.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from askwire.core.errors import AskSyntaxError
from askwire.sql.scan import Kind, Token, significant


@dataclass(frozen=True, slots=True)
class Statement:
    """One non-empty statement: its tokens without white space, comments and the `;` that ends it.

    `index` counts the non-empty statements of the text from 0; `terminator` is the `;`, if there is one.
    """

    tokens: tuple[Token, ...]
    index: int
    terminator: Token | None


def split(text: str, *, standard_conforming_strings: bool = True) -> Iterator[Statement]:
    """The non-empty statements of `text`.

    A `;` ends a statement unless it stands in parentheses (CREATE RULE … DO (a; b)) or in a BEGIN ATOMIC
    body, as in psql's own splitting.
    """
    tokens: list[Token] = []
    index = parentheses = blocks = 0
    routine: bool | None = None
    for token in significant(text, standard_conforming_strings=standard_conforming_strings):
        if token.kind is Kind.PUNCTUATION and token.end - token.start == 1:
            character = text[token.start]
            if character == "(":
                parentheses += 1
            elif character == ")":
                parentheses = max(parentheses - 1, 0)
            elif character == ";" and parentheses == 0 and blocks == 0:
                if tokens:
                    yield Statement(tuple(tokens), index, token)
                    index += 1
                tokens = []
                routine = None
                continue
        elif token.kind is Kind.IDENTIFIER and routine is not False:
            word = text[token.start : token.end].lower()
            if routine is None:
                routine = _creates_routine(text, tokens, word)
            elif parentheses == 0:
                if word == "begin" or (word == "case" and blocks):
                    blocks += 1
                elif word == "end":
                    blocks = max(blocks - 1, 0)
        tokens.append(token)
    if tokens:
        yield Statement(tuple(tokens), index, None)


def _creates_routine(text: str, before: list[Token], word: str) -> bool | None:
    """Whether the words so far are CREATE [OR REPLACE] FUNCTION | PROCEDURE; None while undecided."""
    words = [*(text[t.start : t.end].lower() for t in before), word]
    if words[1:] == ["or", "replace"]:
        return None
    if words[0] != "create" or len(words) > 4:
        return False
    if words[-1] in ("function", "procedure"):
        return True
    return None if words in (["create"], ["create", "or"]) else False


class Reader:
    """Reads the tokens of one statement in order, and says in PostgreSQL's words what it did not expect."""

    def __init__(self, text: str, statement: Statement) -> None:
        self.text = text
        self._tokens = statement.tokens
        self._terminator = statement.terminator
        self._next = 0

    def peek(self) -> Token | None:
        """The next token, or None at the statement's end."""
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def take(self) -> Token | None:
        """The next token, consumed; None at the statement's end."""
        token = self.peek()
        if token is not None:
            self._next += 1
        return token

    def source(self, token: Token) -> str:
        """The token as the user wrote it."""
        return self.text[token.start : token.end]

    def at(self, character: str) -> bool:
        """Whether the next token is this punctuation character."""
        token = self.peek()
        return token is not None and token.kind is Kind.PUNCTUATION and self.source(token) == character

    def at_word(self, *words: str) -> bool:
        """Whether the next token is one of these unquoted words (given in lower case)."""
        token = self.peek()
        return token is not None and token.kind is Kind.IDENTIFIER and fold(self.source(token)) in words

    def fail(self, hint: str = "") -> NoReturn:
        """Raise `AskSyntaxError` at the next token, as PostgreSQL's parser would."""
        token = self.peek() or self._terminator
        if token is None:
            message, offset = "syntax error at end of input", len(self.text)
        elif not token.closed:
            raise unterminated(token)
        else:
            shown = self.source(token)
            message, offset = f'syntax error at or near "{shown}"', token.start
        raise AskSyntaxError(message, hint=hint, position=offset + 1)


def unterminated(token: Token) -> AskSyntaxError:
    """The error for a token that the end of the text cuts off, in PostgreSQL's words."""
    if token.kind is Kind.COMMENT:
        message = "unterminated /* comment"
    elif token.kind in (Kind.QUOTED_IDENTIFIER, Kind.UNICODE_IDENTIFIER):
        message = "unterminated quoted identifier"
    elif token.kind is Kind.DOLLAR:
        message = "unterminated dollar-quoted string"
    else:
        message = "unterminated quoted string"
    return AskSyntaxError(message, position=token.start + 1)


def fold(word: str) -> str:
    """An unquoted word as PostgreSQL compares keywords: only ASCII letters fold."""
    return "".join(c.lower() if "A" <= c <= "Z" else c for c in word)
