"""Names that are told by all their words together, said in full.

'oil and gas' names oil_and_gas, not two things, 'US gross' names us_gross, and 'on display' on_display. So
does 'hours per week' name hoursperweek.

Owns: finding such names in a question.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from askwire.language.text import Token, singular
from askwire.planner.embedded.linking.options import Option
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_INNER: Final = frozenset({"per", "on", "in", "of", "at", "by", "to", "for"})
"""Words by which two others are one name, and a name of its own with what stands behind."""
_MAX_NAME_WORDS: Final = 5
_WRITTEN: Final = {"&": "and", "u.s.": "us", "i.t.": "it"}
_MIN_FREE_WORDS: Final = 3
"""Words from which on a name said in full is meant, whatever one of them says: '2 weeks on top'."""


def conjoined_names(
    tokens: Sequence[Token], closed: Set[int], index: SchemaIndex
) -> list[tuple[int, int, tuple[Option, ...]]]:
    """Where tokens spell such a name: start, end (exclusive), and the elements of that name, tables first."""
    if not (index.conjoined or index.unparted):
        return []
    said = [_WRITTEN.get(token.lower, singular(token.lower)) for token in tokens]
    found = []
    for start, first in enumerate(said):
        named: dict[int, list[Option]] = {}
        for words, table, number in index.conjoined.get(first, ()):
            end = start + len(words)
            free = len(words) >= _MIN_FREE_WORDS or _is_free(said, closed, start, end)
            if free and tuple(said[start:end]) == words:
                named.setdefault(end, []).append(Option(table, number, 1.0))
        for end in range(start + 2, min(len(said), start + _MAX_NAME_WORDS) + 1):
            spelled = [token.lower for token in tokens[start:end]]
            if not _INNER.isdisjoint(spelled) and _is_free(said, closed, start, end):
                columns = index.unparted.get("".join(spelled), ())
                named.setdefault(end, []).extend(Option(False, number, 1.0) for number in columns)
        named = {end: options for end, options in named.items() if options}
        if named:
            longest = max(named)
            found.append((start, longest, tuple(named[longest])))
    return found


def _is_free(said: Sequence[str], closed: Set[int], start: int, end: int) -> bool:
    """Whether no word has another place; the week of 'hours per week' is then no unit of its own."""
    return "per" in said[start:end] or closed.isdisjoint(range(start, end))
