"""Judges that have a model answer the question on a few rows, and compare.

Owns: the judge on separating instances (Kikot et al.) and the one of dual-paradigm consistency (Li et al.),
with the parts of the latter that can be left out. Whatever fails is a draw: the favourite keeps its place.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from askwire.core.types import Question, ResultSet, Verdict
from askwire.selector.duels.answering import ANSWERS_PER_MODEL, Runs, by_code, by_hand
from askwire.selector.duels.pair import Pair
from askwire.selector.duels.slicing import sliced
from askwire.selector.duels.testing import made_database
from askwire.selector.duels.writer import Writer
from askwire.selector.instances import Instance
from askwire.selector.judge import Because, Ruling, unsaid
from askwire.selector.sandbox.running import SandboxOff
from askwire.selector.soft_f1 import soft_f1
from askwire.sql.canonical.normal_form import DPC_VALUES, JUDGED, normalize, same

MAX_CORRECTIONS: Final = 3
"""How often rows or code may be put right (DPC's T)."""

_NO_ROWS: Final = "no rows tell the two apart"
_NO_PAIR: Final = "no rows can be made for the two"

Pairs = Callable[[str, str], Awaitable[Pair | None]]
"""Opens two statements for making databases; None where that is not possible."""


class RowsJudge:
    """The question's answer on a separating instance, by a model, and whose answer that is.

    Answers are compared without rows of NULLs, duplicates and the order of columns. A draw without rows, and
    where the model's answer is neither's.
    """

    def __init__(
        self, writer: Writer, pairs: Pairs, *, voices: int = ANSWERS_PER_MODEL, because: Because = unsaid
    ) -> None:
        self._writer = writer
        self._pairs = pairs
        self._voices = voices
        self._because = because

    @property
    def name(self) -> str:
        """The name its reliability is kept under."""
        return f"rows:{self._writer.name}"

    async def rule(
        self, question: Question, first: Verdict, second: Verdict, instance: Instance | None
    ) -> Ruling:
        """For the one whose answer on the rows is the model's."""
        because = self._because
        if instance is None:
            because(_NO_ROWS)
            return Ruling.DRAW
        pair = await self._pairs(first.sql, second.sql)
        if pair is None:
            because(_NO_PAIR)
            return Ruling.DRAW
        shown = await sliced(pair)
        answer = await by_hand(question, instance, shown, self._writer, voices=self._voices, because=because)
        if answer is None:
            return Ruling.DRAW
        agrees = [same(answer, given, JUDGED) for given in instance.answers[:2]]
        if agrees[0] == agrees[1]:
            whose = "both readings'" if agrees[0] else "neither reading's"
            because(f"the model's answer on the rows is {whose}")
            return Ruling.DRAW
        because(f"the model's answer on the rows is the {'first' if agrees[0] else 'second'} reading's")
        return Ruling.FIRST if agrees[0] else Ruling.SECOND


@dataclass(frozen=True, slots=True)
class Parts:
    """What takes part in a duel of two paradigms; each can be left out, as in DPC's ablations.

    `tester`: a database is made for the two; without, the rows on which they are known to differ. `slicer`:
    only what they need is shown. `python`: the answer is computed by code; without, worked out by hand.
    `soft_f1`: answers are scored; without, they are equal or not. `corrections`: how often rows or code may
    be put right. `margin`: by how much the challenger's score must exceed the champion's.
    """

    tester: bool = True
    slicer: bool = True
    python: bool = True
    soft_f1: bool = True
    corrections: int = MAX_CORRECTIONS
    margin: float = 0.1


class DualParadigmJudge:
    """The first, the champion, against a challenger: whose answer is closer to that of a model's own code.

    Always on a database of its own. The champion stays where anything fails.
    """

    def __init__(
        self,
        writer: Writer,
        pairs: Pairs,
        sandbox: Runs,
        parts: Parts = Parts(),
        *,
        because: Because = unsaid,
    ) -> None:
        self._writer = writer
        self._pairs = pairs
        self._sandbox = sandbox
        self._parts = parts
        self._because = because

    @property
    def name(self) -> str:
        """The name its reliability is kept under."""
        return f"python:{self._writer.name}" if self._parts.python else f"hand:{self._writer.name}"

    async def rule(
        self, question: Question, first: Verdict, second: Verdict, instance: Instance | None
    ) -> Ruling:
        """By the scores of both answers against the reference."""
        try:
            # before a model is asked for what could not be run
            if self._parts.python:
                await self._sandbox.start()
            return await self._ruled(question, first, second, instance)
        except SandboxOff as off:
            self._because(f"no code can be run: {off}")
            return Ruling.DRAW

    async def _ruled(
        self, question: Question, first: Verdict, second: Verdict, instance: Instance | None
    ) -> Ruling:
        parts, because = self._parts, self._because
        pair = await self._pairs(first.sql, second.sql)
        if pair is None:
            because(_NO_PAIR)
            return Ruling.DRAW
        shown = await sliced(pair, whole=not parts.slicer)
        if parts.tester:
            statements = first.sql, second.sql
            instance = await made_database(
                question, statements, pair, shown, self._writer, corrections=parts.corrections
            )
        if instance is None:
            because(_NO_ROWS)
            return Ruling.DRAW
        if parts.python:
            reference = await by_code(
                *(question, instance, shown, self._writer, self._sandbox),
                corrections=parts.corrections,
                because=because,
            )
        else:
            reference = await by_hand(question, instance, shown, self._writer, voices=1, because=because)
        if reference is None:
            return Ruling.DRAW
        champion, challenger = (self._score(answer, reference) for answer in instance.answers[:2])
        because(f"the model's answer scores {champion:.2f} with the first, {challenger:.2f} with the second")
        if challenger > champion + parts.margin:
            return Ruling.SECOND
        return Ruling.FIRST if champion > challenger else Ruling.DRAW

    def _score(self, answer: ResultSet, reference: ResultSet) -> float:
        if self._parts.soft_f1:
            return soft_f1(answer, reference)
        return float(normalize(answer, DPC_VALUES).rows == normalize(reference, DPC_VALUES).rows)
