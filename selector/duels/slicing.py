"""The part of a schema that two queries need, and rows, as a model is shown them.

Owns: the slice (DPC's Slicer, by tracing instead of by a model: the columns that either query uses, and
keys), its dry run, and the text of rows.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from askwire.core.egress import Disclosure, Kind
from askwire.core.types import Cell, ResultColumn, ResultSet
from askwire.selector.duels.pair import Pair
from askwire.selector.instances import Instance, InstanceTable
from askwire.sql.catalog import Relation

_NUMBERS = frozenset({20, 21, 23, 26, 700, 701, 1700})


@dataclass(frozen=True)
class Slice:
    """Relations, each with the columns that are shown."""

    relations: tuple[tuple[Relation, frozenset[str]], ...]

    def parts(self) -> list[Disclosure]:
        """One line per relation: columns with types, keys, and what they refer to; then comments."""
        names = {relation.oid: relation.name for relation, _ in self.relations}
        told = [_described(relation, columns, names) for relation, columns in self.relations]
        return told + [part for relation, columns in self.relations for part in comments(relation, columns)]

    def columns(self, table: InstanceTable) -> tuple[ResultColumn, ...]:
        """The columns of a relation that are shown."""
        shown = next((columns for r, columns in self.relations if r.oid == table.oid), frozenset())
        return tuple(column for column in table.columns if column.name in shown)


async def sliced(pair: Pair, *, whole: bool = False) -> Slice:
    """What the pair needs; all columns of its relations with `whole`, and where the dry run fails."""
    everything = whole or not await pair.runs_on_nothing()
    return Slice(
        tuple(
            (r, frozenset(c.name for c in r.columns) if everything else pair.used(r)) for r in pair.relations
        )
    )


def _described(relation: Relation, columns: frozenset[str], names: Mapping[int, str]) -> Disclosure:
    shown = [f"{c.name} {c.type_name}" for c in relation.columns if c.name in columns]
    text = f"{relation.name}({', '.join(shown)})"
    if set(relation.primary_key) <= columns and relation.primary_key:
        text += f", key {', '.join(relation.primary_key)}"
    for key in relation.foreign_keys:
        if set(key.columns) <= columns and key.target in names:
            text += (
                f", {', '.join(key.columns)} refers to {names[key.target]}({', '.join(key.target_columns)})"
            )
    return Disclosure(Kind.NAME, text, names=(relation.name, *sorted(columns)), required=True)


def comments(relation: Relation, columns: Collection[str]) -> list[Disclosure]:
    """What the schema says of a relation and of some of its columns, a line each."""
    said = {relation.name: relation.comment}
    said |= {f"{relation.name}.{c.name}": c.comment for c in relation.columns if c.name in columns}
    return [
        Disclosure(Kind.COMMENT, f"{name}: {' '.join(comment.split())}", names=(name,))
        for name, comment in said.items()
        if comment.strip()
    ]


def row_parts(instance: Instance, shown: Slice) -> list[Disclosure]:
    """The rows of a database, one line each; relations without rows are named as empty."""
    parts = []
    for table in instance.tables:
        columns = shown.columns(table)
        for row in table.rows:
            cells = {c.name: _value(table.cell(row, c.name), c.type_oid) for c in columns}
            text = f"{table.name} {json.dumps(cells, ensure_ascii=False)}"
            parts.append(Disclosure(Kind.ROW, text, required=True))
        if not table.rows:
            parts.append(Disclosure(Kind.ROW, f"{table.name} has no rows", required=True))
    return parts


def frames(instance: Instance, shown: Slice) -> dict[str, ResultSet]:
    """The relations of a database by names that Python takes."""
    found: dict[str, ResultSet] = {}
    for table in instance.tables:
        columns = shown.columns(table)
        rows = tuple(tuple(table.cell(row, c.name) for c in columns) for row in table.rows)
        found[_variable(table.name, found)] = ResultSet(columns, rows)
    return found


def _variable(name: str, taken: Collection[str]) -> str:
    plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in name).lstrip("_")
    plain = plain if plain[:1].isalpha() else f"table_{plain}"
    while plain in taken or plain in ("pd", "np", "result"):
        plain += "_"
    return plain


def _value(cell: Cell, type_oid: int) -> str | int | float | bool | None:
    if cell is None:
        return None
    if type_oid == 16:
        return cell == "t"
    if type_oid in _NUMBERS:
        try:
            return int(cell)
        except ValueError:
            return float(cell)
    return cell
