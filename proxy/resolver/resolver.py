"""The composition of an ASK: planner, verifier and selector in the asker's own session.

Owns: the order of things between a request and its rewrite (`AskResolver._resolve`); the stages that find
SQL for the question are `pipeline`'s.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from askwire.core.beside import beside, stepwise
from askwire.core.clock import MonotonicClock
from askwire.core.errors import AskError, BudgetSpent, CalledWrong, NoExpert, RefusedByGate
from askwire.core.protocols import Batch, Clock, Store
from askwire.core.settings.memory import WORKLOAD, WORKLOAD_STATEMENTS
from askwire.core.settings.models import KNOWLEDGE_FOLDER
from askwire.core.settings.table import TIMEOUT, Settings
from askwire.core.stepped import SteppedExecutor
from askwire.core.trace import Trace
from askwire.llm.sources import ExpertSource
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import Expert
from askwire.planner.models.model_expert import ModelExpert
from askwire.planner.models.ranking import Ranker
from askwire.planner.models.retrieval.makers import makers
from askwire.proxy.asking.context import AskContext
from askwire.proxy.asking.requests import AskRequest, FeedbackRequest, Recheck, Rewrite, StateQuery
from askwire.proxy.log import ask_id
from askwire.proxy.memory import relations
from askwire.proxy.memory.commands import Commands
from askwire.proxy.memory.examples import answered_examples
from askwire.proxy.memory.memories import open_memories
from askwire.proxy.memory.pinning import ASKED
from askwire.proxy.memory.place import server_of
from askwire.proxy.operations.figures import ANSWERED, CANCELED, Figures
from askwire.proxy.operations.spans import open_spans
from askwire.proxy.reports import choices, notices, progress, report
from askwire.proxy.reports.report import Decision
from askwire.proxy.resolver.budgets import Budgets
from askwire.proxy.resolver.checks import check_confidence, check_cost, check_length, check_mode
from askwire.proxy.resolver.deadline import Deadline
from askwire.proxy.resolver.gate import AskerGate, caps_of
from askwire.proxy.resolver.judging import Judges
from askwire.proxy.resolver.panel import Panel
from askwire.proxy.resolver.pipeline import AnswerPipeline
from askwire.proxy.resolver.record import AskRecord
from askwire.proxy.resolver.session_reader import SessionReader, Surroundings
from askwire.proxy.resolver.standbys import Standbys
from askwire.proxy.session.session_memory import SessionMemory, numbered
from askwire.proxy.session.statements.asker import Asker, for_this_role, read_asker
from askwire.proxy.session.statements.conversation import CONNECTION_FAILURE, BackendGone
from askwire.proxy.session.statements.executor import SessionExecutor
from askwire.proxy.session.statements.limits import Caps
from askwire.sql.ask import AskOptions, AskSite
from askwire.sql.catalog import Catalog
from askwire.store import MemoryStore
from askwire.store.documents import DocumentFolder

log = logging.getLogger("askwire.ask")

_FREEZE_AFTER_ASKS: Final = frozenset(2**n for n in range(7))
"""The ASKs after which full collections look at less: few, because what is frozen is never collected."""


class AskResolver:
    """`proxy.asking.requests.Resolver` over the whole pipeline; one for all sessions of a server."""

    def __init__(
        self,
        settings: Settings,
        *,
        experts: Sequence[Expert] | None = None,
        clock: Clock | None = None,
        store: Store | None = None,
        wall: Callable[[], float] = time.time,
        sources: Sequence[ExpertSource] = (),
    ) -> None:
        """`experts` are asked beside the models of `sources`; the embedded engine, if none are given.

        `store` keeps what outlives an ASK, in memory if none is given; `wall` tells the time of day.
        """
        self.settings = settings
        self.figures = Figures()
        self._spans = open_spans({source.name: source.config.model for source in sources})
        self._clock = clock or MonotonicClock()
        self._gate = AskerGate()
        self._reader = SessionReader(self._in_force, self._clock, self._gate)
        self.memories = open_memories(
            store or MemoryStore(),
            server_of(settings),
            self._in_force,
            wall=wall,
            clock=self._clock,
            gate=self._gate.pass_beside,
            statements=self.figures.statements,
        )
        given = (e for e in experts or () if isinstance(e, EmbeddedEngine))
        self._engine = next(given, None) or EmbeddedEngine()
        store, server = self.memories.store, self.memories.server
        noting = makers(store, server, DocumentFolder(settings[KNOWLEDGE_FOLDER]))
        ranker = Ranker()
        self.pipeline = AnswerPipeline(
            self._in_force,
            self._clock,
            self.memories,
            self._reader,
            self._gate,
            Budgets(store, wall, self._clock),
            Panel(
                (self._engine,) if experts is None else experts,
                [ModelExpert(source, self._clock, ranker=ranker, noting=noting) for source in sources],
                self._clock,
            ),
            Judges(sources, self._clock),
            Standbys(settings, self._clock),
        )
        self._commands = Commands(
            self.memories,
            self._gate.pass_beside,
            self.pipeline.decide,
            lambda catalog: self._engine.index(catalog, whole=True),
        )
        self._resolved = 0

    def _in_force(self) -> Settings:
        return self.settings

    async def prepare(self) -> None:
        """Do what the models' first calls would have to wait for; nothing has to wait for it."""
        await self.pipeline.panel.prepare()
        await self.pipeline.judging.prepare(self.settings)

    async def close(self) -> None:
        """Let go of the models' connections, and learn nothing any more."""
        await self.memories.elsewhere.close()
        await self.memories.statement_collector.close()
        await self.pipeline.panel.close()
        await self.pipeline.judging.close()

    @property
    def initial_caps(self) -> Caps:
        """The operator's caps, in force until the session's own settings are known."""
        return caps_of(self.settings, 0)

    # -- one ASK -------------------------------------------------------------------------------------------

    async def resolve(self, request: AskRequest) -> Rewrite:
        """SQL for one ASK, with what the asker is shown; raises core.errors.AskError."""
        trace = Trace(self._clock)
        with self._observed(trace):
            return await self._resolve(request, trace)

    async def _resolve(self, request: AskRequest, trace: Trace) -> Rewrite:
        """The order of an ASK, from the asker's session to the SQL that takes its place."""
        site, executor = request.site, request.executor
        check_length(site, self.settings)
        deadline = Deadline(self.settings, site.options)
        record = AskRecord(request, trace, self.memories.history)
        with record.failure(deadline):
            async with deadline.limit():
                context, decision = await self._enter(request, trace)
                record.began(context)
                check_mode(request, context.asker)
                context = deadline.tighten(context, executor.entry)
                asker = context.asker
                self._gate.bound(executor, asker, context.catalog)
                if decision is None:
                    async with progress.told(trace, request.notify, after=progress.wait(asker)):
                        decision = await self._decide(context, executor, trace)
                readings = await _readings(context, decision, executor)
                if decision.pin is None or decision.pin.origin == ASKED:
                    check_confidence(site, decision.choice, asker, self.settings)
                await check_cost(context, decision, executor)
        self._count_resolved()
        record.answered(context, decision)
        if readings:
            return Rewrite(for_this_role(readings, asker.session), report=True)
        return await beside(_rewrite, decision, site, asker)

    @contextmanager
    def _observed(self, trace: Trace) -> Iterator[None]:
        """Count one ASK, log it, and tell it as spans, however it ends."""
        named = ask_id.set(trace.id)
        outcome = CANCELED
        try:
            yield
            outcome = ANSWERED
        except AskError as error:
            outcome = error.code
            raise
        except BackendGone:
            outcome = CONNECTION_FAILURE
            raise
        finally:
            self.figures.asked(trace, outcome)
            self._spans.ended(trace, outcome)
            log.info("ASK ended with %s after %d ms", outcome, trace.elapsed * 1000)
            ask_id.reset(named)

    async def _enter(self, request: AskRequest, trace: Trace) -> tuple[AskContext, Decision | None]:
        """Who asks what of which catalog, and what a pin at hand has decided already.

        One batch for all of it, left before anything is made of what was read.
        """
        known: list[AskContext] = []

        async def pinned(batch: Batch, asker: Asker, catalog: Catalog) -> Decision | None:
            known.append(self._context(request, asker, catalog, trace))
            return await self.memories.pinning.at_hand(batch, known[0], trace)

        found: Surroundings[Decision] = await self._reader.read(request.executor, request.memory, pinned)
        context = known[0] if known else self._context(request, found.asker, found.catalog, trace)
        return context, found.at_once

    def _context(self, request: AskRequest, asker: Asker, catalog: Catalog, trace: Trace) -> AskContext:
        trace.record(
            "session",
            "read",
            database=asker.session.database,
            relations=len(catalog.relations),
            left_out=catalog.left_out,
            fingerprint=catalog.fingerprint,
        )
        request.memory.consents = asker.settings[WORKLOAD] and asker.settings[WORKLOAD_STATEMENTS]
        return self._asked(asker, catalog, request.memory, request.site.question, request.site.options)

    def _asked(
        self, asker: Asker, catalog: Catalog, memory: SessionMemory, question: str, options: AskOptions
    ) -> AskContext:
        experts = self.pipeline.panel.roster(asker.settings)
        return AskContext(asker, catalog, self.memories.server, memory, question, options, experts)

    async def _decide(self, context: AskContext, executor: SessionExecutor, trace: Trace) -> Decision:
        """What a question stands for: what it stood for before, else what is found now, and pinned."""
        pinning = self.memories.pinning
        if not pinning.applies(context):
            return await self.pipeline.decide(context, executor, trace)
        async with self.memories.pins.turn(context.key):
            recalled = await pinning.recalled(executor, context, trace)
            if recalled:
                return recalled
            confirmed = await self._commands.confirmed(executor, context, trace)
            decision = confirmed or await self.pipeline.decide(context, executor, trace)
            await pinning.keep(context, decision)
            return decision

    def _count_resolved(self) -> None:
        self._resolved += 1
        if self._resolved in _FREEZE_AFTER_ASKS:
            # what the first ASKs load, each some more, is there as well now: see proxy.server
            gc.freeze()

    # -- what else a session asks --------------------------------------------------------------------------

    async def teach(self, request: FeedbackRequest) -> Rewrite:
        """Carry out a statement that teaches; raises core.errors.AskError."""
        trace = Trace(self._clock)
        timeout = self.settings[TIMEOUT]
        try:
            async with asyncio.timeout(timeout / 1000 if timeout else None):
                found: Surroundings[None] = await self._reader.read(request.executor, request.memory)
                self._gate.bound(request.executor, found.asker, found.catalog)
                last = request.memory.last
                question, options = (last.question, last.options) if last else ("", AskOptions())
                context = self._asked(found.asker, found.catalog, request.memory, question, options)
                return await self._commands.run(request, context, trace)
        except TimeoutError:
            raise BudgetSpent(f"the statement was not stored within {timeout} ms") from None

    async def recheck(self, prepared: Recheck) -> None:
        """Judge statements by the catalog as it is now; raises core.errors.RefusedByGate."""
        found: Surroundings[None] = await self._reader.read(prepared.executor, prepared.memory)
        session, server = found.asker.session, self.memories.server
        rejections = self.memories.rejections
        if await rejections.holds_any(prepared.statements, session, server, prepared.memory, found.catalog):
            raise CalledWrong("this SQL was rejected with ASK WRONG after it was prepared")
        for sql in prepared.statements:
            if await self._gate.pass_beside(sql, found.asker, found.catalog) != sql:
                raise RefusedByGate("names in the statement mean something else than when it was prepared")

    async def state(self, query: StateQuery) -> Mapping[str, str]:
        """Queries that hold the rows of askwire's own state; raises core.errors.AskError."""
        await self.memories.history.settled()
        async with query.executor.batch() as batch:
            asker = await read_asker(batch, self.settings, parameters=query.memory.parameters or ())
        query.memory.enter(asker.session)
        examples = await self._examples(query.executor, asker) if "help" in query.relations else ()
        viewer = relations.Viewer(asker, self.memories.server, query.memory, examples)
        return await relations.queries(query.relations, self.memories.store, viewer)

    async def _examples(self, executor: SessionExecutor, asker: Asker) -> Sequence[tuple[str, str]]:
        catalog = await self._reader.catalog(executor, asker)
        self._gate.bound(executor, asker, catalog)
        return await answered_examples(self._engine, catalog, asker, executor, self._clock)


async def _readings(context: AskContext, decision: Decision, executor: SessionExecutor) -> str:
    """The query instead of `ASK (CHOICES)`; '' where that was not asked for, or there are none."""
    readings, _ = numbered(decision.choice or decision.error)
    if not context.options.choices or not readings:
        return ""
    chosen = decision.choice.verdict if decision.choice else None
    return await stepwise(
        choices.as_rows(readings, chosen, context, SteppedExecutor(executor), decision.trace)
    )


def _rewrite(decision: Decision, site: AskSite, asker: Asker) -> Rewrite:
    """What stands in the ASK's place, and what its asker is shown."""
    if site.options.why:
        query = report.why_query(decision, as_json=site.options.format == "json")
        return Rewrite(for_this_role(query, asker.session), report=True)
    choice = decision.choice
    if choice is None:
        raise decision.error or NoExpert("no expert has proposed an answer")
    if site.options.sql:
        return Rewrite(for_this_role(report.sql_query(choice), asker.session))
    return Rewrite(choice.verdict.sql, notices.of_answer(choice, asker, decision.pin), gated=True)
