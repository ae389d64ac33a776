"""What an operator makes of what others asked: feedback on an ASK of the history, approval of given SQL.

Owns: which ASKs can be judged so, and what follows: what `teaching` does for the asker's own feedback, under
the same rules of who else may see the SQL; and approval of SQL that an asker gave. The asker's catalog is not
at hand here, so whether a reading may serve all sessions of the role is what was found when it was asked; its
SQL passes the gate, and is planned, at the next ASK that uses it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from askwire.core.beside import beside
from askwire.core.errors import NotPossibleHere
from askwire.core.protocols import Store
from askwire.core.records import (
    CONSOLE,
    AskedTrace,
    CalibrationOutcome,
    Demonstration,
    Feedback,
    HistoryEntry,
    Pin,
    Record,
)
from askwire.language.same_question import normal_question
from askwire.proxy.memory.expert_weights import ExpertWeights, outcome_key
from askwire.proxy.memory.pins import Pins, as_json
from askwire.proxy.memory.recollection import clusters
from askwire.proxy.memory.rejections import Rejections
from askwire.proxy.memory.teaching import demonstration_key, digest, judged
from askwire.sql.unasked import unasked
from askwire.store.tables import about_question

Judgement = Literal["chosen", "right", "wrong"]

_STORE_TIMEOUT_SECONDS: Final = 1.0
_MOST_PINS: Final = 100_000
_MOST_FEEDBACK: Final = 5000


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of an ASK under its number; `shared` ones can be judged here."""

    number: int
    sql: str
    reading: str
    shared: bool
    chosen: bool


def readings(kept: Mapping[str, Any]) -> tuple[Reading, ...]:
    """The readings that a report of the history tells of, as ASK CHOOSE counts them."""
    return tuple(
        Reading(number, r["sql"], r["reading"], r["shared"], r["sql"] == kept.get("sql"))
        for number, r in enumerate(kept.get("readings", ()), 1)
    )


