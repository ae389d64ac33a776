"""The baselines: a lot, the first that runs, the majority; and someone who chooses."""

from __future__ import annotations

from collections import Counter

import pytest
from data.selection_cases import answer, best, case_of, rank, said, vote
from doubles.judge_doubles import ScriptedChooser

from askwire.selector.choosing import ApexSelect, MultipleChoice
from askwire.selector.strategy import Strategy
from askwire.selector.voting import ExecutionGuided, Majority, RandomChoice


def test_the_majority_wins_and_the_first_of_equals() -> None:
    assert best(Majority(), vote(1, 2, 2)) == "SELECT 2"
    assert best(Majority(), vote(2, 1, 1, 2)) == "SELECT 2"
    assert [s.support for s in rank(Majority(), vote(1, 2, 2))] == [
        pytest.approx(2 / 3),
        pytest.approx(1 / 3),
    ]


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


def test_apex_select_asks_only_to_break_a_tie() -> None:
    chooser = ScriptedChooser({"q": "SELECT 1"})
    assert best(ApexSelect(chooser), vote(1, 2, 2)) == "SELECT 2"
    assert best(ApexSelect(chooser), vote(2, 1)) == "SELECT 1"
    assert best(ApexSelect(chooser), vote(3, 3, 2, 2, 1)) == "SELECT 3"


@pytest.mark.parametrize("strategy", [Majority(), ExecutionGuided(), RandomChoice()])
def test_support_sums_to_one(strategy: Strategy) -> None:
    assert sum(s.support for s in rank(strategy, vote(1, 2, 2, 3))) == pytest.approx(1)
