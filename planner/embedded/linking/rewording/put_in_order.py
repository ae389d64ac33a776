"""Ways to say that rows are sorted: 'returned alphabetically', 'shown in descending order', 'given by price'.

Owns: tokens → tokens, with 'sorted' for a participle that says how rows are shown, and no state of theirs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from askwire.language.text import Token, listed
from askwire.planner.embedded.linking.rewording import new_tokens
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_SHOWN: Final = frozenset(
    listed("returned arranged listed shown displayed presented printed given organized organised")
)
_WAYS: Final = frozenset(
    listed("alphabetically chronologically numerically lexicographically ascending descending asc desc")
)
_ORDERS: Final = _WAYS | frozenset(
    listed("alphabetical chronological numerical lexicographical increasing decreasing reverse")
)
_SORTED: Final = frozenset({"sorted", "sort", "ordered", "order", "by"})
_ARTICLES: Final = new_tokens.ARTICLES | {"their", "its"}
_MAX_WORDS: Final = 4
"""Words of 'in reverse alphabetical order'."""
_BEHIND: Final = frozenset({"and", "then", "in", "from", ",", ".", "?", ";"}) | _ORDERS


def put_in_order(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'customers returned alphabetically' → 'customers sorted alphabetically'.

    Before 'by' a column has to follow: 'films returned by price' are sorted, 'by customers' they are not.
    """
    found: list[Token] = []
    for at, token in enumerate(tokens):
        shown = at and token.lower in _SHOWN
        if not shown or not (_says_order(tokens, at + 1) or _by_column(tokens, at + 1, index)):
            found.append(token)
        elif _SORTED.isdisjoint(t.lower for t in tokens[:at]):
            found.append(replace(new_tokens.word("sorted", token), lemma="sort"))
        elif found[-1].lower == ",":
            found.pop()  # 'sorted by price, returned in descending order'
    return tuple(found)


def _says_order(tokens: tuple[Token, ...], at: int) -> bool:
    said = [token.lower for token in tokens[at : at + _MAX_WORDS + 1]]
    if said[:1] != ["in"]:
        return bool(_WAYS & {*said[:1]})
    order = said.index("order") if "order" in said else 0
    return order > 0 and bool(_ORDERS & {*said[1:order]})


def _by_column(tokens: tuple[Token, ...], at: int, index: SchemaIndex) -> bool:
    if at >= len(tokens) or tokens[at].lower != "by":
        return False
    start = at + 1
    while start < len(tokens) and tokens[start].lower in _ARTICLES:
        start += 1
    end = start
    while end < len(tokens) and tokens[end].lower not in _BEHIND:
        end += 1
    words = {token.lemma for token in tokens[start:end]}
    return bool(words) and any(words <= {*column.full} and not column.key for column in index.columns)
