"""Writing the query: samples of one prompt, made one where they say the same.

Owns: the prompt's inputs, the samples, their normal form. Must not know: looks, judging.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from askwire.core.beside import beside
from askwire.core.egress import Disclosure
from askwire.core.errors import AskError, BudgetSpent, ModelFailed
from askwire.core.protocols import Completion
from askwire.llm.answers import read_object, read_sql, read_text
from askwire.llm.prompts import Input
from askwire.planner.models.asking import Asking, side_by_side
from askwire.planner.models.notes import Notes
from askwire.sql.query_form import query_form

STEP: Final = "generate"
_READING: Final = 200

SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": {"reading": {"type": "string"}, "sql": {"type": "string"}},
    "required": ["reading", "sql"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Draft:
    """A query as first written, with what the model says it answers, and how many samples say the same."""

    sql: str
    reading: str
    votes: int = 1


async def write(
    asking: Asking,
    schema: Sequence[Disclosure],
    notes: Notes,
    findings: Sequence[Disclosure],
    samples: int,
    step: str = STEP,
) -> list[Draft]:
    """Up to `samples` different drafts, those with most votes first.

    A sample that fails is left out. Raises the first failure where all do, and ModelFailed where no answer
    holds a query.
    """
    given: dict[str, Input] = {
        "schema": schema,
        "question": asking.question,
        "notes": notes.parts,
        "findings": findings,
    }
    inputs = asking.fitted(STEP, given, "findings")

    async def sample() -> Completion | AskError:
        try:
            return await asking.ask(
                STEP,
                inputs,
                SCHEMA,
                temperature=asking.temperature,
                step=step,
                notes=notes.versions,
                needed=step == STEP,
            )
        except (ModelFailed, BudgetSpent) as error:
            return error

    answers = await side_by_side(sample() for _ in range(samples))
    failed: AskError | None = None
    drafts: list[Draft] = []
    for answer in answers:
        if isinstance(answer, AskError):
            failed = failed or answer
        elif sql := read_sql(answer.text, cut=answer.cut):
            drafts.append(Draft(sql, read_text(read_object(answer.text), "reading", _READING)))
    if not drafts:
        name = asking.line.source.name
        raise failed or ModelFailed(f'expert "{name}" wrote no query', kind="malformed answer")
    return await distinct(drafts)


async def distinct(drafts: Iterable[Draft]) -> list[Draft]:
    """Those that differ in their normal form, with the votes of all that say the same, most votes first."""
    known: dict[str, Draft] = {}
    for draft in drafts:
        form = await beside(query_form, draft.sql)
        first = known.get(form)
        known[form] = replace(first, votes=first.votes + draft.votes) if first else draft
    return sorted(known.values(), key=lambda draft: -draft.votes)
