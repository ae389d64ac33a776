"""The statements that teach, carried out: ASK CHOOSE, RIGHT, WRONG, LEARN, FORGET and APPROVE.

Owns: what each needs of the session's last ASK, what it returns, and that SQL given by hand passes the gate
and compiles like any other. Must not know: the wire, or what is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from askwire.core.errors import DatabaseFailed, NotPossibleHere, RefusedByGate, StoreFailed
from askwire.core.memory_settings import OPERATORS
from askwire.core.trace import Trace
from askwire.core.types import Candidate, Choice, Cluster, Question, Verdict
from askwire.proxy import notices, report
from askwire.proxy.asking.inquiry import Lesson, Notice, Resolution
from askwire.proxy.memory.overheard import Overheard
from askwire.proxy.memory.pinning import Gate, Pinning
from askwire.proxy.memory.pins import Pins
from askwire.proxy.memory.reviewing import Reviewing
from askwire.proxy.memory.teaching import Teaching
from askwire.proxy.occasion import Occasion
from askwire.proxy.session.executor import SessionExecutor
from askwire.proxy.session.session_memory import LastAsk
from askwire.sql.ask import AskCommand
from askwire.sql.literals import quote_literal

BY_HAND: Final = "by hand"
"""The expert named for SQL that a person gave."""

STATEMENTS: Final = "ask.statements"
"""What ASK FORGET is given to take back all of a role's statements that were learned from."""

CONFIRMED: Final = "confirmed"
"""The expert named for SQL that was confirmed for the same question before."""


