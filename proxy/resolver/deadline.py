"""How long one ASK may take in all: the least of the settings, its own TIMEOUT and the server's timers."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from askwire.core.settings.parsing import parse_duration
from askwire.core.settings.table import TIMEOUT, Settings
from askwire.proxy.asking.context import AskContext
from askwire.proxy.session.statements.limits import Entry
from askwire.sql.ask import AskOptions


class Deadline:
    """The time of one ASK, which begins when this is made; `milliseconds` is 0 where nothing limits it."""

    def __init__(self, settings: Settings, options: AskOptions) -> None:
        self.milliseconds = least(settings[TIMEOUT], options.timeout_ms or 0)
        self._began = asyncio.get_running_loop().time()
        self._limit: asyncio.Timeout | None = None

    def limit(self) -> asyncio.Timeout:
        """The bound, as a context; raises TimeoutError."""
        self._limit = asyncio.timeout(self.milliseconds / 1000 if self.milliseconds else None)
        return self._limit

    def tighten(self, context: AskContext, entry: Entry) -> AskContext:
        """Bound it by what is known of the asker now; the context whose settings say so."""
        asker = context.asker
        self.milliseconds = least(self.milliseconds, asker.settings[TIMEOUT], *_timers(entry))
        if not self.milliseconds:
            return context
        if self._limit:
            self._limit.reschedule(self._began + self.milliseconds / 1000)
        settings = asker.settings.for_session({"timeout": f"{self.milliseconds}ms"})
        return replace(context, asker=replace(asker, settings=settings))


def least(*limits: int) -> int:
    """The smallest of several limits, where 0 means none."""
    return min((limit for limit in limits if limit), default=0)


def _timers(entry: Entry) -> tuple[int, int]:
    """What the server's timers leave an ASK, in milliseconds (0: no limit).

    They run while we think. The one for transactions would end the session: a tenth of it is left over. Those
    for idle sessions do not count, because the executor keeps the session from being idle.
    """
    left = entry.transaction_left_ms
    return parse_duration(entry.statement_timeout), max(1, left * 9 // 10) if left else 0
