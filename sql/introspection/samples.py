"""What statistics would tell of tables that were never analyzed, taken from their first rows.

PostgreSQL analyzes a table by itself once about fifty of its rows have changed: small tables of codes and
names never, restored ones only later. Owns: which tables these are, the statement that reads some rows of
one, and what `STATISTICS` would tell of them. Pure: the rows come from anyone who has a connection.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from askwire.core.types import Cell
from askwire.sql.catalog import PLAIN_NUMBER
from askwire.sql.literals import quote_identifier
from askwire.sql.private_values import is_off

SAMPLED_ROWS: Final = 1000
"""Rows that are read of a table at the most; of one that has fewer all is known."""
MAX_SAMPLED_TABLES: Final = 60
"""Tables of which rows are read; those on the search path go first."""
_SAMPLED_KINDS: Final = frozenset({"r", "m"})
_SAMPLED_TYPE_CATEGORIES: Final = frozenset("NSDB")
_FIRST_USER_OID: Final = 16384
_WIDE_VALUE: Final = "\x01"
"""Stands for a value too wide to be read."""
_MAX_COUNTED_SHARE: Final = 0.1
"""Values are counted where they are a smaller share of the rows, and told as a share of them otherwise."""
_MAX_ALL_KEPT_VALUES: Final = 10
"""So few different values are all kept, though some stand on one row alone."""
_MAX_VALUES: Final = 100
_NUMBER: Final = re.compile(PLAIN_NUMBER)
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_MIN_NUMBERS: Final = 3


@dataclass(frozen=True, slots=True)
class SampledTable:
    """One table to be read, and the names of those of its columns whose types write plain text."""

    oid: int
    schema: str
    name: str
    columns: tuple[str, ...]

    @property
    def sql(self) -> str:
        """The statement that reads its first rows, every value as text, wide ones as a mark."""
        shown = ", ".join(_as_text(name) for name in self.columns)
        table = f"{quote_identifier(self.schema)}.{quote_identifier(self.name)}"
        return f"SELECT {shown} FROM {table} LIMIT {SAMPLED_ROWS}"

    def statistics(self, rows: Sequence[Sequence[Cell]]) -> str:
        """What `STATISTICS` tell of a table with these rows: its JSON array of columns."""
        told = []
        for place, name in enumerate(self.columns):
            values = [row[place] for row in rows]
            whole = len(rows) < SAMPLED_ROWS  # the first rows of more tell nothing of the last days
            told.append([name, False, *_of_column(values), _ends(values) if whole else None])
        return json.dumps(told)


def readable(
    oid: int, row: Sequence[Cell], columns: Sequence[Sequence[object]], values_off: Collection[str] = ()
) -> SampledTable | None:
    """The table of a row of `RELATIONS`, where nothing runs as it is read; None of other relations.

    `columns` are its parsed columns, of which those with `values_off` are not read. Views, partitions,
    foreign, temporary and empty tables, and what row-level security covers, are left alone.
    """
    _, schema, name, kind, estimated, _, _, secured, partition_of, *_ = row
    if (
        kind not in _SAMPLED_KINDS
        or secured == "t"
        or partition_of is not None
        or float(estimated or -1) == 0
    ):
        return None
    if (schema or "").startswith("pg_temp_"):
        return None  # a transaction that has read one of these can no longer be prepared
    plain = tuple(
        str(column)
        for _, column, _, type_oid, category, _, comment in columns
        if category in _SAMPLED_TYPE_CATEGORIES
        and int(str(type_oid)) < _FIRST_USER_OID
        and not is_off(schema or "", name or "", str(column), str(comment or ""), values_off)
    )
    return SampledTable(oid, schema or "", name or "", plain) if plain else None


def _as_text(name: str) -> str:
    column = quote_identifier(name)
    return (
        f"CASE WHEN {column} IS NULL THEN NULL "
        f"WHEN pg_catalog.pg_column_size({column}) OPERATOR(pg_catalog.<) 400 "
        f"THEN {column}::pg_catalog.text ELSE '{_WIDE_VALUE}' END"
    )


def _of_column(values: Sequence[Cell]) -> tuple[float, list[str] | None, float, bool]:
    """(n_distinct, most common values, null_frac, whether all are plain numbers), as pg_stats has them."""
    known = [v for v in values if v is not None]
    rows = len(values)
    if not known:
        return 0.0, None, 1.0 if rows else -1.0, False
    nulls = (rows - len(known)) / rows
    wide = known.count(_WIDE_VALUE)
    counts = Counter(v for v in known if v != _WIDE_VALUE)
    different = len(counts) + wide
    if different == len(known):
        distinct = -(1.0 - nulls)
    else:
        distinct = -different / rows if different > _MAX_COUNTED_SHARE * rows else float(different)
    common = [value for value, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    if distinct < 0 and different > _MAX_ALL_KEPT_VALUES:
        common = [value for value in common if counts[value] > 1]
    if wide or different == len(known):
        common = []
    return distinct, common[:_MAX_VALUES] or None, nulls, not wide and _are_numbers(counts.keys())


def _ends(values: Sequence[Cell]) -> list[str] | None:
    """The first and the last of values that are days or numbers; None of others."""
    known = [v for v in values if v]
    days = sorted(v for v in known if _DAY.match(v) and not v.endswith("BC"))
    ends = days or (sorted(known, key=float) if _are_numbers(known) else [])
    return [ends[0], ends[-1]] if ends else None


def _are_numbers(values: Collection[str]) -> bool:
    """Whether texts are plain numbers, at least three of them, but for an empty one."""
    said = [v for v in values if v]
    return len(said) >= _MIN_NUMBERS and all(_NUMBER.fullmatch(v) for v in said)
