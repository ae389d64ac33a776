"""What the rows of a table are, as their names say it: 'bookshops', where many are called '… Bookshop'.

Owns: such a plural is a mention of the table, and no text to look for in its names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from askwire.language.text import Token, singular, stem
from askwire.planner.embedded.linking.linker import Mention
from askwire.planner.embedded.linking.options import Option
from askwire.planner.embedded.linking.value_reads import Hit
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_LEAST: Final = 3
"""Names that end in the words."""
_WORTH: Final = 0.85
"""Worth of a table that is named so: less than of its own name."""
_PART: Final = 0.65
"""The quality up to which a value only holds the words."""


def with_kinds(
    index: SchemaIndex, tokens: Sequence[Token], mentions: Sequence[Mention], hits: Sequence[Hit]
) -> tuple[Sequence[Mention], Sequence[Hit]]:
    """The mentions and values, with a table for each plural in which the names of its rows end."""
    spans: dict[tuple[int, int], dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for hit in hits:
        if hit.quality <= _PART and _is_name(index, hit.column) and _ends_in(tokens, hit):
            spans[hit.start, hit.end][hit.column].add(hit.stored)
    for (start, end), columns in spans.items():
        column = max(columns, key=lambda c: len(columns[c]))
        here = set(range(start, end))
        whole = any(h.quality > _PART and here & {*range(h.start, h.end)} for h in hits)
        named = any(m.best > _WORTH and here & {*range(m.start, m.end)} for m in mentions)
        if len(columns[column]) < _LEAST or whole or named:
            continue
        words = tuple(t.lemma for t in tokens[start:end])
        told = Mention(start, end, (Option(True, index.columns[column].table, _WORTH),), words)
        mentions = [*(m for m in mentions if not here & {*range(m.start, m.end)}), told]
        hits = [h for h in hits if not here & {*range(h.start, h.end)}]
    return mentions, hits


def _is_name(index: SchemaIndex, column: int) -> bool:
    return index.labels[index.columns[column].table] == (column,)


def _ends_in(tokens: Sequence[Token], hit: Hit) -> bool:
    """Whether a name ends in words said in the plural: 'Lomax Literary Agency' in 'literary agencies'."""
    last = tokens[hit.end - 1]
    if (
        last.kind != "word"
        or last.lower == last.lemma
        or any(t.text[0].isupper() for t in tokens[hit.start : hit.end])
    ):
        return False
    said = [stem(t.lemma) for t in tokens[hit.start : hit.end]]
    held = [stem(singular(w)) for w in re.findall(r"[^\W_]+", hit.stored.lower())]
    return len(held) > len(said) and held[-len(said) :] == said
