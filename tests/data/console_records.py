"""An ASK of the history with everything a page about it can show."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from askwire.core.records import AskedTrace, HistoryEntry

KEY = "00000000000000a1"
PLACE = ("db.example.com:5432", "shop")
FIRST = "SELECT name FROM pets WHERE kind = 'dog'"
SECOND = "SELECT id FROM pets"


def asked(key: str = KEY, at: float = 1_699_999_000.0, **changed: object) -> HistoryEntry:
    row = HistoryEntry(
        key,
        at,
        "session 1",
        "ada",
        "ada",
        *PLACE,
        question="names of dogs",
        sql=FIRST,
        reading="pets.name where pets.kind is 'dog'",
        reason="the best supported of 2 readings",
        confidence=0.8,
        elapsed_ms=100.0,
    )
    return replace(row, **changed)  # type: ignore[arg-type]


def candidate(sql: str, expert: str = "embedded", **more: Any) -> dict[str, Any]:
    return {
        "sql": sql,
        "expert": expert,
        "score": 0.0,
        "confidence": 0.8,
        "reading": f"reading of {sql[7:11]}",
        "ran": True,
        "rows": 2,
        "sqlstate": None,
        "message": None,
        "mended": None,
        "checks": [
            {"rule": "top_k", "held": True, "message": ""},
            {"rule": "not_empty", "held": sql == FIRST, "message": "it is empty"},
        ],
        **more,
    }


def compared(*, masked: bool = False, **more: Any) -> dict[str, Any]:
    """The step that tells of rows on which two readings differ."""
    return {
        "stage": "selector",
        "name": "compared",
        "at_ms": 95.0,
        "readings": [1, 2],
        "masked": masked,
        "reason": "",
        "instance": {
            "rows": 1,
            "tables": [
                {
                    "name": "pets",
                    "key": ["id"],
                    "rows": [{"values": {"id": "1", "name": "Rex"}, "counted_by": [1], "made_up": []}],
                }
            ],
            "answers": [
                {"columns": ["name", "id"], "rows": [["Rex", "1"]], "truncated": False},
                {"columns": ["name", "id"], "rows": [["Tom", "1"]], "truncated": False},
            ],
        },
        **more,
    }


def trace(key: str = KEY, *, steps: list[dict[str, Any]] | None = None, **report: Any) -> AskedTrace:
    """The steps and the report of `asked`."""
    first = [
        {"stage": "session", "name": "read", "at_ms": 10.0, "relations": 3, "fingerprint": "f" * 40},
        {
            "stage": "verifier",
            "name": "demanded",
            "at_ms": 40.0,
            "constraints": [{"kind": "top_k", "words": ["names"]}],
        },
        {
            "stage": "verifier",
            "name": "tried",
            "at_ms": 60.0,
            "sql": FIRST,
            "cost": 12.5,
            "plan": ["Seq Scan on pets"],
        },
        {"stage": "verifier", "name": "tried", "at_ms": 61.0, "sql": SECOND, "cost": 13.0, "plan": []},
        {
            "stage": "selector",
            "name": "ranked",
            "at_ms": 90.0,
            "strategy": "posterior",
            "clusters": [
                {"support": 0.8, "terms": {"votes": 3.0, "checks": -0.1, "empty": 0.01}, "sql": [FIRST]},
                {"support": 0.1, "terms": {"votes": 1.0, "duels": 0.5}, "sql": [SECOND]},
            ],
        },
    ]
    told = {
        "sql": FIRST,
        "alignments": [{"start": 9, "end": 13, "words": "dogs", "kind": "value", "target": "'dog'"}],
        "uncovered": ["names"],
        "checks": [],
        "candidates": [
            candidate(FIRST),
            candidate(SECOND, "qwen"),
            candidate("SELECT oops", rows=None, ran=False, sqlstate="42703", message="no such column"),
        ],
        "clusters": [[FIRST], [SECOND]],
        "readings": [
            {"sql": FIRST, "reading": "one", "shared": True},
            {"sql": SECOND, "reading": "two", "shared": True},
        ],
        "spent": [],
        **report,
    }
    return AskedTrace(key, 1_699_999_000.0, json.dumps(first + (steps or [])), json.dumps(told))
