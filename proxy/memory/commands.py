"""The statements that teach, carried out: ASK CHOOSE, RIGHT, WRONG, LEARN, FORGET and APPROVE.

Owns: what each needs of the session's last ASK, what it returns, and that SQL given by hand passes the gate
and compiles like any other.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from askwire.core.amounts import counted
from askwire.core.beside import beside
from askwire.core.errors import AskError, DatabaseFailed, NotPossibleHere, RefusedByGate, StoreFailed
from askwire.core.settings.memory import OPERATORS
from askwire.core.trace import Trace
from askwire.core.types import Candidate, Choice, Cluster, Question, Verdict
from askwire.language.same_question import normal_question
from askwire.planner.embedded.entry import SchemaIndex
from askwire.proxy.asking.context import AskContext
from askwire.proxy.asking.requests import FeedbackRequest, Notice, Rewrite
from askwire.proxy.memory import words
from askwire.proxy.memory.memories import Memories
from askwire.proxy.memory.pinning import Gate
from askwire.proxy.memory.privacy import holds_day, tells_tenants_apart
from askwire.proxy.memory.rejections import RejectedForms
from askwire.proxy.reports import notices, report
from askwire.proxy.session.session_memory import LastAsk
from askwire.proxy.session.statements.executor import SessionExecutor
from askwire.sql.ask import AskCommand, AskOptions
from askwire.sql.catalog import Catalog
from askwire.sql.literals import quote_literal
from askwire.sql.unasked import unasked

BY_HAND: Final = "by hand"
"""The expert named for SQL that a person gave."""

STATEMENTS: Final = "ask.statements"
"""What ASK FORGET is given to take back all of a role's statements that were learned from."""

CONFIRMED: Final = "confirmed"
"""The expert named for SQL that was confirmed for the same question before."""


Decide = Callable[[AskContext, SessionExecutor, Trace], Awaitable[report.Decision]]


