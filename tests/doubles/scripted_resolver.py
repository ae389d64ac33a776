"""A Resolver that does what a test wrote, instead of the pipeline.

By default every ASK reads one row in a batch on the asker's connection, as the pipeline does, and resolves
to `answer`. A test may script single questions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from askwire.core.settings.table import Settings, load
from askwire.core.types import Row
from askwire.proxy.asking.requests import AskRequest, FeedbackRequest, Notice, Recheck, Rewrite, StateQuery
from askwire.proxy.session.statements.limits import Caps

ANSWER = "SELECT 42 AS answer"

Script = Callable[[AskRequest], Awaitable[Rewrite | str | None]]


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
        self.rechecked: list[str] = []
        self.refuses: Exception | None = None
        self._scripts: dict[str, Script] = {}

    def on(self, question: str, script: Script) -> None:
        """What to do for one question; a result that is None means the usual answer."""
        self._scripts[question] = script

    def fails(self, question: str, error: Exception) -> None:
        """Raise an error for one question, after the usual probe."""

        async def script(request: AskRequest) -> None:
            await probe(request)
            raise error

        self.on(question, script)

    def waits(self, question: str) -> Gate:
        """Think about one question outside a batch until the gate is opened."""
        gate = Gate()

        async def script(request: AskRequest) -> None:
            await probe(request)
            await gate.wait()

        self.on(question, script)
        return gate

    def sleeps(self, question: str) -> None:
        """Answer one question with a probe that takes a minute: `pg_sleep(60)`."""

        async def script(request: AskRequest) -> None:
            async with request.executor.batch() as batch:
                await batch.read("SELECT pg_sleep(60)", timeout_ms=90_000)

        self.on(question, script)

    async def resolve(self, request: AskRequest) -> Rewrite:
        """SQL for one ASK."""
        self.asked.append(request.site.question)
        script = self._scripts.get(request.site.question, _usual)
        resolved = await script(request)
        if isinstance(resolved, Rewrite):
            return resolved
        return Rewrite(resolved or self.answer, self.notices)

    async def recheck(self, prepared: Recheck) -> None:
        """Raise what a test has put into `refuses`."""
        self.rechecked += prepared.statements
        if self.refuses is not None:
            raise self.refuses

    async def teach(self, request: FeedbackRequest) -> Rewrite:
        """Say which command came."""
        async with request.executor.batch() as batch:
            await batch.read("SELECT pg_catalog.version()")
        return Rewrite(f"SELECT '{request.command.kind}' AS taught")

    async def state(self, query: StateQuery) -> Mapping[str, str]:
        """One row that says which relation it is."""
        return {name: f"(SELECT '{name}'::text AS relation)" for name in query.relations}


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
        async with asyncio.timeout(20):
            await self._reached.wait()

    def open(self) -> None:
        """Let the script go on."""
        self._open.set()


async def probe(request: AskRequest, sql: str = "SELECT pg_catalog.version()") -> tuple[Row, ...]:
    """Run one statement in a batch of its own."""
    async with request.executor.batch() as batch:
        return (await batch.read(sql)).rows


async def _usual(request: AskRequest) -> None:
    await probe(request)
