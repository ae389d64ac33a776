"""What askwire learns from those who ask: which reading was meant, what is right or wrong, what words mean.

Owns: the records of it, their effect on pins, and what is known of a question because somebody said so; what
follows for experts is `expert_weights`. Feedback on one ASK is given once: what is said later takes the place
of what was said before, and ASK FORGET takes it back.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from askwire.core.beside import beside
from askwire.core.errors import NotPossibleHere, StoreFailed
from askwire.core.protocols import About, R, Store
from askwire.core.records import CalibrationOutcome, Demonstration, Feedback, Pin, Record, Term
from askwire.core.settings.memory import OPERATORS
from askwire.core.types import Choice, Verdict
from askwire.language.same_question import normal_question, paraphrase
from askwire.proxy.asking.context import AskContext
from askwire.proxy.memory.expert_weights import ExpertWeights, outcome_key
from askwire.proxy.memory.pins import Pins, as_json
from askwire.proxy.memory.privacy import given_serves_role, secured, serves_role
from askwire.proxy.memory.rejections import Rejections
from askwire.proxy.session.session_memory import LastAsk
from askwire.sql.canonical.query_form import query_form
from askwire.store.tables import about_paraphrase, about_question

_MOST_FEEDBACK: Final = 10_000
_STORE_TIMEOUT_SECONDS: Final = 0.25
_FEEDBACK_TIMEOUT_SECONDS: Final = 2.0
_Equal: TypeAlias = "dict[str, str | bool]"
_Change: TypeAlias = "Record | tuple[type[Record], str]"


class Lessons:
    """Keeps what was taught; `wall` tells the time of day."""

    def __init__(
        self,
        store: Store,
        pins: Pins,
        weights: ExpertWeights,
        wall: Callable[[], float],
        rejections: Rejections,
    ) -> None:
        self._store = store
        self._rejections = rejections
        self._pins = pins
        self._weights = weights
        self._wall = wall

    # -- what is known -------------------------------------------------------------------------------------

    async def sql_for(self, context: AskContext) -> Sequence[str]:
        """SQL that the role itself or an operator confirmed for this question, the role's own first.

        The question is the same in any spelling (`language.same_question`).
        """
        return [d.sql for d in await self._serving(context, about_question)]

    async def asked_before(self, context: AskContext) -> Demonstration | None:
        """A plain paraphrase of the question that has confirmed SQL: to be offered, never taken."""
        meant, words = normal_question(context.question), paraphrase(context.question)
        if not words or context.options.evidence:
            return None
        known = await self._serving(context, about_paraphrase)
        pins = context.memory.pins.values()
        own = [
            Demonstration(p.key, p.at, p.acting_as, p.server, p.database, p.question, p.sql)
            for p in pins
            if p.origin != "asked"
        ]
        alike = (*(d for d in own if paraphrase(d.question) == words), *known)
        return next((d for d in alike if normal_question(d.question) != meant), None)

    async def _serving(
        self, context: AskContext, about: Callable[[str, str, str], About]
    ) -> list[Demonstration]:
        """Confirmed SQL that may answer the asker: the role's own, then operators', the latest first."""
        session = context.asker.session
        asked = about(context.server, session.database, context.question)
        known = await self._found(Demonstration, _place(context), about=asked)
        mine = [d for d in known if d.role and d.role == session.current_user]
        return [*mine, *(d for d in known if d.approved_by and d.role != session.current_user)]

    async def meanings(self, context: AskContext) -> str:
        """What the glossary says of words of the question, one sentence each; '' for nothing."""
        role = context.asker.session.current_user
        # role by role: however much another one has taught, these are found
        speakers = {role, *context.asker.settings[OPERATORS]}
        terms = [
            t
            for speaker in sorted(speakers)
            for t in await self._found(Term, _place(context) | {"role": speaker})
        ]
        said = f" {_folded(context.question)} "
        meant = [t for t in terms if f" {_folded(t.term)} " in said]
        # what the role says itself comes before what operators say, and each word is explained once
        meant.sort(key=lambda term: term.role != role)
        explained = {_folded(term.term): f"{term.term}: {term.meaning}" for term in reversed(meant)}
        return ". ".join(explained.values())

    async def _found(
        self,
        kind: type[R],
        equal: _Equal,
        patience: float = _STORE_TIMEOUT_SECONDS,
        about: About | None = None,
    ) -> Sequence[R]:
        try:
            return await self._store.find(kind, equal, about=about, limit=_MOST_FEEDBACK, timeout=patience)
        except StoreFailed:
            # nothing is known then, and the question is worked on as any other
            return ()

    async def _asked_for(self, kind: type[R], equal: _Equal, about: About | None = None) -> Sequence[R]:
        """The same for somebody who waits for it as long as for a write, and is shown that it failed."""
        found = partial(self._store.find, kind, equal, about=about, limit=_MOST_FEEDBACK)
        try:
            return await found(timeout=_STORE_TIMEOUT_SECONDS)
        except StoreFailed:
            # a store that was left alone for a while is tried where something is to be kept
            await self._store.keep()
            return await found(timeout=_FEEDBACK_TIMEOUT_SECONDS)

    # -- feedback ------------------------------------------------------------------------------------------

    async def said(
        self, context: AskContext, last: LastAsk, said: str, sql: str, *, right_sql: str = ""
    ) -> None:
        """Keep that `sql` was 'chosen', 'right' or 'wrong' for the last ASK, and what follows from it.

        Raises core.errors.StoreFailed where that cannot be written, or it cannot be read what was confirmed
        before: then nothing is kept.
        """
        session = context.asker.session
        now = self._wall()
        # one role may stand for several tenants there: what one says of experts is not to reach the others
        counts = self._is_operator(context) or not secured(context.catalog)
        proposals = last.proposals if counts else ()
        changes: list[_Change] = [
            Feedback(
                key=last.asked,
                at=now,
                session=context.memory.session,
                role=session.session_user,
                acting_as=session.current_user,
                server=context.server,
                database=session.database,
                asked=last.asked,
                question=last.question,
                said=said,
                sql=sql,
                right_sql=right_sql,
                experts=as_json(judged(proposals, sql, right=said != "wrong")),
                confidence=last.answered.confidence if last.answered else None,
                approved_by=session.session_user if self._is_operator(context) else "",
            )
        ]
        if last.answered and counts:
            changes += self._outcome(context, last.question, last.answered, said, sql)
        confirmed = right_sql or (sql if said != "wrong" else "")
        own = await self._confirmed_before(context, last.question)
        shown = partial(
            self._demonstrated, context, last.question, confirmed, own, wrong=sql, by_hand=bool(right_sql)
        )
        changes += await beside(shown)
        await self._store.keep(*changes)
        await self._rejections.noted(context, last.question, said, sql, right_sql)
        if said == "wrong":
            await self._unpin_question(context, last.question)
        await self._weights.weigh(context.server, session.database)

    async def _confirmed_before(self, context: AskContext, question: str) -> Sequence[Demonstration]:
        """What the role has confirmed for a question so far, under whatever key it is kept."""
        session = context.asker.session
        mine = _place(context) | {"role": session.current_user}
        about = about_question(context.server, session.database, question)
        return await self._asked_for(Demonstration, mine, about)

    def _outcome(
        self, context: AskContext, question: str, choice: Choice, said: str, sql: str
    ) -> Iterable[_Change]:
        """Whether an answer was right beside the support it had, one outcome per question.

        What is right, or was meant, makes another answer wrong; that something else is wrong is silent.
        """
        if choice.confidence is None:
            return
        session = context.asker.session
        who = (session.session_user, session.current_user)
        key = outcome_key(context.server, session.database, *who, question)
        same = sql == choice.verdict.sql
        if said == "wrong" and not same:
            yield CalibrationOutcome, key
            return
        right = said != "wrong" and same
        place = (session.session_user, context.server, session.database)
        acting_as = "" if self._is_operator(context) else session.current_user
        yield CalibrationOutcome(key, self._wall(), *place, choice.confidence, right, acting_as, True)

    def _demonstrated(
        self,
        context: AskContext,
        question: str,
        sql: str,
        own: Sequence[Demonstration],
        *,
        wrong: str,
        by_hand: bool,
    ) -> list[_Change]:
        """What becomes of the pairs that the role has confirmed (`own`) when it confirms another, or none.

        A confirmed pair is kept where it may be shown to the role's other sessions. What a person wrote
        serves the role; beyond it only what an operator wrote, and only without constants of its own.
        """
        if not sql:
            return [(Demonstration, d.key) for d in own if query_form(d.sql) == query_form(wrong)]
        if any(d.sql == sql for d in own):
            return []
        session = context.asker.session
        gone: list[_Change] = [(Demonstration, d.key) for d in own]
        everybody = serves_role(sql, context.asked, context.catalog)
        if not everybody and not (by_hand and given_serves_role(sql, context.asked, context.catalog)):
            return gone
        key = demonstration_key(context.server, session.database, session.current_user, question)
        place = (session.current_user, context.server, session.database)
        approved_by = session.session_user if everybody and self._is_operator(context) else ""
        kept = Demonstration(key, self._wall(), *place, question, sql, approved_by)
        return [*(change for change in gone if change != (Demonstration, key)), kept]

    def _is_operator(self, context: AskContext) -> bool:
        return context.asker.session.session_user in context.asker.settings[OPERATORS]

    # -- the glossary --------------------------------------------------------------------------------------

    async def learn(self, context: AskContext, term: str, meaning: str) -> None:
        """Keep what a word means to the role that asks; an operator's words hold for everybody.

        Raises core.errors.StoreFailed where it cannot be written, and what `check_may_learn` raises.
        """
        self.check_may_learn(context)
        session = context.asker.session
        key = digest(context.server, session.database, session.current_user, _folded(term))
        place = (session.current_user, context.server, session.database)
        await self._store.keep(Term(key, self._wall(), *place, term, meaning))
        await self._unpin(context, term)

    def check_may_learn(self, context: AskContext) -> None:
        """Raise NotPossibleHere where row-level security tells tenants of one role apart.

        The words of one would reach the others.
        """
        if secured(context.catalog) and not self._is_operator(context):
            raise NotPossibleHere(
                "only an operator can teach words in a database with row-level security",
                detail="One role may stand for several tenants there, and would pass on what one means.",
                hint="Ask an operator (the setting operators names them), or give the meaning with EVIDENCE.",
            )

    async def forget_listed(self, context: AskContext, relation: str, key: str) -> tuple[str, str]:
        """Take back one row of askwire's own state: its text, and what it was.

        Raises NotPossibleHere where it is gone or is another's, and core.errors.StoreFailed.
        """
        session = context.asker.session
        mine = session.session_user, session.current_user
        if relation == "glossary":
            for term in await self._asked_for(Term, {"key": key}):
                if term.role != session.current_user:
                    raise _not_yours(f'the word "{term.term}"', term.role)
                await self._store.keep((Term, key))
                await self._unpin(context, term.term)
                return term.term, "term"
            raise _gone()
        if relation == "pins":
            known = context.memory.pins.get(key)
            for pin in [known] if known else await self._asked_for(Pin, {"key": key}):
                if (pin.role, pin.acting_as) != mine:
                    raise _not_yours("this pin", pin.role)
                said = await self.forget(context, pin.question) if pin.origin != "asked" else ()
                self._pins.forget(key, context.memory)
                return pin.question, ", ".join(("pin", *said))
            raise _gone()
        for feedback in await self._asked_for(Feedback, {"key": key}):
            if (feedback.role, feedback.acting_as) != mine:
                raise _not_yours("what was said of this ASK", feedback.role)
            if not feedback.undone:
                changes = await self._taken_back(context, [feedback], feedback.question)
                await self._store.keep(*changes)
                await self._rejections.taken_back(feedback)
                await self._weights.weigh(context.server, session.database)
                await self._unpin_question(context, feedback.question)
                return feedback.question, "feedback"
        raise NotPossibleHere(
            "this ASK has no feedback to take back",
            hint="The column said of ask.history shows feedback: chosen, right or wrong.",
        )

    async def forget(self, context: AskContext, text: str) -> tuple[str, ...]:
        """Take back a word of the role's own glossary, and feedback on a question of that text.

        What was taken back: 'term', 'feedback', or nothing. Raises core.errors.StoreFailed.
        """
        session = context.asker.session
        mine: dict[str, str | bool] = {"role": session.session_user, "acting_as": session.current_user}
        changes: list[_Change] = []
        gone: list[str] = []
        for known in await self._asked_for(Term, _place(context) | {"role": session.current_user}):
            if _folded(known.term) == _folded(text):
                changes.append((Term, known.key))
                gone.append("term")
        about = about_question(context.server, session.database, text)
        given = await self._asked_for(Feedback, _place(context) | mine | {"undone": False}, about)
        if given:
            changes += await self._taken_back(context, given, text)
            gone.append("feedback")
        if changes:
            await self._store.keep(*changes)
        if given:
            for feedback in given:
                await self._rejections.taken_back(feedback)
            await self._weights.weigh(context.server, context.asker.session.database)
            await self._unpin_question(context, text)
        if gone:
            await self._unpin(context, text)
        return tuple(dict.fromkeys(gone))

    async def _taken_back(
        self, context: AskContext, given: Sequence[Feedback], question: str
    ) -> list[_Change]:
        changes: list[_Change] = []
        for feedback in given:
            who = (feedback.role, feedback.acting_as)
            key = outcome_key(feedback.server, feedback.database, *who, feedback.question)
            changes += (replace(feedback, undone=True), (CalibrationOutcome, key))
        own = await self._confirmed_before(context, question)
        return [*changes, *((Demonstration, d.key) for d in own)]

    async def _pins_of(self, context: AskContext, equal: _Equal) -> list[Pin]:
        """Pins of the database in the store and in the session; each read waits as feedback does."""
        equal = _place(context) | equal
        return [*await self._found(Pin, equal, _FEEDBACK_TIMEOUT_SECONDS), *context.memory.pins.values()]

    async def unpin_cited(self, context: AskContext) -> None:
        """Forget the role's pins that rest on people's own queries."""
        for pin in await self._pins_of(context, {"role": context.asker.session.session_user}):
            if json.loads(pin.why).get("cited"):
                self._pins.forget(pin.key, context.memory)

    async def _unpin(self, context: AskContext, text: str) -> None:
        """Forget the pins of questions that hold a text; an operator's words concern everybody's."""
        equal: dict[str, str | bool] = {}
        if not self._is_operator(context):
            equal["role"] = context.asker.session.session_user
        for pin in await self._pins_of(context, equal):
            if f" {_folded(text)} " in f" {_folded(pin.question)} ":
                self._pins.forget(pin.key, context.memory)

    async def _unpin_question(self, context: AskContext, question: str) -> None:
        """Forget the role's pins of a question, whatever else they depend on."""
        session = context.asker.session
        mine: _Equal = {"role": session.session_user, "acting_as": session.current_user}
        meant = normal_question(question)
        for pin in await self._pins_of(context, mine):
            if normal_question(pin.question) == meant:
                self._pins.forget(pin.key, context.memory)


