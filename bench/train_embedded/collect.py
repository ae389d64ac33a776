"""Proposals of the embedded engine over a question set: their features, and whether each is right.

Owns: running the engine and its proposals, one process per database, and the file that keeps outcomes.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

from askwire.bench.connection import DirectExecutor, connected, read_catalog
from askwire.bench.execution import Runner, StatementFailed
from askwire.bench.question_files import BenchQuestion, Gold, read_asked, read_gold, read_lines
from askwire.bench.splits import part_of
from askwire.bench.train_embedded.disguise import COPIED_ONE_IN, copied
from askwire.bench.train_embedded.result_cache import ResultCache
from askwire.bench.variants.derive import swapped
from askwire.core.clock import MonotonicClock
from askwire.core.errors import AskError
from askwire.core.settings.table import load
from askwire.core.trace import Trace
from askwire.core.types import Question, SessionState
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.ranking.coverage import with_losses
from askwire.planner.expert import ExpertContext

WAYS: Final = ("synonyms", "copies")
"""Words swapped for synonyms, and schemas under shorter names (`disguise`)."""
QUESTION_STRIDE: Final = 2
"""Spider's questions come in pairs that say the same in other words: one of each teaches nearly as much."""
MAX_KEPT_PROPOSALS: Final = 60
TODAY: Final = "2026-01-01"
"""What 'last month' is counted from, whenever outcomes are collected."""
_TIMEOUT_SECONDS: Final = 3.0
"""Seconds; a proposal that takes longer counts as wrong, and most that do join what does not belong."""
_MAX_ROWS: Final = 20_000
_MAX_PROPOSALS_WITH_LOSSES: Final = 25
"""Proposals, the engine's first, of which is kept what words they leave out; others are hardly ever best."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One proposal: its ranking features, what confidence reads besides, and how it turned out.

    `left` are the words left out by kind; `result` is a digest of the answer, '' when it failed.
    """

    features: dict[str, float]
    right: bool
    result: str = ""
    left: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QuestionProposals:
    """One question's proposals in the engine's order; empty where it refused.

    `way` says how the question differs from the training set's: '' not at all, else one of `WAYS`.
    """

    db_id: str
    outcomes: tuple[Outcome, ...]
    way: str = ""


def prior() -> dict[str, float]:
    """The weights set by hand that fits start from; outcomes are collected by them, whatever is shipped."""
    weights: dict[str, float] = json.loads(Path(__file__).with_name("prior.json").read_text("utf-8"))
    return weights


def asked_by_database(path: Path) -> dict[str, list[tuple[BenchQuestion, Gold]]]:
    """One in `QUESTION_STRIDE` questions by database, without those that run on empty tables (`trivial`)."""
    trivial = {line["id"] for line in read_lines(path) if line.get("trivial")}
    found: dict[str, list[tuple[BenchQuestion, Gold]]] = defaultdict(list)
    for asked, gold in zip(read_asked(path), read_gold(path), strict=True):
        if asked.id not in trivial:
            found[asked.db_id].append((asked, gold))
    return {db_id: asked[::QUESTION_STRIDE] for db_id, asked in sorted(found.items())}


Questions = dict[str, list[tuple[BenchQuestion, Gold]]]
"""Questions with their gold by database."""


@dataclass(frozen=True, slots=True)
class Part:
    """Questions collected together, asked at `dsn`, their gold run at `gold`.

    `way` is as of `QuestionProposals`.
    """

    way: str
    dsn: str
    gold: str
    questions: Questions


def parts(dsn: str, questions: Questions, copies: str) -> list[Part]:
    """The questions as they are, in other words, and on copies of schemas at `copies` ('': none).

    Of databases for tuning alone; other words on a share of them, copies as `disguise` made them.
    """
    tuning = {db_id: asked for db_id, asked in questions.items() if part_of(db_id) == "tuning"}
    worded = {db_id: swapped_questions(asked) for db_id, asked in tuning.items() if in_other_words(db_id)}
    found = [
        Part("", dsn, dsn, questions),
        Part("synonyms", dsn, dsn, {d: a for d, a in worded.items() if a}),
    ]
    if copies:
        there = copied(copies)
        found.append(Part("copies", copies, dsn, {d: a for d, a in tuning.items() if d in there}))
    return found


