"""The posterior: what overturns a majority, what does not, and that calibrated candidates stay alone."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from data.selection_cases import TEXT, answer, best, case_of, rank, said, vote

from askwire.core.clock import MonotonicClock
from askwire.core.settings.table import load
from askwire.core.trace import Trace
from askwire.core.types import EXPLAINED_EMPTY_ODDS, Check, Choice, Question, Verdict
from askwire.selector import select
from askwire.selector.dueling import DuelingStrategy
from askwire.selector.judge import Ruling
from askwire.selector.judge_rates import JudgeRates
from askwire.selector.phrasing import PhrasingModel
from askwire.selector.posterior import Posterior, Worth
from askwire.selector.reliability import Ballot, Reliability
from askwire.selector.strategy import ByMeaning

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


def test_no_check_alone_overturns_a_clear_majority() -> None:
    broken = Check("top_k", False, odds=1e-9)
    votes = [said("a", 1)] + [said(expert, 2, "", None, broken) for expert in "bcdefghij"]
    assert best(Posterior(), case_of(votes)) == "SELECT 2"


def test_a_failed_check_decides_between_equals() -> None:
    broken = Check("top_k", False, odds=0.05)
    assert best(Posterior(), case_of([said("a", 1, "", None, broken), said("b", 2)])) == "SELECT 2"


def test_a_further_column_counts_against_an_answer_once() -> None:
    wide = answer(("Ada", "7"), ("Bo", "9"), oids=(TEXT, 23))
    question, text = "What are the names of all singers?", "SELECT name, age FROM singer"

    def against(*checks: Check) -> float:
        case = case_of([said("x", NAMES, LIST, 0.2), said("a", wide, text, None, *checks)], question)
        standings = rank(Posterior(), case)
        return next(sum(s.terms.values()) for s in standings if s.cluster.representative.sql == text)

    worded = against()
    mild, grave = (against(Check("columns", False, odds=odds)) for odds in (0.9, 1e-9))
    # the wording sees the column already: a check that says less adds nothing
    assert mild == pytest.approx(worded)
    assert worded - 3 < grave <= worded
    # another fault counts in full
    other = Check("top_k", False, odds=0.05)
    assert against(other) < worded - 2
    assert against(Check("columns", False, odds=0.05), other) == pytest.approx(against(other))


def test_an_answer_without_rows_loses_against_one_with_rows_at_even_votes() -> None:
    assert best(Posterior(), case_of([said("a", answer(), "SELECT a"), said("b", 2)])) == "SELECT 2"


def _zero(expert: str, sql: str, odds: float) -> Verdict:
    return said(expert, 0, sql, None, Check("not_zero", False, "why", odds))


@pytest.mark.parametrize(
    ("odds", "lowered"), [(EXPLAINED_EMPTY_ODDS - 0.1, True), (EXPLAINED_EMPTY_ODDS, False)]
)
def test_a_zero_whose_reason_the_data_show_is_no_empty_answer(odds: float, lowered: bool) -> None:
    standings = rank(Posterior(), case_of([_zero("a", "SELECT a", odds), said("b", 2)]))
    zero = next(s for s in standings if s.cluster.representative.sql == "SELECT a")
    assert ("empty" in zero.terms) == lowered


def test_where_all_answers_are_empty_that_counts_against_none() -> None:
    votes = [said("a", answer(), "SELECT a"), said("b", 0, "SELECT b")]
    assert ["empty" in s.terms for s in rank(Posterior(), case_of(votes))] == [False, False]


def test_beside_a_calibrated_empty_answer_one_with_rows_gains() -> None:
    votes = [said("x", answer(), "SELECT x", 0.9), said("b", 2, "SELECT b")]
    empty = {s.cluster.representative.sql: s.terms.get("empty") for s in rank(Posterior(), case_of(votes))}
    assert empty == {"SELECT x": None, "SELECT b": Worth().empty}


def test_reliable_experts_count_more_and_copies_count_less() -> None:
    sure = Reliability({"a": 0.95, "b": 0.3, "c": 0.3})
    assert best(Posterior(sure), vote(1, 2, 2)) == "SELECT 1"
    pairs = [("b", "c"), ("b", "d"), ("c", "d")]
    copies = Reliability({}, dict.fromkeys(pairs, 1.0) | {("a", "e"): 0.0})
    assert best(Posterior(copies), vote(1, 2, 2, 2, 1)) == "SELECT 1"
    assert best(Posterior(), vote(1, 2, 2, 2, 1)) == "SELECT 2"


def test_calibrated_candidates_alone_follow_bayes_rule_and_wording_is_not_looked_at() -> None:
    broken = Check("top_k", False, odds=0.2)
    verdicts = [
        said("x", 1, "SELECT 1", 0.5),
        said("x", 2, "SELECT 2", 0.3, broken),
        said("x", None, "SELECT", 0.1),
    ]
    standings = rank(Posterior(phrasing=unread), case_of(verdicts, "How many singers do we have?"))
    # 0.5, and 0.3 at a fifth of its odds, of these and the tenth that no candidate has; the failed one is out
    assert [s.support for s in standings] == pytest.approx([0.5 / 0.66, 0.06 / 0.66])
    assert [s.confidence for s in standings] == [s.support for s in standings]


def test_a_candidate_that_may_not_run_keeps_its_share_for_no_answer() -> None:
    kept = [said("x", 1, "SELECT 1", 0.5), replace(said("x", None, "SELECT t", 0.4), sqlstate="42501")]
    assert rank(Posterior(), case_of(kept))[0].support == pytest.approx(0.5)


def test_a_calibrated_expert_tips_a_tie_of_votes() -> None:
    tie = [said("a", 1), said("b", 2), said("x", 2, "SELECT 2", 0.8)]
    standings = rank(Posterior(), case_of(tie))
    assert standings[0].cluster.representative.sql == "SELECT 2"


@pytest.mark.parametrize("broken", [1, 6])
def test_candidates_that_failed_change_nothing(broken: int) -> None:
    own = [said("x", 1, "SELECT 1", 0.02), said("x", 2, "SELECT 2", 0.01)]
    failing = [said("model", None, f"SELECT missing{n}") for n in range(broken)]
    alone, beside = rank(Posterior(), case_of(own)), rank(Posterior(), case_of([*own, *failing]))
    assert [(s.support, s.confidence) for s in alone] == [(s.support, s.confidence) for s in beside]


def test_a_statement_that_says_nothing_of_the_question_moves_a_sure_answer_little() -> None:
    question = "How many singers were born after 1980?"
    own = said("x", 7, "SELECT count(*) FROM singer WHERE birth_year > 1980", 0.6)
    other = said("model", NAMES, "SELECT title FROM album")
    first, second = rank(Posterior(), case_of([own, other], question))
    assert first.cluster.representative.sql == own.sql
    assert first.support > 1.5 * second.support
    told = said("model", NAMES, "SELECT name FROM singer WHERE birth_year > 1980")
    beside = {s.cluster.representative.sql: s for s in rank(Posterior(), case_of([own, told], question))}
    assert beside[own.sql].support < 0.9 * first.support
    assert beside[told.sql].confidence == pytest.approx(0.09, abs=0.02)  # 'how many' is no list of names


def test_an_expert_known_to_be_wrong_is_refused_where_it_is_alone() -> None:
    alone = case_of([said("model", 7, COUNT)], "How many singers are there?")
    known = Reliability({"model": 0.03})
    assert rank(Posterior(known), alone)[0].support < 0.2 < 0.5 < rank(Posterior(), alone)[0].support


def test_the_text_of_a_cluster_is_its_best_supported_author_s() -> None:
    """The engine's improbable reading has the same rows today; the model's text runs and is pinned."""
    rows = answer(("Ada",), oids=(TEXT,))
    model = said("model", rows, "SELECT name FROM film GROUP BY name ORDER BY avg(rating) LIMIT 1")
    engine = said("embedded", rows, "SELECT name FROM film ORDER BY rating LIMIT 1", 0.05)
    assert best(Posterior(), case_of([engine, model], "name of the worst film")) == model.sql
    sure = said("embedded", rows, engine.sql, 0.9)
    known = Reliability({"model": 0.1})
    assert best(Posterior(known), case_of([model, sure], "name of the worst film")) == engine.sql


def test_ballots_are_noted_for_learning() -> None:
    noted: list[Ballot] = []
    rank(Posterior(noted=noted.append), vote(1, 2, 2))
    assert [sorted(option.voters) for option in noted[0]] == [["a"], ["b", "c"]]


def unread() -> PhrasingModel:
    raise AssertionError("wording is not looked at")


def test_within_a_cluster_the_order_most_give_represents() -> None:
    rows = (("1",), ("2",)), (("2",), ("1",))
    texts = ("SELECT id FROM t ORDER BY id", "SELECT id FROM t ORDER BY id DESC")
    votes = [said(e, answer(*rows[n]), texts[n]) for e, n in zip("abc", (0, 1, 1), strict=True)]
    assert best(Posterior(), case_of(votes, "ids of t")) == texts[1]


def test_the_wording_is_not_looked_at_where_all_give_one_statement() -> None:
    standings = rank(Posterior(phrasing=unread), vote(1, 1, 1))
    assert standings[0].support > rank(Posterior(phrasing=unread), vote(1))[0].support


def test_a_statement_that_does_not_parse_is_no_better_and_no_worse_for_it() -> None:
    standings = rank(Posterior(), case_of([said("a", 1, "SELECT ((("), said("b", 2, "SELECT 2")]))
    assert len(standings) == 2
    assert sum(s.support for s in standings) < 1


def test_the_terms_of_a_ranking_say_what_decided() -> None:
    broken = Check("top_k", False, odds=0.2)
    votes = [said("a", 1), said("b", 1), said("c", 2, "SELECT 2", None, broken), said("d", None)]
    ranking = rank(Posterior(), case_of(votes))
    odds = [sum(standing.terms.values()) for standing in ranking]
    assert ranking[0].support / ranking[1].support == pytest.approx(math.exp(odds[0] - odds[1]))
    assert ranking[0].terms["votes"] > ranking[1].terms["votes"]
    assert "checks" not in ranking[0].terms
    assert ranking[1].terms["checks"] < 0


SAME_TODAY = [
    said("a", 5, "SELECT by_chance"),
    said("b", 5, "SELECT meant"),
    said("c", 5, "SELECT meant_too"),
    said("d", 6, "SELECT other"),
]


def by_meaning(*alone: str) -> ByMeaning:
    """Groups of verdicts: these texts each by themselves, the rest together."""

    async def grouped(verdicts: Sequence[Verdict]) -> list[list[Verdict]]:
        rest = [v for v in verdicts if v.sql not in alone]
        return [*([v] for v in verdicts if v.sql in alone), *filter(None, [rest])]

    return grouped


def test_the_text_is_of_the_reading_with_the_most_behind_it() -> None:
    case = replace(case_of(SAME_TODAY), by_meaning=by_meaning("SELECT by_chance"))
    found = rank(Posterior(), case)
    assert [s.alike_today for s in found] == [True, True, False]
    assert [s.cluster.representative.sql for s in found][1:] == ["SELECT by_chance", "SELECT other"]
    assert found[0].cluster.representative.sql in ("SELECT meant", "SELECT meant_too")
    whole = rank(Posterior(), case_of(SAME_TODAY))[0]
    assert found[0].support + found[1].support == pytest.approx(whole.support)
    assert (found[0].confidence or 0) + (found[1].confidence or 0) == pytest.approx(whole.confidence)


def test_rows_are_answered_with_what_their_readings_have_together() -> None:
    """Each reading alone has less than the other answer; the rows have more."""
    one, two = "SELECT one", "SELECT two"
    verdicts = [said("a", 5, one, 0.35), said("a", 5, two, 0.25), said("a", 6, "", 0.4)]

    async def chosen() -> Choice:
        trace = Trace(MonotonicClock())
        settings = load({"ambiguity_margin": "0", "answer_confidence": "0.5"})
        alone = by_meaning("SELECT one", "SELECT two")
        return await select(Question("q"), verdicts, settings, trace, strategy=Posterior(), by_meaning=alone)

    choice = asyncio.run(chosen())
    assert choice.verdict.sql == "SELECT one"
    assert choice.support == pytest.approx(0.6)
    assert choice.alike_today == 1
    assert [c.representative.sql for c in choice.clusters] == ["SELECT one", "SELECT two", "SELECT 6"]


def test_nothing_is_compared_where_one_text_has_nearly_all_support() -> None:
    async def never(_verdicts: Sequence[Verdict]) -> list[list[Verdict]]:
        raise AssertionError("compared")

    sure = [said("a", 5, "SELECT one", 0.9), said("a", 5, "SELECT two", 0.05)]
    (only,) = rank(Posterior(), replace(case_of(sure), by_meaning=never))
    assert not only.alike_today
    with pytest.raises(AssertionError, match="compared"):
        rank(Posterior(settled=1.0), replace(case_of(sure), by_meaning=never))


def test_a_judge_decides_between_readings_with_the_same_rows() -> None:
    class Second:
        name = "second"

        async def rule(self, _question: Question, first: Verdict, second: Verdict, _rows: object) -> Ruling:
            return Ruling.FIRST if first.sql == "SELECT by_chance" else Ruling.SECOND

    case = replace(case_of(SAME_TODAY[:3]), by_meaning=by_meaning("SELECT by_chance"))
    rates = JudgeRates(0.98, 0.02)
    found = rank(
        DuelingStrategy(Posterior(Reliability({"a": 0.9, "b": 0.9, "c": 0.3})), Second(), rates), case
    )
    assert found[0].cluster.representative.sql == "SELECT by_chance"
