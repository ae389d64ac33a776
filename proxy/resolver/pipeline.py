"""From a question to a decision: plan, propose, verify, compare, choose, and pass the gate once more.

Owns: the order of the stages (`AnswerPipeline.decide`), and what each hands to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from askwire.core.beside import beside, stepwise
from askwire.core.errors import (
    AmbiguousQuestion,
    AskError,
    BeyondEngine,
    BudgetSpent,
    NoExpert,
    NotInDatabase,
    RefusedByGate,
)
from askwire.core.protocols import Clock, Executor
from askwire.core.settings.memory import WORKLOAD
from askwire.core.settings.selection import POSTERIOR, SELECTION
from askwire.core.settings.table import CANDIDATES, CHECKS, JUDGE, Settings
from askwire.core.stepped import SteppedExecutor
from askwire.core.trace import Json, Trace
from askwire.core.types import Candidate, Choice, Question, Verdict
from askwire.planner.embedded.entry import linked_name
from askwire.planner.expert import ExpertContext
from askwire.proxy.asking.context import AskContext
from askwire.proxy.memory.memories import Memories
from askwire.proxy.memory.rejections import (
    RejectedForms,
    explained,
    nothing_else,
    remarked,
    without_rejected,
)
from askwire.proxy.memory.teaching import offered
from askwire.proxy.reports import choices
from askwire.proxy.reports.report import Decision
from askwire.proxy.resolver.budgets import Budgets
from askwire.proxy.resolver.deadline import least
from askwire.proxy.resolver.gate import AskerGate
from askwire.proxy.resolver.judging import JudgedStrategy, Judges
from askwire.proxy.resolver.panel import Panel, declined, failures, with_passed_over
from askwire.proxy.resolver.selections import JUDGED, check_selection, voting
from askwire.proxy.resolver.session_reader import SessionReader
from askwire.proxy.resolver.standbys import Standbys
from askwire.proxy.session.session_memory import numbered
from askwire.proxy.session.statements.executor import SessionExecutor
from askwire.selector import select
from askwire.selector.instances.meaning import Text, meanings
from askwire.selector.posterior import MIN_SETTLED_SHARE, Posterior
from askwire.selector.whole import with_digests
from askwire.sql.canonical.query_form import query_form
from askwire.sql.catalog import Catalog
from askwire.sql.presentation.in_words import in_words
from askwire.verifier import verify
from askwire.verifier.repair.broken import nearest
from askwire.verifier.requirements import demands

_DECISIONS = (AmbiguousQuestion, BeyondEngine, NotInDatabase, RefusedByGate, NoExpert, BudgetSpent)
"""What a report of WHY shows instead of raising: how experts ended, not what failed in the session."""


@dataclass
class Findings:
    """What is known of one question so far; everything up to `rejected` is known when the work begins.

    `catalog` is the one that candidates are judged by, as it was at the moment `looked`. `left_out` are
    verdicts that ASK WRONG was said of, `failed` sentences on experts whose models failed.
    """

    context: AskContext
    executor: SessionExecutor
    trace: Trace
    planning: ExpertContext
    rejected: RejectedForms
    catalog: Catalog
    looked: float
    verdicts: Sequence[Verdict] = ()
    left_out: tuple[Verdict, ...] = ()
    failed: Sequence[str] = ()

    @property
    def question(self) -> Question:
        """The question, with the evidence that counts for it."""
        return self.planning.question


@dataclass
class AnswerPipeline:
    """The stages that find SQL for a question; `settings` returns the operator's.

    What they run is run on a standby, where there is one that shows the asker the same.
    """

    settings: Callable[[], Settings]
    clock: Clock
    memories: Memories
    reader: SessionReader
    gate: AskerGate
    budgets: Budgets
    panel: Panel
    judging: Judges
    standbys: Standbys

    async def decide(self, context: AskContext, executor: SessionExecutor, trace: Trace) -> Decision:
        """What the question stands for; raises core.errors.AskError for what failed in the session."""
        check_selection(self.settings(), context.asker.settings, self.judging)
        async with self.standbys.probing(context, executor, trace) as probing:
            return await self._decide(context, executor, trace, probing)

    async def _decide(
        self, context: AskContext, executor: SessionExecutor, trace: Trace, probing: Executor
    ) -> Decision:
        found = await self._plan(context, executor, trace, probing)
        sent = executor.statements
        try:
            candidates = await self._propose(found)
            await self._look_again(found)
            await self._verify(found, candidates)
            await self._read_back(found)
            with self._timed(found):
                await compare_results(found)
                await leave_out_rejected(found)
                choice = await self.select(found)
            await self._look_again(found)
            choice = await self._pass_again(found, choice)
        except _DECISIONS as error:
            await self._explain(found, error)
            return Decision(found.question, None, error, found.verdicts, trace)
        finally:
            self.budgets.settle(found.planning, context)
            trace.record("session", "sent", statements=executor.statements - sent)
        choice = await self._offer(found, choice)
        return Decision(found.question, choice, None, found.verdicts, trace)

    # -- the stages, in order ------------------------------------------------------------------------------

    async def _plan(
        self, context: AskContext, executor: SessionExecutor, trace: Trace, probing: Executor
    ) -> Findings:
        """What experts get: the question with its evidence, the budget, demands and habits."""
        settings, looked = context.asker.settings, self.clock.monotonic()
        learned = await self.memories.teaching.meanings(context)
        if learned:
            trace.record("planner", "glossary", meanings=learned)
        question = Question(context.question, ". ".join(filter(None, (context.options.evidence, learned))))
        planning = await self.budgets.planning(question, context, SteppedExecutor(probing), trace)
        if settings[CHECKS] == "rules":
            planning = replace(planning, demands=await beside(demands, question))
        if settings[WORKLOAD]:
            planning = replace(planning, query_patterns=await self.memories.workload.look(executor, context))
        rejected = await self.memories.rejections.of(context)
        return Findings(context, executor, trace, planning, rejected, context.catalog, looked)

    async def _propose(self, found: Findings) -> Sequence[Candidate]:
        """Candidates of the experts; experts whose models fail are counted, whatever the others do."""
        try:
            return await self.panel.propose(found.planning)
        finally:
            why = failures(found.trace)
            counts = await self.memories.expert_weights.failed(found.context, tuple(why))
            found.failed = [
                f'Expert "{name}" has no answer: {why[name]}. It failed on {bad} of {of} questions.'
                for name, (bad, of) in counts.items()
            ]

    async def _look_again(self, found: Findings) -> None:
        """Judge by the catalog as it is now."""
        found.catalog, found.looked = await self.reader.current(
            found.catalog, found.context.asker, found.executor, found.looked
        )

    async def _verify(self, found: Findings, candidates: Sequence[Candidate]) -> None:
        """Try the candidates, and mend what fails."""
        settings, planning = found.context.asker.settings, found.planning
        wanted = least(settings[CANDIDATES], found.context.options.candidates or 0)
        found.verdicts = await stepwise(
            verify(
                found.question,
                candidates[: wanted or None],
                planning.executor,
                settings,
                found.trace,
                catalog=found.catalog,
                repairer=self.panel.repairer(planning),
                reviewer=self.panel.reviewer(planning),
                nearest=_name_meant,
            )
        )

    async def _read_back(self, found: Findings) -> None:
        """Give each verdict the text that ran, those that ran first: what is made of it later is no other's.

        What it answers is read off that text, unless it is as the embedded engine rendered it: no author's
        own description of a query is shown.
        """
        passed = [await self._as_passed(verdict, found) for verdict in found.verdicts]
        found.verdicts = sorted(passed, key=lambda verdict: not verdict.ran)

    async def _as_passed(self, verdict: Verdict, found: Findings) -> Verdict:
        if not verdict.ran:
            return verdict
        sql = await self.gate.pass_beside(verdict.sql, found.context.asker, found.catalog)
        candidate = verdict.candidate
        if candidate.confidence is None or verdict.mends:
            candidate = replace(candidate, reading=await beside(in_words, sql))
        return replace(verdict, sql=sql, candidate=candidate)

    @contextmanager
    def _timed(self, found: Findings) -> Iterator[None]:
        """Record what the selector's stages took."""
        sent, began = found.executor.statements, self.clock.monotonic()
        try:
            yield
        finally:
            took = round((self.clock.monotonic() - began) * 1000, 1)
            found.trace.record("selector", "ended", statements=found.executor.statements - sent, ms=took)

    async def select(self, found: Findings) -> Choice:
        """What the evidence is for, given how experts and answers have fared here so far.

        Where readings are shown, or judged, all texts of the best answer are compared in meaning.
        """
        context, planning, weights = found.context, found.planning, self.memories.expert_weights
        await weights.tried(context, found.verdicts)
        judged = await self._strategy(found)
        error_rate = await weights.error_rate(context)
        return await stepwise(
            select(
                found.question,
                found.verdicts,
                context.asker.settings,
                planning.trace,
                strategy=judged.strategy,
                separate=judged.separate,
                by_meaning=partial(_by_meaning, planning),
                error_rate=error_rate,
                ruling=context.asker.settings[SELECTION] != POSTERIOR,
            )
        )

    async def _strategy(self, found: Findings) -> JudgedStrategy:
        """How the setting `selection` says that verdicts are weighed."""
        context, planning, weights = found.context, found.planning, self.memories.expert_weights
        settings = context.asker.settings
        selection = settings[SELECTION]
        if selection in JUDGED:
            return self.judging.ruling(planning, settings)
        if selection != POSTERIOR:
            return JudgedStrategy(voting(selection, await weights.weights(context)))
        shown = context.options.why or context.options.choices
        known = await weights.reliability(context)
        strategy = Posterior(
            known,
            noted=lambda ballot: weights.seen(context, ballot),
            settled=1.0 if shown or settings[JUDGE] else MIN_SETTLED_SHARE,
        )
        past, outcomes = partial(self.memories.judge_rulings.of, context), partial(weights.outcomes, context)
        return await self.judging.judged(strategy, planning, settings, past, outcomes)

    async def _pass_again(self, found: Findings, choice: Choice) -> Choice:
        """The choice with the text that passes the gate now, and what its reader should know.

        It runs in the client's own transaction, where the gate alone protects.
        """
        gated = await self.gate.pass_beside(choice.verdict.sql, found.context.asker, found.catalog)
        told = with_passed_over(choice, found.planning, found.failed)
        return remarked(replace(told, verdict=replace(choice.verdict, sql=gated)), found.left_out)

    # -- how it ends ---------------------------------------------------------------------------------------

    async def _explain(self, found: Findings, error: AskError) -> None:
        """Let a refusal say what was left out, what models said, and the rows on which readings differ."""
        context, trace = found.context, found.trace
        explained(error, found.left_out)
        rivals, _ = numbered(error)
        if isinstance(error, BeyondEngine):
            error.detail = "\n".join(filter(None, [error.detail, *declined(trace)]))
        told_later = context.options.why or (context.options.choices and rivals)
        if isinstance(error, AmbiguousQuestion) and not told_later:
            told = choices.told_apart(rivals, context, found.planning.executor, trace)
            error.detail += await stepwise(told)
        if before := await self.memories.teaching.asked_before(context):
            error.hint = " ".join(filter(None, [offered(before), error.hint]))

    async def _offer(self, found: Findings, choice: Choice) -> Choice:
        """The choice with the answer to a paraphrase that somebody has confirmed, where that differs."""
        before = await self.memories.teaching.asked_before(found.context)
        if before and query_form(before.sql) != query_form(choice.verdict.sql):
            return replace(choice, remarks=(*choice.remarks, offered(before)))
        return choice


