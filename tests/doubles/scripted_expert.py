"""An Expert that proposes what a test wrote, instead of the embedded engine."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from askwire.core.errors import BeyondEngine
from askwire.core.types import Candidate
from askwire.planner.expert import ExpertContext

Script = Callable[[ExpertContext], Awaitable[Sequence[str]]]


class ScriptedExpert:
    """Proposes the SQL texts scripted for a question, with falling confidence; NL003 for any other."""

    name = "scripted"

    def __init__(self) -> None:
        self.plannings: list[ExpertContext] = []
        self._scripts: dict[str, Script] = {}

    def answers(self, question: str, *sql: str) -> None:
        """Propose these texts for a question, the best first."""

        async def script(_planning: ExpertContext) -> Sequence[str]:
            return sql

        self._scripts[question] = script

    def on(self, question: str, script: Script) -> None:
        """What to do for one question."""
        self._scripts[question] = script

    async def propose(self, planning: ExpertContext) -> Sequence[Candidate]:
        """Candidates by script."""
        self.plannings.append(planning)
        script = self._scripts.get(planning.question.text)
        if script is None:
            raise BeyondEngine("no script for this question", hint="Write one.")
        return [
            Candidate(
                sql, self.name, score=-number, confidence=0.9 / 4**number, reading=f"reading {number + 1}"
            )
            for number, sql in enumerate(await script(planning))
        ]


class Says:
    """An expert that always proposes the same; it votes, unless it says how sure it is."""

    def __init__(self, name: str, sql: str, confidence: float | None = None) -> None:
        self.name = name
        self.sql = sql
        self.confidence = confidence

    async def propose(self, planning: ExpertContext) -> Sequence[Candidate]:
        """The one candidate."""
        return [Candidate(self.sql, self.name, confidence=self.confidence)]
