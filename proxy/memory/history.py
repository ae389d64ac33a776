"""What is kept of each ASK: one row of history, and the steps that led to it.

Owns: making those records. They say what was asked and understood, never rows of the answer; an ASK in a
database with row-level security is its session's own affair.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import fields
from typing import Final

from askwire.core.beside import beside
from askwire.core.errors import AskError, TookTooLong
from askwire.core.protocols import Store
from askwire.core.records import AskedTrace, HistoryEntry
from askwire.core.settings.memory import HISTORY, HISTORY_ROWS
from askwire.core.trace import Json, Trace
from askwire.proxy.asking.context import AskContext
from askwire.proxy.memory.live import Live
from askwire.proxy.memory.pins import as_json
from askwire.proxy.memory.privacy import Audience, audience, secured, serves_role
from askwire.proxy.memory.recollection import document
from askwire.proxy.reports import report
from askwire.proxy.session.session_memory import numbered
from askwire.sql.ask import AskOptions
from askwire.sql.unasked import without_unasked

log = logging.getLogger("askwire.history")

MAX_TRACE_CHARACTERS: Final = 256 * 1024
"""Characters; the steps of an ASK that took more are not kept, nor is a report that is longer."""

MAX_CHARACTERS_ON_LOOP: Final = 4_000
"""Characters of SQL in all; what an ASK came to with more is written down beside the event loop."""

MAX_JUDGED_READINGS: Final = 5
"""Readings of an ASK that can be judged outside of its session."""


class History:
    """Keeps records of ASKs; `wall` tells the time of day. `live` shows those under way."""

    def __init__(self, store: Store, wall: Callable[[], float]) -> None:
        self._store = store
        self._wall = wall
        self.live = Live(wall)
        self._writing: set[asyncio.Task[None]] = set()

    def answered(self, context: AskContext, decision: report.Decision) -> str:
        """Keep an ASK that ended with a choice, or with a report on why there is none; its record's key."""
        error = None if decision.choice else decision.error
        return self._keep(context, decision.trace, error, decision)

    def failed(self, context: AskContext, trace: Trace, error: AskError | asyncio.CancelledError) -> str:
        """Keep an ASK that ended with an error; its record's key."""
        return self._keep(context, trace, error if isinstance(error, AskError) else None, canceled=True)

    def _keep(
        self,
        context: AskContext,
        trace: Trace,
        error: AskError | None,
        decision: report.Decision | None = None,
        *,
        canceled: bool = False,
    ) -> str:
        if error:
            outcome, message = error.code, error.message
        elif canceled:
            outcome, message = "57014", "canceling ASK due to user request"
        else:
            outcome, message = "00000", ""
        if context.asker.settings[HISTORY]:
            # the answer goes first: what is kept is written down while PostgreSQL is at work
            ended = outcome, message
            loop, now = asyncio.get_running_loop(), self._wall()
            if written(trace) <= MAX_CHARACTERS_ON_LOOP:
                loop.call_soon(self._write, now, context, trace, ended, decision)
            else:
                writing = loop.create_task(self._write_beside(now, context, trace, ended, decision))
                self._writing.add(writing)
                writing.add_done_callback(self._writing.discard)
        return trace.id

    async def settled(self) -> None:
        """Wait until all that ended before is written down."""
        if self._writing:
            await asyncio.wait(self._writing)

    def _write(
        self,
        now: float,
        context: AskContext,
        trace: Trace,
        ended: tuple[str, str],
        decision: report.Decision | None,
    ) -> None:
        self._store.put(*self._records(now, context, trace, ended, decision))
        self.live.ended(trace, *ended)

    async def _write_beside(
        self,
        now: float,
        context: AskContext,
        trace: Trace,
        ended: tuple[str, str],
        decision: report.Decision | None,
    ) -> None:
        try:
            self._store.put(*await beside(self._records, now, context, trace, ended, decision))
        except TookTooLong:
            log.warning("an ASK is not kept: its record takes too long to be made", extra={"ask": trace.id})
        self.live.ended(trace, *ended)

    def _records(
        self,
        now: float,
        context: AskContext,
        trace: Trace,
        ended: tuple[str, str],
        decision: report.Decision | None,
    ) -> list[HistoryEntry | AskedTrace]:
        session = context.asker.session
        choice = decision.choice if decision else None
        sql, reading, private = "", "", secured(context.catalog)
        if choice:
            sql, reading = choice.verdict.sql, choice.verdict.candidate.reading
            private = private or audience(sql, context.asked, context.catalog) is Audience.ASK
            if private:
                # a reading is as free to name values as the SQL is, and cannot be read as well
                sql, reading = without_unasked(sql, context.asked), ""
        outcome, message = ended
        records: list[HistoryEntry | AskedTrace] = [
            HistoryEntry(
                key=trace.id,
                at=now,
                session=context.memory.session,
                role=session.session_user,
                acting_as=session.current_user,
                server=context.server,
                database=session.database,
                question=context.question,
                options=as_json(_given(context.options)),
                outcome=outcome,
                message=message,
                sql=sql,
                reading=reading,
                reason=choice.reason if choice else "",
                confidence=choice.confidence if choice else None,
                pinned=bool(decision and decision.pin),
                private=private,
                elapsed_ms=round(trace.elapsed * 1000, 3),
                sent_to_models="\n".join(report.sent_to_models(trace)),
            )
        ]
        if not private:
            steps = json.dumps(trace.to_json(), ensure_ascii=False, separators=(",", ":"))
            if len(steps) <= MAX_TRACE_CHARACTERS:
                told = _report(context, decision) if decision else "{}"
                records.append(
                    AskedTrace(trace.id, now, steps, told if len(told) <= MAX_TRACE_CHARACTERS else "{}")
                )
        return records


def written(trace: Trace) -> int:
    """How many characters of SQL an ASK came to, each candidate as often as it was looked at."""
    texts = (event.data.get("sql") for event in trace)
    return sum(len(text) for text in texts if isinstance(text, str))


def _report(context: AskContext, decision: report.Decision) -> str:
    """The report of a decision, and its readings under their numbers.

    `shared` ones may be judged for all sessions of the role (`memory.reviewing`).
    """
    readings, _ = numbered(decision.choice or decision.error)
    more: dict[str, Json] = {
        "readings": [
            {
                "sql": verdict.sql,
                "reading": verdict.candidate.reading,
                "shared": serves_role(verdict.sql, context.asked, context.catalog),
            }
            for verdict in readings[:MAX_JUDGED_READINGS]
        ]
    }
    if decision.choice is None and decision.verdicts:
        # how the best candidate took the words, which is no statement of what was meant
        best = (readings or decision.verdicts)[0].candidate
        more["alignments"] = report.alignments_json(best)
        more["uncovered"] = list(best.uncovered)
    if decision.error and not context.asker.settings[HISTORY_ROWS]:
        # its detail may show rows
        more["error"] = {"code": decision.error.code, "message": decision.error.message}
    return document(decision, whole=True, more=more)


def _given(options: AskOptions) -> dict[str, object]:
    """The options that were set."""
    given = {field.name: getattr(options, field.name) for field in fields(options)}
    return {name: value for name, value in given.items() if value != getattr(_PLAIN, name)}


_PLAIN: Final = AskOptions()
