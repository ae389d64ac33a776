"""The rows that rows refer to: a row set holds with a row what its foreign keys point at.

Owns: which rows of a pool a row needs beside it, a set with all that its rows need, and a set without those
that miss something. A foreign key counts where both of its relations are read; a row that refers to what the
data does not have needs nothing there. Must not know: what queries answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from askwire.core.types import Row
from askwire.sql.catalog import Column
from askwire.sql.tracing.composite import read_row
from askwire.sql.tracing.identity import Source

RowRef = tuple[int, int]
"""A relation's OID and a position (from 1) among its rows in the pool."""
RowSet = tuple[RowRef, ...]
"""Rows in ascending order, each once."""


@dataclass(frozen=True, slots=True)
class Need:
    """A row of the relation `target` whose `columns` hold `values`, as they are compared."""

    target: int
    columns: tuple[str, ...]
    values: Row


@dataclass(frozen=True, slots=True)
class _Key:
    columns: tuple[str, ...]
    target: int
    target_columns: tuple[str, ...]


class References:
    """What the rows of a pool refer to; `rows` is the pool's own and may grow.

    `made` holds the rows that are made up: nothing is read of what they refer to.
    """

    def __init__(self, sources: Iterable[Source], rows: Mapping[int, Sequence[str]]) -> None:
        self._sources = {of.number: of for of in sources}
        self._rows = rows
        self._keys = {
            of.number: tuple(_keys(of, self._sources)) for of in self._sources.values() if of.layout
        }
        self._needs: dict[RowRef, tuple[Need, ...]] = {}
        self._held: dict[tuple[int, tuple[str, ...]], dict[Row, list[RowRef]]] = {}
        self._seen: dict[tuple[int, tuple[str, ...]], int] = {}
        self._asked: set[Need] = set()
        self.made: set[RowRef] = set()
        self.any = any(self._keys.values())

    def closed(self, rows: RowSet) -> RowSet | None:
        """The set with all that its rows refer to; None where a made-up row refers to what is not there."""
        if not self.any:
            return rows
        chosen = set(rows)
        todo = list(rows)
        while todo:
            row = todo.pop()
            for need in self.needs(row):
                there = self.holding(need)
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
        while self.any:
            there = set(kept)
            fewer = tuple(r for r in kept if not any(self._misses(r, need, there) for need in self.needs(r)))
            if len(fewer) == len(kept):
                break
            kept = fewer
        return kept

    def without(self, rows: Sequence[RowRef], gone: RowRef) -> RowSet:
        """The rows without one of them, and without those that refer to it and find no other."""
        kept = tuple(r for r in rows if r != gone)
        there = set(rows)
        while self.any:
            left = set(kept)
            fewer = tuple(
                r
                for r in kept
                if not any(
                    left.isdisjoint(held) and not there.isdisjoint(held)
                    for held in map(self.holding, self.needs(r))
                )
            )
            if len(fewer) == len(kept):
                break
            kept = fewer
        return kept

    def named(self, rows: Sequence[RowRef]) -> RowSet:
        """Those of the rows that others of them refer to."""
        if not self.any:
            return ()
        names = {other for r in rows for need in self.needs(r) for other in self.holding(need) if other != r}
        return tuple(r for r in rows if r in names)

    def needs(self, row: RowRef) -> tuple[Need, ...]:
        """What a row refers to; nothing by a key with a NULL in it."""
        known = self._needs.get(row)
        if known is None:
            keys = self._keys[row[0]]
            known = tuple(self._of(row, keys)) if keys else ()
            self._needs[row] = known
        return known

    def holding(self, need: Need) -> Sequence[RowRef]:
        """The rows of the pool that are what a need asks for."""
        at = need.target, need.columns
        held = self._held.setdefault(at, {})
        rows = self._rows[need.target]
        for position in range(self._seen.get(at, 0), len(rows)):
            values = self._values(need.target, rows[position], need.columns)
            held.setdefault(values, []).append((need.target, position + 1))
        self._seen[at] = len(rows)
        return held.get(need.values, ())

    def met(self, need: Need, row: RowRef) -> None:
        """A row is what a need asks for though its values may be written otherwise: their type says so."""
        there = self.holding(need)
        if row not in there:
            self._held[need.target, need.columns].setdefault(need.values, []).append(row)

    def missing(self) -> dict[tuple[int, tuple[str, ...]], list[Row]]:
        """What rows of the pool refer to that was not read yet, each once: values by relation and columns."""
        found: dict[tuple[int, tuple[str, ...]], list[Row]] = {}
        for oid, keys in self._keys.items():
            if not keys:
                continue
            for position in range(1, len(self._rows[oid]) + 1):
                for need in self.needs((oid, position)):
                    if need in self._asked or (oid, position) in self.made or self.holding(need):
                        continue
                    self._asked.add(need)
                    found.setdefault((need.target, need.columns), []).append(need.values)
        return found

    def forget(self, row: RowRef) -> None:
        """Know nothing of a row, the last of its relation, that leaves the pool."""
        self._needs.pop(row, None)
        self.made.discard(row)
        for at in [at for at, seen in self._seen.items() if at[0] == row[0] and seen >= row[1]]:
            self._seen[at] = row[1] - 1
            for held in self._held[at].values():
                if row in held:
                    held.remove(row)

    def _misses(self, row: RowRef, need: Need, there: set[RowRef]) -> bool:
        held = self.holding(need)
        if not there.isdisjoint(held):
            return False
        return row in self.made or any(r not in self.made for r in held)

    def _of(self, row: RowRef, keys: Sequence[_Key]) -> Iterator[Need]:
        text = self._rows[row[0]][row[1] - 1]
        for key in keys:
            values = self._values(row[0], text, key.columns)
            if None not in values:
                yield Need(key.target, key.target_columns, values)

    def _values(self, oid: int, text: str, columns: Sequence[str]) -> Row:
        of = self._sources[oid]
        cells = read_row(text)
        by_name = of.relation.by_name
        return tuple(comparable(by_name[c], cells[of.layout.index(c)]) for c in columns)


def comparable(column: Column, cell: str | None) -> str | None:
    """A key's value as it is compared: numbers by value, fixed-length text without its padding."""
    if cell is None:
        return None
    if column.category == "N":
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
