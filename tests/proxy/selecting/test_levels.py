"""How much a session is shown, through the wire: each level of `notices`, and progress beside them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest
from data.pets import DOGS
from doubles.asked import AskedServer, asked_server, listen, rows
from doubles.scripted_expert import ScriptedExpert
from servers.running_proxy import OwnDatabase

from askwire.core.types import Candidate
from askwire.planner.expert import ExpertContext


@pytest.fixture
async def asked(pets: OwnDatabase) -> AsyncIterator[AskedServer]:
    async with asked_server(pets) as running:
        running.expert.answers("every dog", DOGS)
        yield running


@pytest.mark.parametrize(
    ("level", "lines"), [("off", None), ("false", None), ("brief", 0), ("full", 2), ("on", 2), ("true", 2)]
)
async def test_how_much_is_told_is_the_session_s_choice(
    asked: AskedServer, level: str, lines: int | None
) -> None:
    async with asked.connection() as connection:
        told = listen(connection)
        await connection.execute(f"SET askwire.notices = {level}")
        for _ in range(2):  # worked out, and pinned
            assert await rows(connection, "ASK 'every dog'") == [("Ada",), ("Rex",)]
    # a pinned answer says besides since when
    wanted = [] if lines is None else [lines, lines + (lines > 0)]
    assert [len(detail.splitlines()) for _, detail, _ in told] == wanted
    assert all(message.startswith("askwire: ") for message, _, _ in told)


class Slow(ScriptedExpert):
    """Proposes once the asker has heard something."""

    def __init__(self, heard: asyncio.Event) -> None:
        super().__init__()
        self.heard = heard
        self.answers("every dog", DOGS)

    async def propose(self, planning: ExpertContext) -> Sequence[Candidate]:
        async with asyncio.timeout(20):
            await self.heard.wait()
        return await super().propose(planning)


@pytest.mark.parametrize(
    ("setting", "hears"), [("notices = off", True), ("notices = brief", True), ("progress = off", False)]
)
async def test_progress_is_told_whatever_the_notices(asked: AskedServer, setting: str, hears: bool) -> None:
    async with asked.connection() as connection:
        told, heard = listen(connection), asyncio.Event()
        connection.add_notice_handler(lambda _: heard.set())
        if not hears:
            heard.set()
        asked.experts = (Slow(heard),)
        await connection.execute("SET askwire.progress = '1ms'")
        await connection.execute(f"SET askwire.{setting}")
        assert await rows(connection, "ASK 'every dog'") == [("Ada",), ("Rex",)]
    working = [message for message, *_ in told if "of the question (" in message]
    assert bool(working) == hears
