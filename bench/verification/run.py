"""How right the verifier is: constraints against gold SQL, checks against recorded predictions.

Owns: the runs and the figures. The constraints come from what `read_asked` gives; gold SQL and the outcome of
predictions are seen by the scoring functions alone. Must not know: how anything is extracted or checked.
"""

from __future__ import annotations

import gzip
import json
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from pglast import ast, parse_sql
from pglast.parser import ParseError

from askwire.bench.answer import percentile
from askwire.bench.connection import DirectBatch, DirectExecutor, connected, read_catalog
from askwire.bench.failure import BenchFailure
from askwire.bench.progress import Progress
from askwire.bench.question_files import Asked, Gold
from askwire.bench.verification.constructs import FINDS, constructs
from askwire.core.errors import DatabaseFailed
from askwire.core.types import Check, Question, ResultSet
from askwire.sql.catalog import Catalog
from askwire.verifier.checklist import checklist, demanded, hold
from askwire.verifier.constraints import CONSTRAINTS, Constraint
from askwire.verifier.lints import LINTS
from askwire.verifier.probing import literal_check
from askwire.verifier.rules import RULES
from askwire.verifier.subject import Subject
from askwire.verifier.wording import Wording

KINDS: Final = [
    "distinct",
    "top_k",
    "ranking",
    "counting",
    "percentage",
    "summation",
    "average",
    "extreme",
    "temporal",
    "comparison",
]
"""PV-SQL's ten."""
OWN: Final = frozenset(rule.kind for rule in CONSTRAINTS) | {"one_number"}
"""Checks of what the question demands."""
EVIDENCE: Final = frozenset({"not_empty", "not_all_null", "not_zero", "not_too_large", "literal_occurs"})
"""Checks that are evidence and no proof: their failure alone does not flag a statement."""
EXPLAINED: Final = frozenset({"not_empty", "not_all_null", "not_zero"})
"""What a literal that does not occur explains tells nothing more: the odds are those of the rest."""
LEAST_ODDS: Final = 0.05
FEW_QUESTIONS: Final = 2.0
FLAG_ODDS: Final = 0.1
"""A failed check flags a statement when its odds are no greater."""
_ROWS: Final = 2000
_MILLISECONDS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Told:
    """What extraction found in one question, and in how many milliseconds; `english`: it can be read."""

    asked: Asked
    constraints: tuple[Constraint, ...]
    ms: float
    english: bool


@dataclass(frozen=True, slots=True)
class Attempt:
    """One recorded prediction that runs: who made it, its SQL, whether its answer is right."""

    expert: str
    sql: str
    right: bool


@dataclass
class Tally:
    """What was seen so far; `failures` has an object for every constraint gold breaks and every flag."""

    questions: int = 0
    carrying: int = 0
    satisfied: int = 0
    unreadable: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    violated: Counter[str] = field(default_factory=Counter)
    constructs: Counter[str] = field(default_factory=Counter)
    recalled: Counter[str] = field(default_factory=Counter)
    failures: list[dict[str, Any]] = field(default_factory=list)
    attempts: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    flagged: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    unmet: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    checked: Counter[str] = field(default_factory=Counter)
    answered: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    shares: dict[bool, defaultdict[str, float]] = field(
        default_factory=lambda: {True: defaultdict(float), False: defaultdict(float)}
    )
    failed: dict[bool, Counter[str]] = field(default_factory=lambda: {True: Counter(), False: Counter()})
    costs: list[float] = field(default_factory=list)
    extraction: list[float] = field(default_factory=list)


def extract(questions: Sequence[Asked]) -> list[Told]:
    """The constraints of every question."""
    found = []
    for asked in questions:
        began = time.process_time()
        question = Question(asked.question, asked.evidence)
        constraints = demanded(question)
        ms = (time.process_time() - began) * 1000
        found.append(Told(asked, constraints, ms, Wording(question).english))
    return found


def read_attempts(pool: Path) -> dict[str, list[Attempt]]:
    """The predictions of a pool that run, by question; raises BenchFailure for a file that cannot be read."""
    try:
        data = pool.read_bytes()
        lines = (gzip.decompress(data) if pool.suffix == ".gz" else data).splitlines()
        return {
            line["id"]: [
                Attempt(name, made["pg"], bool(made["correct"]))
                for name, made in line["experts"].items()
                if made.get("ok") and made.get("pg")
            ]
            for line in map(json.loads, filter(bytes.strip, lines))
        }
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise BenchFailure(f"cannot read {pool}: {error}") from None


