"""How right the verifier is: constraints against gold SQL, checks against recorded predictions.

Owns: the runs. The constraints come from what `read_asked` gives; gold SQL and the outcome of predictions are
seen by the scoring functions alone.
"""

from __future__ import annotations

import gzip
import json
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from pglast import ast, parse_sql
from pglast.parser import ParseError

from askwire.bench.connection import DirectBatch, DirectExecutor, connected, read_catalog
from askwire.bench.failure import BenchFailure
from askwire.bench.progress import Progress
from askwire.bench.question_files import BenchQuestion, Gold
from askwire.bench.verification.constructs import SAME_CONSTRUCT_KINDS, constructs
from askwire.bench.verification.tally import LOOKED_UP, QUESTION_CHECKS, Attempt, Extraction, Tally, flags
from askwire.core.errors import DatabaseFailed
from askwire.core.types import EMPTY_RULES, Check, Question, ResultSet
from askwire.sql.catalog import Catalog
from askwire.verifier.checklist import checklist, demanded, hold
from askwire.verifier.constraints import PV_SQL
from askwire.verifier.lints import LINTS
from askwire.verifier.looking_up import looked_up
from askwire.verifier.rules import RULES
from askwire.verifier.subject import Subject
from askwire.verifier.wording import Wording

_MAX_ROWS: Final = 2000
_STATEMENT_TIMEOUT_MS: Final = 10_000


def extract(questions: Sequence[BenchQuestion]) -> list[Extraction]:
    """The constraints of every question."""
    found = []
    for asked in questions:
        began = time.process_time()
        question = Question(asked.question, asked.evidence)
        constraints = demanded(question)
        ms = (time.process_time() - began) * 1000
        found.append(Extraction(asked, constraints, ms, Wording(question).english))
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
    questions: Sequence[BenchQuestion],
    golds: Sequence[Gold],
    attempts: Mapping[str, Sequence[Attempt]],
) -> Tally:
    """Everything seen; gold queries and predictions run read-only, at most 2,000 rows of each are read."""
    tally = Tally()
    by_database: dict[str, list[Extraction]] = defaultdict(list)
    for told in extract(questions):
        tally.extraction.append(told.ms)
        by_database[told.asked.db_id].append(told)
    of_question = {gold.id: gold for gold in golds}
    with Progress("verifying", len(questions)) as bar:
        for db_id, group in by_database.items():
            async with connected(dsn, db_id) as connection:
                executor = DirectExecutor(connection, timeout_ms=_STATEMENT_TIMEOUT_MS)
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

    def __init__(self, batch: DirectBatch, catalog: Catalog, told: Extraction, tally: Tally) -> None:
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
        tally.satisfied_paper += not any(c.rule in PV_SQL for c in broken)
        tally.kinds.update(kinds)
        tally.violated.update(c.rule for c in broken)
        for kind in constructs(best[0].effects):
            tally.constructs[kind] += 1
            tally.recalled[kind] += bool(SAME_CONSTRUCT_KINDS.get(kind, {kind}) & kinds)
        for check in broken:
            self._note("gold", best[0].sql, check)
        await self._rules_of_gold(best[0], broken)

    async def _rules_of_gold(self, subject: Subject, broken: Sequence[Check]) -> None:
        """What rules and lints say of a gold query: they should find nothing."""
        tally = self._tally
        checks = await looked_up(self._batch, subject, checklist(subject, (), (*RULES, *LINTS)))
        tally.gold_checked.update(c.rule for c in checks)
        tally.gold_failed.update(c.rule for c in checks if not c.held)
        told = flags(checks)
        tally.gold_flagged += bool(told or flags(broken))
        for check in told:
            self._note("gold", subject.sql, check)

    async def detection(self, attempts: Sequence[Attempt]) -> None:
        """Which predictions the checks flag, and whether those are wrong."""
        tally = self._tally
        shares: dict[bool, list[frozenset[str]]] = {True: [], False: []}
        for attempt in attempts:
            checks = await self._checks(attempt.sql)
            if checks is None:
                continue
            failed = [c for c in checks if not c.held]
            told = flags(checks)
            demands = [c for c in failed if c.rule in QUESTION_CHECKS]
            tally.attempts[attempt.right] += 1
            tally.flagged[attempt.right] += bool(told)
            tally.unmet[attempt.right] += bool(demands)
            tally.checked.update(c.rule for c in checks)
            tally.failed[attempt.right].update({c.rule for c in failed})
            rules = frozenset(c.rule for c in failed)
            # what a literal that does not occur explains tells nothing more: the odds are those of the rest
            shares[attempt.right].append(rules - EMPTY_RULES if rules & LOOKED_UP else rules)
            for check in dict.fromkeys((*demands, *told)):
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
        return checks if subject is None else await looked_up(self._batch, subject, checks)

    async def _subject(self, sql: str) -> Subject | None:
        result = await self._result(sql)
        return None if result is None else self._parsed(sql, result)

    async def _result(self, sql: str) -> ResultSet | None:
        try:
            return await self._batch.read(sql, max_rows=_MAX_ROWS)
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
