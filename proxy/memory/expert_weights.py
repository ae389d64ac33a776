"""How experts and answers have fared with those who ask: what the selection makes of feedback.

Owns: whose feedback counts for whom (a role's own for that role, an operator's for everybody), the experts'
weights worked out from it, the agreement of experts that this process has seen, and from which support on an
answer keeps to a stated error rate. Under row-level security only operators' feedback outlives its session:
one role may stand for several tenants there.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from askwire.core.errors import StoreFailed
from askwire.core.protocols import About, Change, R, Store
from askwire.core.records import (
    CalibrationOutcome,
    ExpertStanding,
    ExpertWeight,
    Feedback,
    JudgeRuling,
)
from askwire.core.settings.memory import OPERATORS
from askwire.core.settings.table import MAX_ERROR
from askwire.core.types import Verdict
from askwire.language.same_question import normal_question
from askwire.proxy.asking.context import AskContext
from askwire.proxy.memory.judge_rulings import MAX_JUDGES_IN_MEMORY, Outcomes
from askwire.proxy.session.statements.asker import Asker
from askwire.selector.calibration import ErrorRate, Outcome, error_rate
from askwire.selector.clusters import eligible
from askwire.selector.reliability import Ballot, Reliability, estimate
from askwire.store.tables import about_readings, reading_digest

MISTAKE_PENALTY: Final = 0.1
"""What is left of an expert's weight after a mistake is 1 minus this (Littlestone and Warmuth)."""
MOST_BALLOTS: Final = 200
"""Questions of a role whose agreement is kept, the latest."""

_REVIEW_AFTER_QUESTIONS: Final = 10
"""Questions after which agreement is looked at again: it takes some milliseconds."""
_MOST_RECORDS: Final = 10_000
_MOST_ROLES: Final = 500
_STORE_TIMEOUT_SECONDS: Final = 0.25
_FEEDBACK_TIMEOUT_SECONDS: Final = 1.0

Who: TypeAlias = tuple[str, str]
"""Who logs in and who they act as; '' stands for everybody."""
Tally: TypeAlias = Mapping[str, tuple[int, int]]
"""For each expert how often it was right and wrong."""

_EVERYBODY: Final[Who] = ("", "")
_NOBODY: Final = "{}"
"""The experts that feedback names when no expert proposed what it is about."""


