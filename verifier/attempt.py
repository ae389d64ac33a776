"""One text tried once: gate, EXPLAIN, run under caps.

Owns: what is sent to find out about one text, and what became of it. Must not know: questions, checks,
repair. The gate stands in the `Batch`, before anything reaches the backend.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from askwire.core.errors import BudgetSpent, DatabaseFailed, RefusedByGate
from askwire.core.protocols import Batch
from askwire.core.settings import PROBE_MAX_COST, PROBE_MAX_ROWS, Settings
from askwire.core.types import Check, ResultSet

QUERY_CANCELED: Final = "57014"
SESSION_LOST: Final = ("08", "57P", "25P03")
"""Classes of errors after which no further statement can run: connection, shutdown, killed session."""
_ZERO: Final = re.compile(r"-?0*(\.0*)?\Z")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one statement; `checks` are those that only running it can tell.

    `cost`, `plan` and `planned_rows` are the planner's, where it was asked.
    """

    result: ResultSet | None = None
    sqlstate: str = ""
    message: str = ""
    checks: tuple[Check, ...] = ()
    cost: float | None = None
    plan: tuple[str, ...] = ()
    planned_rows: float | None = None

    @property
    def empty(self) -> bool:
        """Whether it ran and found nothing: no rows, only NULLs, or a single zero."""
        if self.result is None:
            return False
        cells = [cell for row in self.result.rows for cell in row]
        if len(cells) == 1 and cells[0] is not None:
            return bool(_ZERO.match(cells[0]))
        return all(cell is None for cell in cells)


async def attempt(batch: Batch, sql: str, settings: Settings) -> Outcome:
    """Try one text; raises DatabaseFailed when the session itself is lost, and whatever ends a batch."""
    try:
        plan = await batch.explain(sql)
        most = settings[PROBE_MAX_COST]
        if most and plan.total_cost > most:
            message = (
                f"its plan costs {plan.total_cost:.0f}, more than {most:.0f} (probe_max_cost): not tried"
            )
            return Outcome(
                sqlstate=BudgetSpent.sqlstate,
                message=message,
                checks=(Check("cost", False, message),),
                cost=plan.total_cost,
                plan=plan.nodes,
            )
        result = await batch.run(sql, max_rows=settings[PROBE_MAX_ROWS])
    except RefusedByGate as error:
        return Outcome(sqlstate=error.code, message=error.message)
    except DatabaseFailed as error:
        if error.code.startswith(SESSION_LOST):
            raise
        checks = (Check("time", False, error.message),) if error.code == QUERY_CANCELED else ()
        return Outcome(sqlstate=error.code, message=error.message, checks=checks)
    return Outcome(result=result, cost=plan.total_cost, plan=plan.nodes, planned_rows=plan.rows)
