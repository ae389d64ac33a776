"""The rows that rows refer to: a row set holds with a row what its foreign keys point at.

Owns: which rows of a pool a row needs beside it, a set with all that its rows need, and a set without those
that miss something. A foreign key counts where both of its relations are read; a row that refers to what the
data does not have needs nothing there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import chain
from typing import NamedTuple

from askwire.core.types import Row
from askwire.sql.catalog import Column
from askwire.sql.tracing.composite import read_row
from askwire.sql.tracing.identity import Source

RowRef = tuple[int, int]
"""A relation's OID and a position (from 1) among its rows in the pool."""
RowSet = tuple[RowRef, ...]
"""Rows in ascending order, each once."""


class Need(NamedTuple):
    """A row of the relation `target` whose `columns` hold `values`, as they are compared."""

    target: int
    columns: tuple[str, ...]
    values: Row


@dataclass(frozen=True, slots=True)
class _Key:
    columns: tuple[str, ...]
    target: int
    target_columns: tuple[str, ...]


class _Index:
    """The rows of a relation by what they hold in some of its columns; its lists grow with the pool."""

    __slots__ = ("columns", "held", "number", "seen")

    def __init__(self, of: Source, columns: Sequence[str]) -> None:
        self.number = of.number
        self.columns = _places(of, columns)
        self.held: dict[Row, list[RowRef]] = {}
        self.seen = 0


_Links = tuple[tuple[Need, list[RowRef]], ...]
"""What a row refers to, each with the rows of the pool that are it."""


