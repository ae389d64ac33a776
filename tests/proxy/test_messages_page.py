"""docs/messages.md shows every message of an ASK as psql shows it, produced by a running server.

After a deliberate change: `ASKWIRE_GOLDEN=write pytest tests/proxy/test_messages_page.py`.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import psycopg
import pytest
from doubles.asked import Connection, asked_server
from house.checkout import ROOT
from reference.console_texts import console_texts
from reference.message_scenes import ANSWERS, SCENES, TABLES, Scene
from reference.psql_look import error_lines, notice_lines, table
from servers.running_proxy import OwnDatabase

from askwire.core.errors import BeyondEngine
from askwire.core.types import Candidate
from askwire.planner.expert import ExpertContext
from askwire.proxy.reports import progress

PAGE: Final = ROOT / "docs" / "messages.md"

INTRODUCTION: Final = """\
# Messages

What askwire says, as psql shows it. A test asks each of these on a running server and compares this
page with what it gets. Errors with all their variants are in [errors.md](errors.md).

The database has the tables `orders` (22 shipped, one delayed) and `refunds`. A line that begins
with `=>` is what is sent. Long lines are folded; times are written `‹time›`, durations `‹n›`.
"""


class SceneExpert:
    """Proposes the candidates that a scene gives for a question; a slow one once a notice has come."""

    name = "scripted"

    def __init__(self, answers: Mapping[str, Sequence[Candidate]], told: asyncio.Event) -> None:
        self.answers = answers
        self.told = told

    async def propose(self, planning: ExpertContext) -> Sequence[Candidate]:
        question = planning.question.text
        if question == "a question that takes its time":
            await self.told.wait()
        if question not in self.answers:
            raise BeyondEngine(
                "the question is beyond what the embedded engine understands",
                detail='Words not understood: "why".',
                hint="Ask more plainly, for one thing at a time.",
            )
        return self.answers[question]


def masked(text: str) -> str:
    """What differs from run to run, replaced."""
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", "‹time›", text)
    text = re.sub(r"ASK APPROVE '[0-9a-f]{16}'", "ASK APPROVE '‹key›'", text)
    text = re.sub(r"\d+ ms\b(?! \(probe)", "‹n› ms", text)
    return re.sub(r"\(\d+ s\)", "(‹n› s)", text)


async def sent(connection: Connection, said: list[str], statement: str) -> list[str]:
    """One statement, and what came back: notices, then rows or the error."""
    said.clear()
    lines = [f"=> {line}" if n == 0 else f"   {line}" for n, line in enumerate(statement.splitlines())]
    try:
        cursor = await connection.execute(statement.encode())
    except psycopg.Error as error:
        return [*lines, *said, *error_lines(error)]
    if cursor.description is None:
        return [*lines, *said, cursor.statusmessage or ""]
    names = [column.name for column in cursor.description]
    return [*lines, *said, *table(names, await cursor.fetchall())]


async def played(scene: Scene, database: OwnDatabase) -> str:
    """The text of one scene, on a server of its own."""
    # on a busy machine an ASK may take long enough to say so
    settings: dict[str, Any] = {"progress": "1h", **scene.settings}
    said: list[str] = []
    told = asyncio.Event()

    def hear(notice: psycopg.errors.Diagnostic) -> None:
        said.extend(notice_lines(notice))
        told.set()

    async with asked_server(database, **settings) as server:
        server.experts = (SceneExpert(ANSWERS, told),)
        async with server.connection() as connection:
            connection.add_notice_handler(hear)
            lines: list[str] = []
            for statement in scene.statements:
                lines += [*await sent(connection, said, statement), ""]
    shown = masked("\n".join(lines).rstrip())
    return f"\n### {scene.title}\n\n{scene.meaning}\n\n```text\n{shown}\n```\n"


@pytest.mark.slow
async def test_the_page_shows_what_a_server_says(
    empty_database: OwnDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        progress, "_LOOK_INTERVAL_SECONDS", 3600
    )  # a slow machine would tell of later stages, too
    with empty_database.owner() as direct:
        direct.execute(TABLES)
    for scenes in SCENES.values():
        await played(scenes[0], empty_database)  # what is loaded at its first use counts as an ASK's time
    parts = [INTRODUCTION]
    for heading, scenes in SCENES.items():
        parts += [f"\n## {heading}\n", *[await played(scene, empty_database) for scene in scenes]]
    page = "".join([*parts, console_texts(ROOT)])
    if os.environ.get("ASKWIRE_GOLDEN") == "write":
        PAGE.write_text(page, "utf-8")
    assert PAGE.read_text("utf-8") == page
