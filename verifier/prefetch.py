"""Candidates planned and run in one go each, before one after the other is looked at.

Owns: how many are sent at once. Nothing is sent that would not be sent without it, and no more at once than
could be over, at the worst, when the time for trying is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from askwire.core.ahead import plan_ahead, run_ahead
from askwire.core.protocols import Batch
from askwire.core.settings.table import PROBE_MAX_ROWS, PROBE_TIMEOUT, Settings

_MAX_AT_ONCE: Final = 16
"""Texts that are sent at once: what comes back is held until it is looked at."""


class Ahead:
    """The texts that will be tried in one batch, in their order; `left` are the seconds for it, None: any."""

    def __init__(
        self, batch: Batch, texts: Sequence[str], settings: Settings, left: Callable[[], float | None]
    ) -> None:
        self._batch = batch
        self._texts = texts
        self._settings = settings
        self._left = left
        self._planned = self._ran = 0

    async def comes_to(self, number: int) -> None:
        """The text of this number is tried next: it, and as many behind it as there is time for, are sent."""
        if number >= self._planned:
            texts = self._next(number)
            self._planned = number + len(texts)
            await plan_ahead(self._batch, texts)
        if number >= self._ran:
            texts = self._next(number)[: self._planned - number]
            self._ran = number + len(texts)
            await run_ahead(self._batch, texts, max_rows=self._settings[PROBE_MAX_ROWS])

    def _next(self, number: int) -> Sequence[str]:
        left, longest = self._left(), self._settings[PROBE_TIMEOUT] / 1000
        most = _MAX_AT_ONCE if left is None or not longest else min(_MAX_AT_ONCE, int(left / longest))
        return self._texts[number : number + max(1, most)]
