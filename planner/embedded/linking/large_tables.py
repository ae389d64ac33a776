"""Values of tables that are too large to be looked through for every word.

Owns: which of their columns are asked for which spellings. An index finds a value in a table of any size.
Without one the columns of a few million rows are compared with what is quoted or like a name. Letter case is
guessed instead of ignored, because an index of `name` does not serve `lower(name)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from askwire.planner.embedded.linking.value_reads import EQUAL, EQUAL_SHORT, ValueReader
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex

LONG_ROWS: Final = 20_000
"""Rows from which on comparing letter by letter, a tenth of the work, comes before ignoring letter case."""
MAX_INDEXED: Final = 80
"""Columns with an index that are asked for one question."""
MAX_COMPARED: Final = 3_000_000
"""Values compared without an index: some 0.4 s of PostgreSQL's time."""
_INDEXABLE: Final = frozenset({25, 1043})
"""OIDs of `text` and `varchar`; a text compared with `character(n)` would use no index."""
_TYPES: Final = _INDEXABLE | {1042}


def is_long(index: SchemaIndex, column: ColumnEntry) -> bool:
    """Whether a column of text has so many rows that its values are first compared as they are written."""
    return _is_plain(column) and _rows(index, column) > LONG_ROWS


async def compared(
    reader: ValueReader, columns: Sequence[ColumnEntry], said: Iterable[str]
) -> list[tuple[int, str]]:
    """(column, value) of what `columns` hold of the texts `said`, written in a usual letter case."""
    wanted = [c for c in columns if not _known_in_full(c)]
    return await reader.values(wanted, EQUAL_SHORT, _spelled(said))


def cases(said: str) -> tuple[str, ...]:
    """A text as it is written, and in the letter cases in which names and codes are stored."""
    words = said.split(" ")
    titled = " ".join(word[:1].upper() + word[1:] for word in words)
    return tuple(dict.fromkeys((said, titled, said[:1].upper() + said[1:], said.upper(), said.lower())))


async def held(
    reader: ValueReader,
    index: SchemaIndex,
    columns: Sequence[ColumnEntry],
    near: frozenset[int],
    said: Iterable[str],
    names: Iterable[str],
) -> list[tuple[int, str]]:
    """(column, value) of what `columns` hold of the texts `said`, written in any of their usual letter cases.

    `names` are those of them that are quoted or like names: for these alone are columns without an index
    compared, those of tables `near` (by index) first. Columns whose values statistics know in full are not
    read.
    """
    plain = [c for c in columns if _is_plain(c) and not _known_in_full(c)]
    indexed = [c for c in plain if _has_index(index, c)]
    spelled = _spelled(said)
    found: list[tuple[int, str]] = []
    if spelled and indexed:
        found += await reader.values(indexed[:MAX_INDEXED], EQUAL, spelled)
    told = [value.lower() for _, value in found]
    left = tuple(text for one in names if not any(one.lower() in t for t in told) for text in cases(one))
    if left:
        others = [c for c in plain if not _has_index(index, c)]
        found += await reader.values(_few(index, others, near), EQUAL_SHORT, left)
    return found


def _spelled(said: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for one in said for text in cases(one)))


def _is_plain(column: ColumnEntry) -> bool:
    told_apart = column.between or column.column.within
    return column.kind == "text" and column.column.type_oid in _TYPES and not told_apart


def _few(index: SchemaIndex, columns: Sequence[ColumnEntry], near: frozenset[int]) -> list[ColumnEntry]:
    """The columns that fit into `MAX_COMPARED`, those of tables that the question names first."""
    kept: list[ColumnEntry] = []
    compared = 0.0
    for column in sorted(columns, key=lambda c: (c.table not in near, _rows(index, c), c.index)):
        compared += _rows(index, column)
        if compared <= MAX_COMPARED:
            kept.append(column)
    return kept


def _rows(index: SchemaIndex, column: ColumnEntry) -> float:
    return max(0.0, index.tables[column.table].relation.estimated_rows)


def _has_index(index: SchemaIndex, column: ColumnEntry) -> bool:
    relation = index.tables[column.table].relation
    usable = column.column.type_oid in _INDEXABLE and not relation.inherited
    return usable and column.column.name in relation.indexed


def _known_in_full(column: ColumnEntry) -> bool:
    """Whether statistics hold each value of a column: of a state or a kind."""
    return 0 < column.column.distinct <= len(column.column.common_values)
