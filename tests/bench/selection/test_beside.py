"""One expert beside the engine, offline: an expert's answers count for the questions after them."""

from __future__ import annotations

from data.selection_cases import case_of, said

from askwire.bench.question_files import Gold
from askwire.bench.selection.beside import QuestionEnd, asked, figures, with_made
from askwire.bench.selection.pool import PoolQuestion
from askwire.bench.selection.run import ENGINE, TriedQuestion


def tried(expert: int | None, engine: float, count: int) -> list[TriedQuestion]:
    """Questions that the engine answers with 1, this sure, and the expert so (None: its query fails)."""
    case = case_of([said("model", expert), said(ENGINE, 1, "SELECT 1", engine)])
    return [TriedQuestion(PoolQuestion(str(n), "x", "q", "", ()), case) for n in range(count)]


RIGHT = {(str(n), f"SELECT {answer}"): answer == 1 for n in range(60) for answer in (1, 2)}


def test_a_model_that_contradicts_a_sure_engine_is_soon_overruled() -> None:
    told = [one.right for one in asked(tried(2, 0.95, 60), RIGHT, "model")]
    assert told[-40:] == [True] * 40


def test_a_model_whose_queries_fail_changes_nothing() -> None:
    for confidence, becomes in ((0.85, QuestionEnd(True, 0.85)), (0.3, QuestionEnd(None, sqlstate="NL003"))):
        assert asked(tried(None, confidence, 3), RIGHT, "model") == [becomes] * 3


def test_figures_count_what_a_refusal_would_take_away() -> None:
    ended = [
        QuestionEnd(True, 0.9),
        QuestionEnd(True, 0.25),
        QuestionEnd(False, 0.1),
        QuestionEnd(None, sqlstate="NL003"),
    ]
    assert figures("model", ended) == {
        "expert": "model",
        "right": 2,
        "wrong": 1,
        "refused": {"NL003": 1},
        "below": {"0.15": [0, 1], "0.2": [0, 1], "0.3": [1, 1], "0.4": [1, 1], "0.5": [1, 1], "0.65": [1, 1]},
    }


def test_experts_that_no_system_is_join_the_pool() -> None:
    pool = [PoolQuestion(i, "x", "q", "", (("a", "SELECT 0"),)) for i in ("1", "2")]
    golds = [Gold(i, "x", (f"SELECT {i}",), False) for i in ("1", "2")]
    joined = with_made(pool, golds, ["gold", "a"])
    assert [one.proposals for one in joined] == [
        (("a", "SELECT 0"), ("gold", f"SELECT {i}")) for i in ("1", "2")
    ]
