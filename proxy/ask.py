"""The composition of an ASK: planner → verifier → selector, in the asker's own session.

The one place that knows all stages. Owns: the order of things, the deadline, what each option of an ASK
returns, and what the asker is told. Must not know: bytes.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from askwire.core.beside import beside, stepwise
from askwire.core.clock import MonotonicClock
from askwire.core.errors import (
    AmbiguousQuestion,
    AskError,
    BeyondEngine,
    BudgetSpent,
    DatabaseFailed,
    NoExpert,
    NotInDatabase,
    NotPossibleHere,
    QuestionTooLong,
    RefusedByGate,
)
from askwire.core.memory_settings import WORKLOAD, WORKLOAD_STATEMENTS
from askwire.core.model_settings import KNOWLEDGE_FOLDER
from askwire.core.protocols import Clock, Store
from askwire.core.selection_settings import POSTERIOR, SELECTION
from askwire.core.setting_values import parse_duration
from askwire.core.settings import (
    BACKEND,
    CANDIDATES,
    FINAL_MAX_COST,
    FINAL_READ_ONLY,
    JUDGE,
    PROBE_LOCK_TIMEOUT,
    PROBE_MAX_BYTES,
    PROBE_MAX_COST,
    PROBE_MAX_ROWS,
    PROBE_TIMEOUT,
    QUESTION_LIMIT,
    TIMEOUT,
    Settings,
)
from askwire.core.stepped import SteppedExecutor
from askwire.core.trace import Trace
from askwire.core.types import Choice, Question, Verdict
from askwire.core.value_settings import VALUES_OFF
from askwire.llm.sources import ExpertSource
from askwire.planner.catalogs import FIRST, Catalogs
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.linking.naming import linked_name
from askwire.planner.expert import Expert, Planning
from askwire.planner.models.model_expert import ModelExpert
from askwire.planner.models.ranking import Ranker
from askwire.planner.models.retrieving.makers import makers
from askwire.proxy import choices, notices, progress, report
from askwire.proxy.asking.inquiry import Inquiry, Lesson, Look, Resolution
from askwire.proxy.budgets import Budgets
from askwire.proxy.deciding import JUDGED, check_selection, voting
from askwire.proxy.gate_policy import policy_of
from askwire.proxy.judging import Judged, Judging
from askwire.proxy.log import ask_id
from askwire.proxy.memory import relations as state
from askwire.proxy.memory.commands import Commands
from askwire.proxy.memory.experience import Experience
from askwire.proxy.memory.history import History
from askwire.proxy.memory.overheard import Overheard
from askwire.proxy.memory.pinning import Pinning
from askwire.proxy.memory.pins import Pins
from askwire.proxy.memory.place import server_of
from askwire.proxy.memory.reviewing import Reviewing
from askwire.proxy.memory.teaching import Teaching
from askwire.proxy.memory.workload import Workload
from askwire.proxy.occasion import Occasion
from askwire.proxy.operations.figures import ANSWERED, CANCELED, Figures
from askwire.proxy.operations.spans import open_spans
from askwire.proxy.panel import Panel, declined, with_passed_over
from askwire.proxy.session.asker import Asker, for_this_role, read_asker
from askwire.proxy.session.conversation import CONNECTION_FAILURE, BackendGone
from askwire.proxy.session.executor import SessionExecutor
from askwire.proxy.session.limits import Caps, Entry
from askwire.proxy.session.session_memory import SessionMemory, numbered
from askwire.selector import select
from askwire.selector.instances.meaning import Text, meanings
from askwire.selector.posterior import SETTLED, Posterior
from askwire.selector.whole import with_digests
from askwire.sql.ask import AskOptions, AskSite
from askwire.sql.catalog import Catalog
from askwire.sql.in_words import in_words
from askwire.sql.introspection_attached import MOST_SETTINGS
from askwire.sql.safety.remembered import Gate
from askwire.store import MemoryStore
from askwire.store.documents import DocumentFolder
from askwire.verifier import verify
from askwire.verifier.repair.broken import nearest

log = logging.getLogger("askwire.ask")

_FREEZING = frozenset(2**n for n in range(7))
"""The ASKs after which full collections look at less: few, because what is frozen is never collected."""

_STALE_SECONDS = 0.25
"""How old a catalog may be where something is run that was judged by it."""

_MOST_PARAMETERS = 2 * MOST_SETTINGS
"""Parameters that are read with every session, those of all databases of the server together."""

_DECISIONS = (AmbiguousQuestion, BeyondEngine, NotInDatabase, RefusedByGate, NoExpert, BudgetSpent)
"""What a report of WHY shows instead of raising: how experts ended, not what failed in the session."""


class AskResolver:
    """`proxy.asking.Resolver` over the whole pipeline; one for all sessions of a server."""

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
        self._server = server_of(settings)
        self.store = store or MemoryStore()
        self.figures = Figures()
        self._spans = open_spans({source.name: source.config.model for source in sources})
        self._history = History(self.store, wall)
        self.live = self._history.live
        self._pins = Pins(self.store, wall)
        self._pinning = Pinning(self._pins, self._gated_beside, wall)
        self._experience = Experience(self.store, wall)
        self._teaching = Teaching(self.store, self._pins, self._experience, wall)
        self.reviewing = Reviewing(self.store, self._pins, self._experience, wall)
        self.overheard = Overheard(
            self.store, self._server, wall, lambda: self.settings, self.figures.statements
        )
        self._commands = Commands(
            self._teaching, self._pinning, self._pins, self.reviewing, self._gated_beside, self.overheard
        )
        self._clock = clock or MonotonicClock()
        self._catalogs = Catalogs(self._clock, values_off=settings[VALUES_OFF])
        self._gate = Gate()
        self._tenancy: tuple[str, ...] = ()
        self._warm = 0
        self._budgets = Budgets(self.store, wall, self._clock)
        self._workload = Workload(self._clock, self.store, self.overheard)
        self._judging = Judging(sources, self._clock)
        ranker = Ranker()
        noting = makers(self.store, self._server, DocumentFolder(settings[KNOWLEDGE_FOLDER]))
        self._panel = Panel(
            (EmbeddedEngine(),) if experts is None else experts,
            [ModelExpert(source, self._clock, ranker=ranker, noting=noting) for source in sources],
            self._clock,
        )

    async def prepare(self) -> None:
        """Do what the models' first calls would have to wait for; nobody need wait for it."""
        await self._panel.prepare()
        await self._judging.prepare(self.settings)

    async def close(self) -> None:
        """Let go of the models' connections, and learn nothing any more."""
        await self.overheard.close()
        await self._panel.close()
        await self._judging.close()

    @property
    def initial_caps(self) -> Caps:
        """The operator's caps, in force until the session's own settings are known."""
        return _caps(self.settings, 0)

    async def resolve(self, inquiry: Inquiry) -> Resolution:
        """SQL for one ASK, with what the asker is told; raises core.errors.AskError."""
        trace = Trace(self._clock)
        named = ask_id.set(trace.id)
        outcome = CANCELED
        try:
            resolution = await self._resolve(inquiry, trace)
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
        return resolution

    async def _resolve(self, inquiry: Inquiry, trace: Trace) -> Resolution:
        site = inquiry.site
        limit = self.settings[QUESTION_LIMIT]
        if limit and len(site.question.encode("utf-8", "replace")) > limit:
            raise QuestionTooLong(
                "the question of this ASK is too long",
                detail=f"It may have {limit} bytes (question_limit).",
                position=site.start + 1,
            )
        began = asyncio.get_running_loop().time()
        budget = _least(self.settings[TIMEOUT], site.options.timeout_ms or 0)
        occasion: Occasion | None = None
        try:
            async with asyncio.timeout(budget / 1000 if budget else None) as deadline:
                occasion, decision = await self._look(inquiry, trace)
                self.live.began(occasion, trace)
                asker, catalog = occasion.asker, occasion.catalog
                self._check_mode(inquiry, asker)
                entry = inquiry.executor.entry
                budget = _least(budget, asker.settings[TIMEOUT], *_timers(entry))
                if budget:
                    deadline.reschedule(began + budget / 1000)
                    asker = replace(asker, settings=asker.settings.for_session({"timeout": f"{budget}ms"}))
                    occasion = replace(occasion, asker=asker)
                self._configure(inquiry.executor, asker, catalog, parse_duration(entry.statement_timeout))
                if decision is None:
                    async with progress.told(trace, inquiry.notify, after=progress.wait(asker)):
                        decision = await self._decision(occasion, inquiry.executor, trace)
                side_by_side = await self._choices(occasion, decision, inquiry.executor)
                await self._check_cost(occasion, decision, inquiry.executor)
        except TimeoutError:
            spent = BudgetSpent(
                f"no answer within {budget} ms",
                hint="Ask with a longer TIMEOUT, where the session's own time-outs allow it.",
            )
            if occasion:
                self._history.failed(occasion, trace, spent)
            raise spent from None
        except (AskError, asyncio.CancelledError) as error:
            if occasion:
                asked = self._history.failed(occasion, trace, error)
                acting_as = occasion.asker.session.current_user
                inquiry.memory.asked(asked, site.question, site.options, error, acting_as=acting_as)
            raise
        except BackendGone as gone:
            if occasion:
                lost = DatabaseFailed(str(gone), code=CONNECTION_FAILURE)
                self._history.failed(occasion, trace, lost)
            raise
        except BaseException:
            self.live.lost(trace)
            raise
        self._warm += 1
        if self._warm in _FREEZING:
            # what the first ASKs load, each some more, is there as well now: see proxy.server
            gc.freeze()
        asked = self._history.answered(occasion, decision)
        inquiry.memory.asked(
            asked,
            site.question,
            site.options,
            decision.choice or decision.error,
            decision.pin,
            acting_as=asker.session.current_user,
        )
        if side_by_side:
            return Resolution(for_this_role(side_by_side, asker.session), report=True)
        return await beside(_resolution, decision, site, asker)

    async def _choices(self, occasion: Occasion, decision: report.Decision, executor: SessionExecutor) -> str:
        """The query in the place of `ASK (CHOICES)`; '' where that was not asked for, or there are none."""
        readings, _ = numbered(decision.choice or decision.error)
        if not occasion.options.choices or not readings:
            return ""
        chosen = decision.choice.verdict if decision.choice else None
        rows = choices.as_rows(readings, chosen, occasion, SteppedExecutor(executor), decision.trace)
        return await stepwise(rows)

    async def teach(self, lesson: Lesson) -> Resolution:
        """Carry out a statement that teaches; raises core.errors.AskError."""
        trace = Trace(self._clock)
        executor = lesson.executor
        timeout = self.settings[TIMEOUT]
        try:
            async with asyncio.timeout(timeout / 1000 if timeout else None):
                async with executor.batch() as batch:
                    asker = await read_asker(batch, self.settings, (FIRST,), self._tenancy)
                    found = await self._catalogs.read(batch, asker.session, self.settings[BACKEND])
                catalog = await self._catalogs.finish(found)
                asker = await self._entered(lesson.memory, asker, catalog, executor)
                self._configure(executor, asker, catalog, parse_duration(executor.entry.statement_timeout))
                last = lesson.memory.last
                question, options = (last.question, last.options) if last else ("", AskOptions())
                experts = self._panel.roster(asker.settings)
                place = (self._server, lesson.memory)
                occasion = Occasion(asker, catalog, *place, question, options, experts)
                return await self._commands.run(lesson, occasion, trace)
        except TimeoutError:
            raise BudgetSpent(f"nothing learned within {timeout} ms") from None

    async def state(self, look: Look) -> Mapping[str, str]:
        """Queries that hold the rows of askwire's own state; raises core.errors.AskError."""
        await self._history.settled()
        async with look.executor.batch() as batch:
            asker = await read_asker(batch, self.settings, parameters=look.memory.parameters or ())
        look.memory.enter(asker.session)
        return await state.queries(look.relations, self.store, state.Viewer(asker, self._server, look.memory))

    async def _look(self, inquiry: Inquiry, trace: Trace) -> tuple[Occasion, report.Decision | None]:
        """The asker's session and catalog, and what is decided already.

        One batch for all of it, left before anything is made of what was read.
        """
        async with inquiry.executor.batch() as batch:
            asker = await read_asker(batch, self.settings, (FIRST,), self._tenancy)
            found = await self._catalogs.read(batch, asker.session, self.settings[BACKEND])
            if isinstance(found, Catalog) and self._knows(found):
                asker = _entered(inquiry.memory, asker, found)
                occasion = self._occasion(inquiry, asker, found, trace)
                return occasion, await self._pinning.at_hand(batch, occasion, trace)
        catalog = await self._catalogs.finish(found)
        asker = await self._entered(inquiry.memory, asker, catalog, inquiry.executor)
        return self._occasion(inquiry, asker, catalog, trace), None

    def _knows(self, catalog: Catalog) -> bool:
        """Whether every parameter that tells tenants apart in a catalog is read with the session."""
        return set(catalog.settings or ()) <= set(self._tenancy)

    async def _entered(
        self, memory: SessionMemory, asker: Asker, catalog: Catalog, executor: SessionExecutor
    ) -> Asker:
        """The asker with the parameters that tell tenants apart; what others left in its memory is gone."""
        if not self._knows(catalog):
            # sessions to come read them with everything else
            latest = dict.fromkeys((*(catalog.settings or ()), *self._tenancy))
            self._tenancy = tuple(latest)[:_MOST_PARAMETERS]
            async with executor.batch() as batch:
                asker = await read_asker(batch, self.settings, (), catalog.settings or ())
        return _entered(memory, asker, catalog)

    def _occasion(self, inquiry: Inquiry, asker: Asker, catalog: Catalog, trace: Trace) -> Occasion:
        trace.record(
            "session",
            "read",
            database=asker.session.database,
            relations=len(catalog.relations),
            left_out=catalog.left_out,
            fingerprint=catalog.fingerprint,
        )
        inquiry.memory.consents = asker.settings[WORKLOAD] and asker.settings[WORKLOAD_STATEMENTS]
        site = inquiry.site
        experts = self._panel.roster(asker.settings)
        return Occasion(asker, catalog, self._server, inquiry.memory, site.question, site.options, experts)

    async def _decision(self, occasion: Occasion, executor: SessionExecutor, trace: Trace) -> report.Decision:
        """What a question stands for: what it stood for before, else what is found now, and pinned."""
        if not self._pinning.applies(occasion):
            return await self._decide(occasion, executor, trace)
        async with self._pins.turn(occasion.key):
            recalled = await self._pinning.recalled(executor, occasion, trace)
            if recalled:
                return recalled
            confirmed = await self._commands.confirmed(executor, occasion, trace)
            decision = confirmed or await self._decide(occasion, executor, trace)
            await self._pinning.keep(occasion, decision)
            return decision

    def _check_mode(self, inquiry: Inquiry, asker: Asker) -> None:
        if asker.settings[FINAL_READ_ONLY] and inquiry.in_block and not inquiry.executor.entry.read_only:
            raise NotPossibleHere(
                "ASK is not possible in a read-write transaction block here",
                hint="BEGIN READ ONLY, or ask outside a block (final_read_only is on).",
                position=inquiry.site.start + 1,
            )

    async def _check_cost(
        self, occasion: Occasion, decision: report.Decision, executor: SessionExecutor
    ) -> None:
        """Refuse chosen SQL that would cost more than the operator or the asker allows."""
        most, options = occasion.asker.settings[FINAL_MAX_COST], occasion.options
        if not most or decision.choice is None or options.why or options.sql or options.choices:
            return
        sql = decision.choice.verdict.sql
        async with executor.batch() as batch:
            cost = (await batch.explain(sql)).total_cost
        if cost > most:
            raise BudgetSpent(
                f"the plan of the answer costs {cost:.0f}, more than {most:.0f} (final_max_cost)",
                detail=sql,
                hint="Run the SQL yourself, or ask for less.",
            )

    def _configure(self, executor: SessionExecutor, asker: Asker, catalog: Catalog, own_timeout: int) -> None:
        executor.caps = _caps(asker.settings, own_timeout)
        executor.admit(lambda sql: self._gated(sql, asker, catalog))

    def _gated(self, sql: str, asker: Asker, catalog: Catalog) -> str:
        """The text of a machine-written statement that may run for this asker; raises RefusedByGate."""
        return self._gate.check(sql, catalog, policy_of(asker.settings)).sql

    async def _gated_beside(self, sql: str, asker: Asker, catalog: Catalog) -> str:
        """The same, beside the event loop."""
        return await beside(self._gated, sql, asker, catalog)

    async def _as_passed(self, verdict: Verdict, asker: Asker, catalog: Catalog) -> Verdict:
        """A verdict with the text that ran: what is made of it later, to find rows, is no other's.

        What it answers is read off that text, unless it is as the embedded engine rendered it: no author's
        own description of a query is told.
        """
        if not verdict.ran:
            return verdict
        sql = await self._gated_beside(verdict.sql, asker, catalog)
        candidate = verdict.candidate
        if candidate.confidence is None or verdict.mends:
            candidate = replace(candidate, reading=await beside(in_words, sql))
        return replace(verdict, sql=sql, candidate=candidate)

    async def _decide(self, occasion: Occasion, executor: SessionExecutor, trace: Trace) -> report.Decision:
        asker, catalog, options = occasion.asker, occasion.catalog, occasion.options
        check_selection(self.settings, asker.settings, self._judging)
        looked = self._clock.monotonic()
        learned = await self._teaching.meanings(occasion)
        if learned:
            trace.record("planner", "glossary", meanings=learned)
        question = Question(occasion.question, ". ".join(filter(None, (options.evidence, learned))))
        planning = await self._budgets.planning(question, occasion, SteppedExecutor(executor), trace)
        if asker.settings[WORKLOAD]:
            planning = replace(planning, habits=await self._workload.look(executor, occasion))
        verdicts: Sequence[Verdict] = ()
        sent_before = executor.statements
        try:
            candidates = await self._panel.propose(planning)
            catalog, looked = await self._current(catalog, asker, executor, looked)
            wanted = _least(asker.settings[CANDIDATES], options.candidates or 0)
            verdicts = await stepwise(
                verify(
                    question,
                    candidates[: wanted or None],
                    planning.executor,
                    asker.settings,
                    trace,
                    catalog=catalog,
                    repairer=self._panel.repairer(planning),
                    reviewer=self._panel.reviewer(planning),
                    nearest=_name_meant,
                )
            )
            passed = [await self._as_passed(v, asker, catalog) for v in verdicts]
            verdicts = sorted(passed, key=lambda verdict: not verdict.ran)
            sent, began = executor.statements, self._clock.monotonic()
            try:
                verdicts = await stepwise(with_digests(verdicts, planning.executor, trace))
                shown = options.why or options.choices
                choice = await self._select(question, verdicts, occasion, planning, told=shown)
            finally:
                took = round((self._clock.monotonic() - began) * 1000, 1)
                trace.record("selector", "ended", statements=executor.statements - sent, ms=took)
            # it runs in the client's own transaction, where the gate alone protects: it passes once more, and
            # what is told and run is the text that passed
            catalog, _ = await self._current(catalog, asker, executor, looked)
            gated = await self._gated_beside(choice.verdict.sql, asker, catalog)
            choice = replace(with_passed_over(choice, planning), verdict=replace(choice.verdict, sql=gated))
        except _DECISIONS as error:
            rivals, _ = numbered(error)
            if isinstance(error, BeyondEngine):
                error.detail = "\n".join(filter(None, [error.detail, *declined(trace)]))
            if not options.why and not (options.choices and rivals):
                told = choices.told_apart(rivals, occasion, planning.executor, trace)
                error.detail += await stepwise(told)
            return report.Decision(question, None, error, verdicts, trace)
        finally:
            self._budgets.settle(planning, occasion)
            trace.record("session", "sent", statements=executor.statements - sent_before)
        return report.Decision(question, choice, None, verdicts, trace)

    async def _current(
        self, catalog: Catalog, asker: Asker, executor: SessionExecutor, looked: float
    ) -> tuple[Catalog, float]:
        """The catalog as it is now, where the one of `looked` may be out of date, and the moment it is of.

        Models think for seconds, in which objects can be made that what has passed would run.
        """
        now = self._clock.monotonic()
        if now - looked < _STALE_SECONDS:
            return catalog, looked
        async with executor.batch() as batch:
            found = await self._catalogs.read(batch, asker.session, self.settings[BACKEND])
        current = await self._catalogs.finish(found)
        if current is not catalog:
            self._configure(executor, asker, current, parse_duration(executor.entry.statement_timeout))
        return current, now

    async def _select(
        self,
        question: Question,
        verdicts: Sequence[Verdict],
        occasion: Occasion,
        planning: Planning,
        *,
        told: bool,
    ) -> Choice:
        """What the evidence is for, given how experts and answers have fared here so far.

        Where readings are told, or judged, all texts of the best answer are compared in meaning.
        """
        settings = occasion.asker.settings
        selection = settings[SELECTION]
        await self._experience.tried(occasion, verdicts)
        if selection == POSTERIOR:
            known = await self._experience.reliability(occasion)
            strategy = Posterior(
                known,
                noted=lambda ballot: self._experience.seen(occasion, ballot),
                settled=1.0 if told or settings[JUDGE] else SETTLED,
            )
            outcomes = await self._experience.outcomes(occasion) if settings[JUDGE] else {}
            judged = self._judging.judged(strategy, planning, settings, outcomes)
        elif selection in JUDGED:
            judged = self._judging.ruling(planning, settings)
        else:
            judged = Judged(voting(selection, await self._experience.weights(occasion)))
        error_rate = await self._experience.error_rate(occasion)
        return await stepwise(
            select(
                question,
                verdicts,
                settings,
                planning.trace,
                strategy=judged.strategy,
                separate=judged.separate,
                by_meaning=partial(_by_meaning, planning),
                error_rate=error_rate,
                ruling=selection != POSTERIOR,
            )
        )