@dataclass(frozen=True)
class Commands:
    """Carries commands out; `gate` lets machine-written and given SQL pass."""

    teaching: Teaching
    pinning: Pinning
    pins: Pins
    reviewing: Reviewing
    gate: Gate
    overheard: Overheard

    async def run(self, lesson: Lesson, occasion: Occasion, trace: Trace) -> Resolution:
        """What stands in the command's place; raises core.errors.AskError, and then nothing is learned.

        That holds for a store that is down as well; ASK CHOOSE runs nevertheless, and warns.
        """
        try:
            return await self._run(lesson, occasion, trace)
        except StoreFailed as failed:
            failed.hint = failed.hint or _NOTHING_KEPT
            raise

    async def _run(self, lesson: Lesson, occasion: Occasion, trace: Trace) -> Resolution:
        command = lesson.command
        if command.kind == "learn":
            await self.teaching.learn(occasion, command.term, command.meaning)
            return _told(("learned", command.term), ("meaning", command.meaning))
        if command.kind == "forget":
            return await self._forget(command, occasion)
        if command.kind == "approve":
            return await self._approve(command, lesson.executor, occasion)
        last = occasion.memory.last
        if last is None:
            raise NotPossibleHere("this session has not asked anything yet", hint="ASK 'question' first.")
        if command.kind == "choose":
            return await self._choose(command, last, lesson.executor, occasion, trace)
        if command.kind == "wrong" and command.sql:
            return await self._correct(command.sql, last, lesson.executor, occasion, trace)
        if last.choice is None:
            raise NotPossibleHere("the last ASK was not answered", hint="ASK CHOOSE one of its readings.")
        if command.kind == "right":
            return await self._right(last, last.choice, occasion, trace)
        await self.teaching.said(occasion, last, "wrong", last.choice.verdict.sql)
        self.pinning.forget(occasion)
        return _told(("wrong", last.question), ("sql", last.choice.verdict.sql))

    async def confirmed(
        self, executor: SessionExecutor, occasion: Occasion, trace: Trace
    ) -> report.Decision | None:
        """The decision for a question whose SQL somebody has confirmed; None where it does not hold here."""
        if occasion.options.fresh or occasion.options.evidence:
            return None
        known = await self.teaching.sql_for(occasion)
        if not known:
            return None
        try:
            sql = await self._compiled(known, executor, occasion)
        except (RefusedByGate, DatabaseFailed) as error:
            trace.record("selector", "confirmed before, and not possible now", reason=error.message)
            return None
        trace.record("selector", "confirmed before", sql=sql)
        choice = Choice(Verdict(Candidate(known, CONFIRMED), sql), "confirmed before")
        return report.Decision(Question(occasion.question), choice, None, (), trace)

    async def _approve(
        self, command: AskCommand, executor: SessionExecutor, occasion: Occasion
    ) -> Resolution:
        """Let SQL that somebody gave serve everybody; it must pass and compile for the operator as well."""
        if not _is_operator(occasion):
            raise NotPossibleHere(
                "only an operator can approve what others gave",
                hint="The setting operators names the roles that can.",
                position=command.start + 1,
            )
        given = await self.reviewing.given(command.term)
        if (given.server, given.database) != (occasion.server, occasion.asker.session.database):
            raise NotPossibleHere(
                f"this SQL was given for database {given.database!r}", hint="Connect to it to approve it."
            )
        await self._compiled(given.right_sql, executor, occasion)
        await self.reviewing.approve(given.key, occasion.asker.session.session_user)
        return _told(("approved", given.question), ("sql", given.right_sql), ("given_by", given.role))

    async def _forget(self, command: AskCommand, occasion: Occasion) -> Resolution:
        gone = await self.teaching.forget(occasion, command.term)
        session = occasion.asker.session
        if not gone and session.current_user == session.session_user:
            sql = "" if command.term.strip().lower() == STATEMENTS else command.term
            if await self.overheard.forget(session.session_user, session.database, sql):
                await self.teaching.unpin_cited(occasion)
                gone = ("statements",)
        if not gone and _is_operator(occasion) and await self.reviewing.withdrawn(command.term):
            gone = ("approval",)
        last = occasion.memory.last
        if "feedback" in gone and last and last.question == command.term:
            occasion.memory.last = last.as_answered()
        if not gone:
            raise NotPossibleHere(
                f"there is nothing of yours to forget under {command.term!r}",
                hint="ASK FORGET takes back a word that you taught, feedback, by the question's text, or a "
                "statement of ask.statements.",
            )
        return _told(("forgotten", command.term), ("kind", ", ".join(gone)))

    async def _choose(
        self,
        command: AskCommand,
        last: LastAsk,
        executor: SessionExecutor,
        occasion: Occasion,
        trace: Trace,
    ) -> Resolution:
        """Run the reading, and remember it: in this session, where the store cannot be written."""
        if command.number > len(last.readings):
            raise NotPossibleHere(
                f"there is no reading {command.number}",
                hint=f"The last ASK has {len(last.readings)}.",
                position=command.start + 1,
            )
        meant = last.readings[command.number - 1]
        sql = await self._compiled(meant.sql, executor, occasion)
        choice = Choice(
            replace(meant, sql=sql),
            "chosen by you",
            clusters=tuple(Cluster(verdicts) for verdicts in last.proposals),
        )
        warnings: tuple[Notice, ...] = ()
        try:
            await self.teaching.said(occasion, last, "chosen", meant.sql)
        except StoreFailed as failed:
            warnings = (Notice(_IN_SESSION, failed.message, warning=failed.code),)
        pin = await self.pinning.keep(occasion, _decision(choice, last, trace), "chosen", own=bool(warnings))
        occasion.memory.last = replace(last, choice=choice, by_hand=False)
        told = notices.of_answer(replace(choice, clusters=()), occasion.asker, pin)
        kept = told if pin else tuple(replace(notice, hint=_NOT_KEPT) for notice in told)
        return Resolution(sql, (*kept, *warnings))

    async def _right(self, last: LastAsk, choice: Choice, occasion: Occasion, trace: Trace) -> Resolution:
        own = last.by_hand and not _is_operator(occasion)
        await self.teaching.said(
            occasion, last, "right", choice.verdict.sql, right_sql=choice.verdict.sql if last.by_hand else ""
        )
        await self.pinning.keep(occasion, _decision(choice, last, trace), "right", own=own)
        return _told(("right", last.question), ("sql", choice.verdict.sql))

    async def _correct(
        self, given: str, last: LastAsk, executor: SessionExecutor, occasion: Occasion, trace: Trace
    ) -> Resolution:
        """Take SQL given by hand in the place of the answer: for this session, an operator's for the role."""
        sql = await self._compiled(given, executor, occasion)
        wrong = last.choice.verdict.sql if last.choice else ""
        choice = Choice(Verdict(Candidate(sql, BY_HAND, reading="the SQL you gave"), sql), "given by you")
        own = not _is_operator(occasion)
        await self.teaching.said(occasion, last, "wrong", wrong, right_sql=sql)
        self.pinning.forget(occasion)
        pin = await self.pinning.keep(occasion, _decision(choice, last, trace), "taught", own=own)
        occasion.memory.last = replace(last, choice=choice, by_hand=True)
        told = (Notice("this session's answer from now on", "", _APPROVAL),) if pin and own else ()
        return replace(_told(("wrong", last.question), ("sql", sql)), notices=told)

    async def _compiled(self, sql: str, executor: SessionExecutor, occasion: Occasion) -> str:
        """The text that passed the gate and compiles; raises RefusedByGate or DatabaseFailed."""
        gated = await self.gate(sql, occasion.asker, occasion.catalog)
        async with executor.batch() as batch:
            await batch.explain(gated)
        return gated


_APPROVAL: Final = "Others get it when an operator approves it."
_NOTHING_KEPT: Final = (
    "Nothing was kept. Say it again when the store can be written; askwire's log tells of it."
)
_IN_SESSION: Final = "the reading is used, and remembered by this session only"
_NOT_KEPT: Final = "It is not remembered: it may hold data that other sessions must not see."


def _is_operator(occasion: Occasion) -> bool:
    return occasion.asker.session.session_user in occasion.asker.settings[OPERATORS]


def _decision(choice: Choice, last: LastAsk, trace: Trace) -> report.Decision:
    verdicts = tuple(verdict for proposed in last.proposals for verdict in proposed)
    question = Question(last.question, last.options.evidence)
    return report.Decision(question, choice, None, verdicts, trace, asked=last.asked)


def _told(*columns: tuple[str, str]) -> Resolution:
    """One row of text that says what was learned."""
    items = ", ".join(f'{quote_literal(value)}::pg_catalog.text AS "{name}"' for name, value in columns)
    return Resolution(f"SELECT {items}", report=True)
