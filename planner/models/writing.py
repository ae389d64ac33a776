"""Writing the query: samples of one prompt, made one where they say the same.

Owns: the prompt's inputs, the samples, their normal form. Must not know: looks, judging.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pglast.parser import ParseError
from pglast.stream import RawStream

from askwire.core.egress import Disclosure
from askwire.core.errors import AskError, BudgetSpent, ModelFailed
from askwire.core.protocols import Completion
from askwire.llm.answers import read_object, read_sql, read_text
from askwire.planner.models.asking import Asking, question_parts

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
    findings: Sequence[Disclosure],
    samples: int,
    step: str = STEP,
) -> list[Draft]:
    """Up to `samples` different drafts, those with most votes first.

    A sample that fails is left out. Raises the first failure where all do, and ModelFailed where no answer
    holds a query.
    """
    inputs = {"schema": schema, "question": question_parts(asking.planning.question), "findings": findings}

    async def sample() -> Completion | AskError:
        try:
            return await asking.ask(STEP, inputs, SCHEMA, temperature=asking.temperature, step=step)
        except (ModelFailed, BudgetSpent) as error:
            return error

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(sample()) for _ in range(samples)]
    failed: AskError | None = None
    drafts: dict[str, Draft] = {}
    for task in tasks:
        answer = task.result()
        if isinstance(answer, AskError):
            failed = failed or answer
            continue
        sql = read_sql(answer.text, cut=answer.cut)
        if not sql:
            continue
        form = await asyncio.to_thread(normal_form, sql) if len(sql) > _LONG else normal_form(sql)
        known = drafts.get(form)
        reading = read_text(read_object(answer.text), "reading", _READING)
        drafts[form] = Draft(known.sql, known.reading, known.votes + 1) if known else Draft(sql, reading)
    if not drafts:
        name = asking.line.source.name
        raise failed or ModelFailed(f'expert "{name}" wrote no query', kind="malformed answer")
    return sorted(drafts.values(), key=lambda draft: -draft.votes)


_LONG: Final = 2000
"""Characters from which on a text is brought into its form beside the event loop."""


def normal_form(sql: str) -> str:
    """What is equal for texts that differ in spaces, letter case and redundant parentheses only."""
    try:
        return str(RawStream()(sql))
    except (ParseError, RecursionError):
        return " ".join(sql.split())
