"""ASKs as rows of a list: those under way, those that just ended, and those of the history.

Owns: what one row says.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from askwire.core.records import AskedTrace, Feedback, HistoryEntry
from askwire.proxy.console.charts import Segment, segments
from askwire.proxy.console.phrases import Outcome, outcome
from askwire.proxy.memory.live import AskStatus, spans

LONGEST_QUESTION: Final = 300


@dataclass(frozen=True, slots=True)
class Row:
    """One ASK in a list."""

    key: str
    at: float
    role: str
    database: str
    question: str
    ended: Outcome
    elapsed_ms: float
    segments: tuple[Segment, ...] = ()
    note: str = ""


def of_seen(seen: AskStatus) -> Row:
    """An ASK that is or was under way in this process."""
    return Row(
        seen.key,
        seen.at,
        seen.role,
        seen.database,
        _short(seen.question),
        outcome(seen.outcome),
        seen.elapsed_ms,
        tuple(segments(seen.spans, seen.elapsed_ms)),
        seen.spans[-1][0] if seen.spans and not seen.outcome else "",
    )


def of_asked(asked: HistoryEntry, trace: AskedTrace | None = None, said: Feedback | None = None) -> Row:
    """An ASK of the history, with its stages where its steps are at hand, and what was said of it."""
    notes = ("pinned" if asked.pinned else "", _said(said) if said else "")
    steps = json.loads(trace.document) if trace else []
    parts = segments(spans((s["stage"], float(s["at_ms"])) for s in steps), asked.elapsed_ms)
    return Row(
        asked.key,
        asked.at,
        asked.role,
        asked.database,
        _short(asked.question),
        outcome(asked.outcome),
        asked.elapsed_ms,
        tuple(parts),
        ", ".join(filter(None, notes)),
    )


def _said(feedback: Feedback) -> str:
    if feedback.said == "wrong" and feedback.right_sql:
        return "corrected"
    return {"wrong": "called wrong", "right": "confirmed", "chosen": "chosen by its asker"}[feedback.said]


def merged(
    under_way: Iterable[AskStatus],
    latest: Iterable[AskStatus],
    kept: Iterable[HistoryEntry],
    traces: Mapping[str, AskedTrace],
    most: int,
) -> list[Row]:
    """One list, those under way first, then the latest; each ASK once."""
    busy = [of_seen(seen) for seen in under_way]
    ended = {seen.key: of_seen(seen) for seen in latest}
    for asked in kept:
        if asked.key not in ended:
            ended[asked.key] = of_asked(asked, traces.get(asked.key))
    first = {row.key for row in busy}
    rest = sorted((r for r in ended.values() if r.key not in first), key=lambda r: r.at, reverse=True)
    return [*busy, *rest][:most]


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST_QUESTION else flat[: LONGEST_QUESTION - 1] + "…"
