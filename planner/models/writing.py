"""Writing the query: samples of one prompt, made one where they say the same.

Owns: the prompt's inputs, the samples, their normal form.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from askwire.core.beside import beside
from askwire.core.egress import Disclosure
from askwire.core.errors import AskError, BudgetSpent, ModelDeclined, ModelFailed
from askwire.llm.answers import Answer, read_answer
from askwire.llm.prompts import Input
from askwire.planner.models.expert_task import ExpertTask, side_by_side
from askwire.planner.models.notes import Notes
from askwire.sql.canonical.query_form import query_form

STEP: Final = "generate"

_QUERY: Final = {"reading": {"type": "string"}, "sql": {"type": "string"}}
QUERY: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": _QUERY,
    "required": [*_QUERY],
    "additionalProperties": False,
}
"""A query, for who has written one before."""
QUERY_OR_REASON: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": {**_QUERY, "cannot": {"type": "string"}},
    "required": [*_QUERY, "cannot"],
    "additionalProperties": False,
}
"""A query, or why there is none."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A query as first written, with what the model says it answers, and how many samples say the same."""

    sql: str
    reading: str
    votes: int = 1


async def write(
    asking: ExpertTask,
    schema: Sequence[Disclosure],
    notes: Notes,
    findings: Sequence[Disclosure],
    samples: int,
    step: str = STEP,
) -> list[Draft]:
    """Up to `samples` different drafts, those with most votes first.

    A sample that fails is left out, and one that was cut off is asked for once more. Raises the first failure
    where all fail, Declined where none holds a query and one says why, else ModelFailed.
    """
    given: dict[str, Input] = {
        "schema": schema,
        "question": asking.question,
        "notes": notes.parts,
        "findings": findings,
    }
    inputs = asking.fitted(STEP, given, "findings")

    async def asked(step: str) -> Answer | None:
        """The answer, None where it was cut off before it held a query."""
        completion = await asking.ask(
            STEP,
            inputs,
            QUERY_OR_REASON,
            temperature=asking.temperature,
            step=step,
            notes=notes.versions,
            needed=step == STEP,
        )
        answer = read_answer(completion.text, cut=completion.cut)
        return None if completion.cut and not answer.sql else answer

    async def sample() -> Answer | AskError:
        try:
            return await asked(step) or await asked(f"{step}, cut off before") or Answer()
        except (ModelFailed, BudgetSpent) as error:
            return error

    answers = await side_by_side(sample() for _ in range(samples))
    drafts = [Draft(a.sql, a.reading) for a in answers if isinstance(a, Answer) and a.sql]
    if not drafts:
        name = asking.line.source.name
        for answer in answers:
            if isinstance(answer, AskError):
                raise answer
        declined = [a.declined for a in answers if isinstance(a, Answer) and a.declined]
        if declined:
            raise ModelDeclined(name, declined[0])
        raise ModelFailed(f'expert "{name}" wrote no query', kind="malformed answer")
    return await distinct(drafts)


async def distinct(drafts: Iterable[Draft]) -> list[Draft]:
    """Those that differ in their normal form, with the votes of all that say the same, most votes first."""
    known: dict[str, Draft] = {}
    for draft in drafts:
        form = await beside(query_form, draft.sql)
        first = known.get(form)
        known[form] = replace(first, votes=first.votes + draft.votes) if first else draft
    return sorted(known.values(), key=lambda draft: -draft.votes)
