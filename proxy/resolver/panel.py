"""All experts at work on one question: who is asked, until when, and what counts when some of them fail.

Owns: running them side by side and putting their candidates in one order.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from askwire.core.errors import (
    AskError,
    BeyondEngine,
    BudgetSpent,
    DatabaseFailed,
    ModelDeclined,
    ModelFailed,
    NoExpert,
    NotInDatabase,
)
from askwire.core.protocols import Clock
from askwire.core.settings.table import EXPERTS, REVIEW, TELL_UNREADABLE, TIMEOUT, Settings
from askwire.core.trace import Trace
from askwire.core.types import Candidate, Choice
from askwire.planner.expert import Expert, ExpertContext
from askwire.planner.merging import merge
from askwire.planner.models.model_expert import ModelExpert
from askwire.planner.models.repairing import ModelRepairer
from askwire.planner.unreadable import passed_over, unreadable, withheld
from askwire.proxy.resolver.budgets import PROPOSING_TIME_SHARE
from askwire.proxy.session.statements.conversation import to_its_end
from askwire.verifier.review.desk import Desk, load
from askwire.verifier.review.model_reviewer import ModelReviewer

log = logging.getLogger("askwire.models")

_NO_CANDIDATE_ERRORS = (BeyondEngine, NotInDatabase, NoExpert, BudgetSpent)
"""What an expert says when it has no candidate; the others go on."""
_SESSION_LOST = ("08", "57P", "25P03")
_TIME_UP_SECONDS = 0.05
"""Seconds: a failure with less than this left came of the time that models had."""


class Panel:
    """The experts of a process: those without a model, and the models."""

    def __init__(self, experts: Sequence[Expert], models: Sequence[ModelExpert], clock: Clock) -> None:
        self.models = tuple(models)
        self._experts = (*models, *experts)
        self._clock = clock
        self._reviews = load()
        self._failing: dict[str, str] = {}

    def roster(self, settings: Settings) -> tuple[str, ...]:
        """The experts that these settings let answer; of a model its name and endpoint as well."""
        names = settings[EXPERTS]
        models = {model.name: model.known_as for model in self.models}
        return tuple(models.get(e.name, e.name) for e in self._experts if names is None or e.name in names)

    async def propose(self, planning: ExpertContext) -> Sequence[Candidate]:
        """Candidates of all experts that are asked, by turns, each one's best first.

        They work at the same time. A model that has nothing by `planning.propose_by` is dropped; an expert's
        reason for having no candidate counts only when no one has one. Raises that reason then: a model's
        before others', because it is the one that might have known. No one is asked of what may not be read.
        """
        _refuse_withheld(planning)
        experts = self._asked(planning)
        working = {asyncio.create_task(e.propose(planning)): e for e in experts}
        try:
            found, reasons = await self._gathered(working, planning)
        finally:
            await to_its_end(_ended(tuple(working)))
        candidates = [
            candidate
            for turn in zip_longest(*(found[e.name] for e in experts if e.name in found))
            for candidate in turn
            if candidate is not None
        ]
        if not candidates:
            raise self._explained(reasons, planning)
        return await self._merged(candidates, planning)

    async def _merged(self, candidates: Sequence[Candidate], planning: ExpertContext) -> Sequence[Candidate]:
        """The candidates, those that say the same in one text: tried once, and mended by any who wrote it."""
        merged = await merge(candidates)
        for before, after in zip(candidates, merged, strict=True):
            if after.sql != before.sql:
                planning.trace.record(
                    "planner", "merged", expert=before.expert, sql=before.sql, same_as=after.sql
                )
        for model in self.models:
            model.proposed(planning, {c.sql for c in merged if c.expert == model.name})
        return merged

    def repairer(self, planning: ExpertContext) -> ModelRepairer | None:
        """Who repairs the candidates of this question: the models among its experts."""
        return ModelRepairer(self.models, planning) if self.models else None

    def reviewer(self, planning: ExpertContext) -> ModelReviewer | None:
        """Who gives an opinion of the candidates, where `review` or a model's way of working asks for any.

        Those are the models that have proposed something: they have been shown what matters of the catalog.
        """
        known = [w for model in self.models if (w := model.for_repair(planning)) is not None]
        strategies = planning.settings[REVIEW].union(*(w.asking.course.opinions for w in known))
        if not self.models or not strategies:
            return None
        desks = [Desk(w.asking.line, w.asking.egress, self._reviews, w.schema, w.wrote) for w in known]
        return ModelReviewer(desks, strategies, planning.trace)

    async def prepare(self) -> None:
        """Do what the models' first calls would have to wait for."""
        for expert in self.models:
            await expert.prepare()

    async def close(self) -> None:
        """Let go of the models' connections."""
        for expert in self.models:
            await expert.close()

    def _asked(self, planning: ExpertContext) -> list[Expert]:
        names = planning.settings[EXPERTS]
        asked = [e for e in self._experts if names is None or e.name in names]
        if not asked:
            raise NoExpert(
                "no expert of these names is configured" if names else "no expert may be asked here",
                hint=f"Experts here are {', '.join(e.name for e in self._experts)}.",
            )
        return asked

    async def _gathered(
        self, working: dict[asyncio.Task[Sequence[Candidate]], Expert], planning: ExpertContext
    ) -> tuple[dict[str, Sequence[Candidate]], dict[str, AskError]]:
        """What each expert proposed, or why it has nothing."""
        found: dict[str, Sequence[Candidate]] = {}
        reasons: dict[str, AskError] = {}
        pending = set(working)
        while pending:
            left = self._left(planning) if any(working[t] in self.models for t in pending) else None
            done, pending = await asyncio.wait(pending, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                expert = working[task]
                try:
                    found[expert.name] = task.result()
                except _NO_CANDIDATE_ERRORS as error:
                    reasons[expert.name] = (
                        self._late(expert.name, planning) if self._ran_out(error, planning) else error
                    )
                except DatabaseFailed as error:
                    if expert not in self.models or error.code.startswith(_SESSION_LOST):
                        raise
                    reasons[expert.name] = error
            if not done:
                for task in [t for t in pending if working[t] in self.models]:
                    pending.remove(task)
                    task.cancel()
                    name = working[task].name
                    reasons[name] = self._late(name, planning)
        for name, reason in reasons.items():
            planning.trace.record("planner", "refused", expert=name, reason=reason.message)
            if isinstance(reason, ModelDeclined):
                planning.trace.record("planner", "declined", expert=name, reason=reason.reason)
            if isinstance(reason, ModelFailed):
                self._fails(name, reason.kind, reason.message, planning)
        for name in found.keys() & self._failing.keys():
            del self._failing[name]
            log.info('expert "%s" answers again', name)
        return found, reasons

    def _late(self, name: str, planning: ExpertContext) -> BudgetSpent:
        self._fails(name, "late", "no answer in time", planning)
        return BudgetSpent(f'expert "{name}" had no answer in time')

    def _ran_out(self, error: AskError, planning: ExpertContext) -> bool:
        """Whether a call ended by its own clock where the time for all of them ends."""
        left = self._left(planning)
        return (
            isinstance(error, ModelFailed)
            and error.kind == "timeout"
            and left is not None
            and left < _TIME_UP_SECONDS
        )

    def _fails(self, name: str, kind: str, why: str, planning: ExpertContext) -> None:
        """Record that an expert's model fails; the log hears of it once for each way of failing."""
        planning.trace.record("planner", "failed", expert=name, reason=why)
        if self._failing.get(name) != kind:
            self._failing[name] = kind
            log.warning('expert "%s" has no answer: %s', name, why)

    def _left(self, planning: ExpertContext) -> float | None:
        if planning.propose_by is None:
            return None
        return max(0.0, planning.propose_by - self._clock.monotonic())

    def _explained(self, reasons: dict[str, AskError], planning: ExpertContext) -> AskError:
        of_models = [reasons[m.name] for m in self.models if m.name in reasons]
        others = [reason for name, reason in reasons.items() if name not in {m.name for m in self.models}]
        if not of_models:
            return _explained(others[0] if others else None, planning)
        error = next((e for e in of_models if not isinstance(e, NoExpert)), of_models[0])
        if others and not error.detail:
            error.detail = f"The embedded engine: {others[0].message}."
        left = self._left(planning)
        if isinstance(error, BudgetSpent) and not error.hint and left is not None and left < _TIME_UP_SECONDS:
            error.hint = (
                f"Models have {PROPOSING_TIME_SHARE * 100:.0f} % of the setting timeout, "
                f"which is {planning.settings[TIMEOUT] / 1000:g} s here; only the configuration gives more."
            )
        return error


async def _ended(tasks: Sequence[asyncio.Task[Sequence[Candidate]]]) -> None:
    """End what still works, and wait until it has: it may have to leave a batch."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _refuse_withheld(planning: ExpertContext) -> None:
    """Raise where the question is about a table that may not be read: others would answer it wrongly."""
    question = planning.question
    names = withheld(question.text, question.evidence, planning.catalog)
    if not names:
        return
    if planning.settings[TELL_UNREADABLE]:
        raise _may_not_read(names)
    raise NotInDatabase(
        "the question names something this database does not hold",
        hint="Name tables, columns or values as the database does.",
    )


def declined(trace: Trace) -> list[str]:
    """What models said that proposed nothing because the database cannot answer, a sentence each."""
    said = 'The model "{}" says that the database cannot answer this: {}'
    return [
        said.format(event.data["expert"], event.data["reason"])
        for event in trace
        if event.stage == "planner" and event.name == "declined"
    ]


def failures(trace: Trace) -> dict[str, str]:
    """Experts whose model failed at proposing, and why."""
    found = [event.data for event in trace if event.stage == "planner" and event.name == "failed"]
    return {str(data["expert"]): str(data["reason"]) for data in found}


def with_passed_over(choice: Choice, planning: ExpertContext, failed: Sequence[str] = ()) -> Choice:
    """The choice, saying which columns the question names that its asker may not read, and who declined.

    `failed` are sentences on experts that have no answer.
    """
    told = planning.settings[TELL_UNREADABLE]
    names = passed_over(choice.verdict.candidate.uncovered, planning.catalog) if told else ()
    said = (f'"{name}" is not what is meant, which you may not read' for name in names)
    return replace(
        choice,
        assumptions=(*choice.assumptions, *said),
        remarks=(*choice.remarks, *declined(planning.trace), *failed),
    )


def _may_not_read(names: Sequence[str]) -> NotInDatabase:
    listed = ", ".join(f'"{name}"' for name in names)
    return NotInDatabase(
        "the question is about something you may not read",
        detail=f"It exists, but your role has no SELECT privilege on it: {listed}.",
        hint="Ask its owner for the privilege, or ask about something else.",
    )


def _explained(reason: AskError | None, planning: ExpertContext) -> AskError:
    """The reason for having no candidate; that something is there but may not be read, where it is so."""
    if reason is None:
        return NoExpert("no expert has proposed an answer")
    if not isinstance(reason, NotInDatabase | BeyondEngine) or not planning.settings[TELL_UNREADABLE]:
        return reason
    names = unreadable(planning.question.text, planning.catalog)
    if not names:
        return reason
    return _may_not_read(names)
