"""Cases for tests of strategies: answers are whole numbers, experts are letters."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import closing

from askwire.core.types import Candidate, Check, Question, ResultColumn, ResultSet, Row, Verdict
from askwire.selector.clusters import cluster, eligible
from askwire.selector.strategy import Case, RankedCluster, Strategy

INT4, TEXT = 23, 25


def answer(*rows: Row, oids: tuple[int, ...] = (INT4,)) -> ResultSet:
    return ResultSet(tuple(ResultColumn(f"c{i}", oid) for i, oid in enumerate(oids)), rows)


def said(
    expert: str, value: int | ResultSet | None, sql: str = "", confidence: float | None = None, *checks: Check
) -> Verdict:
    """What an expert's candidate came to; None: it failed."""
    text = sql or f"SELECT {value}"
    result = answer((str(value),)) if isinstance(value, int) else value
    state = "" if result is not None else "42703"
    return Verdict(Candidate(text, expert, confidence=confidence), text, checks, result, state)


def case_of(verdicts: Sequence[Verdict], question: str = "q") -> Case:
    return Case(Question(question), cluster(verdicts), [v for v in verdicts if not eligible(v)])


def vote(*values: int | None, question: str = "q") -> Case:
    """One candidate per expert: a, b, c, … say these values."""
    return case_of([said(chr(97 + n), value) for n, value in enumerate(values)], question)


def rank(strategy: Strategy, case: Case) -> list[RankedCluster]:
    with closing(
        asyncio.new_event_loop()
    ) as loop:  # asyncio.run would print the case for its handler of SIGINT
        return loop.run_until_complete(strategy.rank(case))


def best(strategy: Strategy, case: Case) -> str:
    return rank(strategy, case)[0].cluster.representative.sql
