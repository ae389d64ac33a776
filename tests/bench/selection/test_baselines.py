"""The baselines: a lot, the first that runs, and someone who chooses among all."""

from __future__ import annotations

from collections import Counter

import pytest
from data.selection_cases import answer, best, case_of, rank, said, vote
from doubles.judge_doubles import ScriptedChooser

from askwire.bench.selection.baselines import ExecutionGuided, MultipleChoice, RandomChoice
from askwire.selector.strategy import Strategy


def test_execution_guided_takes_the_first_that_runs_and_on_demand_the_first_with_rows() -> None:
    empty_first = case_of([said("a", None), said("b", answer(), "SELECT b"), said("c", 1)])
    assert best(ExecutionGuided(), empty_first) == "SELECT b"
    assert best(ExecutionGuided(rows=True), empty_first) == "SELECT 1"


def test_a_lot_hangs_on_seed_and_question_alone_and_falls_on_failures_too() -> None:
    drawn = Counter(best(RandomChoice(seed), vote(1, 2, None)) for seed in range(300))
    assert set(drawn) == {"SELECT 1", "SELECT 2", "SELECT None"}
    assert min(drawn.values()) > 60
    assert best(RandomChoice(7), vote(1, 2, 3)) == best(RandomChoice(7), vote(1, 2, 3))
    questions = {best(RandomChoice(), vote(1, 2, 3, question=f"q{n}")) for n in range(30)}
    assert len(questions) == 3


def test_the_chooser_of_multiple_choice_overrules_the_majority_and_may_abstain() -> None:
    chooser = ScriptedChooser({"q": "SELECT 1"})
    assert best(MultipleChoice(chooser), vote(1, 2, 2)) == "SELECT 1"
    assert best(MultipleChoice(chooser), vote(1, 2, 2, question="other")) == "SELECT 2"


@pytest.mark.parametrize("strategy", [ExecutionGuided(), RandomChoice()])
def test_support_sums_to_one(strategy: Strategy) -> None:
    assert sum(s.support for s in rank(strategy, vote(1, 2, 2, 3))) == pytest.approx(1)
