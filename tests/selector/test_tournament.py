"""Duels: points, draws, who meets whom, and that a ruling is worth what its judge has proved to be."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from itertools import pairwise

import pytest
from data.selection_cases import best, rank, vote
from doubles.judge_doubles import ScriptedJudge

from askwire.core.types import Question, Verdict
from askwire.selector.dueling import DuelingStrategy, moved
from askwire.selector.instances import Instance, Outcome, Separation
from askwire.selector.judge import Ruling
from askwire.selector.judge_rates import CODE, MIN_DECIDING_LOG_ODDS, ROWS, JudgeRates, Kinds, learn
from askwire.selector.strategy import Case, RankedCluster
from askwire.selector.tournament import ChampionChallenger, Duel, SiTournament
from askwire.selector.voting import Majority

ONE, TWO, THREE = "SELECT 1", "SELECT 2", "SELECT 3"
FOUND = Instance((), ())


def with_rows(case: Case, *, found: bool = True) -> Case:
    async def separate(first: str, second: str) -> Separation:
        outcome = Outcome.SEPARATED if found else Outcome.NOT_SEPARATED
        return Separation(outcome, (first, second), instance=FOUND if found else None)

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
    assert best(DuelingStrategy(Majority(), judge, JudgeRates()), case) == ONE
    assert best(DuelingStrategy(Majority(), judge, JudgeRates(0.9, 0.1)), case) == TWO
    assert best(DuelingStrategy(Majority(), judge, JudgeRates(0.6, 0.4)), case) == ONE
    assert best(DuelingStrategy(Majority(), ScriptedJudge(), JudgeRates(0.9, 0.1)), case) == ONE
    ranking = rank(DuelingStrategy(Majority(), judge, JudgeRates(0.9, 0.1)), case)
    assert sum(s.support for s in ranking) == pytest.approx(1)


def test_each_meets_each_and_who_wins_every_duel_comes_first() -> None:
    judge = ScriptedJudge([(THREE, ONE), (THREE, TWO), (ONE, TWO)])
    case, rates = vote(1, 1, 2, 3), JudgeRates(0.9, 0.1)
    assert best(DuelingStrategy(Majority(), judge, rates, most=2), case) == ONE
    assert judge.asked == [(ONE, TWO)]
    standings = rank(DuelingStrategy(Majority(), judge, rates, most=3), case)
    assert [s.cluster.representative.sql for s in standings] == [THREE, ONE, TWO]
    assert judge.asked[1:] == [(ONE, TWO), (ONE, THREE), (TWO, THREE)]
    assert sum(s.support for s in standings) == pytest.approx(1)


def test_equal_wins_fall_back_on_the_support_there_was() -> None:
    circle = ScriptedJudge([(ONE, TWO), (TWO, THREE), (THREE, ONE)])
    case = vote(1, 2, 2, 3)
    after = rank(DuelingStrategy(Majority(), circle, JudgeRates(0.9, 0.1), most=3), case)
    before = rank(Majority(), case)
    assert [s.cluster for s in after] == [s.cluster for s in before]
    assert [s.support for s in after] == [pytest.approx(s.support) for s in before]


def test_draws_move_nothing_and_a_fourth_stays_where_it_is() -> None:
    case = vote(1, 1, 1, 2, 2, 3, 3, 4)
    before = rank(Majority(), case)
    assert [
        s.support
        for s in rank(DuelingStrategy(Majority(), ScriptedJudge(), JudgeRates(0.9, 0.1), most=3), case)
    ] == [pytest.approx(s.support) for s in before]
    judge = ScriptedJudge([(TWO, ONE)])
    after = {
        s.cluster.representative.sql: s.support
        for s in rank(DuelingStrategy(Majority(), judge, JudgeRates(0.9, 0.1), most=3), case)
    }
    assert after["SELECT 4"] == pytest.approx(1 / 8)


def test_no_further_duel_is_begun_when_there_is_no_room() -> None:
    judge = ScriptedJudge()
    rank(DuelingStrategy(Majority(), judge, most=4, goes_on=lambda: len(judge.asked) < 2), vote(1, 1, 2, 3))
    assert judge.asked == [(ONE, TWO), (ONE, THREE)]
    rank(DuelingStrategy(Majority(), judge, most=4, goes_on=lambda: False), vote(1, 1, 2, 3))
    assert len(judge.asked) == 3, "the first is always held"


def test_what_is_clear_is_not_contested() -> None:
    judge = ScriptedJudge([(TWO, ONE)])
    assert best(DuelingStrategy(Majority(), judge, JudgeRates(0.9, 0.1), contested=0.4), vote(1, 1, 2)) == ONE
    assert not judge.asked


def record(right: float, wrong: float, count: int, seed: int = 5) -> list[tuple[float, Ruling]]:
    """Rulings of a judge that names the favourite so often when it is right, and when it is not."""
    drawn = random.Random(seed)
    duels = []
    for _ in range(count):
        prior = drawn.choice((0.55, 0.8, 0.95))
        named = right if drawn.random() < prior else wrong
        duels.append((prior, Ruling.FIRST if drawn.random() < named else Ruling.SECOND))
    return duels


@pytest.mark.parametrize("skill", [0.97, 0.9, 0.8])
def test_how_good_a_judge_is_shows_in_its_rulings(skill: float) -> None:
    rates = learn(record(skill, 1 - skill, 2000))
    assert rates.favourite_right == pytest.approx(skill, abs=0.05)
    assert rates.favourite_wrong == pytest.approx(1 - skill, abs=0.05)


@pytest.mark.parametrize(("right", "wrong"), [(0.5, 0.5), (0.3, 0.7), (0.58, 0.29)])
def test_who_guesses_is_mostly_wrong_or_flatters_loses_its_word(right: float, wrong: float) -> None:
    for seed in range(10):
        rates = learn(record(right, wrong, 400, seed))
        assert not rates.decides
        assert abs(rates.worth(Ruling.SECOND)) < MIN_DECIDING_LOG_ODDS


def test_a_coin_loses_its_word_within_60_rulings() -> None:
    needed = []
    for seed in range(40):
        tossed = record(0.5, 0.5, 200, seed)
        needed.append(next(n for n in range(1, 200) if not learn(tossed[:n]).decides))
    assert sorted(needed)[20] <= 20
    assert sorted(needed)[36] <= 60
    # where feedback says what was right, sooner
    drawn = random.Random(1)
    told = [(float(drawn.random() < 0.8), drawn.choice((Ruling.FIRST, Ruling.SECOND))) for _ in range(200)]
    assert next(n for n in range(1, 200) if not learn(told[:n]).decides) <= 12


@pytest.mark.parametrize("kinds", [ROWS, CODE])
def test_a_judge_starts_at_what_is_known_of_its_kind(kinds: Kinds) -> None:
    rates = learn((), kinds)
    assert sum(kind.share for kind in kinds) == pytest.approx(1)
    assert rates.decides
    assert rates.worth(Ruling.FIRST) > 0.4
    assert learn([(0.6, Ruling.DRAW)] * 50, kinds) == rates


def test_judges_on_rows_are_right_in_four_of_five_duels() -> None:
    rates = learn(())
    assert rates.favourite_right == pytest.approx(0.8, abs=0.005)
    assert rates.favourite_wrong == pytest.approx(0.2, abs=0.005)


def test_a_ruling_between_two_that_are_hardly_right_says_little_of_the_judge() -> None:
    against = [(0.9, Ruling.SECOND)] * 4
    full, little, none = (learn(against, counts=[count] * 4) for count in (1.0, 0.1, 0.0))
    assert full == learn(against)
    assert none == learn(())
    assert full.worth(Ruling.SECOND) > little.worth(Ruling.SECOND) > none.worth(Ruling.SECOND)


def test_all_duels_count_by_how_likely_one_of_the_two_is_right() -> None:
    held: list[Duel] = []
    judge = ScriptedJudge([(TWO, ONE), (THREE, ONE), (THREE, TWO)])
    rank(DuelingStrategy(Majority(), judge, most=3, ruled=held.append), vote(1, 1, 1, 1, 2, 2, 3))
    assert [(one.first, one.second) for one in held] == [(0, 1), (0, 2), (1, 2)]
    assert [one.counts for one in held] == pytest.approx([1.0, 5 / 7, 3 / 7])


@pytest.mark.parametrize("prior", [0.55, 0.8, 0.95, 1.0])
def test_unanimous_rulings_for_favourites_are_not_held_against_a_judge(prior: float) -> None:
    worths = [learn([(prior, Ruling.FIRST)] * n) for n in (0, 1, 20, 200)]
    for less, more in pairwise(worths):
        assert more.worth(Ruling.FIRST) >= less.worth(Ruling.FIRST)
        assert more.worth(Ruling.SECOND) <= less.worth(Ruling.SECOND)
    assert worths[-1].worth(Ruling.FIRST) > worths[0].worth(Ruling.FIRST)


def test_a_clean_win_breaks_a_tie_from_the_first_day() -> None:
    judge, case = ScriptedJudge([(TWO, ONE)]), vote(1, 2)
    first, second = rank(DuelingStrategy(Majority(), judge, learn(())), case)
    assert first.cluster.representative.sql == TWO
    assert first.support - second.support > 0.5


def test_who_lost_every_duel_is_not_the_answer_while_the_judge_has_its_word() -> None:
    case = vote(*(1,) * 19, 2, 3)
    judge = ScriptedJudge([(TWO, ONE), (THREE, ONE), (THREE, TWO)])
    standings = rank(DuelingStrategy(Majority(), judge, most=3), case)
    assert standings[0].cluster.representative.sql == THREE
    assert best(DuelingStrategy(Majority(), judge, JudgeRates(0.7, 0.3), most=3), case) == ONE
    # a draw is no defeat
    drew = ScriptedJudge([(TWO, ONE)])
    assert best(DuelingStrategy(Majority(), drew, most=3), case) == ONE


@pytest.mark.parametrize(("shares", "likely"), [((0.6, 0.3), 0.594), ((0.85, 0.05), 0.168)])
def test_confidences_move_by_what_a_ruling_is_worth(shares: tuple[float, float], likely: float) -> None:
    before = [
        RankedCluster(cluster, share, share)
        for cluster, share in zip(vote(1, 2).clusters, shares, strict=True)
    ]
    held = [Duel(0, 1, shares[0] / 0.9, Ruling.SECOND)]
    first, second = moved(before, held, learn(()))
    assert first.cluster is before[1].cluster
    assert first.support > second.support
    assert first.confidence == pytest.approx(likely, abs=0.01)
    assert (first.confidence or 0) + (second.confidence or 0) == pytest.approx(0.9)


def test_a_duel_is_ruled_by_the_judge_in_the_order_of_support() -> None:
    class SeenStrategy:
        name = "seen"

        async def rule(
            self, question: Question, first: Verdict, second: Verdict, instance: Instance | None
        ) -> Ruling:
            assert (question.text, first.sql, second.sql, instance) == ("q", TWO, ONE, None)
            return Ruling.DRAW

    asyncio.run(DuelingStrategy(Majority(), SeenStrategy()).rank(vote(1, 2, 2)))
