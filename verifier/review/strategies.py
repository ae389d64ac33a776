"""What can be asked of a reviewing model: one strategy each, with its prompt and how its answer is read.

Owns: the strategies and their registry.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Protocol

from askwire.core.beside import on_loop
from askwire.core.egress import Disclosure, Kind, in_pieces, listed
from askwire.core.types import Cell, Question, ResultSet
from askwire.verifier.review import opinions
from askwire.verifier.review.desk import Desk, question_parts
from askwire.verifier.review.opinions import Opinion

_MAX_SHOWN_ROWS: Final = 3
_MAX_SHOWN_COLUMNS: Final = 30
_MAX_CELL_CHARACTERS: Final = 100
_MAX_ROW_CHARACTERS: Final = 3500


def _form(**fields: Mapping[str, object]) -> Mapping[str, object]:
    return {
        "type": "object",
        "properties": dict(fields),
        "required": list(fields),
        "additionalProperties": False,
    }


_YES_OR_NO: Final[Mapping[str, object]] = {"type": "boolean"}
_TEXTS: Final[Mapping[str, object]] = {"type": "array", "items": {"type": "string"}}
_NUMBERS: Final[Mapping[str, object]] = {"type": "array", "items": {"type": "integer"}}
_FAULTS: Final[Mapping[str, object]] = {
    "type": "array",
    "items": _form(words={"type": "string"}, fault={"type": "string"}),
}
CRITIQUE_FORM: Final = _form(sound=_YES_OR_NO, problems=_FAULTS)
DEMANDS_FORM: Final = _form(demands=_TEXTS)
UNMET_FORM: Final = _form(unmet=_NUMBERS)
ANSWER_FORM: Final = _form(answers=_YES_OR_NO, not_needed=_TEXTS, problems=_FAULTS)


class BeforeRun(Protocol):
    """A strategy that looks at SQL; one object for one ASK."""

    async def __call__(self, desk: Desk, question: Question, sql: str) -> Opinion | None:
        """The opinion, None for none; raises as `Desk.ask`."""


class AfterRun(Protocol):
    """A strategy that looks at an answer."""

    async def __call__(self, desk: Desk, question: Question, sql: str, result: ResultSet) -> Opinion | None:
        """The opinion, None for none; raises as `Desk.ask`."""


async def critique(desk: Desk, question: Question, sql: str) -> Opinion | None:
    """ReCAPAgent's SQL critique: what would make the answer wrong; it writes no SQL of its own."""
    inputs = {"schema": desk.schema, "question": question_parts(question), "sql": desk.sql(sql, question)}
    return opinions.critique(await desk.ask("critique", inputs, CRITIQUE_FORM), _asked(question))


class Demands:
    """PV-SQL's verification by a model: its own list of demands, once, and each text held against it."""

    def __init__(self) -> None:
        self._listed: tuple[str, ...] | None = None
        self._turn = asyncio.Lock()

    async def __call__(self, desk: Desk, question: Question, sql: str) -> Opinion | None:
        """The demands that a text does not meet."""
        told = desk.sql(sql, question)
        listed = await on_loop(self._demands(desk, question))
        if not listed:
            return None
        inputs = {
            "schema": desk.schema,
            "question": question_parts(question),
            "demands": [Disclosure(Kind.QUESTION, f"{n}: {one}") for n, one in enumerate(listed, 1)],
            "sql": told,
        }
        return opinions.unmet(await desk.ask("demands_met", inputs, UNMET_FORM), listed)

    async def _demands(self, desk: Desk, question: Question) -> tuple[str, ...]:
        async with self._turn:
            if self._listed is None:
                listing = await desk.ask("demands", {"question": question_parts(question)}, DEMANDS_FORM)
                self._listed = opinions.demands(listing) or ()
        return self._listed


async def answer(desk: Desk, question: Question, sql: str, result: ResultSet) -> Opinion | None:
    """ReCAPAgent's result validator: columns, counts and the first rows beside the question.

    What a result holds may leave only where rows may: below that there is no opinion.
    """
    names = tuple(column.name for column in result.columns)
    inputs = {
        "question": question_parts(question),
        "sql": desk.sql(sql, question),
        "columns": [Disclosure(Kind.NAME, name, (name,)) for name in names[:_MAX_SHOWN_COLUMNS]],
        "summary": [Disclosure(Kind.STATISTICS, summary(result), required=True)],
        "rows": [
            in_pieces(
                Kind.ROW,
                listed("", [_cell(c) for c in row[:_MAX_SHOWN_COLUMNS]], " | ", longest=_MAX_ROW_CHARACTERS),
            )
            for row in result.rows[:_MAX_SHOWN_ROWS]
        ],
    }
    return opinions.answer(await desk.ask("answer", inputs, ANSWER_FORM), names, _asked(question))


def _asked(question: Question) -> str:
    return f"{question.text} {question.evidence}"


def summary(result: ResultSet) -> str:
    """How many rows, and of which columns some are NULL: `12 rows; NULL: age 3`."""
    count = len(result.rows)
    told = f"{count} row{'s' if count != 1 else ''}{' or more' if result.truncated else ''}"
    missing = [
        f"{column.name} {nulls}"
        for place, column in enumerate(result.columns[:_MAX_SHOWN_COLUMNS])
        if (nulls := sum(row[place] is None for row in result.rows))
    ]
    return f"{told}; NULL: {', '.join(missing)}" if missing else told


def _cell(cell: Cell) -> Cell:
    return cell if cell is None or len(cell) <= _MAX_CELL_CHARACTERS else cell[:_MAX_CELL_CHARACTERS] + "…"


def before_run() -> dict[str, BeforeRun]:
    """The strategies that look at SQL, by name, for one ASK."""
    return {"critique": critique, "demands": Demands()}


AFTER_RUN: Final[Mapping[str, AfterRun]] = MappingProxyType({"answer": answer})
"""The strategies that look at an answer, by name."""
