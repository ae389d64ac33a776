"""What judges have ruled on each role's questions: a judge that guesses is not heard again after a restart.

Owns: these records, one for each duel that was decided, and the latest of a role and judge in memory. Each
process adds its own, so none replaces what another learnt. A ruling holds no text: digests tell
which feedback is about its two readings. Of an ASK that is private, or of a session without history, the
store gets no digests: feedback then changes the ruling in the process that has it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from askwire.core.errors import StoreFailed
from askwire.core.protocols import Change, Store
from askwire.core.records import JudgeRuling
from askwire.core.settings.memory import HISTORY
from askwire.proxy.asking.context import AskContext
from askwire.proxy.memory.privacy import Audience, audience, secured
from askwire.selector.judge import Ruling
from askwire.selector.tournament import Duel
from askwire.store.retention import MAX_RULINGS
from askwire.store.tables import reading_digest

Outcomes = Mapping[str, bool | None]
"""Of statements, by `reading_digest`: whether they were right; None: not known."""

MAX_JUDGES_IN_MEMORY: Final = 100
"""Roles and judges whose rulings are in memory, the latest asked for: some 0.8 MB each."""
_STORE_TIMEOUT_SECONDS: Final = 0.25
_WHO: Final = ("server", "database", "role", "acting_as", "judge")


def with_outcome(ruling: JudgeRuling, outcomes: Outcomes) -> JudgeRuling:
    """The ruling as it counts in full, where somebody said which of the two was right; else as it is.

    Of two that were both wrong nothing is known.
    """
    favourite, rival = outcomes.get(ruling.favourite), outcomes.get(ruling.rival)
    if favourite is rival:
        return ruling
    right = favourite if favourite is not None else not rival
    return replace(ruling, prior=float(right), counts=1.0)


@dataclass
class _Known:
    """Rulings by their keys, the oldest first; those of the store as they were at doubt number `read`."""

    rulings: dict[str, JudgeRuling] = field(default_factory=dict)
    doubts: int = 1
    read: int = 0


@dataclass(frozen=True)
class PastRulings:
    """What a judge has ruled for a role so far, and where it is kept what it rules on one ASK."""

    _known: _Known
    _keep: Callable[[Duel], None]

    def __iter__(self) -> Iterator[JudgeRuling]:
        """The latest of all processes that share the store, the oldest of them first; on the loop."""
        return iter(self._known.rulings.values())

    def add(self, duel: Duel) -> None:
        """Keep a ruling; a draw tells nothing of its judge. From any thread."""
        if duel.ruling is not Ruling.DRAW:
            self._keep(duel)


class JudgeRulings:
    """Rulings over one store; `wall` tells the time of day."""

    def __init__(self, store: Store, wall: Callable[[], float]) -> None:
        self._store = store
        self._wall = wall
        self._seen: OrderedDict[tuple[str, ...], _Known] = OrderedDict()

    async def of(self, context: AskContext, judge: str) -> PastRulings:
        """Those of `judge` (its name and model) on the role's questions.

        The store is read where it may hold others than are known. While it cannot be, the known ones count.
        """
        session = context.asker.session
        who = context.server, session.database, session.session_user, session.current_user, judge
        known = self._seen.setdefault(who, _Known())
        self._seen.move_to_end(who)
        if len(self._seen) > MAX_JUDGES_IN_MEMORY:
            self._seen.popitem(last=False)
        if known.read != known.doubts:
            await self._read(who, known)
        loop = asyncio.get_running_loop()

        def keep(duel: Duel) -> None:
            # duels are held beside the loop
            private = _private(context, duel)
            loop.call_soon_threadsafe(self._add, known, self._ruling(who, context.question, duel), private)

        return PastRulings(known, keep)

    async def _read(self, who: tuple[str, ...], known: _Known) -> None:
        doubts = known.doubts
        equal: dict[str, str | bool] = dict(zip(_WHO, who, strict=True))
        try:
            found = await self._store.find(
                JudgeRuling, equal, limit=MAX_RULINGS, timeout=_STORE_TIMEOUT_SECONDS
            )
        except StoreFailed:
            return
        # the own ones with their digests, and those that the store has lost
        both = {one.key: one for one in found} | known.rulings
        latest = sorted(both.values(), key=lambda one: one.at)[-MAX_RULINGS:]
        known.rulings = {one.key: one for one in latest}
        known.read = doubts

    def _ruling(self, who: tuple[str, ...], question: str, duel: Duel) -> JudgeRuling:
        server, database, role, acting_as, judge = who
        favourite, rival = (reading_digest(question, sql) for sql in duel.between)
        return JudgeRuling(
            *(secrets.token_hex(16), self._wall(), role, server, database, acting_as, judge),
            *(duel.favourite, duel.ruling is Ruling.FIRST, duel.counts, favourite, rival),
        )

    def _add(self, known: _Known, ruling: JudgeRuling, private: bool) -> None:
        known.rulings[ruling.key] = ruling
        if len(known.rulings) > MAX_RULINGS:
            del known.rulings[next(iter(known.rulings))]
        self._store.put(replace(ruling, favourite="", rival="") if private else ruling)

    def heard(self, change: Change) -> None:
        """Take in what another process changed; one without a kind may be anything."""
        place = change.server, change.database, change.role
        for who, known in self._seen.items():
            if change.kind is None or who[: len(place)] == place:
                known.doubts += 1
                if change.gone:
                    known.rulings.pop(change.key, None)


def _private(context: AskContext, duel: Duel) -> bool:
    """Whether history does not keep the text of both readings."""
    if secured(context.catalog) or not context.asker.settings[HISTORY]:
        return True
    return any(audience(sql, context.asked, context.catalog) is Audience.ASK for sql in duel.between)
