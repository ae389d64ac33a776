"""From a pin to a decision, and from a decision to a pin.

Owns: that a pinned SQL passes the gate and compiles before it is used again, and what may be pinned for whom.
Must not know: how SQL is found.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

from askwire.core.beside import beside
from askwire.core.errors import DatabaseFailed, RefusedByGate
from askwire.core.memory_settings import HISTORY, PINS
from askwire.core.protocols import Batch
from askwire.core.records import Pin
from askwire.core.trace import Trace
from askwire.core.types import Question
from askwire.proxy.memory.history import READ_ON_LOOP, written
from askwire.proxy.memory.pins import Pins
from askwire.proxy.memory.privacy import Audience, audience, secured
from askwire.proxy.memory.recollection import document, recall
from askwire.proxy.occasion import Occasion
from askwire.proxy.report import Decision
from askwire.proxy.session.asker import Asker
from askwire.proxy.session.executor import SessionExecutor
from askwire.sql.catalog import Catalog
from askwire.sql.unasked import unasked

Gate = Callable[[str, Asker, Catalog], Awaitable[str]]

_BROKEN: Final = ("42", "0A", "22", "2B", "3F", "XX")
"""Classes of SQLSTATEs that speak against a statement; others (a lock, a lack of room) say nothing of it."""

ASKED: Final = "asked"
"""The origin of a pin that experts made; those of other origins are a person's word."""


class Pinning:
    """Uses and makes pins; `gate` lets machine-written SQL pass, `wall` tells the time of day."""

    def __init__(self, pins: Pins, gate: Gate, wall: Callable[[], float]) -> None:
        self._pins = pins
        self._gate = gate
        self._wall = wall

    def applies(self, occasion: Occasion) -> bool:
        """Whether this asker has questions pinned."""
        return occasion.asker.settings[PINS]

    async def at_hand(self, batch: Batch, occasion: Occasion, trace: Trace) -> Decision | None:
        """The decision of a pin that no store has to be asked for, checked in a batch that is open anyway."""
        if occasion.options.fresh or not self.applies(occasion):
            return None
        today = occasion.asker.session.today
        found = (self._pins.at_hand(key, occasion.memory, today) for key in _keys(occasion))
        pin = next(filter(None, found), None)
        return await self._checked(pin, batch, occasion, trace) if pin else None

    async def recalled(self, executor: SessionExecutor, occasion: Occasion, trace: Trace) -> Decision | None:
        """The decision of a pin, checked in a batch of its own."""
        if occasion.options.fresh:
            return None
        for key in _keys(occasion):
            pin = await self._pins.find(key, occasion.memory, occasion.asker.session.today)
            if pin is not None:
                async with executor.batch() as batch:
                    return await self._checked(pin, batch, occasion, trace)
        return None

    def forget(self, occasion: Occasion) -> None:
        """Forget what the question stands for, whoever said so."""
        for key in _keys(occasion):
            self._pins.forget(key, occasion.memory)

    async def _checked(self, pin: Pin, batch: Batch, occasion: Occasion, trace: Trace) -> Decision | None:
        """The decision of a pin; None, and the pin is gone, when its SQL may not run or does not compile."""
        try:
            sql = await self._gate(pin.sql, occasion.asker, occasion.catalog)
            # passed by the gate: it may be parsed and planned; nothing of it runs
            await batch.read(f"EXPLAIN (COSTS OFF) {sql}")
        except RefusedByGate as error:
            trace.record("pin", "refused", reason=error.message)
            self._pins.drop(pin.key, occasion.memory)
            return None
        except DatabaseFailed as error:
            if error.code.startswith(_BROKEN):
                trace.record("pin", "broken", sqlstate=error.code, reason=error.message)
                self._pins.drop(pin.key, occasion.memory)
                return None
        self._pins.used(pin)
        trace.record("pin", "used", since=pin.at, origin=pin.origin)
        return recall(pin, Question(occasion.question, occasion.options.evidence), sql, trace)

    async def keep(
        self, occasion: Occasion, decision: Decision, origin: str = ASKED, *, own: bool = False
    ) -> Pin | None:
        """Pin what was decided, for whom and as long as it may serve; None where that is nobody.

        `own`: it may serve this session at the most.
        """
        choice = decision.choice
        if choice is None or not self.applies(occasion):
            return None
        sql = choice.verdict.sql
        key = occasion.key
        if origin != ASKED:
            key = occasion.spoken_key
            self._pins.forget(occasion.key, occasion.memory)
        whom, dated = await beside(_served, sql, occasion)
        if whom is Audience.ASK:
            self._pins.drop(key, occasion.memory)
            return None
        session = occasion.asker.session
        # a session with temporary tables has a search_path of its own, which is part of the key
        own = own or any(schema.startswith("pg_temp_") for schema in session.search_path)
        now = self._wall()
        pin = Pin(
            key=key,
            at=now,
            used_at=now,
            session="" if whom is Audience.ROLE and not own else occasion.memory.session,
            role=session.session_user,
            acting_as=session.current_user,
            server=occasion.server,
            database=session.database,
            question=occasion.question,
            sql=sql,
            reading=choice.verdict.candidate.reading,
            reason=choice.reason,
            confidence=choice.confidence,
            origin=origin,
            day=session.today if dated else "",
        )
        self._pins.keep(pin, occasion.memory)
        # the report is long, and nobody waits for it: equal ASKs get their turn after it is made
        whole = whom is Audience.SESSION or not secured(occasion.catalog)
        if written(decision.trace) <= READ_ON_LOOP:
            asyncio.get_running_loop().call_soon(self._add_report, pin, occasion, decision, whole)
        else:
            why = await beside(_document, occasion, decision, whole)
            self._pins.complete(pin, replace(pin, why=why), occasion.memory)
        return pin

    def _add_report(self, pin: Pin, occasion: Occasion, decision: Decision, whole: bool) -> None:
        why = _document(occasion, decision, whole)
        self._pins.complete(pin, replace(pin, why=why), occasion.memory)


def _keys(occasion: Occasion) -> tuple[str, str]:
    """The keys that a question may be pinned under: a person's word comes first."""
    return occasion.spoken_key, occasion.key


def _document(occasion: Occasion, decision: Decision, whole: bool) -> str:
    # an ASK that the history does not hold has no name to be found by
    asked = (decision.asked or decision.trace.id) if occasion.asker.settings[HISTORY] else ""
    return document(decision, whole=whole, more={"asked": asked})


def _served(sql: str, occasion: Occasion) -> tuple[Audience, bool]:
    """For whom SQL may be kept, and whether for its day only."""
    return audience(sql, occasion.asked, occasion.catalog), unasked(sql, occasion.asked).dated
