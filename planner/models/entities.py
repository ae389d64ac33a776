"""Which of the values that a question's words were found in are things that the question names.

A look-up finds much: 'countries' in 'Nordic Countries', 'courses' in a whole sentence. What a model is told
costs it attention, so only entities are: values that the words are, and parts of values where the words are
a name. Owns: that choice and its order. Must not know: how values are found, or how they are told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from askwire.language.text import Token, tokenize
from askwire.planner.embedded.linking.linker import Mention
from askwire.planner.embedded.linking.value_reads import Hit

PER_PHRASE: Final = 3
"""Values told of one phrase."""
_COLUMNS: Final = 2
"""Columns told of that hold one value."""
_LONG: Final = 60
"""Characters from which on a value that holds the words is a text about them."""
_NAMED: Final = 0.45
"""From this score on words may name a relation or column."""
_CALLED: Final = 0.9
"""From this score on they are its name, and no value beside."""


def entities(hits: Sequence[Hit], mentions: Iterable[Mention], tokens: Sequence[Token]) -> list[Hit]:
    """The hits worth telling, the surest first."""
    named: dict[int, float] = {}
    for mention in mentions:
        for at in range(mention.start, mention.end):
            named[at] = max(named.get(at, 0.0), mention.best)
    spans: dict[tuple[int, int], list[Hit]] = defaultdict(list)
    for hit in hits:
        spans[hit.start, hit.end].append(hit)
    kept: list[tuple[tuple[float, ...], Hit]] = []
    taken: list[tuple[int, int]] = []
    for (start, end), found in sorted(spans.items(), key=lambda item: item[0][0] - item[0][1]):
        if any(start >= a and end <= b for a, b in taken):
            continue  # words of a longer name
        said = tokens[start:end]
        as_schema = min(named.get(at, 0.0) for at in range(start, end))
        is_name = _is_name(said, first=start == 0)
        if all(token.kind == "number" for token in said) or (as_schema >= _CALLED and not is_name):
            continue
        whole = [hit for hit in found if _is_whole(said, hit)]
        if whole:
            taken.append((start, end))
        elif not is_name or as_schema >= _NAMED:
            continue
        else:
            whole = [hit for hit in found if len(hit.stored) <= _LONG]
        values = dict.fromkeys(hit.stored.casefold() for hit in whole)
        if len(values) > PER_PHRASE and not any(_is_whole(said, hit) for hit in whole):
            continue  # a word of many values is no name of one
        columns: dict[str, int] = defaultdict(int)
        for hit in sorted(whole, key=lambda hit: -hit.quality):
            value = hit.stored.casefold()
            columns[value] += 1
            if columns[value] <= _COLUMNS and len(columns) <= PER_PHRASE:
                kept.append(((-hit.quality, len(values), start - end, start), hit))
    return [hit for _, hit in sorted(kept, key=lambda one: one[0])]


def _is_whole(said: Sequence[Token], hit: Hit) -> bool:
    """Whether the words are the value, whatever their case, number and spaces."""
    stored = tokenize(hit.stored)
    return [t.lemma for t in said] == [t.lemma for t in stored] or (
        "".join(t.lower for t in said) == "".join(t.lower for t in stored)
    )


def _is_name(said: Sequence[Token], *, first: bool) -> bool:
    """Whether words are written as a name: quoted, with a digit, or with a capital inside a sentence."""
    if any(token.kind in ("quoted", "number") for token in said):
        return True
    words = said[1:] if first else said
    return any(token.text[:1].isupper() for token in words)
