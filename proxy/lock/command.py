"""The command `lock`: writing a lock, and holding one against the database.

Owns: the order of things, what is printed, the exit status.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from askwire.core.errors import AskError, ConfigurationError, DatabaseFailed
from askwire.core.settings.memory import HISTORY, PINS
from askwire.core.settings.table import BACKEND
from askwire.proxy.config_file import read_experts, read_settings
from askwire.proxy.lock import locked as lock_file
from askwire.proxy.lock.checking import Finding, findings, unlocked
from askwire.proxy.lock.locked import AGREES, DIFFERS, TIES, UNDECIDED, Lock, LockedAnswer, Setting
from askwire.proxy.lock.questions import LockQuestion, read_questions
from askwire.proxy.session.statements.own_connection import hint_where_unnamed, read_target
from askwire.sql.literals import quote_identifier

if TYPE_CHECKING:
    from askwire.proxy.lock.answering import AnswerSession

AS_LOCKED: Final = 0
CHANGED: Final = 1

_CONNECTION_NOT_ESTABLISHED: Final = "08001"

DEFAULT_FILE: Final = Path("askwire.lock")

T = TypeVar("T")

_STATE_WORDS: Final = {
    DIFFERS: "differ",
    AGREES: "agree today",
    TIES: "differ by ties",
    UNDECIDED: "not compared",
}


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asked for; `questions` None stands for those of the lock in `file`."""

    dsn: str
    questions: Path | None
    file: Path = DEFAULT_FILE
    check: bool = False
    config: Path | None = None
    search_path: str = ""
    rows: bool = True


def run(request: Request) -> tuple[str, int]:
    """What to print, and the exit status: AS_LOCKED, or CHANGED when a check has findings.

    Raises ConfigurationError for files that cannot be used, DatabaseFailed for a database that cannot be
    reached, AskError for a question that could not be asked (no expert, no time).
    """
    if request.check:
        return asyncio.run(_check(request))
    return asyncio.run(_write(request))


async def _write(request: Request) -> tuple[str, int]:
    if request.questions is None:
        raise ConfigurationError("no questions are named", hint="Give a file with one question a line.")
    asked = read_questions(request.questions)
    async with _asking(request, request.search_path) as asking:
        held = [await _named(asking.lock(one), one, n, len(asked)) for n, one in enumerate(asked, 1)]
        setting = asking.setting
    if not request.rows:
        held = [replace(one, rivals=tuple(replace(r, rows=()) for r in one.rivals)) for one in held]
    lock_file.write(Lock(setting, tuple(held)), request.file)
    refused = sum(1 for one in held if one.sqlstate)
    last = f"{request.file}: {_questions(len(held))}"
    if refused:
        last += f", of which {refused} refused"
    return _lines([*map(_summary, held), last]), AS_LOCKED


async def _check(request: Request) -> tuple[str, int]:
    lock = lock_file.read(request.file)
    found: list[Finding] = []
    held = lock.questions
    if request.questions:
        asked = read_questions(request.questions)
        found = unlocked(asked, held)
        held = tuple(one for one in held if one.asked in asked)
    path = request.search_path or ", ".join(map(quote_identifier, lock.setting.search_path))
    async with _asking(request, path) as asking:
        for number, one in enumerate(held, 1):
            found += await _named(findings(one, asking), one.asked, number, len(held))
        notes = _notes(lock.setting, asking.setting)
    verdict = f"{len(found)} findings" if len(found) > 1 else "1 finding" if found else "all as locked"
    last = f"{request.file}: {_questions(len(held))}, {verdict}"
    return _lines([*map(_told, found), *notes, last]), CHANGED if found else AS_LOCKED


def _asking(request: Request, search_path: str) -> AbstractAsyncContextManager[AnswerSession]:
    """A session as the configuration has it, in which nothing is remembered."""
    given = {HISTORY.name: "off", PINS.name: "off"}
    if request.dsn:
        given[BACKEND.name] = request.dsn
    settings = read_settings(request.config, os.environ, given)
    target = read_target(settings[BACKEND], os.environ)
    unreached = hint_where_unnamed(settings[BACKEND], os.environ)
    experts = read_experts(request.config, os.environ)
    from askwire.proxy.lock.answering import answering  # noqa: PLC0415 - loads all that answers questions

    return _named_or_told(answering(target, settings, experts, search_path), unreached)


@asynccontextmanager
async def _named_or_told(
    asking: AbstractAsyncContextManager[AnswerSession], unreached: str
) -> AsyncIterator[AnswerSession]:
    """The same session; `unreached` is the hint where there is no server."""
    try:
        async with asking as answers:
            yield answers
    except DatabaseFailed as failed:
        if failed.code == _CONNECTION_NOT_ESTABLISHED:
            failed.hint = failed.hint or unreached
        raise


async def _named(working: Awaitable[T], asked: LockQuestion, number: int, count: int) -> T:
    """What was worked on, with its question named on a terminal, and in errors."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{number}/{count} {asked.question[:60]}")
        sys.stderr.flush()
    try:
        return await working
    except AskError as error:
        raise ConfigurationError(
            f"the question {asked.question!r} could not be asked: {error.message}", hint=error.hint
        ) from None
    finally:
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")


def _summary(one: LockedAnswer) -> str:
    """One line for a question that was locked."""
    if one.sqlstate:
        return f"{one.sqlstate}  {one.asked.question}: {one.message}"
    states = Counter(rival.state for rival in one.rivals)
    told = ", ".join(f"{states[state]} {word}" for state, word in _STATE_WORDS.items() if states[state])
    rivals = f"  (other readings: {told})" if told else ""
    return f"locked {one.asked.question}: {one.reading}{rivals}"


def _told(finding: Finding) -> str:
    return "\n".join(
        (f"{finding.question}", f"  {finding.what}", *(f"    {line}" for line in finding.shown), "")
    )


def _notes(was: Setting, now: Setting) -> list[str]:
    """What else is different; none of it is a finding."""
    notes = []
    if was.fingerprint != now.fingerprint:
        notes.append("The schema has changed since the lock was written.")
    if was.experts != now.experts:
        notes.append(
            f"LockedAnswer with the experts {', '.join(was.experts)}; checked with {', '.join(now.experts)}."
        )
    if was.role != now.role:
        notes.append(f"LockedAnswer as role {was.role}, checked as {now.role}.")
    return notes


def _questions(count: int) -> str:
    return "1 question" if count == 1 else f"{count} questions"


def _lines(parts: Sequence[str]) -> str:
    return "\n".join(parts) + "\n"
