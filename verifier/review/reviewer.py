"""The seam through which somebody gives an opinion of a candidate, and a double that has its own ready."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from askwire.core.types import Check, Question, ResultSet


class Reviewer(Protocol):
    """One who looks at SQL before it runs, and at its answer. Checks are named like the strategy."""

    async def before(self, question: Question, sql: str) -> tuple[Check, ...]:
        """What is thought of a text that parses; nothing where no one can say. Raises nothing of its own."""

    async def after(self, question: Question, sql: str, result: ResultSet) -> tuple[Check, ...]:
        """What is thought of an answer, likewise."""


class ScriptedReviewer:
    """`Reviewer` that finds fault with texts it knows, and with nothing else; it keeps what it was shown."""

    def __init__(self, before: Mapping[str, Check], after: Mapping[str, Check] | None = None) -> None:
        self._before = before
        self._after = after or {}
        self.seen: list[tuple[str, str]] = []

    async def before(self, question: Question, sql: str) -> tuple[Check, ...]:
        """The check for this text, if there is one."""
        self.seen.append(("before", sql))
        return (self._before[sql],) if sql in self._before else ()

    async def after(self, question: Question, sql: str, result: ResultSet) -> tuple[Check, ...]:
        """The check for this text's answer, if there is one."""
        self.seen.append(("after", sql))
        return (self._after[sql],) if sql in self._after else ()
