"""'The number and the date of each invoice' as its invoice number: which number is meant, and not how many.

Owns: tokens → tokens, where the schema keeps such a number of what is spoken of.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from askwire.language.text import GROUPING, Token, listed
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_NUMBERS: Final = frozenset({"number", "no", "num", "nr"})
_DETERMINERS: Final = frozenset(listed("the a an all every each this that its their any these those"))
_REQUESTS: Final = frozenset(
    listed("the show list give find return display get me and , their with including")
)
_MAX_TOKENS_BEHIND: Final = 8
"""Tokens behind the number up to which what is numbered may stand."""
_PHRASE_ENDS: Final = frozenset(listed(". ? ! ; who which that whose where with in for per"))


def by_number(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """The tokens with 'number' as the name of the column that holds it.

    So it is before 'and' and another of its columns ('the number and status of the order'), and in the plural
    before all of them ('the numbers of all flights').
    """
    found = list(tokens)
    grouped = any(t.lower in GROUPING for t in tokens)
    for at in reversed(range(1, len(tokens))):
        said = tokens[at]
        if said.lower not in {"number", "numbers"} or tokens[at - 1].lower not in _REQUESTS:
            continue
        behind = [t.lower for t in tokens[at + 1 : at + 3]]
        listing = behind[:1] in (["and"], [","])
        of_all = behind in (["of", "all"], ["of", "the"], ["of", "these"], ["of", "those"])
        if not listing and not (said.lower == "numbers" and of_all and not grouped):
            continue
        name = _name(tokens, at, index)
        if name:
            found[at : at + 1] = [replace(said, text=word, lower=word, lemma=word) for word in name]
    return tuple(found)


def _name(tokens: tuple[Token, ...], at: int, index: SchemaIndex) -> tuple[str, ...]:
    """The words of the column that numbers the rows of the table behind 'of'; () for none, or several."""
    place = at + 1
    while place < min(len(tokens), at + _MAX_TOKENS_BEHIND) and tokens[place].lower != "of":
        if tokens[place].lower in _PHRASE_ENDS:
            return ()
        place += 1
    place += 1
    while place < len(tokens) and tokens[place].lower in _DETERMINERS:
        place += 1
    if place >= len(tokens) or tokens[place].lemma not in index.by_word:
        return ()
    named = [t for t in index.tables if t.role is None and t.words == (tokens[place].lemma,)]
    names = {
        index.columns[c].full
        for table in named
        for c in table.columns
        if len(index.columns[c].full) > 1
        and index.columns[c].full[-1] in _NUMBERS
        and {*index.columns[c].full[:-1]} <= {*table.words}
    }
    return next(iter(names)) if len(names) == 1 else ()
