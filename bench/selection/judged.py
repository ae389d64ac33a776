"""What judges of known accuracy would add: simulated ones, whose reliability selection has to find out.

Owns: judges that are right with a given probability, drawn by a seed, and a run over a pool for each. The
simulation knows which answers are right; selection sees rulings only, one question after the other, and
learns from those before what the judge is worth. A line per judge: accuracy, gain over the majority in points
(mean over seeds, the least, and the mean on the databases for tuning and for reporting), and the rates that
were learnt in the end.

    python -m askwire.bench.selection.judged --dsn DSN --questions questions.jsonl --pool experts.jsonl.gz \
        --baseline majority.jsonl [--experts a,b] [--cache F] [--most 2]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from askwire.bench.execution import Runner, StatementFailed, comparable
from askwire.bench.failure import BenchFailure
from askwire.bench.question_files import Gold, read_gold, read_predicted
from askwire.bench.selection.cache import Cache
from askwire.bench.selection.pool import read_pool
from askwire.bench.selection.run import TriedQuestion, try_all
from askwire.bench.selection.strategies import learn as learn_experts
from askwire.bench.splits import part_of
from askwire.core.types import Question, Verdict
from askwire.selector.dueling import DuelingStrategy, moved
from askwire.selector.instances import Instance
from askwire.selector.judge import Ruling
from askwire.selector.judge_rates import Rulings
from askwire.selector.posterior import Posterior
from askwire.selector.strategy import Case, RankedCluster

ACCURACIES: Final = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
FLATTERER_RATES: Final = (0.58, 0.29)
"""How often a recorded judge named the favourite: when it was right, and when the other was."""
SEEDS: Final = 5
MAX_DUELLING: Final = 4
"""Readings that duel, as in `effort` = balanced."""
_MAX_ROWS: Final = 100_000

Right = Mapping[tuple[str, str], bool]
"""Whether a statement answers a question, by the question's id and the statement."""


@dataclass(frozen=True, slots=True)
class SimulatedJudge:
    """Names the first with a probability that hangs on which of the two is right.

    `named` holds it for the first being right and for the second being; both or neither right: an even lot.
    """

    id: str
    right: Right
    named: tuple[float, float]
    seed: int
    name: str = "simulated"

    async def rule(
        self, question: Question, first: Verdict, second: Verdict, instance: Instance | None
    ) -> Ruling:
        """A ruling by lot, the same for the same two statements."""
        one, other = self.right[self.id, first.sql], self.right[self.id, second.sql]
        chance = 0.5 if one == other else self.named[0] if one else self.named[1]
        drawn = random.Random(f"{self.seed}\0{self.id}\0{first.sql}\0{second.sql}")  # noqa: S311
        return Ruling.FIRST if drawn.random() < chance else Ruling.SECOND


class _FixedRanking:
    """A ranking made before."""

    name = "posterior"

    def __init__(self, standings: list[RankedCluster]) -> None:
        self._standings = standings

    async def rank(self, case: Case) -> list[RankedCluster]:
        return self._standings


async def _with_judge(
    ranked: Sequence[tuple[TriedQuestion, list[RankedCluster]]],
    right: Right,
    named: tuple[float, float],
    seed: int,
    most: int,
) -> tuple[list[bool], tuple[float, float]]:
    """Whether each question is answered rightly, and the rates at the end; asked in an order by the seed."""
    order = list(range(len(ranked)))
    random.Random(seed).shuffle(order)  # noqa: S311 - no secret
    held = Rulings()
    found = [False] * len(ranked)
    for place in order:
        one, standings = ranked[place]
        judge = SimulatedJudge(one.pooled.id, right, named, seed)
        rates = held.rates
        duels = await DuelingStrategy(_FixedRanking(standings), judge, rates, most=most).duels(
            one.case, standings
        )
        final = moved(standings, duels, rates) if duels else standings
        for duel in duels:
            held.add(duel.favourite, duel.ruling, duel.counts)
        found[place] = bool(final) and right[one.pooled.id, final[0].cluster.representative.sql]
    rates = held.rates
    return found, (round(rates.favourite_right, 2), round(rates.favourite_wrong, 2))


