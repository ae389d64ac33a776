"""Duels: points, draws, who meets whom, and that a ruling is worth what its judge has proved to be."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace

import pytest
from selection_cases import best, rank, vote

from askwire.core.types import Question, Verdict
from askwire.selector.dueling import Dueling
from askwire.selector.instances import Instance, Outcome, Separation
from askwire.selector.judge import Ruling, ScriptedJudge
from askwire.selector.judge_rates import JudgeRates, learn
from askwire.selector.strategy import Case
from askwire.selector.tournament import ChampionChallenger, SiTournament
from askwire.selector.voting import Majority

ONE, TWO, THREE = "SELECT 1", "SELECT 2", "SELECT 3"
ROWS = Instance((), ())


def with_rows(case: Case, *, found: bool = True) -> Case:
    async def separate(first: str, second: str) -> Separation:
        outcome = Outcome.SEPARATED if found else Outcome.NOT_SEPARATED
        return Separation(outcome, (first, second), instance=ROWS if found else None)

    return replace(case, separate=separate)


def test_points_decide_a_round_robin() -> None:
    judge = ScriptedJudge([(THREE, ONE), (THREE, TWO), (TWO, ONE)])
    standings = rank(SiTournament(judge), with_rows(vote(1, 1, 2, 3)))
    assert [s.cluster.representative.sql for s in standings] == [THREE, TWO, ONE]
    assert [s.support for s in standings] == [pytest.approx(x / 3) for x in (2, 1, 0)]
    assert len(judge.asked) == 3


def test_equal_points_fall_back_on_the_size_of_the_cluster() -> None:
    circle = ScriptedJudge([(ONE, TWO), (TWO, THREE), (THREE, ONE)])
    assert best(SiTournament(circle), with_rows(vote(1, 2, 2, 3))) == TWO
    assert best(SiTournament(ScriptedJudge()), with_rows(vote(1, 2, 3, 3))) == THREE


def test_without_rows_a_duel_is_a_draw_unless_the_judge_needs_none() -> None:
    judge = ScriptedJudge([(ONE, TWO)])
    for case in (vote(1, 2, 2), with_rows(vote(1, 2, 2), found=False)):
        assert best(SiTournament(judge), case) == TWO
        assert best(ChampionChallenger(judge), case) == TWO
    assert not judge.asked
    assert best(SiTournament(judge, needs_rows=False), vote(1, 2, 2)) == ONE


def test_only_the_two_largest_duel_for_champion_and_the_champion_keeps_a_draw() -> None:
    judge = ScriptedJudge([(TWO, ONE), (THREE, TWO)])
    assert best(ChampionChallenger(judge), with_rows(vote(1, 1, 1, 2, 2, 3))) == TWO
    assert judge.asked == [(ONE, TWO)]
    assert best(ChampionChallenger(ScriptedJudge()), with_rows(vote(1, 1, 2))) == ONE
    assert best(ChampionChallenger(judge), with_rows(vote(1))) == ONE


def test_a_ruling_moves_support_by_what_the_judge_is_worth() -> None:
    judge, case = ScriptedJudge([(TWO, ONE)]), vote(1, 1, 2)
    assert best(Dueling(Majority(), judge), case) == ONE
    assert best(Dueling(Majority(), judge, JudgeRates(0.9, 0.1)), case) == TWO
    assert best(Dueling(Majority(), judge, JudgeRates(0.6, 0.4)), case) == ONE
    assert best(Dueling(Majority(), ScriptedJudge(), JudgeRates(0.9, 0.1)), case) == ONE
    ranking = rank(Dueling(Majority(), judge, JudgeRates(0.9, 0.1)), case)
    assert sum(s.support for s in ranking) == pytest.approx(1)


def test_each_meets_each_and_who_wins_every_duel_comes_first() -> None:
    judge = ScriptedJudge([(THREE, ONE), (THREE, TWO), (ONE, TWO)])
    case, rates = vote(1, 1, 2, 3), JudgeRates(0.9, 0.1)
    assert best(Dueling(Majority(), judge, rates, most=2), case) == ONE
    assert judge.asked == [(ONE, TWO)]
    standings = rank(Dueling(Majority(), judge, rates, most=3), case)
    assert [s.cluster.representative.sql for s in standings] == [THREE, ONE, TWO]
    assert judge.asked[1:] == [(ONE, TWO), (ONE, THREE), (TWO, THREE)]
    assert sum(s.support for s in standings) == pytest.approx(1)


def test_equal_wins_fall_back_on_the_support_there_was() -> None:
    circle = ScriptedJudge([(ONE, TWO), (TWO, THREE), (THREE, ONE)])
    case = vote(1, 2, 2, 3)
    after = rank(Dueling(Majority(), circle, JudgeRates(0.9, 0.1), most=3), case)
    before = rank(Majority(), case)
    assert [s.cluster for s in after] == [s.cluster for s in before]
    assert [s.support for s in after] == [pytest.approx(s.support) for s in before]


def test_draws_move_nothing_and_a_fourth_stays_where_it_is() -> None:
    case = vote(1, 1, 1, 2, 2, 3, 3, 4)
    before = rank(Majority(), case)
    assert [
        s.support for s in rank(Dueling(Majority(), ScriptedJudge(), JudgeRates(0.9, 0.1), most=3), case)
    ] == [pytest.approx(s.support) for s in before]
    judge = ScriptedJudge([(TWO, ONE)])
    after = {
        s.cluster.representative.sql: s.support
        for s in rank(Dueling(Majority(), judge, JudgeRates(0.9, 0.1), most=3), case)
    }
    assert after["SELECT 4"] == pytest.approx(1 / 8)


def test_no_further_duel_is_begun_when_there_is_no_room() -> None:
    judge = ScriptedJudge()
    rank(Dueling(Majority(), judge, most=4, goes_on=lambda: len(judge.asked) < 2), vote(1, 1, 2, 3))
    assert judge.asked == [(ONE, TWO), (ONE, THREE)]
    rank(Dueling(Majority(), judge, most=4, goes_on=lambda: False), vote(1, 1, 2, 3))
    assert len(judge.asked) == 3, "the first is always held"


def test_what_is_clear_is_not_contested() -> None:
    judge = ScriptedJudge([(TWO, ONE)])
    assert best(Dueling(Majority(), judge, JudgeRates(0.9, 0.1), contested=0.4), vote(1, 1, 2)) == ONE
    assert not judge.asked


@pytest.mark.parametrize(
    ("right", "wrong"), [(0.9, 0.1), (0.7, 0.3), (0.5, 0.5), (0.3, 0.7), (0.9, 0.85), (0.58, 0.29)]
)
def test_rates_of_a_judge_are_learnt_from_rulings(right: float, wrong: float) -> None:
    drawn = random.Random(5)
    duels = []
    for _ in range(2000):
        prior = drawn.choice((0.55, 0.8, 0.95))
        named = right if drawn.random() < prior else wrong
        duels.append((prior, Ruling.FIRST if drawn.random() < named else Ruling.SECOND))
    rates = learn(duels)
    assert rates.favourite_right == pytest.approx(right, abs=0.1)
    assert rates.favourite_wrong == pytest.approx(wrong, abs=0.2)


def test_a_flatterer_is_worth_little_and_few_rulings_prove_nothing() -> None:
    assert abs(JudgeRates(0.9, 0.85).worth(Ruling.FIRST)) < 0.1
    few = learn([(0.6, Ruling.FIRST), (0.6, Ruling.SECOND), (0.6, Ruling.DRAW)])
    assert abs(few.worth(Ruling.SECOND)) < 0.1
    assert JudgeRates(0.9, 0.1).worth(Ruling.DRAW) == 0
    assert JudgeRates(0.001, 0.999).worth(Ruling.FIRST) == -2.5


def test_a_duel_is_ruled_by_the_judge_in_the_order_of_support() -> None:
    class Seen:
        name = "seen"

        async def rule(
            self, question: Question, first: Verdict, second: Verdict, instance: Instance | None
        ) -> Ruling:
            assert (question.text, first.sql, second.sql, instance) == ("q", TWO, ONE, None)
            return Ruling.DRAW

    asyncio.run(Dueling(Majority(), Seen()).rank(vote(1, 2, 2)))
