"""The answer on a few rows as a model works it out: by hand, or by code that runs in the sandbox.

Owns: both ways, the loop that lets a model mend its code (DPC's Solver), and reading what it gives as a
result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from askwire.core.egress import Disclosure, Kind
from askwire.core.types import Cell, Question, ResultColumn, ResultSet
from askwire.selector.duels.slicing import Slice, frames, row_parts
from askwire.selector.duels.testing import TEMPERATURE, question_parts
from askwire.selector.duels.writer import Writer
from askwire.selector.instances import Instance
from askwire.selector.judge import Because, unsaid
from askwire.selector.sandbox.running import CodeFailed
from askwire.sql.canonical.normal_form import JUDGED, NormalForm, normalize

MOST_ROWS: Final = 200
ANSWERS_PER_MODEL: Final = 3
"""Answers asked of a model; what most of them say counts."""
_NUMBER, _TEXT, _TRUTH = 701, 25, 16


class Runs(Protocol):
    """What runs code: `selector.sandbox.running.Sandbox`."""

    async def start(self) -> None:
        """Have it ready; raises SandboxOff."""

    async def run(self, code: str, tables: Mapping[str, ResultSet]) -> ResultSet:
        """What code leaves as its result; raises CodeFailed and SandboxOff."""


async def by_hand(
    question: Question,
    instance: Instance,
    shown: Slice,
    writer: Writer,
    *,
    voices: int = ANSWERS_PER_MODEL,
    because: Because = unsaid,
) -> ResultSet | None:
    """The answer that a model works out from the rows; with several voices the one that most agree on.

    No more voices are asked than it takes: the third of three only where the first two differ. None where
    they do not agree: half of the voices are not most. `because` is called with why there is none.
    """
    widths = {len(answer.columns) for answer in instance.answers}
    width = f"Every row of the answer has {widths.pop()} values." if len(widths) == 1 else ""
    inputs = {
        "schema": shown.parts(),
        "rows": row_parts(instance, shown),
        "question": question_parts(question),
        "width": [Disclosure(Kind.INSTRUCTION, width)] if width else [],
    }
    said: list[ResultSet] = []
    for left in range(voices, 0, -1):
        most = _leading(said)[1]
        if 2 * most > voices or 2 * (most + left) <= voices:
            break  # what is left to ask changes nothing
        told = await writer.write("answer", inputs, temperature=TEMPERATURE if voices > 1 else 0.0)
        answer = read_answer(told)
        if answer is not None:
            said.append(answer)
    if not said:
        because("the model gave no answer that can be read")
        return None
    form, most = _leading(said)
    if 2 * most <= voices:
        because(f"no answer came from most of {voices} voices")
        return None
    return next(answer for answer in said if normalize(answer, JUDGED) == form)


def _leading(said: Sequence[ResultSet]) -> tuple[NormalForm | None, int]:
    """The answer that most give, and how many; (None, 0) for no answers."""
    counts = Counter(normalize(answer, JUDGED) for answer in said)
    return next(iter(counts.most_common(1)), (None, 0))


async def by_code(
    question: Question,
    instance: Instance,
    shown: Slice,
    writer: Writer,
    sandbox: Runs,
    *,
    corrections: int,
    because: Because = unsaid,
) -> ResultSet | None:
    """The answer that code of a model computes; it may put its code right up to `corrections` times.

    None where the code does not come to a result, and `because` is shown why. Raises SandboxOff where no code
    can be run.
    """
    tables = frames(instance, shown)
    trouble: list[Disclosure] = []
    for _ in range(corrections + 1):
        told = await writer.write(
            "solve",
            {
                "schema": shown.parts(),
                "frames": [Disclosure(Kind.NAME, name, required=True) for name in tables],
                "rows": row_parts(instance, shown),
                "question": question_parts(question),
                "trouble": trouble[-4:],
            },
            temperature=TEMPERATURE,
        )
        code = told.get("code")
        if not isinstance(code, str) or not code.strip():
            again = " after code that failed" if trouble else ""
            because(f"the model wrote no code{again}")
            return None
        try:
            return await sandbox.run(code, tables)
        except CodeFailed as failed:
            trouble += [Disclosure(Kind.DRAFT, code), Disclosure(Kind.ERROR_TEXT, str(failed))]
    because(f"the model's code failed, {corrections + 1} times" if corrections else "the model's code failed")
    return None


def read_answer(told: Mapping[str, Any]) -> ResultSet | None:
    """A model's list of rows as a result; None where it is no such thing."""
    given = told.get("answer")
    if not isinstance(given, list) or len(given) > MOST_ROWS:
        return None
    rows = [row if isinstance(row, list) else [row] for row in given]
    width = len(rows[0]) if rows else 0
    if any(len(row) != width for row in rows):
        return None
    if any(isinstance(cell, list | dict) for row in rows for cell in row):
        return None
    kinds = [_kind([row[n] for row in rows]) for n in range(width)]
    columns = tuple(ResultColumn(f"column {n + 1}", kind) for n, kind in enumerate(kinds))
    return ResultSet(columns, tuple(tuple(map(_cell, row)) for row in rows))


def _kind(cells: list[Any]) -> int:
    values = [cell for cell in cells if cell is not None]
    if values and all(isinstance(value, bool) for value in values):
        return _TRUTH
    return _NUMBER if values and all(_is_number(value) for value in values) else _TEXT


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(value: Any) -> Cell:
    if value is None:
        return None
    if isinstance(value, bool):
        return "t" if value else "f"
    return repr(value) if isinstance(value, int | float) else str(value)