def outcomes(tried: Sequence[TriedQuestion], golds: Sequence[Gold], dsn: str) -> dict[tuple[str, str], bool]:
    """Which of all statements that were tried give an acceptable answer."""
    gold_of = {gold.id: gold for gold in golds}
    found: dict[tuple[str, str], bool] = {}
    for db_id in dict.fromkeys(one.pooled.db_id for one in tried):
        with Runner(dsn, db_id, timeout=10.0) as runner:
            for one in (x for x in tried if x.pooled.db_id == db_id):
                gold = gold_of[one.pooled.id]

                def form(sql: str, ordered: bool = gold.ordered, runner: Runner = runner) -> Any:
                    try:
                        return comparable(runner.run(sql, cap=_MAX_ROWS), ordered=ordered)
                    except StatementFailed:
                        return None

                wanted = {form(sql) for sql in gold.golds} - {None}
                for sql in {verdict.sql for verdict in one.case.verdicts}:
                    found[one.pooled.id, sql] = form(sql) in wanted
    return found


def figures(
    ranked: Sequence[tuple[TriedQuestion, list[RankedCluster]]],
    right: Right,
    baseline: Sequence[bool],
    seeds: int = SEEDS,
    most: int = MAX_DUELLING,
) -> list[dict[str, Any]]:
    """A line per judge; of the first `most` readings each meets each."""
    told = []
    profiles = [(str(a), (a, 1 - a)) for a in ACCURACIES] + [("flatterer", FLATTERER_RATES)]
    parts = [part_of(one.pooled.db_id) for one, _ in ranked]
    for name, named in profiles:
        runs = [asyncio.run(_with_judge(ranked, right, named, seed, most)) for seed in range(seeds)]
        gains = {
            part: [_gain(found, baseline, [part in ("all", p) for p in parts]) for found, _ in runs]
            for part in ("all", "tuning", "reporting")
        }
        means = {part: round(sum(gain) / len(gain), 2) for part, gain in gains.items()}
        told.append(
            {
                "judge": name,
                "gain": means["all"],
                "least": round(min(gains["all"]), 2),
                "tuning": means["tuning"],
                "reporting": means["reporting"],
                "learnt": runs[0][1],
            }
        )
    return told


def _gain(found: Sequence[bool], baseline: Sequence[bool], counts: Sequence[bool]) -> float:
    """Points by which the right answers exceed the baseline's, among the questions that count; 0 for none."""
    kept = [f - b for f, b, c in zip(found, baseline, counts, strict=True) if c]
    return 100 * sum(kept) / len(kept) if kept else 0.0


def main() -> int:
    """Print a line per judge, and one JSON object last."""
    parser = argparse.ArgumentParser(prog="select_judged", description="What simulated judges would add.")
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--experts", default="")
    for name in ("questions", "pool", "baseline"):
        parser.add_argument(f"--{name}", required=True, type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--most", type=int, default=MAX_DUELLING, help="readings that duel, the best ones")
    options = parser.parse_args()
    try:
        told = _run(options, print)
    except BenchFailure as failure:
        print(f"askwire: {failure}", file=sys.stderr)  # noqa: T201
        return 1
    print(json.dumps(told))  # noqa: T201
    return 0


def _run(options: argparse.Namespace, say: Callable[[Any], None]) -> dict[str, Any]:
    golds = read_gold(options.questions)
    pool = read_pool(options.pool, [e for e in options.experts.split(",") if e])
    with Cache(options.cache) as cache:
        tried = asyncio.run(try_all(options.dsn, pool, cache, engine=True, verified=True))
    right = outcomes(tried, golds, options.dsn)
    plain = {i: p.sql or "" for i, p in read_predicted(options.baseline).items()}
    experts = Posterior(learn_experts([one.case for one in tried]))
    ranked = [(one, asyncio.run(experts.rank(one.case)) if one.case.clusters else []) for one in tried]
    baseline = [right.get((one.pooled.id, plain.get(one.pooled.id, "")), False) for one in tried]
    lines = figures(ranked, right, baseline, most=options.most)
    for line in lines:
        say(line)
    unaided = sum(bool(s) and right[one.pooled.id, s[0].cluster.representative.sql] for one, s in ranked)
    return {"majority": sum(baseline), "posterior": unaided, "questions": len(ranked), "judges": lines}


if __name__ == "__main__":
    sys.exit(main())
