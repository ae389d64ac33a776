"""What an asker is shown about a decision."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pglast
import pytest

from askwire.core.errors import BeyondEngine
from askwire.core.trace import Trace
from askwire.core.types import (
    Alignment,
    Candidate,
    Check,
    Choice,
    Cluster,
    Question,
    ResultColumn,
    ResultSet,
    Span,
    Verdict,
)
from askwire.proxy.reports import report
from askwire.sql.literals import quote_literal


class _Still:
    def monotonic(self) -> float:
        return 1.0


CANDIDATE = Candidate(
    sql="SELECT count(*) FROM customers WHERE state = 'CA'",
    expert="embedded",
    score=2.5,
    confidence=0.8,
    reading="the number of customers in California",
    alignments=(
        Alignment(Span(9, 18, "customers"), "table", "customers"),
        Alignment(Span(22, 32, "California"), "value", "customers.state = 'CA'"),
    ),
)
RESULT = ResultSet((ResultColumn("count", 20),), (("3",),))
VERDICT = Verdict(CANDIDATE, CANDIDATE.sql, (Check("top-k", True),), RESULT)
RIVAL = Verdict(Candidate("SELECT 1", "embedded"), "SELECT 1", sqlstate="42P01", message="no such relation")
CHOICE = Choice(VERDICT, "the only reading", confidence=0.8)


def decision(**changes: object) -> report.Decision:
    given = {
        "question": Question('How many customers in California? It\'s \\ a "test"'),
        "choice": CHOICE,
        "error": None,
        "verdicts": (VERDICT, RIVAL),
        "trace": Trace(_Still()),
        **changes,
    }
    return report.Decision(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize("as_json", [True, False])
def test_reports_are_one_query_whatever_the_question_holds(as_json: bool) -> None:
    for text in ("plain", "it's", "back\\slash", "$$ dollar $$", "'; DROP TABLE t; --", "ünïcode \u2028"):
        for given in (
            decision(question=Question(text)),
            decision(question=Question(text), choice=None, error=BeyondEngine(text, detail=text)),
        ):
            (statement,) = pglast.parse_sql(report.why_query(given, as_json=as_json))
            assert type(statement.stmt).__name__ == "SelectStmt"


def test_json_report_tells_choice_candidates_and_trace() -> None:
    given = decision()
    given.trace.record("planner", "proposed", candidates=2)
    told = report.why_json(given)
    json.dumps(told)
    assert told["sql"] == CANDIDATE.sql
    assert told["error"] is None
    assert [c["message"] for c in told["candidates"]] == [None, "no such relation"]  # type: ignore[union-attr,index,call-overload]
    assert told["alignments"][1] == {  # type: ignore[index]
        "start": 22,
        "end": 32,
        "words": "California",
        "kind": "value",
        "target": "customers.state = 'CA'",
    }
    assert told["trace"] == [{"stage": "planner", "name": "proposed", "at_ms": 0.0, "candidates": 2}]


def test_json_report_of_a_refusal_has_the_error_and_no_sql() -> None:
    told = report.why_json(decision(choice=None, error=BeyondEngine("no", detail="d", hint="h")))
    assert told["sql"] is None
    assert told["error"] == {"code": "NL003", "message": "no", "detail": "d", "hint": "h"}


def test_sql_option_returns_the_sql_as_a_value() -> None:
    query = report.sql_query(CHOICE)
    assert "''CA''" in query
    pglast.parse_sql(query)


def test_why_tells_what_was_proposed_and_which_mends_made_of_it_what_ran() -> None:
    proposed = replace(CANDIDATE, sql='SELECT count(*) FROM customers WHERE state = "CA"')
    mended = replace(VERDICT, candidate=proposed, mends=("quoted_literals", "casts"))
    changed = decision(choice=replace(CHOICE, verdict=mended), verdicts=(mended, RIVAL))
    told = f"texts put into single quotes, a cast added; proposed was {proposed.sql}"
    assert quote_literal(told) in report.why_query(changed, as_json=False)
    assert "proposed was" not in report.why_query(decision(), as_json=False)
    candidates: Any = report.why_json(changed)["candidates"]
    first, second = candidates
    assert first["mended"] == {"from": proposed.sql, "by": ["quoted_literals", "casts"]}
    assert second["mended"] is None


def test_why_tells_why_a_candidate_was_not_chosen_under_the_number_that_json_gives_it() -> None:
    missing = Check("literal_occurs", False, "'fish' does not occur in pets.kind")
    empty = Verdict(
        Candidate("SELECT 2", "embedded"), "SELECT 2", (Check("top_k", True), missing), ResultSet((), ())
    )
    clusters = (Cluster((VERDICT,)), Cluster((empty,)))
    given = decision(choice=replace(CHOICE, clusters=clusters), verdicts=(VERDICT, RIVAL, empty))
    rows = report.why_query(given, as_json=False)
    assert quote_literal("candidate 2: SELECT 1  [no such relation]") in rows
    found = "not so: constants occur in the data ('fish' does not occur in pets.kind)"
    assert quote_literal(f"candidate 3, reading 2: SELECT 2  [0 rows; {found}]") in rows
    candidates: Any = report.why_json(given)["candidates"]
    assert [(c["number"], c["reading_number"]) for c in candidates] == [(1, 1), (2, None), (3, 2)]


def test_why_tells_who_had_no_answer_where_another_had_one() -> None:
    trace = Trace(_Still())
    trace.record("planner", "refused", expert="local", reason="host:1 refused the key (status 401)")
    told = report.why_query(decision(trace=trace), as_json=False)
    assert quote_literal("no answer") in told
    assert quote_literal("local: host:1 refused the key (status 401)") in told


def test_why_of_a_refusal_tells_what_to_do_next() -> None:
    error = BeyondEngine("no reading runs", hint="Name tables as the database does.")
    told = report.why_query(decision(choice=None, error=error), as_json=False)
    assert quote_literal("Name tables as the database does.") in told


def test_why_says_how_sure_and_names_checks_in_words_where_people_read() -> None:
    checks = Check("literal_spelled", False, "'Oslo' occurs as 'OSLO'"), Check("not_empty", True)
    checked = decision(choice=replace(CHOICE, verdict=replace(VERDICT, checks=checks)))
    rows = report.why_query(checked, as_json=False)
    assert quote_literal("Medium confidence (0.80). The only reading") in rows
    assert quote_literal("the answer has rows") in rows
    wrong = "not so: constants are spelled as in the data ('Oslo' occurs as 'OSLO')"
    assert quote_literal(wrong) in rows
    assert "literal_spelled" not in rows
    told = report.why_json(checked)
    assert told["certainty"] == "Medium confidence (0.80). The only reading"
    assert [c["rule"] for c in told["checks"]] == ["literal_spelled", "not_empty"]  # type: ignore[union-attr,index,call-overload]
