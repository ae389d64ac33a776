"""Rows that are made up: a real row with some values changed, and what of its table they still keep to.

Owns: one such row, copies of it under other keys, the rows that foreign keys want beside it, and whether keys
stay unique and NOT NULL columns filled (`declared` looks at the rest). Every made-up row says that it is not
real.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final

from askwire.core.types import Cell, Row
from askwire.selector.instances.pool import RowPool
from askwire.selector.instances.references import Need, RowRef, RowSet, comparable
from askwire.selector.instances.synthetic.values import ordinary, other
from askwire.sql.catalog import ForeignKey, Relation
from askwire.sql.tracing.composite import read_row, write_row
from askwire.sql.tracing.identity import Source

MAX_ADDED_ROWS: Final = 8
"""Rows added at most for what foreign keys want."""


@dataclass(frozen=True, slots=True)
class MadeRow:
    """A row being made: the relation, its values, where it is from, and the columns that were changed."""

    of: Source
    cells: tuple[Cell, ...]
    origin: RowRef | None
    changed: frozenset[str] = frozenset()

    @property
    def relation(self) -> Relation:
        """The relation that it is a row of."""
        return self.of.relation

    def cell(self, column: str) -> Cell:
        """The value of a column."""
        return self.cells[self._position(column)]

    def _position(self, column: str) -> int:
        return next(i for i, c in enumerate(self.relation.columns) if c.name == column)

    def with_cell(self, column: str, value: Cell) -> MadeRow:
        """The row with one value changed."""
        return self.with_cells({column: value})

    def with_cells(self, values: Mapping[str, Cell]) -> MadeRow:
        """The row with some values changed."""
        columns = self.relation.columns
        cells = tuple(values.get(c.name, v) for c, v in zip(columns, self.cells, strict=True))
        changed = {c.name for c, v, w in zip(columns, cells, self.cells, strict=True) if v != w}
        return replace(self, cells=cells, changed=self.changed | changed) if changed else self

    def copy(self, number: int) -> MadeRow:
        """The row again under another key; without a key, an equal row."""
        copied = replace(self, origin=None)
        for column in reversed(self.of.key):
            value = other(self.relation.by_name[column], self.cell(column), 100 + number)
            if value is not None:
                return copied.with_cell(column, value)
        return replace(copied, changed=frozenset(c.name for c in self.relation.columns))


def real(pool: RowPool, of: Source, position: int) -> MadeRow:
    """The row at a position of the pool, as it is."""
    return MadeRow(of, read_row(pool.rows[of.number][position - 1]), (of.number, position))


def invented(of: Source) -> MadeRow:
    """A row of a relation of which none is known."""
    cells = tuple(ordinary(c) for c in of.relation.columns)
    return MadeRow(of, cells, None, frozenset(c.name for c in of.relation.columns))


def keep_to_keys(rows: Sequence[MadeRow]) -> bool:
    """Whether NOT NULL columns are filled and no two rows share a primary or unique key."""
    seen: set[tuple[int, tuple[str, ...], tuple[Cell, ...]]] = set()
    for row in rows:
        if any(c.not_null and v is None for c, v in zip(row.relation.columns, row.cells, strict=True)):
            return False
        for key in filter(None, (row.relation.primary_key, *row.relation.unique_keys)):
            if not all(c in row.relation.by_name for c in key):
                continue
            values = tuple(comparable(row.relation.by_name[c], row.cell(c)) for c in key)
            if None in values:
                continue
            if (row.of.number, key, values) in seen:
                return False
            seen.add((row.of.number, key, values))
    return True


def with_referenced(rows: Sequence[MadeRow], pool: RowPool) -> list[MadeRow] | None:
    """The rows with those that their foreign keys refer to: real ones where the pool has them, else made up.

    None where that would take many.
    """
    found = list(rows)
    sources = {of.number: of for of in pool.sources}
    for row in found:
        if len(found) > len(rows) + MAX_ADDED_ROWS:
            return None
        for key in row.relation.foreign_keys:
            target = sources.get(key.target)
            if target is None or not all(c in row.relation.by_name for c in key.columns):
                continue
            cells = [row.cell(c) for c in key.columns]
            wanted = tuple(map(comparable, (row.relation.by_name[c] for c in key.columns), cells))
            if None in wanted or any(_holds(r, key, wanted) for r in found):
                continue
            need = Need(key.target, key.target_columns, wanted)
            there = [r for r in pool.references.holding(need) if r not in pool.references.made]
            if there:
                found.append(real(pool, target, there[0][1]))
            elif row.origin is None or row.changed.intersection(key.columns):
                base = real(pool, target, 1) if pool.rows[target.number] else invented(target)
                found.append(base.with_cells(dict(zip(key.target_columns, cells, strict=True))))
    return found


def _holds(row: MadeRow, key: ForeignKey, wanted: Row) -> bool:
    if row.of.number != key.target:
        return False
    by_name = row.relation.by_name
    return wanted == tuple(comparable(by_name[c], row.cell(c)) for c in key.target_columns)


@dataclass
class RowPlacement:
    """Puts made-up rows into a pool; `changed` tells the made-up columns of each."""

    pool: RowPool
    changed: dict[RowRef, tuple[str, ...]] = field(default_factory=dict)
    _numbers: count[int] = field(default_factory=lambda: count(1))
    _known: dict[tuple[int, tuple[Cell, ...], int], RowRef] = field(default_factory=dict)

    def placed(self, rows: Sequence[MadeRow]) -> RowSet | None:
        """The row set with what foreign keys want in it; None where keys are not kept to."""
        whole = with_referenced(rows, self.pool)
        if whole is None or not keep_to_keys(whole):
            return None
        return self.pool.references.closed(self.place(whole))

    def place(self, rows: Sequence[MadeRow]) -> RowSet:
        """The row set; equal rows of several sets are placed once."""
        places: list[RowRef] = []
        seen: Counter[tuple[int, tuple[Cell, ...]]] = Counter()
        for row in rows:
            if row.origin is not None and not row.changed:
                places.append(row.origin)
                continue
            content = row.of.number, row.cells
            again = seen[content]
            seen[content] += 1
            known = self._known.get((*content, again))
            if known is None:
                token = row.of.number, f"made up {next(self._numbers)}"
                known = self.pool.add(token, write_row(row.cells))
                self.changed[known] = tuple(c.name for c in row.relation.columns if c.name in row.changed)
                self._known[*content, again] = known
                self.pool.references.made.add(known)
            places.append(known)
        return tuple(sorted(places))
