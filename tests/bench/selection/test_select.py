"""Selecting over a pool: what is read of it, what is written, and that a run can be continued."""

from __future__ import annotations

import asyncio
import gzip
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from data.selection_cases import vote
from doubles.judge_doubles import ScriptedWriter

from askwire.bench.cli import main
from askwire.bench.execution import Rows
from askwire.bench.failure import BenchFailure
from askwire.bench.selection.by_model import Duels
from askwire.bench.selection.cache import Cache
from askwire.bench.selection.calibrated import Answer, ece, left_out, logistics, mapped
from askwire.bench.selection.judged import SimulatedJudge
from askwire.bench.selection.judged import figures as judged_figures
from askwire.bench.selection.pool import PoolQuestion, read_pool, split
from askwire.bench.selection.report import StrategyOutcome, figures, interval, same, same_loose
from askwire.bench.selection.run import TriedQuestion, run
from askwire.bench.selection.strategies import STRATEGIES
from askwire.core.types import Candidate, Question, Verdict
from askwire.selector.judge import Ruling
from askwire.selector.sandbox.running import Sandbox
from askwire.selector.strategy import RankedCluster
from askwire.selector.strategy import ranked as ranked_by_size

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from servers.databases import Database

COUNT, PAID, LATE = (
    "SELECT count(*) FROM orders",
    *(f"SELECT id FROM orders WHERE {c}" for c in ("paid", "late")),
)
QUESTIONS = {
    "q1": ("How many orders are there?", {"a": COUNT, "b": PAID, "c": COUNT}),
    "q2": ("Which orders are late?", {"a": LATE, "b": LATE, "c": "SELECT nothing"}),
    "q3": ("Which orders are paid?", {"a": PAID, "b": "SELECT id FROM nowhere", "c": LATE}),
}


def lines(*, gold: str = "SELECT 1", flag: bool = True) -> list[dict[str, Any]]:
    return [
        {
            "id": i,
            "db_id": "shop",
            "question": question,
            "gold_pg": gold,
            "experts": {e: {"pg": sql, "ok": flag, "correct": flag} for e, sql in experts.items()},
        }
        for i, (question, experts) in QUESTIONS.items()
    ]


def written(path: Path, told: list[dict[str, Any]]) -> Path:
    path.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in told).encode()))
    return path


@pytest.fixture
def dsn(database: Database) -> str:
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute(
            "CREATE SCHEMA shop; CREATE TABLE shop.orders (id int PRIMARY KEY, late bool, paid bool);"
            "INSERT INTO shop.orders SELECT n, n % 3 = 0, n % 2 = 0 FROM generate_series(1, 20) n"
        )
    return database.dsn()


def selected(
    dsn: str, pool: Path, out: Path, strategy: str = "posterior", cache: Path | None = None
) -> bytes:
    with Cache(cache) as kept:
        asyncio.run(run(dsn, read_pool(pool), STRATEGIES[strategy], out, kept))
    return out.read_bytes()


@pytest.mark.parametrize("strategy", sorted(name for name, offered in STRATEGIES.items() if offered.make))
def test_gold_and_flags_make_no_difference_to_a_byte(strategy: str, dsn: str, tmp_path: Path) -> None:
    true = written(tmp_path / "pool.jsonl.gz", lines())
    corrupted = written(tmp_path / "corrupted.jsonl.gz", lines(gold="DROP TABLE orders", flag=False))
    first = selected(dsn, true, tmp_path / "1.jsonl", strategy)
    assert selected(dsn, corrupted, tmp_path / "2.jsonl", strategy) == first
    assert [set(json.loads(line)) for line in first.splitlines()] == [{"id", "sql"}] * 3


def test_the_majority_is_chosen_and_lines_stand_in_the_pools_order(dsn: str, tmp_path: Path) -> None:
    pool = written(tmp_path / "pool.jsonl.gz", lines())
    told = selected(dsn, pool, tmp_path / "out.jsonl", "majority").splitlines()
    assert [json.loads(line) for line in told] == [
        {"id": "q1", "sql": COUNT},
        {"id": "q2", "sql": LATE},
        {"id": "q3", "sql": PAID},
    ]


def test_a_run_that_was_cut_off_goes_on(dsn: str, tmp_path: Path) -> None:
    pool, out = written(tmp_path / "pool.jsonl.gz", lines()), tmp_path / "out.jsonl"
    whole = selected(dsn, pool, out, "majority")
    kept = json.dumps({"id": "q2", "sql": "kept"}) + "\n"
    out.write_text(kept + '{"id": "q1", "sq', encoding="utf-8")
    again = selected(dsn, pool, out, "majority")
    assert [json.loads(x)["id"] for x in again.splitlines()] == ["q1", "q2", "q3"]
    assert again.replace(b'"kept"', json.dumps(LATE).encode()) == whole


