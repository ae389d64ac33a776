"""A run of one strategy over a pool of predictions: what is chosen for each question.

Owns: trying every proposal, what the strategy is given, the lines written, resumption. Reads id, db_id,
question, evidence and the experts' SQL of a line, nothing else.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from askwire import planner
from askwire.bench.connection import DirectExecutor, connected, read_catalog
from askwire.bench.failure import BenchFailure
from askwire.bench.progress import Progress
from askwire.bench.question_files import read_lines
from askwire.bench.selection.by_model import ByModel
from askwire.bench.selection.cache import Cache, CachedExecutor
from askwire.bench.selection.pool import PoolQuestion
from askwire.bench.selection.strategies import StrategyEntry, learn
from askwire.core.clock import MonotonicClock
from askwire.core.errors import AskError, DatabaseFailed, RefusedByGate
from askwire.core.protocols import Batch
from askwire.core.settings.table import PROBE_MAX_ROWS, Settings, load
from askwire.core.trace import Trace
from askwire.core.types import Candidate, Question, SessionState, Verdict
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.selector.clusters import cluster, eligible
from askwire.selector.instances import Separation, separate
from askwire.selector.strategy import Case
from askwire.selector.whole import with_digests
from askwire.sql.catalog import Catalog
from askwire.sql.safety import Policy, check
from askwire.verifier import verify

ENGINE = "embedded"


@dataclass(frozen=True, slots=True)
class TriedQuestion:
    """One question with all its proposals tried."""

    pooled: PoolQuestion
    case: Case


async def run(
    dsn: str,
    pool: Sequence[PoolQuestion],
    offered: StrategyEntry,
    out: Path,
    cache: Cache,
    *,
    model: ByModel | None = None,
    progress: Callable[[str, int], Progress] = Progress,
) -> dict[str, Any]:
    """Choose for every question that `out` does not hold yet, append a line for each, and return figures.

    All proposals of the pool are tried first, those of questions already answered included: what their
    agreement says of the experts is part of every choice.
    """
    began = time.process_time()
    kept = _kept(out)
    tried = await try_all(
        dsn, pool, cache, engine=offered.engine, verified=offered.verified, progress=progress
    )
    strategy = offered.make(learn([one.case for one in tried])) if offered.make else None
    spent, name = [], strategy.name if strategy else ""
    todo = [one for one in tried if one.pooled.id not in kept]
    with progress("choosing", len(todo)) as bar, out.open("a", encoding="utf-8") as file:
        for db_id in dict.fromkeys(one.pooled.db_id for one in todo):
            async with connected(dsn, db_id) as connection:
                direct = DirectExecutor(connection)
                catalog = await read_catalog(direct)
                if model is not None and offered.by_model is not None:
                    strategy = offered.by_model(model.duels(catalog, direct))
                if strategy is None:
                    raise BenchFailure("this strategy needs a model; name one with --judge")
                name = strategy.name
                for one in [x for x in todo if x.pooled.db_id == db_id]:
                    case = one.case
                    if offered.rows:
                        case = replace(case, separate=_separating(catalog, DirectExecutor(connection)))
                    started = time.process_time()
                    ranking = await strategy.rank(case) if case.verdicts else []
                    spent.append((time.process_time() - started) * 1000)
                    sql = ranking[0].cluster.representative.sql if ranking else None
                    file.write(json.dumps({"id": one.pooled.id, "sql": sql}, ensure_ascii=False) + "\n")
                    file.flush()
                    bar.step()
    _in_order(out, [one.pooled.id for one in tried])
    return {
        "strategy": name,
        "questions": len(pool),
        "kept": len(kept),
        "answered": sum(bool(one.case.clusters) for one in tried),
        "clusters": round(sum(len(one.case.clusters) for one in tried) / max(len(tried), 1), 2),
        "choice_cpu_ms_p50": round(sorted(spent)[len(spent) // 2], 2) if spent else None,
        "cpu_seconds": round(time.process_time() - began, 1),
    }


async def try_all(
    dsn: str,
    pool: Sequence[PoolQuestion],
    cache: Cache,
    *,
    engine: bool = False,
    verified: bool = False,
    progress: Callable[[str, int], Progress] = Progress,
) -> list[TriedQuestion]:
    """Every question's case, in the pool's order; `engine` and `verified` as in `StrategyEntry`."""
    settings, cases = load({"timeout": "0", "probe_timeout": "10s"}), {}
    with progress("trying", len(pool)) as bar:
        for db_id in dict.fromkeys(pooled.db_id for pooled in pool):
            async with connected(dsn, db_id) as connection:
                direct = DirectExecutor(connection)
                catalog = await read_catalog(direct)

                def gate(sql: str, catalog: Catalog = catalog) -> str:
                    return check(sql, catalog, Policy()).sql

                executor = CachedExecutor(DirectExecutor(connection, gate), cache, f"{dsn}\0{db_id}")
                for pooled in (p for p in pool if p.db_id == db_id):
                    candidates = [Candidate(sql, expert) for expert, sql in pooled.proposals]
                    if engine:
                        candidates += await _engine(pooled, catalog, direct, cache, settings)
                    cases[pooled.id] = await _case(
                        pooled, candidates, executor, settings, catalog, verified=verified
                    )
                    bar.step()
    return [TriedQuestion(pooled, cases[pooled.id]) for pooled in pool]


async def _case(
    pooled: PoolQuestion,
    candidates: Sequence[Candidate],
    executor: CachedExecutor,
    settings: Settings,
    catalog: Catalog,
    *,
    verified: bool,
) -> Case:
    question = Question(pooled.question, pooled.evidence)
    if verified:
        trace = Trace(MonotonicClock())
        verdicts = await verify(question, candidates, executor, settings, trace, catalog=catalog)
    else:
        async with executor.batch() as batch:
            verdicts = [await _by_itself(candidate, batch, settings) for candidate in candidates]
    verdicts = await with_digests(verdicts, executor, Trace(MonotonicClock()))
    return Case(question, cluster(verdicts), [v for v in verdicts if not eligible(v)])


async def _by_itself(candidate: Candidate, batch: Batch, settings: Settings) -> Verdict:
    """What becomes of a proposal without a verifier: it runs as it is, or it fails."""
    try:
        result = await batch.run(candidate.sql, max_rows=settings[PROBE_MAX_ROWS])
    except (RefusedByGate, DatabaseFailed) as error:
        return Verdict(candidate, candidate.sql, sqlstate=error.code, message=error.message)
    return Verdict(candidate, candidate.sql, result=result)


async def _engine(
    pooled: PoolQuestion, catalog: Catalog, executor: DirectExecutor, cache: Cache, settings: Settings
) -> list[Candidate]:
    """The embedded engine's candidates; kept for as long as its files do not change."""
    key = ("engine with signals", _engine_version(), pooled.db_id, pooled.question, pooled.evidence)
    told = cache.get(*key)
    if told is None:
        session = SessionState("", "", "", catalog.search_path, 0, "2026-01-01")
        question = Question(pooled.question, pooled.evidence)
        planning = ExpertContext(question, catalog, session, settings, executor, Trace(MonotonicClock()))
        try:
            proposed = await EmbeddedEngine().propose(planning)
        except AskError:
            proposed = []
        told = [[c.sql, c.score, c.confidence, {**c.signals}] for c in proposed]
        cache.put(told, *key)
    return [
        Candidate(sql, ENGINE, score, confidence, signals=signals) for sql, score, confidence, signals in told
    ]


def _engine_version() -> str:
    digest = hashlib.sha256()
    for file in sorted(Path(planner.__path__[0]).rglob("*.*")):
        if file.suffix in {".py", ".json"}:
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _separating(catalog: Catalog, executor: DirectExecutor) -> Callable[[str, str], Any]:
    async def find(first: str, second: str) -> Separation:
        return await separate(first, second, catalog, executor)

    return find


def _kept(out: Path) -> set[str]:
    """Ids already in `out`; a last line that was cut off is removed from the file."""
    if not out.exists():
        return set()
    whole, newline, cut = out.read_bytes().rpartition(b"\n")
    if cut:
        out.write_bytes(whole + newline)
    return {line["id"] for line in read_lines(out)}


def _in_order(out: Path, ids: Sequence[str]) -> None:
    """Bring the lines of a finished run into the pool's order."""
    lines = {line["id"]: line for line in read_lines(out)}
    text = "".join(json.dumps(lines[i], ensure_ascii=False) + "\n" for i in ids if i in lines)
    out.write_text(text, encoding="utf-8")
