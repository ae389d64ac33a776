"""The majority, and a chooser that breaks its ties."""

from __future__ import annotations

import pytest
from data.selection_cases import best, rank, vote
from doubles.judge_doubles import ScriptedChooser

from askwire.selector.strategy import Strategy
from askwire.selector.voting import ApexSelect, Majority


def test_the_majority_wins_and_the_first_of_equals() -> None:
    assert best(Majority(), vote(1, 2, 2)) == "SELECT 2"
    assert best(Majority(), vote(2, 1, 1, 2)) == "SELECT 2"
    assert [s.support for s in rank(Majority(), vote(1, 2, 2))] == [
        pytest.approx(2 / 3),
        pytest.approx(1 / 3),
    ]


def test_apex_select_asks_only_to_break_a_tie() -> None:
    chooser = ScriptedChooser({"q": "SELECT 1"})
    assert best(ApexSelect(chooser), vote(1, 2, 2)) == "SELECT 2"
    assert best(ApexSelect(chooser), vote(2, 1)) == "SELECT 1"
    assert best(ApexSelect(chooser), vote(3, 3, 2, 2, 1)) == "SELECT 3"


@pytest.mark.parametrize("strategy", [Majority(), ApexSelect(ScriptedChooser({}))])
def test_support_sums_to_one(strategy: Strategy) -> None:
    assert sum(s.support for s in rank(strategy, vote(1, 2, 2, 3))) == pytest.approx(1)
