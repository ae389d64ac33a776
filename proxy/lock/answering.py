"""Asking questions for a lock: on a connection of askwire's own, past all pins, with rivals and their rows.

Owns: one question to what is locked of it.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final

from askwire.core.clock import MonotonicClock
from askwire.core.errors import (
    AmbiguousQuestion,
    AskError,
    BeyondEngine,
    DatabaseFailed,
    NotInDatabase,
    RefusedByGate,
)
from askwire.core.settings.table import Settings
from askwire.core.types import SessionState, Verdict
from askwire.llm.expert_table import ExpertConfig
from askwire.llm.sources import open_sources
from askwire.planner.catalogs import Catalogs
from askwire.proxy.asking.requests import AskRequest
from askwire.proxy.lock.locked import AGREES, DIFFERS, TIES, UNDECIDED, LockedAnswer, Rival, Setting
from askwire.proxy.lock.parameters import parameters
from askwire.proxy.lock.questions import LockQuestion
from askwire.proxy.memory.place import store_of
from askwire.proxy.resolver.resolver import AskResolver
from askwire.proxy.session.session_memory import SessionMemory
from askwire.proxy.session.statements.asker import read_asker
from askwire.proxy.session.statements.executor import SessionExecutor
from askwire.proxy.session.statements.own_connection import OwnConnection, Target, connected
from askwire.selector.instances import Budget, Outcome, Separation, separate
from askwire.selector.instances.presentation.compared import compared
from askwire.sql.ask import AskSite
from askwire.sql.canonical.query_form import query_form
from askwire.sql.canonical.schema_digest import schema_digest
from askwire.sql.catalog import Catalog
from askwire.sql.presentation.layout import laid_out
from askwire.sql.unasked import unasked

MOST_RIVALS: Final = 5

_DECIDED: Final = (AmbiguousQuestion, NotInDatabase, BeyondEngine, RefusedByGate)
"""Errors that are an answer, and are locked as one; others mean that the question could not be asked."""

_STATES: Final = {
    Outcome.SEPARATED: DIFFERS,
    Outcome.EQUAL: AGREES,
    Outcome.TIE_ORDER: TIES,
    Outcome.NOT_SEPARATED: UNDECIDED,
}
_BUDGET: Final = Budget(statements=100, milliseconds=5000)


class AnswerSession:
    """One session in which questions are asked; made by `answering`."""

    def __init__(
        self,
        resolver: AskResolver,
        executor: SessionExecutor,
        session: SessionState,
        catalog: Catalog,
        experts: Sequence[str],
    ) -> None:
        self.today = session.today
        self.setting = Setting(
            session.database,
            session.current_user,
            tuple(name for name in session.search_path if name != "pg_catalog"),
            session.server_version,
            schema_digest(catalog),
            tuple(experts),
        )
        self._resolver = resolver
        self._executor = executor
        self._catalog = catalog

    async def lock(self, asked: LockQuestion) -> LockedAnswer:
        """What a question stands for now.

        Raises AskError for a question that could not be asked: no expert, no time, no database.
        """
        memory = SessionMemory()
        site = AskSite(0, 0, asked.question, replace(asked.options, fresh=True), None, 0, 1)
        refusal: AskError | None = None
        try:
            await self._resolver.resolve(AskRequest(site, self._executor, False, lambda notice: None, memory))
        except _DECIDED as error:
            refusal = error
        last = memory.last
        choice = last.choice if last else None
        if last is None or choice is None:
            refusal = refusal or NotInDatabase("the question was not answered")
            readings = last.readings if last else ()
            rivals = await self._rivals(readings[0].sql, readings[1:]) if readings else []
            if readings:
                rivals.insert(0, Rival(laid_out(readings[0].sql), readings[0].candidate.reading, AGREES))
            return LockedAnswer(asked, sqlstate=refusal.code, message=refusal.message, rivals=tuple(rivals))
        chosen = choice.verdict
        said = f"{asked.question} {asked.options.evidence}"
        others = [*last.readings, *(verdict for group in last.proposals for verdict in group)]
        return LockedAnswer(
            asked,
            laid_out(chosen.sql),
            chosen.candidate.reading,
            None if choice.confidence is None else round(choice.confidence, 3),
            self.today if unasked(chosen.sql, said).dated else "",
            rivals=tuple(await self._rivals(chosen.sql, others)),
            parameters=await parameters(chosen.sql, said, self._executor),
        )

    async def apart(self, first: str, second: str, numbers: Sequence[int] = (1, 2)) -> Rival:
        """The second query as a rival of the first, whose answers are compared on the data there is now."""
        try:
            # anyone who can change a lock file writes what runs here
            one, two = await self._executor.passed(first), await self._executor.passed(second)
            found = await separate(one, two, self._catalog, self._executor, _BUDGET)
        except (DatabaseFailed, RefusedByGate):
            return Rival(laid_out(second), "", UNDECIDED)
        return Rival(
            laid_out(second),
            "",
            _STATES[found.outcome],
            tuple(_shown(found, numbers)),
            made_up=found.instance is None,
        )

    async def compiles(self, sql: str) -> str:
        """What PostgreSQL or the gate has against a query now; '' if nothing."""
        try:
            async with self._executor.batch() as batch:
                await batch.explain(sql)
        except (DatabaseFailed, RefusedByGate) as error:
            return error.message
        return ""

    async def _rivals(self, chosen: str, others: Sequence[Verdict]) -> list[Rival]:
        known, rivals = {query_form(chosen)}, list[Rival]()
        for verdict in others:
            form = query_form(verdict.sql)
            if form in known or len(rivals) == MOST_RIVALS:
                continue
            known.add(form)
            rival = await self.apart(chosen, verdict.sql, (1, len(rivals) + 2))
            rivals.append(replace(rival, reading=verdict.candidate.reading))
        return rivals


def _shown(found: Separation, numbers: Sequence[int]) -> list[str]:
    shown = found.instance or found.witness
    return compared(shown, numbers) if shown else []


@asynccontextmanager
async def answering(
    target: Target, settings: Settings, experts: Sequence[ExpertConfig], search_path: str
) -> AsyncIterator[AnswerSession]:
    """A session in which questions are asked for a lock; nothing of it is remembered.

    What askwire was taught (LEARN) counts, as the setting `store` keeps it. Raises DatabaseFailed and
    ConfigurationError when the database cannot be reached.
    """
    told = {"search_path": search_path} if search_path else {}
    clock = MonotonicClock()
    sources = open_sources(experts, os.environ, clock)
    store = store_of(settings)
    resolver = AskResolver(settings, store=store, sources=sources)
    try:
        await resolver.prepare()
        async with connected(target, told) as connection:
            executor, session, catalog = await _look(connection, resolver, settings)
            names = [*(expert.name for expert in experts), "embedded"]
            yield AnswerSession(resolver, executor, session, catalog, names)
    finally:
        await resolver.close()
        await store.close()


async def _look(
    connection: OwnConnection, resolver: AskResolver, settings: Settings
) -> tuple[SessionExecutor, SessionState, Catalog]:
    executor = connection.executor(resolver.initial_caps)
    async with executor.batch() as batch:
        session = (await read_asker(batch, settings)).session
        catalog = await Catalogs(MonotonicClock()).load(batch, session, "")
    return executor, session, catalog
