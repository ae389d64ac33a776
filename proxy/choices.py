"""The readings of a question side by side: what `ASK (CHOICES)` returns, and the rows on which they differ.

Owns: how rival readings are shown, under the numbers by which ASK CHOOSE takes them. Must not know: which of
them is right, or how separating rows are found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from askwire.core.memory_settings import HISTORY_ROWS
from askwire.core.settings import TIMEOUT
from askwire.core.trace import Trace
from askwire.core.types import Cell, Verdict
from askwire.proxy.occasion import Occasion
from askwire.proxy.session.executor import SessionExecutor
from askwire.selector.instances import Budget, separate
from askwire.selector.instances.show import WITHHELD, as_json, lines
from askwire.sql.state_relations import Column, as_query

MOST_READINGS: Final = 5
"""How many readings are compared with the first."""

LONGEST_MS: Final = 2000
"""How long rows are looked for in all, if a quarter of the ASK's time is not less."""

_COLUMNS: Final = (
    Column("n", "int4"),
    Column("chosen", "bool"),
    Column("reading", "text"),
    Column("support", "float8"),
    Column("sql", "text"),
    Column("rows", "int4"),
    Column("differs", "text"),
)


async def differing_rows(
    readings: Sequence[Verdict],
    other: int,
    occasion: Occasion,
    executor: SessionExecutor,
    trace: Trace,
    *,
    parts: int = 1,
) -> list[str]:
    """Lines that show a few rows of the asker's own on which the first reading and another one differ.

    `other` counts from 0. None when no such rows are found in one of so many parts of the time there is.
    The trace tells of them, of their values only with `history_rows`.
    """
    whole = min(LONGEST_MS, (occasion.asker.settings[TIMEOUT] or 4 * LONGEST_MS) // 4)
    budget = Budget(milliseconds=max(1, whole // parts))
    first, second = readings[0].sql, readings[other].sql
    found = await separate(first, second, occasion.catalog, executor, budget)
    shown = occasion.asker.settings[HISTORY_ROWS]
    trace.record(
        "selector",
        "compared",
        readings=[1, other + 1],
        masked=not shown,
        **as_json(found, None if shown else _withheld),
    )
    return lines(found.instance, numbers=(1, other + 1)) if found.instance else []


def _withheld(_schema: str, _table: str, _column: str, _cell: Cell) -> Cell:
    return WITHHELD


async def told_apart(
    readings: Sequence[Verdict], occasion: Occasion, executor: SessionExecutor, trace: Trace
) -> str:
    """What NL001's DETAIL adds: rows on which the first two readings differ; '' when none are found."""
    if len(readings) < 2:
        return ""
    shown = await differing_rows(readings, 1, occasion, executor, trace)
    if not shown:
        return ""
    return "\n".join(["\nThey differ on these rows of yours:", *(f"  {line}" for line in shown)])


async def as_rows(
    readings: Sequence[Verdict],
    chosen: Verdict | None,
    occasion: Occasion,
    executor: SessionExecutor,
    trace: Trace,
) -> str:
    """The query that stands in the place of `ASK (CHOICES)`: one row per reading, in the order of numbers."""
    supports = _supports(trace)
    compared = min(len(readings) - 1, MOST_READINGS)
    rows: list[tuple[str | None, ...]] = []
    for number, verdict in enumerate(readings, 1):
        differs: list[str] = []
        if 1 < number <= 1 + compared:
            differs = await differing_rows(readings, number - 1, occasion, executor, trace, parts=compared)
        support = supports.get(verdict.candidate.sql, supports.get(verdict.sql))
        rows.append(
            (
                str(number),
                "true" if chosen is not None and verdict.sql == chosen.sql else "false",
                verdict.candidate.reading,
                None if support is None else str(support),
                verdict.sql,
                str(len(verdict.result.rows)) if verdict.result else None,
                "\n".join(differs) or None,
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
