"""Scoring by execution on a small database of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from askwire.bench.cli import main
from askwire.bench.execution import normal
from askwire.bench.question_files import Gold, Prediction
from askwire.bench.score import GoldFails, QuestionOutcome, coverage, figures, score

if TYPE_CHECKING:
    from servers.databases import Database


@pytest.fixture(scope="module")
def dsn(make_database: Callable[[], Database]) -> str:
    """Schema `zoo`: three animals, one without a weight."""
    database = make_database()
    with psycopg.connect(database.dsn()) as connection:
        connection.execute("CREATE SCHEMA zoo")
        connection.execute("CREATE TABLE zoo.animals (name text, legs int, kg numeric)")
        connection.execute(
            "INSERT INTO zoo.animals VALUES ('ant', 6, NULL), ('bat', 2, 0.03), ('cat', 4, 4.5)"
        )
    return database.dsn()


def judge(
    dsn: str, gold: str | list[str], sql: str | None, *candidates: str, ordered: bool = False
) -> QuestionOutcome:
    golds = (gold,) if isinstance(gold, str) else tuple(gold)
    predicted = Prediction("a", sql, sql or (candidates[0] if candidates else None), 0.5, candidates)
    [scored] = score([Gold("a", "zoo", golds, ordered)], {"a": predicted}, dsn, timeout=2)
    return scored


@pytest.mark.parametrize(
    ("gold", "sql", "right"),
    [
        ("SELECT name FROM animals", "SELECT name FROM animals ORDER BY name DESC", True),
        ("SELECT name FROM animals", "SELECT name FROM animals UNION ALL SELECT 'cat'", False),
        ("SELECT name FROM animals", "SELECT name, legs FROM animals", False),
        ("SELECT legs, name FROM animals", "SELECT name, legs FROM animals", False),
        ("SELECT count(*) FROM animals", "SELECT 3.00001", True),
        ("SELECT count(*) FROM animals", "SELECT 3.001", False),
        ("SELECT legs = 4 FROM animals", "SELECT (legs = 4)::int FROM animals", True),
        ("SELECT kg FROM animals", "SELECT coalesce(kg, 0) FROM animals", False),
        ("SELECT date '2024-01-01'", "SELECT '2024-01-01'", True),
        ("SELECT name FROM animals WHERE legs = 9", "SELECT legs FROM animals WHERE false", True),
        ("SELECT 1", "SELECT nothing FROM nowhere", False),
        ("SELECT 1", "SELECT 1; SELECT 1", False),
        ("SELECT 1", "SELECT 1;", True),
    ],
)
def test_results_are_compared_not_texts(dsn: str, gold: str, sql: str, right: bool) -> None:
    assert judge(dsn, gold, sql).right is right


def test_order_counts_only_where_the_question_asks_for_it(dsn: str) -> None:
    gold, other = "SELECT name FROM animals ORDER BY name", "SELECT name FROM animals ORDER BY name DESC"
    assert judge(dsn, gold, other).right
    assert not judge(dsn, gold, other, ordered=True).right


def test_any_gold_will_do_and_a_broken_one_beside_it_is_ignored(dsn: str) -> None:
    golds = ["SELECT broken", "SELECT name FROM animals", "SELECT legs FROM animals"]
    assert judge(dsn, golds, "SELECT legs FROM animals").right


def test_no_running_gold_is_an_error(dsn: str) -> None:
    with pytest.raises(GoldFails, match="broken"):
        judge(dsn, "SELECT broken", "SELECT 1")


def test_a_runaway_and_an_endless_candidate_are_wrong_and_harm_nobody(dsn: str) -> None:
    assert not judge(dsn, "SELECT 1", "SELECT generate_series(1, 1000000000)").right
    endless = judge(dsn, "SELECT 1", "SELECT pg_sleep(60)")
    assert endless.error is not None
    assert "timeout" in endless.error


def test_nothing_a_prediction_does_lasts(dsn: str) -> None:
    judge(dsn, "SELECT 1", "WITH x AS (DELETE FROM animals RETURNING 1) SELECT * FROM x")
    assert judge(dsn, "SELECT count(*) FROM animals", "SELECT 3").right


def test_a_refusal_is_wrong_but_its_best_candidate_is_judged(dsn: str) -> None:
    scored = judge(dsn, "SELECT 1", None, "SELECT 1")
    assert (scored.answered, scored.right, scored.best_right, scored.rank) == (False, False, True, 1)


def test_rank_counts_distinct_results_and_skips_candidates_that_fail(dsn: str) -> None:
    scored = judge(dsn, "SELECT 3", None, "SELECT 1", "SELECT broken", "SELECT 1.0", "SELECT 2", "SELECT 3")
    assert scored.rank == 3


def test_rank_looks_no_further_than_ten_distinct_results(dsn: str) -> None:
    wrong = [f"SELECT {n}" for n in range(10)]
    assert judge(dsn, "SELECT 99", None, *wrong, "SELECT 99").rank is None
    assert judge(dsn, "SELECT 99", None, *wrong[:9], "SELECT 99").rank == 10


def outcome(
    confidence: float | None, right: bool, *, answered: bool = True, rank: int | None = None
) -> QuestionOutcome:
    return QuestionOutcome("a", "zoo", answered, answered and right, right, rank, confidence, None)


def test_coverage_is_the_largest_share_with_ninety_percent_right() -> None:
    outcomes = [outcome(1 - n / 100, n != 5) for n in range(20)] + [outcome(0.1, False)] * 5
    assert coverage(outcomes) == 80.0


def test_equal_confidences_stand_together() -> None:
    assert coverage([outcome(0.9, True), outcome(0.9, False)]) == 0.0


def test_coverage_without_confidences_is_unknown() -> None:
    assert coverage([outcome(None, True)]) is None


def test_figures() -> None:
    outcomes = [
        outcome(0.9, True, rank=1),
        outcome(0.8, False, rank=5),
        outcome(0.4, True, answered=False, rank=6),
        outcome(0.3, False, answered=False),
    ]
    assert figures(outcomes) == {
        "questions": 4,
        "answered": 2,
        "top1": 25.0,
        "precision": 50.0,
        "best1": 50.0,
        "pass5": 50.0,
        "pass10": 75.0,
        "coverage90": 25.0,
    }


def test_an_unanswered_question_counts_as_wrong(dsn: str) -> None:
    [scored] = score([Gold("a", "zoo", ("SELECT 1",), False)], {}, dsn)
    assert (scored.right, scored.error) == (False, "no prediction")


def test_numbers_that_are_none() -> None:
    assert normal(float("nan")) == "NaN"
    assert str(normal(-0.00001)) == "0.0"


def test_the_last_line_of_the_command_is_one_json_object(
    dsn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions, predictions, details = (tmp_path / name for name in ("q", "p", "d"))
    line = {"id": "a", "db_id": "zoo", "question": "how many?", "gold_sql": "SELECT count(*) FROM animals"}
    questions.write_text(json.dumps(line) + "\n")
    predictions.write_text('{"id": "a", "sql": "SELECT 3"}\n')
    code = main(
        [
            "score",
            "--dsn",
            dsn,
            "--questions",
            str(questions),
            "--predictions",
            str(predictions),
            "--details",
            str(details),
        ]
    )
    last: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert code == 0
    assert last["top1"] == 100.0
    assert last["databases"]["zoo"]["questions"] == 1
    assert json.loads(details.read_text())["right"] is True


def test_a_refused_question_is_not_answered_even_with_sql_beside_it(dsn: str) -> None:
    gold = "SELECT name FROM animals"
    predicted = Prediction("a", gold, gold, 0.1, (gold,), refused=True)
    [scored] = score([Gold("a", "zoo", (gold,), False)], {"a": predicted}, dsn, timeout=2)
    assert (scored.answered, scored.right, scored.best_right) == (False, False, True)


def test_on_demand_what_is_right_is_timed_beside_gold(
    capsys: pytest.CaptureFixture[str], dsn: str, tmp_path: Path
) -> None:
    slow = "SELECT count(*) FROM (SELECT pg_sleep(0.02)) s, animals"
    questions = tmp_path / "questions.jsonl"
    lines = [{"id": i, "db_id": "zoo", "question": "?", "gold_sql": "SELECT 3"} for i in "abc"]
    questions.write_text("".join(json.dumps(line) + "\n" for line in lines))
    predictions = tmp_path / "predictions.jsonl"
    made = [{"id": "a", "sql": "SELECT 3"}, {"id": "b", "sql": slow}, {"id": "c", "sql": "SELECT 4"}]
    predictions.write_text("".join(json.dumps(line) + "\n" for line in made))
    given = ["score", "--dsn", dsn, "--questions", str(questions), "--predictions", str(predictions)]
    assert main(given) == 0
    assert "ves" not in json.loads(capsys.readouterr().out.splitlines()[-1])
    assert main([*given, "--ves"]) == 0
    figures = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert figures["top1"] == 66.67
    assert 0 < figures["databases"]["zoo"]["ves"] == figures["ves"] < 66


def test_a_right_prediction_is_timed_against_the_fastest_gold(dsn: str) -> None:
    golds = ("SELECT 3 FROM (SELECT pg_sleep(0.02)) s", "SELECT 3")
    predicted = Prediction("a", "SELECT 3", "SELECT 3", 0.5, ())
    (one,) = score([Gold("a", "zoo", golds, False)], {"a": predicted}, dsn, timeout=2, timed=True)
    assert one.times is not None
    gold, own = one.times
    assert gold is not None
    assert own is not None
    assert gold < 20
    assert gold == own