def in_other_words(db_id: str) -> bool:
    """Whether questions on a database are also asked with synonyms: one database in `COPIED_ONE_IN`."""
    digest = hashlib.sha1(f"words {db_id}".encode(), usedforsecurity=False).hexdigest()
    return int(digest, 16) % COPIED_ONE_IN == 0


def swapped_questions(asked: Sequence[tuple[BenchQuestion, Gold]]) -> list[tuple[BenchQuestion, Gold]]:
    """The questions whose words have synonyms, in those words."""
    other = [(replace(a, question=swapped(a.question)), gold) for a, gold in asked]
    return [pair for pair, (a, _) in zip(other, asked, strict=True) if pair[0].question != a.question]


def collect(part: Part, cache: Path | None, jobs: int) -> Iterator[list[QuestionProposals]]:
    """The outcomes of one database after another, in the order given; `cache` is a folder of results."""
    one = partial(_database, part, cache)
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(one, part.questions.items())


def _database(
    part: Part, cache: Path | None, asked: tuple[str, list[tuple[BenchQuestion, Gold]]]
) -> list[QuestionProposals]:
    return asyncio.run(outcomes(part, asked[0], asked[1], cache))


async def outcomes(
    part: Part, db_id: str, questions: Sequence[tuple[BenchQuestion, Gold]], cache: Path | None = None
) -> list[QuestionProposals]:
    """The outcomes of every question's proposals, in the order of `questions`."""
    folder = cache / part.way if cache and part.dsn != part.gold else cache
    engine, clock, settings = EmbeddedEngine(prior()), MonotonicClock(), load()
    found: list[QuestionProposals] = []
    async with connected(part.dsn, db_id) as connection:
        executor = DirectExecutor(connection)
        catalog = await read_catalog(executor)
        session = SessionState("", "", "", catalog.search_path, 0, TODAY)
        with (
            Runner(part.dsn, db_id, timeout=_TIMEOUT_SECONDS) as runner,
            Runner(part.gold, db_id, timeout=_TIMEOUT_SECONDS) as gold_runner,
            ResultCache(folder, db_id) as known,
            ResultCache(cache / "gold" if cache else None, db_id) as gold_known,
        ):
            for asked, gold in questions:
                question = Question(asked.question, asked.evidence)
                planning = ExpertContext(question, catalog, session, settings, executor, Trace(clock))
                try:
                    proposals = (await engine.proposals(planning, whole=False))[:MAX_KEPT_PROPOSALS]
                except AskError:
                    found.append(QuestionProposals(db_id, (), part.way))
                    continue
                index = engine.index(catalog, whole=False)
                answer = partial(_answer, runner, known, ordered=gold.ordered)
                right = partial(_answer, gold_runner, gold_known, ordered=gold.ordered)
                wanted = {right(text) for text in gold.golds} - {""}
                rows = []
                for place, proposal in enumerate(proposals):
                    result = answer(proposal.sql)
                    told = with_losses(index, proposal) if place < _MAX_PROPOSALS_WITH_LOSSES else proposal
                    left = {k: v for k, v in told.features.items() if k.startswith("left:")}
                    rows.append(Outcome(proposal.features, result in wanted, result, left))
                found.append(QuestionProposals(db_id, tuple(rows), part.way))
    return found


def _answer(runner: Runner, known: ResultCache, text: str, *, ordered: bool) -> str:
    """A digest of what a statement answers, '' when it fails."""
    found = known.get(text)
    if found is None:
        try:
            rows = runner.run(text, cap=_MAX_ROWS)
        except StatementFailed:
            found = ("", "")
        else:
            found = (_digest(sorted(map(repr, rows))), _digest(rows))
        known.put(text, found)
    return found[ordered]


def _digest(value: object) -> str:
    return hashlib.sha1(repr(value).encode(), usedforsecurity=False).hexdigest()[:16]


def write(path: Path, askings: Sequence[QuestionProposals]) -> None:
    """Keep outcomes in a file of JSON lines, compressed; the same outcomes give the same bytes."""
    with path.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as file:
        for asking in askings:
            rows = [[o.features, int(o.right), o.result, o.left] for o in asking.outcomes]
            file.write((json.dumps([asking.db_id, asking.way, rows]) + "\n").encode())


def read(path: Path) -> list[QuestionProposals]:
    """Outcomes as `write` kept them."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    return [
        QuestionProposals(
            db_id, tuple(Outcome(f, bool(right), result, left) for f, right, result, left in rows), way
        )
        for db_id, way, rows in lines
    ]
