"""The agent's loop: EXPLORE, REFINE, SQL, CONFIRM (APEX-SQL, sections 3.3.2 and 4.3.4).

A query that ran is shown again with its rows, the question and the plan, to be confirmed; that ends the work,
and what the model finds missing goes on with it. After 38 of 40 actions, after 52 of 56 thousand tokens, when
the budget holds little more, and when nothing new comes of three actions in a row, only SQL counts, and its
first query that runs is taken. Owns: that loop and its bounds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from askwire.core.amounts import counted
from askwire.core.egress import Disclosure, Kind
from askwire.core.errors import BudgetSpent, NoExpert
from askwire.core.protocols import Completion
from askwire.llm.answers import read_object, read_objects, read_sql, read_text
from askwire.llm.prompts import Input
from askwire.planner.models.data_look import look
from askwire.planner.models.expert_task import ExpertTask, drafts, size_of, sql_part
from askwire.planner.models.exploring.history import History
from askwire.planner.models.notes import Notes
from askwire.planner.models.writing import Draft

STEP: Final = "explore"
CONFIRM: Final = "confirm"
ACTIONS: Final = ("EXPLORE", "REFINE", "SQL", "CONFIRM")
MAX_QUERIES: Final = 5
"""Queries of one EXPLORE that are run; further ones are told to be too many."""
MAX_IDLE_ACTIONS: Final = 3
MAX_FORCED_TRIES: Final = 3
"""Actions that are taken once only SQL counts."""
_MAX_HISTORY_TOKENS: Final = 6000
"""Tokens of what was done that are shown."""
_MAX_THOUGHT_CHARACTERS: Final = 1500
_MAX_READING_CHARACTERS: Final = 200
_TAG: Final = re.compile(r"\[(EXPLORE|REFINE|SQL|CONFIRM)\]")

_QUERY: Final = {
    "type": "object",
    "properties": {"why": {"type": "string"}, "sql": {"type": "string"}},
    "required": ["why", "sql"],
    "additionalProperties": False,
}


def _schema(actions: Sequence[str]) -> Mapping[str, object]:
    return {
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": list(actions)},
            "queries": {"type": "array", "items": _QUERY},
            "thoughts": {"type": "string"},
            "sql": {"type": "string"},
            "reading": {"type": "string"},
        },
        "required": ["action", "queries", "thoughts", "sql", "reading"],
        "additionalProperties": False,
    }


SCHEMA: Final = _schema(ACTIONS)
CONFIRMED: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": {"confirmed": {"type": "boolean"}, "missing": {"type": "string"}},
    "required": ["confirmed", "missing"],
    "additionalProperties": False,
}
SQL_ONLY_SCHEMA: Final = _schema(["SQL"])


@dataclass
class Exploration:
    """One run of the agent; what it has come to can be read at any time."""

    asking: ExpertTask
    schema: Sequence[Disclosure]
    findings: Sequence[Disclosure]
    notes: Notes
    history: History = field(default_factory=History)
    actions: int = 0
    queries: int = 0
    spent: int = 0
    confirmed: bool = False
    forced: bool = False
    _idle: int = 0
    _tries: int = 0
    _last: str = ""
    _ran: Draft | None = None
    _rows: tuple[Disclosure, ...] = ()
    _written: Draft | None = None
    _asked: set[str] = field(default_factory=set)

    @property
    def draft(self) -> Draft | None:
        """The last query that ran, else the last that was written: it may still be repaired."""
        return self._ran or self._written

    async def run(self) -> None:
        """Act until the query is confirmed or a bound is met; a model that fails ends it.

        Raises DatabaseFailed when the session is lost, and the model's failure where nothing was written.
        """
        course = self.asking.course
        try:
            while self.actions < course.actions and not self.confirmed and self._tries < MAX_FORCED_TRIES:
                inputs = self._inputs()
                size = size_of(self.asking.prompts[STEP].fill(**inputs))
                if not self.forced and self._ends(size):
                    self.forced = True
                    continue  # with words that say so
                if self.spent + size > course.action_tokens and self.actions:
                    break
                if self._tries and not self.asking.affords(size, keep=1):
                    break  # the last of the budget asks for the query in plainer words
                if self._rows and self._ran is not None and not self.forced:
                    await self._confirm(self._ran)
                else:
                    await self._act(
                        await self._asked_for(STEP, inputs, SQL_ONLY_SCHEMA if self.forced else SCHEMA)
                    )
        except (NoExpert, BudgetSpent) as error:
            self.asking.record("exploring ended", reason=error.message, actions=self.actions)
            if self.draft is None:
                raise
        finally:
            self.asking.record(
                "explored",
                actions=self.actions,
                queries=self.queries,
                tokens=self.spent,
                confirmed=self.confirmed,
                forced=self.forced,
            )

    def _ends(self, size: int) -> bool:
        course = self.asking.course
        return (
            self.actions + 1 >= course.forced_at
            or self.spent + size >= course.forced_tokens
            or self._idle >= MAX_IDLE_ACTIONS
            or not self.asking.affords(size, keep=2)
        )

    def _inputs(self) -> dict[str, Input]:
        left = self.asking.course.actions - self.actions
        room = min(
            _MAX_HISTORY_TOKENS, self.asking.window - size_of((*self.schema, *self.notes.parts)) - 1500
        )
        return {
            "schema": self.schema,
            "question": self.asking.question,
            "notes": self.notes.parts,
            "findings": self.findings,
            "history": self.history.parts(max(500, room)),
            "forced": self.asking.prompts["note_forced"].fill() if self.forced else (),
            "left": left,
        }

    async def _confirm(self, ran: Draft) -> None:
        """Show the query that ran with its rows; what is said to be missing is noted, and work goes on."""
        question = self.asking.planning.question
        inputs: dict[str, Input] = {
            "schema": self.schema,
            "question": self.asking.question,
            "notes": self.notes.parts,
            "sql": [sql_part(ran.sql, question, own=True, required=True)],
            "rows": self._rows,
        }
        self._rows = ()
        completion = await self._asked_for(CONFIRM, inputs, CONFIRMED)
        document = read_object(completion.text)
        if document is None or "confirmed" not in document:
            await self._act(completion)  # an action all the same
            return
        missing = read_text(document, "missing", _MAX_READING_CHARACTERS)
        self.confirmed = document["confirmed"] is True or not missing
        if not self.confirmed:
            self.history.add(drafts([f"The last query misses something: {missing}"]))

    async def _asked_for(
        self, name: str, inputs: Mapping[str, Input], schema: Mapping[str, object]
    ) -> Completion:
        completion = await self.asking.ask(
            name,
            inputs,
            schema,
            temperature=self.asking.temperature,
            step="explore, forced" if self.forced else name,
            notes=self.notes.versions,
            needed=True,
        )
        self.actions += 1
        self._tries += self.forced
        self.spent += completion.usage.prompt_tokens + completion.usage.completion_tokens
        return completion

    async def _act(self, completion: Completion) -> None:
        document = read_object(completion.text)
        action = _action(completion, document)
        idle, self._idle = self._idle, 0
        again, self._last = action == self._last, action
        if action == "EXPLORE" and not self.forced:
            await self._explore(document)
        elif action == "REFINE" and not self.forced:
            self._idle = idle + again  # who only thinks gets nowhere
            self.history.consolidate(
                drafts([read_text(document, "thoughts", _MAX_THOUGHT_CHARACTERS)], _MAX_THOUGHT_CHARACTERS)
            )
        elif action == "CONFIRM" and self._ran is not None:
            self.confirmed = True
        elif action == "SQL" or self.forced:
            await self._sql(completion, document)
        else:
            self._note("That was no action that can be taken now.")
        if self._idle and action != "REFINE":
            self._idle += idle

    async def _explore(self, document: Mapping[str, Any] | None) -> None:
        entries = read_objects(document, "queries", 10 * MAX_QUERIES)
        fresh = 0
        for entry in entries[:MAX_QUERIES]:
            sql = read_text(entry, "sql").removesuffix(";").strip()
            if not sql or sql in self._asked:
                continue
            self._asked.add(sql)
            fresh += 1
            self.queries += 1
            looked = await look(self.asking, sql, step=STEP)
            rows = "failed" if looked.result is None else counted(len(looked.result.rows), "row")
            brief = (*looked.query, Disclosure(Kind.STATISTICS, rows))
            self.history.add((*drafts([read_text(entry, "why", 200)]), *looked.parts), brief)
        if len(entries) > MAX_QUERIES:
            self.history.add(
                [Disclosure(Kind.INSTRUCTION, f"Of an EXPLORE only the first {MAX_QUERIES} queries are run.")]
            )
        if not fresh:
            self._note("That EXPLORE held no query that was not run before.")

    async def _sql(self, completion: Completion, document: Mapping[str, Any] | None) -> None:
        sql = read_sql(completion.text, cut=completion.cut)
        if not sql:
            self._note("That SQL held no query.")
            return
        if self._ran is not None and sql == self._ran.sql:
            self.confirmed = True  # the same again says that it is right
            return
        draft = Draft(sql, read_text(document, "reading", _MAX_READING_CHARACTERS))
        repeated = self._written is not None and sql == self._written.sql
        self._written = draft
        if repeated:
            self._note("That query was run already, and it failed.")
            return
        looked = await look(self.asking, sql, step="explore, sql")
        ran = looked.result is not None
        outcome = (
            "SQL, failed" if looked.result is None else f"SQL, {counted(len(looked.result.rows), 'row')}"
        )
        said = [Disclosure(Kind.STATISTICS, outcome)]
        self.history.add(
            [*said, *looked.parts], [*said, sql_part(sql, self.asking.planning.question, own=True)]
        )
        if ran:
            self._ran, self._rows = draft, looked.outcome
            self.confirmed = self.forced

    def _note(self, words: str) -> None:
        """Tell the model that its answer led to nothing."""
        self._idle += 1
        self.history.add([Disclosure(Kind.INSTRUCTION, words)])


def _action(completion: Completion, document: Mapping[str, Any] | None) -> str:
    """The action that an answer names, as JSON or as a tag; SQL where it is a query and nothing else."""
    named = read_text(document, "action", 20).strip("[]").upper()
    if named in ACTIONS:
        return named
    tag = _TAG.search(completion.text[:200]) if document is None else None
    if tag:
        return tag[1]
    return "SQL" if read_sql(completion.text, cut=completion.cut) else ""