async def _by_meaning(planning: Planning, verdicts: Sequence[Verdict]) -> list[list[Verdict]]:
    """Verdicts with the same rows today, by meaning; one group where that is not known."""
    of_text: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        of_text.setdefault(verdict.sql, []).append(verdict)
    texts = [Text(sql, same[0].result.columns if same[0].result else ()) for sql, same in of_text.items()]
    found = await meanings(texts, planning.catalog, planning.executor, planning.trace)
    if found.reason:
        return [list(verdicts)]
    return [[v for place in group for v in of_text[texts[place].sql]] for group in found.groups]


def _entered(memory: SessionMemory, asker: Asker, catalog: Catalog) -> Asker:
    memory.parameters = catalog.settings
    values = dict(asker.session.parameters)
    parameters = tuple((name, values[name]) for name in catalog.settings or ())
    asker = replace(asker, session=replace(asker.session, parameters=parameters))
    memory.enter(asker.session)
    return asker


def _name_meant(wanted: str, known: Sequence[str]) -> str | None:
    """The known name that an unknown one means: by its spelling, else the linker's best."""
    return nearest(wanted, known) or linked_name(wanted, known)


def _least(*limits: int) -> int:
    """The smallest of several limits, where 0 means none."""
    return min((limit for limit in limits if limit), default=0)


