"""What a model is shown besides schema, question and findings: a plan, tips, demonstrations, knowledge.

Each kind is a note: parts of a prompt that a small prompt file of its own renders (`note_*.md`), so that its
words are checked and versioned as those of every prompt are. A note is optional, and made by something that
fills `NoteMaker`; all notes of an ASK stand in one place of the prompts, in the order of their makers. Owns:
that seam.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from askwire.core.egress import Disclosure
from askwire.llm.prompts import Input, PromptFile
from askwire.planner.models.expert_task import ExpertTask, size_of
from askwire.planner.models.schema_text import ShownSchema

FRAME_TOKENS: Final = 60
"""Tokens of a note's file beside what it tells."""


@dataclass(frozen=True)
class Note:
    """Parts of a prompt; `name` and `version` are those of the file they come from."""

    name: str
    version: str
    parts: tuple[Disclosure, ...]


@dataclass(frozen=True)
class SoFar:
    """What is known when notes are made: the catalog's part that is shown, the plan and its realisations.

    `steps` are of a plan, logical or over the schema; `paths` the ways in which SQL can do them, and
    `keywords` the operations that these name: what guidance is found by. A note may have `room` tokens.
    """

    shown: ShownSchema
    steps: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    room: int = 1_000_000

    def bound(self, most: int, share: float = 1.0) -> int:
        """The tokens that a note's own words may have: `most`, or a share of the room if that is less."""
        return min(most, int(self.room * share) - FRAME_TOKENS)


class NoteMaker(Protocol):
    """One maker of notes; kept for the process, so it holds nothing of a question."""

    @property
    def name(self) -> str:
        """What the trace calls it."""

    async def note(self, asking: ExpertTask, so_far: SoFar) -> Note | None:
        """The note for one question, None where there is nothing to say.

        May raise ModelFailed, NoExpert, BudgetSpent and DatabaseFailed: then there is none. `asking.affords`
        and `asking.shares_rows` tell what it may cost and hold; the door drops what the policy forbids.
        """


@dataclass
class Notes:
    """The notes of one ASK, in their order."""

    notes: list[Note] = field(default_factory=list)

    def add(self, note: Note | None) -> None:
        """Keep one, where there is one."""
        if note is not None and note.parts:
            self.notes.append(note)

    @property
    def parts(self) -> tuple[Disclosure, ...]:
        """All of them, for a prompt."""
        return tuple(part for note in self.notes for part in note.parts)

    @property
    def versions(self) -> str:
        """Their files and versions, for the trace: `note_plan@0f3a1c…, …`."""
        return ", ".join(f"{note.name}@{note.version}" for note in self.notes)


def note_of(file: PromptFile, **inputs: Input) -> Note | None:
    """A note rendered by its file; None where all that it could tell is empty."""
    if not any(inputs.values()):
        return None
    return Note(file.name, file.digest, file.fill(**inputs))


async def gather(
    asking: ExpertTask, makers: Iterable[NoteMaker], so_far: SoFar, room: int, share: float
) -> Sequence[Note]:
    """The notes of all makers, in their order; one that fails, or exceeds `room` tokens, is none."""
    made: list[Note] = []
    for maker in makers:
        note = await asking.attempt(maker.name, maker.note(asking, replace(so_far, room=room)), share)
        if note is None:
            continue
        size = size_of(note.parts)
        if size > room:
            asking.record("stage ended", step=maker.name, reason="what it has to say does not fit")
            continue
        room -= size
        made.append(note)
    return made