def offered(before: Demonstration) -> str:
    """What is said of a paraphrase whose SQL was confirmed: it is offered, and never taken."""
    asked = " ".join(before.question.split()).replace("'", "''")
    return f"Asked before as \"{' '.join(before.question.split())}\", with a confirmed answer: ASK '{asked}'."


def _not_yours(what: str, role: str) -> NotPossibleHere:
    return NotPossibleHere(f"{what} is the role {role}'s", hint="Each role takes back what is its own.")


def _gone() -> NotPossibleHere:
    return NotPossibleHere("this row is gone already", hint="List the rows again.")


def _place(context: AskContext) -> _Equal:
    return {"server": context.server, "database": context.asker.session.database}


def judged(proposals: Iterable[Sequence[Verdict]], sql: str, *, right: bool) -> dict[str, object]:
    """For each expert whether it was right: a reading is right or wrong with all who proposed it."""
    found: dict[str, object] = {}
    for verdicts in proposals:
        holds = any(verdict.sql == sql for verdict in verdicts)
        for verdict in verdicts:
            expert = verdict.candidate.expert
            if right:
                # one right proposal of several makes an expert right
                found[expert] = bool(found.get(expert)) or holds
            elif holds:
                found[expert] = False
    return found


def _folded(text: str) -> str:
    return " ".join("".join(c if c.isalnum() else " " for c in text.casefold()).split())


def demonstration_key(server: str, database: str, role: str, question: str) -> str:
    """The key of what `role` confirmed for a question ('': an operator approved it), in any spelling."""
    return digest(server, database, role, normal_question(question))


def digest(*parts: str) -> str:
    """The key of what is known of so many names together."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
