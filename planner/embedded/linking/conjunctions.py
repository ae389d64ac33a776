"""Names that are told by all their words together, said in full.

'oil and gas' names oil_and_gas, not two things, 'US gross' names us_gross, and 'on display' on_display.

Owns: finding such names in a question.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from askwire.language.text import Token, singular
from askwire.planner.embedded.linking.options import Option
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_WRITTEN: Final = {"&": "and", "u.s.": "us", "i.t.": "it"}


def conjoined_names(
    tokens: Sequence[Token], closed: Set[int], index: SchemaIndex
) -> list[tuple[int, int, tuple[Option, ...]]]:
    """Where tokens spell such a name: start, end (exclusive), and the elements of that name, tables first."""
    if not index.conjoined:
        return []
    said = [_WRITTEN.get(token.lower, singular(token.lower)) for token in tokens]
    found = []
    for start, first in enumerate(said):
        named: dict[int, list[Option]] = {}
        for words, table, number in index.conjoined.get(first, ()):
            end = start + len(words)
            if tuple(said[start:end]) == words and closed.isdisjoint(range(start, end)):
                named.setdefault(end, []).append(Option(table, number, 1.0))
        if named:
            longest = max(named)
            found.append((start, longest, tuple(named[longest])))
    return found
