"""From a pin to a decision, and from a decision to a pin.

Owns: that a pinned SQL passes the gate and compiles before it is used again, and what may be pinned for whom.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

from askwire.core.beside import beside
from askwire.core.errors import DatabaseFailed, RefusedByGate
from askwire.core.protocols import Batch
from askwire.core.records import Pin
from askwire.core.settings.memory import HISTORY, PINS
from askwire.core.trace import Trace
from askwire.core.types import Question
from askwire.proxy.asking.context import AskContext
from askwire.proxy.memory.history import MAX_CHARACTERS_ON_LOOP, written
from askwire.proxy.memory.pins import Pins
from askwire.proxy.memory.privacy import Audience, audience, holds_day, secured, tells_tenants_apart
from askwire.proxy.memory.recollection import document, recall
from askwire.proxy.memory.rejections import Rejections
from askwire.proxy.reports.report import Decision
from askwire.proxy.session.statements.asker import Asker
from askwire.proxy.session.statements.executor import SessionExecutor
from askwire.sql.catalog import Catalog
from askwire.sql.unasked import unasked

Gate = Callable[[str, Asker, Catalog], Awaitable[str]]

_STATEMENT_ERROR_CLASSES: Final = ("42", "0A", "22", "2B", "3F", "XX")
"""Classes of SQLSTATEs that speak against a statement; others (a lock, a lack of room) do not describe it."""

ASKED: Final = "asked"
"""The origin of a pin that experts made; those of other origins are a person's word."""


