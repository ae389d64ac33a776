"""Small worlds: made-up databases of a few rows in which values are few, so that rows meet.

Owns: drawing them. Columns that the candidates join share their values; columns compared with constants hold
those and their neighbours; one column in focus is NULL, or unlike, more often than chance would have it. The
same is drawn in every run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

from askwire.core.types import Cell
from askwire.selector.instances.references import RowSet
from askwire.selector.instances.synthetic.ground import Columns, Ground
from askwire.selector.instances.synthetic.made_rows import MadeRow, RowPlacement, invented, real
from askwire.selector.instances.synthetic.values import meeting, other, takes_any
from askwire.sql.catalog import Column

SIZES: Final = (1, 1, 2, 2, 2, 3, 4)
"""How many rows a relation may have, the likely ones more than once."""
TRIES_PER_WORLD: Final = 4
"""Worlds drawn for one that keeps to the keys."""
MAX_REAL_ROWS: Final = 6
"""Real rows of a relation that are copied."""


class Worlds:
    """Draws row sets for one pair of candidates."""

    def __init__(self, ground: Ground, placing: RowPlacement) -> None:
        self._ground = ground
        self._placing = placing
        self._family = _families(ground)
        self._rows = {oid: self._real(oid) for oid in ground.sources}
        self._bounds = {
            at: [
                near
                for b in ground.boundaries
                if (b.oid, b.column) == at and (near := meeting(self._column(at), b.text, b.operator))
            ]
            for at in self._columns()
        }
        self._values = {column: self._possible(column) for column in self._columns()}

    def sets(self, number: int, seed: int) -> list[RowSet]:
        """At most `number` different row sets."""
        dice = Random(seed)  # noqa: S311 (what is drawn is no secret)
        found: dict[RowSet, None] = {}
        for _ in range(number * TRIES_PER_WORLD):
            if len(found) == number:
                break
            placed = self._placing.placed(self._drawn(dice))
            if placed:
                found[placed] = None
        return list(found)

    def _column(self, at: Columns) -> Column:
        return self._ground.sources[at[0]].relation.by_name[at[1]]

    def _columns(self) -> Iterator[Columns]:
        for oid, columns in self._ground.used.items():
            for column in dict.fromkeys((*columns, *self._ground.sources[oid].key)):
                yield oid, column

    def _possible(self, at: Columns) -> list[Cell]:
        """The few values of a column's family: near constants, of real rows, and some that are neither."""
        members = [c for c, family in self._family.items() if family == self._family.get(at)] or [at]
        found: dict[Cell, None] = {}
        for b in self._ground.boundaries:
            if (b.oid, b.column) in members:
                found.update(dict.fromkeys(meeting(self._column(at), b.text, b.operator)[:3]))
        known = [row.cell(name) for oid, name in members for row in self._rows[oid][:3]]
        held = [cell for cell in known if cell is not None]
        found.update(dict.fromkeys(held[:3]))
        for i in range(3):
            more = other(self._column(at), held[0] if held else None, i)
            found.update({more: None} if more is not None else {})
        return list(found)

    def _real(self, oid: int) -> list[MadeRow]:
        pool, of = self._ground.pool, self._ground.sources[oid]
        return [real(pool, of, i + 1) for i in range(min(MAX_REAL_ROWS, len(pool.rows[oid])))] or [
            invented(of)
        ]

    def _drawn(self, dice: Random) -> list[MadeRow]:
        columns = list(self._values)
        plan = _Plan(
            focus=dice.choice(columns) if columns else (0, ""),
            orderly=dice.random() < 0.7,
            alike=dice.random() < 0.5,
            shift=dice.choice((0, 0, 0, 1, 2)),
        )
        rows: list[MadeRow] = []
        for oid in self._ground.sources:
            size = dice.choice(SIZES) if dice.random() < 0.95 else 0
            drawn: list[MadeRow] = []
            for number in range(size):
                known = self._rows[oid]
                base = known[(number + plan.shift) % len(known)]
                drawn.append(self._row(base, number, drawn, plan, dice))
            if drawn and self._ground.counts and dice.random() < 0.4:
                copies = dice.choice(self._ground.counts) + dice.choice((-1, 0, 0, 1))
                drawn += [drawn[-1].copy(n) for n in range(1, copies)]
            rows += drawn
        return rows

    def _row(self, base: MadeRow, number: int, before: list[MadeRow], plan: _Plan, dice: Random) -> MadeRow:
        made = base if number < len(self._rows[base.of.number]) else base.copy(number)
        oid = base.of.number
        single = base.of.key[0] if len(base.of.key) == 1 else ""
        cells: dict[str, Cell] = {}
        for column in dict.fromkeys((*self._ground.used[oid], *base.of.key)):
            values = self._values[oid, column]
            if values and column != single:
                cells[column] = self._value(made, column, values, before, plan, dice)
            elif values and (oid, column) in self._family:
                cells[column] = values[number % len(values)]
        return made.with_cells(cells)

    def _value(
        self,
        row: MadeRow,
        column: str,
        values: list[Cell],
        before: list[MadeRow],
        plan: _Plan,
        dice: Random,
    ) -> Cell:
        at = row.of.number, column
        known = row.relation.by_name[column]
        nullable = not known.not_null and takes_any(known) and column not in row.of.key
        if at == plan.focus or not plan.orderly:
            if nullable and dice.random() < 0.35:
                return None
            return dice.choice([row.cell(column), *values, *values[:2]])
        if before and plan.alike and column not in row.of.key and dice.random() < 0.85:
            return before[0].cell(column)
        if at in self._family:
            return values[0] if dice.random() < 0.6 else dice.choice(values[:3])
        bounds = self._bounds[at]
        if bounds:
            near = dice.choice(bounds)
            return near[0] if dice.random() < 0.85 else dice.choice(values)
        return row.cell(column) if dice.random() < 0.8 else dice.choice(values)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What holds for a whole world.

    The column in focus, whether the others keep to the conditions, whether rows are alike in them, and with
    which real row a relation begins.
    """

    focus: Columns
    orderly: bool
    alike: bool
    shift: int


def _families(ground: Ground) -> dict[Columns, Columns]:
    """For columns that are joined with others of their type: one that stands for all of them."""
    family: dict[Columns, Columns] = {}
    for link in ground.links:
        one, two = (link.oid, link.column), (link.other, link.other_column)
        types = [ground.sources[oid].relation.by_name[column].type_oid for oid, column in (one, two)]
        if one == two or types[0] != types[1]:
            continue
        old, new = family.get(two, two), family.get(one, one)
        family[one] = family[two] = new
        family = {c: new if f == old else f for c, f in family.items()}
    return family
