"""Judges, choosers and writers that follow a script."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from askwire.core.types import Question, Verdict
from askwire.llm.prompts import Input
from askwire.selector.duels.writer import Told
from askwire.selector.instances import Instance
from askwire.selector.judge import Ruling


class ScriptedJudge:
    """Rules by the two texts: `wins` maps (winner, loser) pairs; what is not there is a draw."""

    name = "scripted"

    def __init__(self, wins: Iterable[tuple[str, str]] = ()) -> None:
        self._wins = frozenset(wins)
        self.asked: list[tuple[str, str]] = []

    async def rule(
        self, question: Question, first: Verdict, second: Verdict, instance: Instance | None
    ) -> Ruling:
        """As the script says."""
        self.asked.append((first.sql, second.sql))
        if (first.sql, second.sql) in self._wins:
            return Ruling.FIRST
        return Ruling.SECOND if (second.sql, first.sql) in self._wins else Ruling.DRAW


class ScriptedChooser:
    """Chooses by the question's text: `choices` maps it to the SQL to choose."""

    def __init__(self, choices: Mapping[str, str]) -> None:
        self._choices = dict(choices)

    async def choose(self, question: Question, verdicts: Sequence[Verdict]) -> int | None:
        """As the script says; None where it is silent."""
        wanted = self._choices.get(question.text)
        texts = [verdict.sql for verdict in verdicts]
        return texts.index(wanted) if wanted in texts else None


class ScriptedWriter:
    """Answers from a script: by prompt, a list of objects in their order, or a function of the inputs.

    `asked` are the prompts and inputs it was given.
    """

    def __init__(self, script: Mapping[str, Sequence[Told] | Callable[[Mapping[str, Input]], Told]]) -> None:
        self.name = "scripted"
        self._script = dict(script)
        self.asked: list[tuple[str, Mapping[str, Input]]] = []

    async def write(self, prompt: str, inputs: Mapping[str, Input], *, temperature: float = 0.0) -> Told:
        """As the script says; nothing where it is silent."""
        nth = sum(name == prompt for name, _ in self.asked)
        self.asked.append((prompt, inputs))
        said = self._script.get(prompt, ())
        if callable(said):
            return said(inputs)
        return said[nth] if nth < len(said) else {}
