"""What one ASK may spend on models and how long it may take, from settings, options and the day so far.

Owns: making the `ExpertContext` that experts get, and counting afterwards what its role has spent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from askwire.core.protocols import Clock, Executor, Store
from askwire.core.settings.budgets import ASK_CALLS, ASK_COST, ASK_TOKENS, DAY_CALLS, DAY_COST, DAY_TOKENS
from askwire.core.settings.table import EXPERTS, TIMEOUT, Settings
from askwire.core.trace import Trace
from askwire.core.types import Question
from askwire.llm.budget import Limits, ModelUsage, TokenBudget
from askwire.llm.ledger import Ledger
from askwire.planner.expert import ExpertContext
from askwire.proxy.asking.context import AskContext

PROPOSING_TIME_SHARE: Final = 0.45
"""Of `timeout`; the verifier leaves untried what is not tried by half of it."""
_RESOLVING_TIME_SHARE: Final = 0.9
"""Of `timeout`: afterwards no repair is begun or waited for."""


class Budgets:
    """Counts per role (who logged in), server and day, in the store; `wall` tells the time of day."""

    def __init__(self, store: Store, wall: Callable[[], float], clock: Clock) -> None:
        self._ledger = Ledger(store, wall)
        self._clock = clock

    async def planning(
        self, question: Question, context: AskContext, executor: Executor, trace: Trace
    ) -> ExpertContext:
        """Everything the experts get for one question."""
        asker, options = context.asker, context.options
        asked = {EXPERTS.name: options.experts, ASK_TOKENS.name: str(options.budget or "")}
        settings = asker.settings.for_session(asked)
        daily = Limits(
            settings[DAY_CALLS],
            settings[DAY_TOKENS],
            settings[DAY_COST],
            whose="this role for today",
            prefix="day",
        )
        counted = daily.calls or daily.tokens or daily.cost
        role = asker.session.session_user
        day = await self._ledger.spent(context.server, role) if counted else ModelUsage()
        timeout = settings[TIMEOUT] / 1000
        began = self._clock.monotonic() - trace.elapsed
        return ExpertContext(
            question,
            context.catalog,
            asker.session,
            settings,
            executor,
            trace,
            purse=TokenBudget(_own(settings), daily, day),
            propose_by=began + PROPOSING_TIME_SHARE * timeout if timeout else None,
            end=began + _RESOLVING_TIME_SHARE * timeout if timeout else None,
        )

    def settle(self, planning: ExpertContext, context: AskContext) -> None:
        """Count what the ASK has spent; it has ended, however it did."""
        role = context.asker.session.session_user
        self._ledger.add(context.server, role, planning.purse.spent)


def _own(settings: Settings) -> Limits:
    return Limits(settings[ASK_CALLS], settings[ASK_TOKENS], settings[ASK_COST])
