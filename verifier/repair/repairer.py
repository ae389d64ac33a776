"""The seam through which somebody who thinks repairs a candidate, and a double that has its answers ready.

Owns: what a repairer is shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from askwire.core.types import Question
from askwire.verifier.repair.taxonomy import HINTS, Trouble


@dataclass(frozen=True, slots=True)
class Request:
    """One candidate that needs repair.

    `proposed` is the candidate's own text, `sql` the one that was tried, `trouble` the class of what is wrong
    with it, `message` the backend's words ('' when it ran), `violations` what the failed checks ask for,
    `attempts` earlier texts that failed, oldest first. `grounding` is what is known of
    the data: values as they are spelled, columns that matter.
    """

    question: Question
    sql: str
    trouble: Trouble
    message: str = ""
    violations: tuple[str, ...] = ()
    attempts: tuple[str, ...] = ()
    grounding: tuple[str, ...] = ()
    proposed: str = ""

    @property
    def hint(self) -> str:
        """What helps with this class of failure."""
        return HINTS[self.trouble]


class Repairer(Protocol):
    """One who writes SQL again when it failed or breaks what the question demands."""

    @property
    def name(self) -> str:
        """The name shown in the trace."""

    async def repair(self, request: Request) -> str | None:
        """New SQL, or None to give up. It is gated and tried as any candidate is."""


class ScriptedRepairer:
    """`Repairer` that gives its answers in order, then gives up; it keeps the requests."""

    name = "scripted"

    def __init__(self, answers: Iterable[str | None]) -> None:
        self._answers = iter(answers)
        self.requests: list[Request] = []

    async def repair(self, request: Request) -> str | None:
        """The next answer."""
        self.requests.append(request)
        return next(self._answers, None)
