"""What repair without a model is worth: raw predictions for SQLite, given to PostgreSQL as they are.

Owns: which texts are tried, what counts as made running, made right and made wrong. Gold SQL is read to
judge, never by what is judged.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from askwire.bench.answer import percentile
from askwire.bench.connection import DirectExecutor, connected, read_catalog
from askwire.bench.efficiency import Times, valid_efficiency
from askwire.bench.execution import Runner, StatementFailed, comparable
from askwire.bench.progress import Progress
from askwire.bench.question_files import Gold, read_asked, read_gold
from askwire.bench.separation.pairs import pool_lines
from askwire.bench.verification.scripted import Prediction, Scenarios, script_figures, scripted
from askwire.core.settings.table import PROBE_MAX_COST, Settings, load
from askwire.planner.embedded.linking.naming import linked_name
from askwire.sql.catalog import Catalog
from askwire.sql.safety import Policy, check
from askwire.verifier.repair.broken import BrokenStatement, nearest
from askwire.verifier.repair.mending import mend
from askwire.verifier.repair.mends import MENDS, Treatment

_TIMEOUT_SECONDS: Final = 10.0


@dataclass(slots=True)
class RepairOutcome:
    """One prediction before and after; `right` is None where it did not run."""

    prediction: Prediction
    before: bool | None
    after: bool | None
    mends: tuple[str, ...]
    times: tuple[float | None, float | None] = (None, None)
    """Milliseconds of gold and of the mended text."""


@dataclass(slots=True)
class _MendTimer:
    """Processor time of the mends, per text that needed any."""

    milliseconds: list[float] = field(default_factory=list)
    now: float = 0.0

    def treatments(self) -> list[Treatment]:
        """The mends, timed."""
        return [replace(t, mend=self._timed(t)) for t in MENDS]

    def _timed(self, treatment: Treatment) -> Callable[[BrokenStatement], str | None]:
        def timed(broken: BrokenStatement) -> str | None:
            began = time.thread_time()
            try:
                return treatment.mend(broken)
            finally:
                self.now += (time.thread_time() - began) * 1000

        return timed


async def run(
    dsn: str,
    pool: Path,
    questions: Path,
    *,
    databases: Sequence[str] = (),
    efficiency: bool = False,
    scenarios: int = 0,
) -> dict[str, Any]:
    """Figures over all predictions of the pool, of some databases where they are named.

    `efficiency` also times every right text, `scenarios` is how many repairs by a script are tried.
    """
    golds = {g.id: g for g in read_gold(questions)}
    asked = {a.id: a.question for a in read_asked(questions)}
    predictions = [p for p in read_raw(pool) if p.id in golds and (not databases or p.db_id in databases)]
    by_database: dict[str, list[Prediction]] = defaultdict(list)
    for prediction in predictions:
        by_database[prediction.db_id].append(prediction)
    judged: list[RepairOutcome] = []
    clock, script = _MendTimer(), Scenarios()
    settings = load({})
    with Progress("mending", len({(p.db_id, p.sql) for p in predictions})) as bar:
        for db_id, group in sorted(by_database.items()):
            async with connected(dsn, db_id) as connection:
                catalog = await read_catalog(DirectExecutor(connection))
                executor = DirectExecutor(connection, _gate(catalog), max_cost=settings[PROBE_MAX_COST])
                mended = await _mended(executor, catalog, settings, group, clock, bar)
                judged += await asyncio.to_thread(_judge, dsn, db_id, group, mended, golds, efficiency)
                if scenarios:
                    share = max(1, scenarios * len(group) // len(predictions))
                    await scripted(executor, catalog, settings, group, asked, script, share)
    return figures(judged, clock.milliseconds) | script_figures(script)


def _meant(wanted: str, known: Sequence[str]) -> str | None:
    """As an ASK finds the name that an unknown one means: by its spelling, else the linker's best."""
    return nearest(wanted, known) or linked_name(wanted, known)


def _gate(catalog: Catalog) -> Callable[[str], str]:
    return lambda sql: check(sql, catalog, Policy()).sql


