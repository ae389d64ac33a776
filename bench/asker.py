"""One client that asks questions through the wire and reads the decision report.

Owns: the statement that is sent and what a prediction line holds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

import psycopg
from psycopg import sql

from askwire.bench.question_files import BenchQuestion

Prediction = dict[str, Any]


class Asker(Protocol):
    """Asks one question at a time."""

    def prepare(self, asked: BenchQuestion) -> None:
        """Connect and choose the question's schema, so that `ask` measures the ASK alone.

        Raises psycopg.Error when that is not possible.
        """

    def ask(self, asked: BenchQuestion) -> Mapping[str, Any]:
        """The decision report of `ASK (WHY, FORMAT JSON)`: sql, confidence, error, candidates.

        An error of the proxy or the server becomes a report with that error.
        """

    def close(self) -> None:
        """Let go of the connection; safe to call again."""


class WireAsker:
    """An Asker over one connection, opened when it is first needed and again after it was lost."""

    def __init__(self, conninfo: str) -> None:
        self._conninfo = conninfo
        self._connection: psycopg.Connection[tuple[Any, ...]] | None = None
        self._schema: str | None = None

    def prepare(self, asked: BenchQuestion) -> None:
        """Connect if there is no connection, and set search_path if it is another."""
        connection = self._connected()
        if asked.db_id != self._schema:
            connection.execute(sql.SQL("SET search_path TO {}").format(sql.Identifier(asked.db_id)))
            self._schema = asked.db_id

    def ask(self, asked: BenchQuestion) -> Mapping[str, Any]:
        """One ASK as a simple query."""
        try:
            row = self._connected().execute(statement(asked).encode()).fetchone()
        except psycopg.Error as error:
            return {"error": {"code": error.sqlstate or "08006", "message": str(error).strip()}}
        report = json.loads(row[0]) if row and isinstance(row[0], str) else row and row[0]
        if not isinstance(report, Mapping):
            return {"error": {"code": "XX000", "message": f"expected a report, got {report!r}"}}
        return report

    def close(self) -> None:
        """Close the connection if there is one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connected(self) -> psycopg.Connection[tuple[Any, ...]]:
        if self._connection is None or self._connection.closed:
            self._connection = psycopg.connect(self._conninfo, autocommit=True, prepare_threshold=None)
            self._schema = None
        return self._connection


def statement(asked: BenchQuestion) -> str:
    """The ASK that is sent: `ASK (WHY, FORMAT JSON) 'how many singers?'`."""
    evidence = f", EVIDENCE {_literal(asked.evidence)}" if asked.evidence else ""
    return f"ASK (WHY, FORMAT JSON{evidence}) {_literal(asked.question)}"


def prediction(asked: BenchQuestion, report: Mapping[str, Any], *, refusals_null: bool = False) -> Prediction:
    """One line of the predictions file.

    `sql` is what would have been run; where the ASK was refused, `error` says so and `sql` is the best
    candidate's, or null with `refusals_null`. `best_sql` is the best candidate's in any case. Nothing in it
    depends on time.
    """
    candidates = [
        {name: candidate.get(name) for name in ("sql", "score", "confidence", "expert")}
        for candidate in report.get("candidates") or ()
    ]
    error = report.get("error")
    chosen = None if error else report.get("sql")
    best = chosen or (candidates[0]["sql"] if candidates else None)
    measured = _measured(report)
    confidence = report.get("confidence")
    if confidence is None and candidates:
        # what was refused is as sure as it was found to be, not as its author says
        confidence = measured["confidence"] if measured else candidates[0]["confidence"]
    return {
        "id": asked.id,
        "sql": chosen or (None if refusals_null else best),
        "best_sql": best,
        "confidence": confidence,
        "error": error,
        "candidates": candidates,
        "signals": measured["of"] if measured else None,
    }


def _measured(report: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The confidence of the best answer and the signals it was made of; None where nothing was measured."""
    found = [s for s in report.get("trace") or () if (s["stage"], s["name"]) == ("selector", "signals")]
    return found[-1] if found else None


def _literal(text: str) -> str:
    """A string literal under standard_conforming_strings."""
    return "'" + text.replace("'", "''") + "'"
