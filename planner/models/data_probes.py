"""PV-SQL's probing: the model looks into the data before it writes (PV-SQL, section 4.1, Algorithm 1).

At most K looks. Each is a query of the model's own, through the gate and the executor; what it returned, or
why it failed, is shown with the next prompt. Columns and values that the model says are confirmed accumulate
when they are: a column must be in the catalog, a value in what the data has shown. Owns: that loop. In the
way that is no paper's (`at_once`) the model writes the query as soon as nothing is unclear, in the answer
that could have been a look.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from askwire.core.egress import Disclosure, Kind
from askwire.core.errors import ModelDeclined, ModelFailed
from askwire.core.settings.budgets import ASK_TOKENS
from askwire.llm.answers import Answer, read_answer, read_object, read_text
from askwire.llm.prompts import Input
from askwire.planner.models.data_look import FIRST_ROWS, MAX_CELL_CHARACTERS, first_rows, look
from askwire.planner.models.expert_task import ExpertTask, size_of
from askwire.planner.models.ranking import Links
from askwire.planner.models.schema_text import name_of, shortened
from askwire.sql.literals import quote_identifier

STEP: Final = "probe"
PROBE_OR_WRITE: Final = "probe_or_write"
_LOOK_TOKENS: Final = 150
"""Tokens that a look adds to the next prompt, about."""
MAX_UNBUDGETED_PROMPTS: Final = 8
"""Prompts of the size of the last one that looks may take, where no budget bounds them."""
_MIN_RESULT_LINES: Final = 2
"""Lines of a result that are shown in any case: names of columns, and a row."""
_MAX_COLUMNS: Final = 20
_MAX_VALUES: Final = 10

SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": ["probe", "done"]},
        "sql": {"type": "string"},
        "columns": {"type": "array", "items": {"type": "string"}},
        "values": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"said": {"type": "string"}, "stored": {"type": "string"}},
                "required": ["said", "stored"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["action", "sql", "columns", "values"],
    "additionalProperties": False,
}

_FIELDS: Final[Mapping[str, object]] = {
    "action": {"type": "string", "enum": ["write", "probe"]},
    "sql": {"type": "string"},
    "reading": {"type": "string"},
    "cannot": {"type": "string"},
    "columns": SCHEMA["properties"]["columns"],
    "values": SCHEMA["properties"]["values"],
}
PROBE_OR_WRITE_SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": _FIELDS,
    "required": [*_FIELDS],
    "additionalProperties": False,
}


@dataclass
class ConfirmedData:
    """What is known of the data for one question: looks in their order, columns and values confirmed."""

    looks: list[Disclosure] = field(default_factory=list)
    columns: dict[str, None] = field(default_factory=dict)
    values: dict[tuple[str, str], None] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, asking: ExpertTask, links: Links) -> ConfirmedData:
        """What the look-up of the question's words found."""
        grounding = cls()
        for found in links.values:
            name = name_of(asking.planning.catalog, found.relation)
            where = f"{name}.{quote_identifier(found.column)}"
            text = f"{found.said!r} is in {where} as '{shortened(found.stored, MAX_CELL_CHARACTERS)}'"
            grounding.looks.append(Disclosure(Kind.VALUE, text, names=(found.relation.name, found.column)))
            grounding.seen.add(found.stored)
        return grounding

    @property
    def parts(self) -> tuple[Disclosure, ...]:
        """All of it, for a prompt; what was looked at first stays first."""
        parts = list(self.looks)
        if self.columns:
            parts.append(Disclosure(Kind.NAME, "columns that matter: " + ", ".join(self.columns)))
        parts += [Disclosure(Kind.VALUE, f"'{said}' is stored as '{stored}'") for said, stored in self.values]
        return tuple(parts)


