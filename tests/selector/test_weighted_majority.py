"""Weighted majority: weights count."""

from __future__ import annotations

from data.selection_cases import best, case_of, said, vote

from askwire.selector.weighted_majority import WeightedMajority, votes


def test_a_heavy_expert_outvotes_two_light_ones() -> None:
    assert best(WeightedMajority({"a": 3.0}), vote(1, 2, 2)) == "SELECT 1"
    assert best(WeightedMajority(), vote(1, 2, 2)) == "SELECT 2"


def test_an_expert_with_several_candidates_has_one_vote_and_failures_keep_their_part() -> None:
    several = case_of([said("a", 1), said("a", 3), said("b", 2)])
    assert best(WeightedMajority(), several) == "SELECT 2"
    failed = case_of([said("a", 1), said("a", None), said("b", 2)])
    assert votes(failed, {}) == [0.5, 1.0]
