"""One expert beside the embedded engine, without a server: what becomes of its recorded answers.

Owns: the figures. Questions come in the pool's order, and what their answers say of the expert counts for
those after them, as in a session of the proxy; figures agree with those through the wire to a few questions
(`./ask bench answer --expert`), for a tenth of the time. A line per expert: right, wrong and refused; of the
refused those by SQLSTATE; and for some confidences what a refusal below each would take away. Experts are
systems of the pool, and those that no system is (`gold`, `other`, `same`, `broken`).

    python -m askwire.bench.selection.beside --dsn DSN --questions questions.jsonl --pool experts.jsonl.gz \
        [--experts gold,same,zeroshot_gpt4] [--cache F]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from askwire.bench.failure import BenchFailure
from askwire.bench.models.file_model import MADE, made
from askwire.bench.question_files import Gold, read_gold
from askwire.bench.selection.cache import Cache
from askwire.bench.selection.calibrated import among
from askwire.bench.selection.judged import Right, outcomes
from askwire.bench.selection.pool import PoolQuestion, read_pool
from askwire.bench.selection.run import ENGINE, TriedQuestion, try_all
from askwire.core.clock import MonotonicClock
from askwire.core.errors import AskError
from askwire.core.settings.table import load
from askwire.core.trace import Trace
from askwire.selector import select
from askwire.selector.posterior import Posterior
from askwire.selector.reliability import Ballot, Reliability, estimate

REFUSAL_THRESHOLDS: Final = (0.15, 0.2, 0.3, 0.4, 0.5, 0.65)
"""Confidences below which an answer might be refused."""
_MAX_BALLOTS: Final = 200
_REVIEW_AFTER_QUESTIONS: Final = 10
"""As in a session: ballots that count, and questions after which they are looked at again."""


@dataclass(frozen=True, slots=True)
class QuestionEnd:
    """What became of one question: `right` is None where it was refused, with the SQLSTATE."""

    right: bool | None
    confidence: float | None = None
    sqlstate: str = ""


def asked(tried: Sequence[TriedQuestion], right: Right, expert: str) -> list[QuestionEnd]:
    """Every question in order, with the expert's candidates and the engine's."""
    settings = load({})
    ballots: deque[Ballot] = deque(maxlen=_MAX_BALLOTS)
    known, new = Reliability(), 0
    found = []
    for one in tried:
        case = among(one.case, {expert, ENGINE})
        noted: list[Ballot] = []
        strategy = Posterior(known, noted=noted.append)
        trace = Trace(MonotonicClock())
        try:
            choice = asyncio.run(select(case.question, case.verdicts, settings, trace, strategy=strategy))
            answered = right[one.pooled.id, choice.verdict.sql]
            found.append(QuestionEnd(answered, choice.confidence))
        except AskError as error:
            found.append(QuestionEnd(None, sqlstate=error.code))
        voted = [ballot for ballot in noted if any(option.voters for option in ballot)]
        ballots += voted
        new += len(voted)
        if new > min(_REVIEW_AFTER_QUESTIONS, len(ballots) // 4):
            known, new = estimate(tuple(ballots)), 0
    return found


def figures(expert: str, ended: Sequence[QuestionEnd]) -> dict[str, Any]:
    """Counts of one expert's run."""
    refused = Counter(one.sqlstate for one in ended if one.right is None)
    return {
        "expert": expert,
        "right": sum(one.right is True for one in ended),
        "wrong": sum(one.right is False for one in ended),
        "refused": dict(sorted(refused.items())),
        "below": {
            str(least): [
                sum(one.right is is_right for one in ended if (one.confidence or 1.0) < least)
                for is_right in (True, False)
            ]
            for least in REFUSAL_THRESHOLDS
        },
    }


def with_made(
    pool: Sequence[PoolQuestion], golds: Sequence[Gold], wanted: Sequence[str]
) -> list[PoolQuestion]:
    """The pool with those of the wanted experts that no system is."""
    said: Mapping[str, Mapping[str, str]] = {kind: made(kind, golds) for kind in MADE if kind in wanted}
    return [
        replace(
            one,
            proposals=(*one.proposals, *((k, sqls[one.id]) for k, sqls in said.items() if one.id in sqls)),
        )
        for one in pool
    ]


def main() -> int:
    """Print a line per expert, and one JSON object last."""
    parser = argparse.ArgumentParser(prog="beside", description="One expert beside the embedded engine.")
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--experts", default="", help="all systems of the pool unless given")
    for name in ("questions", "pool"):
        parser.add_argument(f"--{name}", required=True, type=Path)
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    named = [e for e in options.experts.split(",") if e]
    systems = [e for e in named if e not in MADE]
    try:
        golds = read_gold(options.questions)
        pool = read_pool(options.pool, systems)
        if named and not systems:
            pool = [replace(one, proposals=()) for one in pool]
        pool = with_made(pool, golds, named)
        with Cache(options.cache) as cache:
            tried = asyncio.run(try_all(options.dsn, pool, cache, engine=True, verified=True))
        right = outcomes(tried, golds, options.dsn)
    except BenchFailure as failure:
        print(f"askwire: {failure}", file=sys.stderr)  # noqa: T201
        return 1
    lines = []
    for expert in named or sorted({expert for one in pool for expert, _ in one.proposals}):
        lines.append(figures(expert, asked(tried, right, expert)))
        print(json.dumps(lines[-1]), flush=True)  # noqa: T201
    print(json.dumps(lines))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
