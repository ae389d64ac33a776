"""Training of the embedded engine: what a fit learns, what folds leave out, files of the same bytes."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from askwire.bench.question_files import BenchQuestion, Gold
from askwire.bench.splits import part_of
from askwire.bench.train_embedded.collect import (
    Outcome,
    QuestionProposals,
    in_other_words,
    parts,
    read,
    swapped_questions,
    write,
)
from askwire.bench.train_embedded.fit import EARLIER_FIT_PULL, HELD_WEIGHTS, earlier, fit
from askwire.bench.train_embedded.folds import FOLDS, figures, fold_of, left_out, ranked
from askwire.bench.train_embedded.result_cache import ResultCache
from askwire.bench.train_embedded.sureness import MAX_WEIGHTS, fit_confidence
from askwire.planner.embedded.ranking.confidence import SIGNALS


def asking(db_id: str, *outcomes: tuple[dict[str, float], bool]) -> QuestionProposals:
    return QuestionProposals(db_id, tuple(Outcome(f, r, result=str(n)) for n, (f, r) in enumerate(outcomes)))


GOOD, BAD, HABIT = {"good": 1.0}, {"bad": 1.0}, {"f:group_first": 1.0}
ASKINGS = [asking(f"db{n}", (GOOD, True), (BAD, False), (HABIT, n % 2 == 0)) for n in range(60)]


def test_a_fit_prefers_what_was_right() -> None:
    weights = fit([a.outcomes for a in ASKINGS], {})
    assert weights["good"] > 0 > weights["bad"]


def test_habits_are_set_and_not_fitted() -> None:
    weights = fit([a.outcomes for a in ASKINGS], {"f:group_first": 9.0})
    assert weights["f:group_first"] == HELD_WEIGHTS["f:group_first"]


def test_questions_that_teach_nothing_leave_the_prior() -> None:
    only_right = [asking("db", (GOOD, True)), asking("db", (GOOD, True), (BAD, True))]
    assert fit([a.outcomes for a in only_right], {"good": 0.5})["good"] == 0.5


def test_every_question_is_ranked_by_a_fit_without_its_database() -> None:
    # only the databases of one fold show that 'odd' is right: no other fold's fit can tell them so
    alone = [a for a in ASKINGS if fold_of(a.db_id) == 0]
    odd = [asking(a.db_id, ({"odd": 1.0}, True), (GOOD, False)) for a in alone]
    rest = [a for a in ASKINGS if fold_of(a.db_id) != 0]
    for place, ranking in enumerate(left_out([*rest, *odd], {})):
        if place >= len(rest):
            assert not ranking[0][1].right
    assert 0 < len(alone) < len(ASKINGS)
    assert {fold_of(a.db_id) for a in ASKINGS} == set(range(FOLDS))


def test_figures_count_distinct_results() -> None:
    same = Outcome(BAD, right=False, result="x")
    right = Outcome(GOOD, right=True, result="y")
    ranking = [(0.0, same)] * 9 + [(0.0, right)]
    assert figures([ranking, []]) == {"questions": 2, "best1": 0.0, "pass5": 50.0, "any": 50.0}


def test_confidence_is_never_raised_by_what_is_left_out() -> None:
    askings = [
        QuestionProposals("db", (Outcome({}, right=bool(n % 3), left={"left:word": n % 2}),))
        for n in range(90)
    ]
    weights = fit_confidence([ranked(a, {}) for a in askings])
    assert set(weights) == {"bias", *SIGNALS}
    assert all(weights[name] <= most for name, most in MAX_WEIGHTS.items())


def test_a_fit_held_to_an_earlier_one_moves_little() -> None:
    before = {"good": 1.0, "bad": 1.0}
    near = fit([a.outcomes for a in ASKINGS], before, pull=EARLIER_FIT_PULL)
    far = fit([a.outcomes for a in ASKINGS], before)
    assert 1.0 < near["good"] < far["good"]
    assert 1.0 > near["bad"] > far["bad"]
    assert all(value == earlier().get(name, value) for name, value in HELD_WEIGHTS.items())


def test_other_words_are_asked_on_a_share_of_the_databases_for_tuning() -> None:
    asked = (
        BenchQuestion("1", "db", "How many students are there?", ""),
        Gold("1", "db", ("SELECT 1",), ordered=False),
    )
    questions = {f"db{n}": [asked] for n in range(40)}
    plain, worded = parts("dsn", questions, "")
    assert plain.questions == questions
    assert plain.way == ""
    assert 0 < len(worded.questions) < len(questions)
    assert all(part_of(db_id) == "tuning" and in_other_words(db_id) for db_id in worded.questions)
    assert next(iter(worded.questions.values()))[0][0].question == "How many pupils are there?"


def test_questions_without_a_synonym_are_not_asked_again() -> None:
    asked = BenchQuestion("1", "db", "How many sprockets?", ""), Gold("1", "db", ("SELECT 1",), ordered=False)
    assert swapped_questions([asked]) == []


def test_outcomes_are_read_as_written_and_written_as_the_same_bytes(tmp_path: Path) -> None:
    write(tmp_path / "a.gz", ASKINGS)
    write(tmp_path / "b.gz", read(tmp_path / "a.gz"))
    assert read(tmp_path / "a.gz") == ASKINGS
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


@pytest.mark.parametrize("kept", [True, False])
def test_results_are_kept_between_runs_where_a_folder_is_given(tmp_path: Path, kept: bool) -> None:
    folder = tmp_path / "results" if kept else None
    with ResultCache(folder, "db") as cache:
        cache.put("SELECT 1", ("a", "b"))
        assert cache.get("SELECT 1") == ("a", "b")
    with ResultCache(folder, "db") as cache:
        assert cache.get("SELECT 1") == (("a", "b") if kept else None)


def test_the_shipped_file_holds_both_models_and_says_its_licence() -> None:
    told = json.loads(files("askwire.planner.embedded.ranking").joinpath("weights.json").read_text("utf-8"))
    assert "CC BY-SA 4.0" in told["licence"]
    assert set(told["confidence"]) == {"bias", *SIGNALS}
    assert all(told["rank"][name] == value for name, value in HELD_WEIGHTS.items() if value)
