"""Rows that are made up, to tell apart candidates that agree on all the data.

Owns: changing a few real rows at the boundaries of what the candidates compare: the constant and its
neighbours, NULL, another value, a duplicate, an unmatched key, as many copies as a condition counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from askwire.core.types import Cell
from askwire.selector.instances.references import RowRef, RowSet
from askwire.selector.instances.synthetic.ground import Ground
from askwire.selector.instances.synthetic.made_rows import MadeRow, RowPlacement, invented, real
from askwire.selector.instances.synthetic.values import is_ordered, meeting, near, other, takes_any

MAX_BASES: Final = 4
"""Real row sets that are changed."""
ROWS_CHANGED: Final = 6
"""Rows of a base that are changed in turn."""
MAX_GROUPED_SETS: Final = 16
"""Row sets with two groups."""
CROSSING_VALUES: Final = ((0, 48, 40), (30, 34, 48))
"""The two values of one group and the value of the other, as numbers of made-up values."""


class Maker:
    """Makes row sets for one pair of candidates from real ones, by one change or a few copies each."""

    def __init__(self, ground: Ground, placing: RowPlacement) -> None:
        self._ground = ground
        self._placing = placing

    def sets(self, bases: Sequence[RowSet], limit: int) -> list[RowSet]:
        """Row sets with made-up rows, from some real ones; at most `limit`."""
        starts = [self._satisfying(), *([self._made(r) for r in base] for base in bases[:MAX_BASES])]
        starts += [[*start, *self._twins(start)] for start in starts[:2]]
        variants = [self._variants(start) for start in starts if start]
        found: dict[RowSet, None] = {}
        while variants and len(found) < limit:
            for variant in list(variants):
                rows = next(variant, None)
                if rows is None:
                    variants.remove(variant)
                elif (placed := self._placing.placed(rows)) is not None:
                    found[placed] = None
        return list(islice(found, limit))

    def many(self) -> list[RowSet]:
        """Row sets with as many copies of a row as a condition counts, where these are not few."""
        start = self._satisfying()
        found: dict[RowSet, None] = {}
        for number in self._ground.thresholds:
            for i, row in enumerate(start):
                blank = row
                for column in self._ground.used[row.of.number]:
                    known = row.relation.by_name[column]
                    if not known.not_null and takes_any(known) and not self._is_joined(row, column):
                        blank = blank.with_cell(column, None)
                for size in (number, number + 1, number - 1):
                    rest = [*start[:i], *start[i + 1 :]]
                    copies = [row, *(row.copy(n) for n in range(1, size))]
                    for rows in ([*rest, *copies], [*rest, blank.copy(size), *copies]):
                        placed = self._placing.placed(rows)
                        if placed is not None:
                            found[placed] = None
        return list(found)

    def groups(self) -> list[RowSet]:
        """Row sets with a group of two rows and one of a single row, whose values cross.

        The greatest value is in one group and the greatest mean in the other; then the greatest value in the
        single row and the greatest sum in the other group.
        """
        start = self._satisfying()
        found: dict[RowSet, None] = {}
        for i, row in enumerate(start):
            for column in self._ground.used[row.of.number]:
                known = row.relation.by_name[column]
                if len(found) < MAX_GROUPED_SETS and is_ordered(known) and not self._joins(row, column):
                    for low, high, single in CROSSING_VALUES:
                        values = [other(known, None, n) for n in (low, high, single)]
                        group = [row.with_cell(column, values[0]), row.copy(1).with_cell(column, values[1])]
                        twins = self._unlike_twins(start)
                        twins[i] = twins[i].with_cell(column, values[2])
                        placed = self._placing.placed([*start[:i], *group, *start[i + 1 :], *twins])
                        if placed is not None:
                            found[placed] = None
        return list(found)

    def _unlike_twins(self, rows: Sequence[MadeRow]) -> list[MadeRow]:
        """Twins of the rows that differ from them in every column that nothing is demanded of."""
        demanded = {(b.oid, b.column) for b in self._ground.boundaries}
        twins = []
        for twin in self._twins(rows):
            cells: dict[str, Cell] = {}
            for column in self._ground.used[twin.of.number]:
                if (twin.of.number, column) not in demanded and not self._joins(twin, column):
                    unlike = other(twin.relation.by_name[column], twin.cell(column), 70)
                    cells |= {column: unlike} if unlike is not None else {}
            twins.append(twin.with_cells(cells))
        return twins

    def _joins(self, row: MadeRow, column: str) -> bool:
        """Whether a column ties a row to one of another relation, or identifies it."""
        number = row.of.number
        return column in row.of.key or any(
            (link.oid, link.column) == (number, column) and link.other != number
            for link in self._ground.links
        )

    def _is_joined(self, row: MadeRow, column: str) -> bool:
        return column in row.of.key or any(
            (link.oid, link.column) == (row.of.number, column) for link in self._ground.links
        )

    def _made(self, ref: RowRef) -> MadeRow:
        return real(self._ground.pool, self._ground.sources[ref[0]], ref[1])

    def _satisfying(self) -> list[MadeRow]:
        """One row of each relation, joined to each other and meeting the comparisons as far as that goes."""
        rows: dict[int, MadeRow] = {}
        for oid, of in self._ground.sources.items():
            rows[oid] = self._made((oid, 1)) if self._ground.pool.rows[oid] else invented(of)
        for b in reversed(self._ground.boundaries):
            values = meeting(rows[b.oid].relation.by_name[b.column], b.text, b.operator)
            if values:
                rows[b.oid] = rows[b.oid].with_cell(b.column, values[0])
        done: set[tuple[int, str]] = set()
        for link in self._ground.links:
            if (link.other, link.other_column) not in done and link.oid != link.other:
                target = rows[link.other].relation.by_name[link.other_column]
                if target.type_oid == rows[link.oid].relation.by_name[link.column].type_oid:
                    joined = rows[link.oid].cell(link.column)
                    rows[link.other] = rows[link.other].with_cell(link.other_column, joined)
                    done |= {(link.other, link.other_column), (link.oid, link.column)}
        return list(rows.values())

    def _variants(self, rows: list[MadeRow]) -> Iterator[list[MadeRow]]:
        yield rows
        steps = [self._changes(rows, i) for i in range(min(len(rows), ROWS_CHANGED))]
        while steps:
            for step in list(steps):
                changed = next(step, None)
                if changed is None:
                    steps.remove(step)
                else:
                    yield changed

    def _changes(self, rows: list[MadeRow], i: int) -> Iterator[list[MadeRow]]:
        """The rows with one changed, or with changed copies of it beside it."""
        row = rows[i]

        def put(*instead: MadeRow) -> list[MadeRow]:
            return [*rows[:i], *instead, *rows[i + 1 :]]

        yield put(row, row.copy(1))
        for b in self._ground.boundaries:
            if b.oid == row.of.number:
                for value in near(row.relation.by_name[b.column], b.text):
                    moved = row.with_cell(b.column, value)
                    yield put(moved)
                    yield put(row, moved.copy(1))
        for column in self._ground.used[row.of.number]:
            known = row.relation.by_name[column]
            if not known.not_null and takes_any(known) and column not in row.of.key:
                yield put(row.with_cell(column, None))
                yield put(row, row.with_cell(column, None).copy(1))
            unlike = other(known, row.cell(column), i)
            if unlike is not None:
                yield put(row.with_cell(column, unlike))
                yield put(row, row.with_cell(column, unlike).copy(1))
        for number in self._ground.counts:
            for copies in (number - 1, number, number + 1):
                yield put(*(row.copy(n) if n else row for n in range(copies)))
        yield [*rows, *(r.copy(1) for r in rows)]

    def _twins(self, rows: Sequence[MadeRow]) -> list[MadeRow]:
        """The rows again under other keys, joined to each other as the rows are."""
        copies = [row.copy(50) for row in rows]
        renamed = {
            (row.of.number, column, row.cell(column)): copied.cell(column)
            for row, copied in zip(rows, copies, strict=True)
            for column in row.of.key
            if row.cell(column) != copied.cell(column)
        }
        for i, row in enumerate(rows):
            for link in (known for known in self._ground.links if known.oid == row.of.number):
                new = renamed.get((link.other, link.other_column, row.cell(link.column)))
                if new is not None:
                    copies[i] = copies[i].with_cell(link.column, new)
        return copies