class PinKeeper:
    """Uses and makes pins; `gate` lets machine-written SQL pass, `wall` tells the time of day.

    What `rejections` holds is not used again.
    """

    def __init__(
        self, pins: Pins, gate: Gate, wall: Callable[[], float], rejections: Rejections | None = None
    ) -> None:
        self._pins = pins
        self._rejections = rejections
        self._gate = gate
        self._wall = wall

    def applies(self, context: AskContext) -> bool:
        """Whether this asker has questions pinned."""
        return context.asker.settings[PINS]

    async def at_hand(self, batch: Batch, context: AskContext, trace: Trace) -> Decision | None:
        """The decision of a pin that no store has to be asked for, checked in a batch that is open anyway."""
        if context.options.fresh or not self.applies(context):
            return None
        today, keys = context.asker.session.today, _keys(context)
        if any(self._pins.unread(key) for key in keys):
            return None
        found = (self._pins.at_hand(key, context.memory, today) for key in keys)
        pin = next(filter(None, found), None)
        return await self._checked(pin, batch, context, trace) if pin else None

    async def recalled(self, executor: SessionExecutor, context: AskContext, trace: Trace) -> Decision | None:
        """The decision of a pin, checked in a batch of its own."""
        if context.options.fresh:
            return None
        for key in _keys(context):
            pin = await self._pins.find(key, context.memory, context.asker.session.today)
            if pin is not None:
                async with executor.batch() as batch:
                    return await self._checked(pin, batch, context, trace)
        return None

    def forget(self, context: AskContext) -> None:
        """Forget what the question stands for, no matter who said so."""
        for key in _keys(context):
            self._pins.forget(key, context.memory)

    async def _checked(self, pin: Pin, batch: Batch, context: AskContext, trace: Trace) -> Decision | None:
        """The decision of a pin; None, and the pin is gone, when its SQL may not be given any more.

        It was rejected meanwhile, does not pass the gate, or does not compile.
        """
        if await self._rejected(pin.sql, context):
            trace.record("pin", "rejected", reason="ASK WRONG was said of its SQL")
            self._pins.drop(pin.key, context.memory)
            return None
        try:
            sql = await self._gate(pin.sql, context.asker, context.catalog)
            # passed by the gate: it may be parsed and planned; nothing of it runs
            await batch.read(f"EXPLAIN (COSTS OFF) {sql}")
        except RefusedByGate as error:
            trace.record("pin", "refused", reason=error.message)
            self._pins.drop(pin.key, context.memory)
            return None
        except DatabaseFailed as error:
            if error.code.startswith(_STATEMENT_ERROR_CLASSES):
                trace.record("pin", "broken", sqlstate=error.code, reason=error.message)
                self._pins.drop(pin.key, context.memory)
                return None
        self._pins.used(pin)
        trace.record("pin", "used", since=pin.at, origin=pin.origin)
        return recall(pin, Question(context.question, context.options.evidence), sql, trace)

    async def _rejected(self, sql: str, context: AskContext) -> bool:
        rejected = self._rejections.at_hand(context) if self._rejections else None
        return await beside(rejected.holds, sql) if rejected else False

    async def keep(
        self,
        context: AskContext,
        decision: Decision,
        origin: str = ASKED,
        *,
        own: bool = False,
        by_hand: bool = False,
    ) -> Pin | None:
        """Pin what was decided, for whom and as long as it may serve; None where that is no one.

        `own`: it may serve this session at the most. `by_hand`: a person wrote the SQL, so that its constants
        are no one's data; it serves the role, or its session where one role stands for several tenants.
        """
        choice = decision.choice
        if choice is None or not self.applies(context):
            return None
        sql = choice.verdict.sql
        if origin == ASKED and await self._rejected(sql, context):
            # it was called wrong while it was worked on
            return None
        key = context.key
        if origin != ASKED:
            key = context.spoken_key
            self._pins.forget(context.key, context.memory)
            self._pins.settle(key)
        whom, dated = await beside(_served, sql, context, by_hand)
        if whom is Audience.ASK:
            self._pins.drop(key, context.memory)
            return None
        session = context.asker.session
        # a session with temporary tables has a search_path of its own, which is part of the key
        own = own or any(schema.startswith("pg_temp_") for schema in session.search_path)
        now = self._wall()
        pin = Pin(
            key=key,
            at=now,
            used_at=now,
            session="" if whom is Audience.ROLE and not own else context.memory.session,
            role=session.session_user,
            acting_as=session.current_user,
            server=context.server,
            database=session.database,
            question=context.question,
            sql=sql,
            reading=choice.verdict.candidate.reading,
            reason=choice.reason,
            confidence=choice.confidence,
            origin=origin,
            day=session.today if dated else "",
        )
        self._pins.keep(pin, context.memory)
        # the report is long, and no one waits for it: equal ASKs get their turn after it is made
        whole = whom is Audience.SESSION or not secured(context.catalog)
        if written(decision.trace) <= MAX_CHARACTERS_ON_LOOP:
            asyncio.get_running_loop().call_soon(self._add_report, pin, context, decision, whole)
        else:
            why = await beside(_document, context, decision, whole)
            self._pins.complete(pin, replace(pin, why=why), context.memory)
        return pin

    def _add_report(self, pin: Pin, context: AskContext, decision: Decision, whole: bool) -> None:
        why = _document(context, decision, whole)
        self._pins.complete(pin, replace(pin, why=why), context.memory)


def _keys(context: AskContext) -> tuple[str, str]:
    """The keys that a question may be pinned under: a person's word comes first."""
    return context.spoken_key, context.key


def _document(context: AskContext, decision: Decision, whole: bool) -> str:
    # an ASK that the history does not hold has no name to be found by
    asked = (decision.asked or decision.trace.id) if context.asker.settings[HISTORY] else ""
    return document(decision, whole=whole, more={"asked": asked})


def _served(sql: str, context: AskContext, by_hand: bool) -> tuple[Audience, bool]:
    """For whom SQL may be kept, and whether for its day only."""
    if by_hand:
        apart = tells_tenants_apart(sql, context.catalog)
        return Audience.SESSION if apart else Audience.ROLE, holds_day(sql, context.asked)
    return audience(sql, context.asked, context.catalog), unasked(sql, context.asked).dated
