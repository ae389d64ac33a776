"""A run of questions: order, resumption, refusals, and that gold SQL has no way in."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg
import pytest

from askwire.bench.answer import answer, percentile
from askwire.bench.asker import prediction, statement
from askwire.bench.failure import BenchFailure
from askwire.bench.progress import Progress
from askwire.bench.question_files import BenchQuestion, read_asked

QUESTIONS = [BenchQuestion(f"q{n}", "s", f"question {n}", "") for n in range(6)]


class ScriptedAsker:
    """An asker whose report is a function of everything it is given; `hold` may make it wait or fail."""

    def __init__(self, hold: Callable[[BenchQuestion], None] = lambda asked: None) -> None:
        self.hold = hold
        self.prepared: list[str] = []
        self.closed = False

    def prepare(self, asked: BenchQuestion) -> None:
        self.prepared.append(asked.id)

    def ask(self, asked: BenchQuestion) -> Mapping[str, Any]:
        self.hold(asked)
        return {"sql": f"SELECT {asked!r}", "confidence": 0.5, "error": None, "candidates": []}

    def close(self) -> None:
        self.closed = True


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_lines_stand_in_the_order_of_the_questions_whoever_is_faster(tmp_path: Path) -> None:
    second_done = threading.Event()

    def hold(asked: BenchQuestion) -> None:
        if asked.id == "q0":
            assert second_done.wait(30)
        if asked.id == "q1":
            second_done.set()

    answer(QUESTIONS, tmp_path / "out", lambda: ScriptedAsker(hold), jobs=2)
    assert [line["id"] for line in lines(tmp_path / "out")] == [asked.id for asked in QUESTIONS]


def test_a_second_run_keeps_what_is_answered_and_asks_the_rest(tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = answer(QUESTIONS[:3], out, ScriptedAsker)
    asker = ScriptedAsker()
    second = answer(QUESTIONS, out, lambda: asker, jobs=1)
    assert (first.asked, second.kept, second.asked) == (3, 3, 3)
    assert asker.prepared == ["q3", "q4", "q5"]
    assert asker.closed
    assert len(lines(out)) == 6


def test_an_interrupted_run_leaves_whole_lines_and_a_cut_line_is_asked_again(tmp_path: Path) -> None:
    out = tmp_path / "out"

    def interrupt(asked: BenchQuestion) -> None:
        if asked.id == "q2":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answer(QUESTIONS, out, lambda: ScriptedAsker(interrupt), jobs=1)
    assert [line["id"] for line in lines(out)] == ["q0", "q1"]
    with out.open("a") as file:
        file.write('{"id": "q2", "sq')
    answer(QUESTIONS, out, ScriptedAsker)
    assert [line["id"] for line in lines(out)] == [asked.id for asked in QUESTIONS]


def test_gold_has_no_way_into_the_predictions(tmp_path: Path) -> None:
    """The asker's report shows all it was given; corrupting every other field must change no byte."""
    line = {"id": "a", "db_id": "s", "question": "how many?", "evidence": "of them"}
    golds = [
        {"gold_sql": "SELECT count(*) FROM t", "ordered": False},
        {"gold_sql": "DROP TABLE t", "golds": ["nonsense"], "ordered": True, "nondet": True, "trivial": True},
    ]
    written = []
    for number, gold in enumerate(golds):
        questions, out = tmp_path / f"q{number}", tmp_path / f"out{number}"
        questions.write_text(json.dumps(line | gold) + "\n")
        answer(read_asked(questions), out, ScriptedAsker)
        written.append(out.read_bytes())
    assert written[0] == written[1]
    assert b"of them" in written[0]


def test_no_connection_ends_the_run_with_its_reason(tmp_path: Path) -> None:
    class Unreachable(ScriptedAsker):
        def prepare(self, asked: BenchQuestion) -> None:
            raise psycopg.OperationalError("no server there")

    with pytest.raises(BenchFailure, match="no server there"):
        answer(QUESTIONS, tmp_path / "out", Unreachable)
    assert lines(tmp_path / "out") == []