class References:
    """What the rows of a pool refer to; `rows` is the pool's own and may grow.

    `made` holds the rows that are made up: nothing is read of what they refer to.
    """

    def __init__(self, sources: Iterable[Source], rows: Mapping[int, Sequence[str]]) -> None:
        self._rows = rows
        by_number = {of.number: of for of in sources}
        keys = {number: tuple(_keys(of, by_number)) for number, of in by_number.items() if of.layout}
        self._indexes = {
            (key.target, key.target_columns): _Index(by_number[key.target], key.target_columns)
            for key in chain.from_iterable(keys.values())
        }
        self._keys = {
            number: tuple(
                (key, _places(by_number[number], key.columns), self._indexes[key.target, key.target_columns])
                for key in found
            )
            for number, found in keys.items()
        }
        self._cells: dict[RowRef, Row] = {}
        self._links: dict[RowRef, _Links] = {}
        self._asked: set[Need] = set()
        self._looked_at: dict[int, int] = {}
        self.made: set[RowRef] = set()
        self.any = bool(self._indexes)

    def closed(self, rows: RowSet) -> RowSet | None:
        """The set with all that its rows refer to; None where a made-up row refers to what is not there."""
        if not self.any:
            return rows
        self._catch_up()
        chosen = set(rows)
        todo = list(rows)
        while todo:
            row = todo.pop()
            for _, there in self._of(row):
                if not chosen.isdisjoint(there):
                    continue
                real = next((r for r in there if r not in self.made), None)
                if real is not None:
                    chosen.add(real)
                    todo.append(real)
                elif row in self.made:
                    return None
        return rows if len(chosen) == len(rows) else tuple(sorted(chosen))

    def trimmed(self, rows: Sequence[RowRef]) -> RowSet:
        """The rows without those that refer to what could stand beside them and does not."""
        kept = tuple(rows)
        if not self.any:
            return kept
        self._catch_up()
        while True:
            there = set(kept)
            fewer = tuple([r for r in kept if not self._misses(r, there)])
            if len(fewer) == len(kept):
                return kept
            kept = fewer

    def without(self, rows: Sequence[RowRef], gone: RowRef) -> RowSet:
        """The rows without one of them, and without those that refer to it and find no other."""
        kept = tuple([r for r in rows if r != gone])
        if not self.any:
            return kept
        self._catch_up()
        there = set(rows)
        while True:
            left = set(kept)
            fewer = tuple([r for r in kept if not self._loses(r, left, there)])
            if len(fewer) == len(kept):
                return kept
            kept = fewer

    def named(self, rows: Sequence[RowRef]) -> RowSet:
        """Those of the rows that others of them refer to."""
        if not self.any:
            return ()
        self._catch_up()
        names = {other for r in rows for _, there in self._of(r) for other in there if other != r}
        return tuple(r for r in rows if r in names)

    def holding(self, need: Need) -> Sequence[RowRef]:
        """The rows of the pool that are what a need asks for."""
        self._catch_up()
        index = self._indexes.get((need.target, need.columns))
        return index.held.get(need.values, ()) if index is not None else ()

    def met(self, need: Need, row: RowRef) -> None:
        """A row is what a need asks for though its values may be written otherwise: their type says so."""
        self._catch_up()
        there = self._indexes[need.target, need.columns].held.setdefault(need.values, [])
        if row not in there:
            there.append(row)

    def missing(self) -> dict[tuple[int, tuple[str, ...]], list[Row]]:
        """What rows of the pool refer to that was not read yet, each once: values by relation and columns."""
        found: dict[tuple[int, tuple[str, ...]], list[Row]] = {}
        self._catch_up()
        for oid, keys in self._keys.items():
            if not keys:
                continue
            for position in range(self._looked_at.get(oid, 0) + 1, len(self._rows[oid]) + 1):
                if (oid, position) in self.made:
                    continue
                for need, there in self._of((oid, position)):
                    if not there and need not in self._asked:
                        self._asked.add(need)
                        found.setdefault((need.target, need.columns), []).append(need.values)
            self._looked_at[oid] = len(self._rows[oid])
        return found

    def forget(self, row: RowRef) -> None:
        """Know nothing of a row, the last of its relation, that leaves the pool."""
        oid, position = row
        self._links.pop(row, None)
        self._cells.pop(row, None)
        self.made.discard(row)
        self._looked_at[oid] = min(self._looked_at.get(oid, 0), position - 1)
        for index in self._indexes.values():
            if index.number == oid and index.seen >= position:
                index.seen = position - 1
                for held in index.held.values():
                    if row in held:
                        held.remove(row)

    def _catch_up(self) -> None:
        """Know the rows that the pool has taken in."""
        for index in self._indexes.values():
            rows = self._rows[index.number]
            for position in range(index.seen + 1, len(rows) + 1):
                row = index.number, position
                index.held.setdefault(self._values(row, index.columns), []).append(row)
            index.seen = len(rows)

    def _of(self, row: RowRef) -> _Links:
        """What a row refers to; nothing by a key with a NULL in it."""
        links = self._links.get(row)
        if links is None:
            made = []
            for key, places, index in self._keys.get(row[0], ()):
                values = self._values(row, places)
                if None not in values:
                    need = Need(key.target, key.target_columns, values)
                    made.append((need, index.held.setdefault(values, [])))
            links = self._links[row] = tuple(made)
        return links

    def _misses(self, row: RowRef, there: set[RowRef]) -> bool:
        for _, held in self._of(row):
            if there.isdisjoint(held) and (row in self.made or any(r not in self.made for r in held)):
                return True
        return False

    def _loses(self, row: RowRef, left: set[RowRef], there: set[RowRef]) -> bool:
        return any(left.isdisjoint(held) and not there.isdisjoint(held) for _, held in self._of(row))

    def _values(self, row: RowRef, places: Sequence[tuple[int, Column]]) -> Row:
        cells = self._cells.get(row)
        if cells is None:
            cells = self._cells[row] = read_row(self._rows[row[0]][row[1] - 1])
        return tuple([comparable(column, cells[place]) for place, column in places])


def _places(of: Source, columns: Sequence[str]) -> tuple[tuple[int, Column], ...]:
    """Where columns stand in a row's text, and what they are."""
    layout = of.layout
    return tuple((layout.index(name), of.relation.by_name[name]) for name in columns)


def comparable(column: Column, cell: str | None) -> str | None:
    """A key's value as it is compared: numbers by value, fixed-length text without its padding."""
    if cell is None:
        return None
    if column.category == "N":
        if cell.isdecimal() and cell[0] != "0":
            return cell
        try:
            return format(Decimal(cell).normalize() + 0, "f")  # adding 0 takes the sign from -0
        except (InvalidOperation, ValueError):
            return cell
    return cell.rstrip(" ") if column.type_name.startswith("character(") else cell


def _keys(of: Source, sources: Mapping[int, Source]) -> Iterator[_Key]:
    for key in of.relation.foreign_keys:
        target = sources.get(key.target)
        if target is None or not key.columns:
            continue
        if all(c in of.layout and c in of.relation.by_name for c in key.columns) and all(
            c in target.layout and c in target.relation.by_name for c in key.target_columns
        ):
            yield _Key(key.columns, key.target, key.target_columns)