def test_answers_are_kept_between_runs(dsn: str, tmp_path: Path) -> None:
    pool, cache = written(tmp_path / "pool.jsonl.gz", lines()), tmp_path / "cache"
    first = selected(dsn, pool, tmp_path / "1.jsonl", "majority", cache)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("TRUNCATE shop.orders")
    assert selected(dsn, pool, tmp_path / "2.jsonl", "majority", cache) == first


def test_only_the_experts_named_take_part_and_unknown_ones_are_refused(tmp_path: Path) -> None:
    pool = written(tmp_path / "pool.jsonl.gz", lines())
    assert [e for e, _ in read_pool(pool, ["b"])[0].proposals] == ["b"]
    with pytest.raises(BenchFailure, match="no expert zz"):
        read_pool(pool, ["a", "zz"])


def test_a_pool_is_split_into_what_may_be_seen_and_what_may_not(tmp_path: Path) -> None:
    pool = written(tmp_path / "pool.jsonl.gz", lines())
    public, back = tmp_path / "public.jsonl", tmp_path / "back.jsonl"
    assert split(pool, public, back) == 3
    assert not any(word in public.read_text() for word in ("gold", "correct", "ok"))
    assert "SELECT id" not in back.read_text()
    assert read_pool(public) == read_pool(pool)


