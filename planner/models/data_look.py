"""One look into the data: a query of a model's own, through the gate and the executor.

What it returned is told as disclosures, a long result as a summary; a failure is something to know, not an
end. Owns: that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from askwire.core.egress import Disclosure, Kind
from askwire.core.errors import DatabaseFailed, RefusedByGate
from askwire.core.types import Cell, ResultSet
from askwire.planner.models.expert_task import ExpertTask, sql_part
from askwire.planner.models.schema_text import shortened

MAX_CELL_CHARACTERS: Final = 60
_MAX_ROW_CHARACTERS: Final = 600
MAX_WHOLE_ROWS: Final = 30
"""Rows up to which a result is shown whole (APEX, section 4.3.4)."""
FIRST_ROWS: Final = 10
_MAX_WHOLE_CHARACTERS: Final = 4000
"""Characters of rows from which on a shorter result is summarised too."""
MAX_SUMMARIZED_ROWS: Final = 1000
_TYPES: Final = {
    16: "boolean",
    20: "bigint",
    21: "smallint",
    23: "integer",
    25: "text",
    114: "json",
    700: "real",
    701: "double precision",
    1042: "character",
    1043: "character varying",
    1082: "date",
    1083: "time",
    1114: "timestamp",
    1184: "timestamp with time zone",
    1186: "interval",
    1700: "numeric",
    2950: "uuid",
    3802: "jsonb",
}


@dataclass(frozen=True)
class LookResult:
    """What came of a look: for a prompt the query and its outcome; `result` is None where it failed."""

    sql: str
    outcome: tuple[Disclosure, ...]
    result: ResultSet | None = None
    sqlstate: str = ""
    query: tuple[Disclosure, ...] = ()

    @property
    def parts(self) -> tuple[Disclosure, ...]:
        """All of it."""
        return (*self.query, *self.outcome)


async def look(
    asking: ExpertTask,
    sql: str,
    *,
    rows: int = MAX_SUMMARIZED_ROWS,
    step: str = "probe",
    tell: Callable[[ResultSet], list[Disclosure]] | None = None,
) -> LookResult:
    """Run one query that this model wrote, of which at most `rows` rows are read; `tell` puts these in words.

    Raises DatabaseFailed when the session is lost, BudgetSpent.
    """
    planning = asking.planning
    query = (sql_part(sql, planning.question, own=True),)
    try:
        async with planning.executor.batch() as batch:
            result = await batch.run(sql, max_rows=rows)
    except (RefusedByGate, DatabaseFailed) as error:
        if isinstance(error, DatabaseFailed) and error.session_lost:
            raise
        looked = LookResult(sql, _failure(error), sqlstate=error.code, query=query)
    else:
        looked = LookResult(sql, tuple((tell or summary)(result)), result, query=query)
    found = None if looked.result is None else len(looked.result.rows)
    asking.record("probed", step=step, sql=sql, rows=found, sqlstate=looked.sqlstate)
    return looked


def _failure(error: RefusedByGate | DatabaseFailed) -> tuple[Disclosure, ...]:
    return Disclosure(Kind.ERROR_CODE, error.code), Disclosure(Kind.ERROR_TEXT, error.message)


def summary(result: ResultSet) -> list[Disclosure]:
    """A result as disclosures: all rows where they are few; else the first, and what can be said of all (σ).

    `12 rows`, then `id | state`, then a line per row; beyond 30 rows ten of them, then per column its type,
    how many different values it has, and the share of NULL.
    """
    if not result.rows:
        return [Disclosure(Kind.RESULT, "no rows")]
    names = [column.name for column in result.columns]
    lines = [_row(row) for row in result.rows[:MAX_WHOLE_ROWS]]
    whole = (
        not result.truncated
        and len(result.rows) <= MAX_WHOLE_ROWS
        and sum(map(len, lines)) <= _MAX_WHOLE_CHARACTERS
    )
    told = [Disclosure(Kind.HEADER, " | ".join(names)[:_MAX_ROW_CHARACTERS])]
    told += [Disclosure(Kind.ROW, line) for line in (lines if whole else lines[:FIRST_ROWS])]
    if not whole:
        told += _statistics(result)
    return told


def first_rows(result: ResultSet) -> list[Disclosure]:
    """The same without a summary: what was read is few."""
    if not result.rows:
        return [Disclosure(Kind.RESULT, "no rows")]
    told = [
        Disclosure(Kind.HEADER, " | ".join(column.name for column in result.columns)[:_MAX_ROW_CHARACTERS])
    ]
    told += [Disclosure(Kind.ROW, _row(row)) for row in result.rows[:FIRST_ROWS]]
    if result.truncated:
        told.append(Disclosure(Kind.RESULT, "and more rows"))
    return told


def _row(row: Sequence[Cell]) -> str:
    return " | ".join("NULL" if cell is None else shortened(cell, MAX_CELL_CHARACTERS) for cell in row)[
        :_MAX_ROW_CHARACTERS
    ]


def _statistics(result: ResultSet) -> list[Disclosure]:
    number = len(result.rows)
    at_least = "at least " if result.truncated else ""
    told = [
        Disclosure(Kind.RESULT, f"{at_least}{number} rows; the first {min(FIRST_ROWS, number)} stand above")
    ]
    of = f"of the first {number} " if result.truncated else ""
    for place, column in enumerate(result.columns[:FIRST_ROWS]):
        cells = [row[place] for row in result.rows]
        missing = sum(cell is None for cell in cells) / number
        different = len({cell for cell in cells if cell is not None})
        kind = _TYPES.get(column.type_oid, "some other type")
        text = f"{column.name[:MAX_CELL_CHARACTERS]}: {kind}, {of}{different} different, {missing:.0%} NULL"
        told.append(Disclosure(Kind.STATISTICS, text))
    return told
