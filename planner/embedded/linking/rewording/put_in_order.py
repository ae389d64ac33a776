"""Ways to say that rows are sorted: 'returned alphabetically', 'shown in descending order', 'given by price'.

Owns: tokens → tokens, with 'sorted' for a participle that says how rows are shown, and no state of theirs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from askwire.language.text import Token, listed
from askwire.planner.embedded.linking.rewording import new_tokens
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_SHOWN_PARTICIPLES: Final = frozenset(
    listed("returned arranged listed shown displayed presented printed given organized organised")
)
_ORDER_ADVERBS: Final = frozenset(
    listed("alphabetically chronologically numerically lexicographically ascending descending asc desc")
)
_ORDER_WORDS: Final = _ORDER_ADVERBS | frozenset(
    listed("alphabetical chronological numerical lexicographical increasing decreasing reverse")
)
_SORTING_WORDS: Final = frozenset({"sorted", "sort", "ordered", "order", "by"})
_MAX_ORDER_WORDS: Final = 4
"""Words of 'in reverse alphabetical order'."""
_ORDER_ENDS: Final = frozenset({"and", "then", "in", "from", ",", ".", "?", ";"}) | _ORDER_WORDS


def put_in_order(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'customers returned alphabetically' → 'customers sorted alphabetically'.

    Before 'by' a column has to follow: 'films returned by price' are sorted, 'by customers' they are not.
    """
    found: list[Token] = []
    for at, token in enumerate(tokens):
        shown = at and token.lower in _SHOWN_PARTICIPLES
        if not shown or not (_says_order(tokens, at + 1) or _by_column(tokens, at + 1, index)):
            found.append(token)
        elif _SORTING_WORDS.isdisjoint(t.lower for t in tokens[:at]):
            found.append(replace(new_tokens.word("sorted", token), lemma="sort"))
        elif found[-1].lower == ",":
            found.pop()  # 'sorted by price, returned in descending order'
    return tuple(found)


def _says_order(tokens: tuple[Token, ...], at: int) -> bool:
    said = [token.lower for token in tokens[at : at + _MAX_ORDER_WORDS + 1]]
    if said[:1] != ["in"]:
        return bool(_ORDER_ADVERBS & {*said[:1]})
    order = said.index("order") if "order" in said else 0
    return order > 0 and bool(_ORDER_WORDS & {*said[1:order]})


def _by_column(tokens: tuple[Token, ...], at: int, index: SchemaIndex) -> bool:
    if at >= len(tokens) or tokens[at].lower != "by":
        return False
    start = at + 1
    while start < len(tokens) and tokens[start].lower in new_tokens.ARTICLES:
        start += 1
    end = start
    while end < len(tokens) and tokens[end].lower not in _ORDER_ENDS:
        end += 1
    words = {token.lemma for token in tokens[start:end]}
    return bool(words) and any(words <= {*column.full} and not column.key for column in index.columns)
