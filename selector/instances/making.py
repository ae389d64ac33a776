"""Rows that are made up, to tell apart candidates that agree on all the data.

Owns: changing a few real rows at the boundaries of what the candidates compare: the constant and its
neighbours, NULL, another value, a duplicate, a key that matches nothing. Keys stay unique and NOT NULL
columns filled; other constraints are not looked at, and every such row says that it is not real. Must not
know: what the candidates answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, islice
from typing import Final

from askwire.core.types import Cell
from askwire.selector.instances.pool import RowPool, RowRef, RowSet
from askwire.selector.instances.values import near, ordinary, other
from askwire.sql.catalog import Relation
from askwire.sql.tracing.boundaries import boundaries, counts
from askwire.sql.tracing.composite import read_row, write_row
from askwire.sql.tracing.identity import Source
from askwire.sql.tracing.neighbours import links
from askwire.sql.tracing.traced import Traced

BASES: Final = 4
"""Real row sets that are changed."""
ROWS_CHANGED: Final = 6
"""Rows of a base that are changed in turn."""


@dataclass(frozen=True, slots=True)
class _Made:
    """A row being made: where it is from, and what was changed."""

    of: Source
    cells: tuple[Cell, ...]
    origin: RowRef | None
    changed: frozenset[str] = frozenset()

    @property
    def relation(self) -> Relation:
        return self.of.relation

    def cell(self, column: str) -> Cell:
        return self.cells[self._position(column)]

    def _position(self, column: str) -> int:
        return [c.name for c in self.relation.columns].index(column)

    def with_cell(self, column: str, value: Cell) -> _Made:
        """The row with one value changed."""
        position = self._position(column)
        if self.cells[position] == value:
            return self
        cells = (*self.cells[:position], value, *self.cells[position + 1 :])
        return replace(self, cells=cells, changed=self.changed | {column})


class Maker:
    """Makes row sets for one pair of candidates; `changed` tells the made-up columns of each made row."""

    def __init__(self, candidates: tuple[Traced, Traced], pool: RowPool) -> None:
        self._pool = pool
        self._sources = {of.number: of for of in pool.sources}
        # what only one of them compares with is where they part
        own = [boundaries(c.scopes) for c in candidates]
        self._boundaries = list(dict.fromkeys(chain(*own)))
        self._boundaries.sort(key=lambda b: all(b in side for side in own))
        self._counts = sorted(set(chain.from_iterable(counts(c.scopes) for c in candidates)))
        self._links = links([c.scopes for c in candidates], self._sources)
        self._used = {
            oid: sorted(set().union(*(c.scopes.used.get(oid, set()) for c in candidates)))
            for oid in self._sources
        }
        self._numbers = count(1)
        self.changed: dict[RowRef, tuple[str, ...]] = {}

    def sets(self, bases: Sequence[RowSet], limit: int) -> list[RowSet]:
        """Row sets with made-up rows, from some real ones; at most `limit`."""
        starts = [self._satisfying(), *([self._made(r) for r in base] for base in bases[:BASES])]
        starts += [[*start, *self._twins(start)] for start in starts[:2]]
        variants = [self._variants(start) for start in starts if start]
        found: dict[RowSet, None] = {}
        while variants and len(found) < limit:
            for variant in list(variants):
                rows = next(variant, None)
                if rows is None:
                    variants.remove(variant)
                elif self._keys_differ(rows):
                    found[self._placed(rows)] = None
        return list(islice(found, limit))

    def _made(self, ref: RowRef) -> _Made:
        return _Made(self._sources[ref[0]], read_row(self._pool.rows[ref[0]][ref[1] - 1]), ref)

    def _satisfying(self) -> list[_Made]:
        """One row of each relation, joined to each other and meeting the comparisons as far as that goes."""
        rows: dict[int, _Made] = {}
        for oid, of in self._sources.items():
            if self._pool.rows[oid]:
                rows[oid] = self._made((oid, 1))
            else:
                cells = tuple(ordinary(c) for c in of.relation.columns)
                rows[oid] = _Made(of, cells, None, frozenset(c.name for c in of.relation.columns))
        for oid, column, text in reversed(self._boundaries):
            value = next(near(rows[oid].relation.by_name[column], text), None)
            if value is not None:
                rows[oid] = rows[oid].with_cell(column, value)
        done: set[tuple[int, str]] = set()
        for link in self._links:
            if (link.other, link.other_column) not in done and link.oid != link.other:
                target = rows[link.other].relation.by_name[link.other_column]
                if target.type_oid == rows[link.oid].relation.by_name[link.column].type_oid:
                    joined = rows[link.oid].cell(link.column)
                    rows[link.other] = rows[link.other].with_cell(link.other_column, joined)
                    done |= {(link.other, link.other_column), (link.oid, link.column)}
        return list(rows.values())

    def _variants(self, rows: list[_Made]) -> Iterator[list[_Made]]:
        yield rows
        steps = [self._changes(rows, i) for i in range(min(len(rows), ROWS_CHANGED))]
        while steps:
            for step in list(steps):
                changed = next(step, None)
                if changed is None:
                    steps.remove(step)
                else:
                    yield changed

    def _changes(self, rows: list[_Made], i: int) -> Iterator[list[_Made]]:
        """The rows with one changed, or with changed copies of it beside it."""
        row = rows[i]

        def put(*instead: _Made) -> list[_Made]:
            return [*rows[:i], *instead, *rows[i + 1 :]]

        yield put(row, self._copy(row, 1))
        for oid, column, text in self._boundaries:
            if oid == row.of.number:
                for value in near(row.relation.by_name[column], text):
                    moved = row.with_cell(column, value)
                    yield put(moved)
                    yield put(row, self._copy(moved, 1))
        for column in self._used[row.of.number]:
            known = row.relation.by_name[column]
            if not known.not_null and column not in row.of.key:
                yield put(row.with_cell(column, None))
                yield put(row, self._copy(row.with_cell(column, None), 1))
            unlike = other(known, row.cell(column), i)
            if unlike is not None:
                yield put(row.with_cell(column, unlike))
                yield put(row, self._copy(row.with_cell(column, unlike), 1))
        for number in self._counts:
            for copies in (number - 1, number, number + 1):
                yield put(*(self._copy(row, n) if n else row for n in range(copies)))
        yield [*rows, *(self._copy(r, 1) for r in rows)]

    def _copy(self, row: _Made, number: int) -> _Made:
        """The row again under another key; without a key, an equal row."""
        copied = replace(row, origin=None)
        for column in reversed(row.of.key):
            value = other(row.relation.by_name[column], row.cell(column), 100 + number)
            if value is not None:
                return copied.with_cell(column, value)
        return replace(copied, changed=frozenset(c.name for c in row.relation.columns))

    def _twins(self, rows: Sequence[_Made]) -> list[_Made]:
        """The rows again under other keys, joined to each other as the rows are."""
        copies = [self._copy(row, 50) for row in rows]
        renamed = {
            (row.of.number, column, row.cell(column)): copied.cell(column)
            for row, copied in zip(rows, copies, strict=True)
            for column in row.of.key
            if row.cell(column) != copied.cell(column)
        }
        for i, row in enumerate(rows):
            for link in (known for known in self._links if known.oid == row.of.number):
                new = renamed.get((link.other, link.other_column, row.cell(link.column)))
                if new is not None:
                    copies[i] = copies[i].with_cell(link.column, new)
        return copies

    def _keys_differ(self, rows: Sequence[_Made]) -> bool:
        """Whether NOT NULL columns are filled and no two rows share a primary or unique key."""
        seen: set[tuple[int, tuple[str, ...], tuple[Cell, ...]]] = set()
        for row in rows:
            if any(c.not_null and v is None for c, v in zip(row.relation.columns, row.cells, strict=True)):
                return False
            for key in filter(None, (row.relation.primary_key, *row.relation.unique_keys)):
                if not all(c in row.relation.by_name for c in key):
                    continue
                values = tuple(row.cell(c) for c in key)
                if None in values:
                    continue
                if (row.of.number, key, values) in seen:
                    return False
                seen.add((row.of.number, key, values))
        return True

    def _placed(self, rows: Sequence[_Made]) -> RowSet:
        places: list[RowRef] = []
        for row in rows:
            if row.origin is not None and not row.changed:
                places.append(row.origin)
                continue
            ref = self._pool.add((row.of.number, f"made up {next(self._numbers)}"), write_row(row.cells))
            self.changed[ref] = tuple(c.name for c in row.relation.columns if c.name in row.changed)
            places.append(ref)
        return tuple(sorted(places))
