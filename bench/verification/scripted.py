"""Repair by a script that answers with other experts' predictions, with and without the guard.

Owns: the scenarios and their figures. The script stands for a model; gold SQL is not looked at.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from askwire.bench.connection import DirectExecutor
from askwire.core.clock import MonotonicClock
from askwire.core.settings.table import Settings
from askwire.core.trace import Trace
from askwire.core.types import Candidate, Question
from askwire.sql.catalog import Catalog
from askwire.verifier import verify
from askwire.verifier.repair import ScriptedRepairer
from askwire.verifier.repair.loop import MAX_REPAIRED_ODDS


@dataclass(frozen=True, slots=True)
class Prediction:
    """One expert's text for one question, as it was written."""

    id: str
    db_id: str
    expert: str
    sql: str


@dataclass(slots=True)
class Scenarios:
    """What came of repairs by a script, with and without the guard."""

    asked: int = 0
    violations: int = 0
    resolved: int = 0
    held: int = 0
    broken: int = 0
    unguarded_broken: int = 0
    unguarded_resolved: int = 0


async def scripted(
    executor: DirectExecutor,
    catalog: Catalog,
    settings: Settings,
    group: Sequence[Prediction],
    asked: dict[str, str],
    script: Scenarios,
    most: int,
) -> None:
    """Repair by a script: what breaks a constraint gets the other experts' texts, one after the other."""
    texts: dict[str, list[str]] = defaultdict(list)
    for prediction in group:
        if prediction.sql not in texts[prediction.id]:
            texts[prediction.id].append(prediction.sql)
    done = 0
    for id_, proposed in texts.items():
        if done >= most:
            return
        question = Question(asked[id_])
        candidates = [Candidate(sql, "script") for sql in proposed]
        trace = Trace(MonotonicClock())
        verdicts = await verify(question, candidates, executor, settings, trace, catalog=catalog)
        failed = {v.candidate.sql: _broken(v.checks) for v in verdicts}
        held = {v.candidate.sql: {c.rule for c in v.checks if c.held} for v in verdicts}
        first = next((v for v in verdicts if v.ran and failed[v.candidate.sql]), None)
        others = [sql for sql in proposed if first is not None and sql != first.candidate.sql]
        if first is None or not others:
            continue
        done += 1
        after, *_ = await verify(
            question,
            [first.candidate],
            executor,
            settings,
            Trace(MonotonicClock()),
            catalog=catalog,
            repairer=ScriptedRepairer(others),
        )
        sql = first.candidate.sql
        script.asked += 1
        script.violations += len(failed[sql])
        script.held += len(held[sql])
        script.resolved += len(failed[sql] - _broken(after.checks))
        script.broken += len(held[sql] & _broken(after.checks))
        script.unguarded_resolved += len(failed[sql] - failed[others[0]])
        script.unguarded_broken += len(held[sql] & failed[others[0]])


def _broken(checks: Sequence[Any]) -> set[str]:
    return {c.rule for c in checks if not c.held and c.odds <= MAX_REPAIRED_ODDS}


def script_figures(script: Scenarios) -> dict[str, Any]:
    """The figures of all scenarios, as percentages; none where there was none."""
    if not script.asked:
        return {}
    return {
        "scenarios": script.asked,
        "repair_success": _percent(script.resolved, script.violations),
        "repair_regression": _percent(script.broken, script.held),
        "first_answer_success": _percent(script.unguarded_resolved, script.violations),
        "first_answer_regression": _percent(script.unguarded_broken, script.held),
    }


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None
