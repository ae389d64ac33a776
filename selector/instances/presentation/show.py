"""Separating instances as a person, a model or a bug report reads them.

Owns: the words around them, and their JSON. Rows keep the order the instance has them in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from askwire.core.trace import Json
from askwire.core.types import Cell, ResultSet
from askwire.selector.instances.presentation.drawing import (
    aligned,
    counted,
    elided,
    note,
    shown_columns,
    table_name,
)
from askwire.selector.instances.types import Instance, InstanceTable, Outcome, Separation

Mask: TypeAlias = Callable[[str, str, str, Cell], Cell]
"""What may be shown of a value, given its schema, table, column and text; `core.types.Cell` for NULL."""

MAX_ANSWER_ROWS: Final = 12
"""Rows of an answer that are shown to a person."""
WITHHELD: Final = "…"


def text(separation: Separation) -> str:
    """What was found, for a person: the rows by table, then each query with its answer on them."""
    shown = separation.instance or separation.witness
    parts = [headline(separation)]
    if shown is not None:
        parts += drawn(shown, tuple(enumerate(separation.candidates, 1)), separation.by_value)
    return "\n\n".join(parts) + "\n"


def drawn(shown: Instance, asked: Sequence[tuple[int, str]], by_value: Sequence[str] = ()) -> list[str]:
    """An instance for a person: its tables, the answer of each query by its number, and what is not sure."""
    numbers = [number for number, _ in asked]
    parts = [_table_text(table, shown, numbers) for table in shown.tables]
    for index, ((number, sql), answer) in enumerate(zip(asked, shown.answers, strict=True)):
        one_of = ", one of several answers as rows tie" if index in shown.open_answers else ""
        told = f"Query {number} on these rows{one_of}: {' '.join(sql.split())}"
        parts.append(f"{told}\n{_answer_text(answer)}")
    return parts + _reservations(by_value, shown)


# --- for programs and models


def as_json(separation: Separation, mask: Mask | None = None) -> dict[str, Json]:
    """What was found as JSON-ready data; queries are counted from 1, values are PostgreSQL's text.

    With a mask, values are what it returns. An answer can hold what was made of masked values, so that of
    answers only those values are given which stand unmasked in a row or are NULL; others become `WITHHELD`.
    """
    shown = separation.instance or separation.witness
    statistics = separation.statistics
    told: dict[str, Json] = {
        "outcome": separation.outcome.value,
        "queries": list(separation.candidates),
        "reason": separation.reason,
        "equal_on_data": separation.equal_on_data,
        "ordered": separation.ordered,
        "step": separation.step,
        "by_value": list(separation.by_value),
        "instance": instance_json(shown, mask) if shown else None,
        "statements": statistics.statements,
        "milliseconds": round(statistics.milliseconds, 1),
    }
    return told


def instance_json(instance: Instance, mask: Mask | None = None) -> dict[str, Json]:
    """The rows by table and the answers on them; see `as_json`.

    An answer is `open` where rows tie and the query may answer otherwise as well, though never as the other.
    """
    masking = _Mask(mask)
    tables: list[Json] = [_table_json(table, instance, masking) for table in instance.tables]
    answers: list[Json] = [
        {**_answer_json(answer, masking), "open": number in instance.open_answers}
        for number, answer in enumerate(instance.answers)
    ]
    return {
        "rows": instance.size,
        "synthetic": instance.synthetic,
        "minimal": instance.minimal,
        "all_orders": instance.all_orders,
        "tables": tables,
        "answers": answers,
    }


@dataclass
class _Mask:
    """The mask at work: remembers what it let through."""

    mask: Mask | None
    open: set[str] = field(default_factory=set)

    def cell(self, table: InstanceTable, column: str, cell: Cell) -> Cell:
        """What may be shown of a row's value."""
        shown = self.mask(table.schema, table.name, column, cell) if self.mask else cell
        if shown is not None and shown == cell:
            self.open.add(shown)
        return shown

    def answer(self, cell: Cell) -> Cell:
        """What may be shown of an answer's value."""
        return cell if self.mask is None or cell is None or cell in self.open else WITHHELD


