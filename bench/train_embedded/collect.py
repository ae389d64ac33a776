"""Proposals of the embedded engine over a question set: their features, and whether each is right.

Owns: running the engine and its proposals, and which databases are for fitting. Must not know: the fit.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from askwire.bench.connection import DirectExecutor, SystemClock, connected, read_catalog
from askwire.bench.execution import Failed, Runner, comparable
from askwire.bench.question_files import Asked, Gold, read_asked, read_gold, read_lines
from askwire.core.errors import AskError
from askwire.core.settings import load
from askwire.core.trace import Trace
from askwire.core.types import Question, SessionState
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import Planning

KEPT: Final = 40
_TIMEOUT: Final = 0.3
"""Seconds; a proposal that takes longer counts as wrong, and most that do join what does not belong."""
_ROWS: Final = 20_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """One proposal: its ranking features, and whether its result equals the gold one."""

    features: dict[str, float]
    right: bool


def for_fitting(db_id: str) -> bool:
    """Whether a database is fitted on; the other two fifths are kept aside to report on."""
    return int(hashlib.sha1(db_id.encode(), usedforsecurity=False).hexdigest(), 16) % 10 < 6


def asked_by_database(path: Path) -> dict[str, list[tuple[Asked, Gold]]]:
    """The questions for fitting, by database; those that run on empty tables (`trivial`) are left out."""
    trivial = {line["id"] for line in read_lines(path) if line.get("trivial")}
    found: dict[str, list[tuple[Asked, Gold]]] = defaultdict(list)
    for asked, gold in zip(read_asked(path), read_gold(path), strict=True):
        if asked.id not in trivial and for_fitting(asked.db_id):
            found[asked.db_id].append((asked, gold))
    return dict(sorted(found.items()))


def spread(questions: Sequence[tuple[Asked, Gold]], most: int) -> Sequence[tuple[Asked, Gold]]:
    """At most `most` of the questions (0: all), evenly from all of them."""
    if not most or len(questions) <= most:
        return questions
    return [questions[n * len(questions) // most] for n in range(most)]


async def outcomes(dsn: str, db_id: str, questions: Sequence[tuple[Asked, Gold]]) -> list[list[Outcome]]:
    """The outcomes of every question's proposals, in the order of `questions`; empty for a refusal."""
    engine, clock, settings = EmbeddedEngine(), SystemClock(), load()
    found: list[list[Outcome]] = []
    async with connected(dsn, db_id) as connection:
        executor = DirectExecutor(connection)
        catalog = await read_catalog(executor)
        session = SessionState("", "", "", catalog.search_path, 0, "2026-01-01")
        with Runner(dsn, db_id, timeout=_TIMEOUT) as runner:
            for asked, gold in questions:
                planning = Planning(
                    Question(asked.question), catalog, session, settings, executor, Trace(clock)
                )
                try:
                    proposals = (await engine.proposals(planning))[:KEPT]
                except AskError:
                    found.append([])
                    continue
                right = set(_right(runner, gold, [p.sql for p in proposals]))
                found.append([Outcome(p.features, n in right) for n, p in enumerate(proposals)])
    return found


def _right(runner: Runner, gold: Gold, proposals: Sequence[str]) -> Iterator[int]:
    wanted = set()
    for text in gold.golds:
        try:
            wanted.add(comparable(runner.run(text, cap=_ROWS), ordered=gold.ordered))
        except Failed:
            continue
    for number, text in enumerate(proposals):
        try:
            if comparable(runner.run(text, cap=_ROWS), ordered=gold.ordered) in wanted:
                yield number
        except Failed:
            continue
