"""What askwire learns from those who ask: which reading was meant, what is right or wrong, what words mean.

Owns: the records of it, their effect on pins, and what is known of a question because somebody said so; what
follows for experts is `experience`. Feedback on one ASK is given once: what is said later takes the place of
what was said before, and ASK FORGET takes it back. Must not know: the wire, or how SQL is checked.
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
from askwire.core.memory_settings import OPERATORS
from askwire.core.protocols import R, Store
from askwire.core.records import CalibrationOutcome, Demonstration, Feedback, Pin, Record, Term
from askwire.core.types import Choice, Verdict
from askwire.proxy.memory.experience import Experience, outcome_key
from askwire.proxy.memory.pins import Pins, as_json
from askwire.proxy.memory.privacy import secured, serves_role
from askwire.proxy.occasion import Occasion
from askwire.proxy.session.session_memory import LastAsk

_MOST_FEEDBACK: Final = 10_000
_PATIENCE: Final = 0.25
_Equal: TypeAlias = "dict[str, str | bool]"
_Change: TypeAlias = "Record | tuple[type[Record], str]"


class Teaching:
    """Keeps what was taught; `wall` tells the time of day."""

    def __init__(self, store: Store, pins: Pins, experience: Experience, wall: Callable[[], float]) -> None:
        self._store = store
        self._pins = pins
        self._experience = experience
        self._wall = wall

    # -- what is known -------------------------------------------------------------------------------------

    async def sql_for(self, occasion: Occasion) -> str:
        """SQL that the role itself or an operator confirmed for this very question; '' for none."""
        session = occasion.asker.session
        known = await self._found(Demonstration, _place(occasion) | {"question": occasion.question})
        mine = [d for d in known if d.role and d.role == session.current_user]
        return next((d.sql for d in (*mine, *known) if d in mine or d.approved_by), "")

    async def meanings(self, occasion: Occasion) -> str:
        """What the glossary says of words of the question, one sentence each; '' for nothing."""
        role = occasion.asker.session.current_user
        # role by role: however much another one has taught, these are found
        speakers = {role, *occasion.asker.settings[OPERATORS]}
        terms = [
            t
            for speaker in sorted(speakers)
            for t in await self._found(Term, _place(occasion) | {"role": speaker})
        ]
        said = f" {_folded(occasion.question)} "
        meant = [t for t in terms if f" {_folded(t.term)} " in said]
        # what the role says itself comes before what operators say, and each word is explained once
        meant.sort(key=lambda term: term.role != role)
        explained = {_folded(term.term): f"{term.term}: {term.meaning}" for term in reversed(meant)}
        return ". ".join(explained.values())

    async def _found(self, kind: type[R], equal: _Equal) -> Sequence[R]:
        try:
            return await self._store.find(kind, equal, limit=_MOST_FEEDBACK, timeout=_PATIENCE)
        except StoreFailed:
            # nothing is known then, and the question is worked on as any other
            return ()

    async def _asked_for(self, kind: type[R], equal: _Equal) -> Sequence[R]:
        """The same for somebody who waits for it, and is told when the store cannot be read."""
        return await self._store.find(kind, equal, limit=_MOST_FEEDBACK, timeout=_PATIENCE)

    # -- feedback ------------------------------------------------------------------------------------------

    async def said(
        self, occasion: Occasion, last: LastAsk, said: str, sql: str, *, right_sql: str = ""
    ) -> None:
        """Keep that `sql` was 'chosen', 'right' or 'wrong' for the last ASK, and what follows from it.

        Raises core.errors.StoreFailed where that cannot be written: then nothing is kept.
        """
        session = occasion.asker.session
        now = self._wall()
        # one role may stand for several tenants there: what one says of experts is not to reach the others
        counts = self._is_operator(occasion) or not secured(occasion.catalog)
        proposals = last.proposals if counts else ()
        changes: list[_Change] = [
            Feedback(
                key=last.asked,
                at=now,
                session=occasion.memory.session,
                role=session.session_user,
                acting_as=session.current_user,
                server=occasion.server,
                database=session.database,
                asked=last.asked,
                question=last.question,
                said=said,
                sql=sql,
                right_sql=right_sql,
                experts=as_json(judged(proposals, sql, right=said != "wrong")),
                confidence=last.answered.confidence if last.answered else None,
                approved_by=session.session_user if self._is_operator(occasion) else "",
            )
        ]
        if last.answered and counts:
            changes += self._outcome(occasion, last.question, last.answered, said, sql)
        confirmed = right_sql or (sql if said != "wrong" else "")
        shown = partial(self._demonstrated, occasion, last.question, confirmed, by_hand=bool(right_sql))
        changes.append(await beside(shown))
        await self._store.keep(*changes)
        await self._experience.weigh(occasion.server, session.database)

    def _outcome(
        self, occasion: Occasion, question: str, choice: Choice, said: str, sql: str
    ) -> Iterable[_Change]:
        """Whether an answer was right beside the support it had, one outcome per question.

        What is right, or was meant, makes another answer wrong; that something else is wrong says nothing.
        """
        if choice.confidence is None:
            return
        session = occasion.asker.session
        who = (session.session_user, session.current_user)
        key = outcome_key(occasion.server, session.database, *who, question)
        same = sql == choice.verdict.sql
        if said == "wrong" and not same:
            yield CalibrationOutcome, key
            return
        right = said != "wrong" and same
        place = (session.session_user, occasion.server, session.database)
        acting_as = "" if self._is_operator(occasion) else session.current_user
        yield CalibrationOutcome(key, self._wall(), *place, choice.confidence, right, acting_as, True)

    def _demonstrated(self, occasion: Occasion, question: str, sql: str, *, by_hand: bool) -> _Change:
        """A confirmed pair, where it may be shown to the role's other sessions; else none is left.

        What a person wrote serves others only when that person is an operator: a shared role would let one
        poison another.
        """
        session = occasion.asker.session
        key = digest(occasion.server, session.database, session.current_user, question)
        operator = self._is_operator(occasion)
        shared = sql and serves_role(sql, occasion.asked, occasion.catalog)
        if not shared or (by_hand and not operator):
            return Demonstration, key
        place = (session.current_user, occasion.server, session.database)
        approved_by = session.session_user if operator else ""
        return Demonstration(key, self._wall(), *place, question, sql, approved_by)

    def _is_operator(self, occasion: Occasion) -> bool:
        return occasion.asker.session.session_user in occasion.asker.settings[OPERATORS]

    # -- the glossary --------------------------------------------------------------------------------------

    async def learn(self, occasion: Occasion, term: str, meaning: str) -> None:
        """Keep what a word means to the role that asks; an operator's words hold for everybody.

        Raises NotPossibleHere where row-level security tells tenants of one role apart: the words of one
        would reach the others; core.errors.StoreFailed where it cannot be written.
        """
        session = occasion.asker.session
        if secured(occasion.catalog) and not self._is_operator(occasion):
            raise NotPossibleHere(
                "only an operator can teach words in a database with row-level security",
                detail="One role may stand for several tenants there, and would pass on what one means.",
                hint="Ask an operator (the setting operators names them), or give the meaning with EVIDENCE.",
            )
        key = digest(occasion.server, session.database, session.current_user, _folded(term))
        place = (session.current_user, occasion.server, session.database)
        await self._store.keep(Term(key, self._wall(), *place, term, meaning))
        await self._unpin(occasion, term)

    async def forget(self, occasion: Occasion, text: str) -> tuple[str, ...]:
        """Take back a word of the role's own glossary, and feedback on a question of that text.

        What was taken back: 'term', 'feedback', or nothing. Raises core.errors.StoreFailed.
        """
        session = occasion.asker.session
        mine: dict[str, str | bool] = {"role": session.session_user, "acting_as": session.current_user}
        changes: list[_Change] = []
        gone: list[str] = []
        for known in await self._asked_for(Term, _place(occasion) | {"role": session.current_user}):
            if _folded(known.term) == _folded(text):
                changes.append((Term, known.key))
                gone.append("term")
        given = await self._asked_for(Feedback, _place(occasion) | mine | {"question": text, "undone": False})
        for feedback in given:
            who = (feedback.role, feedback.acting_as)
            key = outcome_key(feedback.server, feedback.database, *who, feedback.question)
            changes += (replace(feedback, undone=True), (CalibrationOutcome, key))
            gone.append("feedback")
        if given:
            key = digest(occasion.server, session.database, session.current_user, text)
            changes.append((Demonstration, key))
        if changes:
            await self._store.keep(*changes)
        if given:
            await self._experience.weigh(occasion.server, occasion.asker.session.database)
        if gone:
            await self._unpin(occasion, text)
        return tuple(dict.fromkeys(gone))

    async def unpin_cited(self, occasion: Occasion) -> None:
        """Forget the role's pins that rest on people's own queries."""
        mine = _place(occasion) | {"role": occasion.asker.session.session_user}
        pins = [*await self._found(Pin, mine), *occasion.memory.pins.values()]
        for pin in pins:
            if json.loads(pin.why).get("cited"):
                self._pins.forget(pin.key, occasion.memory)

    async def _unpin(self, occasion: Occasion, text: str) -> None:
        """Forget the pins of questions that hold a text; an operator's words concern everybody's."""
        equal: dict[str, str | bool] = {}
        if not self._is_operator(occasion):
            equal["role"] = occasion.asker.session.session_user
        pins = [*await self._found(Pin, _place(occasion) | equal), *occasion.memory.pins.values()]
        for pin in pins:
            if f" {_folded(text)} " in f" {_folded(pin.question)} ":
                self._pins.forget(pin.key, occasion.memory)


def _place(occasion: Occasion) -> _Equal:
    return {"server": occasion.server, "database": occasion.asker.session.database}


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


def digest(*parts: str) -> str:
    """The key of what is known of so many names together."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