def read_raw(pool: Path) -> list[Prediction]:
    """Every expert's text as it was written for SQLite."""
    return [
        Prediction(line["id"], line["db_id"], name, expert["sqlite"].strip().rstrip(";"))
        for line in pool_lines(pool)
        for name, expert in line["experts"].items()
        if expert.get("sqlite")
    ]


async def _mended(
    executor: DirectExecutor,
    catalog: Catalog,
    settings: Settings,
    group: Sequence[Prediction],
    clock: _MendTimer,
    bar: Progress,
) -> dict[str, tuple[str, tuple[str, ...]]]:
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    treatments = clock.treatments()
    for sql in dict.fromkeys(p.sql for p in group):
        clock.now = 0.0
        async with executor.batch() as batch:
            made = await mend(batch, sql, catalog, settings, nearest=_meant, treatments=treatments)
        clock.milliseconds.append(clock.now)
        found[sql] = made.sql, made.mends
        bar.step()
    return found


def _judge(
    dsn: str,
    db_id: str,
    group: Sequence[Prediction],
    mended: dict[str, tuple[str, tuple[str, ...]]],
    golds: dict[str, Gold],
    efficiency: bool,
) -> list[RepairOutcome]:
    judged = []
    times = Times(dsn, db_id, timeout=_TIMEOUT_SECONDS) if efficiency else None
    with Runner(dsn, db_id, timeout=_TIMEOUT_SECONDS) as runner:
        rows: dict[tuple[str, bool], Hashable | None] = {}

        def result(sql: str, ordered: bool) -> Hashable | None:
            key = sql, ordered
            if key not in rows:
                try:
                    rows[key] = comparable(runner.run(sql), ordered=ordered)
                except StatementFailed:
                    rows[key] = None
            return rows[key]

        def right(sql: str, gold: Gold) -> bool | None:
            found = result(sql, gold.ordered)
            return None if found is None else any(found == result(g, gold.ordered) for g in gold.golds)

        for prediction in group:
            gold = golds[prediction.id]
            text, mends = mended[prediction.sql]
            one = RepairOutcome(prediction, right(prediction.sql, gold), right(text, gold), mends)
            if times is not None and one.after:
                one.times = times.of(gold.golds[0]), times.of(text)
            judged.append(one)
    if times is not None:
        times.close()
    return judged


def figures(judged: Sequence[RepairOutcome], milliseconds: Sequence[float] = ()) -> dict[str, Any]:
    """Counts and percentages; `mends` by name, each with how many predictions it served and made right."""
    failing = [j for j in judged if j.before is None]
    ran = [j for j in judged if j.before is not None]
    right = [j for j in ran if j.before]
    wrong = [j for j in ran if not j.before]
    served: Counter[str] = Counter()
    got_right: Counter[str] = Counter()
    for one in judged:
        for name in set(one.mends):
            served[name] += 1
            got_right[name] += one.after is True and not one.before
    return {
        "predictions": len(judged),
        "failing": len(failing),
        "made_running": _percent(sum(j.after is not None for j in failing), len(failing)),
        "made_right": _percent(sum(j.after is True for j in failing), len(failing)),
        "ran_right": len(right),
        "made_wrong": sum(j.after is not True for j in right),
        "regressions": _percent(sum(j.after is not True for j in right), len(right)),
        "ran_wrong": len(wrong),
        "wrong_made_right": sum(j.after is True for j in wrong),
        "ex_before": _percent(sum(j.before is True for j in judged), len(judged)),
        "ex_after": _percent(sum(j.after is True for j in judged), len(judged)),
        "ves_after": valid_efficiency((j.after is True, *j.times) for j in judged)
        if any(t is not None for j in judged for t in j.times)
        else None,
        "mends": {name: [count, got_right[name]] for name, count in served.most_common()},
        "mend_ms_p50": percentile(sorted(milliseconds), 50) if milliseconds else None,
        "mend_ms_p95": percentile(sorted(milliseconds), 95) if milliseconds else None,
    }


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None
