"""The tips that one question calls for, as a note of its prompts.

Owns: the facts that the rules look at.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.core.egress import Disclosure, Kind
from askwire.llm.estimate import tokens
from askwire.planner.models.expert_task import ExpertTask
from askwire.planner.models.guidance.library import Facts, Library, Tip, library
from askwire.planner.models.notes import Note, SoFar, note_of

MAX_TIP_TOKENS: Final = 1100
"""Tokens of all tips together; those whose rules come last are left out first."""
_MAX_TEXT_CHARACTERS: Final = 4000
"""Characters of each text that rules look at."""
_WORD: Final = re.compile(r"\w+")
_JOIN: Final = re.compile(r"\bjoin", re.IGNORECASE)


class Tips:
    """`planner.models.notes.Noting` over the library."""

    name = "tips"

    def __init__(self, tips: Library | None = None) -> None:
        self._library = tips or library()

    async def note(self, asking: ExpertTask, so_far: SoFar) -> Note | None:
        """The tips for one question, where the course has them; the trace lists their ids."""
        if not asking.course.guidance:
            return None
        told: list[Tip] = []
        left = so_far.bound(MAX_TIP_TOKENS)
        for tip in self._library.chosen(facts_of(asking, so_far)):
            left -= tokens(tip.told)
            if left < 0:
                break
            told.append(tip)
        asking.record("guided", tips=[f"{tip.id} {tip.category}" for tip in told])
        return note_of(
            asking.prompts["note_tips"], tips=[Disclosure(Kind.INSTRUCTION, tip.told) for tip in told]
        )


def facts_of(asking: ExpertTask, so_far: SoFar) -> Facts:
    """What the rules may look at; texts are cut, so that nobody's text takes long."""
    question = asking.planning.question
    plan = " ".join((*so_far.steps, *so_far.paths, *so_far.keywords))[:_MAX_TEXT_CHARACTERS]
    words = {word.lower() for word in _WORD.findall(plan)}
    shown = so_far.shown.relations
    return Facts(
        question.text[:_MAX_TEXT_CHARACTERS],
        question.evidence[:_MAX_TEXT_CHARACTERS],
        plan,
        " ".join(c.name for relation in shown for c in relation.columns)[: 10 * _MAX_TEXT_CHARACTERS],
        steps=len(so_far.steps),
        tables=sum(relation.name.lower() in words for relation in shown),
        joins=len(_JOIN.findall(plan)),
    )
