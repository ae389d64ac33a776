"""Models as repairers: anyone who wrote a query writes it again when it failed or does not do what was asked.

It is shown what it knew when it wrote, what is wrong and what helps; of what the backend said, and of the
data, only what the policy lets. Owns: that prompt, and who is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final, Protocol

from askwire.core.beside import stepwise
from askwire.core.egress import Disclosure, Kind
from askwire.core.errors import BudgetSpent, NoExpert
from askwire.core.types import Question
from askwire.llm.answers import read_sql
from askwire.llm.prompts import Input
from askwire.planner.expert import ExpertContext
from askwire.planner.models.expert_task import sql_part
from askwire.planner.models.model_expert import ModelExpert, Workings
from askwire.planner.models.schema_search import STEP as SEARCH
from askwire.planner.models.schema_search import search
from askwire.planner.models.writing import QUERY

STEP: Final = "repair"
SCHEMA_ERRORS: Final = frozenset(("table not found", "column not found"))
"""Kinds of failure after which the schema is searched, as `verifier.repair` calls them."""
_MAX_SHOWN_ATTEMPTS: Final = 3
_SEARCH_TIME_SHARE: Final = 0.85
"""Share of the time until the ASK's end by which a search has ended."""


class BrokenCandidate(Protocol):
    """What a repairer is shown about a candidate, as `verifier.repair` says it."""

    @property
    def question(self) -> Question:
        """What was asked."""

    @property
    def proposed(self) -> str:
        """The candidate's text as an expert proposed it."""

    @property
    def sql(self) -> str:
        """The text that was tried: that one, or what became of it."""

    @property
    def trouble(self) -> Enum:
        """What kind of failure it is; its value is the name."""

    @property
    def message(self) -> str:
        """The backend's words."""

    @property
    def violations(self) -> tuple[str, ...]:
        """What failed checks ask for."""

    @property
    def attempts(self) -> tuple[str, ...]:
        """Earlier texts, oldest first."""

    @property
    def hint(self) -> str:
        """What helps with such failures."""


class ModelRepairer:
    """`verifier.repair.Repairer` for one ASK; gives up on what no model proposed."""

    name = "models"

    def __init__(self, experts: Sequence[ModelExpert], planning: ExpertContext) -> None:
        self._experts = experts
        self._planning = planning
        self._rounds: dict[tuple[str, str], int] = {}
        self._wrote: set[str] = set()

    async def repair(self, request: BrokenCandidate) -> str | None:
        """New SQL of a model that proposed the candidate, or None.

        Of several that did, the next is asked where one has nothing. None too where the effort's repairs are
        used up, and where no such model can be asked: a candidate that stays broken is no reason to fail.
        """
        for expert in self._experts:
            workings = expert.for_repair(self._planning)
            if workings is None or request.proposed not in workings.wrote:
                continue
            if made := await stepwise(self._repaired(workings, request)):
                return made
        return None

    async def _repaired(self, workings: Workings, request: BrokenCandidate) -> str | None:
        asking, question = workings.asking, request.question
        candidate = asking.line.source.name, request.proposed
        done = self._rounds.get(candidate, 0)
        if done >= asking.course.repairs:
            return None
        self._rounds[candidate] = done + 1
        own = workings.wrote | self._wrote

        def told(sql: str, *, required: bool = False) -> Disclosure:
            return sql_part(sql, question, own=sql in own, required=required)

        broken, trouble = [told(request.sql, required=True)], _trouble(request)
        found: list[Disclosure] = []
        if request.trouble.value in SCHEMA_ERRORS and asking.course.schema_steps:
            searching = search(asking, broken, trouble, asking.course.schema_steps)
            found = await asking.attempt(SEARCH, searching, _SEARCH_TIME_SHARE) or []
        given: dict[str, Input] = {
            "schema": workings.schema,
            "question": asking.question,
            "notes": workings.notes.parts,
            "findings": (*workings.findings, *found),
            "attempts": [told(sql) for sql in request.attempts[-_MAX_SHOWN_ATTEMPTS:]],
            "sql": broken,
            "trouble": trouble,
        }
        inputs = asking.fitted(STEP, given, "findings")
        try:
            completion = await asking.ask(STEP, inputs, QUERY, notes=workings.notes.versions, needed=True)
        except (NoExpert, BudgetSpent) as error:
            self._planning.trace.record("verifier", "no repair", reason=error.message)
            return None
        sql = read_sql(completion.text, cut=completion.cut)
        self._wrote.add(sql)
        return sql or None


def _trouble(request: BrokenCandidate) -> list[Disclosure]:
    """What is wrong: the kind of failure and the hint in askwire's own words, the rest as what it is."""
    parts = [Disclosure(Kind.INSTRUCTION, f"{request.trouble.value}. {request.hint}")]
    if request.message:
        parts.append(Disclosure(Kind.ERROR_TEXT, request.message))
    parts += [Disclosure(Kind.ERROR_TEXT, violation) for violation in request.violations]
    return parts