@dataclass(frozen=True)
class Commands:
    """Carries commands out; `gate` lets machine-written and given SQL pass.

    `decide` answers a question, `index` is how the words of a catalog are found.
    """

    memories: Memories
    gate: Gate
    decide: Decide
    index: Callable[[Catalog], SchemaIndex]

    async def run(self, request: FeedbackRequest, context: AskContext, trace: Trace) -> Rewrite:
        """What stands in the command's place; raises core.errors.AskError, and then nothing is learned.

        That holds for a store that is down as well; ASK CHOOSE runs nevertheless, and warns.
        """
        try:
            return await self._run(request, context, trace)
        except StoreFailed as failed:
            failed.hint = failed.hint or _NOTHING_KEPT
            raise

    async def _run(self, request: FeedbackRequest, context: AskContext, trace: Trace) -> Rewrite:
        command = request.command
        if command.kind == "learn":
            return await self._learn(command, request.executor, context, trace)
        if command.kind == "forget":
            return await self._forget(command, context)
        if command.kind == "approve":
            return await self._approve(command, request.executor, context)
        last = context.memory.last
        if last is None:
            raise NotPossibleHere("no question was asked in this session yet", hint=_ASK_FIRST_HINT)
        if not last.readings and not command.sql:
            raise NotPossibleHere(
                f"the last question was not answered, and has no readings to {_DONE[command.kind]}",
                hint="Ask it in other words, or give its answer with ASK WRONG 'the right SQL'.",
            )
        if command.kind == "choose":
            return await self._choose(command, last, request.executor, context, trace)
        if command.kind == "wrong" and command.sql:
            return await self._correct(command.sql, last, request.executor, context, trace)
        if last.choice is None:
            count = len(last.readings)
            raise NotPossibleHere(
                "the last question was not answered; there is no answer to judge",
                hint=f"ASK CHOOSE 1{f' to {count}' if count > 1 else ''} runs a reading.",
            )
        if command.kind == "right":
            return await self._right(last, last.choice, context, trace)
        wrong = last.choice.verdict.sql
        await self.memories.teaching.said(context, last, "wrong", wrong)
        self.memories.pinning.forget(context)
        whose = _whose(wrong, context)
        notice = Notice(f"this SQL is no longer used for this question in {whose}", hint=_AFTER_WRONG)
        return replace(_told(("wrong", last.question), ("sql", wrong)), notices=(notice,))

    async def _learn(
        self, command: AskCommand, executor: SessionExecutor, context: AskContext, trace: Trace
    ) -> Rewrite:
        """Keep what a word means, once it is held against the schema; and answer one question with it."""
        self.memories.teaching.check_may_learn(context)
        meaning = command.meaning
        found = await beside(words.understood, meaning, context.catalog, self.index(context.catalog))
        if found is None:
            found = await self._value(meaning, executor, context.catalog)
        if found.tried:
            try:
                await self._compiled(found.tried, executor, context)
            except (RefusedByGate, DatabaseFailed) as error:
                # a place in a statement of askwire's own is none in what was written
                error.position = 0
                error.detail = error.detail or f"The meaning was tried as: {found.tried}"
                raise
        await self.memories.teaching.learn(context, command.term, meaning)
        question = words.example(command.term, found)
        answered = replace(context, question=question, options=AskOptions())
        sql, why = "", ""
        try:
            decision = await self.decide(answered, executor, trace)
            sql = decision.choice.verdict.sql if decision.choice else ""
            why = decision.error.message if decision.error else ""
        except AskError as error:
            why = error.message
        # how the example was tried is no rival of what was asked before
        return _told(
            ("learned", command.term),
            ("meaning", meaning),
            ("understood", str(found)),
            ("example", question),
            ("sql", sql or f"not answered: {why}"),
        )

    async def _value(self, meaning: str, executor: SessionExecutor, catalog: Catalog) -> words.WordMeaning:
        """Words that are a value of the data; raises NotInDatabase where none is found."""
        async with executor.batch() as batch:
            for statement, value, column in words.lookups(meaning, catalog):
                try:
                    if (await batch.read(statement, (value,), max_rows=1)).rows:
                        return words.WordMeaning("words", (f"a value of {column}",))
                except DatabaseFailed as error:
                    if error.code.startswith(("08", "57P", "25P03")):
                        raise
        raise words.names_nothing(meaning)

    async def confirmed(
        self, executor: SessionExecutor, context: AskContext, trace: Trace
    ) -> report.Decision | None:
        """The decision for a question whose SQL somebody has confirmed; None where it does not hold here."""
        if context.options.fresh or context.options.evidence:
            return None
        confirmed = await self.memories.teaching.sql_for(context)
        if not confirmed:
            return None
        rejected = await self.memories.rejections.of(context)
        known = await beside(_first_not_in, confirmed, rejected) if rejected else confirmed[0]
        if not known:
            return None
        try:
            sql = await self._compiled(known, executor, context)
        except (RefusedByGate, DatabaseFailed) as error:
            trace.record("selector", "confirmed before, and not possible now", reason=error.message)
            return None
        trace.record("selector", "confirmed before", sql=sql)
        choice = Choice(Verdict(Candidate(known, CONFIRMED), sql), "confirmed before")
        return report.Decision(Question(context.question), choice, None, (), trace)

    async def _approve(self, command: AskCommand, executor: SessionExecutor, context: AskContext) -> Rewrite:
        """Let SQL that somebody gave serve everybody; it must pass and compile for the operator as well."""
        if not _is_operator(context):
            raise NotPossibleHere(
                "only an operator can approve SQL of other roles",
                hint="The setting operators names these roles.",
                position=command.start + 1,
            )
        given = await self.memories.reviewing.given(command.term)
        if (given.server, given.database) != (context.server, context.asker.session.database):
            raise NotPossibleHere(
                f"this SQL was given for database {given.database!r}", hint="Connect to it to approve it."
            )
        await self._compiled(given.right_sql, executor, context)
        await self.memories.reviewing.approve(given.key, context.asker.session.session_user)
        return _told(("approved", given.question), ("sql", given.right_sql), ("given_by", given.role))

    async def _forget_listed(self, command: AskCommand, context: AskContext) -> Rewrite:
        """Take back the row that this session was shown under a number."""
        number = command.number
        relation, key = context.memory.listed.get(number, ("", ""))
        if not relation:
            raise NotPossibleHere(
                f"this session has not listed a row with number {number}",
                hint="List the rows first: ask.glossary, ask.pins, ask.history and ask.feedback show "
                "numbers (n).",
                position=command.start + 1,
            )
        text, kind = await self.memories.teaching.forget_listed(context, relation, key)
        last = context.memory.last
        if kind == "feedback" and last and last.asked == key:
            context.memory.last = last.as_answered()
        return _told(("forgotten", text), ("kind", kind))

    async def _forget(self, command: AskCommand, context: AskContext) -> Rewrite:
        if command.number:
            return await self._forget_listed(command, context)
        gone = await self.memories.teaching.forget(context, command.term)
        session = context.asker.session
        if not gone and session.current_user == session.session_user:
            sql = "" if command.term.strip().lower() == STATEMENTS else command.term
            if await self.memories.statement_collector.forget(session.session_user, session.database, sql):
                await self.memories.teaching.unpin_cited(context)
                gone = ("statements",)
        if not gone and _is_operator(context) and await self.memories.reviewing.withdrawn(command.term):
            gone = ("approval",)
        last = context.memory.last
        if "feedback" in gone and last and normal_question(last.question) == normal_question(command.term):
            context.memory.last = last.as_answered()
        if not gone:
            raise NotPossibleHere(
                f"nothing was found to forget under {command.term!r}",
                hint="ASK FORGET takes a word that your role taught, the text of a question with feedback, "
                "or a statement of ask.statements.",
            )
        return _told(("forgotten", command.term), ("kind", ", ".join(gone)))

    async def _choose(
        self,
        command: AskCommand,
        last: LastAsk,
        executor: SessionExecutor,
        context: AskContext,
        trace: Trace,
    ) -> Rewrite:
        """Run the reading, and remember it: in this session, where the store cannot be written."""
        if command.number > len(last.readings):
            raise NotPossibleHere(
                f"reading {command.number} does not exist",
                hint=f"The last question has {counted(len(last.readings), 'reading')}: ASK CHOOSE 1"
                + (f" to {len(last.readings)}." if len(last.readings) > 1 else "."),
                position=command.start + 1,
            )
        meant = last.readings[command.number - 1]
        sql = await self._compiled(meant.sql, executor, context)
        choice = Choice(
            replace(meant, sql=sql),
            "chosen by you",
            clusters=tuple(Cluster(verdicts) for verdicts in last.proposals),
        )
        warnings: tuple[Notice, ...] = ()
        try:
            await self.memories.teaching.said(context, last, "chosen", meant.sql)
        except StoreFailed as failed:
            warnings = (Notice(_IN_SESSION, failed.message, warning=failed.code),)
        pin = await self.memories.pinning.keep(
            context, _decision(choice, last, trace), "chosen", own=bool(warnings)
        )
        context.memory.last = replace(last, choice=choice, by_hand=False)
        told = notices.of_answer(replace(choice, clusters=()), context.asker, pin)
        kept = told if pin else tuple(replace(notice, hint=_NOT_KEPT) for notice in told)
        return Rewrite(sql, (*kept, *warnings))

    async def _right(self, last: LastAsk, choice: Choice, context: AskContext, trace: Trace) -> Rewrite:
        await self.memories.teaching.said(
            context, last, "right", choice.verdict.sql, right_sql=choice.verdict.sql if last.by_hand else ""
        )
        await self.memories.pinning.keep(
            context, _decision(choice, last, trace), "right", by_hand=last.by_hand
        )
        return _told(("right", last.question), ("sql", choice.verdict.sql))

    async def _correct(
        self, given: str, last: LastAsk, executor: SessionExecutor, context: AskContext, trace: Trace
    ) -> Rewrite:
        """Take SQL given by hand as the role's answer; as the session's, where tenants share the role."""
        sql = await self._compiled(given, executor, context)
        wrong = last.choice.verdict.sql if last.choice else ""
        choice = Choice(Verdict(Candidate(sql, BY_HAND, reading="the SQL you gave"), sql), "given by you")
        await self.memories.teaching.said(context, last, "wrong", wrong, right_sql=sql)
        self.memories.pinning.forget(context)
        await self.memories.pinning.keep(context, _decision(choice, last, trace), "taught", by_hand=True)
        context.memory.last = replace(last, choice=choice, by_hand=True)
        told = await beside(_given, sql, last, context)
        return replace(_told(("wrong", last.question), ("sql", sql)), notices=(told,))

    async def _compiled(self, sql: str, executor: SessionExecutor, context: AskContext) -> str:
        """The text that passed the gate and compiles; raises RefusedByGate or DatabaseFailed."""
        gated = await self.gate(sql, context.asker, context.catalog)
        async with executor.batch() as batch:
            await batch.explain(gated)
        return gated


