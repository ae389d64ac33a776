"""Records for tests of the store, one of every kind."""

from __future__ import annotations

from dataclasses import replace

from askwire.core.records import (
    AskedTrace,
    CalibrationOutcome,
    Demonstration,
    Expenditure,
    ExpertStanding,
    ExpertWeight,
    Feedback,
    HistoryEntry,
    JudgeRuling,
    Pin,
    Record,
    Statement,
    Term,
)

PLACE = ("db.example.com:5432", "shop")


def asked(key: str = "a1", at: float = 1000.0, **changed: object) -> HistoryEntry:
    """A history row."""
    row = HistoryEntry(
        key, at, "session 1", "ada", "ada", *PLACE, question="how many orders?", sql="SELECT 1"
    )
    return replace(row, **changed)  # type: ignore[arg-type]


def every_kind() -> list[Record]:
    """One record of each kind, with every field away from its default."""
    return [
        HistoryEntry(
            "a1",
            1.5,
            "s1",
            "ada",
            "bob",
            *PLACE,
            question="größte 'Städte'?",
            options='{"evidence": "x"}',
            outcome="NL001",
            message="two readings fit",
            sql="SELECT E'\\n'",
            reading="cities",
            reason="the only reading",
            confidence=0.25,
            pinned=True,
            private=True,
            elapsed_ms=12.5,
            sent_to_models="to a at b: 1 question",
        ),
        AskedTrace("a1", 1.5, '[{"stage": "planner"}]'),
        Pin(
            "p1",
            2.0,
            3.0,
            "s1",
            "ada",
            "bob",
            *PLACE,
            question="q",
            sql="SELECT 2",
            reading="two",
            reason="r",
            confidence=0.5,
            origin="chosen",
            day="2025-01-01",
            why='{"a": 1}',
        ),
        Feedback(
            "f1",
            4.0,
            "s1",
            "ada",
            "bob",
            *PLACE,
            asked="a1",
            question="q",
            said="wrong",
            sql="SELECT 2",
            right_sql="SELECT 3",
            experts='{"embedded": false}',
            confidence=0.5,
            approved_by="root",
            undone=True,
        ),
        ExpertWeight("w1", 5.0, *PLACE, expert="embedded", weight=0.5, right=1, wrong=2),
        Term("t1", 6.0, "ada", *PLACE, term="revenue", meaning="sum of amount"),
        Demonstration("d1", 7.0, "ada", *PLACE, question="q", sql="SELECT 3", approved_by="root"),
        CalibrationOutcome("o1", 8.0, "ada", *PLACE, confidence=0.75, right=True, confident=True),
        ExpertStanding(
            "n1", 8.5, "ada", *PLACE, acting_as="bob", expert="embedded", rate=0.9, answered=12, failed=1
        ),
        JudgeRuling(
            "j1",
            8.7,
            "ada",
            *PLACE,
            acting_as="bob",
            judge="rows:local=mock",
            prior=0.9,
            upheld=True,
            counts=0.5,
            favourite="0a",
            rival="0b",
        ),
        Expenditure("x1", 9.0, "ada", PLACE[0], day="2025-01-01", calls=3, tokens=1200, cost=0.25),
        Statement("y1", 9.5, "ada", *PLACE, path="public", sql="SELECT $1", literals=True, times=7),
    ]
