"""Queries of several experts that are one: one text, and each expert's own candidate."""

from __future__ import annotations

from askwire.core.types import Candidate, Question, ResultColumn, ResultSet, Verdict
from askwire.planner.merging import merge
from askwire.selector.clusters import cluster
from askwire.selector.posterior import Posterior
from askwire.selector.reliability import Reliability, estimate
from askwire.selector.strategy import Case
from askwire.selector.weighted_majority import votes

ONE = "SELECT o.id FROM orders o WHERE o.amount > 1"
ALIKE = "select orders.id from orders where (orders.amount > 1)"
OTHER = "SELECT count(*) FROM orders"


async def test_the_first_text_stands_for_all_and_each_keeps_what_is_its_own() -> None:
    given = [
        Candidate(ONE, "a", 2.0, reading="large orders"),
        Candidate(ALIKE, "b", 1.0, reading="orders above 1"),
        Candidate(OTHER, "b", 0.5),
        Candidate(ALIKE, "embedded", confidence=0.4),
    ]
    merged = await merge(given)
    assert [c.sql for c in merged] == [ONE, ONE, OTHER, ONE]
    assert [c.also for c in merged] == [("b", "embedded"), ("a", "embedded"), (), ("a", "b")]
    assert [(c.expert, c.score, c.reading, c.confidence) for c in merged] == [
        (c.expert, c.score, c.reading, c.confidence) for c in given
    ]


async def test_one_expert_s_texts_are_its_own_business() -> None:
    given = [Candidate(ONE, "a"), Candidate(ALIKE, "a")]
    assert await merge(given) == given
    assert await merge([*given[:1], Candidate(OTHER, "b")]) == [given[0], Candidate(OTHER, "b")]


async def test_votes_and_reliabilities_count_each_expert_of_a_merged_query() -> None:
    given = [
        Candidate(ONE, "a"),
        Candidate(ALIKE, "b"),
        Candidate(OTHER, "c"),
        Candidate(OTHER + " -- ", "b"),
    ]
    result = ResultSet((ResultColumn("id", 23),), (("7",),))
    count = ResultSet((ResultColumn("count", 20),), (("3",),))

    def case(candidates: list[Candidate]) -> Case:
        ran = [Verdict(c, c.sql, result=count if c.sql.startswith(OTHER) else result) for c in candidates]
        return Case(Question("which orders?"), cluster(ran))

    before, after = case(given), case(await merge(given))
    weights = {"a": 1.0, "b": 0.6, "c": 0.5}
    assert votes(after, weights) == votes(before, weights) == [1.3, 0.8]
    known: Reliability = estimate((), {"a": (9, 1), "b": (2, 2), "c": (0, 5)})
    expected = [(s.support, s.terms) for s in await Posterior(known).rank(before)]
    assert [(s.support, s.terms) for s in await Posterior(known).rank(after)] == expected
