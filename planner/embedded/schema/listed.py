"""Columns of text that hold lists: 'Comedies, Dramas' in one cell, and what stands between the elements.

Owns: how lists are told from sentences, addresses and names, and one short look at such columns when a
catalog is new. Only what stands between elements is kept, no value.

    country = 'United States, India' beside 'India' and 'India, France' → ', '
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from askwire.core.protocols import Executor
from askwire.planner.embedded.schema.looks import (
    MAX_SHORT_BYTES,
    SEARCHED_ROWS,
    Look,
    classify_columns,
    table_of,
)
from askwire.sql.catalog import Column, Relation
from askwire.sql.literals import quote_identifier, quote_literal
from askwire.sql.safety.probes import quiet

SEPARATORS: Final = ("; ", ";", " | ", "|", ", ", ",")
"""What may stand between elements, tried in this order."""
SAMPLED_VALUES: Final = 2000
"""Values of one column that are looked at."""
MAX_COLUMNS: Final = 10
_MIN_LISTS: Final = 4
_MIN_LIST_SHARE: Final = 0.03
"""Of the values that are seen those that must be lists."""
_MAX_ELEMENT_WORDS: Final = 5
_MAX_ELEMENT_LETTERS: Final = 40
"""The most of an element; a sentence has more."""
_MAX_LONG_SHARE: Final = 0.1
"""Elements that may be longer."""
_MIN_MOVED_ELEMENTS: Final = 3
"""Elements that must stand first in one list, or alone, and behind others in another."""
_MIN_EXCHANGED_SHARE: Final = 0.15
_MIN_SHARE_OF_PAIRS: Final = 0.5
"""Of the fewer of both: 'Austin, Texas' has no element that does, 'Smith, James' hardly any."""
_PAIR_ELEMENTS: Final = 2
_MIN_SHARE_OF_NAMES: Final = 0.08
_MIN_EXCHANGED_NAMES: Final = 8
_MIN_LAST_SHARE: Final = 0.5
"""Lists of names share few, and end in ever other names; addresses end in the same few places."""


def as_array(name: str, between: str) -> str:
    """SQL of the elements of a list as an array, of a column by its `name` in SQL."""
    return f"string_to_array({name}, {quote_literal(between)})"


Lists = Mapping[tuple[int, str], str]
"""(OID of the relation, name of the column) → what stands between the elements of its lists."""


def separator(values: Iterable[str]) -> str:
    """What stands between the elements of lists among `values`; '' where they are none."""
    seen = list(dict.fromkeys(v.strip() for v in values if v.strip()))
    return next((s for s in SEPARATORS if _are_lists(seen, s)), "")


def _are_lists(values: Sequence[str], between: str) -> bool:
    parts = [v.split(between) for v in values]
    lists = [p for p in parts if len(p) > 1]
    if len(lists) < max(_MIN_LISTS, _MIN_LIST_SHARE * len(values)):
        return False
    if between == "," and any(v.count(", ") for v in values):
        return False  # what is written in both ways cannot be taken apart by either
    elements = [e.strip() for p in lists for e in p]
    long = sum(len(e) > _MAX_ELEMENT_LETTERS or len(e.split()) > _MAX_ELEMENT_WORDS for e in elements)
    if long > _MAX_LONG_SHARE * len(elements) or not any(c.isalpha() for e in elements for c in e):
        return False
    first = {p[0].strip().lower() for p in parts}
    behind = {e.strip().lower() for p in lists for e in p[1:]}
    exchanged = len((first & behind) - {""})
    if exchanged < _MIN_MOVED_ELEMENTS:
        return False
    fewer = min(len(first), len(behind))
    many = Counter(map(len, parts))
    if (
        exchanged
        >= (_MIN_SHARE_OF_PAIRS if many.keys() <= {_PAIR_ELEMENTS} else _MIN_EXCHANGED_SHARE) * fewer
    ):
        return True
    last = {p[-1].strip().lower() for p in lists}
    of_names = len(many) > _PAIR_ELEMENTS and 1 in many and len(last) >= _MIN_LAST_SHARE * len(lists)
    return of_names and exchanged >= max(_MIN_EXCHANGED_NAMES, _MIN_SHARE_OF_NAMES * fewer)


def may_hold_lists(column: Column) -> bool:
    """Whether what statistics know of a column of text lets expect lists."""
    if column.category != "S" or column.within or column.values_off:
        return False
    return any(s.strip() in v for v in column.common_values for s in SEPARATORS)


@dataclass(frozen=True, slots=True)
class ListColumns:
    """The columns of one relation that may hold lists: `known` by statistics, `unknown` to be looked at."""

    known: tuple[tuple[str, str], ...]
    unknown: tuple[Column, ...]

    @classmethod
    def of(cls, relation: Relation) -> ListColumns:
        """Those of one relation. Views are not to be read, for they may be dear."""
        keys = {*relation.primary_key, *(name for key in relation.foreign_keys for name in key.columns)}
        likely = [c for c in relation.columns if c.name not in keys and may_hold_lists(c)]
        found = {c.name: separator(c.common_values) for c in likely}
        readable = relation.kind in "rpm" and not relation.partition_of and quiet(relation)
        return cls(
            tuple((name, between) for name, between in found.items() if between),
            tuple(c for c in likely if readable and not found[c.name]),
        )


def known_lists(found: Iterable[tuple[Relation, ListColumns]]) -> dict[tuple[int, str], str]:
    """What statistics tell, without a read."""
    return {(relation.oid, name): between for relation, seen in found for name, between in seen.known}


async def read_lists(
    executor: Executor, columns: Sequence[tuple[Relation, ListColumns]]
) -> tuple[dict[tuple[int, str], str], frozenset[int]]:
    """`known_lists`, and what some values tell of columns whose common values hold separators.

    At most `MAX_COLUMNS` columns are read, of the first `looks.SEARCHED_ROWS` rows of a table. Beside it the
    relations (OIDs) of which something could not be read.
    """
    unknown = list(islice(((r, c) for r, seen in columns for c in seen.unknown), MAX_COLUMNS))
    read, missed = await classify_columns(executor, unknown, _some, separator, values=SAMPLED_VALUES)
    return known_lists(columns) | read, missed


def _some(relation: Relation, column: Column) -> Look:
    name = quote_identifier(column.name)
    rows = f"(SELECT {name} AS c FROM {table_of(relation)} LIMIT {SEARCHED_ROWS}) AS first"
    short = f"pg_catalog.pg_column_size(c) OPERATOR(pg_catalog.<) {MAX_SHORT_BYTES}"
    return Look(
        f"SELECT DISTINCT c::pg_catalog.text AS v FROM {rows} WHERE {short} LIMIT {SAMPLED_VALUES}",
        (relation.oid,),
    )
