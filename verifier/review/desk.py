"""Where one model reviews during one ASK: what it may be shown, and how it is asked.

Owns: filling, sealing and sending of a review's prompt, and what SQL counts as.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askwire.core.beside import beside
from askwire.core.egress import Disclosure, Kind, apart
from askwire.core.types import Question
from askwire.llm.answers import read_object
from askwire.llm.calling import Line
from askwire.llm.egress import Egress
from askwire.llm.prompts import Input, PromptFile, load_prompts
from askwire.sql.unasked import foreign_spans

PROMPTS = ("critique", "demands", "demands_met", "answer")


def load() -> Mapping[str, PromptFile]:
    """The prompts of reviews; raises ConfigurationError for one that is not sound."""
    return load_prompts("askwire.verifier.prompts", PROMPTS)


@dataclass(frozen=True)
class Desk:
    """One expert that reviews; `schema` is what it was shown of the catalog, `wrote` its own texts."""

    line: Line
    egress: Egress
    prompts: Mapping[str, PromptFile]
    schema: Sequence[Disclosure]
    wrote: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The expert's."""
        return self.line.source.name

    async def ask(
        self, name: str, inputs: Mapping[str, Input], schema: Mapping[str, object]
    ) -> Mapping[str, Any] | None:
        """The object a model answers with, None where it answers with none.

        Raises NoExpert where the policy keeps back what has to be shown or the model fails, BudgetSpent.
        """
        file = self.prompts[name]
        prompt = self.egress.prompt(file.fill(**inputs))
        completion = await self.line.ask(
            prompt, stage=f"review {name}", schema=schema, file=name, version=file.digest
        )
        return await beside(read_object, completion.text)

    def sql(self, sql: str, question: Question) -> list[Disclosure]:
        """SQL as it may be shown.

        Its own text tells a model nothing; any other counts as holding values unless each of its constants
        stands in the question.
        """
        foreign = () if sql in self.wrote else foreign_spans(sql, f"{question.text} {question.evidence}")
        if not foreign:
            return [Disclosure(Kind.SQL, sql, required=True)]
        return [Disclosure(Kind.SQL_WITH_VALUES, sql, required=True, pieces=apart(sql, foreign))]


def question_parts(question: Question) -> list[Disclosure]:
    """What was asked, with its hint."""
    parts = [Disclosure(Kind.QUESTION, question.text, required=True)]
    if question.evidence:
        parts.append(Disclosure(Kind.QUESTION, f"as a hint: {question.evidence}"))
    return parts
