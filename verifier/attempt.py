"""One text tried once: gate, EXPLAIN, run under caps.

Owns: what is sent to find out about one text, and what became of it. The gate and the cap on what a plan may
cost stand in the `Batch`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pglast import ast

from askwire.core.errors import (
    QUERY_CANCELED,
    BudgetSpent,
    DatabaseFailed,
    RefusedByGate,
    TooCostly,
    UnknownRelation,
)
from askwire.core.protocols import Batch
from askwire.core.settings.table import PROBE_MAX_ROWS, Settings
from askwire.core.types import Check, Plan, ResultSet
from askwire.sql.parsing import parsed
from askwire.sql.tracing.tree import walk

SESSION_LOST: Final = ("08", "57P", "25P03")
"""Classes of errors after which no further statement can run: connection, shutdown, killed session."""
_UNDEFINED_TABLE: Final = "42P01"
_ZERO: Final = re.compile(r"-?0*(\.0*)?\Z")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one statement; `checks` are those that only running it can tell.

    `cost`, `plan` and `planned_rows` are the planner's, where it was asked. `cause` is the SQLSTATE by which
    PostgreSQL would name what the gate has refused, where that is known, and `hint` what would let it pass.
    """

    result: ResultSet | None = None
    sqlstate: str = ""
    message: str = ""
    checks: tuple[Check, ...] = ()
    cost: float | None = None
    plan: tuple[str, ...] = ()
    planned_rows: float | None = None
    cause: str = ""
    hint: str = ""

    @property
    def empty(self) -> bool:
        """Whether it ran and found nothing: no rows, only NULLs, or a single zero."""
        if self.result is None:
            return False
        cells = [cell for row in self.result.rows for cell in row]
        if len(cells) == 1 and cells[0] is not None:
            return bool(_ZERO.match(cells[0]))
        return all(cell is None for cell in cells)


ENDLESS: Final = Outcome(
    sqlstate=RefusedByGate.sqlstate,
    message="a recursive query runs only where it was seen to end within probe_timeout",
)


async def attempt(batch: Batch, sql: str, settings: Settings) -> Outcome:
    """Try one text; raises DatabaseFailed when the session itself is lost, and whatever ends a batch.

    A query that is only too expensive to try may be chosen, and then runs without our caps. One that recurses
    may have no end at all: it is refused unless it was seen to end.
    """
    outcome = await _tried(batch, sql, settings)
    if not recurses(sql):
        return outcome
    if outcome.result is not None and outcome.result.truncated:
        body = sql.strip().rstrip(";")
        whole = await _tried(batch, f"SELECT count(*) FROM ({body}\n) AS whole", settings)
        return ENDLESS if whole.result is None else outcome
    return ENDLESS if outcome.sqlstate in {BudgetSpent.sqlstate, QUERY_CANCELED} else outcome


def recurses(sql: str) -> bool:
    """Whether a WITH RECURSIVE stands anywhere in a text; False for what does not parse."""
    if "recursive" not in sql.lower():
        return False
    return any(isinstance(node, ast.WithClause) and node.recursive for node in walk(parsed(sql)))


async def _tried(batch: Batch, sql: str, settings: Settings) -> Outcome:
    plan: Plan | None = None
    try:
        plan = await batch.explain(sql)
        result = await batch.run(sql, max_rows=settings[PROBE_MAX_ROWS])
    except RefusedByGate as error:
        cause = _UNDEFINED_TABLE if isinstance(error, UnknownRelation) else ""
        return Outcome(sqlstate=error.code, message=error.message, cause=cause, hint=error.hint)
    except TooCostly as error:
        return Outcome(
            sqlstate=error.code,
            message=error.message,
            checks=(Check("cost", False, error.message),),
            cost=plan.total_cost if plan else None,
            plan=plan.nodes if plan else (),
        )
    except DatabaseFailed as error:
        if error.code.startswith(SESSION_LOST):
            raise
        checks = (Check("time", False, error.message),) if error.code == QUERY_CANCELED else ()
        return Outcome(sqlstate=error.code, message=error.message, checks=checks)
    return Outcome(result=result, cost=plan.total_cost, plan=plan.nodes, planned_rows=plan.rows)
