"""A Resolver that does what a test wrote, in the place of the pipeline.

By default every ASK reads one row in a batch on the asker's connection, as the pipeline does, and resolves
to `answer`. A test may script single questions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from askwire.core.settings import Settings, load
from askwire.core.types import Row
from askwire.proxy.asking.inquiry import Inquiry, Lesson, Look, Notice, Resolution
from askwire.proxy.session.limits import Caps

ANSWER = "SELECT 42 AS answer"

Script = Callable[[Inquiry], Awaitable[Resolution | str | None]]


class ScriptedResolver:
    """`proxy.asking.Resolver` by script; `asked` lists the questions in order."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or load()
        self.initial_caps = Caps(
            timeout_ms=30_000, longest_ms=0, lock_timeout_ms=1000, max_rows=100, max_bytes=1 << 20
        )
        self.answer = ANSWER
        self.notices: tuple[Notice, ...] = ()
        self.asked: list[str] = []
        self._scripts: dict[str, Script] = {}

    def on(self, question: str, script: Script) -> None:
        """What to do for one question; a result that is None means the usual answer."""
        self._scripts[question] = script

    def fails(self, question: str, error: Exception) -> None:
        """Raise an error for one question, after the usual probe."""

        async def script(inquiry: Inquiry) -> None:
            await probe(inquiry)
            raise error

        self.on(question, script)

    def waits(self, question: str) -> Gate:
        """Think about one question outside a batch until the gate is opened."""
        gate = Gate()

        async def script(inquiry: Inquiry) -> None:
            await probe(inquiry)
            await gate.wait()

        self.on(question, script)
        return gate

    def sleeps(self, question: str) -> None:
        """Answer one question with a probe that takes a minute: `pg_sleep(60)`."""

        async def script(inquiry: Inquiry) -> None:
            async with inquiry.executor.batch() as batch:
                await batch.read("SELECT pg_sleep(60)", timeout_ms=90_000)

        self.on(question, script)

    async def resolve(self, inquiry: Inquiry) -> Resolution:
        """SQL for one ASK."""
        self.asked.append(inquiry.site.question)
        script = self._scripts.get(inquiry.site.question, _usual)
        resolved = await script(inquiry)
        if isinstance(resolved, Resolution):
            return resolved
        return Resolution(resolved or self.answer, self.notices)

    async def teach(self, lesson: Lesson) -> Resolution:
        """Say which command came."""
        async with lesson.executor.batch() as batch:
            await batch.read("SELECT pg_catalog.version()")
        return Resolution(f"SELECT '{lesson.command.kind}' AS taught")

    async def state(self, look: Look) -> Mapping[str, str]:
        """One row that says which relation it is."""
        return {name: f"(SELECT '{name}'::text AS relation)" for name in look.relations}


class Gate:
    """A place in a script: the test knows when it was reached, and lets it go on."""

    def __init__(self) -> None:
        self._reached = asyncio.Event()
        self._open = asyncio.Event()

    async def wait(self) -> None:
        """Called by the script."""
        self._reached.set()
        await self._open.wait()

    async def reached(self) -> None:
        """Wait until the script has come to the gate."""
        await asyncio.wait_for(self._reached.wait(), 20)

    def open(self) -> None:
        """Let the script go on."""
        self._open.set()


async def probe(inquiry: Inquiry, sql: str = "SELECT pg_catalog.version()") -> tuple[Row, ...]:
    """Run one statement in a batch of its own."""
    async with inquiry.executor.batch() as batch:
        return (await batch.read(sql)).rows


async def _usual(inquiry: Inquiry) -> None:
    await probe(inquiry)
