"""Reviews as trying candidates needs them: side by side, ended when their share of the time is spent.

Owns: when no one waits any longer. No batch is open meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from askwire.core.beside import on_loop
from askwire.core.types import Check, Question, ResultSet
from askwire.verifier.review.reviewer import Reviewer


@dataclass(frozen=True)
class Reviews:
    """One reviewer at work on one question; `left` says how many seconds there are, None: no end."""

    reviewer: Reviewer
    question: Question
    left: Callable[[], float | None]

    async def before(self, texts: Iterable[str]) -> dict[str, tuple[Check, ...]]:
        """The opinions of texts that have not run, each once."""
        return await self._all({sql: partial(self.reviewer.before, self.question, sql) for sql in texts})

    async def after(self, answers: Mapping[str, ResultSet]) -> dict[str, tuple[Check, ...]]:
        """The opinions of answers, by their text."""
        return await self._all(
            {sql: partial(self.reviewer.after, self.question, sql, found) for sql, found in answers.items()}
        )

    async def _all(
        self, asked: Mapping[str, Callable[[], Awaitable[tuple[Check, ...]]]]
    ) -> dict[str, tuple[Check, ...]]:
        """What has come in time; the rest is ended."""
        return await on_loop(self._in_time(asked))

    async def _in_time(
        self, asked: Mapping[str, Callable[[], Awaitable[tuple[Check, ...]]]]
    ) -> dict[str, tuple[Check, ...]]:
        found: dict[str, tuple[Check, ...]] = {}

        async def one(sql: str, ask: Callable[[], Awaitable[tuple[Check, ...]]]) -> None:
            found[sql] = await ask()

        with suppress(TimeoutError):
            async with asyncio.timeout(self.left()), asyncio.TaskGroup() as group:
                for sql, ask in asked.items():
                    group.create_task(one(sql, ask))
        return found
