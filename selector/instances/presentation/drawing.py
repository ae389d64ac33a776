"""Rows as a table for a person: which columns, how long a value, and how wide all of it.

Owns: how a table is drawn in text and its values are cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final
from unicodedata import category, east_asian_width

from askwire.core.types import Cell, ResultColumn
from askwire.selector.instances.types import Instance, InstanceRow, InstanceTable

MAX_VALUE_CHARACTERS: Final = 48
"""Characters of a value that are shown to a person."""
VALUE_CHARACTERS_IN_TURN: Final = (MAX_VALUE_CHARACTERS, 32, 20)
"""How long values may be, in turn, until a table is narrow enough."""

NULL: Final = "(null)"
NUMBERS: Final = frozenset({20, 21, 23, 26, 700, 701, 790, 1700})
"""The types (OIDs) that are drawn on the right."""


def shown_columns(table: InstanceTable) -> tuple[ResultColumn, ...]:
    """The columns that matter: keys first, then what either query uses; all where neither says anything."""
    keys = [c for name in table.key_columns for c in table.columns if c.name == name]
    used = [c for c in table.columns if c.name in table.used and c not in keys]
    return (*keys, *used) or table.columns


def table_name(table: InstanceTable, instance: Instance) -> str:
    """A relation's name, with its schema where another one is called alike."""
    alike = sum(other.name == table.name for other in instance.tables)
    return f"{table.schema}.{table.name}" if alike > 1 else table.name


def note(row: InstanceRow, word: str, numbers: Sequence[int]) -> str:
    """What is to be said of one row: what is made up about it, or which queries count it."""
    if row.changed:
        return f"made up: {', '.join(row.changed)}"
    counting = [str(numbers[index]) for index in row.counted_by]
    others = [str(number) for index, number in enumerate(numbers) if index not in row.counted_by]
    if not counting:
        return ""
    if not others:
        return "both count it" if len(numbers) == 2 else "all count it"
    verbs = ("counts", "does") if len(counting) == 1 else ("count", "do")
    negated = "does not" if len(others) == 1 else "do not"
    return f"{word} {' and '.join(counting)} {verbs[0]} it, {' and '.join(others)} {negated}"


def aligned(
    columns: Sequence[ResultColumn], cells: Sequence[Sequence[str]], notes: Sequence[str], foot: str = ""
) -> str:
    """A table as psql draws it; numbers on the right, a note behind the row it belongs to."""
    return "\n".join([*grid(columns, cells, notes), f"({foot or counted(len(cells), 'row')})"])


def grid(columns: Sequence[ResultColumn], cells: Sequence[Sequence[str]], notes: Sequence[str]) -> list[str]:
    """The same lines without what psql says below."""
    sizes, names = widths(columns, cells), [elided(column.name) for column in columns]
    right = [column.type_oid in NUMBERS for column in columns]
    drawn = [" | ".join(_padded(name, w, "^") for name, w in zip(names, sizes, strict=True))]
    drawn.append("-+-".join("-" * size for size in sizes))
    for row, said in zip(cells, notes, strict=True):
        line = " | ".join(
            _padded(cell, w, ">" if r else "<") for cell, w, r in zip(row, sizes, right, strict=True)
        )
        drawn.append(f"{line}  <- {said}" if said else line)
    return [f"-{line}-" if number == 1 else f" {line}".rstrip() for number, line in enumerate(drawn)]


def widths(columns: Sequence[ResultColumn], cells: Sequence[Sequence[str]]) -> list[int]:
    """Columns of a terminal that each column of a table takes, without what stands between them."""
    return [
        max(_width(text) for text in (elided(column.name), *(row[i] for row in cells)))
        for i, column in enumerate(columns)
    ]


def elided(cell: Cell, longest: int = MAX_VALUE_CHARACTERS) -> str:
    """A value without what would break a table, cut where it is too long."""
    if cell is None:
        return NULL
    flat = "".join(_visible(cell[: longest + 1]))
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"


def counted(number: int, noun: str) -> str:
    """`1 row`, `2 rows`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _visible(cell: str) -> Iterator[str]:
    """Line ends and other control characters would break the table, or worse the terminal."""
    for character in cell:
        if character == "\n":
            yield "↵"
        else:
            yield "·" if category(character) in ("Cc", "Cf") else character


def _width(shown: str) -> int:
    """Columns on a terminal: wide characters take two, combining ones none."""
    return sum(0 if category(c) in ("Mn", "Me") else 2 if east_asian_width(c) in "WF" else 1 for c in shown)


def _padded(shown: str, width: int, side: str) -> str:
    rest = width - _width(shown)
    left = {"<": 0, ">": rest, "^": rest // 2}[side]
    return " " * left + shown + " " * (rest - left)