async def run(
    dsn: str,
    questions: Sequence[Asked],
    golds: Sequence[Gold],
    attempts: Mapping[str, Sequence[Attempt]],
) -> Tally:
    """Everything seen; gold queries and predictions run read-only, at most 2,000 rows of each are read."""
    tally = Tally()
    by_database: dict[str, list[Told]] = defaultdict(list)
    for told in extract(questions):
        tally.extraction.append(told.ms)
        by_database[told.asked.db_id].append(told)
    of_question = {gold.id: gold for gold in golds}
    with Progress("verifying", len(questions)) as bar:
        for db_id, group in by_database.items():
            async with connected(dsn, db_id) as connection:
                executor = DirectExecutor(connection, timeout_ms=_MILLISECONDS)
                catalog = await read_catalog(executor)
                for told in group:
                    async with executor.batch() as batch:
                        scorer = _Scorer(batch, catalog, told, tally)
                        await scorer.against_gold(of_question[told.asked.id])
                        await scorer.detection(attempts.get(told.asked.id, ()))
                    bar.step()
    return tally


class _Scorer:
    """Holds one question's constraints against SQL whose outcome is known."""

    def __init__(self, batch: DirectBatch, catalog: Catalog, told: Told, tally: Tally) -> None:
        self._batch = batch
        self._catalog = catalog
        self._told = told
        self._tally = tally
        self._checked: dict[str, tuple[Check, ...] | None] = {}

    async def against_gold(self, gold: Gold) -> None:
        """Whether a gold query satisfies every constraint; of several, the one that breaks the fewest."""
        best: tuple[Subject, tuple[Check, ...]] | None = None
        for sql in gold.golds:
            subject = await self._subject(sql)
            if subject is None or subject.effects is None:
                continue
            checks = hold(subject, self._told.constraints)
            if best is None or _broken(checks) < _broken(best[1]):
                best = subject, checks
        tally = self._tally
        if best is None or best[0].effects is None or not self._told.english:
            tally.unreadable += 1
            return
        kinds = {c.kind for c in self._told.constraints}
        broken = [c for c in best[1] if not c.held]
        tally.questions += 1
        tally.carrying += bool(kinds)
        tally.satisfied += not broken
        tally.kinds.update(kinds)
        tally.violated.update(c.rule for c in broken)
        for kind in constructs(best[0].effects):
            tally.constructs[kind] += 1
            tally.recalled[kind] += bool(FINDS.get(kind, {kind}) & kinds)
        for check in broken:
            self._note("gold", best[0].sql, check)

    async def detection(self, attempts: Sequence[Attempt]) -> None:
        """Which predictions the checks flag, and whether those are wrong."""
        tally = self._tally
        shares: dict[bool, list[frozenset[str]]] = {True: [], False: []}
        for attempt in attempts:
            checks = await self._checks(attempt.sql)
            if checks is None:
                continue
            failed = [c for c in checks if not c.held]
            flags = [c for c in failed if c.rule not in EVIDENCE and c.odds <= FLAG_ODDS]
            demands = [c for c in failed if c.rule in OWN]
            tally.attempts[attempt.right] += 1
            tally.flagged[attempt.right] += bool(flags)
            tally.unmet[attempt.right] += bool(demands)
            tally.checked.update(c.rule for c in checks)
            tally.failed[attempt.right].update({c.rule for c in failed})
            rules = frozenset(c.rule for c in failed)
            shares[attempt.right].append(rules - EXPLAINED if "literal_occurs" in rules else rules)
            for check in dict.fromkeys((*demands, *flags)):
                self._note("right" if attempt.right else "wrong", attempt.sql, check)
        for right, found in shares.items():
            tally.answered[right] += bool(found)
            for rule in frozenset().union(*found):
                tally.shares[right][rule] += sum(rule in failed for failed in found) / len(found)

    async def _checks(self, sql: str) -> tuple[Check, ...] | None:
        """All checks of one statement, each text once; None where it does not run here."""
        if sql not in self._checked:
            self._checked[sql] = await self._check(sql)
        return self._checked[sql]

    async def _check(self, sql: str) -> tuple[Check, ...] | None:
        result = await self._result(sql)
        if result is None:
            return None
        began = time.process_time()
        subject = self._parsed(sql, result)
        checks = checklist(subject, self._told.constraints, (*RULES, *LINTS)) if subject else ()
        self._tally.costs.append((time.process_time() - began) * 1000)
        if subject is not None and subject.effects is not None:
            looked_up = await literal_check(self._batch, subject.effects, result)
            checks += (looked_up,) if looked_up else ()
        return checks

    async def _subject(self, sql: str) -> Subject | None:
        result = await self._result(sql)
        return None if result is None else self._parsed(sql, result)

    async def _result(self, sql: str) -> ResultSet | None:
        try:
            return await self._batch.read(sql, max_rows=_ROWS)
        except DatabaseFailed:
            return None

    def _parsed(self, sql: str, result: ResultSet) -> Subject | None:
        try:
            statement = parse_sql(sql)[0].stmt
        except ParseError:
            return None
        asked = self._told.asked
        question = Question(asked.question, asked.evidence)
        return (
            Subject(question, self._catalog, sql, statement, result)
            if isinstance(statement, ast.Node)
            else None
        )

    def _note(self, of: str, sql: str, check: Check) -> None:
        self._tally.failures.append(asdict(self._told.asked) | {"of": of, "sql": sql} | asdict(check))


