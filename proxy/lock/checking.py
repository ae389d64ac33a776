"""A lock held against the database: what its questions stand for now, and what of it is a finding.

Owns: when an answer counts as changed.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from askwire.proxy.lock.locked import AGREES, DIFFERS, LockedAnswer, Rival
from askwire.proxy.lock.questions import LockQuestion
from askwire.sql.canonical.query_form import query_form

_DATE: Final = re.compile(r"'\d{4}-\d\d-\d\d(?:[ T][\d:.+-]*)?'")
_DAY_PLACEHOLDER: Final = "'(a day)'"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is no longer as it was locked: `what` in a sentence, `shown` in lines."""

    question: str
    what: str
    shown: tuple[str, ...] = ()


class Answerer(Protocol):
    """Who asks; `proxy.lock.answering.Answering`."""

    today: str

    async def lock(self, asked: LockQuestion) -> LockedAnswer:
        """What a question stands for now."""

    async def apart(self, first: str, second: str) -> Rival:
        """The second query as a rival of the first."""

    async def compiles(self, sql: str) -> str:
        """What speaks against a query now; '' if nothing."""


async def findings(locked: LockedAnswer, asking: Answerer) -> list[Finding]:
    """What has changed about one question since it was locked; raises core.errors.AskError as `lock` does."""
    question = locked.asked.question
    now = await asking.lock(locked.asked)
    if locked.sqlstate or now.sqlstate:
        if locked.sqlstate == now.sqlstate:
            return []
        was = f"refused with {locked.sqlstate}" if locked.sqlstate else "answered"
        told = f"refused with {now.sqlstate}: {now.message}" if now.sqlstate else "answered"
        return [
            Finding(question, f"it was {was}, and is {told} now", tuple(_difference(locked.sql, now.sql)))
        ]
    found = []
    if _compared(locked, asking.today) != _compared(now, asking.today):
        against = await asking.compiles(locked.sql)
        what = "it stands for other SQL now"
        if against:
            what += f"; what was locked no longer works: {against}"
        found.append(Finding(question, what, tuple(_difference(locked.sql, now.sql))))
    for rival in locked.rivals:
        if rival.state == DIFFERS:
            continue
        today = await asking.apart(locked.sql, rival.sql)
        if today.state == DIFFERS and not today.made_up:
            agreed = "agreed with" if rival.state == AGREES else "was not told apart from"
            found.append(
                Finding(
                    question,
                    f"a rejected reading that {agreed} the chosen one now differs from it: {rival.reading}",
                    (
                        *_quoted(rival.sql),
                        "on these rows (1 is the chosen reading, 2 the other):",
                        *today.rows,
                    ),
                )
            )
    return found


def unlocked(asked: Sequence[LockQuestion], locked: Sequence[LockedAnswer]) -> list[Finding]:
    """Questions of a file that the lock does not hold, and those of the lock that the file does not ask."""
    held = {one.asked for one in locked}
    missing = [Finding(one.question, "it is not in the lock") for one in asked if one not in held]
    wanted = set(asked)
    stale = [
        Finding(one.asked.question, "it is in the lock, but not among the questions")
        for one in locked
        if one.asked not in wanted
    ]
    return missing + stale


def _compared(locked: LockedAnswer, today: str) -> str:
    """SQL as it is compared: in one spelling, and without its days where they follow from today's."""
    sql = query_form(locked.sql)
    return _DATE.sub(_DAY_PLACEHOLDER, sql) if locked.today else sql


def _difference(was: str, now: str) -> list[str]:
    told = difflib.unified_diff(was.splitlines(), now.splitlines(), "locked", "now", lineterm="", n=99)
    return [line for line in told if not line.startswith("@@")]


def _quoted(sql: str) -> list[str]:
    return [f"    {line}" for line in sql.splitlines()]
