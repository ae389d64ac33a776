"""Proposals of the embedded engine over a question set: their features, and whether each is right.

Owns: running the engine and its proposals, one process per database, and the file that keeps outcomes. Must
not know: the fit.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from askwire.bench.connection import DirectExecutor, connected, read_catalog
from askwire.bench.execution import Failed, Runner
from askwire.bench.question_files import Asked, Gold, read_asked, read_gold, read_lines
from askwire.bench.train_embedded.result_cache import ResultCache
from askwire.core.clock import MonotonicClock
from askwire.core.errors import AskError
from askwire.core.settings import load
from askwire.core.trace import Trace
from askwire.core.types import Question, SessionState
from askwire.planner.embedded.coverage import with_losses
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import Planning

KEPT: Final = 60
TODAY: Final = "2026-01-01"
"""What 'last month' is counted from, whenever outcomes are collected."""
_TIMEOUT: Final = 3.0
"""Seconds; a proposal that takes longer counts as wrong, and most that do join what does not belong."""
_ROWS: Final = 20_000
_LOOKED_AT: Final = 25
"""Proposals, the engine's first, of which is kept what their SQL loses; others are hardly ever the best."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One proposal: its ranking features, what confidence reads besides, and how it turned out.

    `uncovered` and `lost` are numbers of words; `result` is a digest of the answer, '' when it failed.
    """

    features: dict[str, float]
    right: bool
    result: str = ""
    uncovered: int = 0
    lost: float = 0.0


@dataclass(frozen=True, slots=True)
class Asking:
    """One question's proposals in the engine's order; empty where it refused."""

    db_id: str
    outcomes: tuple[Outcome, ...]


def prior() -> dict[str, float]:
    """The weights set by hand that fits start from; outcomes are collected by them, whatever is shipped."""
    weights: dict[str, float] = json.loads(Path(__file__).with_name("prior.json").read_text("utf-8"))
    return weights


def asked_by_database(path: Path) -> dict[str, list[tuple[Asked, Gold]]]:
    """The questions by database; those that run on empty tables (`trivial`) are left out."""
    trivial = {line["id"] for line in read_lines(path) if line.get("trivial")}
    found: dict[str, list[tuple[Asked, Gold]]] = defaultdict(list)
    for asked, gold in zip(read_asked(path), read_gold(path), strict=True):
        if asked.id not in trivial:
            found[asked.db_id].append((asked, gold))
    return dict(sorted(found.items()))


def collect(
    dsn: str, questions: dict[str, list[tuple[Asked, Gold]]], cache: Path | None, jobs: int
) -> Iterator[list[Asking]]:
    """The outcomes of one database after another, in the order given; `cache` is a folder of results."""
    one = partial(_database, dsn, cache)
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(one, questions.items())


def _database(dsn: str, cache: Path | None, asked: tuple[str, list[tuple[Asked, Gold]]]) -> list[Asking]:
    return asyncio.run(outcomes(dsn, asked[0], asked[1], cache))


async def outcomes(
    dsn: str, db_id: str, questions: Sequence[tuple[Asked, Gold]], cache: Path | None = None
) -> list[Asking]:
    """The outcomes of every question's proposals, in the order of `questions`."""
    engine, clock, settings = EmbeddedEngine(prior()), MonotonicClock(), load()
    found: list[Asking] = []
    async with connected(dsn, db_id) as connection:
        executor = DirectExecutor(connection)
        catalog = await read_catalog(executor)
        session = SessionState("", "", "", catalog.search_path, 0, TODAY)
        with Runner(dsn, db_id, timeout=_TIMEOUT) as runner, ResultCache(cache, db_id) as known:
            for asked, gold in questions:
                question = Question(asked.question, asked.evidence)
                planning = Planning(question, catalog, session, settings, executor, Trace(clock))
                try:
                    proposals = (await engine.proposals(planning, whole=False))[:KEPT]
                except AskError:
                    found.append(Asking(db_id, ()))
                    continue
                index = engine.index(catalog, whole=False)
                answer = partial(_answer, runner, known, ordered=gold.ordered)
                wanted = {answer(text) for text in gold.golds} - {""}
                rows = []
                for place, proposal in enumerate(proposals):
                    result = answer(proposal.sql)
                    told = with_losses(index, proposal) if place < _LOOKED_AT else proposal
                    lost = told.features.get("lost", 0.0)
                    rows.append(
                        Outcome(proposal.features, result in wanted, result, len(told.uncovered), lost)
                    )
                found.append(Asking(db_id, tuple(rows)))
    return found


def _answer(runner: Runner, known: ResultCache, text: str, *, ordered: bool) -> str:
    """A digest of what a statement answers, '' when it fails."""
    found = known.get(text)
    if found is None:
        try:
            rows = runner.run(text, cap=_ROWS)
        except Failed:
            found = ("", "")
        else:
            found = (_digest(sorted(map(repr, rows))), _digest(rows))
        known.put(text, found)
    return found[ordered]


def _digest(value: object) -> str:
    return hashlib.sha1(repr(value).encode(), usedforsecurity=False).hexdigest()[:16]


def write(path: Path, askings: Sequence[Asking]) -> None:
    """Keep outcomes in a file of JSON lines, compressed; the same outcomes give the same bytes."""
    with path.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as file:
        for asking in askings:
            rows = [[o.features, int(o.right), o.result, o.uncovered, o.lost] for o in asking.outcomes]
            file.write((json.dumps([asking.db_id, rows]) + "\n").encode())


def read(path: Path) -> list[Asking]:
    """Outcomes as `write` kept them."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    return [
        Asking(db_id, tuple(Outcome(f, bool(right), result, n, lost) for f, right, result, n, lost in rows))
        for db_id, rows in lines
    ]
