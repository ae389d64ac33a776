"""What a role said ASK WRONG to: SQL that is not given again for the same question.

Owns: which feedback counts as a rejection for whom, and leaving rejected readings out of a decision. What is
said last of a text holds: CHOOSE, RIGHT or the same SQL given by hand lifts a rejection. Where one role may
stand for several tenants, a rejection holds in its own session.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from askwire.core.beside import beside
from askwire.core.errors import AskError, BeyondEngine, StoreFailed
from askwire.core.protocols import Store
from askwire.core.records import Feedback, HistoryEntry
from askwire.core.types import Choice, SessionState, Verdict
from askwire.language.same_question import normal_question
from askwire.proxy.asking.context import AskContext
from askwire.proxy.memory.privacy import tells_tenants_apart
from askwire.proxy.session.session_memory import SessionMemory
from askwire.selector.clusters import cluster
from askwire.sql.canonical.query_form import query_form
from askwire.sql.catalog import Catalog
from askwire.store.tables import about_question

_MOST_FEEDBACK: Final = 10_000
_MOST_QUESTIONS: Final = 5_000
_STORE_TIMEOUT_SECONDS: Final = 0.25
_MAX_CONFIDENCE: Final = 0.999
"""The most that a calibrated confidence is raised to: another reading may still be meant."""

_Whose = tuple[str, str, str, str, str]
"""Server, database, login role, role acted as, session ('' for all of them)."""
_Place = tuple[str, str, str, str, str, str]
"""The same, and the question in its normal form."""


@dataclass(frozen=True, slots=True)
class _HeardRejection:
    """What another process heard of a text; `everywhere`: it is no single session's word."""

    wrong: bool
    text: str
    everywhere: bool


@dataclass(frozen=True, slots=True)
class RejectedForms:
    """Texts that are not given again, each in the form in which it is compared."""

    forms: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.forms)

    def holds(self, sql: str) -> bool:
        """Whether a text is one of them but for spaces, letter case, parentheses and aliases."""
        return query_form(sql) in self.forms


class Rejections:
    """What was said to be wrong, kept as feedback in the store; what this process heard is at hand."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._heard: OrderedDict[_Place, dict[str, bool]] = OrderedDict()
        self._wrong: OrderedDict[_Whose, set[str]] = OrderedDict()
        self._elsewhere: OrderedDict[_Place, dict[str, _HeardRejection]] = OrderedDict()

    async def noted(
        self, context: AskContext, question: str, said: str, sql: str, right_sql: str = ""
    ) -> None:
        """Take in what was just said of an answer, and kept."""
        for text in filter(None, (sql, right_sql)):
            own, form = await beside(_own_and_form, text, context)
            wrong = said == "wrong" and text != right_sql
            self._note(_place(context, question, own=own), form, wrong=wrong)

    async def noted_elsewhere(self, asked: HistoryEntry, sql: str, *, wrong: bool) -> None:
        """The same of an ASK of the history, said in the console."""
        place = (asked.server, asked.database, asked.role, asked.acting_as)
        form = await beside(query_form, sql)
        self._note((*place, "", normal_question(asked.question)), form, wrong=wrong)

    async def heard_elsewhere(self, given: Feedback) -> None:
        """Take in what was said, or taken back, in another process."""
        place = (
            given.server,
            given.database,
            given.role,
            given.acting_as,
            "",
            normal_question(given.question),
        )
        for text in filter(None, (given.sql, given.right_sql)):
            form = await beside(query_form, text)
            self._heard.get(place, {}).pop(form, None)
            self._wrong.get(place[:5], set()).discard(form)
            said = self._elsewhere.setdefault(place, {})
            said.pop(form, None)
            if not given.undone:
                wrong = given.said == "wrong" and text != given.right_sql
                said[form] = _HeardRejection(wrong, text, everywhere=not given.session)
            self._elsewhere.move_to_end(place)
        if len(self._elsewhere) > _MOST_QUESTIONS:
            self._elsewhere.popitem(last=False)

    async def taken_back(self, given: Feedback) -> None:
        """Let feedback count no more."""
        if given.said == "wrong" and given.sql:
            place = (given.server, given.database, given.role, given.acting_as)
            form = await beside(query_form, given.sql)
            for session in {"", given.session}:
                heard = self._heard.get((*place, session, normal_question(given.question)))
                if heard is not None:
                    heard.pop(form, None)
                self._wrong.get((*place, session), set()).discard(form)
            self._elsewhere.get((*place, "", normal_question(given.question)), {}).pop(form, None)

    def _note(self, place: _Place, form: str, *, wrong: bool) -> None:
        self._elsewhere.get((*place[:4], "", place[5]), {}).pop(form, None)
        self._heard.setdefault(place, {})[form] = wrong
        self._heard.move_to_end(place)
        texts = self._wrong.setdefault(place[:5], set())
        (texts.add if wrong else texts.discard)(form)
        self._wrong.move_to_end(place[:5])
        if len(self._heard) > _MOST_QUESTIONS:
            self._heard.popitem(last=False)
        if len(self._wrong) > _MOST_QUESTIONS:
            self._wrong.popitem(last=False)

    async def holds_any(
        self,
        statements: Sequence[str],
        session: SessionState,
        server: str,
        memory: SessionMemory,
        catalog: Catalog,
    ) -> bool:
        """Whether one of these was called wrong since this process began, whatever it was asked for."""
        who = (server, session.database, session.session_user, session.current_user)
        wrong = self._wrong.get((*who, ""), set()) | self._wrong.get((*who, memory.session), set())
        for place, said in self._elsewhere.items():
            if place[:4] == who:
                wrong = wrong | {form for form, is_wrong in _reaching(said, catalog).items() if is_wrong}
        if not wrong:
            return False
        return any([await beside(query_form, sql) in wrong for sql in statements])

    def at_hand(self, context: AskContext) -> RejectedForms:
        """What this process heard: pins from before a rejection are gone, except other sessions' own."""
        return RejectedForms(frozenset(form for form, wrong in self._heard_of(context).items() if wrong))

    def _heard_of(self, context: AskContext) -> dict[str, bool]:
        place = _place(context, context.question, own=False)
        found = _reaching(self._elsewhere.get(place, {}), context.catalog)
        for own in (False, True):
            found |= self._heard.get(_place(context, context.question, own=own), {})
        return found

    async def of(self, context: AskContext) -> RejectedForms:
        """All that the asker rejected for the question; of a store that cannot be read what is at hand."""
        session = context.asker.session
        place: dict[str, str | bool] = {
            "server": context.server,
            "database": session.database,
            "acting_as": session.current_user,
            "undone": False,
        }
        given: list[Feedback] = []
        try:
            # an operator's word in the console holds for the role that asked
            for whose in ({"role": session.session_user}, {"session": ""}):
                given += await self._store.find(
                    Feedback,
                    place | whose,
                    about=about_question(context.server, session.database, context.question),
                    limit=_MOST_FEEDBACK,
                    timeout=_STORE_TIMEOUT_SECONDS,
                )
        except StoreFailed:
            return self.at_hand(context)
        if not given:
            return self.at_hand(context)
        given.sort(key=lambda f: f.at)
        forms = await beside(_forms, given, context) | self._heard_of(context)
        return RejectedForms(frozenset(form for form, wrong in forms.items() if wrong))