class Reviews:
    """Judges ASKs of the history; `wall` tells the time of day."""

    def __init__(
        self,
        store: Store,
        pins: Pins,
        weights: ExpertWeights,
        wall: Callable[[], float],
        rejections: Rejections | None = None,
    ) -> None:
        self._store = store
        self._rejections = rejections or Rejections(store)
        self._pins = pins
        self._weights = weights
        self._wall = wall

    async def judge(self, key: str, said: Judgement, number: int, author: str, *, own: bool = False) -> None:
        """Keep that a reading of an ASK was meant ('chosen'), or that its answer is 'right' or 'wrong'.

        It holds for the role that asked, acting as it did, and takes the place of what was said before.
        `author` is kept as who said it; `own`: that is the role that asked, and it counts as if it had been
        said in the session that asked, for that role alone. Raises NotPossibleHere where that must not be
        judged here, and core.errors.StoreFailed.
        """
        asked = await self._asked(key)
        traces = await self._store.find(AskedTrace, {"key": key}, limit=1, timeout=_STORE_TIMEOUT_SECONDS)
        kept: dict[str, Any] = json.loads(traces[0].report) if traces else {}
        meant = next((r for r in readings(kept) if r.number == number), None)
        if asked.private or meant is None or not meant.shared:
            raise NotPossibleHere(
                "only the session that asked can judge this",
                hint="Use ASK CHOOSE, RIGHT or WRONG there.",
            )
        if said != "chosen" and not meant.chosen:
            raise NotPossibleHere("only the answer can be judged right or wrong")
        await self._say(asked, kept, said, meant.sql, author, own=own)

    async def take_back(self, key: str) -> None:
        """Let feedback on an ASK count no more; nothing happens where there is none."""
        asked = await self._asked(key)
        for feedback in await self._store.find(
            Feedback, {"key": key}, limit=1, timeout=_STORE_TIMEOUT_SECONDS
        ):
            await self._store.keep(
                replace(feedback, undone=True),
                (CalibrationOutcome, _outcome(asked)),
                *((Demonstration, key) for key in _confirmed(asked)),
            )
            await self._rejections.taken_back(replace(feedback, role=asked.role))
            await self._weights.weigh(asked.server, asked.database)

    async def given(self, key: str) -> Feedback:
        """The feedback of that key, which gives SQL instead of an answer; raises NotPossibleHere."""
        found = await self._store.find(Feedback, {"key": key}, limit=1, timeout=_STORE_TIMEOUT_SECONDS)
        if not found or not found[0].right_sql or found[0].undone:
            raise NotPossibleHere(
                "there is no SQL under that key",
                hint="SELECT key, question, right_sql FROM ask.feedback WHERE right_sql IS NOT NULL.",
            )
        return found[0]

    async def waiting(self, most: int) -> Sequence[Feedback]:
        """Feedback whose SQL no one has approved, the latest first; what its author repeats stands once."""
        place: dict[str, str | bool] = {"approved_by": "", "undone": False}
        found = await self._store.find(Feedback, place, limit=_MOST_FEEDBACK, timeout=_STORE_TIMEOUT_SECONDS)
        given: dict[tuple[str, ...], Feedback] = {}
        for feedback in found:
            if feedback.right_sql:
                given.setdefault(_gift(feedback), feedback)
        return list(given.values())[:most]

    async def approve(self, key: str, author: str) -> Feedback:
        """Let the SQL that somebody gave answer its question for everybody, and count what it says for all.

        It takes the place of pins of the question; a role's own confirmed SQL comes before it. `author` is
        the operator. All that its author said when giving it, and of it since, is approved with it. Raises
        NotPossibleHere where there is none, or it would be wrong tomorrow, and core.errors.StoreFailed.
        """
        feedback = await self.given(key)
        if (await beside(unasked, feedback.right_sql, feedback.question)).dated:
            raise NotPossibleHere(
                "this SQL holds a date that the question does not name",
                hint="It would be wrong on another day. ASK WRONG with SQL that works with current_date.",
            )
        same = [f for f in await self._given_for(feedback) if _gift(f) == _gift(feedback) and not f.undone]
        approved = [replace(f, approved_by=author) for f in same]
        await self._store.keep(*approved, self._shared(feedback, author))
        await self._end_pins(_place(feedback), feedback.question)
        await self._weights.weigh(feedback.server, feedback.database)
        return feedback

    async def withdrawn(self, key: str) -> bool:
        """Take an approval back: the SQL is its author's session's again. False where there is none.

        What else was approved for the question, the latest given, serves everybody in its place. Raises
        core.errors.StoreFailed.
        """
        found = await self._store.find(Feedback, {"key": key}, limit=1, timeout=_STORE_TIMEOUT_SECONDS)
        if not found or not found[0].right_sql or not found[0].approved_by:
            return False
        feedback = found[0]
        approved = [f for f in await self._given_for(feedback) if f.approved_by]
        same = [f for f in approved if _gift(f) == _gift(feedback)]
        # an operator's own SQL serves by that operator's word
        others = [f for f in approved if f not in same and f.approved_by != f.role]
        changes: list[Record | tuple[type[Record], str]] = [replace(f, approved_by="") for f in same]
        serving = [
            d
            for key in _approved(feedback)
            for d in await self._store.find(
                Demonstration, {"key": key}, limit=1, timeout=_STORE_TIMEOUT_SECONDS
            )
        ]
        if not others:
            changes += ((Demonstration, key) for key in _approved(feedback))
        elif not serving or serving[0].sql not in {f.right_sql for f in others}:
            changes.append(self._shared(others[0], others[0].approved_by))
        await self._store.keep(*changes)
        await self._end_pins(_place(feedback), feedback.question)
        await self._weights.weigh(feedback.server, feedback.database)
        return True

    async def _given_for(self, feedback: Feedback) -> list[Feedback]:
        """All feedback on the question of one that gives SQL, the latest first."""
        found = await self._store.find(
            Feedback,
            _place(feedback),
            about=about_question(feedback.server, feedback.database, feedback.question),
            limit=_MOST_FEEDBACK,
            timeout=_STORE_TIMEOUT_SECONDS,
        )
        return [f for f in found if f.right_sql]

    def _shared(self, feedback: Feedback, author: str) -> Demonstration:
        """What somebody gave as everybody's answer, approved by `author`."""
        # under this name it is found for prompts, no matter who was logged in there
        by = CONSOLE if author.startswith(CONSOLE) else author
        place = (feedback.server, feedback.database)
        sql = feedback.right_sql
        return Demonstration(_approved(feedback)[0], self._wall(), "", *place, feedback.question, sql, by)

    async def _asked(self, key: str) -> HistoryEntry:
        found = await self._store.find(HistoryEntry, {"key": key}, limit=1, timeout=_STORE_TIMEOUT_SECONDS)
        if not found:
            raise NotPossibleHere("the history does not hold this ASK any more")
        return found[0]

    async def _say(
        self,
        asked: HistoryEntry,
        kept: Mapping[str, Any],
        said: Judgement,
        sql: str,
        author: str,
        *,
        own: bool,
    ) -> None:
        now = self._wall()
        proposals = [cluster.verdicts for cluster in clusters(kept)]
        changes: list[Record | tuple[type[Record], str]] = [
            Feedback(
                key=asked.key,
                at=now,
                session=asked.session if own else "",
                role=author,
                acting_as=asked.acting_as,
                server=asked.server,
                database=asked.database,
                asked=asked.key,
                question=asked.question,
                said=said,
                sql=sql,
                experts=as_json(judged(proposals, sql, right=said != "wrong")),
                confidence=asked.confidence,
            )
        ]
        if asked.confidence is not None and asked.sql:
            right = said == "right" or (said == "chosen" and sql == kept.get("sql"))
            place = (author, asked.server, asked.database)
            outcome = CalibrationOutcome(_outcome(asked), now, *place, asked.confidence, right)
            acting_as = asked.acting_as if own else ""
            changes.append(replace(outcome, confident=True, acting_as=acting_as))
        current, former = _confirmed(asked)
        if said == "wrong":
            changes += ((Demonstration, current), (Demonstration, former))
        else:
            place = (asked.acting_as, asked.server, asked.database)
            # deleted first: of a question that is in its normal form both are one key
            changes += (
                (Demonstration, former),
                Demonstration(current, now, *place, asked.question, sql),
            )
        await self._store.keep(*changes)
        await self._rejections.noted_elsewhere(asked, sql, wrong=said == "wrong")
        # the next ASK looks for what was confirmed, and checks it
        await self._unpin(asked)
        await self._weights.weigh(asked.server, asked.database)

    async def _unpin(self, asked: HistoryEntry) -> None:
        mine: dict[str, str | bool] = {
            "server": asked.server,
            "database": asked.database,
            "role": asked.role,
            "acting_as": asked.acting_as,
        }
        await self._end_pins(mine, asked.question)

    async def _end_pins(self, equal: Mapping[str, str | bool], question: str) -> None:
        meant = normal_question(question)
        for pin in await self._store.find(Pin, equal, limit=_MOST_PINS, timeout=_STORE_TIMEOUT_SECONDS):
            if normal_question(pin.question) == meant:
                self._pins.end(pin.key)


def _outcome(asked: HistoryEntry) -> str:
    return outcome_key(asked.server, asked.database, asked.role, asked.acting_as, asked.question)


def _place(feedback: Feedback) -> dict[str, str | bool]:
    """What everybody's records of its database are equal to."""
    return {"server": feedback.server, "database": feedback.database}


def _gift(feedback: Feedback) -> tuple[str, ...]:
    """What one author gave for a question, however often it was said."""
    author = (feedback.role, feedback.acting_as)
    question = normal_question(feedback.question)
    return (feedback.server, feedback.database, *author, question, feedback.right_sql)


def _approved(feedback: Feedback) -> tuple[str, str]:
    """The key of what was approved, no role's own, so that none can take it back; and the former one."""
    return _keys(feedback.server, feedback.database, "", feedback.question)


def _confirmed(asked: HistoryEntry) -> tuple[str, str]:
    """The key under which `teaching` keeps what is confirmed for a question, and the former one."""
    return _keys(asked.server, asked.database, asked.acting_as, asked.question)


def _keys(server: str, database: str, role: str, question: str) -> tuple[str, str]:
    """Earlier versions kept a question under its text as it was written."""
    return demonstration_key(server, database, role, question), digest(server, database, role, question)
