"""The posterior: what overturns a majority, what does not, and that calibrated candidates stay alone."""

from __future__ import annotations

import math

import pytest
from selection_cases import TEXT, answer, best, case_of, rank, said, vote

from askwire.core.types import Check
from askwire.selector.phrasing import Phrasing
from askwire.selector.posterior import CAP, WEAK, Posterior, Worth
from askwire.selector.reliability import Reliability
from askwire.selector.weighted_evidence import WeightedEvidence

NUMBER, NAMES = answer(("7",)), answer(("Ada",), ("Bo",), oids=(TEXT,))
COUNT, LIST = "SELECT count(*) FROM singer", "SELECT name FROM singer"


def test_the_majority_stands_where_nothing_else_speaks() -> None:
    assert best(Posterior(), vote(1, 2, 2)) == "SELECT 2"


def test_the_wording_of_the_question_can_overturn_a_narrow_majority() -> None:
    votes = [
        said("a", NUMBER, COUNT),
        said("b", NUMBER, COUNT),
        said("c", NAMES, LIST),
        said("d", NAMES, LIST),
        said("e", NAMES, LIST),
    ]
    assert best(Posterior(), case_of(votes, "How many singers do we have?")) == COUNT
    assert best(Posterior(), case_of(votes, "What are the names of all singers?")) == LIST


def test_no_source_alone_overturns_a_clear_majority() -> None:
    broken = Check("top_k", False, odds=1e-9)
    votes = [said("a", 1)] + [said(expert, 2, "", None, broken) for expert in "bcdefghij"]
    assert best(Posterior(), case_of(votes)) == "SELECT 2"
    assert Worth().votes * 0.8 > CAP


def test_weak_evidence_alone_does_not_overturn_the_votes() -> None:
    rows = answer(("1",), ("2",)), answer(("2",), ("3",))
    plain, ordered = "SELECT id FROM t", "SELECT id FROM t ORDER BY id"
    votes = [said(e, rows[0], plain) for e in "abc"] + [said(e, rows[1], ordered) for e in "de"]
    question = "List all ids of t in ascending order."
    only_order = Worth(traits={"order": 3.0})
    assert best(Posterior(worth=only_order), case_of(votes, question)) == plain


@pytest.mark.parametrize(("rule", "overturns"), [("not_zero", True), ("literal_unknown", False)])
def test_a_check_that_was_seldom_right_alone_does_not_overturn_the_votes(rule: str, overturns: bool) -> None:
    broken = Check(rule, False, odds=0.01)
    votes = [said(e, 1, "SELECT 1", None, broken) for e in "abc"] + [said(e, 2) for e in "de"]
    chosen = best(Posterior(worth=Worth(traits={})), case_of(votes))
    assert chosen == ("SELECT 2" if overturns else "SELECT 1")


def test_what_was_right_in_less_than_four_of_five_duels_is_weak() -> None:
    assert {"names", "shows sum", "key", "order", "says >", "weak checks"} == WEAK


def test_a_failed_check_decides_between_equals() -> None:
    broken = Check("top_k", False, odds=0.05)
    assert best(Posterior(), case_of([said("a", 1, "", None, broken), said("b", 2)])) == "SELECT 2"


def test_an_answer_without_rows_loses_against_one_with_rows_at_even_votes() -> None:
    assert best(Posterior(), case_of([said("a", answer(), "SELECT a"), said("b", 2)])) == "SELECT 2"


def test_reliable_experts_count_more_and_copies_count_less() -> None:
    sure = Reliability({"a": 0.95, "b": 0.55, "c": 0.55})
    assert best(Posterior(sure), vote(1, 2, 2)) == "SELECT 1"
    copies = Reliability({}, {("b", "c"): 1.0, ("b", "d"): 1.0, ("c", "d"): 1.0})
    assert best(Posterior(copies), vote(1, 2, 2, 2, 1)) == "SELECT 1"
    assert best(Posterior(), vote(1, 2, 2, 2, 1)) == "SELECT 2"


def test_candidates_that_are_all_calibrated_are_ranked_by_bayes_rule_alone() -> None:
    verdicts = [said("x", 1, "SELECT 1", 0.5), said("x", 2, "SELECT 2", 0.3), said("x", None, "SELECT", 0.1)]
    case = case_of(verdicts, "How many singers do we have?")
    assert rank(Posterior(), case) == rank(WeightedEvidence(), case)


def test_a_calibrated_expert_tips_a_tie_of_votes() -> None:
    tie = [said("a", 1), said("b", 2), said("x", 2, "SELECT 2", 0.8)]
    standings = rank(Posterior(), case_of(tie))
    assert standings[0].cluster.representative.sql == "SELECT 2"
    assert standings[0].confidence is None


def test_within_a_cluster_the_order_most_give_represents() -> None:
    rows = (("1",), ("2",)), (("2",), ("1",))
    texts = ("SELECT id FROM t ORDER BY id", "SELECT id FROM t ORDER BY id DESC")
    votes = [said(e, answer(*rows[n]), texts[n]) for e, n in zip("abc", (0, 1, 1), strict=True)]
    assert best(Posterior(), case_of(votes, "ids of t")) == texts[1]


def test_one_statement_that_all_agree_on_is_chosen_at_once() -> None:
    def unread() -> Phrasing:
        raise AssertionError("wording is not looked at")

    standings = rank(Posterior(phrasing=unread), vote(1, 1, 1))
    assert [s.support for s in standings] == [1.0]


def test_a_statement_that_does_not_parse_is_no_better_and_no_worse_for_it() -> None:
    standings = rank(Posterior(), case_of([said("a", 1, "SELECT ((("), said("b", 2, "SELECT 2")]))
    assert len(standings) == 2
    assert sum(s.support for s in standings) == pytest.approx(1)


def test_the_terms_of_a_ranking_add_up_to_its_support() -> None:
    broken = Check("top_k", False, odds=0.2)
    votes = [said("a", 1), said("b", 1), said("c", 2, "SELECT 2", None, broken), said("d", None)]
    ranking = rank(Posterior(), case_of(votes))
    odds = [sum(standing.terms.values()) for standing in ranking]
    shares = [math.exp(value - max(odds)) for value in odds]
    assert [s.support for s in ranking] == pytest.approx([share / sum(shares) for share in shares])
    assert ranking[0].terms["votes"] > ranking[1].terms["votes"]
    assert "checks" not in ranking[0].terms
    assert ranking[1].terms["checks"] < 0


def test_the_terms_of_confident_candidates_are_what_they_said_and_what_checks_made_of_it() -> None:
    broken = Check("top_k", False, odds=0.2)
    sure = [said("x", 1, "SELECT 1", 0.5), said("x", 2, "SELECT 2", 0.4, broken)]
    ranking = rank(WeightedEvidence(), case_of(sure))
    assert [math.exp(s.terms["confidence"]) for s in ranking] == pytest.approx([0.5, 0.4])
    assert [math.exp(sum(s.terms.values())) for s in ranking] == pytest.approx([s.support for s in ranking])
    assert ranking[1].terms["checks"] < ranking[0].terms["checks"]
