"""The scenes of docs/messages.md: what is asked, and what a scripted expert proposes for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from askwire.core.types import Alignment, Candidate, Span

TABLES: Final = """
CREATE TABLE orders (id int PRIMARY KEY, status text, required date, shipped date, total numeric);
INSERT INTO orders SELECT n, 'shipped', '2025-03-01', '2025-02-01', n FROM generate_series(1, 20) n;
INSERT INTO orders VALUES (8812, 'shipped', '2025-03-01', '2025-03-09', 40),
    (8813, 'shipped', '2025-03-01', '2025-03-03', 12), (9120, 'delayed', '2025-04-02', NULL, 25);
CREATE TABLE refunds (id int PRIMARY KEY, amount numeric, reason text);
"""

_COUNT: Final = "SELECT count(*) FROM orders"
_DAY: Final = "SELECT count(*) FROM orders WHERE shipped > required"
_WEEK: Final = "SELECT count(*) FROM orders WHERE shipped > required + 7"


def _candidate(sql: str, confidence: float, reading: str, score: float = 0.0, **more: object) -> Candidate:
    return Candidate(sql, "scripted", score, confidence, reading, **more)  # type: ignore[arg-type]


ANSWERS: Final[Mapping[str, Sequence[Candidate]]] = {
    "how many orders are there": [_candidate(_COUNT, 0.95, "number of orders")],
    "how many orders are late": [
        _candidate(_COUNT + " WHERE shipped > required", 0.95, "number of late orders")
    ],
    "delayed orders": [
        _candidate(
            "SELECT id FROM orders WHERE status = 'delayed'",
            0.92,
            "orders.id where orders.status is 'delayed'",
        ),
        _candidate(
            "SELECT id FROM orders WHERE status = 'late'",
            0.06,
            "orders.id where orders.status is 'late'",
            -2.0,
        ),
    ],
    "a question that takes its time": [_candidate(_COUNT, 0.95, "number of orders")],
    "revenue of orders we shipped": [
        _candidate(
            "SELECT sum(total) FROM orders WHERE status = 'shipped'",
            0.72,
            "total of orders.total where orders.status is 'shipped'",
            alignments=(Alignment(Span(0, 7, "revenue"), "column", "orders.total"),),
            uncovered=("we",),
        ),
        _candidate("SELECT sum(total) FROM orders", 0.2, "total of orders.total", -1.0),
    ],
    "total of all refunds": [_candidate("SELECT sum(amount) FROM refunds", 0.9, "total of refunds.amount")],
    "late orders": [
        _candidate(_DAY, 0.45, "late = shipped after the required date"),
        _candidate(_WEEK, 0.45, "late = shipped more than a week after the required date", -1.0),
    ],
    "orders that went wrong": [
        _candidate(
            "SELECT id FROM orders WHERE status = 'delayed'",
            0.2,
            "orders.id where orders.status is 'delayed'",
            uncovered=("went", "wrong"),
        )
    ],
    "delete old orders": [_candidate("DELETE FROM orders", 0.9, "orders without old ones")],
    "orders with no such column": [_candidate("SELECT nothing FROM orders", 0.9, "nothing of orders")],
}
"""By question, the candidates of the scripted expert."""


@dataclass(frozen=True)
class Scene:
    """Statements of one session, sent one after the other, on a server with these settings."""

    title: str
    meaning: str
    statements: Sequence[str]
    settings: Mapping[str, str] = field(default_factory=dict)


SCENES: Final[Mapping[str, Sequence[Scene]]] = {
    "Answers": (
        Scene(
            "High confidence",
            "Level, reading and SQL. Later the SQL is pinned: the same question gives the same SQL.",
            ("ASK 'how many orders are there'", "ASK 'how many orders are there'"),
        ),
        Scene(
            "High confidence beside another reading",
            "The reason counts all candidates. ASK CHOOSE 2 runs the other reading.",
            ("ASK 'delayed orders'", "ASK CHOOSE 2"),
        ),
        Scene(
            "Medium confidence",
            "The first line names words that the SQL does not use. The HINT has the next reading.",
            ("ASK 'revenue of orders we shipped'", "ASK CHOOSE 2"),
            {"ambiguity_margin": "0"},
        ),
        Scene(
            "Only NULL",
            "A warning stands in the first line.",
            ("ASK 'total of all refunds'",),
        ),
        Scene(
            "Less or no notice",
            "`brief` is the first line; `off` is none.",
            (
                "SET askwire.notices = brief",
                "ASK 'how many orders are there'",
                "SET askwire.notices = off",
                "ASK 'how many orders are there'",
            ),
        ),
        Scene(
            "Progress",
            "Shown after two seconds, here after 1 ms.",
            ("SET askwire.progress = '1ms'", "ASK 'a question that takes its time'"),
        ),
    ),
    "Refusals": (
        Scene(
            "Two readings fit",
            "The DETAIL shows rows on which they give different results.",
            ("ASK 'late orders'", "ASK CHOOSE 2"),
        ),
        Scene(
            "Confidence too low",
            "The best reading is shown. ASK CHOOSE runs it.",
            ("ASK 'orders that went wrong'", "ASK CHOOSE 1"),
        ),
        Scene(
            "Not understood",
            "The DETAIL names the words.",
            ("ASK 'why are sales down'",),
        ),
        Scene(
            "Where no notice is seen",
            "ask() in FROM, COPY and CREATE VIEW require high confidence.",
            (
                "SELECT * FROM ask('revenue of orders we shipped')",
                "SELECT * FROM ask('revenue of orders we shipped', 'accept low')",
            ),
            {"ambiguity_margin": "0"},
        ),
        Scene(
            "Refused by the safety gate",
            "askwire runs only single queries that read.",
            ("ASK 'delete old orders'",),
        ),
        Scene(
            "No reading runs",
            "The database refuses the best one.",
            ("ASK 'orders with no such column'",),
        ),
        Scene(
            "Out of time",
            "Within the TIMEOUT there was no answer.",
            ("ASK (TIMEOUT '100ms') 'a question that takes its time'",),
        ),
        Scene(
            "Not possible here",
            "The HINT says what to do instead.",
            (
                "INSERT INTO refunds VALUES (1, 5); ASK 'how many orders are there'",
                "ASK RIGHT; SELECT 1",
            ),
        ),
        Scene(
            "Malformed",
            "An error with the position.",
            ("ASK ''", "ASK (FAST) 'how many orders are there'", "ASK FORGET"),
        ),
    ),
    "Reports": (
        Scene(
            "ASK (SQL)",
            "The SQL alone. An ambiguous question has none.",
            ("ASK (SQL) 'late orders'", "ASK (SQL) 'how many orders are there'"),
        ),
        Scene(
            "ASK (WHY)",
            "How the decision came about.",
            ("ASK (WHY) 'revenue of orders we shipped'",),
            {"ambiguity_margin": "0"},
        ),
        Scene(
            "Why another candidate was not chosen",
            "Its last row. Candidates have the numbers of FORMAT JSON, readings those of ASK CHOOSE.",
            ("ASK (WHY, FRESH) 'delayed orders'",),
        ),
        Scene(
            "ASK (CHOICES)",
            "All readings, under the numbers that ASK CHOOSE takes.",
            ("ASK (CHOICES) 'late orders'",),
        ),
    ),
    "Feedback": (
        Scene(
            "Before any question",
            "There is nothing to judge, forget or approve.",
            ("ASK RIGHT", "ASK FORGET 'nothing of the kind'", "ASK FORGET 3", "ASK APPROVE 'x'"),
        ),
        Scene(
            "Right", "", ("ASK 'how many orders are there'", "ASK RIGHT", "ASK 'how many orders are there'")
        ),
        Scene(
            "Wrong",
            "The SQL is not used again; a person can give the right one.",
            (
                "ASK 'how many orders are there'",
                "ASK WRONG",
                "ASK 'how many orders are there'",
                "ASK WRONG 'SELECT count(*) FROM orders WHERE total > 1'",
                "ASK 'how many orders are there'",
                "ASK FORGET 'how many orders are there'",
            ),
        ),
        Scene(
            "A reading that does not exist",
            "The HINT has the numbers that do.",
            ("ASK 'late orders'", "ASK CHOOSE 9", "ASK RIGHT"),
        ),
        Scene(
            "Words",
            "A meaning is checked against the schema.",
            (
                "ASK LEARN 'late' AS 'shipped > required'",
                "ASK LEARN 'big' AS 'size > 3'",
                "ASK LEARN 'odd' AS 'something else entirely'",
                "ASK FORGET 'late'",
            ),
        ),
    ),
    "Settings": (
        Scene(
            "Wrong values",
            "As PostgreSQL says it of its own settings.",
            (
                "SET askwire.timeuot = '5s'",
                "SET askwire.timeout = 'soon'",
                "SET askwire.store = 'memory'",
                "SET askwire.timeout = '10min'",
                "SHOW askwire.timeout",
            ),
        ),
    ),
}
"""By part of the page, its scenes."""
