"""What the stages of one model share during one ASK.

Owns: that value, and the one way in which its prompts are filled, sealed and sent. Must not know: what any
stage does with the answers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from askwire.core.egress import Disclosure, Kind, Level
from askwire.core.protocols import Completion
from askwire.core.types import Question
from askwire.llm.calling import Line
from askwire.llm.egress import Egress
from askwire.llm.estimate import tokens
from askwire.llm.prompts import Input, PromptFile, load_prompts
from askwire.planner.expert import Planning
from askwire.planner.models.efforts import Effort
from askwire.sql.unasked import unasked

_LONG: Final = 10_000
"""Characters from which on a prompt is sealed beside the event loop."""
_RULE: Final = 50
"""Tokens of the sentence that the door puts in front of every prompt."""
_LABEL: Final = 4
PROMPTS: Final = ("probe", "generate", "repair")


def load() -> Mapping[str, PromptFile]:
    """The prompts of models; raises ConfigurationError for one that is not sound."""
    return load_prompts("askwire.planner.prompts", PROMPTS)


@dataclass(frozen=True)
class Asking:
    """One expert at work on one question."""

    planning: Planning
    line: Line
    egress: Egress
    prompts: Mapping[str, PromptFile]
    effort: Effort
    temperature: float

    @property
    def shares_rows(self) -> bool:
        """Whether the model may be told what the data holds."""
        return self.egress.level is Level.ROWS

    async def ask(
        self,
        name: str,
        inputs: Mapping[str, Input],
        schema: Mapping[str, object],
        *,
        temperature: float = 0.0,
        step: str = "",
    ) -> Completion:
        """Fill a prompt, let the policy see it, send it; raises ModelFailed, NoExpert, BudgetSpent."""
        file = self.prompts[name]
        parts = file.fill(**inputs)
        long = sum(len(part.text) for part in parts) > _LONG
        prompt = await asyncio.to_thread(self.egress.prompt, parts) if long else self.egress.prompt(parts)
        return await self.line.ask(
            prompt,
            stage=step or name,
            schema=schema,
            temperature=temperature,
            file=name,
            version=file.digest,
        )


def size_of(parts: Sequence[Disclosure]) -> int:
    """About how many tokens a prompt of these parts has, with their labels and quotes."""
    return _RULE + sum(tokens(part.text) + _LABEL for part in parts)


def question_parts(question: Question) -> tuple[Disclosure, ...]:
    """What the asker said."""
    parts = [Disclosure(Kind.QUESTION, question.text, required=True)]
    if question.evidence:
        parts.append(Disclosure(Kind.QUESTION, f"as a hint: {question.evidence}"))
    return tuple(parts)


def sql_part(sql: str, question: Question, *, own: bool, required: bool = False) -> Disclosure:
    """SQL as a disclosure. `own` says that this model wrote the text as it stands: it is told nothing by it.

    Any other text counts as holding values unless each of its constants stands in the question.
    """
    foreign = not own and unasked(sql, f"{question.text} {question.evidence}").foreign
    return Disclosure(Kind.SQL_WITH_VALUES if foreign else Kind.SQL, sql, required=required)
