"""A store with a long history of made-up ASKs, as large as real ones are.

Owns: that data; the same for every run.
"""

from __future__ import annotations

import json
import random
from typing import Any, Final

from askwire.core.protocols import Store
from askwire.core.records import AskedTrace, Feedback, HistoryEntry, Pin, Term

PLACE: Final = ("db.example.com:5432", "shop")
SHOWN: Final = f"{0:016x}"
"""The key of the latest ASK."""
_NOW: Final = 1_790_000_000.0
_NOUNS: Final = ("orders", "customers", "products", "invoices", "returns", "suppliers", "reviews")
_ENDS: Final = ("00000",) * 6 + ("NL001", "NL003", "NL002")


def _sql(noun: str, number: int) -> str:
    return (
        f"SELECT c.name, count(*) AS n FROM {noun} AS x JOIN customers AS c ON c.id = x.customer_id "
        f"WHERE x.made_on >= '2024-01-01' AND x.size > {number} GROUP BY c.id, c.name ORDER BY n DESC LIMIT 5"
    )


def fill(store: Store, asks: int) -> None:
    """Put so many ASKs, with their steps and reports, and what else the pages show."""
    chance = random.Random(11)
    for number in range(asks):
        noun, ending = chance.choice(_NOUNS), chance.choice(_ENDS)
        candidates = [_candidate(_sql(noun, n), n) for n in range(12)]
        sql = candidates[0]["sql"] if ending == "00000" else ""
        key, at = f"{number:016x}", _NOW - 600.0 * number
        store.put(
            HistoryEntry(
                key,
                at,
                "s",
                f"role{number % 7}",
                f"role{number % 7}",
                *PLACE,
                question=f"which customers had the most {noun} over {number} since 2024?",
                outcome=ending,
                message="" if sql else "the confidence of the best reading is too low to answer",
                sql=sql,
                reading=f"customers.name, number of {noun}" if sql else "",
                reason="4 of 12 readings agree" if sql else "",
                confidence=0.7,
                elapsed_ms=chance.uniform(20, 900),
            ),
            AskedTrace(key, at, json.dumps(_steps(candidates)), json.dumps(_report(candidates, noun, sql))),
        )
        if number % 10 == 0 and sql:
            told = {"embedded": chance.random() < 0.8, "local": chance.random() < 0.7}
            store.put(
                Feedback(
                    key, at, "s", "ada", "ada", *PLACE, key, key, "right", sql, experts=json.dumps(told)
                ),
                Pin(key, at, at, "", "ada", "ada", *PLACE, f"the {noun} of {number}", sql, "a reading"),
                Term(key, at, "ada", *PLACE, f"word {number}", f"{noun} over {number}"),
            )


def _candidate(sql: str, number: int) -> dict[str, Any]:
    rules = ("top_k", "not_empty", "not_all_null", "fan_out", "unused_join", "cross_join", "luck")
    return {
        "sql": sql,
        "expert": "embedded" if number % 2 else "local",
        "score": 0.0,
        "confidence": 0.7 / (number + 1),
        "reading": f"customers.name, number of rows over {number}, the first 5, largest first",
        "ran": True,
        "rows": 5,
        "sqlstate": None,
        "message": None,
        "mended": None,
        "checks": [{"rule": rule, "held": number % 5 > 0, "message": ""} for rule in rules],
    }


def _steps(candidates: list[dict[str, Any]]) -> list[dict[str, Any]]:
    plan = [
        "Limit  (cost 211.04, 5 rows)",
        "  Sort  (cost 211.04, 58 rows)",
        "    Hash Join  (cost 184.78, 58 rows)",
    ]
    ranked = [
        {
            "support": 0.7 / (n + 1),
            "terms": {"votes": 3.0 - n, "checks": -0.5 * n, "wording": -0.3 * (n % 3)},
            "sql": [c["sql"]],
        }
        for n, c in enumerate(candidates)
    ]
    return [
        {"stage": "session", "name": "read", "at_ms": 7.0, "relations": 13},
        {"stage": "planner", "name": "embedded", "at_ms": 80.0, "candidates": 12},
        *(
            {
                "stage": "verifier",
                "name": "tried",
                "at_ms": 200.0 + n,
                "sql": c["sql"],
                "cost": 211.0,
                "plan": plan,
            }
            for n, c in enumerate(candidates)
        ),
        {
            "stage": "planner",
            "name": "probed",
            "at_ms": 90.0,
            "expert": "local",
            "sql": candidates[0]["sql"],
            "rows": 3,
        },
        _LEFT,
        {"stage": "selector", "name": "ranked", "at_ms": 300.0, "strategy": "posterior", "clusters": ranked},
        *(
            {"stage": "selector", "name": "compared", "at_ms": 310.0, "readings": [1, n]} | _APART
            for n in (2, 3)
        ),
    ]


_LEFT: Final = {
    "stage": "egress",
    "name": "left",
    "at_ms": 85.0,
    "expert": "local",
    "endpoint": "127.0.0.1:8081",
    "policy": "schema",
    "kinds": {"question": 1, "name": 40},
    "withheld": {"value": 2},
    "bytes": 4096,
}
_APART: Final = {
    "masked": False,
    "reason": "",
    "instance": {
        "rows": 2,
        "tables": [
            {"name": "customers", "rows": [{"values": {"id": "1", "name": "Ada"}, "counted_by": [1]}]},
            {"name": "orders", "rows": [{"values": {"id": "7", "size": "3"}, "counted_by": [2]}]},
        ],
        "answers": [
            {"columns": ["name", "n"], "rows": [["Ada", "1"]]},
            {"columns": ["name", "n"], "rows": [["Ada", "2"], [None, "1"]]},
        ],
    },
}


def _report(candidates: list[dict[str, Any]], noun: str, sql: str) -> dict[str, Any]:
    readings = [{"sql": c["sql"], "reading": c["reading"], "shared": True} for c in candidates[:5]]
    return {
        "sql": sql or None,
        "alignments": [{"start": 29, "end": 29 + len(noun), "words": noun, "kind": "table", "target": noun}],
        "uncovered": [],
        "candidates": candidates,
        "clusters": [[c["sql"]] for c in candidates],
        "readings": readings,
        "join_path": ["x.customer_id = customers.id"],
        "checks": candidates[0]["checks"],
    }