_ASK_FIRST_HINT: Final = (
    "Ask one first. RESET, DISCARD ALL and a change of role also clear what a session asked."
)
_DONE: Final = {"choose": "choose", "right": "call right", "wrong": "call wrong"}
_AFTER_WRONG: Final = (
    "Ask again for the next reading, or give the answer yourself with ASK WRONG 'the right SQL'. "
    "ASK FORGET 'the question' withdraws this."
)
_NOTHING_KEPT: Final = (
    "Nothing was kept. Repeat it when the store can be written; askwire's log names the cause."
)
_IN_SESSION: Final = "the reading is used, and kept for this session only"
_NOT_KEPT: Final = "It is not kept: it may hold data that other sessions must not see."


def _is_operator(context: AskContext) -> bool:
    return context.asker.session.session_user in context.asker.settings[OPERATORS]


def _whose(sql: str, context: AskContext) -> str:
    """For whom what was said of `sql` holds."""
    if tells_tenants_apart(sql, context.catalog):
        return "this session"
    return f"sessions of the role {context.asker.session.current_user}"


def _given(sql: str, last: LastAsk, context: AskContext) -> Notice:
    """Whose answer the SQL is that a person gave, and how it becomes everybody's."""
    left = unasked(sql, context.asked)
    whose = _whose(sql, context)
    if holds_day(sql, context.asked):
        message = f"this SQL answers the question today, in {whose}"
        hint = (
            "It holds a date that the question does not name. Write current_date - 30 or the like, and it "
            "holds on other days too."
        )
        return Notice(message, hint=hint)
    message = f"this SQL answers the question in {whose} from now on"
    if tells_tenants_apart(sql, context.catalog):
        return Notice(message, hint=_TENANTS_HINT)
    if _is_operator(context) and not (left.foreign or left.dated):
        return Notice("this SQL answers the question for all roles from now on")
    return Notice(message, hint=f"All roles get it when an operator runs ASK APPROVE '{last.asked}'.")


_TENANTS_HINT: Final = (
    "One role may stand for several tenants here, so other sessions do not get it. An operator lets it "
    "answer for all roles with ASK APPROVE and its key in ask.feedback."
)


def _decision(choice: Choice, last: LastAsk, trace: Trace) -> report.Decision:
    verdicts = tuple(verdict for proposed in last.proposals for verdict in proposed)
    question = Question(last.question, last.options.evidence)
    return report.Decision(question, choice, None, verdicts, trace, asked=last.asked)


def _told(*columns: tuple[str, str]) -> Rewrite:
    """One row of text that says what was learned."""
    items = ", ".join(f'{quote_literal(value)}::pg_catalog.text AS "{name}"' for name, value in columns)
    return Rewrite(f"SELECT {items}", report=True)


def _first_not_in(confirmed: Sequence[str], rejected: RejectedForms) -> str:
    """The first text that was not called wrong since; '' for none."""
    return next((sql for sql in confirmed if not rejected.holds(sql)), "")