def _table_json(table: InstanceTable, instance: Instance, masking: _Mask) -> dict[str, Json]:
    rows: list[Json] = []
    for row in table.rows:
        values: dict[str, Json] = {
            c.name: masking.cell(table, c.name, table.cell(row, c.name)) for c in shown_columns(table)
        }
        counted: list[Json] = [number + 1 for number in row.counted_by]
        rows.append({"values": values, "counted_by": counted, "made_up": list(row.changed)})
    return {"name": table_name(table, instance), "key": list(table.key_columns), "rows": rows}


def _answer_json(answer: ResultSet, masking: _Mask) -> dict[str, Json]:
    rows: list[Json] = [[masking.answer(cell) for cell in row] for row in answer.rows]
    return {"columns": [c.name for c in answer.columns], "rows": rows, "truncated": answer.truncated}


# --- for people


def headline(separation: Separation) -> str:
    """What is known of two queries, in a sentence or two."""
    found = separation.instance
    if found is not None:
        count = counted(found.size, "row")
        whose = f"{count} of your data" if not found.synthetic else f"{count}, not all of them real"
        sentence = f"The two queries differ on {whose}"
        if found.minimal and found.size > 1:
            alike = len({len(answer.columns) for answer in found.answers}) == 1
            sentence += f"; without any one of these rows {'they agree' if alike else 'neither returns any'}"
        return f"{sentence}.{_on_data(separation)}"
    because = f": {separation.reason}" if separation.reason else ""
    if separation.outcome is Outcome.EQUAL:
        if separation.witness:
            return "The two queries agree on your data. They would differ on these rows, which are made up:"
        return f"The two queries agree on your data{because}."
    if separation.outcome is Outcome.TIE_ORDER:
        return f"The two queries differ only in the order of rows that tie{because}."
    differ = "\nOn all of your data they differ." if separation.equal_on_data is False else ""
    return f"No few rows were found on which the two queries differ{because}.{differ}"


def _on_data(separation: Separation) -> str:
    """What is known beyond the rows that were found."""
    if separation.equal_on_data is not None:
        told = "give the same answer" if separation.equal_on_data else "differ as well"
        return f"\nOn all of your data they {told}."
    because = separation.reason
    return f"\nWhether they differ on all of your data is not known: {because}." if because else ""


def _reservations(by_value: Sequence[str], shown: Instance) -> list[str]:
    found = []
    if not shown.minimal:
        found.append("There may be fewer rows that do: not every smaller set is known to make them agree.")
    if shown.open_answers:
        found.append(
            "Rows tie, so that more than one answer is right; none of one query's that was seen was one of "
            "the other's."
        )
    elif not shown.all_orders:
        found.append(
            f"Compared in {shown.orders_checked} orders of the rows; that another order gives other answers "
            "is not excluded."
        )
    filtered = [table_name(table, shown) for table in shown.tables if table.row_security]
    if shown.synthetic and filtered:
        found.append(
            f"Row-level security filters {', '.join(filtered)}; made-up rows are not held against it."
        )
    if by_value:
        found.append(f"Not traced row by row: {', '.join(by_value)}.")
    return found


def _table_text(table: InstanceTable, instance: Instance, numbers: Sequence[int]) -> str:
    columns = shown_columns(table)
    cells = [[elided(table.cell(row, c.name)) for c in columns] for row in table.rows]
    notes = [note(row, "query", numbers) for row in table.rows]
    return f"{table_name(table, instance)}\n{aligned(columns, cells, notes)}"


def _answer_text(answer: ResultSet) -> str:
    rows = answer.rows[:MAX_ANSWER_ROWS]
    cells = [[elided(cell) for cell in row] for row in rows]
    cut = len(rows) < len(answer.rows) or answer.truncated
    return aligned(answer.columns, cells, [""] * len(cells), f"first {len(rows)} rows" if cut else "")
