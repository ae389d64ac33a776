"""The readings of a question side by side: what `ASK (CHOICES)` returns, and the rows on which they differ.

Owns: how rival readings are shown, under the numbers by which ASK CHOOSE takes them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Final

from askwire.core.protocols import Executor
from askwire.core.settings.memory import HISTORY_ROWS
from askwire.core.settings.table import TIMEOUT
from askwire.core.trace import Trace
from askwire.core.types import Cell, Verdict
from askwire.proxy.asking.context import AskContext
from askwire.selector.instances import Budget, Outcome, Separation, separate
from askwire.selector.instances.presentation.compared import compared
from askwire.selector.instances.presentation.show import WITHHELD, as_json
from askwire.sql.presentation.layout import folded
from askwire.sql.state_relations import Column, as_query

MAX_COMPARED_READINGS: Final = 5
"""How many readings are compared with the first."""

MAX_COMPARISON_MS: Final = 2000
"""How long rows are looked for in all, if a quarter of the ASK's time is not less."""

_READING_WIDTH: Final = 40
_SQL_WIDTH: Final = 56
"""Columns of a terminal that these texts take in a table, which is narrower so."""

_NOT_LOOKED: Final = "not compared: too many readings"

_COLUMNS: Final = (
    Column("n", "int4"),
    Column("chosen", "bool"),
    Column("reading", "text"),
    Column("support", "float8"),
    Column("sql", "text"),
    Column("rows", "int4"),
    Column("differs", "text"),
)


async def _separated(
    readings: Sequence[Verdict],
    other: int,
    context: AskContext,
    executor: Executor,
    trace: Trace,
    *,
    parts: int = 1,
) -> Separation:
    """What tells the first reading from another one, in one of so many parts of the time there is.

    `other` counts from 0. The trace tells of the rows, of their values only with `history_rows`.
    """
    whole = min(MAX_COMPARISON_MS, (context.asker.settings[TIMEOUT] or 4 * MAX_COMPARISON_MS) // 4)
    budget = Budget(milliseconds=max(1, whole // parts))
    first, second = readings[0].sql, readings[other].sql
    found = await separate(first, second, context.catalog, executor, budget)
    shown = context.asker.settings[HISTORY_ROWS]
    trace.record(
        "selector",
        "compared",
        readings=[1, other + 1],
        masked=not shown,
        **as_json(found, None if shown else _withheld),
    )
    return found


def _withheld(_schema: str, _table: str, _column: str, _cell: Cell) -> Cell:
    return WITHHELD


async def told_apart(
    readings: Sequence[Verdict], context: AskContext, executor: Executor, trace: Trace
) -> str:
    """What NL001's DETAIL adds: rows on which the first two readings differ; '' when none are found."""
    if len(readings) < 2:
        return ""
    found = (await _separated(readings, 1, context, executor, trace)).instance
    if found is None:
        return ""
    whose = "This row gives different" if found.size == 1 else "These rows give different"
    shown = (f"  {line}" for line in compared(found, (1, 2)))
    return "\n".join([f"\n{whose} results:", *shown])


def _difference(found: Separation, numbers: tuple[int, int]) -> str:
    """What the column `differs` says of two readings."""
    if found.instance:
        return "\n".join(compared(found.instance, numbers))
    if found.outcome is Outcome.EQUAL:
        today = f"the answer of reading {numbers[0]} on all of your data"
        if found.witness is None:
            return today
        return "\n".join([f"{today};", "on made-up rows another one:", *compared(found.witness, numbers)])
    if found.outcome is Outcome.TIE_ORDER:
        return "only which of several tied rows come first"
    because = textwrap.fill(found.reason, _READING_WIDTH)
    return f"no rows were found that show it:\n{because}" if because else "no rows were found that show it"


async def as_rows(
    readings: Sequence[Verdict],
    chosen: Verdict | None,
    context: AskContext,
    executor: Executor,
    trace: Trace,
) -> str:
    """The query that stands instead of `ASK (CHOICES)`: one row per reading, in the order of numbers."""
    supports = _supports(trace)
    looked = min(len(readings) - 1, MAX_COMPARED_READINGS)
    rows: list[tuple[str | None, ...]] = []
    for number, verdict in enumerate(readings, 1):
        differs = None if number == 1 else _NOT_LOOKED
        if 1 < number <= 1 + looked:
            found = await _separated(readings, number - 1, context, executor, trace, parts=looked)
            differs = _difference(found, (1, number))
        support = supports.get(verdict.candidate.sql, supports.get(verdict.sql))
        rows.append(
            (
                str(number),
                "true" if chosen is not None and verdict.sql == chosen.sql else "false",
                textwrap.fill(verdict.candidate.reading, _READING_WIDTH, break_on_hyphens=False),
                None if support is None else str(support),
                folded(verdict.sql, _SQL_WIDTH),
                str(len(verdict.result.rows)) if verdict.result else None,
                differs,
            )
        )
    return f"SELECT * FROM {as_query(_COLUMNS, rows)} AS choices ORDER BY n"


def _supports(trace: Trace) -> dict[str, float]:
    """The support of each SQL, as the selector recorded it last."""
    supports: dict[str, float] = {}
    for event in trace:
        clusters = event.data.get("clusters")
        if event.name == "ranked" and isinstance(clusters, list):
            for cluster in clusters:
                if isinstance(cluster, dict) and isinstance(cluster["sql"], list):
                    support = cluster["support"]
                    for sql in cluster["sql"]:
                        if isinstance(sql, str) and isinstance(support, float):
                            supports[sql] = support
    return supports
