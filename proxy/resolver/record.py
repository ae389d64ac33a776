"""How an ASK ends, kept: in the history, in the session's memory, and on the list of what is under way."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from askwire.core.errors import AskError, BudgetSpent, DatabaseFailed
from askwire.core.records import Pin
from askwire.core.trace import Trace
from askwire.core.types import Choice
from askwire.proxy.asking.context import AskContext
from askwire.proxy.asking.requests import AskRequest
from askwire.proxy.memory.history import History
from askwire.proxy.reports.report import Decision
from askwire.proxy.resolver.deadline import Deadline
from askwire.proxy.session.statements.conversation import CONNECTION_FAILURE, BackendGone


class AskRecord:
    """What is kept of one ASK; nothing is, where its asker never came to be known."""

    def __init__(self, request: AskRequest, trace: Trace, history: History) -> None:
        self._request = request
        self._trace = trace
        self._history = history
        self._context: AskContext | None = None

    def began(self, context: AskContext) -> None:
        """Its asker is known, and it is worked on."""
        self._context = context
        self._history.live.began(context, self._trace)

    @contextmanager
    def failure(self, deadline: Deadline) -> Iterator[None]:
        """Keep the error with which the block ends; raises BudgetSpent for what took too long."""
        history, trace = self._history, self._trace
        try:
            yield
        except TimeoutError:
            spent = BudgetSpent(
                f"no answer within {deadline.milliseconds} ms",
                hint="Use a longer TIMEOUT; the session's statement_timeout bounds it too.",
            )
            if self._context:
                history.failed(self._context, trace, spent)
            raise spent from None
        except (AskError, asyncio.CancelledError) as error:
            if self._context:
                self._remember(self._context, history.failed(self._context, trace, error), error)
            raise
        except BackendGone as gone:
            if self._context:
                lost = DatabaseFailed(str(gone), code=CONNECTION_FAILURE)
                history.failed(self._context, trace, lost)
            raise
        except BaseException:
            history.live.lost(trace)
            raise

    def answered(self, context: AskContext, decision: Decision) -> None:
        """It ended with a decision."""
        key = self._history.answered(context, decision)
        self._remember(context, key, decision.choice or decision.error, decision.pin)

    def _remember(
        self,
        context: AskContext,
        key: str,
        ended: Choice | BaseException | None,
        pin: Pin | None = None,
    ) -> None:
        """Let the session remember it as its last, under the key of its record."""
        site = self._request.site
        acting_as = context.asker.session.current_user
        self._request.memory.asked(key, site.question, site.options, ended, pin, acting_as=acting_as)