def _broken(checks: Sequence[Check]) -> int:
    return sum(not c.held for c in checks)


def figures(tally: Tally) -> dict[str, Any]:
    """The figures of a run; see docs/evaluation.md."""
    kinds = {
        rule.kind: {
            "questions": tally.kinds[rule.kind],
            "violated": tally.violated[rule.kind],
            "precision": _percent(tally.kinds[rule.kind] - tally.violated[rule.kind], tally.kinds[rule.kind]),
        }
        | (
            {
                "constructs": tally.constructs[rule.kind],
                "recall": _percent(tally.recalled[rule.kind], tally.constructs[rule.kind]),
            }
            if rule.kind in KINDS
            else {}
        )
        for rule in CONSTRAINTS
    }
    return {
        "questions": tally.questions,
        "unreadable": tally.unreadable,
        "satisfied": _percent(tally.satisfied, tally.questions),
        "carrying": _percent(tally.carrying, tally.questions),
        "extraction_ms_p50": _rounded(percentile([ms * 100 for ms in tally.extraction], 50)),
        "candidate_ms_p50": _rounded(percentile([ms * 100 for ms in tally.costs], 50)),
        "candidate_ms_p95": _rounded(percentile([ms * 100 for ms in tally.costs], 95)),
        "kinds": kinds,
        "detection": _detection(tally) if sum(tally.attempts.values()) else None,
    }


def _detection(tally: Tally) -> dict[str, Any]:
    right, wrong = tally.attempts[True], tally.attempts[False]
    names = sorted(tally.checked)
    rules = {
        name: {
            "wrong_failed": tally.failed[False][name],
            "right_failed": tally.failed[True][name],
            "precision": _percent(
                tally.failed[False][name], tally.failed[False][name] + tally.failed[True][name]
            ),
            "odds": _odds(tally, name),
        }
        for name in names
    }
    return {
        "wrong": wrong,
        "right": right,
        "wrong_flagged": _percent(tally.flagged[False], wrong),
        "right_flagged": _percent(tally.flagged[True], right),
        "wrong_unmet": _percent(tally.unmet[False], wrong),
        "right_unmet": _percent(tally.unmet[True], right),
        "rules": rules,
    }


def _odds(tally: Tally, name: str) -> float | None:
    """How much more often right predictions fail a check than wrong ones.

    The predictions of one question resemble each other, so that each question counts once: with the share of
    its right, and of its wrong predictions that fail. Half a question is added to each side; None below two
    questions, which are too few to say.
    """
    if tally.shares[True][name] + tally.shares[False][name] < FEW_QUESTIONS:
        return None
    right, wrong = (
        (tally.shares[outcome][name] + 0.5) / (tally.answered[outcome] + 1) for outcome in (True, False)
    )
    return round(min(1.0, max(LEAST_ODDS, right / wrong)), 3)


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None


def _rounded(hundredths: float | None) -> float | None:
    return None if hundredths is None else round(hundredths / 100, 2)
