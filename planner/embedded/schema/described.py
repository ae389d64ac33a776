"""Which column tells what the rows of a table are about: a description, a summary, else what they are called.

Owns: the order among such columns, and where nothing tells it.
"""

from __future__ import annotations

from typing import Final

from askwire.language.lexicon import TOLD_IN
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex

_CALLED: Final = frozenset({"title", "name", "headline", "caption", "heading"})


def described(index: SchemaIndex, table: int, *, outright: bool = False) -> int | None:
    """The column of texts that tells what the rows of a table are about, None where there is none.

    Unless it must tell so `outright`, a title or a name does where no other column does; of people none does.
    """
    entry = index.tables[table]
    texts = [c for c in map(index.columns.__getitem__, entry.columns) if _is_text(c)]
    # of `product_description` and `type_description` that of the table itself comes first
    texts.sort(key=lambda c: (not set(c.full[:-1]) <= set(entry.words), c.index))
    for word in TOLD_IN:
        told = next((c for c in texts if word in c.full[-1:]), None)
        if told is not None:
            return told.index
    label = index.labels[table]
    called = index.columns[label[0]] if len(label) == 1 else None
    if outright or entry.person or called is None or called not in texts:
        return None
    return called.index if called.full[-1] in _CALLED else None


def _is_text(column: ColumnEntry) -> bool:
    plain = column.kind == "text" and not (column.cast or column.dated or column.key or column.codes)
    return plain and not column.column.within
