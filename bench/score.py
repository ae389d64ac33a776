"""Scoring predictions against gold SQL by execution.

Owns: the figures. Top-1 takes what would have been run, so that a refusal counts as wrong. Distinct pass@k
takes the first k candidates whose results differ from one another. Coverage is the largest share of questions
that a threshold on the confidence answers with at least 90 % of the answers right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, Final

from askwire.bench.efficiency import Times, valid_efficiency
from askwire.bench.execution import Runner, StatementFailed, comparable
from askwire.bench.progress import Progress
from askwire.bench.question_files import Gold, Prediction

REQUIRED_PRECISION: Final = 0.9
PASS_AT: Final = (5, 10)


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """How one question went.

    `rank` is the place of the first right candidate among those with distinct results, from 1; None when no
    candidate is right. `best_right` judges the best candidate even when the ASK was refused.
    """

    id: str
    db_id: str
    answered: bool
    right: bool
    best_right: bool
    rank: int | None
    confidence: float | None
    error: str | None
    times: tuple[float | None, float | None] | None = None
    """Milliseconds of gold and of the prediction, where they were asked for; of a right one, else None."""


class GoldFails(Exception):
    """A gold query that does not run: the data is not what the questions were written for."""


def score(
    golds: Sequence[Gold],
    predictions: Mapping[str, Prediction],
    dsn: str,
    *,
    timeout: float = 10.0,
    timed: bool = False,
    progress: Callable[[int], Progress] = lambda total: Progress("scoring", total),
) -> list[QuestionOutcome]:
    """Every question's outcome, in the order of `golds`; one without a prediction is wrong.

    `timed` also takes the time of every right one beside the gold that it equals.

    Raises GoldFails when no gold query of a question runs, psycopg.Error when the server cannot be reached.
    """
    by_database: dict[str, list[Gold]] = defaultdict(list)
    for gold in golds:
        by_database[gold.db_id].append(gold)
    scored: dict[str, QuestionOutcome] = {}
    with progress(len(golds)) as bar:
        for db_id, group in by_database.items():
            # One connection per database: what one question leaves behind meets no other schema.
            with ExitStack() as held:
                runner = held.enter_context(Runner(dsn, db_id, timeout=timeout))
                times = held.enter_context(Times(dsn, db_id, timeout=timeout)) if timed else None
                for gold in group:
                    predicted = predictions.get(gold.id)
                    one = _score_one(gold, predicted, runner)
                    if times is not None:
                        one = replace(one, times=_taken(one, gold, predicted, times))
                    scored[gold.id] = one
                    bar.step()
    return [scored[gold.id] for gold in golds]


def _taken(
    one: QuestionOutcome, gold: Gold, predicted: Prediction | None, times: Times
) -> tuple[float | None, float | None]:
    """Of several gold queries the fastest counts: a prediction is no better for a gold that is slow."""
    if not one.right or predicted is None or predicted.sql is None:
        return None, None
    known = [time for sql in gold.golds if (time := times.of(sql)) is not None]
    return min(known, default=None), times.of(predicted.sql)


def _score_one(gold: Gold, predicted: Prediction | None, runner: Runner) -> QuestionOutcome:
    if predicted is None:
        return QuestionOutcome(gold.id, gold.db_id, False, False, False, None, None, "no prediction")
    right_results, cap = _gold_results(gold, runner)
    seen: dict[str, Hashable | StatementFailed] = {}

    def result(sql: str) -> Hashable | StatementFailed:
        if sql not in seen:
            try:
                seen[sql] = comparable(runner.run(sql, cap=cap), ordered=gold.ordered)
            except StatementFailed as failed:
                seen[sql] = failed
        return seen[sql]

    def right(sql: str | None) -> bool:
        return sql is not None and result(sql) in right_results

    answered = predicted.sql is not None and not predicted.refused
    failure = result(predicted.sql) if answered and predicted.sql is not None else None
    return QuestionOutcome(
        gold.id,
        gold.db_id,
        answered=answered,
        right=answered and right(predicted.sql),
        best_right=right(predicted.best_sql),
        rank=_rank(map(result, predicted.candidates), right_results),
        confidence=predicted.confidence,
        error=str(failure) if isinstance(failure, StatementFailed) else None,
    )


def _gold_results(gold: Gold, runner: Runner) -> tuple[set[Hashable], int]:
    """The acceptable results, and how many rows are enough to tell any other from them."""
    results: set[Hashable] = set()
    longest = 0
    failures = []
    for sql in gold.golds:
        try:
            rows = runner.run(sql)
        except StatementFailed as failed:
            failures.append(str(failed))
        else:
            results.add(comparable(rows, ordered=gold.ordered))
            longest = max(longest, len(rows))
    if not results:
        raise GoldFails(f"no gold query of {gold.id} runs: {'; '.join(failures)}")
    return results, longest + 1


def _rank(results: Iterable[Hashable | StatementFailed], right_results: set[Hashable]) -> int | None:
    distinct: set[Hashable] = set()
    for result in results:
        if isinstance(result, StatementFailed):
            continue
        distinct.add(result)
        if result in right_results:
            return len(distinct)
        if len(distinct) == max(PASS_AT):
            return None
    return None


def figures(scored: Sequence[QuestionOutcome]) -> dict[str, Any]:
    """Percentages of all questions (`precision`: of the answered ones), to two decimals."""
    answered = [s for s in scored if s.answered]
    counts = {"questions": len(scored), "answered": len(answered)}
    return counts | {
        "top1": _percent(sum(s.right for s in scored), len(scored)),
        "precision": _percent(sum(s.right for s in answered), len(answered)),
        "best1": _percent(sum(s.best_right for s in scored), len(scored)),
        **{
            f"pass{k}": _percent(sum(s.rank is not None and s.rank <= k for s in scored), len(scored))
            for k in PASS_AT
        },
        "coverage90": coverage(scored),
        **({"ves": _efficiency(scored)} if any(s.times for s in scored) else {}),
    }


def _efficiency(scored: Sequence[QuestionOutcome]) -> float | None:
    times = ((s.right, s.times or (None, None)) for s in scored)
    return valid_efficiency((right, gold, own) for right, (gold, own) in times)


def coverage(scored: Sequence[QuestionOutcome]) -> float | None:
    """The largest percentage of questions answered with `REQUIRED_PRECISION`; ties stand together.

    None when no prediction carries a confidence.
    """
    by_confidence: dict[float, list[bool]] = defaultdict(list)
    for s in scored:
        if s.confidence is not None:
            by_confidence[s.confidence].append(s.best_right)
    taken = right = most = 0
    for confidence in sorted(by_confidence, reverse=True):
        taken += len(by_confidence[confidence])
        right += sum(by_confidence[confidence])
        if right >= REQUIRED_PRECISION * taken:
            most = taken
    return _percent(most, len(scored)) if by_confidence else None


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None