@dataclass
class _Agreement:
    """Agreement of experts on what one role asked, and what was made of it and the tally last.

    `before` is what the store knew of them when the process began, None until it could be read. `kept` are
    those of the counts that are in the store, where other processes add theirs.
    """

    before: Mapping[str, ExpertStanding] | None = None
    ballots: deque[Ballot] = field(default_factory=lambda: deque(maxlen=MOST_BALLOTS))
    answered: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    kept: dict[str, tuple[int, int]] = field(default_factory=dict)
    keeping: asyncio.Lock = field(default_factory=asyncio.Lock)
    new: int = 0
    tally: Tally | None = None
    known: Reliability = field(default_factory=Reliability)

    def counts(self, expert: str) -> tuple[int, int]:
        """Questions for which a candidate of the expert ran, and those for which none did."""
        before = (self.before or {}).get(expert)
        return (
            self.answered[expert] + (before.answered if before else 0),
            self.failed[expert] + (before.failed if before else 0),
        )

    @property
    def stale(self) -> bool:
        """Whether so much is new that rates may have changed: at first with every question."""
        return self.new > min(_REVIEW_AFTER_QUESTIONS, len(self.ballots) // 4)


class ExpertWeights:
    """What feedback has taught; `wall` tells the time of day."""

    def __init__(self, store: Store, wall: Callable[[], float]) -> None:
        self._store = store
        self._wall = wall
        self._seen: OrderedDict[tuple[str, str, str, str], _Agreement] = OrderedDict()
        self._unweighed: set[tuple[str, str]] = set()
        self._judged: OrderedDict[tuple[str, ...], dict[str, bool | None]] = OrderedDict()

    async def reliability(self, context: AskContext) -> Reliability:
        """How far experts can be relied on here: by what this role and operators said, and by agreement."""
        tally = await self._tally(context)
        seen = await self._with_standings(context)
        if seen.tally != tally or seen.stale:
            standings = (seen.before or {}).items()
            before = {e: (one.rate, min(one.answered, MOST_BALLOTS)) for e, one in standings}
            seen.known = await asyncio.to_thread(estimate, tuple(seen.ballots), tally, before)
            seen.tally, seen.new = tally, 0
            await self._keep(context, seen, {*seen.answered, *seen.failed})
        return seen.known

    async def weights(self, context: AskContext) -> Mapping[str, float]:
        """What the weighted majority leaves each expert, by what this role and operators said."""
        return {
            expert: (1 - MISTAKE_PENALTY) ** wrong
            for expert, (_, wrong) in (await self._tally(context)).items()
        }

    async def outcomes(self, context: AskContext, rulings: Sequence[JudgeRuling]) -> Outcomes:
        """Of the statements that a judge's rulings are about: what this role or an operator said of them.

        What a tenant of a secured database says of experts stays with it, and so does this. The store is read
        for statements that are new, and for all after feedback; while it cannot be, the known ones count.
        """
        readings = {digest for one in rulings for digest in (one.favourite, one.rival)} - {""}
        if not readings:
            return {}
        server, database, *mine = _place(context)
        known = self._judged.setdefault((server, database, *mine, rulings[0].judge), {})
        self._judged.move_to_end((server, database, *mine, rulings[0].judge))
        if len(self._judged) > MAX_JUDGES_IN_MEMORY:
            self._judged.popitem(last=False)
        for digest in known.keys() - readings:
            del known[digest]
        if new := readings - known.keys():
            equal: dict[str, str | bool] = {"server": server, "database": database, "undone": False}
            try:
                given = await self._find(Feedback, equal, about=about_readings(new))
            except StoreFailed:
                return known
            known |= dict.fromkeys(new)
            for one in reversed(given):
                if one.experts != _NOBODY and (one.approved_by or [one.role, one.acting_as] == mine):
                    known[reading_digest(one.question, one.sql)] = one.said != "wrong"
        return known

    def heard(self, change: Change) -> None:
        """Take in that feedback changed, here or in another process; without a kind it may be anything."""
        for place in [*self._judged]:
            if change.kind is None or place[:2] == (change.server, change.database):
                del self._judged[place]

    async def error_rate(self, context: AskContext) -> ErrorRate:
        """The stated error rate of this session, with the thresholds that recorded outcomes give it."""
        limit = context.asker.settings[MAX_ERROR]
        if limit == 1:
            return ErrorRate()
        return error_rate(limit, await recorded_outcomes(self._store, context.asker, context.server))

    async def tried(self, context: AskContext, verdicts: Sequence[Verdict]) -> None:
        """Count for each expert that votes whether any of its candidates for one question ran."""
        seen = self._seen_here(context)
        voting = [v for v in verdicts if v.candidate.confidence is None]
        ran = {v.candidate.expert for v in voting if eligible(v)}
        seen.answered.update(ran)
        seen.failed.update({v.candidate.expert for v in voting} - ran)
        if seen.failed:
            seen.new += 1

    async def failed(self, context: AskContext, experts: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Count a question that these experts' models failed at; at how many of how many each one has."""
        if not experts:
            return {}
        seen = await self._with_standings(context)
        seen.failed.update(experts)
        await self._keep(context, seen, experts)
        counts = {expert: seen.counts(expert) for expert in experts}
        return {expert: (failed, answered + failed) for expert, (answered, failed) in counts.items()}

    def seen(self, context: AskContext, ballot: Ballot) -> None:
        """Note who voted for which answer; calibrated experts have no vote."""
        seen = self._seen.get(_place(context))
        if seen is None or not any(option.voters for option in ballot):
            return
        seen.ballots.append(ballot)
        seen.new += 1

    def _seen_here(self, context: AskContext) -> _Agreement:
        place = _place(context)
        seen = self._seen.setdefault(place, _Agreement())
        self._seen.move_to_end(place)
        if len(self._seen) > _MOST_ROLES:
            self._seen.popitem(last=False)
        return seen

    async def _with_standings(self, context: AskContext) -> _Agreement:
        """The agreement with what the store knew before; while that cannot be read, each ASK tries again."""
        seen = self._seen_here(context)
        if seen.before is None:
            with suppress(StoreFailed):
                found = await self._find(ExpertStanding, _equal(*_place(context)))
                # another ASK may have read it meanwhile, and counts from there
                if seen.before is None:
                    seen.before, seen.tally = {one.expert: one for one in found}, None
        return seen

    async def _keep(self, context: AskContext, seen: _Agreement, experts: Collection[str]) -> None:
        """Add what was counted since the last time to the standings, once these can be read.

        Of two processes that do so within the time of a write one is lost.
        """
        if seen.before is None:
            return  # it would take the place of a standing that is not known
        place = _place(context)
        async with seen.keeping:
            try:
                found = await self._find(ExpertStanding, _equal(*place))
            except StoreFailed:
                return
            standings = {one.expert: one for one in found}
            for expert in experts:
                self._store.put(self._standing(place, seen, expert, standings.get(expert)))
                seen.kept[expert] = seen.answered[expert], seen.failed[expert]

    def _standing(
        self, place: tuple[str, str, str, str], seen: _Agreement, expert: str, before: ExpertStanding | None
    ) -> ExpertStanding:
        server, database, role, acting_as = place
        answered, failed = seen.kept.get(expert, (0, 0))
        return ExpertStanding(
            _digest("standing", *place, expert),
            self._wall(),
            role,
            server,
            database,
            acting_as,
            expert,
            # nothing is estimated yet where every model failed so far
            before.rate if before and seen.tally is None else seen.known.rate(expert),
            (before.answered if before else 0) + seen.answered[expert] - answered,
            (before.failed if before else 0) + seen.failed[expert] - failed,
        )

    async def weigh(self, server: str, database: str, patience: float = _FEEDBACK_TIMEOUT_SECONDS) -> None:
        """Work the experts' weights out from all feedback that counts: so any of it can be taken back.

        Where the store cannot be read within `patience` seconds, the next ASK that looks for weights does it.
        """
        place: dict[str, str | bool] = {"server": server, "database": database}
        self._unweighed.discard((server, database))
        self.heard(Change(Feedback, server=server, database=database))
        try:
            known = await self._find(ExpertWeight, place, patience)
            given = await self._find(Feedback, place | {"undone": False}, patience)
        except StoreFailed:
            self._unweighed.add((server, database))
            return
        tallies: dict[Who, dict[str, tuple[int, int]]] = {}
        for weight in known:
            tallies.setdefault((weight.role, weight.acting_as), {})[weight.expert] = (0, 0)
        for who, experts in await asyncio.to_thread(counted, given):
            tally = tallies.setdefault(who, {})
            for expert, right in experts.items():
                won, lost = tally.get(expert, (0, 0))
                tally[expert] = (won + right, lost + (not right))
        now = self._wall()
        for who, tally in tallies.items():
            for expert, (won, lost) in tally.items():
                key = _digest(server, database, *who, expert)
                weight_left = (1 - MISTAKE_PENALTY) ** lost
                self._store.put(
                    ExpertWeight(key, now, server, database, expert, weight_left, won, lost, *who)
                )

    async def _tally(self, context: AskContext) -> Tally:
        server, database, *mine = _place(context)
        if (server, database) in self._unweighed:
            await self.weigh(server, database, _STORE_TIMEOUT_SECONDS)
        found: dict[str, tuple[int, int]] = {}
        for role, acting_as in (mine, ("", mine[1]), _EVERYBODY):
            for weight in await self._found(ExpertWeight, _equal(server, database, role, acting_as)):
                won, lost = found.get(weight.expert, (0, 0))
                found[weight.expert] = (won + weight.right, lost + weight.wrong)
        return found

    async def _found(self, kind: type[R], equal: Mapping[str, str | bool]) -> Sequence[R]:
        return await _found(self._store, kind, equal)

    async def _find(
        self,
        kind: type[R],
        equal: Mapping[str, str | bool],
        patience: float | None = None,
        about: About | None = None,
    ) -> Sequence[R]:
        patience = patience or _STORE_TIMEOUT_SECONDS
        return await self._store.find(kind, equal, about=about, limit=_MOST_RECORDS, timeout=patience)


async def recorded_outcomes(store: Store, asker: Asker, server: str) -> list[Outcome]:
    """What became of answers in this database, as far as the asker or an operator has said so."""
    session = asker.session
    found = []
    for role in sorted({session.session_user, *asker.settings[OPERATORS]}):
        place: dict[str, str | bool] = {"server": server, "database": session.database, "role": role}
        found += [
            Outcome(outcome.confidence, outcome.right)
            for outcome in await _found(store, CalibrationOutcome, place)
            if outcome.confident and outcome.acting_as in ("", session.current_user)
        ]
    return found


async def _found(store: Store, kind: type[R], equal: Mapping[str, str | bool]) -> Sequence[R]:
    try:
        return await store.find(kind, equal, limit=_MOST_RECORDS, timeout=_STORE_TIMEOUT_SECONDS)
    except StoreFailed:
        # nothing is known then, and experts count as any others
        return ()


def counted(given: Iterable[Feedback]) -> list[tuple[Who, dict[str, bool]]]:
    """For whom each piece of feedback counts, and which experts were right.

    What a role says of one question counts once, as it said it last, however often it was asked. Of SQL that
    no expert proposed (given by hand, confirmed before) it does not describe experts, and what was said of
    them before holds, unless it said the contrary of that very SQL. An operator's feedback counts for
    everybody, and on another's ASK for those who act as the other did.
    """
    last: dict[tuple[str, str, str, str], Feedback] = {}
    for feedback in sorted(given, key=lambda f: (f.at, f.key)):
        question = normal_question(feedback.question)
        place = feedback.role, feedback.acting_as, feedback.session and "own", question
        before = last.get(place)
        if before is None or _contradicts(feedback, before):
            last[place] = feedback
        elif feedback.experts != _NOBODY:
            # a reading that was called wrong is not proposed again: what was said of its experts holds
            said = json.loads(before.experts) | json.loads(feedback.experts)
            last[place] = replace(feedback, experts=json.dumps(said))
    return [(_for_whom(f), {e: bool(r) for e, r in json.loads(f.experts).items()}) for f in last.values()]


def _contradicts(feedback: Feedback, before: Feedback) -> bool:
    return feedback.sql == before.sql and (feedback.said == "wrong") != (before.said == "wrong")


def _for_whom(feedback: Feedback) -> Who:
    if not feedback.session:
        return "", feedback.acting_as
    return _EVERYBODY if feedback.approved_by else (feedback.role, feedback.acting_as)


def _place(context: AskContext) -> tuple[str, str, str, str]:
    session = context.asker.session
    return context.server, session.database, session.session_user, session.current_user


def _equal(server: str, database: str, role: str, acting_as: str) -> dict[str, str | bool]:
    return {"server": server, "database": database, "role": role, "acting_as": acting_as}


def outcome_key(server: str, database: str, role: str, acting_as: str, question: str) -> str:
    """The key of what became of one role's question: what is said later takes its place."""
    return _digest(server, database, role, acting_as, normal_question(question))


def _digest(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
