"""Trying candidates: gate, EXPLAIN, run under caps, then the checklist.

Owns: what is sent to find out about a candidate, in one batch (one snapshot for all of them). Must not know:
what the rules look for, or what the verdicts are used for. The gate stands in the `Batch`, before anything
reaches the backend.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pglast import parse_sql
from pglast.parser import ParseError

from askwire.core.errors import BudgetSpent, DatabaseFailed, RefusedByGate
from askwire.core.protocols import Batch, Executor
from askwire.core.settings import PROBE_MAX_COST, PROBE_MAX_ROWS, TIMEOUT, Settings
from askwire.core.trace import Trace
from askwire.core.types import Candidate, Check, Question, ResultSet, Verdict
from askwire.sql.catalog import Catalog
from askwire.verifier.rules import RULES
from askwire.verifier.subject import Rule, Subject

SYNTAX_ERROR: Final = "42601"
QUERY_CANCELED: Final = "57014"
_SESSION_LOST: Final = ("08", "57P", "25P03")
"""Classes of errors after which no further statement can run: connection, shutdown, killed session."""
_NOTHING: Final = Catalog(())
_SHARE_OF_TIME: Final = 0.5
"""Of `timeout`: when it is spent, what is still untried stays so, and the rest is for the decision."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of one statement."""

    result: ResultSet | None = None
    sqlstate: str = ""
    message: str = ""
    checks: tuple[Check, ...] = ()
    cost: float | None = None


_TOO_LATE: Final = _Outcome(sqlstate=BudgetSpent.sqlstate, message="not tried: half of the time is spent")


async def verify(
    question: Question,
    candidates: Sequence[Candidate],
    executor: Executor,
    settings: Settings,
    trace: Trace,
    *,
    catalog: Catalog = _NOTHING,
    rules: Sequence[Rule] = RULES,
) -> list[Verdict]:
    """One verdict per candidate, in their order.

    A candidate that is refused, costs too much or fails keeps its reason as SQLSTATE and message: NL006,
    NL005 (more than `probe_max_cost`, or half of `timeout` spent; a choice all the same, it is only untried),
    or the backend's own. Two statements per distinct SQL text are sent, all in one batch.

    Raises DatabaseFailed when the session itself is lost, and whatever ends a batch.
    """
    outcomes: dict[str, _Outcome] = {}
    if candidates:
        async with executor.batch() as batch:
            for sql in dict.fromkeys(c.sql for c in candidates):
                late = outcomes and trace.elapsed * 1000 > settings[TIMEOUT] * _SHARE_OF_TIME > 0
                outcomes[sql] = _TOO_LATE if late else await _attempt(batch, sql, settings)
    for sql, outcome in outcomes.items():
        told = _checklist(question, catalog, sql, outcome, rules)
        outcomes[sql] = replace(outcome, checks=outcome.checks + told)
    verdicts = []
    for candidate in candidates:
        tried = outcomes[candidate.sql]
        verdicts.append(
            Verdict(candidate, candidate.sql, tried.checks, tried.result, tried.sqlstate, tried.message)
        )
        _record(trace, verdicts[-1], tried.cost)
    return verdicts


def _checklist(
    question: Question, catalog: Catalog, sql: str, outcome: _Outcome, rules: Sequence[Rule]
) -> tuple[Check, ...]:
    """What the rules say; nothing of a statement that the gate refused or that does not parse."""
    if outcome.sqlstate in {RefusedByGate.sqlstate, SYNTAX_ERROR}:
        return ()
    try:
        statements = parse_sql(sql)
    except ParseError:  # a newer server may know more grammar than this parser
        return ()
    statement = statements[0].stmt if len(statements) == 1 else None
    if statement is None:
        return ()
    subject = Subject(question, catalog, sql, statement, outcome.result)
    return tuple(check for rule in rules if (check := rule(subject)) is not None)


async def _attempt(batch: Batch, sql: str, settings: Settings) -> _Outcome:
    try:
        plan = await batch.explain(sql)
        most = settings[PROBE_MAX_COST]
        if most and plan.total_cost > most:
            message = (
                f"its plan costs {plan.total_cost:.0f}, more than {most:.0f} (probe_max_cost): not tried"
            )
            return _Outcome(
                sqlstate=BudgetSpent.sqlstate,
                message=message,
                checks=(Check("cost", False, message),),
                cost=plan.total_cost,
            )
        result = await batch.run(sql, max_rows=settings[PROBE_MAX_ROWS])
    except RefusedByGate as error:
        return _Outcome(sqlstate=error.code, message=error.message)
    except DatabaseFailed as error:
        if error.code.startswith(_SESSION_LOST):
            raise
        checks = (Check("time", False, error.message),) if error.code == QUERY_CANCELED else ()
        return _Outcome(sqlstate=error.code, message=error.message, checks=checks)
    return _Outcome(result=result, cost=plan.total_cost)


def _record(trace: Trace, verdict: Verdict, cost: float | None) -> None:
    trace.record(
        "verifier",
        "tried",
        sql=verdict.sql,
        expert=verdict.candidate.expert,
        cost=cost,
        rows=len(verdict.result.rows) if verdict.result else None,
        truncated=verdict.result.truncated if verdict.result else None,
        sqlstate=verdict.sqlstate or None,
        message=verdict.message or None,
        failed=[c.rule for c in verdict.checks if not c.held],
    )
