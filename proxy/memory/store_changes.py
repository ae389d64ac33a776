"""What other processes that share the store change, let known here.

Owns: which of this process's caches hold what of the store: pins, what was called wrong, patterns of
statements, judges' rulings and what was said of the statements that these are about. Words of the glossary,
weights, demonstrations and budgets are read from the store by each ASK.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from typing import Final

from askwire.core.errors import StoreFailed
from askwire.core.protocols import Change, Store
from askwire.core.records import Feedback, JudgeRuling, Pin, Statement
from askwire.proxy.memory.expert_weights import ExpertWeights
from askwire.proxy.memory.judge_rulings import JudgeRulings
from askwire.proxy.memory.pins import Pins
from askwire.proxy.memory.recorded_queries import StatementCollector
from askwire.proxy.memory.rejections import Rejections

log = logging.getLogger("askwire.store")

_STORE_TIMEOUT_SECONDS: Final = 2.0
_MAX_TRIES: Final = 5
_MAX_FEEDBACK: Final = 1000
"""Feedback that is looked through when some may have been missed, the latest."""
_CLOCK_SKEW_SECONDS: Final = 60.0


class StoreChanges:
    """Watches the store from the moment it is made; `wall` tells the time of day."""

    def __init__(
        self,
        store: Store,
        pins: Pins,
        rejections: Rejections,
        statement_collector: StatementCollector,
        judge_rulings: JudgeRulings,
        weights: ExpertWeights,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._pins = pins
        self._rejections = rejections
        self._statement_collector = statement_collector
        self._judge_rulings = judge_rulings
        self._weights = weights
        self._wall = wall
        self._since = wall()
        self._reading: set[asyncio.Task[None]] = set()
        store.watch(self._seen)

    def _seen(self, changes: Sequence[Change]) -> None:
        said: set[str] = set()
        anything = False
        for change in changes:
            if change.kind is None:
                anything = True
            elif change.kind is Pin:
                self._pins.doubt(change.key)
            elif change.kind is Feedback:
                self._weights.heard(change)
                said |= set() if change.gone else {change.key}
            elif change.kind is Statement and change.server == self._statement_collector.server:
                self._statement_collector.taken_back_elsewhere(change.role, change.database, change.key)
            elif change.kind is JudgeRuling:
                self._judge_rulings.heard(change)
        if anything:
            self._pins.doubt()
            self._judge_rulings.heard(Change())
            self._weights.heard(Change())
            for role, database in self._statement_collector.whose:
                self._statement_collector.taken_back_elsewhere(role, database)
        if anything or said:
            task = asyncio.get_running_loop().create_task(self._heard(said, anything=anything))
            self._reading.add(task)
            task.add_done_callback(self._reading.discard)

    async def _heard(self, keys: set[str], *, anything: bool) -> None:
        """Take in what was said: of these keys, or all since the last time that nothing was missed."""
        since = self._since
        for turn in range(_MAX_TRIES):
            try:
                found: list[Feedback] = []
                if anything:
                    now = self._wall()
                    latest = await self._store.find(
                        Feedback, limit=_MAX_FEEDBACK, timeout=_STORE_TIMEOUT_SECONDS
                    )
                    found += [given for given in latest if given.at >= since - _CLOCK_SKEW_SECONDS]
                    self._since = now
                for key in keys:
                    found += await self._store.find(
                        Feedback, {"key": key}, limit=1, timeout=_STORE_TIMEOUT_SECONDS
                    )
            except StoreFailed:
                # a store that is down tells again that anything may have changed, once it is not
                await asyncio.sleep(0.2 * 2**turn)
                continue
            for given in sorted(found, key=lambda given: given.at):
                await self._rejections.heard_elsewhere(given)
            return
        log.info("feedback given to other processes could not be read")

    async def settled(self) -> None:
        """Wait until all that was seen is taken in."""
        while self._reading:
            await asyncio.wait(self._reading)

    async def close(self) -> None:
        """Stop."""
        for task in self._reading:
            task.cancel()
        await asyncio.gather(*self._reading, return_exceptions=True)
