"""A few rows and what each reading returns on them, in a message or in one cell of a result.

Owns: these tables, and keeping them small and narrow. Nothing is said of a reading but its answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from askwire.core.types import ResultColumn, ResultSet
from askwire.selector.instances.presentation.drawing import (
    NULL,
    NUMBERS,
    VALUE_CHARACTERS_IN_TURN,
    counted,
    elided,
    grid,
    note,
    shown_columns,
    table_name,
    widths,
)
from askwire.selector.instances.types import Instance, InstanceRow

MAX_TABLE_WIDTH: Final = 76
"""Columns of a terminal that a table takes: values are cut, and columns left out, until it fits."""
MOST_ROWS: Final = 8
"""Rows of the instance that are shown, over all tables."""
MAX_ANSWER_ROWS: Final = 5
"""Rows of an answer that are shown."""


def compared(instance: Instance, numbers: Sequence[int] = ()) -> list[str]:
    """Lines: the rows by table, then the answer of each reading under its number (1, 2, … if none are given).

    orders
      id  | status  |  required  |  shipped
    ------+---------+------------+------------
     8812 | shipped | 2025-03-01 | 2025-03-09
    reading 1 returns 1, reading 2 returns 0
    """
    numbers = numbers or range(1, len(instance.answers) + 1)
    return [*_rows(instance, numbers), *_answers(instance, numbers)]


def _rows(instance: Instance, numbers: Sequence[int]) -> list[str]:
    lines: list[str] = []
    left = MOST_ROWS
    for table in instance.tables:
        rows = table.rows[:left]
        left -= len(rows)
        if not rows:
            continue
        columns = shown_columns(table)
        lines.append(table_name(table, instance))
        values = [[table.cell(row, column.name) for column in columns] for row in rows]
        lines += _narrow(columns, values, [_note(row, instance, numbers) for row in rows])
    if instance.size > MOST_ROWS:
        lines.append(f"and {counted(instance.size - MOST_ROWS, 'more row')}")
    empty = [table_name(table, instance) for table in instance.tables if not table.rows]
    if empty:
        lines.append(f"no row of {', '.join(empty)}")
    return lines


def _note(row: InstanceRow, instance: Instance, numbers: Sequence[int]) -> str:
    """What is said of a row besides its values, where that says more than the answers below."""
    unlike = len({other.counted_by for _, other in instance}) > 1
    one_of_several = unlike and len(row.counted_by) < len(instance.answers)
    return note(row, "reading", numbers) if row.changed or one_of_several else ""


def _answers(instance: Instance, numbers: Sequence[int]) -> list[str]:
    answers = instance.answers
    ties = [index in instance.open_answers for index in range(len(answers))]
    if not any(answer.rows for answer in answers):
        columns = (f"({', '.join(c.name for c in answer.columns)})" for answer in answers)
        said = (f"reading {n} {names}" for n, names in zip(numbers, columns, strict=True))
        return [f"no reading returns a row of them; what differs are the columns: {', '.join(said)}"]
    if not any(ties) and all(_is_short(answer) for answer in answers):
        said = (f"reading {n} returns {_short(answer)}" for n, answer in zip(numbers, answers, strict=True))
        return [", ".join(said)]
    first = _telling(answers)
    lines: list[str] = []
    drawn: list[tuple[str, ...]] = []
    for number, answer, tied in zip(numbers, answers, ties, strict=True):
        of_several = ", as one of several answers because rows tie" if tied else ""
        head = f"reading {number} returns{of_several}"
        if not answer.rows:
            lines.append(f"{head} no row")
            drawn.append(("",))
            continue
        shown = answer.rows[:MAX_ANSWER_ROWS]
        table = _narrow(answer.columns, shown, (), first)
        if len(shown) < len(answer.rows) or answer.truncated:
            more = "" if answer.truncated else f" of {len(answer.rows)}"
            table.append(f"(the first {counted(len(shown), 'row')}{more})")
        drawn.append(tuple(table))
        lines += [head, *table]
    if len(set(drawn)) < len(drawn):
        lines.append("where these look alike they differ in what is cut off")
    return lines


def _is_short(answer: ResultSet) -> bool:
    """Whether an answer goes into a sentence: one value, or nothing."""
    return not answer.truncated and (
        not answer.rows or (len(answer.rows) == 1 and len(answer.columns) == 1 and _fits(answer))
    )


def _fits(answer: ResultSet) -> bool:
    return len(answer.rows[0][0] or "") <= VALUE_CHARACTERS_IN_TURN[-1]


def _short(answer: ResultSet) -> str:
    if not answer.rows:
        return "no row"
    shown = elided(answer.rows[0][0])
    return shown if answer.columns[0].type_oid in NUMBERS or shown == NULL else f"'{shown}'"


def _telling(answers: Sequence[ResultSet]) -> frozenset[int]:
    """The columns, by place, in which answers of one shape differ: those that are left out last."""
    shapes = {(len(answer.columns), len(answer.rows)) for answer in answers}
    if len(shapes) > 1:
        return frozenset()
    return frozenset(
        place
        for rows in zip(*(answer.rows for answer in answers), strict=True)
        for place, cells in enumerate(zip(*rows, strict=True))
        if len(set(cells)) > 1
    )


def _narrow(
    columns: Sequence[ResultColumn],
    rows: Sequence[Sequence[str | None]],
    notes: Sequence[str],
    first: frozenset[int] = frozenset(),
) -> list[str]:
    """A table of at most `MAX_TABLE_WIDTH` characters a line, its notes aside; `first` is left out last."""
    kept = list(range(len(columns)))
    for longest in VALUE_CHARACTERS_IN_TURN:
        cells = [[elided(cell, longest) for cell in row] for row in rows]
        sizes = widths(columns, cells)
        if _taken(sizes, kept) <= MAX_TABLE_WIDTH:
            break
    while _taken(sizes, kept) > MAX_TABLE_WIDTH and len(kept) > 1:
        spare = [place for place in kept if place not in first] or kept
        kept.remove(spare[-1])
    lines = grid(
        [columns[place] for place in kept],
        [[row[place] for place in kept] for row in cells],
        notes or [""] * len(cells),
    )
    gone = [column.name for place, column in enumerate(columns) if place not in kept]
    return [*lines, f"(without {_named(gone)})"] if gone else lines


def _taken(sizes: Sequence[int], kept: Sequence[int]) -> int:
    return sum(sizes[place] + 3 for place in kept) - 1


def _named(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{counted(len(names), 'more column')}"
