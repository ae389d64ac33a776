"""Questions and queries without their names and values: what they have in common with others of their kind.

Owns: which words of a question are values, which are names of a schema, and how a query looks without its
constants and names of its own. Errs on the side of taking a word for a value.

    "orders of Anna Berg above 30" -> "orders of … … above …", as a shape: "NAME of VALUE VALUE above VALUE"
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from pglast import keywords

from askwire.core.egress import Piece
from askwire.language.lexicon import FUNCTION_WORDS, SOFT_WORDS
from askwire.language.text import NUMBER_WORDS, listed, stem, tokenize
from askwire.planner.models.texts.lexical import SILENT, words
from askwire.sql.catalog import Catalog
from askwire.sql.safety.functions import review
from askwire.sql.scan import STRING_KINDS, Kind, scan

MASK: Final = "…"
VALUE: Final = "VALUE"
NAME: Final = "NAME"
_TIME_WORDS: Final = frozenset(
    listed(
        "day days week weeks month months quarter quarters year years yesterday tomorrow ago past previous"
    )
)
_PLAIN_WORDS: Final = FUNCTION_WORDS | SILENT | SOFT_WORDS | _TIME_WORDS
_STEMS: Final = frozenset(stem(word) for word in _PLAIN_WORDS)
_KEYWORDS: Final = frozenset(
    keywords.RESERVED_KEYWORDS
    | keywords.COL_NAME_KEYWORDS
    | keywords.TYPE_FUNC_NAME_KEYWORDS
    | keywords.UNRESERVED_KEYWORDS
)
_CONSTANTS: Final = frozenset((*STRING_KINDS, Kind.BIT_STRING, Kind.HEX_STRING, Kind.NUMBER))
_QUOTED: Final = frozenset((Kind.QUOTED_IDENTIFIER, Kind.UNICODE_IDENTIFIER))
_KEPT_NUMBERS: Final = frozenset(("0", "1", "100", "100.0"))
_WORD: Final = re.compile(r"\w+")


class Names:
    """The words of a catalog's names, for the last few catalogs it saw."""

    def __init__(self) -> None:
        self._known: list[tuple[Catalog, frozenset[str]]] = []

    def of(self, catalog: Catalog) -> frozenset[str]:
        """Stems of all words in names of relations and columns, and these names in small letters."""
        for known, names in self._known:
            if known is catalog:
                return names
        found: set[str] = set()
        for relation in catalog:
            for name in (relation.schema, relation.name, *(column.name for column in relation.columns)):
                found.update(words(name), (name.lower(),))
        names = frozenset(found)
        self._known = [(catalog, names), *self._known][:4]
        return names


def question_pieces(question: str, names: frozenset[str], constants: Iterable[str] = ()) -> Iterator[Piece]:
    """A question in pieces: its values are what is quoted, a number, a date, capitalised, or in `constants`.

    `constants` are words of the values of the query that answers it.
    """
    values = set(constants)
    at = 0
    first = True
    for token in tokenize(question):
        if token.kind == "punct":
            continue
        capital = token.text[:1].isupper() and not first
        named = stem(token.lemma) in names or token.lower in names
        plain = token.lower in _PLAIN_WORDS or named
        is_value = (
            token.kind != "word"
            or bool(values & {token.lower, *_WORD.findall(token.lower)} - _PLAIN_WORDS)
            or (capital and not plain)
        )
        first = False
        if is_value:
            yield Piece(question[at : token.start])
            yield Piece(question[token.start : token.end], is_value=True)
            at = token.end
    # what is too long to be looked at may hold anything
    yield from _rest(question, at)


def _rest(question: str, at: int) -> Iterator[Piece]:
    tokens = tokenize(question)
    seen = tokens[-1].end if tokens else 0
    yield Piece(question[at : max(at, seen)])
    if question[max(at, seen) :].strip():
        yield Piece(question[max(at, seen) :], is_value=True)


@lru_cache(maxsize=4096)
def shape(question: str, names: frozenset[str], constants: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """The words of a question, its values and names made alike: what it has in common with its kind."""
    found: list[str] = []
    for piece in question_pieces(question, names, constants):
        if piece.is_value:
            found.append(VALUE)
            continue
        for word in _WORD.findall(piece.text.lower()):
            if word in NUMBER_WORDS:
                found.append(VALUE)
            else:
                known = stem(word)
                found.append(NAME if known in names and word not in _PLAIN_WORDS else known)
    return tuple(found)


def plain_shape(found: Sequence[str]) -> tuple[str, ...]:
    """A shape with nothing left in it but function words: of a question that somebody else asked."""
    return tuple(word if word in _STEMS or word == NAME else VALUE for word in found)


def query_pieces(sql: str) -> Iterator[Piece]:
    """A query in pieces, its constants apart; comments are left out, white space is made one blank."""
    for token in scan(sql):
        text = sql[token.start : token.end]
        if token.kind in {Kind.SPACE, Kind.COMMENT}:
            yield Piece(" ")
        elif token.kind in STRING_KINDS and len(text) > 1 and text[0] == text[-1] == "'":
            yield Piece("'")
            yield Piece(text[1:-1], is_value=True)
            yield Piece("'")
        else:
            yield Piece(text, is_value=token.kind in _CONSTANTS and text not in _KEPT_NUMBERS)


@lru_cache(maxsize=4096)
def constants(sql: str) -> frozenset[str]:
    """The words in a query's constants, in small letters."""
    return frozenset(
        word for piece in query_pieces(sql) if piece.is_value for word in _WORD.findall(piece.text.lower())
    )


def told_of_others(question: str, sql: str, names: frozenset[str]) -> tuple[str, str]:
    """What may be shown about a question somebody else asked, and of its query.

    Of the question: function words and words of `names`, the asker's own catalog. Of the query: keywords,
    names that the asker sees, functions that every query may use; further names become n1, n2 and so on,
    constants `…`.
    """
    kept: list[str] = []
    for word in re.findall(r"\w+|[^\w\s]", question[:2000]):
        low = word.lower()
        plain = low in _PLAIN_WORDS or low in names or stem(low) in names
        known = not word[0].isalnum() or (plain and not low.isnumeric())
        kept.append(word if known else MASK)
    renamed: dict[str, str] = {}
    text = ""
    for token in scan(sql):
        piece = sql[token.start : token.end]
        if token.kind in {Kind.SPACE, Kind.COMMENT}:
            text += " "
        elif token.kind in _CONSTANTS:
            text += (
                piece if piece in _KEPT_NUMBERS else f"'{MASK}'" if token.kind is not Kind.NUMBER else MASK
            )
        elif token.kind in _QUOTED or token.kind is Kind.IDENTIFIER:
            low = piece.strip('"').lower()
            public = token.kind is Kind.IDENTIFIER and (low in _KEYWORDS or low in review().allowed)
            text += piece if public or low in names else renamed.setdefault(low, f"n{len(renamed) + 1}")
        elif token.kind is not Kind.OTHER:
            text += piece
    return " ".join(kept), " ".join(text.split())
