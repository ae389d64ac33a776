"""Columns that are called by the word of an aggregate: invoice.total in 'invoices with the highest total'.

Owns: telling where such a word is the column's name. Elsewhere it says how rows are added up: 'total sales'.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from askwire.language.text import Token, listed
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_AGGREGATES: Final = frozenset(("average", "count", "max", "maximum", "min", "minimum", "sum", "total"))
_ARTICLES: Final = frozenset(("a", "an", "the", "their", "its", "his", "her"))
_BEFORE: Final = frozenset(
    ("by", "with", "whose", "where", "most", "least", "mean", "and", "or", "than", "their")
)
"""What stands before the name of a measure, beside aggregates and superlatives."""
_BEHIND: Final = frozenset(
    listed(
        """
        per by for in on at from above below over under between exceeding greater less more higher lower
        larger smaller is are was were desc descending asc ascending among during since before after until
        across within equal first
        """
    )
)
"""What may stand behind it; other words may be what is added up."""
_CONJUNCTIONS: Final = frozenset(("and", "or"))
_NAMES_ADDED_UP: Final = frozenset(("total", "sum"))


def column_called(word: str, index: SchemaIndex) -> bool:
    """Whether a column of numbers has the word of an aggregate as its whole name."""
    if word not in _AGGREGATES or word not in index.by_word:
        return False
    _, columns = index.by_word[word]
    return any(index.columns[at].words == (word,) and index.columns[at].kind == "number" for at in columns)


def is_name(tokens: Sequence[Token], at: int, index: SchemaIndex) -> bool:
    """Whether the token names such a column: a measure is wanted there, and no other word names one."""
    if not column_called(tokens[at].lemma, index) or not _ends(tokens, at, _BEHIND | _CONJUNCTIONS):
        return False
    before = _before(tokens, at)
    return before is not None and (
        before.lower in _BEFORE or before.lemma in _AGGREGATES or before.lower.endswith("est")
    )


def added_up(tokens: Sequence[Token], index: SchemaIndex) -> tuple[Token, ...]:
    """'total per country' is the total of the column `total`: the word is written once more."""
    found: list[Token] = []
    for at, token in enumerate(tokens):
        found.append(token)
        if (
            token.lemma in _NAMES_ADDED_UP
            and column_called(token.lemma, index)
            and _ends(tokens, at, _BEHIND)
            and not is_name(tokens, at, index)
            and not (at and (tokens[at - 1].lower == "in" or tokens[at - 1].lemma in _AGGREGATES))
        ):
            found.append(token)
    return tuple(found)


def _ends(tokens: Sequence[Token], at: int, behind: Set[str]) -> bool:
    """Whether nothing follows but one of these words."""
    if at + 1 == len(tokens):
        return True
    following = tokens[at + 1]
    return following.lower in {".", "?", "!"} or following.kind == "number" or following.lower in behind


def _before(tokens: Sequence[Token], at: int) -> Token | None:
    """The last word before the token that is no article."""
    for token in reversed(tokens[:at]):
        if token.lower not in _ARTICLES:
            return token
    return None
