"""ReCAPAgent-SQL's ActionAgent: one action at a time, step by step over the plan (section 3.3.5).

Each call holds the step at hand, what was done so far and what came of it. A query that ran is followed by
the next step; one that failed leaves the step, and its error is shown. A query that was run before is not run
again. Owns: that loop and its bounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from askwire.core.egress import Disclosure, Kind
from askwire.core.errors import BudgetSpent, ModelFailed, NoExpert
from askwire.llm.answers import read_object, read_sql, read_text
from askwire.llm.prompts import Input
from askwire.planner.models.data_look import FIRST_ROWS, first_rows, look
from askwire.planner.models.expert_task import ExpertTask, drafts, size_of, sql_part
from askwire.planner.models.writing import Draft

STEP: Final = "act"
SPARE_ACTIONS: Final = 2
"""Actions beyond one for each step: an error may be put right, and the query still be given."""
MAX_IDLE_ANSWERS: Final = 2
"""Answers in a row that lead to nothing, after which the loop ends."""
_MAX_READING_CHARACTERS: Final = 200
_MAX_THOUGHT_CHARACTERS: Final = 300
_MAX_HISTORY_TOKENS: Final = 1500
"""Tokens of what was done that are shown; the oldest goes first."""

SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": {
        "thought": {"type": "string"},
        "action": {"type": "string", "enum": ["RUN", "FINISH"]},
        "sql": {"type": "string"},
        "reading": {"type": "string"},
    },
    "required": ["thought", "action", "sql", "reading"],
    "additionalProperties": False,
}


@dataclass
class ActionRun:
    """One run over a plan; `draft` is the query it came to."""

    asking: ExpertTask
    schema: Sequence[Disclosure]
    notes: Sequence[Disclosure]
    findings: Sequence[Disclosure]
    steps: Sequence[str]
    draft: Draft | None = None
    _done: list[list[Disclosure]] = field(default_factory=list)
    _asked: set[str] = field(default_factory=set)
    _at: int = 0
    _idle: int = 0

    async def run(self) -> None:
        """Act until the query is given, or steps, actions or budget are over; a model that fails ends it.

        Raises DatabaseFailed when the session is lost.
        """
        most = min(self.asking.course.actions, len(self.steps) + SPARE_ACTIONS)
        actions = 0
        try:
            while actions < most and self.draft is None and self._idle < MAX_IDLE_ANSWERS:
                inputs = self._inputs(most - actions)
                if actions and not self.asking.affords(size_of(self.asking.prompts[STEP].fill(**inputs))):
                    break
                completion = await self.asking.ask(STEP, inputs, SCHEMA)
                actions += 1
                await self._act(read_object(completion.text), read_sql(completion.text, cut=completion.cut))
        except (NoExpert, ModelFailed, BudgetSpent) as error:
            self.asking.record("acting ended", reason=error.message, actions=actions)
        self.asking.record("acted", actions=actions, steps=self._at, finished=self.draft is not None)

    @property
    def found(self) -> tuple[Disclosure, ...]:
        """What was done, for who writes the query where this loop did not."""
        return tuple(part for parts in self._done for part in parts)

    def _inputs(self, left: int) -> dict[str, Input]:
        while len(self._done) > 1 and size_of(self.found) > _MAX_HISTORY_TOKENS:
            self._done.pop(0)
        at = min(self._at, len(self.steps) - 1)
        return {
            "schema": self.schema,
            "question": self.asking.question,
            "notes": self.notes,
            "findings": self.findings,
            "step": drafts([f"{at + 1} of {len(self.steps)}: {self.steps[at]}"]),
            "history": self.found,
            "left": left,
        }

    async def _act(self, document: Mapping[str, Any] | None, sql: str) -> None:
        action = read_text(document, "action", 20).upper()
        if action not in ("RUN", "FINISH") or not sql:
            self._nothing("That was no action that can be taken.")
            return
        if action == "FINISH":
            self.draft = Draft(sql, read_text(document, "reading", _MAX_READING_CHARACTERS))
            return
        if sql in self._asked:
            self._nothing("That query was run before; what it returned stands above.")
            return
        self._asked.add(sql)
        self._idle = 0
        looked = await look(self.asking, sql, rows=FIRST_ROWS, step=STEP, tell=first_rows)
        thought = drafts([text]) if (text := read_text(document, "thought", _MAX_THOUGHT_CHARACTERS)) else []
        ran = [sql_part(sql, self.asking.planning.question, own=True)]
        self._done.append([*thought, *ran, *looked.outcome])
        self._at += looked.result is not None

    def _nothing(self, words: str) -> None:
        self._idle += 1
        self._done.append([Disclosure(Kind.INSTRUCTION, words)])