def test_the_command_prints_figures_last_and_refuses_what_it_does_not_know(
    dsn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool = written(tmp_path / "pool.jsonl.gz", lines())
    asked = ["select", "--dsn", dsn, "--pool", str(pool), "--out", str(tmp_path / "out.jsonl"), "--strategy"]
    assert main([*asked, "majority"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (told["strategy"], told["questions"], told["kept"]) == ("majority", 3, 0)
    assert main([*asked, "best"]) == 1
    assert "unknown strategy 'best'" in capsys.readouterr().err


def test_the_gain_its_interval_and_what_was_recovered_and_lost() -> None:
    judged = [StrategyOutcome("x", False, True, True)] * 3 + [StrategyOutcome("x", True, True, True)] * 6
    judged += [StrategyOutcome("y", True, False, True)] + [StrategyOutcome("y", False, False, True)] * 10
    told = figures(judged)
    assert (told["gain"], told["recovered"], told["lost"]) == (10.0, "3/13", "1/7")
    low, high = interval(judged, 500)
    assert low == pytest.approx(-9.09)
    assert high == pytest.approx(33.33)
    assert interval([StrategyOutcome("x", False, True, True)] * 9, 100) == (100.0, 100.0)


def test_column_order_counts_strictly_and_not_loosely() -> None:
    one: Rows = [(1, "x"), (2, "y")]
    other: Rows = [("y", 2), ("x", 1)]
    assert not same(one, other, ordered=False)
    assert same_loose(one, other, ordered=False)
    assert not same_loose(one, other, ordered=True)
    assert not same_loose(one, [("x", 2), ("y", 1)], ordered=False)


@pytest.mark.parametrize(("named", "expected"), [((1.0, 0.0), 1.0), ((0.0, 1.0), 0.0), ((0.5, 0.5), 0.5)])
def test_a_simulated_judge_is_as_accurate_as_it_is_told(named: tuple[float, float], expected: float) -> None:
    right = {("q", "good"): True, ("q", "bad"): False}
    good, bad = (Verdict(Candidate(sql, "x"), sql) for sql in ("good", "bad"))

    async def ruled(seed: int) -> bool:
        ruling = await SimulatedJudge("q", right, named, seed).rule(Question("?"), good, bad, None)
        return ruling is Ruling.FIRST

    share = sum(asyncio.run(ruled(seed)) for seed in range(200)) / 200
    assert share == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize("strategy", sorted(name for name, offered in STRATEGIES.items() if not offered.make))
def test_what_needs_a_model_says_so(strategy: str, dsn: str, tmp_path: Path) -> None:
    pool = written(tmp_path / "pool.jsonl.gz", lines())
    with pytest.raises(BenchFailure, match="needs a model"):
        selected(dsn, pool, tmp_path / "out.jsonl", strategy)


class _Script:
    """A model of which judges and choosers are made, by script."""

    def __init__(self, writer: ScriptedWriter) -> None:
        self.writer = writer
        self.sandbox = Sandbox()

    def duels(self, catalog: Any, executor: Any) -> Duels:
        return Duels(self.writer, self.sandbox, catalog, executor)


@pytest.mark.parametrize("strategy", sorted(name for name, offered in STRATEGIES.items() if offered.by_model))
def test_a_model_may_judge_or_choose(strategy: str, dsn: str, tmp_path: Path) -> None:
    """It is asked where experts disagree; one that has nothing to say leaves the majority."""
    pool = written(tmp_path / "pool.jsonl.gz", lines())
    writer = ScriptedWriter({})
    out = tmp_path / "out.jsonl"
    model: Any = _Script(writer)

    async def chosen_by_it() -> None:
        with Cache(None) as kept:
            try:
                await run(dsn, read_pool(pool), STRATEGIES[strategy], out, kept, model=model)
            finally:
                await model.sandbox.close()

    asyncio.run(chosen_by_it())
    chosen = {line["id"]: line["sql"] for line in map(json.loads, out.read_text().splitlines())}
    assert chosen == {"q1": COUNT, "q2": LATE, "q3": PAID}
    asked = {name for name, _ in writer.asked}
    expected = {"si-tournament": "answer", "dpc-without-python": "answer"}
    chosen_by = "choose" if strategy in ("multiple-choice", "apex") else "solve"
    assert asked == {expected.get(strategy, chosen_by)}


def test_the_curve_for_votes_is_held_against_databases_it_was_not_fitted_on() -> None:
    """On one database answers are right as often as they say, on the other always wrong."""
    fair = [Answer("p", "fair", 0.9, 1, False, n % 10 > 0) for n in range(200)]
    wrong = [Answer("p", "wrong", 0.9, 1, False, right=False) for _ in range(200)]
    votes = logistics(fair)
    assert mapped(fair[0], votes).support == pytest.approx(0.9, abs=0.01)
    held_out = left_out([*fair, *wrong])
    assert held_out[0].support < 0.1
    assert held_out[-1].support == pytest.approx(0.9, abs=0.01)
    assert ece([mapped(one, votes) for one in fair]) < 0.01 < 0.8 < ece(held_out)


def test_only_answers_that_votes_speak_for_are_mapped() -> None:
    engine = Answer("p", "d", 0.9, 0, True, right=True)
    assert mapped(engine, [[(0.1, -5.0)] * 2]).support == 0.9
    assert logistics([engine])[0][1] == (1.0, 0.0)


def test_each_number_of_models_has_its_own_curve() -> None:
    one = [Answer("p", "d", 0.9, 1, True, n % 2 > 0) for n in range(200)]
    several = [Answer("p", "d", 0.9, 7, True, n % 10 > 0) for n in range(200)]
    votes = logistics([*one, *several])
    assert mapped(one[0], votes).support == pytest.approx(0.5, abs=0.01)
    assert mapped(several[0], votes).support == pytest.approx(0.9, abs=0.01)


def _made(
    questions: int,
) -> tuple[list[tuple[TriedQuestion, list[RankedCluster]]], dict[tuple[str, str], bool], list[bool]]:
    """Questions with three readings, each right as often as its support says, and how often the first is."""
    drawn = random.Random(4)
    ranked: list[tuple[TriedQuestion, list[RankedCluster]]] = []
    right: dict[tuple[str, str], bool] = {}
    case = vote(0, 0, 0, 1, 1, 2)
    for n in range(questions):
        first = drawn.uniform(0.45, 0.97)
        support = [first, (1 - first) * 0.7, (1 - first) * 0.3]
        truth = drawn.choices(range(3), support)[0]
        one = TriedQuestion(PoolQuestion(str(n), "x", "q", "", ()), case)
        right |= {(one.pooled.id, f"SELECT {answer}"): answer == truth for answer in range(3)}
        ranked.append((one, ranked_by_size(case.clusters, support)))
    return ranked, right, [right[one.pooled.id, "SELECT 0"] for one, _ in ranked]


def test_no_simulated_judge_costs_more_than_a_little_and_better_ones_gain_more() -> None:
    ranked, right, baseline = _made(400)
    told = {line["judge"]: line for line in judged_figures(ranked, right, baseline, seeds=2)}
    assert set(told) == {"0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "0.95", "1.0", "flatterer"}
    # all of these questions are contested: what a guesser costs until it has lost its word
    assert min(line["gain"] for line in told.values()) >= -2
    gains = [told[name]["gain"] for name in ("0.5", "0.7", "0.8", "0.9", "1.0")]
    assert gains == sorted(gains)
    assert gains[-1] > 10
