"""Splitting a message into its statements, as the server's grammar will.

Owns: where one statement of a (possibly multi-statement) text ends and the next begins, and reading the
tokens of one statement in order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Final, NoReturn

from askwire.core.errors import AskSyntaxError
from askwire.sql.scan import Kind, Token, scan, significant, skip_plain

_ATOMIC: Final = re.compile(r"[aA][tT][oO][mM][iI][cC]")
_SIMPLE_STRING: Final = re.compile(r"'[^']*'")
_PARENTHESIS: Final = re.compile(r"[()]")


@dataclass(frozen=True)
class Statement:
    """One non-empty statement of `text`: from its first token to its end, without the `;`.

    `index` counts the non-empty statements of the text from 0; `terminator` is where the `;` stands, if there
    is one. Its tokens are read when they are asked for.
    """

    text: str
    first: Token
    end: int
    index: int
    terminator: int | None
    standard_conforming_strings: bool

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens without white space and closed comments."""
        found = significant(
            self.text,
            start=self.first.start,
            standard_conforming_strings=self.standard_conforming_strings,
        )
        return tuple(takewhile(lambda token: token.start < self.end, found))


def split(text: str, *, standard_conforming_strings: bool = True) -> Iterator[Statement]:
    """The non-empty statements of `text`.

    A `;` ends a statement unless it stands in parentheses (CREATE RULE … DO (a; b)) or in a BEGIN ATOMIC
    body, as in psql's own splitting.
    """
    index, start = 0, 0
    for end in _ends(text, standard_conforming_strings):
        stop = len(text) if end is None else end
        first = next(
            significant(text, start=start, standard_conforming_strings=standard_conforming_strings), None
        )
        if first is not None and first.start < stop:
            yield Statement(text, first, stop, index, end, standard_conforming_strings)
            index += 1
        start = stop + 1


def _ends(text: str, standard_conforming_strings: bool) -> Iterator[int | None]:
    """Where each `;` stands that ends a statement; None for the end of the text."""
    if _ATOMIC.search(text) is not None:
        yield from _ends_around_bodies(text, standard_conforming_strings)
    else:
        position = depth = 0
        while position < len(text):
            end = skip_plain(text, position)
            depth = _depth_after(text, position, end, depth)
            # Whatever is not plain is read as tokens, until something plain may follow.
            position = end
            for token in scan(text, start=end, standard_conforming_strings=standard_conforming_strings):
                position = token.end
                if token.kind is Kind.PUNCTUATION and text[token.start] == ";" and depth == 0:
                    yield token.start
                break
    yield None


def _depth_after(text: str, start: int, end: int, depth: int) -> int:
    """The depth of parentheses after a run of plain tokens; one that closes nothing does not count."""
    run = text[start:end]
    if "'" in run:
        run = _SIMPLE_STRING.sub("", run)
    opening, closing = run.count("("), run.count(")")
    if closing <= depth:
        return depth + opening - closing
    for parenthesis in _PARENTHESIS.findall(run):
        depth = depth + 1 if parenthesis == "(" else max(depth - 1, 0)
    return depth


def _ends_around_bodies(text: str, standard_conforming_strings: bool) -> Iterator[int]:
    """As `_ends`, minding that the statements of a BEGIN ATOMIC body end with `;` too."""
    tokens: list[Token] = []
    parentheses = blocks = 0
    routine: bool | None = None
    for token in significant(text, standard_conforming_strings=standard_conforming_strings):
        if token.kind is Kind.PUNCTUATION and token.end - token.start == 1:
            character = text[token.start]
            if character == "(":
                parentheses += 1
            elif character == ")":
                parentheses = max(parentheses - 1, 0)
            elif character == ";" and parentheses == 0 and blocks == 0:
                yield token.start
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
        if routine is None:
            tokens.append(token)


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

    def __init__(self, statement: Statement, index: int = 0) -> None:
        self.text = statement.text
        self._tokens = statement.tokens
        self._terminator = statement.terminator
        self._next = index

    @property
    def index(self) -> int:
        """Which of the statement's tokens is next."""
        return self._next

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
        token = self.peek()
        if token is not None and not token.closed:
            raise unterminated(token)
        if token is not None:
            message, offset = f'syntax error at or near "{self.source(token)}"', token.start
        elif self._terminator is not None:
            message, offset = 'syntax error at or near ";"', self._terminator
        else:
            message, offset = "syntax error at end of input", len(self.text)
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
