"""Decisions as text that can be kept, and back: what a pin shows is what its ASK showed.

Owns: the document of a decision (`report.why_json`) as the source of a later report.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from askwire.core.records import Pin
from askwire.core.trace import Json, Trace
from askwire.core.types import (
    Alignment,
    Candidate,
    Check,
    Choice,
    Cluster,
    Question,
    ResultSet,
    Span,
    Verdict,
)
from askwire.proxy.reports import report


def document(decision: report.Decision, *, whole: bool, more: Mapping[str, Json] | None = None) -> str:
    """A decision as JSON, without its steps; `more` is kept beside it or instead of what has its name.

    Not `whole`: without rivals, which may hold values of the data.
    """
    kept = report.why_json(decision) | dict(more or {})
    del kept["trace"]
    if not whole:
        for name in _ABOUT_RIVALS:
            kept.pop(name, None)
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


_ABOUT_RIVALS: Final = (
    *("candidates", "clusters", "alike_today", "alignments", "certainty", "next_reading", "duels"),
)


def recall(pin: Pin, question: Question, sql: str, trace: Trace) -> report.Decision:
    """The decision behind a pin; `sql` is its text as it passed the gate this time."""
    kept: dict[str, Any] = json.loads(pin.why)
    candidate = Candidate(
        sql=pin.sql,
        expert=kept.get("expert", ""),
        confidence=pin.confidence,
        reading=pin.reading,
        alignments=tuple(_alignment(a) for a in kept.get("alignments", ())),
        uncovered=tuple(kept.get("uncovered", ())),
        join_path=tuple(kept.get("join_path", ())),
        cited=tuple(kept.get("cited", ())),
        leaves_out=tuple(kept.get("leaves_out", ())),
    )
    verdict = Verdict(candidate, sql, tuple(_check(c) for c in kept.get("checks", ())))
    others = tuple(_verdict(v) for v in kept.get("candidates", ()))
    choice = Choice(
        verdict,
        pin.reason,
        confidence=pin.confidence,
        clusters=_clusters(kept.get("clusters", ()), others),
        alike_today=len(kept.get("alike_today", ())),
        assumptions=tuple(kept.get("assumptions", ())),
    )
    return report.Decision(question, choice, None, others, trace, pin)


def clusters(kept: Mapping[str, Any]) -> tuple[Cluster, ...]:
    """The readings that a document tells of, each with all that proposed it."""
    return _clusters(kept.get("clusters", ()), [_verdict(v) for v in kept.get("candidates", ())])


def _clusters(kept: Sequence[Sequence[str]], verdicts: Sequence[Verdict]) -> tuple[Cluster, ...]:
    by_sql = {verdict.sql: verdict for verdict in verdicts}
    groups = [tuple(by_sql[sql] for sql in group if sql in by_sql) for group in kept]
    return tuple(Cluster(group) for group in groups if group)


def _alignment(kept: Mapping[str, Any]) -> Alignment:
    return Alignment(Span(kept["start"], kept["end"], kept["words"]), kept["kind"], kept["target"])


def _check(kept: Mapping[str, Any]) -> Check:
    return Check(kept["rule"], kept["held"], kept["message"])


def _verdict(kept: Mapping[str, Any]) -> Verdict:
    candidate = Candidate(
        kept["sql"], kept["expert"], kept["score"], kept["confidence"], kept.get("reading") or ""
    )
    # how many rows there were is all that a report tells of them
    rows = ResultSet((), ((),) * kept["rows"]) if kept["ran"] else None
    checks = tuple(_check(c) for c in kept["checks"])
    return Verdict(candidate, kept["sql"], checks, rows, kept["sqlstate"] or "", kept["message"] or "")