def _caps(settings: Settings, own_timeout: int) -> Caps:
    return Caps(
        timeout_ms=_least(settings[PROBE_TIMEOUT], own_timeout),
        longest_ms=_least(settings[TIMEOUT], own_timeout),
        lock_timeout_ms=settings[PROBE_LOCK_TIMEOUT],
        max_rows=settings[PROBE_MAX_ROWS],
        max_bytes=settings[PROBE_MAX_BYTES],
        max_cost=settings[PROBE_MAX_COST],
    )


def _timers(entry: Entry) -> tuple[int, int]:
    """What the server's timers leave an ASK, in milliseconds (0: no limit).

    They run while we think. The one for transactions would end the session: a tenth of it is left over. Those
    for idle sessions do not count, because the executor keeps the session from being idle.
    """
    left = entry.transaction_left_ms
    return parse_duration(entry.statement_timeout), max(1, left * 9 // 10) if left else 0


def _resolution(decision: report.Decision, site: AskSite, asker: Asker) -> Resolution:
    """What stands in the ASK's place, and what its asker is told."""
    if site.options.why:
        query = report.why_query(decision, as_json=site.options.format == "json")
        return Resolution(for_this_role(query, asker.session), report=True)
    choice = decision.choice
    if choice is None:
        raise decision.error or NoExpert("no expert has proposed an answer")
    if site.options.sql:
        return Resolution(for_this_role(report.sql_query(choice), asker.session))
    return Resolution(choice.verdict.sql, notices.of_answer(choice, asker, decision.pin))
