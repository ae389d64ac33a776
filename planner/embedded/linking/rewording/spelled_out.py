"""Wishes that codes be shown by what they mean: 'by channel, in words', 'the description, not the code'.

Owns: such phrases, which are left out. They are read where a table of the schema explains codes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from askwire.language.text import Token
from askwire.planner.embedded.linking.rewording import new_tokens
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_SHOWING_VERB: Final = (
    r"(?:(?:please |and |, ){0,3}(?:show|give|display|print|use|list|with|write|spell)(?:ing)?(?: me)? )"
)
_DETERMINER: Final = r"(?:the |its |their )"
_IN_FULL_WORDS: Final = (
    r"(?:(?:as |by )?(?:in (?:plain |full )?words|in full|spelled out|spelt out|written out|out in full))"
)
_TEXT_NOUN: Final = r"(?:(?:full |long )?(?:name|description|text|label|meaning)s?)"
_INSTEAD_OF: Final = r"(?:(?:and |but )?(?:not|instead of|rather than|no) (?:just |only )?)"
_NOT_CODES: Final = rf"(?:,? ?{_INSTEAD_OF}{_DETERMINER}{{0,3}}(?:bare |raw )?codes?)"


class Wish(NamedTuple):
    """The columns whose codes are shown by what they mean; `firm` where a code must be shown."""

    columns: frozenset[int] = frozenset()
    firm: bool = False


NO_WISH: Final = Wish()


def spelled_out(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[tuple[Token, ...], Wish]:
    """The tokens without the wish, and the wish.

    'orders by channel (show the channel's name)' → 'orders by channel', and the columns with codes.
    """
    wish = NO_WISH
    if not index.code_lists:
        return tokens, wish
    coded = sorted({words for n in index.code_lists for words in _called(index, n)}, key=len, reverse=True)
    for firm, pattern in _patterns(tuple(coded)):
        while (found := pattern.search(line := new_tokens.line(tokens))) is not None:
            start, end = line.count(" ", 0, found.start()), line.count(" ", 0, found.end()) + 1
            said = found["of"]
            elsewhere = line[: found.start()] + line[found.end() :]
            kept: tuple[Token, ...] = ()
            if said and not re.search(rf"(?<!\S){re.escape(said)}(?!\S)", elsewhere):
                first = line.count(" ", 0, found.start("of"))
                kept = tokens[first : first + len(said.split())]
            tokens = new_tokens.closed_up(tokens, start, end, kept)
            wish = Wish(frozenset(index.code_lists), firm or wish.firm)
    return tokens, wish


def _called(index: SchemaIndex, number: int) -> Iterator[str]:
    """What a question calls a coded column, as one thing and as several."""
    entry = index.columns[number]
    for words in {entry.full, entry.words, tuple(w for w in entry.full if w != "code")}:
        if words:
            one = " ".join(words)
            yield from (one, one[:-1] + "ies" if one.endswith("y") else one + "s", one + "es")


@lru_cache(maxsize=16)
def _patterns(coded: tuple[str, ...]) -> tuple[tuple[bool, re.Pattern[str]], ...]:
    """The phrases, each with whether it is about codes for certain: a 'status name' may be compared."""
    of = rf"(?P<of>{'|'.join(map(re.escape, coded))})"
    phrases = (
        (True, rf"(?:, )?{_SHOWING_VERB}?{_DETERMINER}{{0,3}}(?:{of}(?: 's)? )?{_IN_FULL_WORDS}(?: please)?"),
        (True, rf"(?:, )?{_SHOWING_VERB}?{_DETERMINER}{{0,3}}(?:{of}(?: 's)? )?{_TEXT_NOUN} {_NOT_CODES}"),
        (True, rf"(?:, )?(?:please )?(?:write|spell) out {_DETERMINER}{{0,2}}{of}(?: please)?"),
        (True, rf"(?P<of>(?!)x)?(?:, )?{_NOT_CODES}"),
        (False, rf"(?:, )?{_SHOWING_VERB}?{_DETERMINER}{{0,3}}{of}(?: 's)? {_TEXT_NOUN}"),
        (False, rf"(?:, )?{_SHOWING_VERB}?{_DETERMINER}{{0,3}}{_TEXT_NOUN} of {_DETERMINER}{{0,3}}{of}"),
    )
    return tuple((firm, re.compile(rf"(?<!\S)(?:{phrase})(?!\S)")) for firm, phrase in phrases)
