"""Tokens by which a rewording replaces others, and the words and tests that rewordings share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from askwire.language.text import Token, listed

REQUESTS: Final = frozenset(listed("list show give me find tell us what are which the return display please"))
"""Words before what is asked for."""
ARTICLES: Final = frozenset(listed("the a an their its his her"))
QUESTION_WORDS: Final = frozenset(listed("how what which who whose when where"))
LIMIT_WORDS: Final = frozenset({"top", "bottom", "first"})
NO_ELEMENTS: Final = (frozenset[int](), frozenset[int]())
LONG_NAME: Final = 5
"""Words of a name that is too long for one thing."""


def word(text: str, beside: Token) -> Token:
    """A word that the question does not say, at the place of another."""
    return replace(beside, text=text, lower=text, lemma=text, kind="word")


def mark(text: str, beside: Token) -> Token:
    """A mark that the question does not set, at the place of a token."""
    return replace(beside, text=text, lower=text, lemma=text, kind="punct")


def number(value: int, beside: Token) -> Token:
    """A number that the question says in a word ('an hour')."""
    return replace(beside, text=str(value), lower=str(value), lemma=str(value), kind="number")


def is_name(token: Token) -> bool:
    """Whether a token is quoted, or a word with a capital."""
    return token.kind == "quoted" or (token.kind == "word" and token.text[:1].isupper())


def place_of(tokens: Sequence[Token], start: int, words: set[str] | frozenset[str]) -> int:
    """Where one of `words` stands first from `start` on, the length where none does."""
    return next((at for at in range(start, len(tokens)) if tokens[at].lower in words), len(tokens))


def all_words(tokens: Sequence[Token]) -> bool:
    """Whether there are tokens, and none is a number or a mark."""
    return bool(tokens) and all(t.kind == "word" for t in tokens)


def line(tokens: Sequence[Token]) -> str:
    """The tokens with one space between two; what is quoted is one word that no phrase has."""
    said = (t.lemma if t.kind == "number" else t.lower for t in tokens)
    return " ".join(
        "''" if t.kind == "quoted" or " " in word else word for t, word in zip(tokens, said, strict=True)
    )


def closed_up(
    tokens: tuple[Token, ...], start: int, end: int, kept: tuple[Token, ...] = ()
) -> tuple[Token, ...]:
    """The tokens with `kept` instead of those from `start` to `end`; marks that held nothing else go."""
    before, after = (*tokens[:start], *kept), tokens[end:]
    if kept:
        return before + after
    if before and after and before[-1].lower == "(" and after[0].lower == ")":
        before, after = before[:-1], after[1:]
    if before and before[-1].lower == "," and (not after or after[0].kind == "punct"):
        before = before[:-1]
    if after and after[0].lower in {".", ","} and (not before or before[-1].lower in {".", "?", "!", ";"}):
        after = after[1:]
    return before + after