REFUSED: dict[str, Any] = {
    "sql": None,
    "confidence": None,
    "error": {"code": "NL003", "message": "cannot place 'flurb'"},
    "candidates": [{"sql": "SELECT 1", "score": 2.5, "confidence": 0.25, "expert": "embedded", "more": 1}],
    "trace": [],
}


def test_a_refusal_tells_the_best_candidate_beside_its_error() -> None:
    line = prediction(QUESTIONS[0], REFUSED)
    assert line["sql"] == "SELECT 1"
    assert line["best_sql"] == "SELECT 1"
    assert line["confidence"] == 0.25
    assert line["error"]["code"] == "NL003"
    assert line["candidates"] == [{"sql": "SELECT 1", "score": 2.5, "confidence": 0.25, "expert": "embedded"}]


def test_sql_beside_an_error_is_a_refusal() -> None:
    line = prediction(QUESTIONS[0], REFUSED | {"sql": "SELECT 2"}, refusals_null=True)
    assert (line["sql"], line["best_sql"]) == (None, "SELECT 1")


def test_the_best_candidate_stands_in_where_it_was_refused_unless_nulls_are_wanted() -> None:
    assert prediction(QUESTIONS[0], REFUSED)["sql"] == "SELECT 1"
    assert prediction(QUESTIONS[0], REFUSED, refusals_null=True)["sql"] is None


def test_quotes_in_questions_and_evidence_are_doubled() -> None:
    asked = BenchQuestion("a", "s", "who is O'Neill?", "it's a name")
    assert statement(asked) == "ASK (WHY, FORMAT JSON, EVIDENCE 'it''s a name') 'who is O''Neill?'"


def test_figures_count_answers_errors_and_latency(tmp_path: Path) -> None:
    class RefusingAsker(ScriptedAsker):
        def ask(self, asked: BenchQuestion) -> Mapping[str, Any]:
            return REFUSED if asked.id == "q0" else super().ask(asked)

    run = answer(QUESTIONS, tmp_path / "out", RefusingAsker)
    figures = run.figures()
    assert (figures["asked"], figures["answered"], figures["errors"]) == (6, 5, {"NL003": 1})
    assert 0 <= figures["p50_ms"] <= figures["p95_ms"]


def test_what_was_sent_and_what_choosing_took_come_from_the_trace(tmp_path: Path) -> None:
    traces: dict[str, list[dict[str, Any]]] = {
        "q0": [
            {"stage": "selector", "name": "ended", "statements": 3, "ms": 8.0},
            {"stage": "session", "name": "sent", "statements": 11},
            {"stage": "session", "name": "read", "statements": 1000},
        ],
        # nothing was chosen: what was sent counts all the same
        "q1": [{"stage": "session", "name": "sent", "statements": 1}],
    }

    class TracedAsker(ScriptedAsker):
        def ask(self, asked: BenchQuestion) -> Mapping[str, Any]:
            return {**super().ask(asked), "trace": traces.get(asked.id, [])}

    figures = answer(QUESTIONS, tmp_path / "out", TracedAsker).figures()
    assert (figures["choosing_p50_ms"], figures["choosing_p95_ms"]) == (8.0, 8.0)
    assert (figures["statements_p50"], figures["statements_p95"]) == (6.0, 10.5)
    assert answer(QUESTIONS, tmp_path / "out", TracedAsker).figures()["statements_p50"] is None


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [([], 50, None), ([3.14159], 95, 3.1), ([1, 2, 3], 50, 2), (list(range(101)), 95, 95)],
)
def test_percentile(values: list[float], percent: int, expected: float | None) -> None:
    assert percentile(values, percent) == expected


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("out", "drawn"), [(Terminal(), True), (StringIO(), False)])
def test_the_bar_is_drawn_on_terminals_only(out: StringIO, drawn: bool) -> None:
    with Progress("asking", 2, out) as bar:
        bar.step()
        bar.step()
    assert ("asking [" in out.getvalue()) is drawn
    assert ("2/2" in out.getvalue()) is drawn