async def compare_results(found: Findings) -> None:
    """Read as much of each result as comparing them takes."""
    found.verdicts = await stepwise(with_digests(found.verdicts, found.planning.executor, found.trace))


async def leave_out_rejected(found: Findings) -> None:
    """Leave out what ASK WRONG was said of; raises BeyondEngine where nothing else is left."""
    if not found.rejected:
        return
    found.verdicts, found.left_out = await beside(without_rejected, found.verdicts, found.rejected)
    texts: list[Json] = [*dict.fromkeys(verdict.sql for verdict in found.left_out)]
    found.trace.record("selector", "left out", reason="ASK WRONG was said of it", texts=texts)
    if found.left_out and not found.verdicts:
        raise nothing_else(found.left_out)


async def _by_meaning(planning: ExpertContext, verdicts: Sequence[Verdict]) -> list[list[Verdict]]:
    """Verdicts with the same rows today, by meaning; one group where that is not known."""
    of_text: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        of_text.setdefault(verdict.sql, []).append(verdict)
    texts = [Text(sql, same[0].result.columns if same[0].result else ()) for sql, same in of_text.items()]
    found = await meanings(texts, planning.catalog, planning.executor, planning.trace)
    if found.reason:
        return [list(verdicts)]
    return [[v for place in group for v in of_text[texts[place].sql]] for group in found.groups]


def _name_meant(wanted: str, known: Sequence[str]) -> str | None:
    """The known name that an unknown one means: by its spelling, else the linker's best."""
    return nearest(wanted, known) or linked_name(wanted, known)
