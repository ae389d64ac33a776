"""Keys: columns whose values tell the rows of a table apart, and the plausible one among several.

Owns: which columns are proven unique, and which of them is the primary key.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from askwire.files.findings.model import Evidence, Finding, Grade, Kind
from askwire.files.findings.names import EXACT, FAIR, STRONG, ownership
from askwire.files.findings.statistics import Column, Reader, Table
from askwire.language.text import listed

MAX_PROVED_COLUMNS: Final = 8
"""Columns of a table whose values are counted to prove that they are unique."""
_MIN_DISTINCT_SHARE: Final = 0.9
"""Share of different values, by the statistics of a sample, from which a proof is worth its time."""
_MAX_KEY_COLUMNS: Final = 4
_PART_WORDS: Final = frozenset(
    listed("date day month year quarter week time line sequence seq position rank version")
)
"""Words of columns that tell apart what belongs to one thing."""

MIN_PRIMARY_KEY_SCORE: Final = 0.9
_MIN_LIKELY_SCORE: Final = 0.5


@dataclass(frozen=True)
class Unique:
    """A column without nulls and without repeated values; `score` says how plausible it is as the key."""

    table: Table
    column: Column
    score: float


def unique_columns(table: Table, reader: Reader) -> tuple[Unique, ...]:
    """The columns of a table that are proven to tell its rows apart, the most plausible key first."""
    if not table.rows or not table.counted:
        return ()
    given = {k[0] for k in (table.primary_key, *table.unique_keys) if len(k) == 1}
    may_be = [c for c in table.columns if c.family and c.filled == table.rows and _differs(c, table)]
    if table.sampled:
        # counting a million different remarks proves what is of no use
        may_be = [c for c in may_be if plausible(table, c) >= _MIN_LIKELY_SCORE or c.name in given]
    found = []
    proofs = 0
    for column in sorted(may_be, key=lambda c: (-plausible(table, c), c.position)):
        score = plausible(table, column)
        if column.name not in given and table.sampled:
            if proofs >= MAX_PROVED_COLUMNS:
                reader.budget.say(
                    f"Table {table.name}: {MAX_PROVED_COLUMNS} columns were examined as keys; "
                    "further ones were not."
                )
                break
            proofs += 1
        if column.name in given or _is_unique(table, (column,), reader):
            found.append(Unique(table, column, score))
    return tuple(found)


def _differs(column: Column, table: Table) -> bool:
    """Whether statistics leave it possible that no value is repeated."""
    least = table.rows * _MIN_DISTINCT_SHARE if table.sampled else table.rows
    return column.distinct >= least


def plausible(table: Table, column: Column) -> float:
    """How plausible a unique column is as the primary key by its name and place, 0 to 1."""
    name, first = column.spoken, column.position == 0
    if column.family == "float":
        return 0.1
    owned = ownership(name, table.spoken) if name.keyed or name.glued_id else 0.0
    if owned:
        return 1.0 if owned == EXACT else 0.95 if first else 0.7
    if name.keyed:
        return MIN_PRIMARY_KEY_SCORE if first else _MIN_LIKELY_SCORE
    if first:
        return 0.6 if name.glued != table.spoken.glued else 0.8
    return _MIN_LIKELY_SCORE if name.glued_id else 0.2


def _is_unique(table: Table, columns: Sequence[Column], reader: Reader) -> bool:
    """Whether no two rows agree in all the columns, by all rows."""
    if len(columns) == 1 and not table.sampled:
        return columns[0].distinct >= table.rows  # ANALYZE has read all rows
    names = ", ".join(c.quoted for c in columns)
    sql = f"SELECT 1 FROM {table.quoted} GROUP BY {names} HAVING count(*) > 1 LIMIT 1"
    return reader.rows(table.name, sql) == []


def primary_key(
    table: Table,
    unique: Sequence[Unique],
    referring: Mapping[str, float],
    referred: Collection[str],
    reader: Reader,
) -> Finding | None:
    """The primary key of a table.

    `referring` are columns that refer to other tables, with the fit of their names; `referred` are columns
    that others refer to.
    """
    if table.primary_key:
        return _finding(table, table.primary_key, Grade.CERTAIN, declared=True)
    scored = []
    for one in unique:
        name, score = one.column.name, one.score
        if name in referred:
            score = max(
                score,
                MIN_PRIMARY_KEY_SCORE if one.column.position == 0 or score >= _MIN_LIKELY_SCORE else 0.7,
            )
        if referring.get(name, 0.0) >= STRONG and score < 1.0:
            score = min(score, 0.7 if one.column.position == 0 else 0.4)
        scored.append((score, one))
    best = max(scored, key=lambda s: (s[0], -s[1].column.position), default=None)
    if best is not None and best[0] >= MIN_PRIMARY_KEY_SCORE:
        return _finding(table, (best[1].column.name,), Grade.CERTAIN)
    composed = _composite(table, referring, reader)
    if composed is not None:
        return composed
    if best is not None and best[0] >= _MIN_LIKELY_SCORE:
        return _finding(table, (best[1].column.name,), Grade.LIKELY)
    return None


def _finding(table: Table, columns: tuple[str, ...], grade: Grade, *, declared: bool = False) -> Finding:
    evidence = Evidence(table.rows, distinct=table.rows)
    return Finding(Kind.PRIMARY_KEY, grade, table.name, columns, evidence, declared=declared)


def _composite(table: Table, referring: Mapping[str, float], reader: Reader) -> Finding | None:
    """A key of several columns: the references that a table begins with, or key-like columns it begins with.

    The columns that make a key stand in front: that makes few sets to count, and none of them by accident.
    """
    if not table.rows or not table.counted:
        return None
    leading = []
    for column in table.columns[:_MAX_KEY_COLUMNS]:
        if not _may_be_part(column, table, referring):
            break
        leading.append(column)
    refers = 0
    while refers < len(leading) and referring.get(leading[refers].name, 0.0) >= FAIR:
        refers += 1
    if refers > 1 and _are_unique(table, leading[:refers], reader):
        return _finding(table, tuple(c.name for c in leading[:refers]), Grade.CERTAIN)
    if not any(c.name in referring or c.spoken.keyed for c in leading):
        return None
    for size in range(2, len(leading) + 1):
        if _are_unique(table, leading[:size], reader):
            return _finding(table, tuple(c.name for c in leading[:size]), Grade.LIKELY)
    return None


def _may_be_part(column: Column, table: Table, referring: Mapping[str, float]) -> bool:
    """Whether a column may belong to a key of several: a reference, a code, a number of a line, a date."""
    if column.filled < table.rows:
        return False
    if column.category == "D":
        return True
    named = column.spoken.keyed or column.spoken.glued_id or bool(_PART_WORDS & set(column.spoken.words))
    return column.name in referring or (bool(column.family) and column.family != "float" and named)


def _are_unique(table: Table, columns: Sequence[Column], reader: Reader) -> bool:
    """The same as `_is_unique` for several columns, those that cannot be by their counts left out."""
    product = 1.0
    for column in columns:
        product *= max(column.distinct, 1.0)
    return product >= table.rows * _MIN_DISTINCT_SHARE and _is_unique(table, columns, reader)