def _place(context: AskContext, question: str, *, own: bool) -> _Place:
    session = context.asker.session
    who = (session.session_user, session.current_user, context.memory.session if own else "")
    return (context.server, session.database, *who, normal_question(question))


def _reaching(said: Mapping[str, _HeardRejection], catalog: Catalog) -> dict[str, bool]:
    """By its form whether a text is rejected, of what reaches a session of another process."""
    return {
        form: one.wrong
        for form, one in said.items()
        if one.everywhere or not tells_tenants_apart(one.text, catalog)
    }


def _own_and_form(text: str, context: AskContext) -> tuple[bool, str]:
    """Whether a rejection of the text holds in its session alone, and the form in which it is compared."""
    return tells_tenants_apart(text, context.catalog), query_form(text)


def _forms(given: Sequence[Feedback], context: AskContext) -> dict[str, bool]:
    """By its form whether a text is rejected; what was said later of it holds."""
    found: dict[str, bool] = {}
    for feedback in given:
        for text in filter(None, (feedback.sql, feedback.right_sql)):
            elsewhere = feedback.session and feedback.session != context.memory.session
            if not (elsewhere and tells_tenants_apart(text, context.catalog)):
                found[query_form(text)] = feedback.said == "wrong" and text != feedback.right_sql
    return found


def without_rejected(
    verdicts: Sequence[Verdict], rejected: RejectedForms
) -> tuple[list[Verdict], tuple[Verdict, ...]]:
    """The verdicts that may be given, and those that were left out.

    A reading with the rows of a rejected one goes with it: the answer that was wrong would come again. Of the
    others each is as likely as it is when the rejected ones are ruled out: their confidences share what these
    had.
    """
    texts = {id(v) for v in verdicts if rejected.holds(v.sql) or rejected.holds(v.candidate.sql)}
    same = [c.verdicts for c in cluster(verdicts) if any(id(v) in texts for v in c.verdicts)]
    gone = texts | {id(v) for group in same for v in group}
    left_out = tuple(v for v in verdicts if id(v) in gone)
    freed: dict[str, float] = {}
    for verdict in left_out:
        expert = verdict.candidate.expert
        freed[expert] = freed.get(expert, 0.0) + (verdict.candidate.confidence or 0.0)
    kept = [v for v in verdicts if id(v) not in gone]
    return [_likelier(v, freed.get(v.candidate.expert, 0.0)) for v in kept], left_out


def _likelier(verdict: Verdict, freed: float) -> Verdict:
    confidence = verdict.candidate.confidence
    if not confidence or freed <= 0:
        return verdict
    confidence = min(_MAX_CONFIDENCE, confidence / max(1e-6, 1 - freed))
    return replace(verdict, candidate=replace(verdict.candidate, confidence=confidence))


def nothing_else(left_out: Collection[Verdict]) -> BeyondEngine:
    """NL003: all that was found for the question has been rejected."""
    return BeyondEngine(
        "no other reading of this question was found",
        detail=told(left_out),
        hint="Give the answer yourself with ASK WRONG 'the right SQL', or withdraw the rejection with "
        "ASK FORGET 'the question'.",
    )


def told(left_out: Collection[Verdict]) -> str:
    """What a refusal says of readings that were left out; '' for none."""
    texts = dict.fromkeys(verdict.sql for verdict in left_out)
    return "\n".join(["Rejected with ASK WRONG:", *(f"   {sql}" for sql in texts)]) if texts else ""


def explained(error: AskError, left_out: Collection[Verdict]) -> None:
    """Let a refusal say which readings were left out."""
    if left_out and "ASK WRONG" not in error.detail:
        error.detail = "\n".join(filter(None, [error.detail, told(left_out)]))


def remarked(choice: Choice, left_out: Collection[Verdict]) -> Choice:
    """A choice that tells its reader what it comes instead of."""
    if not left_out:
        return choice
    count = len(dict.fromkeys(verdict.sql for verdict in left_out))
    what = "1 reading" if count == 1 else f"{count} readings"
    return replace(choice, remarks=(*choice.remarks, f"left out after ASK WRONG: {what}"))