async def probe(
    asking: ExpertTask,
    schema: Sequence[Disclosure],
    notes: Sequence[Disclosure],
    grounding: ConfirmedData,
    reserve: int,
) -> Answer | None:
    """Fill `grounding` by up to K looks; the query where the course lets the model write it at once.

    Ends early when the model has no further look, repeats itself or gives no usable answer, and before the
    prompts of this ASK, with one more of `reserve` tokens for the query, exceed the effort's plan (after its
    `least` looks, or after one where that keeps to the plan) or half of what the ASK may use. A model that
    cannot be asked ends it too: what was found so far serves. Raises BudgetSpent, and Declined where the
    model says that the database cannot answer.
    """
    step, form = (PROBE_OR_WRITE, PROBE_OR_WRITE_SCHEMA) if asking.course.at_once else (STEP, SCHEMA)
    plan = asking.course.prompt_tokens
    most = asking.planning.settings[ASK_TOKENS] // 2 or plan + reserve * MAX_UNBUDGETED_PROMPTS
    spent = 0
    asked: set[str] = set()
    for number in range(asking.course.probes):
        inputs: dict[str, Input] = {
            "schema": schema,
            "question": asking.question,
            "notes": notes,
            "findings": grounding.parts,
            "left": asking.course.probes - number,
        }
        inputs = asking.fitted(step, inputs, "findings")
        size = size_of(asking.prompts[step].fill(**inputs))
        known = size_of(grounding.parts)
        after = spent + size + reserve + known
        enough = number >= asking.course.least or (number > 0 and spent + reserve + known <= plan)
        if after > most or (after > plan and enough):
            asking.record("probing ended", reason="prompt tokens", looks=number)
            return None
        inputs["left"] = _looks_left(asking, number, spent + size, size, reserve + known)
        try:
            completion = await asking.ask(step, inputs, form)
        except ModelFailed as error:
            asking.record("probing ended", reason=error.message, looks=number)
            return None
        spent += completion.usage.prompt_tokens
        document = read_object(completion.text)
        _learn(asking, grounding, document)
        looks = read_text(document, "action") == "probe"
        if asking.course.at_once and not looks:
            answer = read_answer(completion.text, cut=completion.cut)
            if answer.declined and not completion.cut:
                raise ModelDeclined(asking.line.source.name, answer.declined)
            return answer if answer.sql else None
        sql = read_text(document, "sql").removesuffix(";").strip()
        if not looks or not sql or sql in asked:
            return None
        asked.add(sql)
        await _look(asking, sql, grounding, plan - spent - reserve - size_of(grounding.parts))
    return None


def _looks_left(asking: ExpertTask, number: int, spent: int, size: int, reserve: int) -> int:
    """How many more looks the plan has room for, this one among them: what the prompt says."""
    course = asking.course
    left = 1
    while left < course.probes - number:
        following = spent + left * (size + _LOOK_TOKENS) + reserve
        if number + left >= course.least and following > course.prompt_tokens:
            break
        left += 1
    return left


async def _look(asking: ExpertTask, sql: str, grounding: ConfirmedData, room: int) -> None:
    """Run one look and note what came of it.

    Where the effort's plan has `room` at all, it is kept to: rows that would exceed it are not told, but for
    the first.
    """
    looked = await look(asking, sql, rows=FIRST_ROWS, tell=first_rows)
    if looked.result is not None:
        grounding.seen.update(cell for row in looked.result.rows for cell in row if cell is not None)
    parts = list(looked.parts)
    left_out = 0
    while 0 < room < size_of(parts) and len(parts) > len(looked.query) + _MIN_RESULT_LINES:
        left_out += 1
        parts.pop()
    if left_out:
        asking.record("probing told less", lines=left_out)
    grounding.looks += parts


def _learn(asking: ExpertTask, grounding: ConfirmedData, answer: Mapping[str, Any] | None) -> None:
    """Take over what the model says is confirmed, where it is."""
    if answer is None:
        return
    columns, values = answer.get("columns"), answer.get("values")
    for column in columns if isinstance(columns, list) else ():
        if isinstance(column, str) and len(grounding.columns) < _MAX_COLUMNS:
            name = _known_column(asking, column)
            if name:
                grounding.columns[name] = None
    for value in values if isinstance(values, list) else ():
        said, stored = (
            read_text(value, n, MAX_CELL_CHARACTERS) if isinstance(value, dict) else ""
            for n in ("said", "stored")
        )
        if said and stored in grounding.seen and len(grounding.values) < _MAX_VALUES:
            grounding.values[said, stored] = None


def _known_column(asking: ExpertTask, text: str) -> str:
    """A column as SQL reaches it, where the catalog has it; '' where it has not."""
    parts = [part.strip().strip('"') for part in text.split(".")]
    if len(parts) not in (2, 3):
        return ""
    relation = asking.planning.catalog.find(parts[-2], parts[0] if len(parts) == 3 else "")
    if relation is None or parts[-1] not in relation.by_name:
        return ""
    return f"{name_of(asking.planning.catalog, relation)}.{quote_identifier(parts[-1])}"
